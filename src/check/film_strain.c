// Check film_strain: what a film is strained by goes with it (SD-8).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/film.h"

enum { N = 97 };
static const double LENGTH = 0.096, RADIUS = 4e-5, SPEED = 0.5, CENTRE = 0.02, WIDTH = 0.012;

static double* strain_at(const RvFilmRig* r, int i) {
  return &r->state.strain[i * RV_LANES];
}

static double sum(const RvFilmRig* r) {
  double s = 0;
  for (int i = 0; i < N; ++i) s += r->state.volume[i * RV_LANES] * *strain_at(r, i);
  return s;
}

// a drop in the middle of a straight strand, all of it at one speed
static RvResult make(RvFilmRig* r, RvError* error) {
  RvResult result = rv_rig_film_new(r, N, 1, LENGTH, RADIUS, error);
  if (result) return result;
  rv_rig_film_put_drop(r, CENTRE, WIDTH, 2e-4);
  for (int j = 0; j + 1 < N; ++j) rv_rig_film_set_speed(r, j, SPEED);
  rv_rig_film_keep(r);
  r->model.liquid.modulus = 1;
  r->def.settings.most_substeps = 32;
  return RV_OK;
}

typedef struct Strained {
  double drift, beyond, off;  // of the sum a step, above the first extremes, from where it should be
} Strained;

// strained by chance, in one way all over, or by a ramp along the drop
static RvResult run(int kind, double dt, Strained* out, RvError* error) {
  RvFilmRig r;
  RvResult result = make(&r, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    double x = rv_rig_film_place(&r, i);
    *strain_at(&r, i) = kind == 0 ? 2 * rv_random(7, (uint64_t)i, 0, 0) - 1 : kind == 1 ? 0.7 : (x - CENTRE) / WIDTH;
  }
  double scale = rv_rig_film_volume(&r), time = 0;
  for (; time < 0.06 && !result; time += dt) {
    double before = sum(&r);
    r.def.dt = dt;
    result = rv_rig_film_film(&r, error);
    out->drift = fmax(out->drift, fabs(sum(&r) - before) / scale);
    for (int i = 0; i < N; ++i) out->beyond = fmax(out->beyond, fabs(*strain_at(&r, i)) - 1);
  }
  for (int i = 0; i < N && kind > 0; ++i) {
    double x = rv_rig_film_place(&r, i) - SPEED * time - CENTRE;
    if (fabs(x) > 0.4 * WIDTH) continue;
    out->off = fmax(out->off, fabs(*strain_at(&r, i) - (kind == 1 ? 0.7 : x / WIDTH)));
  }
  rv_rig_film_free(&r);
  return result;
}

RvResult rv_check_film_strain(const RvCheckOut* out, RvError* error) {
  Strained chance = {0}, even = {0}, ramp = {0};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    double dt = k ? 6e-3 : 5e-4;
    result = run(0, dt, &chance, error);
    if (!result) result = run(1, dt, &even, error);
    if (!result) result = run(2, dt, &ramp, error);
  }
  if (result) return result;
  rv_check_emit(out, "sum_a_step", chance.drift, 0, 1e-12);
  rv_check_emit(out, "no_new_extremes", fmax(chance.beyond, 0), 0, 1e-12);
  rv_check_emit(out, "even_stays_even", even.off, 0, 0);
  rv_check_emit(out, "ramp_goes_with_the_drop", ramp.off, 0, 0.02);
  return RV_OK;
}
