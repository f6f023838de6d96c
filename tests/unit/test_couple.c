// The coupling with what it must bear: nothing there, strands far away, numbers that are none, other workers.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "liquid/stages.h"
#include "rig/couple.h"
#include "rig/liquid.h"
#include "support/rv_test.h"

static RvCoupleLine line_at(double x, double y, double z) {
  return (RvCoupleLine){.from = {x, y, z}, .to = {x + 0.01, y - 0.03, z}, .radius = 5e-5, .density = 1300};
}

static void fill(RvLiquidRig* bulk, double side, RvError* error) {
  const double lo[3] = {0, 0, 0}, hi[3] = {side, side, side};
  RvLiquidModel model = rv_liquid_model_default(0.004);
  CHECK_OK(rv_rig_liquid_new(bulk, &model, error), *error);
  CHECK_OK(rv_rig_liquid_fill(bulk, lo, hi, 0.5, error), *error);
  for (size_t i = 0; i < bulk->liquid.particles.count; ++i) {
    bulk->liquid.particles.age[i] = 1;
    bulk->liquid.particles.v[0][i] = (float)rv_random(3, i, 0, 0);
  }
}

// a whole substep, without the strands' own
static RvResult substep(RvCoupleRig* rig, RvLiquidRig* bulk, RvCoupleReport* report, RvError* error) {
  RvLiquid* l = &bulk->liquid;
  RvParticles* p = &l->particles;
  const double dt = 1e-3;
  RvResult r = rv_liquid_particles_sort(p, &l->report.lost, error);
  if (!r) r = rv_rig_couple_capture(rig, &l->grid, p, dt, 5, report, error);
  if (!r)
    r = rv_couple_drip(rig->couple, &rig->strands, &rig->set, &l->grid, p, &l->next_id, 0, dt, 5, rig->kick, report,
                       error);
  if (!r) r = rv_liquid_particles_sort(p, &l->report.lost, error);
  if (!r) r = rv_liquid_grid_build(&l->grid, p, error);
  if (!r) r = rv_liquid_to_grid(&l->grid, &l->scatter, p, 1000, NULL, error);
  if (!r) r = rv_liquid_surface(&l->grid, NULL, p, &l->scatter, error);
  if (!r) r = rv_couple_sample(rig->couple, &rig->strands, &rig->set, &l->grid, dt, rig->force, &rig->sample, error);
  if (!r) r = rv_couple_react(rig->couple, &rig->strands, &rig->set, &l->grid, dt, error);
  if (r) return r;
  rv_liquid_grid_velocity(&l->grid);
  rv_liquid_mark_valid(&l->grid);
  r = rv_couple_pressure(rig->couple, &rig->strands, &rig->set, &l->grid, dt, rig->stored, rig->kick, error);
  if (!r) {
    rv_liquid_extrapolate(&l->grid, NULL);
    rv_liquid_from_grid(&l->grid, &l->scatter, p, dt);
  }
  return r;
}

static bool all_finite(const double* a, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(a[i])) return false;
  return true;
}

static void nothing_there(void** state) {
  (void)state;
  RvError error = {0};
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvLiquidModel model = rv_liquid_model_default(0.004);
  const RvCoupleLine lines[2] = {line_at(0.01, 0.05, 0.01), line_at(0.02, 0.05, 0.01)};
  CHECK_OK(rv_rig_couple_new(&rig, lines, 2, 10, 1, &error), error);
  CHECK_OK(rv_rig_liquid_new(&bulk, &model, &error), error);
  CHECK_OK(substep(&rig, &bulk, &report, &error), error);
  for (size_t i = 0; i < rig.model->vertices; ++i) CHECK_NEAR(rig.sample->wet[i], 1, 0);
  for (size_t i = 0; i < rig.model->unknowns; ++i)
    CHECK_NEAR(fabs(rig.sample->drag[i]) + fabs(rig.stored[i]) + fabs(rig.kick[i]), 0, 0);
  assert_int_equal(report.captured + report.dripped, 0);
  assert_int_equal(bulk.liquid.grid.tiles.count, 0);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
}

// strands beyond the liquid leave its grid as it is, and cost no memory there
static void far_away(void** state) {
  (void)state;
  RvError error = {0};
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvCoupleLine lines[3] = {line_at(3, 0.05, 0.01), line_at(-1e7, 2e8, 4), line_at(0.01, 0.2, 0.02)};
  lines[2].to[1] = 1e5;
  CHECK_OK(rv_rig_couple_new(&rig, lines, 3, 5, 1, &error), error);
  rv_rig_couple_set_film(&rig, 1e-9);
  fill(&bulk, 0.02, &error);
  CHECK_OK(substep(&rig, &bulk, &report, &error), error);
  assert_false(bulk.liquid.grid.shared);
  assert_false(bulk.liquid.grid.dragged);
  assert_true(all_finite(rig.sample->drag, rig.model->unknowns));
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
}

// a strand with a number that is none takes no part, and spoils nothing
static void no_number(void** state) {
  (void)state;
  RvError error = {0};
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const RvCoupleLine lines[3] = {line_at(0.01, 0.04, 0.01), line_at(0.012, 0.04, 0.01), line_at(0.014, 0.04, 0.01)};
  CHECK_OK(rv_rig_couple_new(&rig, lines, 3, 12, 1, &error), error);
  rv_rig_couple_set_film(&rig, 1e-6);
  fill(&bulk, 0.02, &error);
  rig.state->q[rv_rig_couple_unknown(&rig, 1, 4, 1)] = NAN;
  rig.state->v[rv_rig_couple_unknown(&rig, 2, 7, 0)] = INFINITY;
  for (int i = 0; i < 3; ++i) CHECK_OK(substep(&rig, &bulk, &report, &error), error);
  assert_true(all_finite(rig.sample->drag, rig.model->unknowns));
  assert_true(all_finite(rig.sample->velocity, rig.model->unknowns));
  assert_true(all_finite(rig.stored, rig.model->unknowns) && all_finite(rig.kick, rig.model->unknowns));
  assert_true(all_finite(rig.film_state.volume, rig.model->vertices));
  assert_true(rig.sample->drag[rv_rig_couple_unknown(&rig, 0, 11, 0)] > 0);
  for (int i = 0; i < 12; ++i) {
    CHECK_NEAR(rig.sample->drag[rv_rig_couple_unknown(&rig, 1, i, 0)], 0, 0);
    CHECK_NEAR(rig.sample->drag[rv_rig_couple_unknown(&rig, 2, i, 0)], 0, 0);
  }
  const RvLiquidGrid* g = &bulk.liquid.grid;
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i) assert_true(isfinite(g->velocity[a].data[i]));
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
}

static void bad_settings(void** state) {
  (void)state;
  RvError error = {0};
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const RvCoupleLine line = line_at(0.01, 0.04, 0.01);
  CHECK_OK(rv_rig_couple_new(&rig, &line, 1, 12, 1, &error), error);
  fill(&bulk, 0.01, &error);
  rig.set.density = 0;
  CHECK_FAILS(substep(&rig, &bulk, &report, &error), RV_BAD_INPUT, error, "density");
  rig.set.density = 1000;
  rig.set.nominal = 0;
  error = (RvError){0};
  CHECK_FAILS(substep(&rig, &bulk, &report, &error), RV_BAD_INPUT, error, "volume of particles");
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
}

// a liquid whose motion is given: strands get drag, the grid stays; what the film captures, the particles lose
static void only_read(void** state) {
  (void)state;
  RvError error = {0};
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const RvCoupleLine line = line_at(0.01, 0.03, 0.01);
  CHECK_OK(rv_rig_couple_new(&rig, &line, 1, 24, 1, &error), error);
  rig.set.bulk_fixed = true;
  rig.set.drip = 0;
  fill(&bulk, 0.02, &error);
  double volume = rv_liquid_particles_volume(&bulk.liquid.particles);
  CHECK_OK(substep(&rig, &bulk, &report, &error), error);
  assert_false(bulk.liquid.grid.dragged);
  double left = rv_liquid_particles_volume(&bulk.liquid.particles);
  assert_true(report.captured_volume > 0);
  CHECK_NEAR(left + report.captured_volume, volume, 1e-14 * volume);
  CHECK_NEAR(rv_rig_couple_film(&rig), report.captured_volume, 1e-15 * volume);
  assert_true(rig.sample->drag[rv_rig_couple_unknown(&rig, 0, 20, 0)] > 0);
  // pressure of a liquid at rest lifts it
  assert_true(rig.stored[rv_rig_couple_unknown(&rig, 0, 20, 1)] > 0);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
}

// four substeps of strands that move between them; `keyed`: the caller says when they moved
static uint64_t run(int workers, bool keyed) {
  enum { COUNT = 60 };
  RvError error = {0};
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvCoupleLine lines[COUNT];
  rv_threads_set(workers);
  for (uint64_t i = 0; i < COUNT; ++i) {
    lines[i] = line_at(0.06 * rv_random(1, i, 0, 0), 0.05 + 0.02 * rv_random(1, i, 0, 1), 0.06 * rv_random(1, i, 1, 0));
    lines[i].to[2] += 0.02 * rv_random(1, i, 1, 1);
  }
  CHECK_OK(rv_rig_couple_new(&rig, lines, COUNT, 20, 3, &error), error);
  rv_rig_couple_set_film(&rig, 3e-6);
  // some vertices hold enough for drops
  for (size_t i = 0; i < rig.model->vertices; i += 3) rig.film_state.volume[i] *= 8;
  fill(&bulk, 0.06, &error);
  for (int i = 0; i < 4; ++i) {
    if (i % 2) rig.state->q[rv_rig_couple_unknown(&rig, 7, 5, 0)] += 1e-4;
    rig.strands.pose_key = keyed ? 1 + (uint64_t)(i + 1) / 2 : 0;
    CHECK_OK(substep(&rig, &bulk, &report, &error), error);
  }
  assert_true(report.captured > 0 && report.dripped > 0);
  RvParticles* p = &bulk.liquid.particles;
  RvHasher h = rv_hasher_new(0);
  rv_hasher_add(&h, rig.sample->drag, rig.model->unknowns * sizeof(double));
  rv_hasher_add(&h, rig.stored, rig.model->unknowns * sizeof(double));
  rv_hasher_add(&h, rig.kick, rig.model->unknowns * sizeof(double));
  rv_hasher_add(&h, rig.film_state.volume, rig.model->vertices * sizeof(double));
  rv_hasher_add(&h, rig.film_state.speed, rig.model->edges * sizeof(double));
  rv_hasher_add(&h, p->volume, p->count * sizeof(double));
  for (int a = 0; a < 3; ++a) rv_hasher_add(&h, p->v[a], p->count * sizeof(float));
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  rv_threads_set(0);
  return rv_hasher_done(&h);
}

static void same_bits(void** state) {
  (void)state;
  uint64_t one = run(1, false);
  assert_true(run(2, false) == one);
  assert_true(run(5, false) == one);
}

// strands that are packed once a pose couple with the same bits
static void packed_once(void** state) {
  (void)state;
  assert_true(run(2, true) == run(2, false));
}

RV_TESTS(cmocka_unit_test(nothing_there), cmocka_unit_test(far_away), cmocka_unit_test(no_number),
         cmocka_unit_test(bad_settings), cmocka_unit_test(only_read), cmocka_unit_test(same_bits),
         cmocka_unit_test(packed_once))
