// Checks of the rod in motion: a hanging chain, momentum, damping (WH-1, WH-2, WH-4, WH-44).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/strand.h"

static const double J01 = 2.404826;  // first zero of the Bessel function J0
static const double GRAVITY = 9.81;  // m/s2

// A chain of negligible bending stiffness swings with the angular frequency j01 / 2 sqrt(g / L) (Bernoulli 1732).
RvResult rv_check_chain(const RvCheckOut* out, RvError* error) {
  enum { N = 60 };
  const double length = 0.3;
  const double g[3] = {0, -GRAVITY, 0};
  const double edge = length / (N - 1);
  const double dt = 1.0 / 2000, tilt = 0.01;
  double x[N * 3] = {0};
  // The first mode's shape, J0(2 w sqrt(s / g)) with s from the tip, by its power series, so that no other mode starts.
  double w = 0.5 * J01 * sqrt(GRAVITY / length);
  for (int i = 0; i < N; ++i) {
    double s = length - edge * i;
    double z = w * w * s / GRAVITY;
    double term = 1, sum = 1;
    for (int k = 1; k < 20; ++k) {
      term *= -z / (k * k);
      sum += term;
    }
    x[3 * i] = tilt * length * sum;
    x[3 * i + 1] = -edge * i;
  }
  RvRig rig;
  const RvRigDef def = {.vertices = N, .x = x, .radius = 10e-6, .density = 1300, .youngs = 1e6, .shear = 4e5};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  for (int c = 0; c < 3; ++c) rv_rig_fix(&rig, 0, c);
  rv_rig_fix(&rig, 0, 3);
  rv_rig_gravity(&rig, g);
  // A quarter period is the time from the release to the first zero crossing.
  double before = rv_rig_x(&rig, N - 1, 0), quarter = 0;
  for (int k = 1; k < 2000 && !result && quarter == 0; ++k) {
    result = rv_rig_step(&rig, dt, RV_BDF2, 1e-9, error);
    double now = rv_rig_x(&rig, N - 1, 0);
    if (before > 0 && now <= 0) quarter = dt * (k - now / (now - before));
    before = now;
  }
  // Bending stiffens 1 mm of 300 at the root, the first step is Euler's, and the chain has 59 edges: below 1% together.
  if (!result) rv_check_emit(out, "period", 4 * quarter * w / (2 * RV_PI), 1, 0.01);
  rv_rig_free(&rig);
  return result;
}

typedef struct Momentum {
  double linear[3], angular;  // about z through the centre of mass at the origin
} Momentum;

// Linear momentum, and angular momentum about z through the origin.
static Momentum momentum(const RvRig* rig) {
  Momentum p = {0};
  for (int i = 0; i < rig->n; ++i) {
    double m = rv_rig_mass(rig, i, 0);
    for (int c = 0; c < 3; ++c) p.linear[c] += m * rv_rig_v(rig, i, c);
    p.angular += m * (rv_rig_x(rig, i, 0) * rv_rig_v(rig, i, 1) - rv_rig_x(rig, i, 1) * rv_rig_v(rig, i, 0));
  }
  return p;
}

enum { COIL = 21 };  // vertices of the springing coil

// Place, velocity and rate of twist of the coil's vertices, and the direction of the edge after each.
typedef struct Coil {
  RvVec3 x[COIL], v[COIL], edge[COIL - 1];
  double twist[COIL - 1];
} Coil;

static Coil coil_of(const RvRig* rig) {
  Coil c;
  for (int i = 0; i < COIL; ++i) {
    c.x[i] = rv_vec3(rv_rig_x(rig, i, 0), rv_rig_x(rig, i, 1), rv_rig_x(rig, i, 2));
    c.v[i] = rv_vec3(rv_rig_v(rig, i, 0), rv_rig_v(rig, i, 1), rv_rig_v(rig, i, 2));
    if (i > 0) c.edge[i - 1] = rv_normalize(rv_sub(c.x[i], c.x[i - 1]), c.x[i]);
    if (i + 1 < COIL) c.twist[i] = rv_rig_v(rig, i, 3);
  }
  return c;
}

// Total force and torque within the strand in a step of implicit Euler (times dt), by what they changed: m (v' - v),
// and m x' x (v' - v) + a I (w' - w), with I an edge's moment of inertia about itself and w its rate of twist. The
// energy does not change in a rigid motion, so both are 0. The angle of an edge counts from a frame that is transported
// from the edge's direction t at the start of the step to t' at its end; a rotation turns it about a = (t + t') / (1 +
// t t').
static void totals(const RvRig* rig, const Coil* from, const Coil* to, RvVec3* force, RvVec3* torque) {
  *force = *torque = rv_vec3(0, 0, 0);
  for (int i = 0; i < COIL; ++i) {
    RvVec3 change = rv_scale(rv_sub(to->v[i], from->v[i]), rv_rig_mass(rig, i, 0));
    *force = rv_add(*force, change);
    *torque = rv_add(*torque, rv_cross(to->x[i], change));
  }
  for (int i = 0; i + 1 < COIL; ++i) {
    double change = rv_rig_mass(rig, i, 3) * (to->twist[i] - from->twist[i]);
    double cosine = rv_dot(from->edge[i], to->edge[i]);
    *torque = rv_mad(*torque, change / (1 + cosine), rv_add(from->edge[i], to->edge[i]));
  }
}

// A free coil, wound 20% tighter than at rest and thrown: it springs open, bends, twists and stretches.
static RvResult springing_coil(const RvCheckOut* out, RvError* error) {
  const double dt = 1.0 / 240, radius = 0.02, pitch = 0.01;
  double x[COIL * 3], rest[COIL * 3];
  for (int i = 0; i < COIL; ++i)
    for (int k = 0; k < 2; ++k) {
      double* to = (k ? rest : x) + 3 * i;
      double angle = (k ? 0.25 : 0.3) * i;
      rv_vec3_store64(to, rv_vec3(radius * rv_cos(angle), radius * rv_sin(angle), pitch * angle));
    }
  RvRig rig;
  RvRigDef def = rv_rig_hair(COIL, x);
  def.rest = rest;
  def.viscosity = 1e5;
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  for (int i = 0; i < COIL; ++i)
    for (int c = 0; c < 3; ++c) rv_rig_set_v(&rig, i, c, c == 0 ? 0.3 : 2 * x[3 * i + 3 - c - 1]);
  // The scale is the momentum that the vertices exchange.
  double linear = 0, angular = 0, exchanged = 0;
  for (int k = 0; k < 20 && !result; ++k) {
    Coil before = coil_of(&rig);
    result = rv_rig_step(&rig, dt, RV_EULER, 1e-13, error);
    Coil after = coil_of(&rig);
    RvVec3 force, torque;
    totals(&rig, &before, &after, &force, &torque);
    linear = fmax(linear, rv_length(force));
    angular = fmax(angular, rv_length(torque));
    double sum = 0;
    for (int i = 0; i < COIL; ++i) sum += rv_rig_mass(&rig, i, 0) * rv_distance(after.v[i], before.v[i]);
    exchanged = fmax(exchanged, sum);
  }
  if (!result) {
    // Newton's tolerance and rounding, as for the straight strand.
    rv_check_emit(out, "coil_linear", linear / exchanged, 0, 1e-10);
    rv_check_emit(out, "coil_angular", angular / (radius * exchanged), 0, 1e-10);
  }
  rv_rig_free(&rig);
  return result;
}

// A free straight strand that moves and rotates with omega about its middle. Internal forces are gradients of an energy
// that is invariant under rigid motion, so linear momentum is conserved; implicit Euler loses (omega dt)^2 of the
// angular momentum a step.
RvResult rv_check_momentum(const RvCheckOut* out, RvError* error) {
  enum { N = 21 };
  const double omega = 6, dt = 1.0 / 240, length = 0.1;
  double x[N * 3] = {0};
  for (int i = 0; i < N; ++i) x[3 * i] = length * (i / (N - 1.0) - 0.5);
  RvRig rig;
  RvRigDef def = rv_rig_hair(N, x);
  def.radius = 50e-6;
  def.viscosity = 1e5;
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    rv_rig_set_v(&rig, i, 0, 0.3);
    rv_rig_set_v(&rig, i, 1, omega * x[3 * i]);
  }
  // 20 steps, solved to rounding.
  Momentum first = momentum(&rig), before = first;
  double drift = 0, loss = 0;
  for (int k = 0; k < 20 && !result; ++k) {
    result = rv_rig_step(&rig, dt, RV_EULER, 1e-13, error);
    Momentum now = momentum(&rig);
    // Angular momentum about the moving centre of mass.
    double mass = 0;
    for (int i = 0; i < N; ++i) mass += rv_rig_mass(&rig, i, 0);
    double centre_x = 0.3 * dt * (k + 1);
    now.angular -= centre_x * now.linear[1];
    drift = fmax(drift, fabs(now.linear[0] - before.linear[0]) / (mass * 0.3));
    loss = 1 - pow(now.angular / first.angular, 1.0 / (k + 1));
    before = now;
  }
  if (!result) {
    // Rounding, against mass times speed.
    rv_check_emit(out, "linear_a_step", drift, 0, 1e-10);
    double euler_loss = omega * omega * dt * dt;
    rv_check_emit(out, "angular_a_step", loss / euler_loss, 1, 0.05);
  }
  rv_rig_free(&rig);
  return result ? result : springing_coil(out, error);
}

// A plucked clamped strand: share of the energy that is left after 0.1 s, and the largest gain in a step.
static RvResult ring_down(double viscosity, double* energy_share, double* largest_gain, RvError* error) {
  enum { N = 24 };
  const double length = 0.05;
  double x[N * 3] = {0};
  for (int i = 0; i < N; ++i) x[3 * i + 1] = -length * i / (N - 1);
  RvRig rig;
  const RvRigDef def = {.vertices = N,
                        .x = x,
                        .radius = 50e-6,
                        .density = 1300,
                        .youngs = 3e9,
                        .shear = 1.1e9,
                        .viscosity = viscosity,
                        .clamped = 2};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  // The pluck: a velocity that grows to 0.5 m/s at the tip.
  for (int i = 2; i < N; ++i) rv_rig_set_v(&rig, i, 0, 0.5 * i / N);
  // 0.1 s in steps of half a millisecond.
  double first = rv_rig_kinetic(&rig) + rv_rig_elastic(&rig), before = first;
  *largest_gain = 0;
  for (int k = 0; k < 200 && !result; ++k) {
    result = rv_rig_step(&rig, 1.0 / 2000, RV_EULER, 1e-12, error);
    double now = rv_rig_kinetic(&rig) + rv_rig_elastic(&rig);
    *largest_gain = fmax(*largest_gain, (now - before) / first);
    before = now;
  }
  *energy_share = before / first;
  rv_rig_free(&rig);
  return result;
}

// No viscosity, and two that differ by a factor of two (WH-2).
RvResult rv_check_damping(const RvCheckOut* out, RvError* error) {
  double energy_share[3], gain[3];
  const double viscosity[] = {0, 1e5, 2e5};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = ring_down(viscosity[k], &energy_share[k], &gain[k], error);
  if (result) return result;
  rv_check_emit(out, "largest_gain", fmax(gain[0], fmax(gain[1], gain[2])), 0, 1e-12);
  // Beyond the integrator's own loss energy decays as exp(-c mu t): twice the viscosity doubles the rate.
  double rate1 = log(energy_share[0] / energy_share[1]), rate2 = log(energy_share[0] / energy_share[2]);
  rv_check_emit(out, "rate_ratio", rate2 / rate1, 2, 0.3);
  return RV_OK;
}
