// Checks of the film's balances: volume and momentum in rough states, lateral motion, turning (WH-19, 21, 23 to 26).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/film.h"

enum { N = 33 };

static double hash(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

// unequal edges in all directions, film here and there, speeds both ways, wet and dry neighbours
static void roughen(RvFilmRig* r, uint64_t seed) {
  for (int lane = 0; lane < r->lanes; ++lane) {
    double x[3] = {0, 0, 0}, d[3] = {1, 0, 0};
    for (int i = 0; i < r->n; ++i) {
      for (int c = 0; c < 3; ++c) {
        rv_rig_film_x(r, i, lane)[c * RV_LANES] = x[c];
        rv_rig_film_v(r, i, lane)[c * RV_LANES] = 2 * hash(&seed) - 1;
        d[c] += 0.8 * (hash(&seed) - 0.5);
      }
      double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), edge = 1e-3 * (0.5 + 2 * hash(&seed));
      for (int c = 0; c < 3; ++c) {
        d[c] /= size;
        x[c] += edge * d[c];
      }
      size_t k = (size_t)(i * RV_LANES + lane);
      double height = hash(&seed) < 0.3 ? 0 : 3e-4 * hash(&seed) * hash(&seed);
      r->hairs[k] = 1 + (lane % 3) * 4;
      r->state.volume[k] = rv_film_area(height, r->radius[k]) * r->hairs[k] * 1e-3;
      if (i + 1 < r->n) r->state.speed[k] = 4 * hash(&seed) - 2;
      rv_rig_film_v(r, i, lane)[3 * RV_LANES] = i + 1 < r->n ? 20 * hash(&seed) - 10 : 0;
    }
  }
  rv_rig_film_keep(r);
}

typedef struct Rough {
  double drift, least, limited, momentum, outflow, moved;
} Rough;

static double least_volume(const RvFilmRig* r) {
  double least = 0;
  for (size_t k = 0; k < r->model.vertices; ++k) least = fmin(least, r->state.volume[k]);
  return least;
}

static double spin_of(const RvFilmRig* r) {
  double sum = 0;
  for (int i = 0; i + 1 < r->n; ++i)
    for (int lane = 0; lane < r->lanes; ++lane)
      sum += (r->hair_turn[i * RV_LANES + lane] + r->turn[i * RV_LANES + lane]) * r->v[(4 * i + 3) * RV_LANES + lane];
  return sum;
}

static RvResult rough(uint64_t seed, int most_substeps, double dt, Rough* out, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, RV_LANES, 0.03, 4e-5, error);
  if (result) return result;
  roughen(&r, seed);
  r.model.liquid.tension = 0.072;
  r.def.dt = dt;
  r.def.gravity[0] = 6;
  r.def.gravity[1] = -7;
  r.def.settings = (RvFilmSettings){.friction = 3, .viscous = true, .slip = 1e-6, .most_substeps = most_substeps};
  double first = rv_rig_film_volume(&r), mass = 0;
  for (int k = 0; k < 40 && !result; ++k) {
    double before = rv_rig_film_volume(&r), p0[3], p1[3], scale = 0;
    rv_rig_film_momentum(&r, p0);
    result = rv_rig_film_free_step(&r, 0, error);
    if (result) break;
    rv_rig_film_momentum(&r, p1);
    mass = 0;
    for (size_t i = 0; i < r.model.vertices; ++i) {
      mass += r.hair_mass[i] + r.load[i];
      scale += (r.hair_mass[i] + r.load[i]) * (1 + fabs(r.v[i]));
    }
    out->drift = fmax(out->drift, fabs(rv_rig_film_volume(&r) - before) / first);
    out->least = fmin(out->least, least_volume(&r));
    for (int c = 0; c < 3; ++c)
      out->momentum = fmax(out->momentum, fabs(p1[c] - p0[c] - mass * dt * r.def.gravity[c]) / scale);
    out->moved = fmax(out->moved, fabs(r.kick[4 * RV_LANES * (N / 2)]) / scale);
  }
  out->limited += (double)r.report.limited;
  out->outflow += r.report.outflow / first;
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_volume(const RvCheckOut* out, RvError* error) {
  Rough free = {0}, capped = {0};
  RvResult result = RV_OK;
  for (uint64_t seed = 1; seed <= 4 && !result; ++seed) {
    result = rough(seed, 100000, 1e-4 * pow(10, (double)(seed % 4)), &free, error);
    if (!result) result = rough(seed, 1, 0.04, &capped, error);
  }
  if (result) return result;
  rv_check_emit(out, "drift_a_step", fmax(free.drift, capped.drift), 0, 1e-12);
  rv_check_emit(out, "below_zero", fmin(free.least, capped.least), 0, 0);
  rv_check_emit(out, "flows_off_the_tip", free.outflow > 1e-3 && capped.outflow > 1e-3, 1, 0);
  rv_check_emit(out, "capped_steps_are_told", capped.limited > 0 && free.limited == 0, 1, 0);
  return RV_OK;
}

RvResult rv_check_film_momentum(const RvCheckOut* out, RvError* error) {
  Rough all = {0};
  RvResult result = RV_OK;
  for (uint64_t seed = 11; seed <= 14 && !result; ++seed)
    result = rough(seed, 1000, 2e-4 * pow(5, (double)(seed % 4)), &all, error);
  if (result) return result;
  rv_check_emit(out, "momentum_a_step", all.momentum, 0, 1e-12);
  rv_check_emit(out, "something_was_exchanged", all.moved > 1e-9, 1, 0);
  return RV_OK;
}

// A droplet of a hundred times the hair's mass near the top of a vertical strand: largest sideways velocity that a
// strand gets that moves sideways as a whole while a droplet slides down it
static RvResult lateral(bool naive, double* worst, RvError* error) {
  const double speed = 0.2;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 48, 1, 0.047, 5e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.008, 0.004, 1e-3);
  // along x, which falls; y and z go sideways
  r.def.gravity[0] = 9.81;
  r.local_rescaling = naive;
  r.model.liquid.tension = 0.072;
  r.def.settings.friction = 1;
  for (int i = 0; i < r.n; ++i) {
    rv_rig_film_v(&r, i, 0)[RV_LANES] = speed;
    rv_rig_film_v(&r, i, 0)[2 * RV_LANES] = -speed;
  }
  *worst = 0;
  for (int k = 0; k < 120 && !result; ++k) {
    // held along itself, as hair that hangs from its root
    result = rv_rig_film_free_step(&r, 1, error);
    for (int i = 0; i < r.n; ++i)
      *worst = fmax(*worst, fmax(fabs(rv_rig_film_v(&r, i, 0)[RV_LANES] / speed - 1),
                                 fabs(rv_rig_film_v(&r, i, 0)[2 * RV_LANES] / speed + 1)));
  }
  // the droplet did slide
  if (!result && !(rv_rig_film_centre(&r) > 0.03)) *worst = INFINITY;
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_lateral(const RvCheckOut* out, RvError* error) {
  double carried, naive;
  RvResult result = lateral(false, &carried, error);
  if (!result) result = lateral(true, &naive, error);
  if (result) return result;
  rv_check_emit(out, "uniform", carried, 0, 1e-10);
  rv_check_emit(out, "local_rescaling_bends_it", naive > 0.1, 1, 0);
  return RV_OK;
}

// Twist: in rough states with fixed places the film's and the hair's turning together stay.
static RvResult twist_rough(double* worst, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, RV_LANES, 0.03, 4e-5, error);
  if (result) return result;
  roughen(&r, 5);
  // nothing leaves the tip, which would take turning along
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = N - 16; i < N; ++i) {
      r.state.volume[i * RV_LANES + lane] = 0;
      r.state.speed[(i - 1) * RV_LANES + lane] = 0;
    }
  *worst = 0;
  r.def.dt = 1e-4;
  for (int i = 0; i < N; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int c = 0; c < 3; ++c) rv_rig_film_v(&r, i, lane)[c * RV_LANES] = 0;
  rv_rig_film_keep(&r);
  rv_film_load(&r.model, &r.state, &r.def, r.load, r.slide, r.turn, r.force);
  double before = spin_of(&r), scale = 0;
  for (int i = 0; i + 1 < N; ++i) scale += (r.hair_turn[i * RV_LANES] + r.turn[i * RV_LANES]) * 10 * RV_LANES;
  for (int k = 0; k < 5 && !result; ++k) {
    result = rv_rig_film_free_step(&r, 7, error);
    double now = spin_of(&r);
    *worst = fmax(*worst, fabs(now - before) / scale);
    before = now;
  }
  rv_rig_film_free(&r);
  return result;
}

// A droplet that turns with light hair takes its turning along: mean rate where it came to, over the first.
static RvResult twist_drop(double* ratio, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 200, 1, 0.05, 2e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.012, 0.006, 1e-3);
  for (int j = 0; j + 1 < r.n; ++j) {
    double s = rv_rig_film_place(&r, j);
    rv_rig_film_set_speed(&r, j, 0.2);
    for (int lane = 0; lane < RV_LANES; ++lane) {
      r.hair_turn[j * RV_LANES + lane] *= 1e-3;
      rv_rig_film_v(&r, j, lane)[3 * RV_LANES] = s < 0.02 ? 5 : 0;
    }
  }
  rv_rig_film_keep(&r);
  for (int k = 0; k < 100 && !result; ++k) result = rv_rig_film_free_step(&r, 7, error);
  double spin = 0, inertia = 0;
  for (int j = 0; j + 1 < r.n; ++j) {
    spin += r.turn[j * RV_LANES] * rv_rig_film_v(&r, j, 0)[3 * RV_LANES];
    inertia += r.turn[j * RV_LANES];
  }
  *ratio = spin / inertia / 5;
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_twist(const RvCheckOut* out, RvError* error) {
  double worst, ratio;
  RvResult result = twist_rough(&worst, error);
  if (!result) result = twist_drop(&ratio, error);
  if (result) return result;
  rv_check_emit(out, "turning_a_step", worst, 0, 1e-12);
  rv_check_emit(out, "goes_with_the_drop", ratio, 1, 0.02);
  return RV_OK;
}
