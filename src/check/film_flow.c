// Checks of the film along a strand at rest: fall, friction, waves of tension, the incline, both ends (WH-20, 21, 23).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/film.h"

static RvResult run(RvFilmRig* r, int steps, RvError* error) {
  RvResult result = RV_OK;
  for (int k = 0; k < steps && !result; ++k) result = rv_rig_film_film(r, error);
  return result;
}

// A droplet without friction or tension: every edge that holds liquid has u = g t, and what it goes is the sum of its
// steps.
static RvResult fall(const RvCheckOut* out, RvError* error) {
  enum { STEPS = 80 };
  const double g = 9.81, dt = 1e-3;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 101, 1, 0.1, 5e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.02, 0.01, 5e-4);
  r.def.dt = dt;
  r.def.gravity[0] = g;
  double from = rv_rig_film_centre(&r), worst = 0, most = 0;
  for (int i = 0; i < r.n; ++i) most = fmax(most, rv_rig_film_height(&r, i));
  result = run(&r, STEPS, error);
  double way = g * dt * dt * STEPS * (STEPS + 1) / 2, highest = 0;
  for (int j = 0; j + 1 < r.n; ++j)
    if (rv_rig_film_height(&r, j) > 1e-12) worst = fmax(worst, fabs(rv_rig_film_speed(&r, j) / (g * dt * STEPS) - 1));
  for (int i = 0; i < r.n; ++i) highest = fmax(highest, rv_rig_film_height(&r, i));
  if (!result) {
    rv_check_emit(out, "fall_speed", worst, 0, 1e-9);
    rv_check_emit(out, "fall_way", (rv_rig_film_centre(&r) - from) / way, 1, 0.01);
    rv_check_emit(out, "fall_no_new_height", fmax(highest / most - 1, 0), 0, 1e-12);
  }
  rv_rig_film_free(&r);
  return result;
}

// A droplet that slides without any force, through cells of unequal length, many in a step: it goes u t.
static RvResult translate(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 201, 1, 0.1, 5e-5, error);
  if (result) return result;
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = 0; i < r.n; ++i) *rv_rig_film_x(&r, i, lane) = 5e-4 * i + 1.2e-4 * sin(1.7 * i);
  rv_rig_film_keep(&r);
  rv_rig_film_put_drop(&r, 0.02, 0.01, 5e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.5);
  r.def.dt = 4e-3;
  double from = rv_rig_film_centre(&r), worst = 0;
  result = run(&r, 30, error);
  for (int j = 0; j + 1 < r.n; ++j)
    if (rv_rig_film_height(&r, j) > 1e-12) worst = fmax(worst, fabs(rv_rig_film_speed(&r, j) / 0.5 - 1));
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

// Mean speed of a uniform film of height h that runs down a vertical fibre, over the annulus' own: a (r + h)^2 / (4 nu)
// (...), and slip; implicit friction has its steady state exactly, so what is left is the fit of the annulus.
static RvResult steady(double h, double radius, double slip, double dt, double* ratio, RvError* error) {
  const double g = 9.81, nu = 1e-6, outer = radius + h, square = outer * outer, inner = radius * radius;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 41, 1, 0.04, radius, error);
  if (result) return result;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, h);
  r.def.gravity[0] = g;
  r.def.dt = dt;
  r.def.settings.viscous = true;
  r.def.settings.slip = slip;
  for (int k = 0; k < 30 && !result; ++k) {
    result = rv_rig_film_film(&r, error);
    // what runs off comes back at the root
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

RvResult rv_check_film_friction(const RvCheckOut* out, RvError* error) {
  static const double height[] = {1e-6, 1e-5, 5e-5, 1.5e-4}, slip[] = {0, 2e-6};
  double worst = 0, ratio;
  RvResult result = RV_OK;
  // the thicker the film, the longer it takes: the steps are as long as that
  for (int k = 0; k < 8 && !result; ++k) {
    double h = height[k % 4], time = h * h / 3e-6;
    result = steady(h, 5e-5, slip[k / 4], fmax(3 * time, 1e-3), &ratio, error);
    worst = fmax(worst, fabs(ratio - 1));
  }
  if (result) return result;
  rv_check_emit(out, "annulus", worst, 0, 0.01);
  RvFilmRig r;
  result = rv_rig_film_new(&r, 41, 1, 0.04, 5e-5, error);
  if (result) return result;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, 1e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.01);
  r.def.settings.friction = 5;
  r.def.dt = 1e-3;
  result = run(&r, 200, error);
  if (!result) rv_check_emit(out, "artist", rv_rig_film_speed(&r, 3) / (0.01 * pow(1 + 5e-3, -200)), 1, 1e-3);
  rv_rig_film_free(&r);
  return result;
}

// Quarter of a period of a standing wave with its crest at the root, over the theory's.
static RvResult wave(int waves, int n, double dt_part, double* ratio, double* kept, RvError* error) {
  const double length = 0.02, radius = 5e-5, h = 1e-4, tension = 0.072, k = RV_PI * waves / length;
  const double omega = k * k * sqrt(tension * rv_film_area(h, radius) / (2 * RV_PI * (radius + h) * 1000));
  const double size = 1e-3 * h, period = 2 * RV_PI / omega;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, n, 1, length, radius, error);
  if (result) return result;
  r.model.liquid.tension = tension;
  r.def.dt = period * dt_part;
  for (int i = 0; i < n; ++i) rv_rig_film_set_height(&r, i, h + size * cos(k * rv_rig_film_place(&r, i)));
  double before = size, crossed = 0, least = 0;
  int steps = (int)(0.55 / dt_part);
  for (int step = 1; step <= steps && !result; ++step) {
    result = rv_rig_film_film(&r, error);
    double now = rv_rig_film_height(&r, 0) - h;
    if (before > 0 && now <= 0 && crossed == 0) crossed = r.def.dt * (step - now / (now - before));
    before = now;
    least = fmin(least, now);
  }
  *ratio = 4 * crossed / period;
  *kept = -least / size;
  rv_rig_film_free(&r);
  return result;
}

// Film on a short strand that stands up from its root: it settles to the cubic of E49 between two mirrors.
static RvResult incline(const RvCheckOut* out, RvError* error) {
  enum { COUNT = 41 };
  const double length = 2e-3, g = 5, tension = 0.072, slope = 1000 * g / tension;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, COUNT, 1, length, 5e-5, error);
  if (result) return result;
  for (int i = 0; i < COUNT; ++i) rv_rig_film_set_height(&r, i, 2e-4);
  r.model.liquid.tension = tension;
  r.def.gravity[0] = -g;
  r.def.gravity[1] = -9;
  r.def.dt = 1e-3;
  r.def.settings.friction = 400;
  result = run(&r, 4000, error);
  // h''' = rho g / sigma with h' = 0 at both ends; the constant is what volume leaves
  double mean = 0, most = 0, scale = 0, level[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    double x = rv_rig_film_place(&r, i), cubic = slope * (x * x * x / 6 - length * x * x / 4);
    level[i] = rv_rig_film_height(&r, i) - cubic;
    mean += level[i] / COUNT;
    scale = fmax(scale, fabs(cubic));
  }
  for (int i = 0; i < COUNT; ++i) most = fmax(most, fabs(level[i] - mean));
  if (!result) {
    rv_check_emit(out, "incline", most / scale, 0, 0.002);
    // the strand holds the film's weight along itself: what friction did not give it before
    double hold = 0.4 / 1.4, push = 0, weight = g * 1000 * (rv_rig_film_volume(&r) - r.state.drop[0]) * r.def.dt;
    for (int i = 0; i < COUNT; ++i) push += r.kick[4 * i * RV_LANES];
    rv_check_emit(out, "strand_holds_it", -push / weight + hold, 1, 1e-6);
  }
  rv_rig_film_free(&r);
  return result;
}

// Short edges and long steps: what explicit tension would tear apart stays bounded (E49: 0.3 ms at 0.2 mm).
static RvResult stiff(double dt, double* most, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 101, 1, 0.02, 5e-5, error);
  if (result) return result;
  r.model.liquid.tension = 0.072;
  r.def.dt = dt;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, 1e-4 * (1 + 0.2 * sin(2.7 * i * i)));
  *most = 0;
  for (int k = 0; k < 200 && !result; ++k) {
    result = rv_rig_film_film(&r, error);
    for (int j = 0; j + 1 < r.n; ++j) *most = fmax(*most, fabs(rv_rig_film_speed(&r, j)));
  }
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_tension(const RvCheckOut* out, RvError* error) {
  double ratio, kept, fine, most[2];
  RvResult result = wave(4, 161, 1e-3, &ratio, &kept, error);
  if (!result) result = wave(2, 161, 1e-3, &fine, &kept, error);
  if (result) return result;
  rv_check_emit(out, "wave_4", ratio, 1, 0.01);
  rv_check_emit(out, "wave_2", fine, 1, 0.01);
  rv_check_emit(out, "wave_comes_back", kept, 1, 0.1);
  result = incline(out, error);
  if (!result) result = stiff(4e-3, &most[0], error);
  if (!result) result = stiff(0.04, &most[1], error);
  // slopes of 0.1 rms have the energy sigma / 2 h'^2 2 pi (r + h) a length, which is that of 0.1 m/s rms: three times
  // it
  if (!result) rv_check_emit(out, "long_steps", fmax(most[0], most[1]), 0, 0.3);
  return result;
}

// The tip lets all out, and what came is what A u said; at the root nothing leaves and what comes turns round.
RvResult rv_check_film_ends(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 61, 1, 0.03, 5e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.02, 0.006, 3e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.25);
  double first = rv_rig_film_volume(&r), sum = 0;
  r.def.dt = 2e-4;
  for (int k = 0; k < 400 && !result; ++k) {
    double area = r.state.volume[(r.n - 1) * RV_LANES] / (0.5 * 0.03 / 60);
    sum += area * rv_rig_film_speed(&r, r.n - 2) * r.def.dt;
    result = rv_rig_film_film(&r, error);
  }
  if (!result) {
    rv_check_emit(out, "tip_takes_all", r.state.drop[0] / first, 1, 1e-3);
    rv_check_emit(out, "tip_flux", sum / r.report.outflow, 1, 1e-12);
    rv_check_emit(out, "tip_momentum", r.state.drop_momentum[0] / (1000 * r.state.drop[0] * 0.25), 1, 1e-9);
  }
  rv_rig_film_free(&r);
  if (!result) result = rv_rig_film_new(&r, 61, 1, 0.03, 5e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.006, 0.004, 2e-4);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, -0.03);
  r.model.liquid.tension = 0.072;
  r.def.dt = 1e-3;
  first = rv_rig_film_volume(&r);
  double nearest = 1, later = 0;
  for (int k = 0; k < 400 && !result; ++k) {
    result = rv_rig_film_film(&r, error);
    double centre = rv_rig_film_centre(&r);
    nearest = fmin(nearest, centre);
    later = fmax(later, centre - nearest);
  }
  if (!result) {
    rv_check_emit(out, "root_keeps_all", rv_rig_film_volume(&r) / first, 1, 1e-12);
    rv_check_emit(out, "root_turns_it", later > 1e-3, 1, 0);
  }
  rv_rig_film_free(&r);
  // without tension it stops there, and does not hold a speed that leads nowhere
  if (!result) result = rv_rig_film_new(&r, 61, 1, 0.03, 5e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.006, 0.004, 2e-4);
  r.def.gravity[0] = -9.81;
  double push = 0;
  result = run(&r, 400, error);
  for (int i = 0; i < r.n; ++i) push += r.kick[4 * i * RV_LANES];
  if (!result) rv_check_emit(out, "root_bears_it", -push / (9.81 * 1000 * rv_rig_film_volume(&r) * r.def.dt), 1, 0.02);
  rv_rig_film_free(&r);
  return result;
}
