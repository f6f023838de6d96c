// Weight, anisotropic air drag, forces and goal springs of every vertex.
#include "strand/forces.h"

#include <math.h>

#include "base/parallel.h"
#include "math/vec.h"

// Batches of a task of the parallel loop.
enum { BATCHES_A_TASK = 8 };

typedef struct Work {
  const RvStrandModel* m;
  const RvStrandState* s;
  const RvForceDef* def;
  RvForces* out;
} Work;

// Attributes may hold NaN or infinity: such a value counts as not given.
static double finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

// The vertex's share of the strand: half of the length of each adjacent edge, and their mean direction.
static void cell_at(const Work* w, const RvStrandBatch* b, int lane, int i, double* length, RvVec3* t) {
  RvVec3 sum = {0};
  *length = 0;
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j) {
    *length += 0.5 * w->m->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
    sum = rv_add(sum, rv_strand_vector(w->s->tangent, 3 * b->edge_at + (size_t)(3 * j) * RV_LANES + (size_t)lane));
  }
  *t = rv_normalize(sum, rv_vec3(0, 1, 0));
}

// Forces on one vertex of one strand.
static void vertex_forces(const Work* w, const RvStrandBatch* b, int lane, int i) {
  const RvForceDef* d = w->def;
  size_t at = rv_strand_index(b, lane, i, 0);
  size_t strand = (size_t)b->strand[lane];
  size_t vertex = (size_t)(d->first[strand] + i);
  double hairs = d->multiple ? d->multiple[strand] : 1;
  // Geometry of the vertex, and its velocity relative to the air along the tangent.
  double length;
  double t[3], v[3], air[3];
  RvVec3 tangent;
  cell_at(w, b, lane, i, &length, &tangent);
  rv_vec3_store64(t, tangent);
  rv_vec3_store64(v, rv_strand_vector(w->s->v, at));
  for (int c = 0; c < 3; ++c)
    air[c] = d->wind[c] + (d->wind_at ? finite_or_zero(d->wind_at[3 * vertex + (size_t)c]) : 0);
  double slip = 0;
  for (int c = 0; c < 3; ++c) slip += t[c] * (v[c] - air[c]);
  for (int c = 0; c < 3; ++c) {
    size_t k = at + (size_t)c * RV_LANES;
    double mass = w->m->mass[k];
    // Drag tensor across (1 - t t^T) + along t t^T: the diagonal is implicit, the off-diagonal part a force.
    double across = hairs * length * d->drag_normal;
    double along = hairs * length * d->drag_tangent;
    double drag = across + (along - across) * t[c] * t[c];
    double drag_momentum_rate = drag * air[c];
    double off_diagonal = -(along - across) * t[c] * (slip - t[c] * (v[c] - air[c]));
    // Weight, off-diagonal drag and the artist's force.
    w->out->force[k] = mass * d->gravity[c] + off_diagonal +
                       (d->force_at ? hairs * finite_or_zero(d->force_at[3 * vertex + (size_t)c]) : 0);
    // Critically damped spring to the goal; its damping joins the drag.
    double weight = d->goal_weight ? fmax(finite_or_zero(d->goal_weight[vertex]), 0) : 0;
    double spring = 0;
    if (weight > 0) {
      double omega2 = d->pull * d->pull * weight;
      double damping = 2 * mass * sqrt(omega2);
      spring = mass * omega2;
      drag += damping;
      drag_momentum_rate += damping * d->goal_velocity[k];
    }
    w->out->spring[k] = spring;
    w->out->drag[k] = drag;
    w->out->drag_velocity[k] = drag > 0 ? drag_momentum_rate / drag : 0;
  }
}

// Forces on a range of batches; angles have none.
static void batch_forces(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        vertex_forces(w, b, lane, i);
        size_t at = rv_strand_index(b, lane, i, 3);
        w->out->force[at] = 0;
        w->out->drag[at] = 0;
        w->out->drag_velocity[at] = 0;
        w->out->spring[at] = 0;
      }
  }
}

void rv_strand_forces(const RvStrandModel* m, const RvStrandState* s, const RvForceDef* def, RvForces* out) {
  Work w = {m, s, def, out};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, batch_forces, &w);
}
