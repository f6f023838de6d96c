// The rig of one strand: a model of a single strand in lane 0 (spare lanes repeat it) and its free step.
#include "rig/strand.h"

#include <string.h>

#include "base/memory.h"

// Index of an unknown of the strand in a lane.
static size_t at(const RvRig* rig, int lane, int vertex, int component) {
  return rv_strand_index(&rig->model->batches[0], lane, vertex, component);
}

RvStrandDef rv_rig_hair_def(int vertices, const double* x, const double* radius, int64_t id) {
  return (RvStrandDef){.vertices = vertices,
                       .x = x,
                       .radius = radius,
                       .density = 1300,
                       .youngs = 3e9,
                       .shear = 1.1e9,
                       .ellipse = 1,
                       .multiple = 1,
                       .id = id};
}

RvRigDef rv_rig_hair(int vertices, const double* x) {
  return (RvRigDef){
      .vertices = vertices,
      .x = x,
      .radius = 40e-6,
      .density = 1300,
      .youngs = 3e9,
      .shear = 1.1e9,
  };
}

// Builds the strand at rest without force; the first `clamped` vertices and the edges between them are fixed.
RvResult rv_rig_new(RvRig* rig, const RvRigDef* d, RvError* error) {
  *rig = (RvRig){.n = d->vertices};
  double* radius = rv_alloc((size_t)d->vertices, sizeof(double));
  if (!radius) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int i = 0; i < d->vertices; ++i) radius[i] = d->radius;
  RvStrandDef def = {.vertices = d->vertices,
                     .x = d->x,
                     .rest = d->rest,
                     .radius = radius,
                     .density = d->density,
                     .youngs = d->youngs,
                     .shear = d->shear,
                     .viscosity = d->viscosity,
                     .ellipse = 1,
                     .multiple = 1};
  // Model, state and arrays.
  RvResult result = rv_strand_model_new(&def, 1, &rig->model, error);
  if (!result) result = rv_strand_state_new(rig->model, &def, &rig->state, error);
  if (!result) {
    rig->force = rv_alloc_zero(rig->model->unknowns, sizeof(double));
    rig->target = rv_alloc_zero(rig->model->unknowns, sizeof(double));
    if (!rig->force || !rig->target) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  rv_free(radius);
  if (result) {
    rv_rig_free(rig);
    return result;
  }
  // Clamped vertices, with the angles of the edges between them.
  memcpy(rig->target, rig->state->q, rig->model->unknowns * sizeof(double));
  for (int i = 0; i < d->clamped; ++i)
    for (int c = 0; c < (i + 1 < d->clamped ? 4 : 3); ++c) rv_rig_fix(rig, i, c);
  return RV_OK;
}

void rv_rig_free(RvRig* rig) {
  // The model outlives the state, which refers to it.
  rv_strand_state_free(rig->state);
  rv_strand_model_free(rig->model);
  rv_free(rig->force);
  rv_free(rig->target);
  *rig = (RvRig){0};
}

// Lanes are equal, so all are fixed.
void rv_rig_fix(RvRig* rig, int vertex, int component) {
  for (int lane = 0; lane < RV_LANES; ++lane) rig->model->free[at(rig, lane, vertex, component)] = 0;
}

void rv_rig_gravity(RvRig* rig, const double g[3]) {
  for (int i = 0; i < rig->n; ++i)
    for (int c = 0; c < 3; ++c)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t k = at(rig, lane, i, c);
        rig->force[k] = rig->model->mass[k] * g[c];
      }
}

RvResult rv_rig_step(RvRig* rig, double dt, RvIntegrator integrator, double tolerance, RvError* error) {
  RvStrandStats stats;
  const RvStrandStepDef def = {.dt = dt,
                               .dt_before = dt,
                               .integrator = integrator,
                               .max_iterations = 50,  // Newton's limit; the tolerance ends it before
                               .tolerance = tolerance,
                               .force = rig->force,
                               .target = rig->target};
  return rv_strand_step(rig->model, rig->state, &def, &stats, error);
}

double rv_rig_x(const RvRig* rig, int vertex, int component) {
  return rig->state->q[at(rig, 0, vertex, component)];
}

double rv_rig_v(const RvRig* rig, int vertex, int component) {
  return rig->state->v[at(rig, 0, vertex, component)];
}

// In all lanes; spare lanes repeat the strand.
void rv_rig_set_v(RvRig* rig, int vertex, int component, double value) {
  for (int lane = 0; lane < RV_LANES; ++lane) rig->state->v[at(rig, lane, vertex, component)] = value;
}

double rv_rig_mass(const RvRig* rig, int vertex, int component) {
  return rig->model->mass[at(rig, 0, vertex, component)];
}

// Stretching, bending and twisting energy (WH-1).
double rv_rig_elastic(const RvRig* rig) {
  const RvStrandModel* m = rig->model;
  const RvStrandState* s = rig->state;
  const RvRodBatch rod = rv_strand_elastic_rods(m, s, m->batches);
  double energy[RV_LANES] __attribute__((aligned(64)));
  rv_strand_rod_energy(&rod, s->q, energy);
  return energy[0];
}

// The last vertex has no edge after it, and so no angle.
double rv_rig_kinetic(const RvRig* rig) {
  double sum = 0;
  for (int i = 0; i < rig->n; ++i)
    for (int c = 0; c < (i + 1 < rig->n ? 4 : 3); ++c) {
      double v = rv_rig_v(rig, i, c);
      sum += 0.5 * rv_rig_mass(rig, i, c) * v * v;
    }
  return sum;
}
