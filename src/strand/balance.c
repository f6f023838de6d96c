// What a step of BDF2 does with the energy. It is dissipative in a norm of two steps only, and pays a blow in
// instalments: of a change of velocity a third of what is left follows in the next step, when what gave the blow may be
// gone. Where hairs meet or bridges tear, energy comes of that. So it is added up for every group of strands that
// something joins; a group that has more than it had and was given does the step again with implicit Euler. That whole
// groups do keeps momentum: what joins them acts on both of its sides alike.
#include <math.h>
#include <string.h>

#include "strand/step.h"

// The rods without their viscous twins, from the frames of the start.
static RvRodBatch elastic(const RvStrandStep* step, const RvStrandBatch* b) {
  const RvStrandModel* m = step->m;
  const RvStrandState* s = step->s;
  return (RvRodBatch){.vertices = b->vertices,
                      .tangent = s->tangent + 3 * b->edge_at,
                      .director = s->director + 3 * b->edge_at,
                      .reference_twist = s->reference_twist + b->vertex_at,
                      .length = m->rest_length + b->edge_at,
                      .stretch = m->stretch + b->edge_at,
                      .curvature = m->rest_curvature + 4 * b->vertex_at,
                      .bend = m->bend + 2 * b->vertex_at,
                      .twist = m->rest_twist + b->vertex_at,
                      .torsion = m->torsion + b->vertex_at};
}

// adds a mass whose velocity was `before` and is `now`
static void add_mass(RvBalance* a, double m, double before, double now) {
  a->gain += 0.5 * m * (now + before) * (now - before);
  a->scale += 0.5 * m * (now * now + before * before);
}

// N: what acts on an unknown from outside at the end of the step
static double outside(const RvStrandStepDef* d, size_t at, double q, double v) {
  double force = d->force ? d->force[at] : 0;
  if (d->drag) force += d->drag[at] * ((d->drag_velocity ? d->drag_velocity[at] : 0) - v);
  if (d->spring) force += d->spring[at] * (d->spring_target[at] - q);
  return force;
}

static void add_vertex(const RvStrandStep* step, const RvStrandBatch* b, const double* q, int i, int lane,
                       RvBalance* a) {
  const RvStrandState* s = step->s;
  const double* slide = step->def->slide;
  double before = 0, now = 0;  // of what slides
  for (int c = 0; c < (i + 1 < b->vertices ? 4 : 3); ++c) {
    size_t at = rv_strand_index(b, lane, i, c), k = at - b->at;
    double v = rv_strand_step_velocity(step, true, at, q[k]), free = step->m->free[at];
    add_mass(a, free * step->m->mass[at], s->v[at], v);
    a->gain -= free * (q[k] - s->q[at]) * outside(step->def, at, q[k], v);
    a->led |= free == 0 && q[k] != s->q[at];
    if (!slide || c == 3) continue;
    double e = free * slide[3 * b->vertex_at + (size_t)((3 * i + c) * RV_LANES + lane)];
    before += e * s->v[at];
    now += e * v;
  }
  if (slide) add_mass(a, -1, before, now);
}

void rv_strand_step_balance(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w,
                            RvBalance lanes[RV_LANES]) {
  double before[RV_LANES] __attribute__((aligned(64))), after[RV_LANES] __attribute__((aligned(64)));
  const RvRodBatch rod = elastic(step, b);
  rv_strand_rod_energy(&rod, step->s->q + b->at, before);
  rv_strand_rod_energy(&rod, w->q, after);
  for (int lane = 0; lane < b->lanes; ++lane) {
    lanes[lane].gain += after[lane] - before[lane];
    lanes[lane].scale += after[lane] + before[lane];
    for (int i = 0; i < b->vertices; ++i) add_vertex(step, b, w->q, i, lane, &lanes[lane]);
  }
}
