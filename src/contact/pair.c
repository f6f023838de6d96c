// Nearest points and facing parts of two edges; see pair.h. pair_kernel.c has the same in lanes.
#include "contact/pair.h"

#include "contact/respond.h"
#include "math/kernel.h"
#include "math/scalar.h"

RV_KERNEL_DECLARE(void, rv_contact_closest_lanes, (const RvVec3*, const RvPairIndex*, RvClosestLanes*))
RV_KERNEL_DECLARE(void, rv_contact_boxes_meet, (const RvBoxes*, size_t, size_t, size_t, uint32_t*))
RV_KERNEL_DECLARE(void, rv_contact_facing_lanes, (const RvPairSource*, const RvPairIndex*, RvFacingLanes*))
RV_KERNEL_DECLARE(void, rv_contact_facing_moved_lanes,
                  (const RvPairSource*, const RvPairIndex*, const double*, RvFacingLanes*))
RV_KERNEL_DECLARE(void, rv_contact_respond_lanes,
                  (const RvLinkBlock*, const RvLawBlock*, const double*, RvLinkResponse*))
RV_KERNEL_DECLARE(void, rv_contact_wet_law_lanes, (const RvWetLanes*, int, RvLawBlock*, float*, float*))

static const double PARALLEL_LINES = 1e-12;  // square of the sine below which lines count as parallel
static const double BLEND = 0.01;            // square of the sine at which the normal is halfway between both rules

static double clamp01(double x) {
  return rv_clamp(x, 0, 1);
}

// After Lumelsky 1985, "On fast computation of distance between line segments": nearest points of the lines, then each
// clamped to its segment.
RvClosest rv_contact_closest_points(RvVec3 a0, RvVec3 a1, RvVec3 b0, RvVec3 b1) {
  RvVec3 d = rv_sub(a1, a0), e = rv_sub(b1, b0), r = rv_sub(a0, b0);
  double dd = rv_dot(d, d);
  double ee = rv_dot(e, e);
  double de = rv_dot(d, e);
  double dr = rv_dot(d, r);
  double er = rv_dot(e, r);
  double s, t, det = dd * ee - de * de, per_d = 1 / dd, per_e = 1 / ee;
  // Where the lines are parallel, the middle of the overlap is taken, which is continuous with the neighbouring edges.
  if (det > PARALLEL_LINES * dd * ee) {
    s = clamp01((de * er - ee * dr) / det);
  } else {
    double t0 = er * per_e;
    double t1 = (er + de) * per_e;
    double lo = clamp01(rv_min(t0, t1));
    double hi = clamp01(rv_max(t0, t1));
    s = clamp01((0.5 * (lo + hi) * de - dr) * per_d);
  }
  t = (de * s + er) * per_e;
  if (t < 0 || t > 1) {
    t = clamp01(t);
    s = clamp01((de * t - dr) * per_d);
  }
  return (RvClosest){s, t, rv_sub(rv_mad(a0, s, d), rv_mad(b0, t, e))};
}

// Narrows [lo, hi] to where value + slope s >= 0.
static void clip(double value, double slope, double* lo, double* hi) {
  double at_lo = value + slope * *lo, at_hi = value + slope * *hi;
  if (at_lo < 0 && at_hi < 0) {
    *hi = *lo;
  } else if (at_lo < 0) {
    *lo = rv_clamp(-value / slope, *lo, *hi);
  } else if (at_hi < 0) {
    *hi = rv_clamp(-value / slope, *lo, *hi);
  }
}

// Normal of a pair. Where the edges cross it is perpendicular to both, also when the nearest point is an end; where
// they are parallel it is the direction of the shortest distance from b to a; in between it is blended.
static RvVec3 normal_of(RvVec3 ta, RvVec3 tb, RvVec3 delta, RvVec3 side) {
  RvVec3 cross = rv_cross(ta, tb);
  double sine2 = rv_dot(cross, cross), parallel = BLEND / (sine2 + BLEND);
  RvVec3 across = rv_normalize(cross, rv_perpendicular(tb));
  RvVec3 out = rv_scale(across, rv_dot(across, delta));
  RvVec3 m = rv_mad(out, parallel, rv_sub(delta, out));
  bool sided = rv_dot(side, side) > 0;
  m = rv_normalize(m, sided ? side : across);
  return sided && rv_dot(m, side) < 0 ? rv_neg(m) : m;
}

RvFacing rv_contact_facing(const RvEdgePair* p, double wide, RvVec3 side) {
  RvVec3 d = rv_sub(p->a[1], p->a[0]), e = rv_sub(p->b[1], p->b[0]);
  double da = rv_length(d), db = rv_length(e);
  RvFacing out = {0};
  if (!(da > 0) || !(db > 0)) return out;
  RvVec3 ta = rv_scale(d, 1 / da), tb = rv_scale(e, 1 / db);
  RvClosest near = rv_contact_closest_points(p->a[0], p->a[1], p->b[0], p->b[1]);
  out.normal = normal_of(ta, tb, near.delta, side);
  // Clip a to the width of b, seen along the normal, and to the planes of b.
  RvVec3 from = rv_sub(p->a[0], p->b[0]);
  RvVec3 beside = rv_normalize(rv_cross(out.normal, tb), rv_vec3(0, 0, 0));
  double lo = 0;
  double hi = 1;
  double off = rv_dot(from, beside);
  double slope = rv_dot(d, beside);
  clip(wide - off, -slope, &lo, &hi);
  clip(wide + off, slope, &lo, &hi);
  clip(rv_dot(from, p->before), rv_dot(d, p->before), &lo, &hi);
  clip(rv_dot(rv_sub(p->b[1], p->a[0]), p->after), -rv_dot(d, p->after), &lo, &hi);
  // The middle of that part, and the nearest point of b.
  out.length = (hi - lo) * da;
  out.u = 0.5 * (lo + hi);
  RvVec3 at = rv_mad(p->a[0], out.u, d);
  out.v = clamp01(rv_dot(rv_sub(at, p->b[0]), tb) / db);
  out.gap = rv_dot(out.normal, rv_sub(at, rv_mad(p->b[0], out.v, e)));
  return out;
}

void rv_contact_closest_lanes(const RvVec3* x, const RvPairIndex* index, RvClosestLanes* out) {
  RV_KERNEL_CALL(rv_contact_closest_lanes, (x, index, out));
}

void rv_contact_facing_lanes(const RvPairSource* from, const RvPairIndex* index, RvFacingLanes* out) {
  RV_KERNEL_CALL(rv_contact_facing_lanes, (from, index, out));
}

void rv_contact_facing_moved_lanes(const RvPairSource* from, const RvPairIndex* index, const double* time,
                                   RvFacingLanes* out) {
  RV_KERNEL_CALL(rv_contact_facing_moved_lanes, (from, index, time, out));
}

void rv_contact_boxes_meet(const RvBoxes* boxes, size_t i, size_t first, size_t last, uint32_t* out) {
  RV_KERNEL_CALL(rv_contact_boxes_meet, (boxes, i, first, last, out));
}

void rv_contact_respond_lanes(const RvLinkBlock* link, const RvLawBlock* law, const double* delta,
                              RvLinkResponse* out) {
  RV_KERNEL_CALL(rv_contact_respond_lanes, (link, law, delta, out));
}

void rv_contact_wet_law_lanes(const RvWetLanes* in, int count, RvLawBlock* out, float* begin, float* push) {
  RV_KERNEL_CALL(rv_contact_wet_law_lanes, (in, count, out, begin, push));
}
