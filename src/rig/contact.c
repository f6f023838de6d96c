// The rig of strands in contact: model, state and contacts of a few equal strands, and one coupled step of them.
#include "rig/contact.h"

#include <string.h>

#include "base/memory.h"
#include "rig/strand.h"

// Radius of human hair, m; density, kg/m3; Young's modulus, Pa; internal viscosity, Pa s.
RvContactRigDef rv_rig_contact_hair(size_t count, int vertices, RvVec3 (*place)(void*, size_t, int), void* user) {
  return (RvContactRigDef){.count = count,
                           .vertices = vertices,
                           .radius = 40e-6,
                           .density = 1300,
                           .youngs = 3e9,
                           .viscosity = 1e6,
                           .gravity = {0, -9.81, 0},
                           .place = place,
                           .user = user};
}

// Model and state of the strands: positions from `place`, natural shape from `rest` where it is given.
static RvResult make_model(RvContactRig* rig, const RvContactRigDef* d, RvError* error) {
  size_t n = d->count * (size_t)d->vertices;
  RvStrandDef* defs = rv_alloc_zero(d->count, sizeof *defs);
  double* x = rv_alloc(n, 3 * sizeof *x);
  double* rest = rv_alloc(n, 3 * sizeof *x);
  double* radius = rv_alloc(n, sizeof *radius);
  RvResult result = defs && x && rest && radius ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Positions, natural shape and radius of every vertex; all strands share the radii of the first.
  for (size_t k = 0; !result && k < n; ++k) {
    rv_vec3_store64(x + 3 * k, d->place(d->user, k / (size_t)d->vertices, (int)(k % (size_t)d->vertices)));
    if (d->rest)
      rv_vec3_store64(rest + 3 * k, d->rest(d->user, k / (size_t)d->vertices, (int)(k % (size_t)d->vertices)));
    radius[k] = d->radius;
  }
  for (size_t k = 0; !result && k < d->count; ++k) {
    defs[k] = rv_rig_hair_def(d->vertices, x + 3 * k * (size_t)d->vertices, radius, (int64_t)k);
    if (d->rest) defs[k].rest = rest + 3 * k * (size_t)d->vertices;
    defs[k].density = d->density;
    defs[k].youngs = d->youngs;
    defs[k].shear = d->youngs / 2.6;  // G = E / (2 (1 + nu)), Poisson's ratio 0.3
    defs[k].viscosity = d->viscosity;
  }
  if (!result) result = rv_strand_model_new(defs, d->count, &rig->model, error);
  if (!result) result = rv_strand_state_new(rig->model, defs, &rig->state, error);
  rv_free(defs);
  rv_free(x);
  rv_free(rest);
  rv_free(radius);
  return result;
}

// Builds the rig with all strands at rest; fixed unknowns stay where they are placed.
RvResult rv_rig_contact_new(RvContactRig* rig, const RvContactRigDef* d, RvError* error) {
  *rig = (RvContactRig){.count = d->count, .n = d->vertices};
  RvResult result = make_model(rig, d, error);
  if (!result) result = rv_contacts_new(rig->model, &rig->contacts, error);
  if (!result) {
    size_t unknowns = rig->model->unknowns;
    rig->force = rv_alloc_zero(unknowns, sizeof(double));
    rig->velocity = rv_alloc_zero(unknowns, sizeof(double));
    rig->target = rv_alloc_zero(unknowns, sizeof(double));
    if (!rig->force || !rig->velocity || !rig->target) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (result) {
    rv_rig_contact_free(rig);
    return result;
  }
  // The unknowns that a check fixes later keep their start position as target.
  memcpy(rig->target, rig->state->q, rig->model->unknowns * sizeof(double));
  // Weight of every vertex.
  double g[3];
  rv_vec3_store64(g, d->gravity);
  for (size_t k = 0; k < rig->model->nbatch; ++k)
    for (int i = 0; i < d->vertices; ++i)
      for (int c = 0; c < 3; ++c)
        for (int lane = 0; lane < RV_LANES; ++lane) {
          size_t at = rv_strand_index(&rig->model->batches[k], lane, i, c);
          rig->force[at] = g[c] * rig->model->mass[at];
        }
  return RV_OK;
}

// Contacts refer to the model, so they go first.
void rv_rig_contact_free(RvContactRig* rig) {
  rv_contacts_free(rig->contacts);
  rv_strand_state_free(rig->state);
  rv_strand_model_free(rig->model);
  RV_FREE_ALL(rig->force, rig->velocity, rig->target);
  *rig = (RvContactRig){0};
}

// Batch and lane of a strand; batch 0, lane 0 if there is no such strand.
static const RvStrandBatch* find(const RvContactRig* rig, size_t strand, int* lane) {
  for (size_t k = 0; k < rig->model->nbatch; ++k)
    for (*lane = 0; *lane < rig->model->batches[k].lanes; ++*lane)
      if ((size_t)rig->model->batches[k].strand[*lane] == strand) return &rig->model->batches[k];
  *lane = 0;
  return &rig->model->batches[0];
}

RvVec3 rv_rig_contact_get(const RvContactRig* rig, const double* blocks, size_t strand, int vertex) {
  int lane;
  const RvStrandBatch* b = find(rig, strand, &lane);
  size_t at = rv_strand_index(b, lane, vertex, 0);
  return rv_vec3(blocks[at], blocks[at + RV_LANES], blocks[at + 2 * RV_LANES]);
}

// Spare lanes repeat the last strand of a batch, so they get its value too.
void rv_rig_contact_set(const RvContactRig* rig, double* blocks, size_t strand, int vertex, RvVec3 value) {
  int lane;
  const RvStrandBatch* b = find(rig, strand, &lane);
  double v[3];
  rv_vec3_store64(v, value);
  for (int l = lane; l == lane || (lane == b->lanes - 1 && l < RV_LANES); ++l)
    for (int c = 0; c < 3; ++c) blocks[rv_strand_index(b, l, vertex, c)] = v[c];
}

// Coordinates only: angles have another unit.
size_t rv_rig_contact_list(const RvContactRig* rig, size_t* list) {
  size_t n = 0;
  for (size_t k = 0; k < rig->model->nbatch; ++k)
    for (int lane = 0; lane < rig->model->batches[k].lanes; ++lane)
      for (int i = 0; i < rig->n; ++i)
        for (int c = 0; c < 3; ++c) list[n++] = rv_strand_index(&rig->model->batches[k], lane, i, c);
  return n;
}

// Component 3 of vertex i is the angle of edge i, which is fixed if both of its ends are.
void rv_rig_contact_clamp(RvContactRig* rig, int vertices) {
  for (size_t k = 0; k < rig->model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < vertices; ++i)
        for (int c = 0; c < (i + 1 < vertices ? 4 : 3); ++c)
          rig->model->free[rv_strand_index(&rig->model->batches[k], lane, i, c)] = 0;
}

// Sum of stretching, bending and twisting energy over all strands (WH-1).
double rv_rig_contact_elastic(const RvContactRig* rig) {
  const RvStrandModel* m = rig->model;
  const RvStrandState* s = rig->state;
  double sum = 0;
  double energy[RV_LANES] __attribute__((aligned(64)));
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    const RvRodBatch rod = rv_strand_elastic_rods(m, s, b);
    rv_strand_rod_energy(&rod, s->q + b->at, energy);
    for (int lane = 0; lane < b->lanes; ++lane) sum += energy[lane];
  }
  return sum;
}

// Sum of m v^2 / 2 over positions and of the frames' rotation about their edges.
double rv_rig_contact_kinetic(const RvContactRig* rig) {
  const RvStrandModel* m = rig->model;
  double sum = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < rig->n; ++i)
        for (int c = 0; c < (i + 1 < rig->n ? 4 : 3); ++c) {
          size_t at = rv_strand_index(&m->batches[k], lane, i, c);
          sum += 0.5 * m->mass[at] * rig->state->v[at] * rig->state->v[at];
        }
  return sum;
}

// Predict, find contacts, solve the coupled step (WH-44, WH-45), accept the new anchors of friction.
RvResult rv_rig_contact_step(RvContactRig* rig, const RvContactDef* def, double dt, double tolerance,
                             RvContactStats* stats, RvStrandStats* solved, RvError* error) {
  const RvStrandStepDef step = {.dt = dt,
                                .max_iterations = 30,  // Newton's limit; the checks converge in fewer
                                .tolerance = tolerance,
                                .force = rig->force,
                                .target = rig->target,
                                .couple = rv_contacts_operator(rig->contacts),
                                .max_cg = 500,                     // CG's limit; far above what a few strands need
                                .cg_tolerance = 0.1 * tolerance};  // so that the linear solve does not limit Newton
  rv_contacts_predict(rig->model, rig->state, &step, rig->velocity);
  RvResult result = rv_contacts_find(rig->contacts, rig->state->q, rig->velocity, dt, def, stats, error);
  if (!result) result = rv_strand_step(rig->model, rig->state, &step, solved, error);
  if (!result) rv_contacts_accept(rig->contacts, rig->state->q);
  return result;
}
