// Check film_push: heavy film that runs along crooked hair pushes it no faster than it is itself (E43: heavy drops).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/film.h"

enum { N = 48 };
static const double LENGTH = 0.047, RADIUS = 2e-5, SPEED = 1;

// Unequal edges of 0.7 to 1.3 mm, each turned by up to 0.6 rad against the x axis. Nothing moves.
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
  rv_rig_film_keep(r);
}

typedef struct Most {
  double push;   // of a vertex, over the fastest that anything was
  double speed;  // of the film, over its first
  double turn;   // loss of angular momentum in a step, over what a drop's momentum has that goes on for the step
} Most;

// hair with the film that it has now
static double mass_at(const RvFilmRig* r, int i) {
  double drop = i + 1 == N ? r->state.drop[0] : 0;
  return r->hair_mass[i * RV_LANES] + r->model.liquid.density * (r->state.volume[i * RV_LANES] + drop);
}

static void look(const RvFilmRig* r, double fastest, Most* most) {
  for (int i = 0; i < N; ++i) {
    const double* k = &r->kick[4 * i * RV_LANES];
    double p = sqrt(k[0] * k[0] + k[RV_LANES] * k[RV_LANES] + k[2 * RV_LANES] * k[2 * RV_LANES]);
    most->push = fmax(most->push, p / mass_at(r, i) / fastest);
    if (i + 1 < N) most->speed = fmax(most->speed, fabs(rv_rig_film_speed(r, i)) / SPEED);
  }
}

static void add_cross(double sum[3], const double* x, const double p[3]) {
  const double a[3] = {x[0], x[RV_LANES], x[2 * RV_LANES]};
  for (int c = 0; c < 3; ++c) sum[c] += a[(c + 1) % 3] * p[(c + 2) % 3] - a[(c + 2) % 3] * p[(c + 1) % 3];
}

// Angular momentum about the root: of film along its edges and of the drop at the tip, and of the pushes.
static void turning(RvFilmRig* r, bool pushes, double sum[3]) {
  sum[0] = sum[1] = sum[2] = 0;
  rv_film_edge_masses(&r->model, &r->state, r->x, r->mass);
  for (int i = 0; i < N; ++i) {
    const double *x = rv_rig_film_x(r, i, 0), *k = &r->kick[4 * i * RV_LANES];
    double push[3] = {k[0], k[RV_LANES], k[2 * RV_LANES]}, flow[3], size = 0;
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

// A drop of two thousand times the mass of the hair under it, which is held, passes six vertices a step.
static RvResult drop_passes(uint64_t seed, double tension, double dt, Most* most, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, 1, LENGTH, RADIUS, error);
  if (result) return result;
  crook(&r, seed);
  rv_rig_film_put_drop(&r, 0.008, 0.004, 1e-3);
  for (int j = 0; j + 1 < N; ++j) rv_rig_film_set_speed(&r, j, SPEED);
  r.def.dt = dt;
  r.def.settings.most_substeps = 32;
  r.model.liquid.tension = tension;
  double fast = SPEED, has[3], had[3], scale = SPEED * r.model.liquid.density * rv_rig_film_volume(&r);
  for (int k = 0; k * dt < 0.072 && !result; ++k) {
    turning(&r, false, had);
    result = rv_rig_film_film(&r, error);
    turning(&r, true, has);
    for (int c = 0; c < 3; ++c) has[c] -= had[c];
    most->turn = fmax(most->turn, sqrt(has[0] * has[0] + has[1] * has[1] + has[2] * has[2]) / (scale * SPEED * dt));
    for (int j = 0; j + 1 < N; ++j) fast = fmax(fast, fabs(rv_rig_film_speed(&r, j)));
    look(&r, fast, most);
  }
  rv_rig_film_free(&r);
  return result;
}

// Film of a straight hair that turns runs off its tip to the root.
static RvResult leaves_tip(Most* most, RvError* error) {
  const double omega = 100;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, 1, LENGTH, 0.25 * RADIUS, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    rv_rig_film_set_height(&r, i, 1e-3);
    rv_rig_film_v(&r, i, 0)[RV_LANES] = omega * rv_rig_film_place(&r, i);
    if (i + 1 < N) rv_rig_film_set_speed(&r, i, -SPEED);
  }
  rv_rig_film_keep(&r);
  r.def.dt = 1e-2;
  r.def.settings.most_substeps = 32;
  result = rv_rig_film_film(&r, error);
  look(&r, SPEED + omega * LENGTH, most);
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_push(const RvCheckOut* out, RvError* error) {
  Most runs = {0}, tense = {0}, tip = {0}, small = {0};
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
