// Chains and their medium: the same bits for any number of workers and any instruction set, any counts, bad input.
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "continuum/chain_rest.h"
#include "continuum/solver.h"
#include "support/rv_test.h"

enum { STRANDS = 45, MOST = 24 };  // strands of 1 to 23 links: full batches, part ones, and strands alone in theirs

typedef struct Hair {
  double x[STRANDS][3 * MOST], radius[MOST];
  RvStrandDef defs[STRANDS];
} Hair;

static void make(Hair* h, int same_links) {
  for (int i = 0; i < MOST; ++i) h->radius[i] = 40e-6;
  for (int s = 0; s < STRANDS; ++s) {
    int links = same_links ? same_links : s < 20 ? 12 : s < 33 ? 7 : 1 + (s * 5) % 23;
    for (int i = 0; i <= links; ++i) {
      h->x[s][3 * i] = 1e-3 * (s % 7) + 1e-3 * sin(0.7 * i + s);
      h->x[s][3 * i + 1] = -4e-3 * i;
      h->x[s][3 * i + 2] = 1e-3 * (s / 7) + 1e-3 * cos(0.5 * i);
    }
    h->defs[s] = (RvStrandDef){.vertices = links + 1,
                               .x = h->x[s],
                               .radius = h->radius,
                               .density = 1320,
                               .youngs = 3e9,
                               .shear = 1.1e9,
                               .viscosity = 1e5,
                               .ellipse = s % 2 ? 1.5 : 1,
                               .multiple = 30,
                               .id = s};
  }
}

static const RvMediumDef MEDIUM = {.law = {.rest_density = 20, .packing_density = 1197, .stiffness = 50, .power = 2},
                                   .smoothing = 2e-3,
                                   .friction = 0.1,
                                   .tolerance = 1e-4,
                                   .max_sweeps = 40,
                                   .corrections = 1};

static void begin(RvContinuum* c, Hair* h, size_t first, size_t count) {
  RvError error = {0};
  RvChainModel* model;
  RvChainState* state;
  CHECK_OK(rv_chain_model_new(h->defs + first, count, &model, &error), error);
  CHECK_OK(rv_chain_state_new(model, h->defs + first, &state, &error), error);
  CHECK_OK(rv_continuum_init(c, model, state, false, &error), error);
  c->gravity[0] = 9.81;
  c->loads.drag_normal = 1e-5;
}

static uint64_t solve(void) {
  Hair h;
  RvContinuum c;
  RvError error = {0};
  make(&h, 0);
  begin(&c, &h, 0, STRANDS);
  c.medium_def = MEDIUM;
  for (int k = 0; k < 12; ++k) CHECK_OK(rv_continuum_substep(&c, 1.0 / 60, &error), error);
  assert_true(c.medium.largest_pressure > 0);
  uint64_t hash = rv_hash(c.state->orient, 4 * c.model->links * sizeof(double), 1);
  hash = rv_hash(c.state->spin, 3 * c.model->links * sizeof(double), hash);
  rv_continuum_free(&c);
  return hash;
}

static void same_bits(void** state) {
  (void)state;
  rv_test_same_bits(solve);
}

// Without a medium a strand does not depend on the strands beside it, whatever their counts.
static void alone_or_together(void** state) {
  (void)state;
  Hair h;
  RvContinuum all, one;
  RvError error = {0};
  make(&h, 0);
  begin(&all, &h, 0, STRANDS);
  for (int k = 0; k < 24; ++k) CHECK_OK(rv_continuum_substep(&all, 1.0 / 60, &error), error);
  for (size_t b = 0; b < all.model->nbatch; ++b)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvChainBatch* batch = &all.model->batches[b];
      begin(&one, &h, (size_t)batch->strand[lane], 1);
      for (int k = 0; k < 24; ++k) CHECK_OK(rv_continuum_substep(&one, 1.0 / 60, &error), error);
      for (int i = 0; i <= batch->links; ++i)
        for (int c = 0; c < 3; ++c)
          assert_true(all.state->x[rv_chain_vertex(batch, lane, i, 3, c)] ==
                      one.state->x[rv_chain_vertex(one.model->batches, 0, i, 3, c)]);
      rv_continuum_free(&one);
    }
  assert_int_equal(all.model->nstrand, STRANDS);
  rv_continuum_free(&all);
}

// No length changes, at whatever speed.
static void lengths_stay(void** state) {
  (void)state;
  Hair h;
  RvContinuum c;
  RvError error = {0};
  make(&h, 12);
  begin(&c, &h, 0, STRANDS);
  for (size_t i = 0; i < 3 * c.model->links; ++i) c.state->spin[i] = 200 * (rv_random(1, 0, i, 0) - 0.5);
  for (int k = 0; k < 60; ++k) CHECK_OK(rv_continuum_substep(&c, 1.0 / 60, &error), error);
  for (size_t b = 0; b < c.model->nbatch; ++b)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < 12; ++i) {
        const RvChainBatch* batch = &c.model->batches[b];
        size_t at = rv_chain_vertex(batch, lane, i, 3, 0);
        double length = rv_distance(rv_strand_vector(c.state->x, at + 3 * RV_LANES), rv_strand_vector(c.state->x, at));
        CHECK_NEAR(length, c.model->length[rv_chain_link(batch, lane, i, 1, 0)], 1e-12);
      }
  rv_continuum_free(&c);
}

static void bad_strands(void** state) {
  (void)state;
  Hair h;
  RvError error = {0};
  RvChainModel* model = NULL;
  make(&h, 5);
  h.defs[3].vertices = 1;
  CHECK_FAILS(rv_chain_model_new(h.defs, STRANDS, &model, &error), RV_BAD_INPUT, error, "strand 3 has 1 points");
  make(&h, 5);
  h.x[4][3] = NAN;
  CHECK_FAILS(rv_chain_model_new(h.defs, STRANDS, &model, &error), RV_BAD_INPUT, error, "strand 4, point 1");
  make(&h, 5);
  memcpy(h.x[2] + 3, h.x[2], 3 * sizeof(double));
  CHECK_FAILS(rv_chain_model_new(h.defs, STRANDS, &model, &error), RV_BAD_INPUT, error, "coincide");
  make(&h, 5);
  h.radius[2] = 0;
  CHECK_FAILS(rv_chain_model_new(h.defs, STRANDS, &model, &error), RV_BAD_INPUT, error, "radius");
  assert_null(model);
  // No strands at all is no error.
  RvChainState* none = NULL;
  CHECK_OK(rv_chain_model_new(h.defs, 0, &model, &error), error);
  CHECK_OK(rv_chain_state_new(model, h.defs, &none, &error), error);
  RvContinuum c;
  CHECK_OK(rv_continuum_init(&c, model, none, false, &error), error);
  c.medium_def = MEDIUM;
  CHECK_OK(rv_continuum_substep(&c, 1.0 / 60, &error), error);
  rv_continuum_free(&c);
}

static void bad_medium(void** state) {
  (void)state;
  RvError error = {0};
  RvMediumDef d = MEDIUM;
  CHECK_OK(rv_medium_check(&d, &error), error);
  d.law.packing_density = d.law.rest_density;
  CHECK_FAILS(rv_medium_check(&d, &error), RV_BAD_INPUT, error, "packingdensity");
  d = MEDIUM;
  d.law.power = 0.5;
  CHECK_FAILS(rv_medium_check(&d, &error), RV_BAD_INPUT, error, "volumepower");
  d = MEDIUM;
  d.smoothing = 0;
  CHECK_FAILS(rv_medium_check(&d, &error), RV_BAD_INPUT, error, "smoothing");
  d = MEDIUM;
  d.friction = NAN;
  CHECK_FAILS(rv_medium_check(&d, &error), RV_BAD_INPUT, error, "hairfriction");
  // Cells far smaller than a link.
  Hair h;
  RvContinuum c;
  make(&h, 5);
  begin(&c, &h, 0, STRANDS);
  c.medium_def = MEDIUM;
  c.medium_def.smoothing = 1e-5;
  CHECK_FAILS(rv_continuum_substep(&c, 1.0 / 60, &error), RV_LIMIT, error, "smoothing");
  // A strand that is nowhere does not disturb the others.
  c.medium_def.smoothing = 2e-3;
  c.state->x[0] = NAN;
  c.state->x[1] = 1e30;
  CHECK_OK(rv_medium_place(&c.medium, &c.medium_def, c.model, c.state->x, NULL, &error), error);
  assert_true(c.medium.largest_density > 0 && isfinite(c.medium.largest_density));
  rv_continuum_free(&c);
}

RV_TESTS(cmocka_unit_test(same_bits), cmocka_unit_test(alone_or_together), cmocka_unit_test(lengths_stay),
         cmocka_unit_test(bad_strands), cmocka_unit_test(bad_medium))
