// Checks of the film's balances: volume and momentum in random states, lateral motion, rotation about the strand
// (WH-19, WH-21, WH-23 to WH-26).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/film.h"

enum { N = 33 };                         // vertices of a strand
static const double TENSION = 0.072;     // N/m, water
static const double HAIR_RADIUS = 4e-5;  // m
enum { FIXED_X = 1, FIXED_ALL = 7 };     // axes of rv_rig_film_free_step

// The next number of a linear congruential generator (Knuth's MMIX constants), 0 to 1.
static double random_number(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

// A random state: edges of 0.5 to 2.5 mm in all directions, film on 70% of the vertices, film speeds of 2 m/s both
// ways, strand velocities of 1 m/s, one to nine hairs a strand.
static void roughen(RvFilmRig* r, uint64_t seed) {
  for (int lane = 0; lane < r->lanes; ++lane) {
    double x[3] = {0, 0, 0}, d[3] = {1, 0, 0};
    for (int i = 0; i < r->n; ++i) {
      for (int c = 0; c < 3; ++c) {
        rv_rig_film_x(r, i, lane)[c * RV_LANES] = x[c];
        rv_rig_film_v(r, i, lane)[c * RV_LANES] = 2 * random_number(&seed) - 1;
        d[c] += 0.8 * (random_number(&seed) - 0.5);
      }
      // The next edge: a random walk of the direction.
      double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), edge = 1e-3 * (0.5 + 2 * random_number(&seed));
      for (int c = 0; c < 3; ++c) {
        d[c] /= size;
        x[c] += edge * d[c];
      }
      size_t k = (size_t)(i * RV_LANES + lane);
      double height = random_number(&seed) < 0.3 ? 0 : 3e-4 * random_number(&seed) * random_number(&seed);
      // Film, hairs and rotation of the vertex; film speed of the edge after it.
      r->hairs[k] = 1 + (lane % 3) * 4;
      r->state.volume[k] = rv_film_area(height, r->radius[k]) * r->hairs[k] * 1e-3;
      if (i + 1 < r->n) r->state.speed[k] = 4 * random_number(&seed) - 2;
      rv_rig_film_v(r, i, lane)[3 * RV_LANES] = i + 1 < r->n ? 20 * random_number(&seed) - 10 : 0;
    }
  }
  rv_rig_film_save_before(r);
}

typedef struct Rough {
  double drift;     // largest change of volume in a step, relative
  double least;     // smallest volume of a vertex
  double limited;   // steps that reached the limit of substeps
  double momentum;  // largest error of momentum in a step, relative
  double outflow;   // at the tip, relative to the film
  double moved;     // largest impulse on a middle vertex, relative
} Rough;

// Smallest volume of a vertex, at most 0.
static double least_volume(const RvFilmRig* r) {
  double least = 0;
  for (size_t k = 0; k < r->model.vertices; ++k) least = fmin(least, r->state.volume[k]);
  return least;
}

// Angular momentum of hair and film about the strands' axes.
static double spin_of(const RvFilmRig* r) {
  double sum = 0;
  for (int i = 0; i + 1 < r->n; ++i)
    for (int lane = 0; lane < r->lanes; ++lane)
      sum += (r->hair_turn[i * RV_LANES + lane] + r->turn[i * RV_LANES + lane]) * r->v[(4 * i + 3) * RV_LANES + lane];
  return sum;
}

// A bundle of strands: suction, space between the hairs and share of each vertex, as in RvFilmStepDef.
typedef struct Bundle {
  double suction[N * RV_LANES] __attribute__((aligned(64)));
  double free_area[N * RV_LANES] __attribute__((aligned(64)));
  double bundled[N * RV_LANES] __attribute__((aligned(64)));
} Bundle;

// Hairs 0.1 to 0.4 mm apart in a part of the vertices, so that bundles begin and end along a strand.
static void bind(RvFilmRig* r, Bundle* bundle, uint64_t seed) {
  for (size_t k = 0; k < (size_t)(N * RV_LANES); ++k) {
    double distance = 1e-4 * (1 + 3 * random_number(&seed));
    double share = fmax(2 * random_number(&seed) - 1, 0);
    double area = distance * distance - RV_PI * HAIR_RADIUS * HAIR_RADIUS;
    bundle->bundled[k] = share;
    bundle->free_area[k] = share * area;
    bundle->suction[k] = share * RV_PI * HAIR_RADIUS * TENSION / area;
  }
  r->def.suction = bundle->suction;
  r->def.free_area = bundle->free_area;
  r->def.bundled = bundle->bundled;
}

// 40 steps of a random state with tension, friction and gravity, in a bundle or not; adds to the largest errors.
static RvResult run_rough(uint64_t seed, int most_substeps, double dt, bool in_bundle, Rough* out, RvError* error) {
  Bundle bundle;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, RV_LANES, 0.03, HAIR_RADIUS, error);
  if (result) return result;
  roughen(&r, seed);
  if (in_bundle) bind(&r, &bundle, seed + 100);
  r.model.liquid.tension = TENSION;
  // Oblique gravity, viscous and artist's friction, slip.
  r.def.dt = dt;
  r.def.gravity[0] = 6;
  r.def.gravity[1] = -7;
  r.def.settings = (RvFilmSettings){.friction = 3, .viscous = true, .slip = 1e-6, .most_substeps = most_substeps};
  double first = rv_rig_film_volume(&r), mass = 0;
  for (int k = 0; k < 40 && !result; ++k) {
    // Momentum before and after a step; its change must be the weight times dt.
    double before = rv_rig_film_volume(&r);
    double p0[3], p1[3], scale = 0;
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

// Steps of 0.1 to 100 ms without a limit of substeps, in bundles too, and 40 ms with a limit of one.
RvResult rv_check_film_volume(const RvCheckOut* out, RvError* error) {
  Rough free = {0}, capped = {0};
  RvResult result = RV_OK;
  for (uint64_t seed = 1; seed <= 4 && !result; ++seed) {
    const double dt = 1e-4 * pow(10, (double)(seed % 4));
    result = run_rough(seed, 100000, dt, false, &free, error);
    if (!result) result = run_rough(seed, 100000, dt, true, &free, error);
    if (!result) result = run_rough(seed, 1, 0.04, false, &capped, error);
  }
  if (result) return result;
  rv_check_emit(out, "drift_a_step", fmax(free.drift, capped.drift), 0, 1e-12);
  rv_check_emit(out, "below_zero", fmin(free.least, capped.least), 0, 0);
  rv_check_emit(out, "flows_off_the_tip", free.outflow > 1e-3 && capped.outflow > 1e-3, 1, 0);
  rv_check_emit(out, "capped_steps_are_told", capped.limited > 0 && free.limited == 0, 1, 0);
  return RV_OK;
}

// Steps of 0.2 to 25 ms.
RvResult rv_check_film_momentum(const RvCheckOut* out, RvError* error) {
  Rough all = {0}, bundles = {0};
  RvResult result = RV_OK;
  for (uint64_t seed = 11; seed <= 14 && !result; ++seed) {
    const double dt = 2e-4 * pow(5, (double)(seed % 4));
    result = run_rough(seed, 1000, dt, false, &all, error);
    if (!result) result = run_rough(seed, 1000, dt, true, &bundles, error);
  }
  if (result) return result;
  rv_check_emit(out, "momentum_a_step", all.momentum, 0, 1e-12);
  rv_check_emit(out, "momentum_a_step_in_bundles", bundles.momentum, 0, 1e-12);
  rv_check_emit(out, "something_was_exchanged", all.moved > 1e-9, 1, 0);
  return RV_OK;
}

// A droplet of a hundred times the hair's mass slides down a vertical strand that moves sideways. Gives the largest
// change of a vertex' sideways velocity, relative. `naive` rescales velocities locally instead of transporting
// momentum.
static RvResult lateral(bool naive, double* worst, RvError* error) {
  const double speed = 0.2;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 48, 1, 0.047, 5e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.008, 0.004, 1e-3);
  // The strand hangs along x; y and z are sideways.
  r.def.gravity[0] = 9.81;
  r.local_rescaling = naive;
  r.model.liquid.tension = TENSION;
  r.def.settings.friction = 1;
  for (int i = 0; i < r.n; ++i) {
    rv_rig_film_v(&r, i, 0)[RV_LANES] = speed;
    rv_rig_film_v(&r, i, 0)[2 * RV_LANES] = -speed;
  }
  *worst = 0;
  for (int k = 0; k < 120 && !result; ++k) {
    // Fixed along its axis, as hair that hangs from its root.
    result = rv_rig_film_free_step(&r, FIXED_X, error);
    for (int i = 0; i < r.n; ++i)
      *worst = fmax(*worst, fmax(fabs(rv_rig_film_v(&r, i, 0)[RV_LANES] / speed - 1),
                                 fabs(rv_rig_film_v(&r, i, 0)[2 * RV_LANES] / speed + 1)));
  }
  // The droplet must have slid, or nothing was tested.
  if (!result && !(rv_rig_film_centre(&r) > 0.03)) *worst = INFINITY;
  rv_rig_film_free(&r);
  return result;
}

// The film's transport of momentum, and local rescaling, which must fail (WH-24, WH-26).
RvResult rv_check_film_lateral(const RvCheckOut* out, RvError* error) {
  double carried, naive;
  RvResult result = lateral(false, &carried, error);
  if (!result) result = lateral(true, &naive, error);
  if (result) return result;
  rv_check_emit(out, "uniform", carried, 0, 1e-10);
  rv_check_emit(out, "local_rescaling_bends_it", naive > 0.1, 1, 0);
  return RV_OK;
}

// Twist: with fixed positions the angular momentum of film and hair about the strand is conserved in random states.
static RvResult twist_rough(double* worst, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, RV_LANES, 0.03, HAIR_RADIUS, error);
  if (result) return result;
  roughen(&r, 5);
  // No film near the tip: what leaves would take angular momentum along.
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = N - 16; i < N; ++i) {
      r.state.volume[i * RV_LANES + lane] = 0;
      r.state.speed[(i - 1) * RV_LANES + lane] = 0;
    }
  // Positions do not move.
  *worst = 0;
  r.def.dt = 1e-4;
  for (int i = 0; i < N; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int c = 0; c < 3; ++c) rv_rig_film_v(&r, i, lane)[c * RV_LANES] = 0;
  // The strand is at rest but for its rotation about its axis.
  rv_rig_film_save_before(&r);
  result = rv_film_load(&r.model, &r.state, &r.def, r.load, r.slide, r.turn, r.force, error);
  double before = spin_of(&r), scale = 0;
  for (int i = 0; i + 1 < N; ++i) scale += (r.hair_turn[i * RV_LANES] + r.turn[i * RV_LANES]) * 10 * RV_LANES;
  for (int k = 0; k < 5 && !result; ++k) {
    result = rv_rig_film_free_step(&r, FIXED_ALL, error);
    double now = spin_of(&r);
    *worst = fmax(*worst, fabs(now - before) / scale);
    before = now;
  }
  rv_rig_film_free(&r);
  return result;
}

// A droplet that rotates with light hair carries its rotation along: mean rate at the end, over that at the start.
static RvResult twist_drop(double* ratio, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 200, 1, 0.05, 2e-5, error);
  if (result) return result;
  rv_rig_film_put_drop(&r, 0.012, 0.006, 1e-3);
  for (int j = 0; j + 1 < r.n; ++j) {
    double s = rv_rig_film_arclength(&r, j);
    rv_rig_film_set_speed(&r, j, 0.2);
    for (int lane = 0; lane < RV_LANES; ++lane) {
      r.hair_turn[j * RV_LANES + lane] *= 1e-3;
      rv_rig_film_v(&r, j, lane)[3 * RV_LANES] = s < 0.02 ? 5 : 0;
    }
  }
  rv_rig_film_save_before(&r);
  for (int k = 0; k < 100 && !result; ++k) result = rv_rig_film_free_step(&r, FIXED_ALL, error);
  double spin = 0, inertia = 0;
  for (int j = 0; j + 1 < r.n; ++j) {
    spin += r.turn[j * RV_LANES] * rv_rig_film_v(&r, j, 0)[3 * RV_LANES];
    inertia += r.turn[j * RV_LANES];
  }
  *ratio = spin / inertia / 5;
  rv_rig_film_free(&r);
  return result;
}

// Random states, and a droplet (WH-25).
RvResult rv_check_film_twist(const RvCheckOut* out, RvError* error) {
  double worst, ratio;
  RvResult result = twist_rough(&worst, error);
  if (!result) result = twist_drop(&ratio, error);
  if (result) return result;
  rv_check_emit(out, "turning_a_step", worst, 0, 1e-12);
  rv_check_emit(out, "goes_with_the_drop", ratio, 1, 0.02);
  return RV_OK;
}
