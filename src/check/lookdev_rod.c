// Checks of the lookdev solver's rods: sag of a clamped rod, a coil under its weight, the seed's helix, and bending and
// twisting beside those of the strand solver (AH-1 to AH-6, AH-8 to AH-10).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/rod.h"

enum { MAX_N = 8 * 24 + 2 };
static const double GRAVITY = 9.81;
static const double FRAME = 1.0 / 24;  // s

//---------------------------------------------------------------------------------------------- sag

// A horizontal clamped rod and how it is stepped.
typedef struct Sag {
  int n, substeps, iterations;
  RvRodSolve solve;
  double gamma;
} Sag;

// Tip of the rod relative to the clamp, in lengths, after ten seconds; the clamp is the middle of the first edge.
// Drag ends the swings and does not change where they end.
static RvResult sag_tip(const Sag* s, double tip[2], double* stretch, RvError* error) {
  const double radius = 50e-6, density = 1300, length = 0.05, drag = 6e-4, seconds = 10;
  const double youngs = density * GRAVITY * 4 * length * length * length / (s->gamma * radius * radius);
  const double edge = length / (s->n - 1.5);
  double x[MAX_N * 3] = {0};
  for (int i = 0; i < s->n; ++i) x[3 * i] = edge * (i - 0.5);
  const RvRigDef def = {.vertices = s->n,
                        .x = x,
                        .radius = radius,
                        .density = density,
                        .youngs = youngs,
                        .shear = youngs / 2.6,
                        .clamped = 2};
  RvRodRig rig;
  RvResult result = rv_rig_rod_new(&rig, &def, error);
  if (result) return result;
  rig.step.iterations = s->iterations;
  rig.step.solve = s->solve;
  rig.step.relaxation = s->solve == RV_ROD_SWEEPS ? 1.36 : 1;
  rig.step.forces = (RvRodForces){.gravity = {0, -GRAVITY, 0}, .dragnormal = drag, .dragtangent = drag};
  const int steps = (int)(seconds / FRAME) * s->substeps;
  for (int k = 0; k < steps && !result; ++k) result = rv_rig_rod_step(&rig, FRAME / s->substeps, error);
  tip[0] = rv_rig_x(&rig.strand, s->n - 1, 0) / length;
  tip[1] = -rv_rig_x(&rig.strand, s->n - 1, 1) / length;
  *stretch = rv_rig_rod_stretch(&rig);
  rv_rig_rod_free(&rig);
  return result;
}

RvResult rv_check_lookdev_sag(const RvCheckOut* out, RvError* error) {
  const double elastica[][3] = {{1, 0.99125, 0.12347}, {5, 0.84666, 0.49591}, {10, 0.65635, 0.70020}};
  const int substeps[] = {2, 5, 10, 20}, iterations[] = {1, 2, 4};
  RvResult result = RV_OK;
  double longest = 0;
  for (int g = 0; g < 3 && !result; ++g) {
    char name[64];
    Sag s = {.n = 30, .substeps = 40, .iterations = 8, .gamma = elastica[g][0]};
    double converged[2], stretch, worst = 0;
    result = sag_tip(&s, converged, &stretch, error);
    snprintf(name, sizeof name, "gamma_%g_elastica", s.gamma);
    if (!result)
      rv_check_emit(out, name, hypot(converged[0] - elastica[g][1], converged[1] - elastica[g][2]) / elastica[g][2], 0,
                    0.02);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 3 && !result; ++b) {
        double tip[2];
        s.substeps = substeps[a];
        s.iterations = iterations[b];
        result = sag_tip(&s, tip, &stretch, error);
        worst = fmax(worst, hypot(tip[0] - converged[0], tip[1] - converged[1]) / converged[1]);
        longest = fmax(longest, stretch);
      }
    snprintf(name, sizeof name, "gamma_%g_steps", s.gamma);
    if (!result) rv_check_emit(out, name, worst, 0, 0.005);
  }
  if (!result) rv_check_emit(out, "stretch", longest, 0, 1e-4);
  // The seed's sweeps at its settings, beside: far from the elastica, which is why the solve is direct.
  Sag sweeps = {.n = 30, .substeps = 5, .iterations = 5, .solve = RV_ROD_SWEEPS, .gamma = 5};
  double tip[2], stretch = 0;
  if (!result) result = sag_tip(&sweeps, tip, &stretch, error);
  if (!result) rv_check_emit(out, "sweeps_miss_at_least", fmin(hypot(tip[0] - 0.84666, tip[1] - 0.49591), 0.1), 0.1, 0);
  return result;
}

//---------------------------------------------------------------------------------------------- coils

// Points of a helix about -y that begins at (radius, 0, 0); `pitch` m a turn.
static void helix(double radius, double pitch, double points_a_turn, int n, double* x) {
  for (int i = 0; i < n; ++i) {
    double angle = 2 * RV_PI * i / points_a_turn;
    x[3 * i] = radius * rv_cos(angle);
    x[3 * i + 1] = -pitch * i / points_a_turn;
    x[3 * i + 2] = radius * rv_sin(angle);
  }
}

// The fibre of the coils.
static RvRigDef coil_def(int n, const double* x) {
  return (RvRigDef){
      .vertices = n, .x = x, .radius = 40e-6, .density = 1320, .youngs = 3.9e9, .shear = 0.89e9, .clamped = 2};
}

// How far the tip of a coil of 8 turns sinks below its natural shape, m.
static RvResult coil_lengthening(int points_a_turn, double* out, RvError* error) {
  const double radius = 5e-3, pitch = 0.5e-3, drag = 3e-4, seconds = 6;
  const int turns = 8, n = turns * points_a_turn + 1, substeps = 5;
  double x[MAX_N * 3];
  helix(radius, pitch, points_a_turn, n, x);
  const RvRigDef def = coil_def(n, x);
  RvRodRig rig;
  RvResult result = rv_rig_rod_new(&rig, &def, error);
  if (result) return result;
  rig.step.forces = (RvRodForces){.gravity = {0, -GRAVITY, 0}, .dragnormal = drag, .dragtangent = drag};
  for (int k = 0; k < seconds / FRAME * substeps && !result; ++k)
    result = rv_rig_rod_step(&rig, FRAME / substeps, error);
  *out = x[3 * n - 2] - rv_rig_x(&rig.strand, n - 1, 1);
  rv_rig_rod_free(&rig);
  return result;
}

RvResult rv_check_lookdev_coil(const RvCheckOut* out, RvError* error) {
  const double radius = 5e-3, r = 40e-6, turns = 8;
  const double weight = 1320 * RV_PI * r * r * 2 * RV_PI * radius * turns * GRAVITY;
  const double expected = RV_PI * radius * radius * radius * turns * weight / (0.89e9 * 0.5 * RV_PI * r * r * r * r);
  double fine = 0, coarse = 0;
  RvResult result = coil_lengthening(24, &fine, error);
  if (!result) rv_check_emit(out, "24_points", fine / expected, 1, 0.05);
  if (!result) result = coil_lengthening(6, &coarse, error);
  // A chord of 6 points a turn is 4.5% shorter than its arc and lies 9% nearer to the axis.
  if (!result) rv_check_emit(out, "6_points", coarse / expected, 1, 0.25);
  return result;
}

// Curvature and torsion of the rest rotations of a helix at its middle, 1/m. Frames have no twist, so the torsion is
// the rotation of the curvature vector from vertex to vertex.
static RvResult rest_of_helix(int points_a_turn, double* curvature, double* torsion, RvError* error) {
  const double radius = 0.5, length = 4, turns = 4;
  const int n = 2 * points_a_turn + 1;
  double x[MAX_N * 3];
  helix(radius, length / turns, points_a_turn, n, x);
  RvRigDef def = coil_def(n, x);
  RvRodRig rig;
  RvResult result = rv_rig_rod_new(&rig, &def, error);
  if (result) return result;
  double before = 0;
  for (int k = 0; k < 2; ++k) {
    int i = n / 2 + k;
    const double* rest = rig.model.rest + (ptrdiff_t)4 * i * RV_LANES;
    double sine = hypot(rest[0], rest[RV_LANES]), l = rig.model.length[i * RV_LANES];
    double direction = rv_atan2(rest[RV_LANES], rest[0]);
    *curvature = 2 * rv_atan2(sine, rest[3 * RV_LANES]) / l;
    if (k) *torsion = fabs(remainder(direction - before, 2 * RV_PI)) / l;
    before = direction;
  }
  rv_rig_rod_free(&rig);
  return result;
}

// Largest distance that a point of the coil goes from its pose in two seconds; `balanced`: under gravity, with the rest
// shape that holds the pose.
static RvResult drift_of_coil(bool balanced, int substeps, double* drift, RvError* error) {
  const int points = 6, n = 8 * points + 1;
  double x[MAX_N * 3];
  helix(5e-3, 3e-3, points, n, x);
  const RvRigDef def = coil_def(n, x);
  RvRodRig rig;
  RvResult result = rv_rig_rod_new(&rig, &def, error);
  if (result) return result;
  if (balanced) {
    rig.step.forces.gravity[1] = -GRAVITY;
    rv_rig_rod_balance(&rig);
  }
  for (int k = 0; k < 48 * substeps && !result; ++k) result = rv_rig_rod_step(&rig, FRAME / substeps, error);
  *drift = 0;
  for (int i = 0; i < 3 * n; ++i) *drift = fmax(*drift, fabs(rv_rig_x(&rig.strand, i / 3, i % 3) - x[i]));
  rv_rig_rod_free(&rig);
  return result;
}

RvResult rv_check_lookdev_rest(const RvCheckOut* out, RvError* error) {
  double curvature[2] = {0}, torsion[2] = {0}, drift = 0;
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) result = rest_of_helix(k ? 96 : 24, &curvature[k], &torsion[k], error);
  // Chords are shorter than arcs by (turn)^2 / 24: 0.29% at 24 points a turn, 0.018% at 96.
  if (!result) rv_check_emit(out, "curvature_24", curvature[0], 1.8160, 0.01 * 1.8160);
  if (!result) rv_check_emit(out, "curvature_96", curvature[1], 1.8160, 0.001 * 1.8160);
  if (!result) rv_check_emit(out, "torsion_24", torsion[0], 0.5781, 0.02 * 0.5781);
  if (!result) rv_check_emit(out, "torsion_96", torsion[1], 0.5781, 0.002 * 0.5781);
  if (!result) result = drift_of_coil(false, 5, &drift, error);
  if (!result) rv_check_emit(out, "natural_drift_m", drift, 0, 1e-6);
  for (int k = 0; k < 2 && !result; ++k) {
    result = drift_of_coil(true, k ? 10 : 2, &drift, error);
    if (!result) rv_check_emit(out, k ? "balanced_drift_10_m" : "balanced_drift_2_m", drift, 0, 1e-6);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- strand solver

// Tip of a clamped strand under its weight by both solvers, and of its natural shape.
static RvResult both_tips(int n, const double* x, double rod_tip[3], double strand_tip[3], RvError* error) {
  const double drag = 3e-4, g[3] = {0, -GRAVITY, 0};
  const RvRigDef def = coil_def(n, x);
  RvRodRig rig;
  RvResult result = rv_rig_rod_new(&rig, &def, error);
  if (result) return result;
  rig.step.forces = (RvRodForces){.gravity = {0, -GRAVITY, 0}, .dragnormal = drag, .dragtangent = drag};
  for (int k = 0; k < 1200 && !result; ++k) result = rv_rig_rod_step(&rig, 0.008, error);
  for (int c = 0; c < 3; ++c) rod_tip[c] = rv_rig_x(&rig.strand, n - 1, c);
  rv_rig_rod_free(&rig);
  RvRig strand;
  if (!result) result = rv_rig_new(&strand, &def, error);
  if (result) return result;
  rv_rig_gravity(&strand, g);
  for (int k = 0; k < 300 && !result; ++k) result = rv_rig_step(&strand, 0.05, RV_EULER, 1e-10, error);
  for (int c = 0; c < 3; ++c) strand_tip[c] = rv_rig_x(&strand, n - 1, c);
  rv_rig_free(&strand);
  return result;
}

RvResult rv_check_lookdev_beside(const RvCheckOut* out, RvError* error) {
  // A quarter circle in the horizontal plane bends and twists under its weight; a wide curl does both along it.
  enum { ARC = 33, CURL = 193 };
  double x[MAX_N * 3], rod[3], strand[3];
  const double radius = 0.02;
  for (int i = 0; i < ARC; ++i) {
    double angle = 0.5 * RV_PI * i / (ARC - 1);
    rv_vec3_store64(x + 3 * i, rv_vec3(radius * rv_sin(angle), 0, radius * (1 - rv_cos(angle))));
  }
  RvResult result = both_tips(ARC, x, rod, strand, error);
  double apart = rv_distance(rv_vec3_load64(rod), rv_vec3_load64(strand));
  if (!result)
    rv_check_emit(out, "arc", apart / rv_distance(rv_vec3_load64(strand), rv_vec3_load64(x + 3 * (ARC - 1))), 0, 0.02);
  helix(3e-3, 8e-3, 48, CURL, x);
  if (!result) result = both_tips(CURL, x, rod, strand, error);
  apart = rv_distance(rv_vec3_load64(rod), rv_vec3_load64(strand));
  if (!result)
    rv_check_emit(out, "curl", apart / rv_distance(rv_vec3_load64(strand), rv_vec3_load64(x + 3 * (CURL - 1))), 0,
                  0.02);
  return result;
}
