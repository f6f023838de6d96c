// Clumping of wet hairs around their guide. The strength depends on the guide's wetness at that place only, and not on
// the number of a clump, which may change from frame to frame: hairs must not jump.
#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "node/transfer/transfer.h"

void rv_transfer_root_frame(const RvTransferGuides* g, size_t guide, RvVec3* root, RvVec3* side, RvVec3* other) {
  size_t first = (size_t)g->first[guide], n = (size_t)g->first[guide + 1] - first, next = 1;
  while (next + 1 < n && !(g->along[first + next] > 0)) ++next;
  *root = rv_vec3_load64(g->rest + 3 * first);
  RvVec3 ahead = rv_normalize(rv_sub(rv_vec3_load64(g->rest + 3 * (first + next)), *root), rv_vec3(0, 1, 0));
  *side = rv_perpendicular(ahead);
  *other = rv_cross(ahead, *side);
}

enum { GUIDES_A_TASK = 32 };

static const double ROOT_DIRECTION = 0.1;  // weight of the direction at rest, in distances of touching clumps

// Working set.
typedef struct Clumping {
  const RvTransferGuides* g;
  const RvTransferBind* bind;
  const RvTransferClumpParms* p;
  const RvAttrib* wetness;
  RvTransferClump* out;
} Clumping;

//---------------------------------------------------------------------------------------------- separation of clumps

// Position of a moved guide at an arc length; beyond its end, the tip. *from: a sample not beyond it, advanced.
static RvVec3 place_at(const RvTransferGuides* g, size_t guide, double along, size_t* from) {
  size_t first = (size_t)g->first[guide], n = (size_t)g->first[guide + 1] - first, i = *from;
  while (i + 2 < n && g->along[first + i + 1] <= along) ++i;
  *from = i;
  const double *s = g->along + first + i, *x = g->moved + 3 * (first + i);
  double length = s[1] - s[0], t = length > 0 ? rv_min((along - s[0]) / length, 1) : 0;
  return rv_lerp(rv_vec3_load64(x), rv_vec3_load64(x + 3), t);
}

// Displacement that separates a clump from those of neighbouring guides. Guides that stick together are a hair's
// diameter apart, but their clumps are thicker: overlapping clumps move apart until they lie side by side. Where guides
// coincide, the direction is that between their roots at rest.
static RvVec3 separation(const Clumping* w, size_t guide, size_t sample, RvVec3 ahead, size_t* from) {
  const RvTransferGuides* g = w->g;
  RvVec3 x = rv_vec3_load64(g->moved + 3 * sample);
  RvVec3 sum = {0, 0, 0};
  RvVec3 root = rv_vec3_load64(g->rest + 3 * (size_t)g->first[guide]);
  const double* q = g->samples[sample].turn;
  for (int k = 0; k < RV_TRANSFER_NEAR; ++k) {
    int32_t near = w->bind->near[guide * RV_TRANSFER_NEAR + (size_t)k];
    if (near < 0) break;
    double both = w->p->spacing * (w->bind->radius[guide] + w->bind->radius[near]);
    RvVec3 d = rv_sub(x, place_at(g, (size_t)near, g->along[sample], &from[k]));
    d = rv_mad(d, -rv_dot(d, ahead), ahead);
    double overlap = both - rv_length(d);
    if (!(overlap > 0)) continue;
    RvVec3 apart = rv_sub(root, rv_vec3_load64(g->rest + 3 * (size_t)g->first[near]));
    apart = rv_quat_rotate((RvQuat){q[0], q[1], q[2], q[3]}, apart);
    apart = rv_normalize(rv_mad(apart, -rv_dot(apart, ahead), ahead), rv_vec3(0, 0, 0));
    RvVec3 direction = rv_normalize(rv_mad(d, ROOT_DIRECTION * both, apart), rv_vec3(0, 0, 0));
    sum = rv_mad(sum, 0.5 * overlap, direction);
  }
  return sum;
}

//---------------------------------------------------------------------------------------------- centres of clumps

// Strength of clumping at a sample, from its wetness.
static double amount_at(const Clumping* w, size_t sample) {
  double wet = rv_attrib_get(w->wetness, (size_t)w->g->point[sample], 0);
  if (!isfinite(wet)) return 0;
  return rv_clamp(w->p->blend * rv_ramp_eval(w->p->wetramp, rv_clamp(wet, 0, 1)), 0, 1);
}

// Computes the centres and frames of a clump along its guide. The frame starts from the rotation of the root and is
// parallel-transported along the moved guide.
static void make_locks(const Clumping* w, size_t guide) {
  const RvTransferGuides* g = w->g;
  size_t first = (size_t)g->first[guide];
  size_t n = (size_t)g->first[guide + 1] - first;
  size_t from[RV_TRANSFER_NEAR] = {0};
  RvVec3 root, side, other;
  rv_transfer_root_frame(g, guide, &root, &side, &other);
  const double* turn = g->samples[first].turn;
  RvQuat q = {turn[0], turn[1], turn[2], turn[3]};
  RvVec3 ahead = rv_quat_rotate(q, rv_cross(side, other));
  side = rv_quat_rotate(q, side);
  // Strength at each sample; a dry guide needs no frames.
  double max_amount = 0;
  for (size_t i = 0; i < n; ++i) {
    double amount = amount_at(w, first + i);
    w->out->locks[first + i].amount = amount;
    max_amount = rv_max(max_amount, amount);
  }
  w->out->max_amount[guide] = max_amount;
  for (size_t i = 0; max_amount > 0 && i < n; ++i) {
    RvTransferLock* lock = &w->out->locks[first + i];
    size_t a = i > 0 ? i - 1 : 0, b = i + 1 < n ? i + 1 : i;
    RvVec3 next = rv_normalize(
        rv_sub(rv_vec3_load64(g->moved + 3 * (first + b)), rv_vec3_load64(g->moved + 3 * (first + a))), ahead);
    // Parallel transport of the side vector.
    side = rv_quat_rotate(rv_quat_between(ahead, next), side);
    side = rv_normalize(rv_mad(side, -rv_dot(side, next), next), rv_perpendicular(next));
    ahead = next;
    RvVec3 centre = rv_add(rv_vec3_load64(g->moved + 3 * (first + i)), separation(w, guide, first + i, ahead, from));
    rv_vec3_store64(lock->centre, centre);
    rv_vec3_store64(lock->side, side);
    rv_vec3_store64(lock->ahead, ahead);
  }
  if (max_amount > 0) rv_transfer_tail(g, guide, w->p->window, w->out->locks, w->out->tail);
}

// Computes the clumps of a range of guides.
static void lock_range(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) make_locks(arg, i);
}

RvResult rv_transfer_clump_open(RvCook* cook, const RvDetail* moved, const RvTransferGuides* g,
                                const RvTransferBind* bind, const RvTransferClumpParms* p, RvTransferClump* out,
                                RvError* error) {
  *out = (RvTransferClump){.p = *p};
  const RvAttrib* wetness = *p->attrib ? rv_detail_find(moved, RV_POINT, p->attrib) : NULL;
  if (!(p->blend > 0) || !wetness) return RV_OK;
  if (rv_attrib_storage(wetness) == RV_STRING) {
    rv_cook_warn(cook, "the attribute %s of the guides is a string, so hairs do not clump: choose a numeric attribute",
                 p->attrib);
    return RV_OK;
  }
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < g->nsample; ++i)
    if (!isfinite(rv_attrib_get(wetness, (size_t)g->point[i], 0)) && !bad++) first = (size_t)g->point[i];
  if (bad)
    rv_cook_warn(cook, "%zu points of the guides count as dry, because their %s is not finite; the first is point %zu",
                 bad, p->attrib, first);
  out->locks = rv_alloc(g->nsample, sizeof *out->locks);
  out->tail = rv_alloc(g->nsample, sizeof *out->tail);
  out->max_amount = rv_alloc(g->count, sizeof *out->max_amount);
  if (!out->locks || !out->tail || !out->max_amount)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the clumps of %zu guides", g->count);
  rv_parallel_for(g->count, GUIDES_A_TASK, lock_range, &(Clumping){g, bind, p, wetness, out});
  return RV_OK;
}

void rv_transfer_clump_free(RvTransferClump* clump) {
  rv_free(clump->locks);
  rv_free(clump->tail);
  rv_free(clump->max_amount);
  *clump = (RvTransferClump){0};
}

// Two neighbouring centres of a lock and the interpolation parameter between them.
typedef struct Span {
  const RvTransferLock *a, *b;
  double t;
  double straight;  // length beyond b
} Span;

// The span at an arc length. Beyond the tip of the guide it is one of the tail, beyond the tail straight ahead.
static Span find_span(const RvTransferClump* clump, const RvTransferGuides* g, const RvTransferSpot* spot,
                      double along) {
  size_t at = (size_t)spot->at[spot->owner], j = at + 1;
  Span span = {&clump->locks[at], &clump->locks[at + 1], spot->share[spot->owner], 0};
  double tip = g->along[j], beyond = along - tip;
  if (!(span.t >= 1 && beyond > 0)) return span;
  // tail[j] is at arc length 2 tip - along[j]; the root is at 0
  while (g->along[j - 1] > 0 && tip - g->along[j - 1] < beyond) --j;
  double length = g->along[j] - g->along[j - 1];
  double t = length > 0 ? rv_min((beyond - tip + g->along[j]) / length, 1) : 1;
  return (Span){&clump->tail[j], &clump->tail[j - 1], t, rv_max(beyond - tip + g->along[j - 1], 0)};
}

RvVec3 rv_transfer_clump_place(const RvTransferClump* clump, const RvTransferGuides* g, const RvTransferSpot* spot,
                               double along, const float slot[2], double diameter, double* amount) {
  Span span = find_span(clump, g, spot, along);
  const RvTransferLock *a = span.a, *b = span.b;
  double t = span.t;
  double scale = clump->p.spacing * diameter;
  RvVec3 side = rv_lerp(rv_vec3_load64(a->side), rv_vec3_load64(b->side), t);
  RvVec3 ahead = rv_lerp(rv_vec3_load64(a->ahead), rv_vec3_load64(b->ahead), t);
  RvVec3 other = rv_cross(ahead, side);
  RvVec3 x = rv_lerp(rv_vec3_load64(a->centre), rv_vec3_load64(b->centre), t);
  x = rv_mad(rv_mad(x, scale * slot[0], side), scale * slot[1], other);
  *amount = a->amount + t * (b->amount - a->amount);
  return rv_mad(x, span.straight, ahead);
}
