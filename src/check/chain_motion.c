// Checks of chains in motion: pendulum, order of Runge and Kutta, frequencies, moving bases (HC-9 to HC-13, HC-19).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/chain.h"

static const double GRAVITY = 9.81;  // m/s2

//---------------------------------------------------------------------------------------------- pendulum

// Time of the first two falling zero crossings of the tip's x, by the secant of the steps around them.
static RvResult period_of_tip(RvRigChain* rig, double dt, double limit, double* period, RvError* error) {
  double before = rv_rig_chain_x(rig, rig->links).x, crossed = -1, time = 0;
  RvResult result = RV_OK;
  *period = 0;
  while (!result && *period == 0 && time < limit) {
    result = rv_rig_chain_step(rig, dt, error);
    double now = rv_rig_chain_x(rig, rig->links).x;
    if (before > 0 && now <= 0) {
      double when = time + dt * before / (before - now);
      if (crossed < 0)
        crossed = when;
      else
        *period = when - crossed;
    }
    before = now;
    time += dt;
  }
  return result;
}

// A rod of 0.1 m and 1 mm radius that swings by 0.05 rad about its end: 2 pi sqrt((L^2 / 3 + r^2 / 4) / (g L / 2))
// times 1 + a^2 / 16 + 11 a^4 / 3072.
RvResult rv_check_chain_pendulum(const RvCheckOut* out, RvError* error) {
  const double expected = 0.5180645;  // s
  const double swing = 0.05, length = 0.1;
  RvRigChain rig;
  RvResult result = rv_rig_chain_new(
      &rig,
      &(RvRigChainDef){
          .links = 1, .length = length, .radius = 1e-3, .density = 1300, .youngs = 1e9, .shear = 1e9, .hinged = true},
      error);
  if (result) return result;
  rig.def.integrator = RV_CHAIN_RK4;
  rig.def.gravity[1] = -GRAVITY;
  rv_rig_chain_turn(&rig, 0, rv_quat_axis_angle(rv_vec3(0, 0, 1), swing));
  double period = 0;
  result = period_of_tip(&rig, 1e-4, 2, &period, error);
  if (!result) rv_check_emit(out, "period", period, expected, 1e-6 * expected);
  rv_rig_chain_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- order

static double energy(const RvRigChain* rig) {
  return rv_rig_chain_kinetic(rig) + rv_rig_chain_elastic(rig) + rv_rig_chain_weight(rig);
}

// Change of the energy of a swinging, bent and twisted chain in 0.05 s. Torsion is 20 times softer than bending, so
// that a law without potential would show.
static RvResult drift(double dt, double* change, RvError* error) {
  enum { LINKS = 6 };
  RvRigChain rig;
  RvResult result = rv_rig_chain_new(
      &rig,
      &(RvRigChainDef){.links = LINKS, .length = 0.06, .radius = 1e-3, .density = 1300, .youngs = 1e6, .shear = 5e4},
      error);
  if (result) return result;
  rig.def.integrator = RV_CHAIN_RK4;
  rig.def.gravity[1] = -GRAVITY;
  for (int i = 0; i < LINKS; ++i) {
    rv_rig_chain_turn(&rig, i, rv_quat_axis_angle(rv_vec3(0, 1, 0), 0.3 * i));
    rv_rig_chain_turn(&rig, i, rv_quat_axis_angle(rv_vec3(0.6, 0, 0.8), 0.2 * i));
    rv_rig_chain_set_spin(&rig, i, rv_vec3(3, 2.0 * i, -4));
  }
  double before = energy(&rig);
  result = rv_rig_chain_run(&rig, dt, 0.05, error);
  *change = fabs(energy(&rig) - before) / fabs(before);
  rv_rig_chain_free(&rig);
  return result;
}

RvResult rv_check_chain_order(const RvCheckOut* out, RvError* error) {
  static const char* const names[3] = {"finest", "share_halved", "share_halved_again"};
  double changes[3] = {0};
  const double dt = 4e-4;
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = drift(dt / (1 << k), &changes[k], error);
  if (result) return result;
  rv_check_emit(out, names[0], changes[2], 0, 1e-6);
  // The share of the drift that is left: 1/16 in fourth order, 1/32 where the energy gains an order.
  for (int k = 1; k < 3; ++k) rv_check_emit(out, names[k], changes[k] / changes[k - 1], 0, 1.0 / 12);
  return result;
}

//---------------------------------------------------------------------------------------------- frequencies

// Amplitude of a mode: the sum of the vertices' x with the mode's weights.
typedef struct Mode {
  const double* weight;  // [links + 1]
  double frequency;      // Hz, expected
} Mode;

static double amplitude(const RvRigChain* rig, const double* weight) {
  double sum = 0;
  for (int i = 0; i <= rig->links; ++i) sum += weight[i] * rv_rig_chain_x(rig, i).x;
  return sum;
}

// Frequency from the release to the first zero crossing, a quarter of a period.
static RvResult frequency(RvRigChain* rig, const Mode* mode, double dt, double* measured, RvError* error) {
  double before = amplitude(rig, mode->weight), time = 0, quarter = 0;
  const double sign = before > 0 ? 1 : -1;
  RvResult result = RV_OK;
  while (!result && quarter == 0 && time < 2 / mode->frequency) {
    result = rv_rig_chain_step(rig, dt, error);
    double now = amplitude(rig, mode->weight);
    if (sign * now <= 0) quarter = time + dt * before / (before - now);
    before = now;
    time += dt;
  }
  *measured = quarter > 0 ? 0.25 / quarter : 0;
  return result;
}

// Turns the links of a strand that hangs along -y so that vertex i has the small deflection x[i].
static void deflect(RvRigChain* rig, const double* x, double length) {
  double edge = length / rig->links;
  for (int i = 0; i < rig->links; ++i)
    rv_rig_chain_turn(rig, i, rv_quat_axis_angle(rv_vec3(0, 0, 1), (x[i + 1] - x[i]) / edge));
}

enum { HANGING = 60 };  // links

// J0(2 w sqrt(s / g)) at the height s above the tip, by its power series.
static double hanging_shape(double w, double s) {
  double z = w * w * s / GRAVITY, term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    term *= -z / (k * k);
    sum += term;
  }
  return sum;
}

// Mode of a hanging chain (Bernoulli 1732); modes are orthogonal by mass, so that the others do not disturb.
static RvResult hanging(int mode, double* measured, double* expected, RvError* error) {
  static const double zero[3] = {2.404825557695773, 5.520078110286311, 8.653727912911013};  // of J0
  const double length = 0.15, tilt = 1e-3, dt = 1e-4;
  double w = 0.5 * zero[mode] * sqrt(GRAVITY / length);
  double x[HANGING + 1];
  for (int i = 0; i <= HANGING; ++i) x[i] = tilt * length * hanging_shape(w, length * (1 - (double)i / HANGING));
  RvRigChain rig;
  // As soft as to have no part in it.
  RvResult result = rv_rig_chain_new(&rig,
                                     &(RvRigChainDef){.links = HANGING,
                                                      .length = length,
                                                      .radius = 40e-6,
                                                      .density = 1320,
                                                      .youngs = 1e3,
                                                      .shear = 1e3,
                                                      .hinged = true},
                                     error);
  if (result) return result;
  rig.def.gravity[1] = -GRAVITY;
  rig.def.implicitness = 0.5;
  deflect(&rig, x, length);
  *expected = w / (2 * RV_PI);
  result = frequency(&rig, &(Mode){x, *expected}, dt, measured, error);
  rv_rig_chain_free(&rig);
  return result;
}

// First mode of a clamped strand of 5 cm, 40 micrometres and 3 GPa without weight.
static RvResult cantilever(double dt, double implicitness, double* measured, double* expected, RvError* error) {
  enum { LINKS = 30 };
  const double length = 0.05, radius = 40e-6, density = 1320, youngs = 3e9, root = 1.875104068711961;
  const double ratio = 0.7340955137589142;  // (sinh - sin) / (cosh + cos) of the root
  double x[LINKS + 1];
  for (int i = 0; i <= LINKS; ++i) {
    double z = root * i / LINKS;
    x[i] = 1e-3 * length * (cosh(z) - cos(z) - ratio * (sinh(z) - sin(z)));
  }
  RvRigChain rig;
  RvResult result = rv_rig_chain_new(
      &rig,
      &(RvRigChainDef){
          .links = LINKS, .length = length, .radius = radius, .density = density, .youngs = youngs, .shear = 1.1e9},
      error);
  if (result) return result;
  rig.def.implicitness = implicitness;
  deflect(&rig, x, length);
  *expected = root * root / (2 * RV_PI * length * length) * radius / 2 * sqrt(youngs / density);
  result = frequency(&rig, &(Mode){x, *expected}, dt, measured, error);
  rv_rig_chain_free(&rig);
  return result;
}

RvResult rv_check_chain_frequency(const RvCheckOut* out, RvError* error) {
  static const char* const names[3] = {"hanging_1", "hanging_2", "hanging_3"};
  double measured = 0, expected = 0;
  RvResult result = RV_OK;
  for (int mode = 0; mode < 3 && !result; ++mode) {
    result = hanging(mode, &measured, &expected, error);
    if (!result) rv_check_emit(out, names[mode], measured, expected, 0.01 * expected);
  }
  if (!result) result = cantilever(1e-4, 0.5, &measured, &expected, error);
  if (!result) rv_check_emit(out, "cantilever", measured, expected, 0.01 * expected);
  return result;
}

//---------------------------------------------------------------------------------------------- bases

// A strand of hair; the one with viscosity is stiff enough not to creep.
static RvResult new_hair(RvRigChain* rig, int links, RvVec3 direction, double viscosity, RvError* error) {
  const RvRigChainDef def = {.links = links,
                             .length = 0.1,
                             .direction = direction,
                             .radius = 40e-6,
                             .density = 1320,
                             .youngs = viscosity > 0 ? 1e9 : 1e6,
                             .shear = 4e5,
                             .viscosity = viscosity};
  RvResult result = rv_rig_chain_new(rig, &def, error);
  rig->def.gravity[1] = -GRAVITY;
  return result;
}

// Steps with a base that has the acceleration a and starts at rest.
static RvResult accelerated(RvRigChain* rig, RvVec3 a, double dt, int steps, RvError* error) {
  double x[3 * RV_LANES], v[3 * RV_LANES];
  rig->def.base_x = x;
  rig->def.base_v = v;
  RvResult result = RV_OK;
  for (int k = 1; k <= steps && !result; ++k) {
    for (size_t lane = 0; lane < RV_LANES; ++lane) {
      rv_strand_set_vector(v, lane, rv_scale(a, k * dt));
      rv_strand_set_vector(x, lane, rv_scale(a, 0.5 * k * dt * k * dt));
    }
    result = rv_rig_chain_step(rig, dt, error);
  }
  rig->def.base_x = rig->def.base_v = NULL;
  return result;
}

RvResult rv_check_chain_base(const RvCheckOut* out, RvError* error) {
  enum { LINKS = 20 };
  const double dt = 1.0 / 240, a = 3;
  RvRigChain rig;
  // A strand that stands out sideways and falls with its base has no weight, so its natural shape stays.
  RvResult result = new_hair(&rig, LINKS, rv_vec3(1, 0, 0), 0, error);
  if (result) return result;
  result = accelerated(&rig, rv_vec3(0, -GRAVITY, 0), dt, 48, error);
  double bend = 0;
  for (int i = 0; i < LINKS; ++i) bend = fmax(bend, rv_length(rv_rig_chain_spin(&rig, i)));
  rv_check_emit(out, "free_fall_spin", bend, 0, 1e-12);
  rv_rig_chain_free(&rig);
  // In steady acceleration the free part of a soft strand has the tilt a / g.
  if (!result) result = new_hair(&rig, LINKS, rv_vec3(0, -1, 0), 1e7, error);
  if (result) return result;
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int c = 0; c < 3; ++c) rig.model->stiffness[rv_chain_link(rig.model->batches, lane, 0, 3, c)] = 0;
  result = accelerated(&rig, rv_vec3(a, 0, 0), dt, 240 * 10, error);
  RvVec3 arm = rv_sub(rv_rig_chain_x(&rig, LINKS), rv_rig_chain_x(&rig, 0));
  if (!result) rv_check_emit(out, "tilt", arm.x / arm.y, a / GRAVITY, 1e-6);
  rv_rig_chain_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- shaken head

// Largest speed of a vertex of a strand whose base is shaken sideways by 5 cm at 5 Hz, over the base's own.
static RvResult shake(double youngs, double dt, double* speed, RvError* error) {
  enum { LINKS = 30 };
  const double amplitude = 0.05, frequency = 5, rate = 2 * RV_PI * frequency;
  RvRigChain rig;
  const RvRigChainDef def = {.links = LINKS,
                             .length = 0.15,
                             .radius = 40e-6,
                             .density = 1320,
                             .youngs = youngs,
                             .shear = 0.4 * youngs,
                             .viscosity = 1e-4 * youngs};
  RvResult result = rv_rig_chain_new(&rig, &def, error);
  if (result) return result;
  double x[3 * RV_LANES] = {0}, v[3 * RV_LANES] = {0};
  rig.def.gravity[1] = -GRAVITY;
  rig.def.base_x = x;
  rig.def.base_v = v;
  *speed = 0;
  for (int k = 1; k * dt < 3 && !result; ++k) {
    // The velocity is the mean over the step, as roots of an animation have it.
    double place = amplitude * (1 - cos(rate * k * dt));
    for (int lane = 0; lane < RV_LANES; ++lane) {
      v[lane] = (place - x[lane]) / dt;
      x[lane] = place;
    }
    result = rv_rig_chain_step(&rig, dt, error);
    for (size_t i = 0; i < 3 * rig.model->vertices; ++i) {
      double size = fabs(rig.state->v[i]) / (amplitude * rate);
      *speed = size <= *speed ? *speed : size;
    }
  }
  rv_rig_chain_free(&rig);
  return result;
}

RvResult rv_check_chain_shake(const RvCheckOut* out, RvError* error) {
  static const double youngs[2] = {3e9, 3e5};
  static const char* const names[2] = {"hair", "loose"};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    double coarse = 0, fine = 0;
    result = shake(youngs[k], 1.0 / 60, &coarse, error);
    if (!result) result = shake(youngs[k], 1.0 / 960, &fine, error);
    // Implicit steps damp, so that larger ones are slower.
    if (!result) rv_check_emit(out, names[k], coarse / fine, 0.5, 0.6);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- limp curl

// A limp curl that is level falls for two seconds: how far its energy rises above that of the start, over the energy of
// a fall by its length; and how deep its tip came, in lengths.
static RvResult drop_curl(double softness, double dt, double* rise, double* depth, RvError* error) {
  enum { LINKS = 23 };
  const double length = 0.2, radius = 6e-3, pitch = 0.04;
  const double turn = sqrt(pitch * pitch + 4 * RV_PI * RV_PI * radius * radius);  // m of hair
  double x[3 * (LINKS + 1)];
  for (int i = 0; i <= LINKS; ++i) {
    double turns = length * i / LINKS / turn;
    rv_vec3_store64(x + 3 * i,
                    rv_vec3(pitch * turns, radius * (cos(2 * RV_PI * turns) - 1), radius * sin(2 * RV_PI * turns)));
  }
  RvRigChain rig;
  const RvRigChainDef def = {.links = LINKS,
                             .length = length,
                             .x = x,
                             .rest = x,
                             .radius = 40e-6,
                             .density = 1320,
                             .youngs = 3.9e9 * softness,
                             .shear = 8.9e8 * softness,
                             .viscosity = 1e6 * softness};
  RvResult result = rv_rig_chain_new(&rig, &def, error);
  if (result) return result;
  rig.def.gravity[1] = -GRAVITY;
  const double weight = LINKS * rig.model->mass[0] * GRAVITY, start = rv_rig_chain_weight(&rig);
  *rise = *depth = 0;
  for (int k = 0; k * dt < 2 && !result; ++k) {
    result = rv_rig_chain_step(&rig, dt, error);
    double energy = rv_rig_chain_kinetic(&rig) + rv_rig_chain_elastic(&rig) + rv_rig_chain_weight(&rig) - start;
    *rise = energy / (weight * length) <= *rise ? *rise : energy / (weight * length);
    *depth = fmax(*depth, (rv_rig_chain_x(&rig, 0).y - rv_rig_chain_x(&rig, LINKS).y) / length);
  }
  rv_rig_chain_free(&rig);
  return result;
}

RvResult rv_check_chain_limp(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *rise, *falls;
    double softness, dt;
  } cases[] = {{"rise_soft_96", "falls_soft_96", 1e-2, 1.0 / 96},
               {"rise_limp_96", "falls_limp_96", 1e-3, 1.0 / 96},
               {"rise_soft_384", "falls_soft_384", 1e-2, 1.0 / 384},
               {"rise_limp_384", "falls_limp_384", 1e-3, 1.0 / 384}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    double rise = 0, depth = 0;
    result = drop_curl(cases[k].softness, cases[k].dt, &rise, &depth, error);
    if (result) break;
    rv_check_emit(out, cases[k].rise, rise, 0, 0.01);
    rv_check_emit(out, cases[k].falls, depth > 0.8, 1, 0);
  }
  return result;
}
