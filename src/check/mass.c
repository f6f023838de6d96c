// Check mass: frequency and fall of a strand, dry, wet and submerged (WH-1, WH-5).
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/strand.h"

enum { N = 41 };
#define LENGTH 0.05    // m
#define LOAD 1.5       // liquid's mass over the hair's
#define RADIUS 50e-6   // m
#define DENSITY 1300   // kg/m3
#define YOUNGS 3e9     // Pa
#define SHEAR 1.1e9    // Pa
#define BETA 1.875104  // first root of cos x cosh x = -1: first mode of a cantilever

// Liquid on every vertex, of which `share` moves with the hair (0: submerged); none if share < 0.
static RvResult wet(RvRig* rig, double share, RvError* error) {
  if (share < 0) {
    rv_strand_set_load(rig->model, NULL);
    return RV_OK;
  }
  double* load = rv_alloc_zero(rig->model->vertices, sizeof *load);
  if (!load) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < rig->model->vertices; ++i) load[i] = share * LOAD * rig->model->hair_mass[i];
  rv_strand_set_load(rig->model, load);
  rv_free(load);
  return RV_OK;
}

// Quarter period of the first mode, from its release in the mode's shape to the first zero crossing.
static RvResult quarter(double liquid, double* out, double* clamp_length, RvError* error) {
  // sigma: coefficient of the sine terms in the shape of the first mode.
  const double beta = BETA, sigma = 0.734096;
  const double edge = LENGTH / (N - 1);
  const double dt = 1.0 / 8000;
  double x[3 * N];
  double straight[3 * N] = {0};
  double before;
  double effective = edge * (N - 1.5);
  for (int i = 0; i < N; ++i) {
    // The clamp acts in the middle of the clamped edge.
    double s = fmax(edge * (i - 0.5), 0) / effective * beta;
    double y = cosh(s) - cos(s) - sigma * (sinh(s) - sin(s));
    straight[3 * i] = edge * i;
    x[3 * i] = edge * i;
    x[3 * i + 1] = i < 2 ? 0 : 1e-4 * LENGTH * y;
    x[3 * i + 2] = 0;
  }
  *out = 0;
  *clamp_length = effective;
  RvRig rig;
  const RvRigDef def = {.vertices = N,
                        .x = x,
                        .rest = straight,
                        .radius = RADIUS,
                        .density = DENSITY,
                        .youngs = YOUNGS,
                        .shear = SHEAR,
                        .clamped = 2};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  result = wet(&rig, liquid, error);
  before = rv_rig_x(&rig, N - 1, 1);
  for (int k = 1; k < 4000 && !result && *out == 0; ++k) {
    result = rv_rig_step(&rig, dt, RV_BDF2, 1e-11, error);
    double now = rv_rig_x(&rig, N - 1, 1);
    if (now <= 0) *out = dt * (k - now / (now - before));
    before = now;
  }
  rv_rig_free(&rig);
  return result;
}

// Acceleration of a free strand under gravity, m/s2.
static RvResult fall(double liquid, double* g, RvError* error) {
  const double gravity[3] = {0, -9.81, 0}, dt = 1.0 / 240;
  double x[3 * N] = {0};
  for (int i = 0; i < N; ++i) x[3 * i] = LENGTH * i / (N - 1);
  RvRig rig;
  const RvRigDef def = {.vertices = N, .x = x, .radius = RADIUS, .density = DENSITY, .youngs = YOUNGS, .shear = SHEAR};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  result = wet(&rig, liquid, error);
  rv_rig_gravity(&rig, gravity);
  for (int k = 0; k < 24 && !result; ++k) result = rv_rig_step(&rig, dt, RV_EULER, 1e-12, error);
  *g = -rv_rig_v(&rig, N / 2, 1) / (24 * dt);
  rv_rig_free(&rig);
  return result;
}

// Dry, wet and submerged frequencies against Euler and Bernoulli's beam; then free fall.
RvResult rv_check_mass(const RvCheckOut* out, RvError* error) {
  double dry, soaked, under, length, g[2];
  RvResult result = quarter(-1, &dry, &length, error);
  if (!result) result = quarter(1, &soaked, &length, error);
  if (!result) result = quarter(0, &under, &length, error);
  for (int k = 0; k < 2 && !result; ++k) result = fall(k ? 1 : -1, &g[k], error);
  if (result) return result;
  // EI / (rho A) = E r^2 / (4 rho).
  double expected = BETA * BETA / (2 * RV_PI) * sqrt(YOUNGS * RADIUS * RADIUS / (4 * DENSITY)) / (length * length);
  rv_check_emit(out, "frequency", 1 / (4 * dry) / expected, 1, 0.005);
  rv_check_emit(out, "wet_frequency", dry / soaked * sqrt(1 + LOAD), 1, 1e-3);
  rv_check_emit(out, "under_water", dry / under, 1, 1e-12);
  rv_check_emit(out, "dry_fall", g[0], 9.81, 1e-9);
  rv_check_emit(out, "wet_fall", g[1], 9.81, 1e-9);
  return RV_OK;
}
