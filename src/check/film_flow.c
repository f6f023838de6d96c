// Checks of the film along a strand at rest: fall, friction, capillary waves, hydrostatic shape, both ends (WH-20,
// WH-21, WH-23, WH-28).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/film.h"

static const double GRAVITY = 9.81;      // m/s2
static const double TENSION = 0.072;     // N/m, water
static const double DENSITY = 1000;      // kg/m3
static const double HAIR_RADIUS = 5e-5;  // m
static const double DRY = 1e-12;         // m: edges with less film have no speed to compare

// Steps of the film on a strand that does not move.
static RvResult run_steps(RvFilmRig* r, int steps, RvError* error) {
  RvResult result = RV_OK;
  for (int k = 0; k < steps && !result; ++k) result = rv_rig_film_step(r, error);
  return result;
}

// A droplet without friction or tension: every wet edge has u = g t, and the centre moves by the sum of its steps.
static RvResult fall(const RvCheckOut* out, RvError* error) {
  enum { STEPS = 80 };
  const double g = GRAVITY, dt = 1e-3;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 101, 1, 0.1, HAIR_RADIUS, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.02, 0.01, 5e-4);
  r.def.dt = dt;
  r.def.gravity[0] = g;
  double from = rv_rig_film_centre(&r), worst = 0, start_height = 0;
  for (int i = 0; i < r.n; ++i) start_height = fmax(start_height, rv_rig_film_height(&r, i));
  result = run_steps(&r, STEPS, error);
  double path = g * dt * dt * STEPS * (STEPS + 1) / 2, highest = 0;
  for (int j = 0; j + 1 < r.n; ++j)
    if (rv_rig_film_height(&r, j) > DRY) worst = fmax(worst, fabs(rv_rig_film_speed(&r, j) / (g * dt * STEPS) - 1));
  for (int i = 0; i < r.n; ++i) highest = fmax(highest, rv_rig_film_height(&r, i));
  if (!result) {
    // Sums of 80 steps; the slope limiter at the drop's ends delays it.
    rv_check_emit(out, "fall_speed", worst, 0, 1e-9);
    rv_check_emit(out, "fall_way", (rv_rig_film_centre(&r) - from) / path, 1, 0.01);
    rv_check_emit(out, "fall_no_new_height", fmax(highest / start_height - 1, 0), 0, 1e-12);
  }
  rv_rig_film_free(&r);
  return result;
}

// A droplet that slides without any force through cells of unequal length, several a step: it moves by u t.
static RvResult translate(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 201, 1, 0.1, HAIR_RADIUS, error);
  if (result) return result;
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = 0; i < r.n; ++i) *rv_rig_film_x(&r, i, lane) = 5e-4 * i + 1.2e-4 * sin(1.7 * i);
  rv_rig_film_save_before(&r);
  rv_rig_film_put_drop(&r, 0.02, 0.01, 5e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.5);
  r.def.dt = 4e-3;
  double from = rv_rig_film_centre(&r), worst = 0;
  result = run_steps(&r, 30, error);
  for (int j = 0; j + 1 < r.n; ++j)
    if (rv_rig_film_height(&r, j) > DRY) worst = fmax(worst, fabs(rv_rig_film_speed(&r, j) / 0.5 - 1));
  if (!result) {
    rv_check_emit(out, "slide_speed", worst, 0, 1e-12);
    rv_check_emit(out, "slide_way", (rv_rig_film_centre(&r) - from) / (0.5 * 30 * 4e-3), 1, 0.01);
    rv_check_emit(out, "slide_substeps", r.report.substeps > 4, 1, 0);
  }
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_fall(const RvCheckOut* out, RvError* error) {
  RvResult result = fall(out, error);
  return result ? result : translate(out, error);
}

// Terminal speed of a uniform film of height h on a vertical fibre, over the mean speed of laminar flow in an annulus
// with a free outer surface and slip at the fibre. Implicit friction has an exact steady state, so the difference is
// that of the film's rational fit of the annulus.
static RvResult steady(double h, double radius, double slip, double dt, double* ratio, RvError* error) {
  const double g = GRAVITY, nu = 1e-6;
  const double outer = radius + h;
  const double square = outer * outer;
  const double inner = radius * radius;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 41, 1, 0.04, radius, error);
  if (result) return result;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, h);
  // 30 steps reach the steady state.
  r.def.gravity[0] = g;
  r.def.dt = dt;
  r.def.settings.viscous = true;
  r.def.settings.slip = slip;
  for (int k = 0; k < 30 && !result; ++k) {
    result = rv_rig_film_step(&r, error);
    // The film stays uniform: what flows off is replaced.
    for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, h);
  }
  double mean = g / (4 * nu) / (square - inner) *
                    (2 * square * square * log(outer / radius) - square * (square - inner) -
                     0.5 * (square - inner) * (square - inner)) +
                slip * g * (square - inner) / (2 * radius * nu);
  *ratio = rv_rig_film_speed(&r, 20) / mean;
  rv_rig_film_free(&r);
  return result;
}

// Heights of 1 to 150 micrometres, without and with slip of 2 micrometres; then an artist's rate.
RvResult rv_check_film_friction(const RvCheckOut* out, RvError* error) {
  static const double height[] = {1e-6, 1e-5, 5e-5, 1.5e-4}, slip[] = {0, 2e-6};
  double worst = 0, ratio;
  RvResult result = RV_OK;
  // The time to the steady state grows with h^2 / nu, and the steps with it.
  for (int k = 0; k < 8 && !result; ++k) {
    double h = height[k % 4], time = h * h / 3e-6;
    result = steady(h, HAIR_RADIUS, slip[k / 4], fmax(3 * time, 1e-3), &ratio, error);
    worst = fmax(worst, fabs(ratio - 1));
  }
  if (result) return result;
  rv_check_emit(out, "annulus", worst, 0, 0.01);
  RvFilmRig r;
  result = rv_rig_film_new(&r, 41, 1, 0.04, HAIR_RADIUS, error);
  if (result) return result;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, 1e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.01);
  r.def.settings.friction = 5;
  r.def.dt = 1e-3;
  result = run_steps(&r, 200, error);
  if (!result) rv_check_emit(out, "artist", rv_rig_film_speed(&r, 3) / (0.01 * pow(1 + 5e-3, -200)), 1, 1e-3);
  rv_rig_film_free(&r);
  return result;
}

// A standing capillary wave with its crest at the root: period over the theory's from the first zero crossing, and the
// amplitude of the opposite phase over the first.
static RvResult wave(int waves, int n, double dt_part, double* ratio, double* amplitude_ratio, RvError* error) {
  const double length = 0.02, radius = HAIR_RADIUS, h = 1e-4, tension = TENSION;
  const double k = RV_PI * waves / length;
  const double omega = k * k * sqrt(tension * rv_film_area(h, radius) / (2 * RV_PI * (radius + h) * DENSITY));
  const double size = 1e-3 * h, period = 2 * RV_PI / omega;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, n, 1, length, radius, error);
  if (result) return result;
  r.model.liquid.tension = tension;
  r.def.dt = period * dt_part;
  for (int i = 0; i < n; ++i) rv_rig_film_set_height(&r, i, h + size * cos(k * rv_rig_film_arclength(&r, i)));
  // A little more than half a period.
  double before = size, crossed = 0, least = 0;
  int steps = (int)(0.55 / dt_part);
  for (int step = 1; step <= steps && !result; ++step) {
    result = rv_rig_film_step(&r, error);
    double now = rv_rig_film_height(&r, 0) - h;
    if (before > 0 && now <= 0 && crossed == 0) crossed = r.def.dt * (step - now / (now - before));
    before = now;
    least = fmin(least, now);
  }
  *ratio = 4 * crossed / period;
  *amplitude_ratio = -least / size;
  rv_rig_film_free(&r);
  return result;
}

// Film on a short strand that stands up from its root settles to the cubic of E49 between two symmetric ends.
static RvResult incline(const RvCheckOut* out, RvError* error) {
  enum { COUNT = 41 };
  const double length = 2e-3, g = 5, tension = TENSION;
  const double slope = DENSITY * g / tension;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, COUNT, 1, length, HAIR_RADIUS, error);
  if (result) return result;
  for (int i = 0; i < COUNT; ++i) rv_rig_film_set_height(&r, i, 2e-4);
  r.model.liquid.tension = tension;
  r.def.gravity[0] = -g;
  r.def.gravity[1] = -9;
  r.def.dt = 1e-3;
  r.def.settings.friction = 400;
  result = run_steps(&r, 4000, error);
  // h''' = rho g / sigma with h' = 0 at both ends; the constant follows from the volume.
  double mean = 0, largest_error = 0, scale = 0, level[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    double x = rv_rig_film_arclength(&r, i), cubic = slope * (x * x * x / 6 - length * x * x / 4);
    level[i] = rv_rig_film_height(&r, i) - cubic;
    mean += level[i] / COUNT;
    scale = fmax(scale, fabs(cubic));
  }
  for (int i = 0; i < COUNT; ++i) largest_error = fmax(largest_error, fabs(level[i] - mean));
  if (!result) {
    rv_check_emit(out, "incline", largest_error / scale, 0, 0.002);
    // The strand bears the film's weight along its axis. The share that friction bears within a step, k dt / (1 + k dt)
    // with k = 400/s, is not in the impulse.
    double friction_share = 0.4 / 1.4, push = 0,
           weight = g * DENSITY * (rv_rig_film_volume(&r) - r.state.drop[0]) * r.def.dt;
    for (int i = 0; i < COUNT; ++i) push += r.kick[4 * i * RV_LANES];
    rv_check_emit(out, "strand_holds_it", -push / weight + friction_share, 1, 1e-6);
  }
  rv_rig_film_free(&r);
  return result;
}

// Edges of 0.2 mm and long steps: explicit tension would be unstable above 0.3 ms (E49). Gives the largest film speed.
static RvResult stiff(double dt, double* largest_speed, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 101, 1, 0.02, HAIR_RADIUS, error);
  if (result) return result;
  r.model.liquid.tension = TENSION;
  r.def.dt = dt;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, 1e-4 * (1 + 0.2 * sin(2.7 * i * i)));
  *largest_speed = 0;
  for (int k = 0; k < 200 && !result; ++k) {
    result = rv_rig_film_step(&r, error);
    for (int j = 0; j + 1 < r.n; ++j) *largest_speed = fmax(*largest_speed, fabs(rv_rig_film_speed(&r, j)));
  }
  rv_rig_film_free(&r);
  return result;
}

// Waves of two lengths, the hydrostatic shape, and long steps (WH-20, WH-23).
RvResult rv_check_film_tension(const RvCheckOut* out, RvError* error) {
  double ratio, amplitude_ratio, fine, largest_speed[2];
  RvResult result = wave(4, 161, 1e-3, &ratio, &amplitude_ratio, error);
  if (!result) result = wave(2, 161, 1e-3, &fine, &amplitude_ratio, error);
  if (result) return result;
  // 40 edges a half wave leave 0.1%; the rest flows out at the open tip.
  rv_check_emit(out, "wave_4", ratio, 1, 0.01);
  rv_check_emit(out, "wave_2", fine, 1, 0.01);
  rv_check_emit(out, "wave_comes_back", amplitude_ratio, 1, 0.1);
  result = incline(out, error);
  if (!result) result = stiff(4e-3, &largest_speed[0], error);
  if (!result) result = stiff(0.04, &largest_speed[1], error);
  // Slopes of 0.1 rms have the surface energy sigma / 2 h'^2 2 pi (r + h) a length, the kinetic energy of 0.1 m/s rms;
  // the largest speed may be three times the rms.
  if (!result) rv_check_emit(out, "long_steps", fmax(largest_speed[0], largest_speed[1]), 0, 0.3);
  return result;
}

// The strand of film_ends.
enum { END_VERTICES = 61 };
#define END_LENGTH 0.03  // m

static RvResult new_end_rig(RvFilmRig* r, RvError* error) {
  return rv_rig_film_new(r, END_VERTICES, 1, END_LENGTH, HAIR_RADIUS, error);
}

// A drop runs off the tip: all of it leaves, at the rate A u, with its momentum.
static RvResult tip(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = new_end_rig(&r, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.02, 0.006, 3e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.25);
  double first = rv_rig_film_volume(&r), sum = 0;
  r.def.dt = 2e-4;
  for (int k = 0; k < 400 && !result; ++k) {
    double area = r.state.volume[(r.n - 1) * RV_LANES] / (0.5 * END_LENGTH / (END_VERTICES - 1));
    sum += area * rv_rig_film_speed(&r, r.n - 2) * r.def.dt;
    result = rv_rig_film_step(&r, error);
  }
  if (!result) {
    rv_check_emit(out, "tip_takes_all", r.state.drop[0] / first, 1, 1e-3);
    rv_check_emit(out, "tip_flux", sum / r.report.outflow, 1, 1e-12);
    rv_check_emit(out, "tip_momentum", r.state.drop_momentum[0] / (DENSITY * r.state.drop[0] * 0.25), 1, 1e-9);
  }
  rv_rig_film_free(&r);
  return result;
}

// A drop runs into the root: nothing leaves, and tension reflects it.
static RvResult root_with_tension(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = new_end_rig(&r, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.006, 0.004, 2e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, -0.03);
  r.model.liquid.tension = TENSION;
  r.def.dt = 1e-3;
  double first = rv_rig_film_volume(&r);
  double nearest = 1, later = 0;
  for (int k = 0; k < 400 && !result; ++k) {
    result = rv_rig_film_step(&r, error);
    double centre = rv_rig_film_centre(&r);
    nearest = fmin(nearest, centre);
    later = fmax(later, centre - nearest);
  }
  if (!result) {
    rv_check_emit(out, "root_keeps_all", rv_rig_film_volume(&r) / first, 1, 1e-12);
    rv_check_emit(out, "root_turns_it", later > 1e-3, 1, 0);
  }
  rv_rig_film_free(&r);
  return result;
}

// Without tension the drop stops at the root, which bears its weight; no speed remains.
static RvResult root_without_tension(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = new_end_rig(&r, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.006, 0.004, 2e-4);
  r.def.gravity[0] = -GRAVITY;
  double push = 0;
  result = run_steps(&r, 400, error);
  for (int i = 0; i < r.n; ++i) push += r.kick[4 * i * RV_LANES];
  if (!result)
    rv_check_emit(out, "root_bears_it", -push / (GRAVITY * DENSITY * rv_rig_film_volume(&r) * r.def.dt), 1, 0.02);
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_ends(const RvCheckOut* out, RvError* error) {
  RvResult result = tip(out, error);
  if (!result) result = root_with_tension(out, error);
  return result ? result : root_without_tension(out, error);
}
