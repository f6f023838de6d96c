// Checks of the rod in motion: a hanging chain, momentum, damping.
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/strand.h"

// A chain of negligible stiffness swings at j01 / 2 sqrt(g / L) (Bernoulli 1732), j01 = 2.404826.
RvResult rv_check_chain(const RvCheckOut* out, RvError* error) {
  enum { N = 60 };
  const double length = 0.3, g[3] = {0, -9.81, 0}, edge = length / (N - 1), dt = 1.0 / 2000, tilt = 0.01;
  double x[N * 3] = {0};
  // the first mode's own shape, J0(2 w sqrt(s / g)) with s from the tip, to start without the others
  double w = 0.5 * 2.404826 * sqrt(9.81 / length);
  for (int i = 0; i < N; ++i) {
    double s = length - edge * i, z = w * w * s / 9.81, term = 1, sum = 1;
    for (int k = 1; k < 20; ++k) {
      term *= -z / (k * k);
      sum += term;
    }
    x[3 * i] = tilt * length * sum;
    x[3 * i + 1] = -edge * i;
  }
  RvRig rig;
  RvResult result = rv_rig_new(&rig, &(RvRigDef){N, x, NULL, 10e-6, 1300, 1e6, 4e5, 0, 0}, error);
  if (result) return result;
  for (int c = 0; c < 3; ++c) rv_rig_fix(&rig, 0, c);
  rv_rig_fix(&rig, 0, 3);
  rv_rig_gravity(&rig, g);
  // a quarter period is from the release to the first crossing
  double before = rv_rig_x(&rig, N - 1, 0), quarter = 0;
  for (int k = 1; k < 2000 && !result && quarter == 0; ++k) {
    result = rv_rig_step(&rig, dt, RV_BDF2, 1e-9, error);
    double now = rv_rig_x(&rig, N - 1, 0);
    if (before > 0 && now <= 0) quarter = dt * (k - now / (now - before));
    before = now;
  }
  // bending stiffens the root over 1 mm of 300, the first step is Euler's, the polygon has 60 sides: below 1% together
  if (!result) rv_check_emit(out, "period", 4 * quarter * w / (2 * RV_PI), 1, 0.01);
  rv_rig_free(&rig);
  return result;
}

typedef struct Momentum {
  double linear[3], angular;  // about z through the centre of mass at the origin
} Momentum;

static Momentum momentum(const RvRig* rig) {
  Momentum p = {0};
  for (int i = 0; i < rig->n; ++i) {
    double m = rv_rig_mass(rig, i, 0);
    for (int c = 0; c < 3; ++c) p.linear[c] += m * rv_rig_v(rig, i, c);
    p.angular += m * (rv_rig_x(rig, i, 0) * rv_rig_v(rig, i, 1) - rv_rig_x(rig, i, 1) * rv_rig_v(rig, i, 0));
  }
  return p;
}

// A free straight strand that turns at omega about its middle. Every internal force is a gradient of an energy that
// knows no place and no direction, so linear momentum stays; implicit Euler itself loses (omega dt)^2 of the angular.
RvResult rv_check_momentum(const RvCheckOut* out, RvError* error) {
  enum { N = 21 };
  const double omega = 6, dt = 1.0 / 240, length = 0.1;
  double x[N * 3] = {0};
  for (int i = 0; i < N; ++i) x[3 * i] = length * (i / (N - 1.0) - 0.5);
  RvRig rig;
  RvResult result = rv_rig_new(&rig, &(RvRigDef){N, x, NULL, 50e-6, 1300, 3e9, 1.1e9, 1e5, 0}, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    rv_rig_set_v(&rig, i, 0, 0.3);
    rv_rig_set_v(&rig, i, 1, omega * x[3 * i]);
  }
  Momentum first = momentum(&rig), before = first;
  double drift = 0, loss = 0;
  for (int k = 0; k < 20 && !result; ++k) {
    result = rv_rig_step(&rig, dt, RV_EULER, 1e-13, error);
    Momentum now = momentum(&rig);
    // about the moving centre: take away its own part
    double mass = 0;
    for (int i = 0; i < N; ++i) mass += rv_rig_mass(&rig, i, 0);
    double centre = 0.3 * dt * (k + 1);
    now.angular -= centre * now.linear[1];
    drift = fmax(drift, fabs(now.linear[0] - before.linear[0]) / (mass * 0.3));
    loss = 1 - pow(now.angular / first.angular, 1.0 / (k + 1));
    before = now;
  }
  if (!result) {
    rv_check_emit(out, "linear_a_step", drift, 0, 1e-10);
    double own = omega * omega * dt * dt;
    rv_check_emit(out, "angular_a_step", loss / own, 1, 0.05);
  }
  rv_rig_free(&rig);
  return result;
}

// A clamped strand that was plucked: energy only falls, faster with more viscosity, and a rigid turn costs nothing.
static RvResult ring_down(double viscosity, double* left, double* largest_gain, RvError* error) {
  enum { N = 24 };
  const double length = 0.05;
  double x[N * 3] = {0};
  for (int i = 0; i < N; ++i) x[3 * i + 1] = -length * i / (N - 1);
  RvRig rig;
  RvResult result = rv_rig_new(&rig, &(RvRigDef){N, x, NULL, 50e-6, 1300, 3e9, 1.1e9, viscosity, 2}, error);
  if (result) return result;
  for (int i = 2; i < N; ++i) rv_rig_set_v(&rig, i, 0, 0.5 * i / N);
  double first = rv_rig_kinetic(&rig) + rv_rig_elastic(&rig), before = first;
  *largest_gain = 0;
  for (int k = 0; k < 200 && !result; ++k) {
    result = rv_rig_step(&rig, 1.0 / 2000, RV_EULER, 1e-12, error);
    double now = rv_rig_kinetic(&rig) + rv_rig_elastic(&rig);
    *largest_gain = fmax(*largest_gain, (now - before) / first);
    before = now;
  }
  *left = before / first;
  rv_rig_free(&rig);
  return result;
}

RvResult rv_check_damping(const RvCheckOut* out, RvError* error) {
  double left[3], gain[3];
  const double viscosity[] = {0, 1e5, 2e5};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = ring_down(viscosity[k], &left[k], &gain[k], error);
  if (result) return result;
  rv_check_emit(out, "largest_gain", fmax(gain[0], fmax(gain[1], gain[2])), 0, 1e-12);
  // what viscosity takes beyond the integrator's own loss goes as exp(-c mu t): twice the viscosity, twice the rate
  double rate1 = log(left[0] / left[1]), rate2 = log(left[0] / left[2]);
  rv_check_emit(out, "rate_ratio", rate2 / rate1, 2, 0.3);
  return RV_OK;
}
