// Checks of chains at rest: sag against the heavy elastica, return to the natural shape (HC-12).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/chain.h"

static const double GRAVITY = 9.81;  // m/s2
static const double LENGTH = 0.1;    // m

// Sag y / L of the tip of a horizontal clamped strand with gamma = rho A g L^3 / (EI), after it came to rest.
static RvResult sag(double gamma, int links, double dt, double* out, RvError* error) {
  const double radius = 40e-6, density = 1320;
  const double youngs = density * GRAVITY * pow(LENGTH, 3) * 4 / (gamma * radius * radius);
  RvRigChain rig;
  // Viscosity that damps the first mode critically, more or less.
  RvResult result = rv_rig_chain_new(&rig,
                                     &(RvRigChainDef){.links = links,
                                                      .length = LENGTH,
                                                      .direction = rv_vec3(1, 0, 0),
                                                      .radius = radius,
                                                      .density = density,
                                                      .youngs = youngs,
                                                      .shear = 0.4 * youngs,
                                                      .viscosity = 0.05 * youngs},
                                     error);
  if (result) return result;
  rig.def.gravity[1] = -GRAVITY;
  result = rv_rig_chain_run(&rig, dt, 10, error);
  *out = -rv_rig_chain_x(&rig, links).y / LENGTH;
  rv_rig_chain_free(&rig);
  return result;
}

RvResult rv_check_chain_sag(const RvCheckOut* out, RvError* error) {
  static const double gamma[3] = {1, 5, 10}, expected[3] = {0.12347, 0.49591, 0.70020};
  static const char* const names[3] = {"sag_1", "sag_5", "sag_10"};
  static const char* const orders[3] = {"order_1", "order_5", "order_10"};
  static const char* const steps[3] = {"step_1", "step_5", "step_10"};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    double coarse = 0, middle = 0, fine = 0, other = 0, worst = 0;
    result = sag(gamma[k], 15, 1.0 / 60, &coarse, error);
    if (!result) result = sag(gamma[k], 30, 1.0 / 60, &middle, error);
    if (!result) result = sag(gamma[k], 60, 1.0 / 60, &fine, error);
    for (int step = 1; step < 3 && !result; ++step) {
      result = sag(gamma[k], 30, 1.0 / (60 << step), &other, error);
      worst = fmax(worst, fabs(other - middle));
    }
    if (result) break;
    rv_check_emit(out, names[k], fine, expected[k], 1e-3 * expected[k]);
    rv_check_emit(out, orders[k], log2((coarse - middle) / (middle - fine)), 2, 0.15);
    rv_check_emit(out, steps[k], worst, 0, 1e-3 * expected[k]);
  }
  return result;
}

// A strand of hair with a natural curl, pulled straight and released, without weight.
RvResult rv_check_chain_return(const RvCheckOut* out, RvError* error) {
  enum { LINKS = 40 };
  const double radius = 0.01, pitch = 0.004;
  double x[3 * LINKS + 3], rest[3 * LINKS + 3];
  for (int i = 0; i <= LINKS; ++i) {
    double angle = 0.3 * i;
    rv_vec3_store64(rest + 3 * i, rv_vec3(radius * cos(angle), -pitch * angle, radius * sin(angle)));
    rv_vec3_store64(x + 3 * i, rv_vec3(radius, -3.2e-3 * i, 0));
  }
  RvRigChain rig;
  RvResult result = rv_rig_chain_new(&rig,
                                     &(RvRigChainDef){.links = LINKS,
                                                      .x = x,
                                                      .rest = rest,
                                                      .radius = 40e-6,
                                                      .density = 1320,
                                                      .youngs = 3e9,
                                                      .shear = 1.1e9,
                                                      .viscosity = 3e7},
                                     error);
  if (result) return result;
  result = rv_rig_chain_run(&rig, 1.0 / 60, 60, error);
  // Distances of all pairs of vertices, relative to the length.
  double worst = 0, length = LINKS * rv_distance(rv_vec3_load64(rest), rv_vec3_load64(rest + 3));
  for (int i = 0; i <= LINKS; ++i)
    for (int j = 0; j < i; ++j) {
      double natural = rv_distance(rv_vec3_load64(rest + 3 * i), rv_vec3_load64(rest + 3 * j));
      double now = rv_distance(rv_rig_chain_x(&rig, i), rv_rig_chain_x(&rig, j));
      worst = fmax(worst, fabs(now - natural) / length);
    }
  if (!result) rv_check_emit(out, "distances", worst, 0, 1e-6);
  rv_rig_chain_free(&rig);
  return result;
}
