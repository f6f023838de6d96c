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
  RvResult result = rv_rod_rig_new(&rig, &def, error);
  if (result) return result;
  rig.step.iterations = s->iterations;
  rig.step.solve = s->solve;
  rig.step.relaxation = s->solve == RV_ROD_SWEEPS ? 1.36 : 1;
  rig.step.forces = (RvRodForces){.gravity = {0, -GRAVITY, 0}, .dragnormal = drag, .dragtangent = drag};
  const int steps = (int)(seconds / FRAME) * s->substeps;
  for (int k = 0; k < steps && !result; ++k) result = rv_rod_rig_step(&rig, FRAME / s->substeps, error);
  tip[0] = rv_rig_x(&rig.strand, s->n - 1, 0) / length;
  tip[1] = -rv_rig_x(&rig.strand, s->n - 1, 1) / length;
  *stretch = rv_rod_rig_stretch(&rig);
  rv_rod_rig_free(&rig);
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
