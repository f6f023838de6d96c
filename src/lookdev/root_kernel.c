// Frames of the roots in lanes (root_kernel.h).
#include "lookdev/root_kernel.h"

#include "lookdev/rod_lanes.h"

unsigned RV_KERNEL(rv_lookdev_root_frames)(const RvRootBatch* b);

// Least length of an edge, m, and least 1 + cosine of an arc: below them the other path is taken, which knows what to
// do.
#define LEAST_EDGE 1e-9
#define LEAST_ARC 1e-12

RV_INLINE RodQuat quat_mul(RodQuat a, RodQuat b) {
  RodQuat r;
  r.w = rv_lanes_fma(a.w, b.w, -rv_lanes3_dot(a.v, b.v));
  r.v = rv_lanes3_add(rv_lanes3_mad(rv_lanes3_scale(b.v, a.w), b.w, a.v), rv_lanes3_cross(a.v, b.v));
  return r;
}

RV_INLINE RodQuat quat_scale(RodQuat q, RvLanes s) {
  return (RodQuat){rv_lanes3_scale(q.v, s), q.w * s};
}

RV_INLINE RodQuat quat_normalize(RodQuat q) {
  const RvLanes square = rv_lanes_fma(q.w, q.w, rv_lanes3_dot(q.v, q.v));
  return quat_scale(q, rv_lanes_set(1) / rv_lanes_sqrt(square));
}

// Third director of a unit quaternion.
RV_INLINE RvLanes3 third_director(RodQuat q) {
  const RvLanes two = rv_lanes_set(2), one = rv_lanes_set(1);
  return (RvLanes3){two * (q.v.x * q.v.z + q.w * q.v.y), two * (q.v.y * q.v.z - q.w * q.v.x),
                    one - two * (q.v.x * q.v.x + q.v.y * q.v.y)};
}

RV_INLINE unsigned root_lanes(const RvRootBatch* b, int lane) {
  const double* turn = b->turn;
  const RodQuat motion = {{rv_lanes_set(turn[0]), rv_lanes_set(turn[1]), rv_lanes_set(turn[2])}, rv_lanes_set(turn[3])};
  const RodQuat now = rod_quat_load(b->quat + lane);
  const RodQuat turned = quat_normalize(quat_mul(motion, now));
  // The shortest arc from the director to the edge.
  const RvLanes3 d3 = third_director(turned);
  const RvLanes3 e = rv_lanes3_sub(rv_lanes3_load(b->target + 4 * RV_W + lane), rv_lanes3_load(b->target + lane));
  const RvLanes length = rv_lanes_sqrt(rv_lanes3_dot(e, e));
  const RvLanes3 t = rv_lanes3_scale(e, rv_lanes_set(1) / length);
  const RvLanes real = rv_lanes_set(1) + rv_lanes3_dot(d3, t);
  const RodQuat arc = quat_normalize((RodQuat){rv_lanes3_cross(d3, t), real});
  const RvLaneMask fine =
      rv_lanes_positive(length - rv_lanes_set(LEAST_EDGE)) & rv_lanes_positive(real - rv_lanes_set(LEAST_ARC));
  // On the side of the quaternion before.
  const RodQuat out = quat_normalize(quat_mul(arc, turned));
  const RvLanes side = rv_lanes_fma(out.w, now.w, rv_lanes3_dot(out.v, now.v));
  const RodQuat next = quat_scale(out, rv_lanes_select(rv_lanes_positive(-side), rv_lanes_set(-1), rv_lanes_set(1)));
  rv_lanes3_store(b->out + lane, next.v);
  rv_lanes_store(b->out + 3 * RV_W + lane, next.w);
  return rv_lanes_bits(~fine) << lane;
}

unsigned RV_KERNEL(rv_lookdev_root_frames)(const RvRootBatch* b) {
  unsigned others = 0;
  for (int lane = 0; lane < RV_W; lane += RV_V) others |= root_lanes(b, lane);
  return others;
}
