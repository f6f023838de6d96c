// Checks of the rod in equilibrium: the heavy elastica, a rod bent into a circle, a twisted ring, a helix (WH-1, WH-3,
// WH-4).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/strand.h"

enum { MAX_N = 129 };  // vertices

// Long steps of implicit Euler damp all motion, so the strand ends in equilibrium.
static RvResult settle(RvRig* rig, int steps, RvError* error) {
  RvResult result = RV_OK;
  for (int i = 0; i < steps && !result; ++i) result = rv_rig_step(rig, 0.05, RV_EULER, 1e-10, error);
  return result;
}

// Tip of a clamped horizontal strand under its weight, relative to the clamp at the middle of its first edge, in units
// of its length. gamma = rho A g L^3 / EI is the weight over the bending stiffness (spec 8.1).
// `speed` becomes the larger of itself and the final vertical speed of the tip, m/s.
static RvResult cantilever_tip(int n, double gamma, double tip[2], double* speed, RvError* error) {
  const double radius = 50e-6, density = 1300, g[3] = {0, -9.81, 0}, length = 0.05;
  double youngs = density * 9.81 * 4 * length * length * length / (gamma * radius * radius), edge = length / (n - 1.5);
  double x[MAX_N * 3] = {0};
  for (int i = 0; i < n; ++i) x[3 * i] = edge * (i - 0.5);
  RvRig rig;
  const RvRigDef def = {.vertices = n,
                        .x = x,
                        .radius = radius,
                        .density = density,
                        .youngs = youngs,
                        .shear = youngs / 2.6,
                        .clamped = 2};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  rv_rig_gravity(&rig, g);
  result = settle(&rig, 300, error);
  tip[0] = rv_rig_x(&rig, n - 1, 0) / length;
  tip[1] = -rv_rig_x(&rig, n - 1, 1) / length;
  *speed = fmax(*speed, fabs(rv_rig_v(&rig, n - 1, 1)));
  rv_rig_free(&rig);
  return result;
}

// Five weights against the table of spec 8.1 (gamma, x, y), then the order of convergence.
RvResult rv_check_cantilever(const RvCheckOut* out, RvError* error) {
  const double table[][3] = {{0.5, 0.99778, 0.06231},
                             {2, 0.96689, 0.23851},
                             {5, 0.84666, 0.49591},
                             {10, 0.65635, 0.70020},
                             {50, 0.24501, 0.90792}};
  const char* const names[] = {"gamma_0.5", "gamma_2", "gamma_5", "gamma_10", "gamma_50"};
  RvResult result = RV_OK;
  double speed = 0;
  for (int k = 0; k < 5 && !result; ++k) {
    double tip[2];
    result = cantilever_tip(64, table[k][0], tip, &speed, error);
    if (!result) rv_check_emit(out, names[k], hypot(tip[0] - table[k][1], tip[1] - table[k][2]), 0, 0.01);
  }
  double miss[2];
  for (int k = 0; k < 2 && !result; ++k) {
    double tip[2];
    result = cantilever_tip(k ? 33 : 17, 5, tip, &speed, error);
    miss[k] = hypot(tip[0] - 0.84666, tip[1] - 0.49591);
  }
  // Twice the edges, a quarter of the error.
  if (!result) rv_check_emit(out, "order", log2(miss[0] / miss[1]), 2, 0.2);
  // Long steps of implicit Euler have damped all motion.
  if (!result) rv_check_emit(out, "speed", speed, 0, 1e-6);
  return result;
}

// A straight rod whose free end bears the moment 2 pi EI / L, as a couple of forces on the last edge that rotates with
// it.
RvResult rv_check_circle(const RvCheckOut* out, RvError* error) {
  enum { N = 65 };
  const double radius = 40e-6, youngs = 3e9, length = 0.05;
  const double edge = length / (N - 2);
  double ei = youngs * RV_PI * radius * radius * radius * radius / 4;
  double x[N * 3] = {0};
  for (int i = 0; i < N; ++i) x[3 * i] = edge * (i - 0.5);
  RvRig rig;
  const RvRigDef def = {.vertices = N,
                        .x = x,
                        .radius = radius,
                        .density = 1300,
                        .youngs = youngs,
                        .shear = 1.1e9,
                        .viscosity = 1e6,
                        .clamped = 2};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  // The moment grows over 300 steps; 300 more settle.
  for (int k = 0; k < 600 && !result; ++k) {
    double moment = 2 * RV_PI * ei / length * fmin(1, k / 300.0), t[2];
    for (int c = 0; c < 2; ++c) t[c] = rv_rig_x(&rig, N - 1, c) - rv_rig_x(&rig, N - 2, c);
    double size = hypot(t[0], t[1]), push = moment / size;
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int c = 0; c < 2; ++c) {
        double f = push * (c ? t[0] : -t[1]) / size;
        rig.force[rv_strand_index(&rig.model->batches[0], lane, N - 1, c)] = f;
        rig.force[rv_strand_index(&rig.model->batches[0], lane, N - 2, c)] = -f;
      }
    result = rv_rig_step(&rig, 0.05, RV_EULER, 1e-10, error);
  }
  // Clamp and moment act at the middles of the end edges, which meet when the circle closes.
  double gap = hypot(0.5 * (rv_rig_x(&rig, N - 1, 0) + rv_rig_x(&rig, N - 2, 0)),
                     0.5 * (rv_rig_x(&rig, N - 1, 1) + rv_rig_x(&rig, N - 2, 1)));
  double top = 0;
  for (int i = 0; i < N; ++i) top = fmax(top, rv_rig_x(&rig, i, 1));
  if (!result) {
    // The discrete curvature is 2 tan(phi / 2), off in third order of phi = 2 pi / 63.
    rv_check_emit(out, "gap", gap / length, 0, 0.005);
    rv_check_emit(out, "diameter", top * RV_PI / length, 1, 0.005);
  }
  rv_rig_free(&rig);
  return result;
}

// Whether the rod's Hessian over the free unknowns, without inertia, is positive definite: all pivots are positive.
// Rows of fixed unknowns become those of the unit matrix.
static RvResult hessian_is_positive(const RvRig* rig, int n, bool* positive, RvError* error) {
  const RvStrandModel* m = rig->model;
  size_t unknowns = m->unknowns, room = rv_ldlt_size(4 * n - 1, RV_ROD_BAND);
  double* memory = rv_alloc_zero(unknowns + room, sizeof(double));
  if (!memory) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  const RvRodBatch rod = {n,
                          rig->state->tangent,
                          rig->state->director,
                          rig->state->reference_twist,
                          m->rest_length,
                          m->stretch,
                          m->rest_curvature,
                          m->bend,
                          m->rest_twist,
                          m->torsion};
  // The full Hessian, not Gauss-Newton's: the ring is bent and twisted.
  double* band = memory + unknowns;
  rv_strand_rod_derivatives(&rod, rig->state->q, RV_ROD_FULL, memory, band);
  for (int j = 0; j < 4 * n - 1; ++j)
    for (int k = 0; k <= RV_ROD_BAND && j + k < 4 * n - 1; ++k)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        double* a = &band[((size_t)j * (RV_ROD_BAND + 1) + (size_t)k) * RV_LANES + (size_t)lane];
        double both = m->free[j * RV_LANES + lane] * m->free[(j + k) * RV_LANES + lane];
        *a = both != 0 ? *a : k == 0 ? 1 : 0;
      }
  *positive = rv_ldlt_factor(band, 4 * n - 1, RV_ROD_BAND) == 0;
  rv_free(memory);
  return RV_OK;
}

// Whether a closed planar ring of a naturally straight rod with that total twist is a minimum of the energy.
// `ratio` is E / G.
static RvResult ring_is_stable(int n, double twist, double ratio, bool* stable, RvError* error) {
  const double radius = 40e-6, youngs = 3e9, circle = 0.06;
  double x[MAX_N * 3], straight[MAX_N * 3] = {0};
  int edges = n - 2;  // the last edge lies on the first
  double edge = circle / edges, r = edge / (2 * sin(RV_PI / edges));
  for (int i = 0; i < n; ++i) {
    double a = 2 * RV_PI * i / edges;
    x[3 * i] = r * cos(a);
    x[3 * i + 1] = r * sin(a);
    x[3 * i + 2] = 0;
    straight[3 * i] = edge * i;
  }
  RvRig rig;
  const RvRigDef def = {.vertices = n,
                        .x = x,
                        .rest = straight,
                        .radius = radius,
                        .density = 1300,
                        .youngs = youngs,
                        .shear = youngs / ratio,
                        .clamped = 2};
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  // Both ends are clamped onto each other.
  for (int c = 0; c < 3; ++c) {
    rv_rig_fix(&rig, n - 1, c);
    rv_rig_fix(&rig, n - 2, c);
  }
  rv_rig_fix(&rig, n - 2, 3);
  // The ring can tilt about the clamped edge without energy. Fixing the opposite point in the plane removes this tilt
  // and nothing else, as any mode can be tilted to leave that point in the plane.
  rv_rig_fix(&rig, n / 2, 2);
  const RvStrandBatch* b = &rig.model->batches[0];
  for (int i = 0; i + 1 < n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) rig.state->q[rv_strand_index(b, lane, i, 3)] = twist * i / (n - 2);
  result = hessian_is_positive(&rig, n, stable, error);
  rv_rig_free(&rig);
  return result;
}

// Bisection for the twist at which the ring loses stability.
RvResult rv_check_ring(const RvCheckOut* out, RvError* error) {
  const double ratio = 2.6;  // E / G; GJ / EI = 2 G / E, so the critical twist is 2 pi sqrt 3 E / (2 G)
  double lo = 0, hi = 40;
  for (int k = 0; k < 30; ++k) {
    double middle = 0.5 * (lo + hi);
    bool stable = false;
    RvResult result = ring_is_stable(97, middle, ratio, &stable, error);
    if (result) return result;
    if (stable)
      lo = middle;
    else
      hi = middle;
  }
  // Michell 1889.
  double expected = 2 * RV_PI * sqrt(3.0) * ratio / 2;
  rv_check_emit(out, "twist", lo, expected, 0.03 * expected);
  return RV_OK;
}

// A strand pulled straight relaxes to its natural helix. Distances of all vertex pairs determine a shape up to its
// mirror image; the sign of the torsion excludes that. Gives the largest difference of distances relative to the
// largest, and the ratio of the torsions.
static RvResult relax(double* difference, double* torsion_ratio, RvError* error) {
  enum { N = 24 };
  double x[N * 3] = {0}, rest[N * 3], largest_distance = 0;
  for (int i = 0; i < N; ++i) {
    double a = 0.3 * i;
    rest[3 * i] = 0.005 * cos(a);
    rest[3 * i + 1] = 0.002 * a;
    rest[3 * i + 2] = 0.005 * sin(a);
  }
  // The clamped edge has its natural length.
  double edge = rv_distance(rv_vec3_load64(rest), rv_vec3_load64(rest + 3));
  for (int i = 0; i < N; ++i) x[3 * i] = edge * i;
  RvRig rig;
  RvRigDef def = rv_rig_hair(N, x);
  def.rest = rest;
  def.viscosity = 1e7;
  def.clamped = 2;
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  for (int k = 0; k < 200 && !result; ++k) result = rv_rig_step(&rig, 0.05, RV_EULER, 1e-12, error);
  *difference = 0;
  for (int i = 0; i < N; ++i)
    for (int j = i + 1; j < N; ++j) {
      RvVec3 a = rv_vec3(rv_rig_x(&rig, i, 0), rv_rig_x(&rig, i, 1), rv_rig_x(&rig, i, 2));
      RvVec3 b = rv_vec3(rv_rig_x(&rig, j, 0), rv_rig_x(&rig, j, 1), rv_rig_x(&rig, j, 2));
      double natural = rv_distance(rv_vec3_load64(rest + 3 * i), rv_vec3_load64(rest + 3 * j));
      *difference = fmax(*difference, fabs(rv_distance(a, b) - natural));
      largest_distance = fmax(largest_distance, natural);
    }
  *difference /= largest_distance;
  // The triple product of three consecutive edges has the sign of the torsion.
  double volume[2];
  for (int k = 0; k < 2; ++k) {
    RvVec3 p[4];
    for (int i = 0; i < 4; ++i)
      p[i] = k ? rv_vec3_load64(rest + 3 * (10 + i))
               : rv_vec3(rv_rig_x(&rig, 10 + i, 0), rv_rig_x(&rig, 10 + i, 1), rv_rig_x(&rig, 10 + i, 2));
    volume[k] = rv_dot(rv_cross(rv_sub(p[1], p[0]), rv_sub(p[2], p[1])), rv_sub(p[3], p[2]));
  }
  *torsion_ratio = volume[0] / volume[1];
  rv_rig_free(&rig);
  return result;
}

// A natural helix stays; its rest curvature is that of the curve; a straightened one comes back (WH-3).
RvResult rv_check_helix(const RvCheckOut* out, RvError* error) {
  enum { N = 48 };
  const double r = 0.005, rise = 0.002;  // per radian
  double x[N * 3], worst = 0, kappa = 0;
  for (int i = 0; i < N; ++i) {
    double a = 0.15 * i;
    x[3 * i] = r * cos(a);
    x[3 * i + 1] = rise * a;
    x[3 * i + 2] = r * sin(a);
  }
  RvRig rig;
  RvRigDef def = rv_rig_hair(N, x);
  def.viscosity = 1e5;
  def.clamped = 2;
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  for (int k = 0; k < 48 && !result; ++k) result = rv_rig_step(&rig, 1.0 / 24, RV_EULER, 1e-10, error);
  for (int i = 0; i < N; ++i)
    for (int c = 0; c < 3; ++c) worst = fmax(worst, fabs(rv_rig_x(&rig, i, c) - x[3 * i + c]));
  // The curvature binormal's size over the edge length, of second order in the angle of an edge.
  const double* k4 = rig.model->rest_curvature + (size_t)(4 * 20) * RV_LANES;
  kappa = hypot(k4[0], k4[RV_LANES]) / rig.model->rest_length[20 * RV_LANES];
  if (!result) {
    // Newton's tolerance; second order in the angle of an edge, 0.15 rad.
    rv_check_emit(out, "drift", worst, 0, 1e-8);
    rv_check_emit(out, "curvature", kappa * (r * r + rise * rise) / r, 1, 0.005);
  }
  rv_rig_free(&rig);
  double difference, torsion_ratio;
  if (!result) result = relax(&difference, &torsion_ratio, error);
  if (result) return result;
  // Ten seconds of creep against the fibre's viscosity.
  rv_check_emit(out, "comes_back", difference, 0, 1e-6);
  rv_check_emit(out, "torsion", torsion_ratio, 1, 1e-4);
  return RV_OK;
}
