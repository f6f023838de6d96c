// Check film_strain: the elastic strain of a film is transported with it (SD-8).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/film.h"

enum { N = 97 };
static const double LENGTH = 0.096;  // m
static const double RADIUS = 4e-5;   // of the hair, m
static const double SPEED = 0.5;     // of the drop, m/s
static const double CENTRE = 0.02;   // of the drop at the start, m
static const double WIDTH = 0.012;   // half the drop's length, m
enum { RANDOM, UNIFORM, RAMP };      // strains of the drop
static const double UNIFORM_STRAIN = 0.7;

// Strain of the film at a vertex.
static double* strain_at(const RvFilmRig* r, int i) {
  return &r->state.strain[i * RV_LANES];
}

// Sum of volume times strain, which is conserved.
static double strained_volume(const RvFilmRig* r) {
  double s = 0;
  for (int i = 0; i < N; ++i) s += r->state.volume[i * RV_LANES] * *strain_at(r, i);
  return s;
}

// A drop on a straight strand, all of it at one speed.
static RvResult make(RvFilmRig* r, RvError* error) {
  RvResult result = rv_rig_film_new(r, N, 1, LENGTH, RADIUS, error);
  if (result) return result;
  rv_rig_film_put_drop(r, CENTRE, WIDTH, 2e-4);
  for (int j = 0; j + 1 < N; ++j) rv_rig_film_set_speed(r, j, SPEED);
  rv_rig_film_save_before(r);
  r->model.liquid.modulus = 1;
  r->def.settings.most_substeps = 32;
  return RV_OK;
}

typedef struct Strained {
  double drift;   // largest change of the sum in a step, relative
  double beyond;  // largest strain above the first extremes, 1
  double off;     // largest error of the strain against the moved profile
} Strained;

// 60 ms of a drop with a random or uniform strain or a ramp along it; adds to the largest errors.
static RvResult run(int kind, double dt, Strained* out, RvError* error) {
  RvFilmRig r;
  RvResult result = make(&r, error);
  if (result) return result;
  for (int i = 0; i < N; ++i) {
    double x = rv_rig_film_arclength(&r, i);
    *strain_at(&r, i) = kind == RANDOM    ? 2 * rv_random(7, (uint64_t)i, 0, 0) - 1
                        : kind == UNIFORM ? UNIFORM_STRAIN
                                          : (x - CENTRE) / WIDTH;
  }
  double scale = rv_rig_film_volume(&r), time = 0;
  for (; time < 0.06 && !result; time += dt) {
    double before = strained_volume(&r);
    r.def.dt = dt;
    result = rv_rig_film_step(&r, error);
    out->drift = fmax(out->drift, fabs(strained_volume(&r) - before) / scale);
    for (int i = 0; i < N; ++i) out->beyond = fmax(out->beyond, fabs(*strain_at(&r, i)) - 1);
  }
  // In the middle of the drop the profile must have moved with it; its ends diffuse with the volume.
  for (int i = 0; i < N && kind != RANDOM; ++i) {
    double x = rv_rig_film_arclength(&r, i) - SPEED * time - CENTRE;
    if (fabs(x) > 0.4 * WIDTH) continue;
    out->off = fmax(out->off, fabs(*strain_at(&r, i) - (kind == UNIFORM ? UNIFORM_STRAIN : x / WIDTH)));
  }
  rv_rig_film_free(&r);
  return result;
}

// A quarter of an edge and three edges a step.
RvResult rv_check_film_strain(const RvCheckOut* out, RvError* error) {
  Strained chance = {0}, even = {0}, ramp = {0};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    double dt = k ? 6e-3 : 5e-4;
    result = run(RANDOM, dt, &chance, error);
    if (!result) result = run(UNIFORM, dt, &even, error);
    if (!result) result = run(RAMP, dt, &ramp, error);
  }
  if (result) return result;
  rv_check_emit(out, "sum_a_step", chance.drift, 0, 1e-12);
  rv_check_emit(out, "no_new_extremes", fmax(chance.beyond, 0), 0, 1e-12);
  rv_check_emit(out, "even_stays_even", even.off, 0, 0);
  rv_check_emit(out, "ramp_goes_with_the_drop", ramp.off, 0, 0.02);
  return RV_OK;
}
