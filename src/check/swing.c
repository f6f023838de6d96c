// Check swing: a strand of real hair let go from the horizontal (WH-44). Whatever the step, it never has more energy
// than it began with, and BDF2 keeps the swing alive where implicit Euler damps it.
#include <math.h>

#include "check/list.h"
#include "rig/strand.h"

enum { N = 24 };
#define LENGTH 0.2
#define GRAVITY 9.81

typedef struct Swing {
  double highest;   // energy above the start's, in units of the fall's
  double kept;      // energy left at the end, above that of hanging, in the same units
  int unconverged;  // steps in which Newton did not reach its tolerance
} Swing;

typedef struct SwingDef {
  RvIntegrator integrator;
  double dt, radius, seconds;
  bool rounded;  // steps are differences of the shares of a frame that the solver goes through, equal but for rounding
} SwingDef;

// motion, strain and height of what may move
static double energy(const RvRig* rig) {
  double sum = rv_rig_elastic(rig) + rv_rig_kinetic(rig);
  for (int i = 2; i < N; ++i) sum += GRAVITY * rv_rig_mass(rig, i, 1) * rv_rig_x(rig, i, 1);
  return sum;
}

// energy that the strand gives off between the horizontal and hanging straight down
static double fall_of(const RvRig* rig) {
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += GRAVITY * rv_rig_mass(rig, i, 1) * LENGTH * i / (N - 1);
  return sum;
}

static RvResult swing(const SwingDef* d, Swing* out, RvError* error) {
  const double g[3] = {0, -GRAVITY, 0};
  double x[3 * N] = {0};
  for (int i = 0; i < N; ++i) {
    x[3 * i] = LENGTH * i / (N - 1);
    // a little out of the plane, so that it is no plane problem
    x[3 * i + 2] = 1e-4 * i;
  }
  const RvRigDef hair = {
      .vertices = N, .x = x, .radius = d->radius, .density = 1320, .youngs = 3e9, .shear = 1e9, .clamped = 2};
  RvRig rig;
  RvResult result = rv_rig_new(&rig, &hair, error);
  if (result) return result;
  rv_rig_gravity(&rig, g);
  double first = energy(&rig), last = first, fall = fall_of(&rig), before = d->dt;
  int steps = (int)(d->seconds / d->dt + 0.5);
  *out = (Swing){.highest = -1};
  for (int i = 0; i < steps && !result; ++i) {
    RvStrandStats stats;
    double now = d->rounded ? (i + 1) * d->dt - i * d->dt : d->dt;
    const RvStrandStepDef step = {.dt = now,
                                  .dt_before = before,
                                  .integrator = d->integrator,
                                  .max_iterations = 30,
                                  .tolerance = 1e-6,
                                  .force = rig.force,
                                  .target = rig.target};
    result = rv_strand_step(rig.model, rig.state, &step, &stats, error);
    last = energy(&rig);
    before = now;
    out->highest = isfinite(last) ? fmax(out->highest, (last - first) / fall) : INFINITY;
    out->unconverged += stats.unconverged > 0;
  }
  out->kept = 1 + (last - first) / fall;
  rv_rig_free(&rig);
  return result;
}

// two seconds of both integrators at one rate, thin and thick hair
static RvResult compare(double rate, Swing both[2], double* ahead, RvError* error) {
  const double radii[2] = {35e-6, 50e-6};
  RvResult result = RV_OK;
  *ahead = INFINITY;
  both[0] = both[1] = (Swing){0};
  for (int r = 0; r < 2 && !result; ++r) {
    Swing one[2];
    for (int k = 0; k < 2 && !result; ++k) {
      SwingDef def = {.integrator = k ? RV_BDF2 : RV_EULER, .dt = 1 / rate, .radius = radii[r], .seconds = 2};
      result = swing(&def, &one[k], error);
      if (result) break;
      both[k].highest = fmax(both[k].highest, one[k].highest);
      both[k].unconverged += one[k].unconverged;
    }
    if (!result) *ahead = fmin(*ahead, one[1].kept - one[0].kept);
  }
  return result;
}

// Half a second of BDF2 with equal steps, the same with steps that differ in the last bit, and of implicit Euler. Were
// steps that are equal but for rounding not taken as equal, BDF2 would give way to implicit Euler now and then.
static RvResult round_steps(double rate, double* difference, double* ahead, RvError* error) {
  SwingDef def = {.integrator = RV_BDF2, .dt = 1 / rate, .radius = 50e-6, .seconds = 0.5};
  Swing same, rounded, euler;
  RvResult result = swing(&def, &same, error);
  def.rounded = true;
  if (!result) result = swing(&def, &rounded, error);
  def.rounded = false;
  def.integrator = RV_EULER;
  if (!result) result = swing(&def, &euler, error);
  if (result) return result;
  *difference = rounded.kept - same.kept;
  *ahead = same.kept - euler.kept;
  return RV_OK;
}

RvResult rv_check_swing(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *euler, *bdf2, *unconverged, *keeps;
    double rate;
  } rates[] = {{"euler_24", "bdf2_24", "unconverged_24", "bdf2_keeps_more_24", 24},
               {"euler_48", "bdf2_48", "unconverged_48", "bdf2_keeps_more_48", 48},
               {"euler_96", "bdf2_96", "unconverged_96", "bdf2_keeps_more_96", 96},
               {"euler_240", "bdf2_240", "unconverged_240", "bdf2_keeps_more_240", 240}};
  double difference, ahead;
  for (int k = 0; k < 4; ++k) {
    Swing both[2];
    RvResult result = compare(rates[k].rate, both, &ahead, error);
    if (result) return result;
    // the potential of a step never rises, so nothing but rounding and what Newton left can add energy
    rv_check_emit(out, rates[k].euler, both[0].highest, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2, both[1].highest, 0, 1e-6);
    rv_check_emit(out, rates[k].unconverged, both[0].unconverged + both[1].unconverged, 0, 0);
    rv_check_emit(out, rates[k].keeps, ahead > 0, 1, 0);
  }
  for (int k = 0; k < 2; ++k) {
    RvResult result = round_steps(k ? 120 : 72, &difference, &ahead, error);
    if (result) return result;
    rv_check_emit(out, k ? "rounded_120" : "rounded_72", difference, 0, 1e-3);
    rv_check_emit(out, k ? "bdf2_ahead_120" : "bdf2_ahead_72", ahead > 0.02, 1, 0);
  }
  return RV_OK;
}
