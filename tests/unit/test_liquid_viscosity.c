// The viscosity solve: the same bits whatever the workers and the instruction set, energy that only falls, and bad
// numbers; what it computes is held to closed forms by the check of the same name.
#include "liquid/viscosity.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "base/rng.h"
#include "rig/pressure.h"
#include "support/rv_test.h"

static double blob(const void* user, const double x[3]) {
  (void)user;
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 1 + 0.2 * x[0] * x[1];
}

static const RvSolidShape floor_shape = {
    .kind = RV_SHAPE_PLANE, .center = {0, -0.57, 0}, .size = {0, 1, 0}, .velocity = {0.5, 0, 0}};

static void build(RvPressureRig* rig, bool solid) {
  assert_int_equal(rv_rig_pressure_build(rig, (int[3]){-2, -2, -2}, (int[3]){2, 2, 2}, 0.1, blob, NULL, true, NULL),
                   RV_OK);
  if (solid) assert_int_equal(rv_rig_pressure_solids(rig, &floor_shape, 1, NULL), RV_OK);
  for (uint64_t a = 0; a < 3; ++a)
    for (size_t i = 0; i < rig->grid.tiles.count * RV_TILE_CELLS; ++i)
      rig->grid.velocity[a].data[i] = (float)(rv_random(4, i, a, 0) - 0.5);
}

static double energy(const RvPressureRig* rig) {
  double sum = 0;
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < rig->grid.tiles.count * RV_TILE_CELLS; ++i)
      if (rig->grid.distance.data[i] < 0) sum += pow(rig->grid.velocity[a].data[i], 2);
  return sum;
}

static uint64_t solve_once(void) {
  RvPressureRig rig = {0};
  RvViscosity* viscosity = rv_liquid_viscosity_new();
  RvViscosityReport report;
  build(&rig, true);
  RvViscosityIn in = rv_liquid_viscosity_of_grid(&rig.grid, &rig.solids, 1000, 50, 0.1);
  in.stick = true;
  assert_int_equal(rv_liquid_viscosity_solve(viscosity, &in, 0, 0, &report, NULL), RV_OK);
  assert_true(report.converged && report.iterations > 1);
  uint64_t h = 0;
  for (int a = 0; a < 3; ++a) h = rv_hash(in.velocity[a], in.tiles->count * RV_TILE_CELLS * sizeof(float), h);
  rv_liquid_viscosity_free(viscosity);
  rv_rig_pressure_free(&rig);
  return h;
}

static void same_bits(void** state) {
  (void)state;
  rv_test_same_bits(solve_once);
}

// more viscosity leaves less, and none leaves all
static void energy_falls(void** state) {
  (void)state;
  RvViscosity* viscosity = rv_liquid_viscosity_new();
  double before = INFINITY;
  const double values[] = {0, 1, 10, 100};
  for (int k = 0; k < 4; ++k) {
    RvPressureRig rig = {0};
    build(&rig, false);
    double first = energy(&rig);
    RvViscosityIn in = rv_liquid_viscosity_of_grid(&rig.grid, NULL, 1000, values[k], 0.1);
    assert_int_equal(rv_liquid_viscosity_solve(viscosity, &in, 0, 0, NULL, NULL), RV_OK);
    double after = energy(&rig);
    assert_true(k == 0 ? after == first : after < 0.99 * before);
    before = after;
    rv_rig_pressure_free(&rig);
  }
  rv_liquid_viscosity_free(viscosity);
}

static void refuses_bad_numbers(void** state) {
  (void)state;
  RvPressureRig rig = {0};
  RvViscosity* viscosity = rv_liquid_viscosity_new();
  RvError error = {0};
  build(&rig, false);
  RvViscosityIn in = rv_liquid_viscosity_of_grid(&rig.grid, NULL, 1000, NAN, 0.1);
  assert_int_equal(rv_liquid_viscosity_solve(viscosity, &in, 0, 0, NULL, &error), RV_BAD_INPUT);
  assert_non_null(strstr(error.text, "viscosity"));
  rv_liquid_viscosity_free(viscosity);
  rv_rig_pressure_free(&rig);
}

RV_TESTS(cmocka_unit_test(same_bits), cmocka_unit_test(energy_falls), cmocka_unit_test(refuses_bad_numbers))
