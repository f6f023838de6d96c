// Checks of the film on rotating strands: prescribed rotation (film_spin, WH-22) and a free rotor (film_rotor, WH-24 to
// WH-26, E43).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/film.h"

static const double OMEGA = 12;          // rad/s
static const double LENGTH = 0.05;       // m
static const double HAIR_RADIUS = 5e-5;  // m

// Puts the strands at an angle about the origin in the xy plane, rotating with `omega`.
static void turn_to(RvFilmRig* r, double length, double turned, double omega) {
  for (int i = 0; i < r->n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double s = length * i / (r->n - 1);
      double* x = rv_rig_film_x(r, i, lane);
      double* v = rv_rig_film_v(r, i, lane);
      x[0] = s * cos(turned);
      x[RV_LANES] = s * sin(turned);
      v[0] = -omega * x[RV_LANES];
      v[RV_LANES] = omega * x[0];
    }
}

// Film at rest on a strand that starts to rotate: largest errors of the speed (over omega L) and of the area (over A0)
// on the inner 80%, away from the outflow at the tip.
static RvResult spin(int n, double dt, double error_of[2], RvError* error) {
  const double length = LENGTH, omega = OMEGA, time = 0.08, h = 1e-4;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, n, 1, length, HAIR_RADIUS, error);
  if (result) return result;
  for (int i = 0; i < n; ++i) rv_rig_film_set_height(&r, i, h);
  turn_to(&r, length, 0, omega);
  r.def.dt = dt;
  int steps = (int)lround(time / dt);
  for (int k = 1; k <= steps && !result; ++k) {
    rv_rig_film_save_before(&r);
    turn_to(&r, length, omega * dt * k, omega);
    result = rv_rig_film_step(&r, error);
  }
  error_of[0] = error_of[1] = 0;
  for (int i = 0; i < (n * 4) / 5; ++i) {
    double x = length * (i + 0.5) / (n - 1), area = rv_film_area(rv_rig_film_height(&r, i), HAIR_RADIUS);
    error_of[0] = fmax(error_of[0], fabs(rv_rig_film_speed(&r, i) - omega * x * tanh(omega * time)) / (omega * length));
    error_of[1] = fmax(error_of[1], fabs(area / rv_film_area(h, HAIR_RADIUS) - 1 / cosh(omega * time)));
  }
  rv_rig_film_free(&r);
  return result;
}

// Half the step and edge must give a quarter of the error.
RvResult rv_check_film_spin(const RvCheckOut* out, RvError* error) {
  double coarse[2], fine[2];
  RvResult result = spin(41, 2e-4, coarse, error);
  if (!result) result = spin(81, 1e-4, fine, error);
  if (result) return result;
  // omega dt.
  rv_check_emit(out, "speed", fine[0], 0, OMEGA * 1e-4);
  rv_check_emit(out, "area", fine[1], 0, OMEGA * 1e-4);
  rv_check_emit(out, "speed_order", coarse[0] / fine[0], 4, 1);
  rv_check_emit(out, "area_order", coarse[1] / fine[1], 4, 1);
  return RV_OK;
}

// A rigid hair that rotates freely about its root: its one unknown is the rate, driven by load, force and impulse of
// the film only.
typedef struct Rotor {
  double angle, omega;
} Rotor;

// Moment of inertia of hair and film about the root.
static double inertia(const RvFilmRig* r) {
  double sum = 0;
  for (int i = 0; i < r->n; ++i) {
    double x = r->x[4 * i * RV_LANES], y = r->x[(4 * i + 1) * RV_LANES];
    sum += (r->hair_mass[i * RV_LANES] + r->load[i * RV_LANES]) * (x * x + y * y);
  }
  return sum;
}

// Torque about z of forces or impulses on the vertices.
static double torque(const RvFilmRig* r, const double* force) {
  double sum = 0;
  for (int i = 0; i < r->n; ++i) {
    size_t k = (size_t)(4 * i) * RV_LANES;
    sum += r->x[k] * force[k + RV_LANES] - r->x[k + RV_LANES] * force[k];
  }
  return sum;
}

// Load and force of the film at the current state.
static RvResult update_load(RvFilmRig* r, RvError* error) {
  RvFilmStepDef now = r->def;
  now.x_before = r->x;
  now.v_before = r->v;
  for (size_t k = 0; k < r->model.unknowns; ++k) r->force[k] = 0;
  return rv_film_load(&r->model, &r->state, &now, r->load, r->slide, r->turn, r->force, error);
}

// Force, rotation, the film's step, impulse.
static RvResult rotor_step(RvFilmRig* r, Rotor* rotor, double length, RvError* error) {
  rv_rig_film_save_before(r);
  RvResult result = update_load(r, error);
  if (result) return result;
  rotor->omega += r->def.dt * torque(r, r->force) / inertia(r);
  rotor->angle += r->def.dt * rotor->omega;
  turn_to(r, length, rotor->angle, rotor->omega);
  result = rv_rig_film_step(r, error);
  if (!result) result = update_load(r, error);
  rotor->omega += torque(r, r->kick) / inertia(r);
  turn_to(r, length, rotor->angle, rotor->omega);
  return result;
}

// 60 ms of the rotor: relative drift of the angular momentum, and final over first rate. `drop`: a droplet instead of a
// smooth film; `naive`: velocities rescaled locally.
static RvResult rotor_run(bool naive, bool drop, double dt, double* drift, double* slower, RvError* error) {
  const double length = LENGTH, radius = HAIR_RADIUS;
  RvFilmRig r;
  Rotor rotor = {.omega = OMEGA};
  RvResult result = rv_rig_film_new(&r, 101, 1, length, radius, error);
  if (result) return result;
  // A film that thins out before the tip, or a drop.
  for (int i = 0; i < r.n; ++i) {
    double s = i / 100.0, h = drop      ? fmax(1 - pow((s - 0.3) / 0.15, 2), 0)
                              : s < 0.6 ? pow(cos(0.5 * RV_PI * s / 0.6), 2)
                                        : 0;
    rv_rig_film_set_height(&r, i, 3e-4 * h);
  }
  // A little friction, and the angular momentum at the start.
  r.def.dt = dt;
  r.local_rescaling = naive;
  r.def.settings.friction = 1;
  turn_to(&r, length, 0, rotor.omega);
  result = update_load(&r, error);
  double first = inertia(&r) * rotor.omega;
  int steps = (int)lround(0.06 / dt);
  for (int k = 0; k < steps && !result; ++k) result = rotor_step(&r, &rotor, length, error);
  *drift = inertia(&r) * rotor.omega / first - 1;
  *slower = rotor.omega / OMEGA;
  rv_rig_film_free(&r);
  return result;
}

// Short and long steps, a droplet, and local rescaling, which must fail.
RvResult rv_check_film_rotor(const RvCheckOut* out, RvError* error) {
  double drift, slower, drop, naive;
  RvResult result = rotor_run(false, false, 5e-5, &drift, &slower, error);
  if (result) return result;
  rv_check_emit(out, "angular_momentum", drift, 0, 1e-6);
  rv_check_emit(out, "it_turns_slower", slower < 0.8, 1, 0);
  result = rotor_run(false, false, 1e-3, &drift, &slower, error);
  if (!result) rv_check_emit(out, "long_steps", drift, 0, pow(OMEGA * 1e-3, 2));
  if (!result) result = rotor_run(false, true, 5e-5, &drop, &slower, error);
  if (!result) rv_check_emit(out, "with_a_drop", drop, 0, 1e-3);
  if (!result) result = rotor_run(true, false, 5e-5, &naive, &slower, error);
  if (!result) rv_check_emit(out, "local_rescaling_loses_it", fabs(naive) > 0.02, 1, 0);
  return result;
}
