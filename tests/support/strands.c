#include "support/strands.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "support/rv_test.h"

RvTestHair rv_test_hair(void) {
  return (RvTestHair){40e-6, 1300, 3e9, 1e6};
}

RvTestStrands rv_test_strands(size_t count, int vertices, RvTestHair hair,
                              RvVec3 (*place)(void* user, size_t strand, int vertex), void* user, RvVec3 gravity) {
  RvTestStrands s = {.count = count};
  RvError error = {0};
  size_t n = count * (size_t)vertices;
  s.defs = rv_alloc_zero(count, sizeof *s.defs);
  s.x = rv_alloc(n, 3 * sizeof(double));
  s.radius = rv_alloc(n, sizeof(double));
  for (size_t k = 0; k < n; ++k) {
    rv_vec3_store64(s.x + 3 * k, place(user, k / (size_t)vertices, (int)(k % (size_t)vertices)));
    s.radius[k] = hair.radius;
  }
  for (size_t k = 0; k < count; ++k)
    s.defs[k] = (RvStrandDef){.vertices = vertices,
                              .x = s.x + 3 * k * (size_t)vertices,
                              .radius = s.radius + k * (size_t)vertices,
                              .density = hair.density,
                              .youngs = hair.youngs,
                              .shear = hair.youngs / 2.6,
                              .viscosity = hair.viscosity,
                              .ellipse = 1,
                              .multiple = 1,
                              .id = (int64_t)k};
  CHECK_OK(rv_strand_model_new(s.defs, count, &s.model, &error), error);
  CHECK_OK(rv_strand_state_new(s.model, s.defs, &s.state, &error), error);
  s.force = rv_alloc_zero(s.model->unknowns, sizeof(double));
  s.velocity = rv_alloc_zero(s.model->unknowns, sizeof(double));
  double g[3] = {gravity.x, gravity.y, gravity.z};
  for (size_t k = 0; k < s.model->nbatch; ++k)
    for (int i = 0; i < s.model->batches[k].vertices; ++i)
      for (int c = 0; c < 3; ++c)
        for (int lane = 0; lane < RV_LANES; ++lane) {
          size_t at = rv_strand_index(&s.model->batches[k], lane, i, c);
          s.force[at] = g[c] * s.model->mass[at];
        }
  return s;
}

void rv_test_strands_free(RvTestStrands* s) {
  rv_strand_state_free(s->state);
  rv_strand_model_free(s->model);
  rv_free(s->defs);
  rv_free(s->x);
  rv_free(s->radius);
  rv_free(s->force);
  rv_free(s->velocity);
}

static size_t index_of(const RvTestStrands* s, size_t strand, int vertex, const RvStrandBatch** batch, int* lane) {
  *batch = NULL;
  *lane = 0;
  for (size_t k = 0; k < s->model->nbatch && !*batch; ++k)
    for (int l = 0; l < s->model->batches[k].lanes && !*batch; ++l)
      if ((size_t)s->model->batches[k].strand[l] == strand) {
        *batch = &s->model->batches[k];
        *lane = l;
      }
  assert_non_null(*batch);
  return rv_strand_index(*batch, *lane, vertex, 0);
}

RvVec3 rv_test_point(const RvTestStrands* s, const double* blocks, size_t strand, int vertex) {
  const RvStrandBatch* b;
  int lane;
  size_t at = index_of(s, strand, vertex, &b, &lane);
  return rv_vec3(blocks[at], blocks[at + RV_LANES], blocks[at + 2 * RV_LANES]);
}

// spare lanes repeat the last strand
void rv_test_set(const RvTestStrands* s, double* blocks, size_t strand, int vertex, RvVec3 value) {
  const RvStrandBatch* b;
  int lane;
  index_of(s, strand, vertex, &b, &lane);
  double v[3] = {value.x, value.y, value.z};
  for (int l = lane; l == lane || (lane == b->lanes - 1 && l < RV_LANES); ++l)
    for (int c = 0; c < 3; ++c) blocks[rv_strand_index(b, l, vertex, c)] = v[c];
}

RvStrandStats rv_test_step(RvTestStrands* s, RvContacts* contacts, const RvContactDef* def, double dt,
                           RvContactStats* stats) {
  RvError error = {0};
  RvStrandStats solved;
  RvStrandStepDef step = {.dt = dt,
                          .max_iterations = 30,
                          .tolerance = 1e-7,
                          .force = s->force,
                          .target = s->state->q,
                          .couple = rv_contacts_operator(contacts),
                          .max_cg = 200,
                          .cg_tolerance = 1e-8};
  rv_contacts_predict(s->model, s->state, &step, s->velocity);
  CHECK_OK(rv_contacts_find(contacts, s->state->q, s->velocity, dt, def, stats, &error), error);
  CHECK_OK(rv_strand_step(s->model, s->state, &step, &solved, &error), error);
  rv_contacts_accept(contacts, s->state->q);
  return solved;
}
