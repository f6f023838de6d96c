// What both kernels of the rods share: small matrices in lanes, the start of a substep and its end. For kernel files.
#ifndef RV_LOOKDEV_ROD_LANES_H
#define RV_LOOKDEV_ROD_LANES_H

#include "lookdev/rod.h"
#include "math/lanes_math.h"

// Symmetric 3 x 3 matrix.
typedef struct RodSym {
  RvLanes xx, xy, xz, yy, yz, zz;
} RodSym;

// Columns of a 3 x 3 matrix.
typedef struct RodMat {
  RvLanes3 c[3];
} RodMat;

typedef struct RodQuat {
  RvLanes3 v;
  RvLanes w;
} RodQuat;

// Work memory of an edge and its first vertex, in rows of RV_V lanes.
typedef struct RodEdge {
  RodQuat q, start;               // quaternion of the iteration, and at the start of the substep
  RvLanes3 d1, d2, d3;            // its directors
  RodQuat turn;                   // R = conj(q_{j-1}) q_j, of the first vertex
  RvLanes3 strain_goal;           // 2 s Im R0, with the viscous part
  RodSym bend;                    // compliance, with the viscous part
  RvLanes soft, twist;            // inverse inertia about d1 and d2, and about d3: rad/(N m)
  RvLanes inertia;                // kg m2 / s2
  RvLanes3 z_stretch, z_bend;     // right-hand sides, scaled by the pivots
  RodMat l1_stretch, l2_stretch;  // factor: columns below the pivot of the stretch-shear block
  RodMat l1_bend, l2_bend;        // and of the bend-twist block of the first vertex
} RodEdge;

// Work memory of a vertex.
typedef struct RodVertex {
  RvLanes3 x;      // place without the multipliers
  RvLanes3 place;  // the new place
  RodSym soft;     // inverse inertia, m/N
} RodVertex;

// A batch's part of RV_V lanes from `lane` on.
typedef struct RodPart {
  const RvCosseratBatch* b;
  int lane, n;
  RodEdge* edge;      // [n - 1]
  RodVertex* vertex;  // [n]
} RodPart;

//---------------------------------------------------------------------------------------------- small matrices

RV_INLINE RvLanes3 rod_zero3(void) {
  const RvLanes zero = rv_lanes_set(0);
  return (RvLanes3){zero, zero, zero};
}
RV_INLINE RvLanes3 rod_neg(RvLanes3 a) {
  return (RvLanes3){-a.x, -a.y, -a.z};
}
RV_INLINE RvLanes3 rod_sym_apply(RodSym m, RvLanes3 a) {
  return (RvLanes3){rv_lanes_fma(m.xx, a.x, rv_lanes_fma(m.xy, a.y, m.xz * a.z)),
                    rv_lanes_fma(m.xy, a.x, rv_lanes_fma(m.yy, a.y, m.yz * a.z)),
                    rv_lanes_fma(m.xz, a.x, rv_lanes_fma(m.yz, a.y, m.zz * a.z))};
}
RV_INLINE RodSym rod_sym_add(RodSym a, RodSym b) {
  return (RodSym){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
RV_INLINE RodSym rod_sym_scale(RodSym a, RvLanes s) {
  return (RodSym){a.xx * s, a.xy * s, a.xz * s, a.yy * s, a.yz * s, a.zz * s};
}
// m + s v v^T
RV_INLINE RodSym rod_sym_outer(RodSym m, RvLanes s, RvLanes3 v) {
  const RvLanes3 w = rv_lanes3_scale(v, s);
  return (RodSym){rv_lanes_fma(w.x, v.x, m.xx), rv_lanes_fma(w.x, v.y, m.xy), rv_lanes_fma(w.x, v.z, m.xz),
                  rv_lanes_fma(w.y, v.y, m.yy), rv_lanes_fma(w.y, v.z, m.yz), rv_lanes_fma(w.z, v.z, m.zz)};
}
RV_INLINE RodSym rod_sym_diagonal(RvLanes s) {
  const RvLanes zero = rv_lanes_set(0);
  return (RodSym){s, zero, zero, s, zero, s};
}
// Inverse by cofactors.
RV_INLINE RodSym rod_sym_inverse(RodSym m) {
  const RvLanes xx = rv_lanes_fma(m.yy, m.zz, -(m.yz * m.yz));
  const RvLanes xy = rv_lanes_fma(m.xz, m.yz, -(m.xy * m.zz));
  const RvLanes xz = rv_lanes_fma(m.xy, m.yz, -(m.xz * m.yy));
  const RvLanes inverse = rv_lanes_set(1) / rv_lanes_fma(m.xx, xx, rv_lanes_fma(m.xy, xy, m.xz * xz));
  return (RodSym){xx * inverse,
                  xy * inverse,
                  xz * inverse,
                  rv_lanes_fma(m.xx, m.zz, -(m.xz * m.xz)) * inverse,
                  rv_lanes_fma(m.xy, m.xz, -(m.xx * m.yz)) * inverse,
                  rv_lanes_fma(m.xx, m.yy, -(m.xy * m.xy)) * inverse};
}
RV_INLINE RodSym rod_sym_load(const double* p) {
  return (RodSym){rv_lanes_load(p),
                  rv_lanes_load(p + RV_W),
                  rv_lanes_load(p + 2 * RV_W),
                  rv_lanes_load(p + 3 * RV_W),
                  rv_lanes_load(p + 4 * RV_W),
                  rv_lanes_load(p + 5 * RV_W)};
}

RV_INLINE RvLanes3 rod_select3(RvLaneMask mask, RvLanes3 yes, RvLanes3 no) {
  return (RvLanes3){rv_lanes_select(mask, yes.x, no.x), rv_lanes_select(mask, yes.y, no.y),
                    rv_lanes_select(mask, yes.z, no.z)};
}

RV_INLINE RodQuat rod_quat_load(const double* p) {
  return (RodQuat){rv_lanes3_load(p), rv_lanes_load(p + 3 * RV_W)};
}
// conj(a) b
RV_INLINE RodQuat rod_quat_between(RodQuat a, RodQuat b) {
  RodQuat r;
  r.w = rv_lanes_fma(a.w, b.w, rv_lanes3_dot(a.v, b.v));
  r.v = rv_lanes3_mad(rv_lanes3_scale(b.v, a.w), -b.w, a.v);
  r.v = rv_lanes3_sub(r.v, rv_lanes3_cross(a.v, b.v));
  return r;
}
// q (1, half): q turned in its own frame by 2 atan |half|, normalised.
RV_INLINE RodQuat rod_quat_turn(RodQuat q, RvLanes3 half) {
  RodQuat r;
  r.w = rv_lanes_fma(-half.x, q.v.x, rv_lanes_fma(-half.y, q.v.y, rv_lanes_fma(-half.z, q.v.z, q.w)));
  r.v = rv_lanes3_mad(rv_lanes3_add(q.v, rv_lanes3_cross(q.v, half)), q.w, half);
  const RvLanes size2 = rv_lanes_fma(r.w, r.w, rv_lanes3_dot(r.v, r.v));
  const RvLanes inverse = rv_lanes_set(1) / rv_lanes_sqrt(size2);
  return (RodQuat){rv_lanes3_scale(r.v, inverse), r.w * inverse};
}

// Directors of a unit quaternion.
RV_INLINE void rod_directors(RodEdge* e) {
  const RvLanes one = rv_lanes_set(1);
  const RvLanes3 v = e->q.v, two = rv_lanes3_scale(v, rv_lanes_set(2));
  const RvLanes xx = v.x * two.x, yy = v.y * two.y, zz = v.z * two.z;
  const RvLanes xy = v.x * two.y, xz = v.x * two.z, yz = v.y * two.z;
  const RvLanes wx = e->q.w * two.x, wy = e->q.w * two.y, wz = e->q.w * two.z;
  e->d1 = (RvLanes3){one - yy - zz, xy + wz, xz - wy};
  e->d2 = (RvLanes3){xy - wz, one - xx - zz, yz + wx};
  e->d3 = (RvLanes3){xz + wy, yz - wx, one - xx - yy};
}

//---------------------------------------------------------------------------------------------- start of a substep

// Edge j: quaternion after its free rotation, rotational inertia m l^2 / 12 (AH-6) with the geometric stiffness of its
// tension. The first edge is prescribed.
RV_INLINE void rod_start_edge(const RodPart* p, int j) {
  const RvCosseratBatch* b = p->b;
  const int lane = p->lane;
  RodEdge* e = &p->edge[j];
  const RvLanes half_dt = rv_lanes_set(0.5 * b->dt);
  const RvLanes l = rv_lanes_load(b->length + j * RV_W + lane);
  const RvLanes mass =
      rv_lanes_load(b->mass + (4 * j) * RV_W + lane) + rv_lanes_load(b->mass + (4 * j + 4) * RV_W + lane);
  const RvLanes free = rv_lanes_load(b->free + (4 * j + 3) * RV_W + lane);
  const RvLaneMask moves = rv_lanes_positive(free);
  const RodQuat q = rod_quat_load(b->quat + 4 * j * RV_W + lane);
  e->q = rod_quat_turn(q, rv_lanes3_scale(rv_lanes3_load(b->spin + 3 * j * RV_W + lane), half_dt));
  if (j == 0) {
    const RodQuat root = rod_quat_load(b->root + lane);
    e->q.v.x = rv_lanes_select(moves, e->q.v.x, root.v.x);
    e->q.v.y = rv_lanes_select(moves, e->q.v.y, root.v.y);
    e->q.v.z = rv_lanes_select(moves, e->q.v.z, root.v.z);
    e->q.w = rv_lanes_select(moves, e->q.w, root.w);
  }
  e->start = e->q;
  e->inertia = mass * (l * l) * rv_lanes_set(1.0 / (24 * b->dt * b->dt));
  const RvLanes tension = rv_lanes_load(b->tension + j * RV_W + lane);
  const RvLanes zero = rv_lanes_set(0);
  const RvLanes stiff = rv_lanes_fma(l, rv_lanes_max(tension, zero), e->inertia);
  e->soft = rv_lanes_select(moves, rv_lanes_set(1) / stiff, zero);
  e->twist = rv_lanes_select(moves, rv_lanes_set(1) / e->inertia, zero);
  rod_directors(e);
}

// Vertex i: inverse of mass / dt^2, drag and the given stiffness, and its place without the forces of the rod.
RV_INLINE void rod_start_vertex(const RodPart* p, int i) {
  const RvCosseratBatch* b = p->b;
  const int lane = p->lane;
  const RvLanes mass = rv_lanes_load(b->mass + (4 * i) * RV_W + lane);
  const RvLanes3 x = rv_lanes3_load(b->x + (4 * i) * RV_W + lane);
  const RvLanes3 v = rv_lanes3_load(b->v + (4 * i) * RV_W + lane);
  const RvLanes per_dt = rv_lanes_set(1 / b->dt);
  // Drag of the halves of the adjacent edges, across and along them, as stiffness: kg/s over dt.
  const RvLanes hairs = rv_lanes_load(b->hairs + lane) * rv_lanes_set(0.5 / b->dt);
  const RvLanes across = hairs * rv_lanes_set(b->dragnormal);
  const RvLanes along = hairs * rv_lanes_set(b->dragtangent - b->dragnormal);
  RodSym drag = rod_sym_diagonal(rv_lanes_set(0));
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < p->n; ++j) {
    const RvLanes l = rv_lanes_load(b->length + j * RV_W + lane);
    drag.xx += across * l;
    drag.yy += across * l;
    drag.zz += across * l;
    drag = rod_sym_outer(drag, along * l, p->edge[j].d3);
  }
  // Momentum and forces that do not depend on the new place.
  RvLanes3 air = {rv_lanes_set(b->wind[0]), rv_lanes_set(b->wind[1]), rv_lanes_set(b->wind[2])};
  if (b->air) air = rv_lanes3_add(air, rv_lanes3_load(b->air + (4 * i) * RV_W + lane));
  const RvLanes3 gravity = {rv_lanes_set(b->gravity[0]), rv_lanes_set(b->gravity[1]), rv_lanes_set(b->gravity[2])};
  RvLanes3 force = rv_lanes3_scale(rv_lanes3_mad(gravity, per_dt, v), mass);
  force = rv_lanes3_mad(force, rv_lanes_set(b->dt), rod_sym_apply(drag, air));
  if (b->force) force = rv_lanes3_add(force, rv_lanes3_load(b->force + (4 * i) * RV_W + lane));
  // Inverse inertia, 0 where the place is prescribed.
  RodSym stiff = drag;
  const RvLanes inertia = mass * (per_dt * per_dt);
  stiff.xx += inertia;
  stiff.yy += inertia;
  stiff.zz += inertia;
  if (b->stiffness) stiff = rod_sym_add(stiff, rod_sym_load(b->stiffness + (6 * i) * RV_W + lane));
  const RvLanes free = rv_lanes_load(b->free + (4 * i) * RV_W + lane);
  const RvLaneMask moves = rv_lanes_positive(free);
  RodVertex* out = &p->vertex[i];
  out->soft = rod_sym_scale(rod_sym_inverse(stiff), free);
  const RvLanes3 moved = rv_lanes3_add(x, rod_sym_apply(out->soft, force));
  out->x = moved;
  // Most vertices move in all lanes, and need no target.
  if (rv_lanes_bits(~moves)) {
    const RvLanes3 target = rv_lanes3_load(b->target + (4 * i) * RV_W + lane);
    out->x = (RvLanes3){rv_lanes_select(moves, moved.x, target.x), rv_lanes_select(moves, moved.y, target.y),
                        rv_lanes_select(moves, moved.z, target.z)};
  }
  out->place = out->x;
}

// Inner vertex i: rest rotation with the sign switch (4.8), on whole quaternions so that it also holds for straight
// hair, and the viscous part. With a delay t the moment is k (e - e0) + k t / dt (e - e_before).
RV_INLINE void rod_start_bend(const RodPart* p, int i) {
  const RvCosseratBatch* b = p->b;
  const int lane = p->lane;
  RodEdge* e = &p->edge[i];
  const RodQuat before = rod_quat_load(b->quat + 4 * (i - 1) * RV_W + lane);
  const RodQuat now = rod_quat_load(b->quat + 4 * i * RV_W + lane);
  const RodQuat turn = rod_quat_between(before, now), rest = rod_quat_load(b->rest + 4 * i * RV_W + lane);
  const RvLanes dot = rv_lanes_fma(turn.w, rest.w, rv_lanes3_dot(turn.v, rest.v));
  const RvLanes two = rv_lanes_set(2);
  const RvLanes sign = rv_lanes_select(rv_lanes_positive(-dot), -two, two);
  const RvLanes viscous = rv_lanes_load(b->delay + i * RV_W + lane) * rv_lanes_set(1 / b->dt);
  const RvLanes share = rv_lanes_set(1) / (rv_lanes_set(1) + viscous);
  const RvLanes3 goal = rv_lanes3_mad(rv_lanes3_scale(rest.v, sign), two * viscous, turn.v);
  e->strain_goal = rv_lanes3_scale(goal, share);
  e->bend = rod_sym_scale(rod_sym_load(b->bend + 6 * i * RV_W + lane), share);
}

// All edges, vertices and bends of a part.
RV_INLINE void rod_start(const RodPart* p) {
  for (int j = 0; j + 1 < p->n; ++j) rod_start_edge(p, j);
  for (int i = 0; i < p->n; ++i) rod_start_vertex(p, i);
  for (int i = 1; i + 1 < p->n; ++i) rod_start_bend(p, i);
}

//---------------------------------------------------------------------------------------------- end of a substep

// Largest sum of the magnitudes of a strand's new places, in metres, that counts as a result.
#define ROD_FAILED_SUM 1e12

// Writes new places, velocities, quaternions and spins. Strands with numbers that are not finite stay where they were,
// at rest; returns their bits.
RV_INLINE unsigned rod_finish(const RodPart* p) {
  const RvCosseratBatch* b = p->b;
  const int lane = p->lane;
  const RvLanes per_dt = rv_lanes_set(1 / b->dt), zero = rv_lanes_set(0);
  RvLanes sum = zero;
  for (int i = 0; i < p->n; ++i) {
    const RvLanes3 x = p->vertex[i].place;
    sum += rv_lanes_abs(x.x) + rv_lanes_abs(x.y) + rv_lanes_abs(x.z);
    if (i + 1 < p->n) sum += rv_lanes_abs(p->edge[i].q.w);
  }
  const RvLaneMask good = rv_lanes_positive(rv_lanes_set(ROD_FAILED_SUM) - sum);
  for (int i = 0; i < p->n; ++i) {
    const RvLanes3 x = p->vertex[i].place, before = rv_lanes3_load(b->x + (4 * i) * RV_W + lane);
    const RvLanes3 next = {rv_lanes_select(good, x.x, before.x), rv_lanes_select(good, x.y, before.y),
                           rv_lanes_select(good, x.z, before.z)};
    rv_lanes3_store(b->x + (4 * i) * RV_W + lane, next);
    rv_lanes3_store(b->v + (4 * i) * RV_W + lane, rv_lanes3_scale(rv_lanes3_sub(next, before), per_dt));
  }
  for (int j = 0; j + 1 < p->n; ++j) {
    const RodQuat before = rod_quat_load(b->quat + 4 * j * RV_W + lane), q = p->edge[j].q;
    const RodQuat turn = rod_quat_between(before, q);
    // Im / Re is the tangent of half the turn, of either sign of q; a turn near half a round is cut off.
    const RvLanes least = rv_lanes_set(1e-3);
    const RvLanes real = rv_lanes_select(rv_lanes_positive(rv_lanes_abs(turn.w) - least), turn.w, least);
    const RvLanes rate = rv_lanes_select(good, (per_dt + per_dt) / real, zero);
    double* quat = b->quat + 4 * j * RV_W + lane;
    rv_lanes_store(quat, rv_lanes_select(good, q.v.x, before.v.x));
    rv_lanes_store(quat + RV_W, rv_lanes_select(good, q.v.y, before.v.y));
    rv_lanes_store(quat + 2 * RV_W, rv_lanes_select(good, q.v.z, before.v.z));
    rv_lanes_store(quat + 3 * RV_W, rv_lanes_select(good, q.w, before.w));
    const RvLanes3 spin = {rv_lanes_select(good, turn.v.x, zero) * rate, rv_lanes_select(good, turn.v.y, zero) * rate,
                           rv_lanes_select(good, turn.v.z, zero) * rate};
    rv_lanes3_store(b->spin + 3 * j * RV_W + lane, spin);
  }
  return rv_lanes_bits(~good);
}

#endif
