// Cosserat rods of the lookdev solver: unit quaternions, momentum of a free rod, a spin without torque, results that
// turn with the frame, strands that are held when a number is not finite.
#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "math/vec.h"
#include "rig/rod.h"
#include "support/rv_test.h"

enum { POINTS = 24 };

// A curl of three turns about an axis that is turned by q.
static void curl(RvQuat q, double* x) {
  for (int i = 0; i < POINTS; ++i) {
    double a = 2 * RV_PI * 3 * i / (POINTS - 1);
    RvVec3 p = rv_vec3(0.003 * cos(a), -0.05 * i / (POINTS - 1), 0.003 * sin(a));
    rv_vec3_store64(x + 3 * i, rv_quat_rotate(q, p));
  }
}

// A rod of that shape, clamped at its first edge or free.
static RvRodRig new_rod(RvQuat turn, int clamped) {
  static double x[3 * POINTS];
  RvError error = {0};
  RvRodRig rig;
  curl(turn, x);
  RvRigDef def = rv_rig_hair(POINTS, x);
  def.clamped = clamped;
  CHECK_OK(rv_rig_rod_new(&rig, &def, &error), error);
  return rig;
}

static void set_gravity(RvRodRig* rig, RvVec3 g) {
  rig->step.forces.gravity[0] = g.x;
  rig->step.forces.gravity[1] = g.y;
  rig->step.forces.gravity[2] = g.z;
}

static void steps(RvRodRig* rig, int count, double dt) {
  RvError error = {0};
  for (int k = 0; k < count; ++k) CHECK_OK(rv_rig_rod_step(rig, dt, &error), error);
}

static void quaternions_stay_unit(void** state) {
  (void)state;
  RvRodRig rig = new_rod(rv_quat_identity(), 2);
  set_gravity(&rig, rv_vec3(9.81, 0, 3));
  steps(&rig, 200, 1.0 / 150);
  for (int j = 0; j + 1 < POINTS; ++j) {
    RvQuat q = rv_rod_load_quat(rig.state.quat, (size_t)(4 * j) * RV_LANES);
    assert_true(fabs(rv_quat_dot(q, q) - 1) < 1e-12);
  }
  rv_rig_rod_free(&rig);
}

static RvVec3 momentum(const RvRodRig* rig) {
  RvVec3 sum = rv_vec3(0, 0, 0);
  for (int i = 0; i < POINTS; ++i)
    sum = rv_mad(sum, rv_rig_mass(&rig->strand, i, 0),
                 rv_vec3(rv_rig_v(&rig->strand, i, 0), rv_rig_v(&rig->strand, i, 1), rv_rig_v(&rig->strand, i, 2)));
  return sum;
}

// A free rod falls with g and keeps the momentum of a blow at one end.
static void a_free_rod_keeps_its_momentum(void** state) {
  (void)state;
  RvRodRig rig = new_rod(rv_quat_identity(), 0);
  rv_rig_set_v(&rig.strand, 0, 0, 0.2);
  rv_rig_set_v(&rig.strand, 5, 2, -0.1);
  RvVec3 before = momentum(&rig);
  double mass = 0;
  for (int i = 0; i < POINTS; ++i) mass += rv_rig_mass(&rig.strand, i, 0);
  set_gravity(&rig, rv_vec3(0, -9.81, 0));
  steps(&rig, 30, 1.0 / 300);
  RvVec3 gained = rv_sub(momentum(&rig), before);
  RvVec3 expected = rv_vec3(0, -9.81 * 0.1 * mass, 0);
  assert_true(rv_length(rv_sub(gained, expected)) < 1e-9 * rv_length(expected));
  rv_rig_rod_free(&rig);
}

// A straight free rod that spins about itself goes on spinning (AH-6).
static void a_spin_without_torque_stays(void** state) {
  (void)state;
  double x[3 * POINTS];
  RvError error = {0};
  RvRodRig rig;
  for (int i = 0; i < POINTS; ++i) rv_vec3_store64(x + 3 * i, rv_vec3(0, -0.002 * i, 0));
  RvRigDef def = rv_rig_hair(POINTS, x);
  def.clamped = 0;
  CHECK_OK(rv_rig_rod_new(&rig, &def, &error), error);
  for (int j = 0; j + 1 < POINTS; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane) rig.state.spin[(3 * j + 2) * RV_LANES + lane] = 7;
  steps(&rig, 50, 1.0 / 150);
  for (int j = 0; j + 1 < POINTS; ++j) assert_true(fabs(rig.state.spin[(3 * j + 2) * RV_LANES] - 7) < 1e-6);
  rv_rig_rod_free(&rig);
}

// The same rod and weight in a turned frame move alike.
static void results_turn_with_the_frame(void** state) {
  (void)state;
  RvQuat turn = rv_quat_axis_angle(rv_normalize(rv_vec3(1, 2, -0.5), rv_vec3(1, 0, 0)), 1.1);
  RvVec3 g = rv_vec3(4, -8, 2);
  RvRodRig plain = new_rod(rv_quat_identity(), 2), turned = new_rod(turn, 2);
  set_gravity(&plain, g);
  set_gravity(&turned, rv_quat_rotate(turn, g));
  steps(&plain, 60, 1.0 / 150);
  steps(&turned, 60, 1.0 / 150);
  for (int i = 0; i < POINTS; ++i) {
    RvVec3 a = rv_vec3(rv_rig_x(&plain.strand, i, 0), rv_rig_x(&plain.strand, i, 1), rv_rig_x(&plain.strand, i, 2));
    RvVec3 b = rv_vec3(rv_rig_x(&turned.strand, i, 0), rv_rig_x(&turned.strand, i, 1), rv_rig_x(&turned.strand, i, 2));
    assert_true(rv_length(rv_sub(rv_quat_rotate(turn, a), b)) < 1e-9);
  }
  rv_rig_rod_free(&plain);
  rv_rig_rod_free(&turned);
}

static void a_strand_without_numbers_is_held(void** state) {
  (void)state;
  RvRodRig rig = new_rod(rv_quat_identity(), 2);
  size_t failed = 0;
  RvError error = {0};
  rv_rig_set_v(&rig.strand, 7, 1, NAN);
  rig.step.dt = 0.01;
  CHECK_OK(rv_cosserat_step(rig.strand.model, rig.strand.state, &rig.model, &rig.state, &rig.step, rig.scratch, &failed,
                            &error),
           error);
  assert_int_equal(failed, 1);
  for (int i = 0; i < POINTS; ++i)
    assert_true(isfinite(rv_rig_x(&rig.strand, i, 0)) && rv_rig_v(&rig.strand, i, 1) == 0);
  rv_rig_rod_free(&rig);
}

RV_TESTS(cmocka_unit_test(quaternions_stay_unit), cmocka_unit_test(a_free_rod_keeps_its_momentum),
         cmocka_unit_test(a_spin_without_torque_stays), cmocka_unit_test(results_turn_with_the_frame),
         cmocka_unit_test(a_strand_without_numbers_is_held))
