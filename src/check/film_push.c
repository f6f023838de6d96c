// Check film_push: heavy film that flows along crooked hair does not push it faster than it moves itself (E43, heavy
// drops).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/film.h"

enum { N = 48 };
static const double LENGTH = 0.047;  // m
static const double RADIUS = 2e-5;   // of the hair, m
static const double SPEED = 1;       // of the film at the start, m/s

// A crooked strand at rest: edges of 0.7 to 1.3 mm, each inclined by up to 0.6 rad to the x axis.
static void crook(RvFilmRig* r, uint64_t seed) {
  double at[3] = {0};
  for (int i = 0; i < N; ++i) {
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int c = 0; c < 3; ++c) rv_rig_film_x(r, i, lane)[c * RV_LANES] = at[c];
    double l = LENGTH / (N - 1) * (0.7 + 0.6 * rv_random(seed, (uint64_t)i, 0, 0));
    double a = 1.2 * (rv_random(seed, (uint64_t)i, 1, 0) - 0.5), b = 6.28 * rv_random(seed, (uint64_t)i, 2, 0);
    at[0] += l * cos(a);
    at[1] += l * sin(a) * cos(b);
    at[2] += l * sin(a) * sin(b);
  }
  rv_rig_film_save_before(r);
}

typedef struct Extremes {
  double push;   // largest change of a vertex' velocity by its impulse, over the fastest speed so far
  double speed;  // largest speed of the film, over its first
  double turn;   // largest loss of angular momentum in a step, over the drop's momentum times its path in the step
} Extremes;

// Mass of a vertex: hair with its film, and at the tip the drop.
static double mass_at(const RvFilmRig* r, int i) {
  double drop = i + 1 == N ? r->state.drop[0] : 0;
  return r->hair_mass[i * RV_LANES] + r->model.liquid.density * (r->state.volume[i * RV_LANES] + drop);
}

// Updates the largest push and film speed after a step.
static void measure(const RvFilmRig* r, double fastest, Extremes* extremes) {
  for (int i = 0; i < N; ++i) {
    const double* k = &r->kick[4 * i * RV_LANES];
    double p = sqrt(k[0] * k[0] + k[RV_LANES] * k[RV_LANES] + k[2 * RV_LANES] * k[2 * RV_LANES]);
    extremes->push = fmax(extremes->push, p / mass_at(r, i) / fastest);
    if (i + 1 < N) extremes->speed = fmax(extremes->speed, fabs(rv_rig_film_speed(r, i)) / SPEED);
  }
}

// sum += x cross p.
static void add_cross(double sum[3], const double* x, const double p[3]) {
  const double a[3] = {x[0], x[RV_LANES], x[2 * RV_LANES]};
  for (int c = 0; c < 3; ++c) sum[c] += a[(c + 1) % 3] * p[(c + 2) % 3] - a[(c + 2) % 3] * p[(c + 1) % 3];
}

// Angular momentum about the root of the film along its edges and the drop at the tip, with `pushes` also of the
// impulses on the hair.
static void angular_momentum(RvFilmRig* r, bool pushes, double sum[3]) {
  sum[0] = sum[1] = sum[2] = 0;
  rv_film_edge_masses(&r->model, &r->state, r->x, r->mass);
  for (int i = 0; i < N; ++i) {
    const double* x = rv_rig_film_x(r, i, 0);
    const double* k = &r->kick[4 * i * RV_LANES];
    double push[3] = {k[0], k[RV_LANES], k[2 * RV_LANES]};
    double flow[3], size = 0;
    for (int c = 0; c < 3 && i + 1 < N; ++c) {
      flow[c] = x[(4 + c) * RV_LANES] - x[c * RV_LANES];
      size += flow[c] * flow[c];
    }
    for (int c = 0; c < 3; ++c)
      flow[c] = i + 1 < N ? flow[c] * r->mass[i * RV_LANES] * rv_rig_film_speed(r, i) / sqrt(size)
                          : r->state.drop_momentum[c * RV_LANES];
    if (pushes) add_cross(sum, x, push);
    add_cross(sum, x, flow);
  }
}

// A drop of two thousand times the mass of the fixed hair under it, which passes six vertices in a step of 6 ms.
static RvResult drop_passes(uint64_t seed, double tension, double dt, Extremes* extremes, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, 1, LENGTH, RADIUS, error);
  if (result) return result;
  crook(&r, seed);
  rv_rig_film_put_drop(&r, 0.008, 0.004, 1e-3);
  for (int j = 0; j + 1 < N; ++j) rv_rig_film_set_speed(&r, j, SPEED);
  // 72 ms: the drop passes the whole strand and leaves at the tip.
  r.def.dt = dt;
  r.def.settings.most_substeps = 32;
  r.model.liquid.tension = tension;
  double fast = SPEED, after[3], before[3];
  double scale = SPEED * r.model.liquid.density * rv_rig_film_volume(&r);
  for (int k = 0; k * dt < 0.072 && !result; ++k) {
    angular_momentum(&r, false, before);
    result = rv_rig_film_step(&r, error);
    angular_momentum(&r, true, after);
    // Change of angular momentum in the step, impulses included.
    for (int c = 0; c < 3; ++c) after[c] -= before[c];
    extremes->turn = fmax(extremes->turn,
                          sqrt(after[0] * after[0] + after[1] * after[1] + after[2] * after[2]) / (scale * SPEED * dt));
    for (int j = 0; j + 1 < N; ++j) fast = fmax(fast, fabs(rv_rig_film_speed(&r, j)));
    measure(&r, fast, extremes);
  }
  rv_rig_film_free(&r);
  return result;
}

// Film of a straight rotating hair flows from its tip to the root.
static RvResult leaves_tip(Extremes* extremes, RvError* error) {
  const double omega = 100;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, 1, LENGTH, 0.25 * RADIUS, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    rv_rig_film_set_height(&r, i, 1e-3);
    rv_rig_film_v(&r, i, 0)[RV_LANES] = omega * rv_rig_film_arclength(&r, i);
    if (i + 1 < N) rv_rig_film_set_speed(&r, i, -SPEED);
  }
  rv_rig_film_save_before(&r);
  r.def.dt = 1e-2;
  r.def.settings.most_substeps = 32;
  result = rv_rig_film_step(&r, error);
  measure(&r, SPEED + omega * LENGTH, extremes);
  rv_rig_film_free(&r);
  return result;
}

// 40 crooked hairs each: without tension, with tension, and at short steps; then the rotating hair.
RvResult rv_check_film_push(const RvCheckOut* out, RvError* error) {
  Extremes runs = {0}, tense = {0}, tip = {0}, small = {0};
  RvResult result = RV_OK;
  for (uint64_t seed = 1; seed <= 40 && !result; ++seed) {
    result = drop_passes(seed, 0, 6e-3, &runs, error);
    if (!result) result = drop_passes(seed, 0.072, 6e-3, &tense, error);
    if (!result) result = drop_passes(seed, 0, 1e-4, &small, error);
  }
  if (!result) result = leaves_tip(&tip, error);
  if (result) return result;
  rv_check_emit(out, "drop_passes", runs.push, 0, 2);
  rv_check_emit(out, "drop_with_tension_passes", tense.push, 0, 2);
  rv_check_emit(out, "film_leaves_the_tip", tip.push, 0, 1);
  rv_check_emit(out, "it_gets_no_faster", fmax(runs.speed, 1), 1, 1e-9);
  rv_check_emit(out, "angular_momentum", runs.turn, 0, 1);
  rv_check_emit(out, "angular_momentum_in_short_steps", small.turn, 0, 1e-3);
  return RV_OK;
}
