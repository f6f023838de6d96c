#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "node/transfer.h"
#include "strand/carry.h"

//---------------------------------------------------------------------------------------------- reading

// why a guide is left out
#define FAULTS(X)                                      \
  X(FINE, "is fine")                                   \
  X(SHORT, "has fewer than 2 points")                  \
  X(NUMBER, "has a point whose place is not a number") \
  X(LENGTH, "has no length at rest")
typedef enum Fault {
#define FAULT_NAME(name, text) FAULT_##name,
  FAULTS(FAULT_NAME) FAULT_COUNT
} Fault;
static const char* const fault_text[] = {
#define FAULT_TEXT(name, text) text,
    FAULTS(FAULT_TEXT)};

static bool is_curve(const RvDetail* d, size_t prim) {
  return rv_detail_prim_type(d, prim) == RV_PRIM_CURVE;
}

static RvResult check_equal(const RvDetail* a, const RvDetail* b, RvError* error) {
  size_t na = rv_detail_count(a, RV_PRIM), nb = rv_detail_count(b, RV_PRIM);
  if (na != nb)
    return rv_fail(error, RV_BAD_INPUT,
                   "the simulated guides (input 3) have %zu primitives, the guides at rest (input 2) %zu: they must be "
                   "the same strands in the same order",
                   nb, na);
  const int32_t *sa = rv_detail_prim_start(a), *sb = rv_detail_prim_start(b);
  for (size_t i = 0; i < na; ++i)
    if (is_curve(a, i) != is_curve(b, i) || sa[i + 1] - sa[i] != sb[i + 1] - sb[i])
      return rv_fail(error, RV_BAD_INPUT,
                     "guide %zu has %d points in the simulation (input 3) and %d at rest (input 2): they must be the "
                     "same strands in the same order",
                     i, sb[i + 1] - sb[i], sa[i + 1] - sa[i]);
  return RV_OK;
}

// one guide's samples but for their turns
static Fault read_guide(const RvTransferGuides* g, size_t at, size_t n, const float* rest, const int32_t* rest_point,
                        const float* moved, const int32_t* moved_point) {
  if (n < 2) return FAULT_SHORT;
  double along = 0;
  for (size_t i = 0; i < n; ++i) {
    RvTransferSample* s = &g->samples[at + i];
    RvVec3 a = rv_vec3_load(rest + 3 * (size_t)rest_point[i]), b = rv_vec3_load(moved + 3 * (size_t)moved_point[i]);
    if (!rv_vec3_finite(a) || !rv_vec3_finite(b)) return FAULT_NUMBER;
    if (i) along += rv_distance(a, rv_vec3_load64(s[-1].rest));
    s->along = along;
    rv_vec3_store64(s->rest, a), rv_vec3_store64(s->moved, b);
    g->point[at + i] = moved_point[i];
  }
  return along > 0 ? FAULT_FINE : FAULT_LENGTH;
}

static RvResult read_all(RvCook* cook, const RvDetail* at_rest, const float* rest, const RvDetail* moved,
                         RvTransferGuides* g, RvError* error) {
  const int32_t *rest_start = rv_detail_prim_start(at_rest), *moved_start = rv_detail_prim_start(moved);
  const float* P = rv_detail_f32(moved, RV_POINT, "P", 3);
  size_t faults[FAULT_COUNT] = {0}, curves = 0, example[FAULT_COUNT] = {0};
  for (size_t i = 0; i < rv_detail_count(moved, RV_PRIM); ++i) {
    if (!is_curve(moved, i)) continue;
    curves++;
    size_t n = (size_t)(moved_start[i + 1] - moved_start[i]);
    Fault fault = read_guide(g, g->nsample, n, rest, rv_detail_vertex_point(at_rest) + rest_start[i], P,
                             rv_detail_vertex_point(moved) + moved_start[i]);
    if (!faults[fault]++) example[fault] = i;
    if (fault != FAULT_FINE) continue;
    g->prim[g->count] = (int32_t)i;
    g->nsample += n;
    g->first[++g->count] = (int32_t)g->nsample;
  }
  if (!curves) return rv_fail(error, RV_BAD_INPUT, "input 3, the simulated guides, has no strands");
  for (int f = FAULT_FINE + 1; f < FAULT_COUNT; ++f) {
    if (!faults[f]) continue;
    if (!g->count)
      return rv_fail(error, RV_BAD_INPUT, "none of %zu guides can guide; the first, primitive %zu, %s", curves,
                     example[f], fault_text[f]);
    rv_cook_warn(cook, "%zu of %zu guides are left out; the first, primitive %zu, %s", faults[f], curves, example[f],
                 fault_text[f]);
  }
  return RV_OK;
}

RvResult rv_transfer_guides_read(RvCook* cook, const RvDetail* at_rest, const RvDetail* moved, RvTransferGuides* out,
                                 RvError* error) {
  *out = (RvTransferGuides){0};
  const float* rest = at_rest ? rv_detail_f32(at_rest, RV_POINT, "P", 3) : rv_detail_f32(moved, RV_POINT, "rest", 3);
  if (!rest)
    return rv_fail(error, RV_BAD_INPUT,
                   "input 2, the guides at rest, is not wired, and the simulated guides have no point attribute rest");
  if (!at_rest) at_rest = moved;
  RvResult result = check_equal(at_rest, moved, error);
  if (result) return result;
  size_t nprim = rv_detail_count(moved, RV_PRIM), nvertex = rv_detail_count(moved, RV_VERTEX);
  out->prim = rv_alloc(nprim, sizeof *out->prim);
  out->first = rv_alloc_zero(nprim + 1, sizeof *out->first);
  out->point = rv_alloc(nvertex, sizeof *out->point);
  out->samples = rv_alloc(nvertex, sizeof *out->samples);
  if (!out->prim || !out->first || !out->point || !out->samples)
    return rv_fail(error, RV_NO_MEMORY, "no memory for %zu guides", nprim);
  return read_all(cook, at_rest, rest, moved, out, error);
}

void rv_transfer_guides_free(RvTransferGuides* g) {
  rv_free(g->prim), rv_free(g->first), rv_free(g->point), rv_free(g->samples);
  *g = (RvTransferGuides){0};
}

//---------------------------------------------------------------------------------------------- turning

typedef struct Turning {
  RvTransferGuides* g;
  const int32_t* near;
  double window;
} Turning;

// the guide's first edge that has a length: what a skin holds
static size_t first_edge(const RvTransferSample* s, size_t n) {
  size_t i = 1;
  while (i + 1 < n && !(s[i].along > 0)) ++i;
  return i;
}

// How the skin has turned at a root: the rigid motion nearest to that of the first edges here and about.
static RvQuat root_turn(const Turning* w, size_t guide) {
  double rest[6 * (RV_TRANSFER_NEAR + 1)], moved[6 * (RV_TRANSFER_NEAR + 1)];
  size_t count = 0;
  for (int k = -1; k < RV_TRANSFER_NEAR; ++k) {
    int32_t other = k < 0 ? (int32_t)guide : w->near[guide * RV_TRANSFER_NEAR + (size_t)k];
    if (other < 0) continue;
    size_t first = (size_t)w->g->first[other], n = (size_t)w->g->first[other + 1] - first;
    const RvTransferSample *root = w->g->samples + first, *next = root + first_edge(root, n);
    memcpy(rest + 3 * count, root->rest, sizeof root->rest),
        memcpy(moved + 3 * count++, root->moved, sizeof root->rest);
    memcpy(rest + 3 * count, next->rest, sizeof next->rest),
        memcpy(moved + 3 * count++, next->moved, sizeof next->rest);
  }
  return rv_rigid_fit(count, rest, moved).turn;
}

// Places at a distance along the guide, at rest and moved; *from is a sample not beyond it.
static void places_at(const RvTransferSample* s, size_t n, double along, size_t* from, RvVec3* rest, RvVec3* moved) {
  size_t i = *from;
  while (i + 2 < n && s[i + 1].along <= along) ++i;
  double length = s[i + 1].along - s[i].along, t = length > 0 ? fmin((along - s[i].along) / length, 1) : 0;
  *rest = rv_lerp(rv_vec3_load64(s[i].rest), rv_vec3_load64(s[i + 1].rest), t);
  *moved = rv_lerp(rv_vec3_load64(s[i].moved), rv_vec3_load64(s[i + 1].moved), t);
  *from = i;
}

// From the root on, each sample turns as the one before it and then the shortest way onto its own direction: so nothing
// twists about the guide but what the guide's bending makes. A direction is the chord over the window, shorter towards
// the root, where it is the edge that the skin holds.
static void turn_guide(const Turning* w, size_t guide) {
  size_t first = (size_t)w->g->first[guide], n = (size_t)w->g->first[guide + 1] - first, low = 0, high = 0;
  RvTransferSample* s = w->g->samples + first;
  double length = s[n - 1].along, edge = s[first_edge(s, n)].along;
  RvQuat turn = root_turn(w, guide);
  for (size_t i = 0; i < n; ++i) {
    double half = fmin(0.5 * w->window, s[i].along), begin = 0, end = length;
    if (i > 0) begin = fmin(s[i].along - half, s[i - 1].along);
    if (i + 1 < n) end = i > 0 ? fmax(s[i].along + half, s[i + 1].along) : edge;
    RvVec3 rest[2], moved[2];
    places_at(s, n, begin, &low, &rest[0], &moved[0]);
    high = high < low ? low : high;
    places_at(s, n, fmin(end, length), &high, &rest[1], &moved[1]);
    RvVec3 from = rv_sub(rest[1], rest[0]), to = rv_sub(moved[1], moved[0]);
    // a chord of next to nothing, where a curl closes on itself, says nothing
    double least = 1e-3 * (end - begin);
    if (rv_length(from) > least && rv_length(to) > least) {
      RvVec3 now = rv_quat_rotate(turn, rv_normalize(from, rv_vec3(0, 1, 0)));
      turn = rv_quat_normalize(rv_quat_mul(rv_quat_between(now, rv_normalize(to, now)), turn));
    }
    s[i].turn[0] = turn.x, s[i].turn[1] = turn.y, s[i].turn[2] = turn.z, s[i].turn[3] = turn.w;
  }
}

static void turn_range(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) turn_guide(arg, i);
}

void rv_transfer_guides_turn(RvTransferGuides* guides, const int32_t* near, double window) {
  Turning w = {guides, near, window};
  rv_parallel_for(guides->count, 32, turn_range, &w);
}
