// The table of measured factors is what drops measure today: a part of what derive_interface does, as it is compiled in
// (E67).
#include <math.h>

#include "interface/solver.h"
#include "math/scalar.h"
#include "rig/interface_drops.h"
#include "support/rv_test.h"

// Single drops scatter by 6%, the tension of one by twice that; the mean of six is good to 5%. A tenth is what the tool
// asks to be run again for.
static void spline_has_its_factor(void** state) {
  (void)state;
  static const double radii[] = {6.8, 6.9, 7, 7.1, 7.2, 8};
  RvDropFactor now;
  RvError error = {0};
  CHECK_OK(rv_rig_drop_factor(RV_PAIR_SPLINE, radii, 6, &now, &error), error);
  CHECK_NEAR(now.factor / rv_pair_measured(RV_PAIR_SPLINE), 1, 0.1);
}

// Between the rows of the table angles are monotone, and the ends are theirs.
static void angles_are_monotone(void** state) {
  (void)state;
  double last = -1;
  for (int degrees = 0; degrees <= 180; ++degrees) {
    double used = rv_interface_used_angle(rv_radians(degrees));
    assert_true(used > last);
    last = used;
  }
  CHECK_NEAR(rv_interface_used_angle(0), 0, 0);
  CHECK_NEAR(rv_interface_used_angle(RV_PI), RV_PI, 1e-15);
}

RV_TESTS(cmocka_unit_test(spline_has_its_factor), cmocka_unit_test(angles_are_monotone))
