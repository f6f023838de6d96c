// Pairs that hold liquid and are farther apart than films that touch: they are known from the step before, as those
// beside them, to which the place may have slid. They are added to the pairs of the broad phase.
#include <math.h>

#include "base/parallel.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"

enum { CHUNKS = 64 };
// in the distance within which the broad phase finds all: nearer ones and what is beside them are found there
static const double NEARLY = 0.8;

typedef struct Search {
  RvContacts* c;
  const RvContactDef* def;
  size_t grain;
  RvKeys found[CHUNKS];
  bool failed[CHUNKS];
} Search;

static double distance_of(const RvContacts* c, size_t e, size_t f) {
  const RvVec3* x = c->segments.x;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  return rv_length(rv_closest_points(x[i], x[i + 1], x[j], x[j + 1]).delta);
}

static double radii_of(const RvContacts* c, size_t e, size_t f) {
  return c->segments.thick[e] + c->segments.thick[f];
}

static bool is_far(const Search* s, size_t e, size_t f, double distance) {
  const RvContacts* c = s->c;
  const RvSegments* g = &c->segments;
  double radii = radii_of(c, e, f), film = g->film[e] + g->film[f];
  double sure = rv_min(g->height[e] + g->height[f], radii + rv_contact_table(c, e, f)->rupture * sqrt(film));
  sure = rv_max(sure, s->def->reach * (1 + s->def->margin) * radii);
  return distance > NEARLY * sure;
}

// the pair and those beside it, as far as a bridge of its area reaches
static bool push_around(Search* s, size_t chunk, size_t e, size_t f, double area) {
  const RvContacts* c = s->c;
  const RvContactStrand *a = &c->strands[c->strand_of[e]], *b = &c->strands[c->strand_of[f]];
  for (int k = 0; k < 9; ++k) {
    int64_t i = (int64_t)e + k / 3 - 1, j = (int64_t)f + k % 3 - 1;
    if (i < (int64_t)a[0].first || i >= (int64_t)a[1].first || j < (int64_t)b[0].first || j >= (int64_t)b[1].first)
      continue;
    // of one strand the earlier edge is the source
    if (a == b && j - i <= s->def->neighbours) continue;
    double limit = rv_max(c->segments.height[i] + c->segments.height[j],
                          radii_of(c, (size_t)i, (size_t)j) + rv_contact_table(c, e, f)->rupture * sqrt(area));
    if (k != 4 && distance_of(c, (size_t)i, (size_t)j) > limit) continue;
    if (!rv_array_push(&s->found[chunk], (uint64_t)i << 32 | (uint64_t)j)) return false;
  }
  return true;
}

static void search(void* arg, size_t begin, size_t end) {
  Search* s = arg;
  const RvContacts* c = s->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t n = c->old_keys.count, last = (chunk + 1) * s->grain < n ? (chunk + 1) * s->grain : n;
    for (size_t k = chunk * s->grain; k < last && !s->failed[chunk]; ++k) {
      if (!(c->old_memory.data[k].area > 0)) continue;
      size_t e = (size_t)(c->old_keys.data[k] >> 32), f = (size_t)(c->old_keys.data[k] & UINT32_MAX);
      if (is_far(s, e, f, c->nearness.data[k]) && !push_around(s, chunk, e, f, c->old_memory.data[k].area))
        s->failed[chunk] = true;
    }
  }
}

static RvResult add_found(Search* s, RvError* error) {
  RvContacts* c = s->c;
  size_t total = c->pairs.count, at = total;
  bool room = true;
  for (int k = 0; k < CHUNKS; ++k) total += s->found[k].count, room = room && !s->failed[k];
  if (total == at && room) return RV_OK;
  if (!room || !rv_array_resize(&c->pairs, total))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pairs of edges", total);
  for (int k = 0; k < CHUNKS; ++k)
    for (size_t i = 0; i < s->found[k].count; ++i) c->pairs.data[at++] = s->found[k].data[i];
  return RV_OK;
}

RvResult rv_contact_stretched(RvContacts* c, const RvContactDef* def, RvError* error) {
  if (!c->wet || !c->old_keys.count) return RV_OK;
  Search* s = rv_alloc_zero(1, sizeof *s);
  if (!s) return rv_fail(error, RV_NO_MEMORY, "out of memory for the contacts of %zu edges", c->nedge);
  s->c = c, s->def = def, s->grain = (c->old_keys.count + CHUNKS - 1) / CHUNKS;
  rv_parallel_for((c->old_keys.count + s->grain - 1) / s->grain, 1, search, s);
  RvResult result = add_found(s, error);
  for (int k = 0; k < CHUNKS; ++k) rv_array_free(&s->found[k]);
  rv_free(s);
  return result;
}
