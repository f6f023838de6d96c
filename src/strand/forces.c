#include "strand/forces.h"

#include <math.h>

#include "base/parallel.h"
#include "math/vec.h"

typedef struct Work {
  const RvStrandModel* m;
  const RvStrandState* s;
  const RvForceDef* def;
  RvForces* out;
} Work;

static RvVec3 lane_vector(const double* a, size_t at) {
  return rv_vec3(a[at], a[at + RV_LANES], a[at + 2 * RV_LANES]);
}

static double finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

// half of each edge at the vertex, and the direction of both together
static void cell_at(const Work* w, const RvStrandBatch* b, int lane, int i, double* length, RvVec3* t) {
  RvVec3 sum = {0};
  *length = 0;
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j) {
    *length += 0.5 * w->m->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
    sum = rv_add(sum, lane_vector(w->s->tangent, 3 * b->edge_at + (size_t)(3 * j) * RV_LANES + (size_t)lane));
  }
  *t = rv_normalize(sum, rv_vec3(0, 1, 0));
}

static void vertex_forces(const Work* w, const RvStrandBatch* b, int lane, int i) {
  const RvForceDef* d = w->def;
  size_t at = rv_strand_index(b, lane, i, 0), strand = (size_t)b->strand[lane], vertex = (size_t)(d->first[strand] + i);
  double length, t[3], v[3], air[3], many = d->multiple ? d->multiple[strand] : 1;
  RvVec3 tangent;
  cell_at(w, b, lane, i, &length, &tangent);
  rv_vec3_store64(t, tangent);
  rv_vec3_store64(v, lane_vector(w->s->v, at));
  for (int c = 0; c < 3; ++c)
    air[c] = d->wind[c] + (d->wind_at ? finite_or_zero(d->wind_at[3 * vertex + (size_t)c]) : 0);
  double slip = 0;
  for (int c = 0; c < 3; ++c) slip += t[c] * (v[c] - air[c]);
  for (int c = 0; c < 3; ++c) {
    size_t k = at + (size_t)c * RV_LANES;
    double mass = w->m->mass[k], across = many * length * d->drag_normal, along = many * length * d->drag_tangent;
    // drag = across (1 - t t^T) + along t t^T
    double drag = across + (along - across) * t[c] * t[c], pushed = drag * air[c];
    double rest = -(along - across) * t[c] * (slip - t[c] * (v[c] - air[c]));
    w->out->force[k] =
        mass * d->gravity[c] + rest + (d->force_at ? many * finite_or_zero(d->force_at[3 * vertex + (size_t)c]) : 0);
    double weight = d->goal_weight ? fmax(finite_or_zero(d->goal_weight[vertex]), 0) : 0, spring = 0;
    if (weight > 0) {
      double omega2 = d->pull * d->pull * weight, damp = 2 * mass * sqrt(omega2);
      spring = mass * omega2;
      drag += damp;
      pushed += damp * d->goal_velocity[k];
    }
    w->out->spring[k] = spring;
    w->out->drag[k] = drag;
    w->out->drag_velocity[k] = drag > 0 ? pushed / drag : 0;
  }
}

static void batch_forces(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        vertex_forces(w, b, lane, i);
        size_t at = rv_strand_index(b, lane, i, 3);
        w->out->force[at] = w->out->drag[at] = w->out->drag_velocity[at] = w->out->spring[at] = 0;
      }
  }
}

void rv_strand_forces(const RvStrandModel* m, const RvStrandState* s, const RvForceDef* def, RvForces* out) {
  Work w = {m, s, def, out};
  rv_parallel_for(m->nbatch, 8, batch_forces, &w);
}
