// Check film_collide (WH-24): films that flow towards each other at a vertex between empty neighbours.
#include <math.h>

#include "check/list.h"
#include "rig/film.h"

// A level hair of four edges of 2 mm with film on its middle vertex alone. Half of that film belongs to the edge below
// and half to the edge above; no flux carries momentum between them, as both neighbours are empty.
enum { VERTICES = 5, MIDDLE = 2 };
static const double LENGTH = 0.008, RADIUS = 5e-5, HEIGHT = 1e-4;  // m
static const double FAST = 0.05;                                   // m/s, of the film below
static const double STEP = 1e-4;                                   // s
static const double ROUNDING = 1e-9;                               // of FAST: far above that of doubles

// Speeds of both halves, m/s, towards the tip.
typedef struct Halves {
  double below, above;
} Halves;

// Moves both for `duration` in `steps` steps under a pull towards the root, m/s2.
static RvResult run(Halves* u, double pull, double duration, int steps, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, VERTICES, 1, LENGTH, RADIUS, error);
  if (result) return result;
  rv_rig_film_set_height(&r, MIDDLE, HEIGHT);
  rv_rig_film_set_speed(&r, MIDDLE - 1, u->below);
  rv_rig_film_set_speed(&r, MIDDLE, u->above);
  r.def.dt = duration / steps;
  r.def.gravity[0] = -pull;
  for (int k = 0; k < steps && !result; ++k) {
    rv_rig_film_save_before(&r);
    result = rv_rig_film_step(&r, error);
  }
  u->below = rv_rig_film_speed(&r, MIDDLE - 1);
  u->above = rv_rig_film_speed(&r, MIDDLE);
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_collide(const RvCheckOut* out, RvError* error) {
  // Equally fast films stop, unequal ones go on with one speed; the momentum of both stays.
  Halves equal = {FAST, -FAST}, unequal = {FAST, -0.5 * FAST};
  RvResult result = run(&equal, 0, STEP, 1, error);
  if (!result) result = run(&unequal, 0, STEP, 1, error);
  // The slower film begins to yield: from just away to just towards the other nothing jumps.
  const double little = 1e-6 * FAST;
  Halves away = {FAST, little}, towards = {FAST, -little};
  if (!result) result = run(&away, 0, STEP, 1, error);
  if (!result) result = run(&towards, 0, STEP, 1, error);
  // A film at rest is pulled against one that comes: 2 ms in 4 and in 16 steps.
  enum { COARSE = 4, FINE = 16 };
  const double pull = 5, duration = 2e-3;
  Halves coarse = {FAST, 0}, fine = {FAST, 0};
  if (!result) result = run(&coarse, pull, duration, COARSE, error);
  if (!result) result = run(&fine, pull, duration, FINE, error);
  if (result) return result;
  rv_check_emit(out, "equal_stops", fmax(fabs(equal.below), fabs(equal.above)) / FAST, 0, ROUNDING);
  rv_check_emit(out, "one_speed", (unequal.below - unequal.above) / FAST, 0, ROUNDING);
  rv_check_emit(out, "momentum", (unequal.below + unequal.above) / FAST, 0.5, ROUNDING);
  rv_check_emit(out, "no_jump", (away.below - towards.below) / FAST, 0, 1e-5);
  // The pulled film stays where it is, and the pull slows the other: to what a coarse step gains.
  rv_check_emit(out, "coarse_steps", coarse.below / FAST, 1 - 2 * pull * duration / FAST,
                pull * duration / COARSE / FAST);
  rv_check_emit(out, "fine_steps", fine.below / FAST, 1 - 2 * pull * duration / FAST, pull * duration / FINE / FAST);
  return RV_OK;
}
