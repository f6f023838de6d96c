// Red-black sweeps over a strand's constraints (AH-9, AH-10): the seed's solve, to compare with the direct one. A sweep
// takes stretch-shear of the even edges, then of the odd ones, then bend-twist of the even and of the odd vertices.
// Constraints of one colour share no unknown. Each is solved exactly with its compliance and over-relaxed; the
// multipliers add up over the sweeps of a substep (XPBD), so many sweeps come to the direct solve.
#include "lookdev/rod_lanes.h"

unsigned RV_KERNEL(rv_cosserat_sweeps)(const RvCosseratBatch* b, double* room);

// Multipliers of an edge and its first vertex are kept in the members of the factor, which sweeps do not need.
RV_INLINE RvLanes3* stretch_multiplier(RodEdge* e) {
  return &e->z_stretch;
}
RV_INLINE RvLanes3* bend_multiplier(RodEdge* e) {
  return &e->z_bend;
}

// Stretch-shear of edge j.
RV_INLINE void sweep_stretch(const RodPart* p, int j, RvLanes relaxation) {
  RodEdge* e = &p->edge[j];
  RodVertex *a = &p->vertex[j], *b = &p->vertex[j + 1];
  const RvLanes l = rv_lanes_load(p->b->length + j * RV_W + p->lane);
  const RvLanes compliance = rv_lanes_load(p->b->stretch + j * RV_W + p->lane);
  const RvLanes turning = l * l * e->soft;
  const RvLanes diagonal = turning + compliance;
  rod_directors(e);
  RodSym m = rod_sym_add(a->soft, b->soft);
  m.xx += diagonal;
  m.yy += diagonal;
  m.zz += diagonal;
  m = rod_sym_outer(m, -turning, e->d3);
  RvLanes3* multiplier = stretch_multiplier(e);
  RvLanes3 gap = rv_lanes3_mad(rv_lanes3_sub(b->place, a->place), -l, e->d3);
  gap = rv_lanes3_mad(gap, compliance, *multiplier);
  const RvLanes3 change = rv_lanes3_scale(rod_sym_apply(rod_sym_inverse(m), gap), -relaxation);
  *multiplier = rv_lanes3_add(*multiplier, change);
  a->place = rv_lanes3_sub(a->place, rod_sym_apply(a->soft, change));
  b->place = rv_lanes3_add(b->place, rod_sym_apply(b->soft, change));
  const RvLanes half = rv_lanes_set(0.5) * l * e->soft;
  const RvLanes3 turn = {half * rv_lanes3_dot(e->d2, change), -(half * rv_lanes3_dot(e->d1, change)), rv_lanes_set(0)};
  e->q = rod_quat_turn(e->q, turn);
}

// Bend-twist of vertex i.
RV_INLINE void sweep_bend(const RodPart* p, int i, RvLanes relaxation) {
  RodEdge *a = &p->edge[i - 1], *e = &p->edge[i];
  const RodQuat r = rod_quat_between(a->q, e->q);
  const RvLanes soft = a->soft + e->soft;
  RodSym m = e->bend;
  m.xx += soft;
  m.yy += soft;
  m.zz += soft;
  m = rod_sym_outer(m, -soft, r.v);
  m = rod_sym_outer(m, a->twist - a->soft, (RvLanes3){-r.v.y, r.v.x, r.w});
  m = rod_sym_outer(m, e->twist - e->soft, (RvLanes3){r.v.y, -r.v.x, r.w});
  RvLanes3* multiplier = bend_multiplier(e);
  RvLanes3 strain = rv_lanes3_sub(rv_lanes3_add(r.v, r.v), e->strain_goal);
  strain = rv_lanes3_add(strain, rod_sym_apply(e->bend, *multiplier));
  const RvLanes3 change = rv_lanes3_scale(rod_sym_apply(rod_sym_inverse(m), strain), -relaxation);
  *multiplier = rv_lanes3_add(*multiplier, change);
  // Torques (w - [v]x) change on the edge after, -(w + [v]x) change on that before.
  const RvLanes3 across = rv_lanes3_cross(r.v, change), along = rv_lanes3_scale(change, r.w);
  const RvLanes half = rv_lanes_set(0.5);
  const RvLanes3 after = rv_lanes3_scale(rv_lanes3_sub(along, across), half);
  const RvLanes3 before = rv_lanes3_scale(rv_lanes3_add(along, across), -half);
  a->q = rod_quat_turn(a->q, (RvLanes3){a->soft * before.x, a->soft * before.y, a->twist * before.z});
  e->q = rod_quat_turn(e->q, (RvLanes3){e->soft * after.x, e->soft * after.y, e->twist * after.z});
}

unsigned RV_KERNEL(rv_cosserat_sweeps)(const RvCosseratBatch* b, double* room) {
  unsigned failed = 0;
  const RvLanes relaxation = rv_lanes_set(b->relaxation);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RodEdge* edges = (RodEdge*)room;
    const RodPart p = {b, lane, b->vertices, edges, (RodVertex*)(edges + b->vertices)};
    rod_start(&p);
    for (int j = 0; j + 1 < p.n; ++j) {
      *stretch_multiplier(&edges[j]) = rod_zero3();
      *bend_multiplier(&edges[j]) = rod_zero3();
    }
    for (int k = 0; k < b->iterations; ++k)
      for (int colour = 0; colour < 4; ++colour) {
        if (colour < 2)
          for (int j = colour; j + 1 < p.n; j += 2) sweep_stretch(&p, j, relaxation);
        else
          for (int i = colour - 1; i + 1 < p.n; i += 2) sweep_bend(&p, i, relaxation);
      }
    for (int j = 0; j + 1 < p.n; ++j) {
      const RvLanes tension = -rv_lanes3_dot(*stretch_multiplier(&edges[j]), edges[j].d3);
      rv_lanes_store(b->tension + j * RV_W + lane, tension);
    }
    failed |= rod_finish(&p) << lane;
  }
  return failed;
}
