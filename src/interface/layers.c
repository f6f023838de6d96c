// Layers of the surface; see layers.h.
#include "interface/layers.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "sph/lists.h"

// Reach of the cover vector and of the scan cone, in h of two spacings; the cosine of half the cone's 90 degrees.
static const double COVER = 0.85;
static const double SCAN = 1.1;
static const double SPACINGS = 2;
static const float HALF_CONE = 0.70710678f;
// A cover vector shorter than this is that of neighbours all around: rounding.
static const float LEAST_COVER = 1e-4f;

typedef struct Search {
  const RvInterfaceLayers* in;
  const RvSphSet* set;
  const RvSphLists* lists;
  int32_t* body;   // in the order of the set
  uint8_t* layer;  // in the order of the set
  int peel;        // the layer that is looked for
  float cover;     // R1^2 over that of the lists
  uint8_t* hit;    // in the order of the set: found in this peel
} Search;

// Whether j covers i: of the same body, not taken away by an earlier layer, and not i itself.
static bool covers(const Search* s, size_t i, uint32_t j) {
  if (j == i || j >= s->set->count || s->body[j] != s->body[i]) return false;
  return s->layer[j] == 0;
}

// From i to its neighbour j, in supports, and the square of its length.
static float toward(const float* at, size_t i, uint32_t j, float d[3]) {
  float square = 0;
  for (size_t a = 0; a < 3; ++a) {
    d[a] = at[4 * (size_t)j + a] - at[4 * i + a];
    square += d[a] * d[a];
  }
  return square;
}

static bool is_surface(const Search* s, size_t i) {
  const uint32_t* list = s->lists->index + RV_SPH_LANES * (size_t)s->lists->first[i];
  const unsigned listed = RV_SPH_LANES * (unsigned)s->lists->groups[i];
  const float* at = s->set->at;
  // The cover vector (12).
  float cover[3] = {0};
  bool alone = true;
  for (unsigned k = 0; k < listed; ++k) {
    if (!covers(s, i, list[k])) continue;
    float d[3];
    float square = toward(at, i, list[k], d);
    alone = false;
    if (!(square < s->cover) || !(square > 0)) continue;
    float inverse = 1 / sqrtf(square);
    for (size_t a = 0; a < 3; ++a) cover[a] -= d[a] * inverse;
  }
  float length = sqrtf(cover[0] * cover[0] + cover[1] * cover[1] + cover[2] * cover[2]);
  if (alone || length < LEAST_COVER) return alone;
  // The scan cone (13).
  for (unsigned k = 0; k < listed; ++k) {
    if (!covers(s, i, list[k])) continue;
    float d[3];
    float square = toward(at, i, list[k], d);
    float along = d[0] * cover[0] + d[1] * cover[1] + d[2] * cover[2];
    if (along >= HALF_CONE * length * sqrtf(square)) return false;
  }
  return true;
}

static void peel_some(void* arg, size_t begin, size_t end) {
  const Search* s = arg;
  for (size_t i = begin; i < end; ++i) s->hit[i] = !s->layer[i] && is_surface(s, i);
}

// Peels until nothing is left, or the layers asked for are found. What no peel begins is one layer.
static void peel(Search* s) {
  size_t left = s->set->count;
  for (s->peel = 1; s->peel <= s->in->most && left; ++s->peel) {
    size_t found = 0;
    rv_parallel_for(s->set->count, RV_SPH_GRAIN, peel_some, s);
    for (size_t i = 0; i < s->set->count; ++i) found += s->hit[i];
    for (size_t i = 0; i < s->set->count; ++i)
      if (s->hit[i] || (!found && !s->layer[i])) s->layer[i] = (uint8_t)s->peel;
    left -= found ? found : left;
  }
}

RvResult rv_interface_find_layers(const RvInterfaceLayers* in, RvArena* arena, RvError* error) {
  RvSphLattice lattice;
  RvSphSet set;
  RvSphLists lists;
  const double* places[] = {in->place};
  if (!in->count) return RV_OK;
  RvArenaMark mark = rv_arena_mark(arena);
  RvResult result = rv_sph_lattice_fit(&lattice, SCAN * SPACINGS * in->spacing, 1, places, &in->count, error);
  if (!result) result = rv_sph_set_sort(&set, &lattice, in->place, NULL, in->count, arena, error);
  if (!result) result = rv_sph_lists_find(&lists, &lattice, &set, &set, arena, error);
  Search s = {.in = in, .set = &set, .lists = &lists, .cover = (float)(COVER * COVER / (SCAN * SCAN))};
  s.body = result ? NULL : RV_TAKE(arena, int32_t, in->count);
  s.layer = result ? NULL : RV_TAKE(arena, uint8_t, in->count);
  s.hit = result ? NULL : RV_TAKE(arena, uint8_t, in->count);
  if (!result && (!s.body || !s.layer || !s.hit)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the layers");
  if (!result) {
    for (size_t k = 0; k < in->count; ++k) s.body[k] = in->body ? in->body[set.from[k]] : 0;
    memset(s.layer, 0, in->count);
    peel(&s);
    for (size_t k = 0; k < in->count; ++k) in->layer[set.from[k]] = s.layer[k];
  }
  rv_arena_release(arena, mark);
  return result;
}
