// Reads simulated guides, and computes their smoothed lines, curls and rotations.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/rigid.h"
#include "node/transfer/transfer.h"

enum { GUIDES_A_TASK = 32 };

static const double LEAST_CHORD = 1e-3;  // over the arc length between its ends

//---------------------------------------------------------------------------------------------- reading

// Reasons to leave out a guide.
#define FAULTS(X)                                       \
  X(FINE, "is fine")                                    \
  X(SHORT, "has fewer than 2 points")                   \
  X(NUMBER, "has a point whose position is not finite") \
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

// Fails unless both inputs have the same curves with the same numbers of points.
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

// Copies the points of a guide and computes its arc lengths.
static Fault read_guide(const RvTransferGuides* g, size_t at, size_t n, const float* rest, const int32_t* rest_point,
                        const float* moved, const int32_t* moved_point) {
  if (n < 2) return FAULT_SHORT;
  double* along = g->along + at;
  for (size_t i = 0; i < n; ++i) {
    RvVec3 a = rv_vec3_load(rest + 3 * (size_t)rest_point[i]);
    RvVec3 b = rv_vec3_load(moved + 3 * (size_t)moved_point[i]);
    if (!rv_vec3_finite(a) || !rv_vec3_finite(b)) return FAULT_NUMBER;
    along[i] = i ? along[i - 1] + rv_distance(a, rv_vec3_load64(g->rest + 3 * (at + i - 1))) : 0;
    rv_vec3_store64(g->rest + 3 * (at + i), a);
    rv_vec3_store64(g->moved + 3 * (at + i), b);
    g->point[at + i] = moved_point[i];
  }
  return along[n - 1] > 0 ? FAULT_FINE : FAULT_LENGTH;
}

// Reads all curves; warns of those that are left out.
static RvResult read_all(RvCook* cook, const RvDetail* at_rest, const float* rest, const RvDetail* moved,
                         RvTransferGuides* g, RvError* error) {
  const int32_t* rest_start = rv_detail_prim_start(at_rest);
  const int32_t* moved_start = rv_detail_prim_start(moved);
  const float* P = rv_detail_f32(moved, RV_POINT, "P", 3);
  // Copy the curves one after the other.
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
  // Report the guides that are left out, by reason.
  if (!curves) return rv_fail(error, RV_BAD_INPUT, "input 3, the simulated guides, has no strands");
  for (int f = FAULT_FINE + 1; f < FAULT_COUNT; ++f) {
    if (!faults[f]) continue;
    if (!g->count)
      return rv_fail(error, RV_BAD_INPUT, "none of the %zu guides is usable; the first, primitive %zu, %s", curves,
                     example[f], fault_text[f]);
    rv_cook_warn(cook, "%zu of %zu guides are left out; the first, primitive %zu, %s", faults[f], curves, example[f],
                 fault_text[f]);
  }
  return RV_OK;
}

// Allocates the arrays.
static RvResult allocate_arrays(RvTransferGuides* g, size_t nprim, size_t nvertex, RvError* error) {
  g->prim = rv_alloc(nprim, sizeof *g->prim);
  g->first = rv_alloc_zero(nprim + 1, sizeof *g->first);
  g->point = rv_alloc(nvertex, sizeof *g->point);
  g->along = rv_alloc(nvertex, sizeof *g->along);
  g->rest = rv_alloc(nvertex, 3 * sizeof *g->rest);
  g->moved = rv_alloc(nvertex, 3 * sizeof *g->moved);
  g->curl = rv_alloc(nvertex, 3 * sizeof *g->curl);
  g->scratch = rv_alloc(nvertex, 6 * sizeof *g->scratch);
  g->samples = rv_alloc(nvertex, sizeof *g->samples);
  if (g->prim && g->first && g->point && g->along && g->rest && g->moved && g->curl && g->scratch && g->samples)
    return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu guides", nprim);
}

// Arguments of rest_lines.
typedef struct Lines {
  RvTransferGuides* g;
  double window;
} Lines;

// Smoothed lines at rest, and the curls of the guides around them.
static void rest_lines(void* arg, size_t begin, size_t end) {
  const Lines* w = arg;
  RvTransferGuides* g = w->g;
  for (size_t k = begin; k < end; ++k) {
    size_t at = (size_t)g->first[k], n = (size_t)g->first[k + 1] - at;
    rv_transfer_smooth(n, g->along + at, g->rest + 3 * at, w->window, g->scratch + 6 * at, g->curl + 3 * at);
    for (size_t i = at; i < at + n; ++i) {
      memcpy(g->samples[i].rest, g->curl + 3 * i, sizeof g->samples[i].rest);
      for (size_t c = 0; c < 3; ++c) g->curl[3 * i + c] = g->rest[3 * i + c] - g->samples[i].rest[c];
      g->samples[i].along = g->along[i];
    }
  }
}

RvResult rv_transfer_guides_read(RvCook* cook, const RvDetail* at_rest, const RvDetail* moved, double window,
                                 RvTransferGuides* out, RvError* error) {
  *out = (RvTransferGuides){0};
  const float* rest = at_rest ? rv_detail_f32(at_rest, RV_POINT, "P", 3) : rv_detail_f32(moved, RV_POINT, "rest", 3);
  if (!rest)
    return rv_fail(
        error, RV_BAD_INPUT,
        "input 2, the guides at rest, is not wired, and the simulated guides have no point attribute rest: wire "
        "the guides before simulation into input 2");
  if (!at_rest) at_rest = moved;
  RvResult result = check_equal(at_rest, moved, error);
  if (result) return result;
  result = allocate_arrays(out, rv_detail_count(moved, RV_PRIM), rv_detail_count(moved, RV_VERTEX), error);
  if (!result) result = read_all(cook, at_rest, rest, moved, out, error);
  if (!result) rv_parallel_for(out->count, GUIDES_A_TASK, rest_lines, &(Lines){out, window});
  return result;
}

void rv_transfer_guides_free(RvTransferGuides* g) {
  rv_free(g->prim);
  rv_free(g->first);
  rv_free(g->point);
  rv_free(g->samples);
  rv_free(g->along);
  rv_free(g->rest);
  rv_free(g->moved);
  rv_free(g->curl);
  rv_free(g->scratch);
  *g = (RvTransferGuides){0};
}

//---------------------------------------------------------------------------------------------- rotation

// Arguments of the rotation.
typedef struct Turning {
  RvTransferGuides* g;
  const int32_t* near;
  double window;
} Turning;

// End of the first edge with a length, which is fixed to the skin.
static size_t first_edge(const double* along, size_t n) {
  size_t i = 1;
  while (i + 1 < n && !(along[i] > 0)) ++i;
  return i;
}

// Rotation of the skin at a root: best rigid fit to the motion of the first edges of the guide and its neighbours.
static RvQuat root_turn(const Turning* w, size_t guide) {
  const RvTransferGuides* g = w->g;
  double rest[6 * (RV_TRANSFER_NEAR + 1)], moved[6 * (RV_TRANSFER_NEAR + 1)];
  size_t count = 0, three = 3 * sizeof(double);
  for (int k = -1; k < RV_TRANSFER_NEAR; ++k) {
    int32_t other = k < 0 ? (int32_t)guide : w->near[guide * RV_TRANSFER_NEAR + (size_t)k];
    if (other < 0) continue;
    size_t root = (size_t)g->first[other];
    size_t next = root + first_edge(g->along + root, (size_t)g->first[other + 1] - root);
    memcpy(rest + 3 * count, g->rest + 3 * root, three);
    memcpy(moved + 3 * count++, g->moved + 3 * root, three);
    memcpy(rest + 3 * count, g->rest + 3 * next, three);
    memcpy(moved + 3 * count++, g->moved + 3 * next, three);
  }
  return rv_rigid_fit(count, rest, moved).turn;
}

// Positions at an arc length, at rest and moved. *from: a sample not beyond it, advanced.
static void places_at(const RvTransferGuides* g, size_t first, size_t n, double along, size_t* from, RvVec3* rest,
                      RvVec3* moved) {
  size_t i = *from;
  while (i + 2 < n && g->along[first + i + 1] <= along) ++i;
  *from = i;
  const double* s = g->along + first + i;
  const double* a = g->rest + 3 * (first + i);
  const double* b = g->moved + 3 * (first + i);
  double length = s[1] - s[0], t = length > 0 ? fmin((along - s[0]) / length, 1) : 0;
  *rest = rv_lerp(rv_vec3_load64(a), rv_vec3_load64(a + 3), t);
  *moved = rv_lerp(rv_vec3_load64(b), rv_vec3_load64(b + 3), t);
}

// Rotations along a guide by parallel transport: each sample takes the rotation of the one before and then the smallest
// rotation onto its own direction, so that no twist is added. A direction is the chord over the window, which shrinks
// towards the root, where it is the edge fixed to the skin.
static void turn_guide(const Turning* w, size_t guide) {
  const RvTransferGuides* g = w->g;
  size_t first = (size_t)g->first[guide];
  size_t n = (size_t)g->first[guide + 1] - first;
  size_t low = 0;
  size_t high = 0;
  const double* s = g->along + first;
  double length = s[n - 1], edge = s[first_edge(s, n)];
  RvQuat turn = root_turn(w, guide);
  for (size_t i = 0; i < n; ++i) {
    // Ends of the chord.
    double half = fmin(0.5 * w->window, s[i]);
    double begin = 0;
    double end = length;
    if (i > 0) begin = fmin(s[i] - half, s[i - 1]);
    if (i + 1 < n) end = i > 0 ? fmin(fmax(s[i] + half, s[i + 1]), length) : edge;
    RvVec3 rest[2], moved[2];
    places_at(g, first, n, begin, &low, &rest[0], &moved[0]);
    high = high < low ? low : high;
    places_at(g, first, n, end, &high, &rest[1], &moved[1]);
    RvVec3 from = rv_sub(rest[1], rest[0]), to = rv_sub(moved[1], moved[0]);
    // A chord of nearly no length, where a curl closes on itself, has no direction.
    double least = LEAST_CHORD * (end - begin);
    if (rv_length(from) > least && rv_length(to) > least) {
      RvVec3 now = rv_quat_rotate(turn, rv_normalize(from, rv_vec3(0, 1, 0)));
      turn = rv_quat_normalize(rv_quat_mul(rv_quat_between(now, rv_normalize(to, now)), turn));
    }
    double* to_turn = g->samples[first + i].turn;
    to_turn[0] = turn.x;
    to_turn[1] = turn.y;
    to_turn[2] = turn.z;
    to_turn[3] = turn.w;
  }
}

// Smoothed line of the moved guide, and the displacement of its curls beyond the rotation of the line.
static void move_line(const RvTransferGuides* g, size_t guide, double window) {
  size_t at = (size_t)g->first[guide], n = (size_t)g->first[guide + 1] - at;
  double *scratch = g->scratch + 6 * at, *line = scratch + 3 * n;
  rv_transfer_smooth(n, g->along + at, g->moved + 3 * at, window, scratch, line);
  for (size_t i = at; i < at + n; ++i) {
    RvTransferSample* s = &g->samples[i];
    RvVec3 moved = rv_vec3_load64(line + 3 * (i - at));
    RvVec3 turned =
        rv_quat_rotate((RvQuat){s->turn[0], s->turn[1], s->turn[2], s->turn[3]}, rv_vec3_load64(g->curl + 3 * i));
    rv_vec3_store64(s->moved, moved);
    rv_vec3_store64(s->curl, rv_sub(rv_sub(rv_vec3_load64(g->moved + 3 * i), moved), turned));
  }
}

// Processes a range of guides.
static void turn_range(void* arg, size_t begin, size_t end) {
  const Turning* w = arg;
  for (size_t i = begin; i < end; ++i) {
    turn_guide(w, i);
    move_line(w->g, i, w->window);
  }
}

void rv_transfer_guides_turn(RvTransferGuides* guides, const int32_t* near, double window) {
  Turning w = {guides, near, window};
  rv_parallel_for(guides->count, GUIDES_A_TASK, turn_range, &w);
}
