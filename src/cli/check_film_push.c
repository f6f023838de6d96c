// Check film_push: heavy film that runs along crooked hair pushes it no faster than it is itself (E43: heavy drops).
#include <math.h>

#include "base/rng.h"
#include "cli/check_list.h"
#include "cli/film_rig.h"

enum { N = 48 };
static const double LENGTH = 0.047, RADIUS = 2e-5, SPEED = 1;

// Unequal edges of 0.7 to 1.3 mm, each turned by up to 0.6 rad against the x axis. Nothing moves.
static void crook(RvFilmRig* r, uint64_t seed) {
  double at[3] = {0};
  for (int i = 0; i < N; ++i) {
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int c = 0; c < 3; ++c) rv_film_rig_x(r, i, lane)[c * RV_LANES] = at[c];
    double l = LENGTH / (N - 1) * (0.7 + 0.6 * rv_random(seed, (uint64_t)i, 0, 0));
    double a = 1.2 * (rv_random(seed, (uint64_t)i, 1, 0) - 0.5), b = 6.28 * rv_random(seed, (uint64_t)i, 2, 0);
    at[0] += l * cos(a), at[1] += l * sin(a) * cos(b), at[2] += l * sin(a) * sin(b);
  }
  rv_film_rig_keep(r);
}

typedef struct Most {
  double push;   // of a vertex, over the fastest that anything was
  double speed;  // of the film, over its first
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
    if (i + 1 < N) most->speed = fmax(most->speed, fabs(rv_film_rig_speed(r, i)) / SPEED);
  }
}

// A drop of two thousand times the mass of the hair under it, which is held, passes six vertices a step.
static RvResult drop_passes(uint64_t seed, double tension, Most* most, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_film_rig_new(&r, N, 1, LENGTH, RADIUS, error);
  if (result) return result;
  crook(&r, seed);
  rv_film_rig_put_drop(&r, 0.008, 0.004, 1e-3);
  for (int j = 0; j + 1 < N; ++j) rv_film_rig_set_speed(&r, j, SPEED);
  r.def.dt = 6e-3, r.def.settings.most_substeps = 32, r.model.liquid.tension = tension;
  double fast = SPEED;
  for (int k = 0; k < 12 && !result; ++k) {
    result = rv_film_rig_film(&r, error);
    for (int j = 0; j + 1 < N; ++j) fast = fmax(fast, fabs(rv_film_rig_speed(&r, j)));
    look(&r, fast, most);
  }
  rv_film_rig_free(&r);
  return result;
}

// Film of a straight hair that turns runs off its tip to the root.
static RvResult leaves_tip(Most* most, RvError* error) {
  const double omega = 100;
  RvFilmRig r;
  RvResult result = rv_film_rig_new(&r, N, 1, LENGTH, 0.25 * RADIUS, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    rv_film_rig_set_height(&r, i, 1e-3);
    rv_film_rig_v(&r, i, 0)[RV_LANES] = omega * rv_film_rig_place(&r, i);
    if (i + 1 < N) rv_film_rig_set_speed(&r, i, -SPEED);
  }
  rv_film_rig_keep(&r);
  r.def.dt = 1e-2, r.def.settings.most_substeps = 32;
  result = rv_film_rig_film(&r, error);
  look(&r, SPEED + omega * LENGTH, most);
  rv_film_rig_free(&r);
  return result;
}

RvResult rv_check_film_push(const RvCheckOut* out, RvError* error) {
  Most runs = {0}, tense = {0}, tip = {0};
  RvResult result = RV_OK;
  for (uint64_t seed = 1; seed <= 40 && !result; ++seed) {
    result = drop_passes(seed, 0, &runs, error);
    if (!result) result = drop_passes(seed, 0.072, &tense, error);
  }
  if (!result) result = leaves_tip(&tip, error);
  if (result) return result;
  rv_check_emit(out, "drop_passes", runs.push, 0, 2);
  rv_check_emit(out, "drop_with_tension_passes", tense.push, 0, 2);
  rv_check_emit(out, "film_leaves_the_tip", tip.push, 0, 1);
  rv_check_emit(out, "it_gets_no_faster", fmax(runs.speed, 1), 1, 1e-9);
  return RV_OK;
}
