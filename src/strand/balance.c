// Energy balance of a step of BDF2.
//
// BDF2 is dissipative only in a norm of two steps, and it delays part of an impulse: a third of the remaining change of
// velocity follows in the next step, when the contact that caused it may be gone. Where hairs collide or bridges tear,
// this creates energy. So the energy of every group of joined strands is balanced; a group that ends with more than it
// had plus the work done on it repeats the step with implicit Euler. Whole groups do, to conserve momentum: a coupling
// term must act on both of its sides with the same integrator.
#include <math.h>
#include <string.h>

#include "strand/step.h"

// Adds the kinetic energy of a mass m whose velocity was `before` and is `after`.
static void add_mass(RvBalance* a, double m, double before, double after) {
  a->gain += 0.5 * m * (after + before) * (after - before);
  a->scale += 0.5 * m * (after * after + before * before);
}

// N: external force on an unknown at the end of the step.
static double external_force(const RvStrandStepDef* d, size_t at, double q, double v) {
  double force = d->force ? d->force[at] : 0;
  if (d->drag) force += d->drag[at] * ((d->drag_velocity ? d->drag_velocity[at] : 0) - v);
  if (d->spring) force += d->spring[at] * (d->spring_target[at] - q);
  return force;
}

// Kinetic energy of vertex i and of the angle of its edge, and the work done on them.
static void add_vertex(const RvStrandStep* step, const RvStrandBatch* b, const double* q, int i, int lane,
                       RvBalance* a) {
  const RvStrandState* s = step->s;
  const double* slide = step->def->slide;
  double slide_before = 0, slide_after = 0;  // velocity along the tangent times the root of the mass that slides
  const int components = i + 1 < b->vertices ? 4 : 3;  // the last vertex has no angle
  for (int c = 0; c < components; ++c) {
    size_t at = rv_strand_index(b, lane, i, c), k = at - b->at;
    double v = rv_strand_step_velocity(step, true, at, q[k]);
    double free = step->m->free[at];
    add_mass(a, free * step->m->mass[at], s->v[at], v);
    a->gain -= free * (q[k] - s->q[at]) * external_force(step->def, at, q[k], v);
    a->driven |= free == 0 && q[k] != s->q[at];
    if (!slide || c == 3) continue;
    double e = free * slide[3 * b->vertex_at + (size_t)((3 * i + c) * RV_LANES + lane)];
    slide_before += e * s->v[at];
    slide_after += e * v;
  }
  if (slide) add_mass(a, -1, slide_before, slide_after);
}

void rv_strand_step_balance(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w,
                            RvBalance lanes[RV_LANES]) {
  double before[RV_LANES] __attribute__((aligned(64)));
  double after[RV_LANES] __attribute__((aligned(64)));
  const RvRodBatch rod = rv_strand_elastic_rods(step->m, step->s, b);
  rv_strand_rod_energy(&rod, step->s->q + b->at, before);
  rv_strand_rod_energy(&rod, w->q, after);
  for (int lane = 0; lane < b->lanes; ++lane) {
    lanes[lane].gain += after[lane] - before[lane];
    lanes[lane].scale += after[lane] + before[lane];
    for (int i = 0; i < b->vertices; ++i) add_vertex(step, b, w->q, i, lane, &lanes[lane]);
  }
}
