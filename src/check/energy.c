// Check energy: real hair without any damping, struck violently, at the steps of 24, 48, 96 and 240 a second (WH-44).
//
// Energy is that of motion, of strain and of height. The potential of a step falls in Newton, so implicit Euler's
// energy should fall in every step, and it is asked not to rise in any by more than what Newton left. BDF2 alone is
// dissipative in a norm of two steps only; steps in which its plain energy would rise are done again with Euler
// (strand/balance.c), so the same is asked of it, and that the most of half a second, which is more than half a swing,
// is not above the most of the half second before.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/strand.h"

enum { N = 24, WINDOWS = 5 };
#define SECONDS 2.5
#define LENGTH 0.2
#define GRAVITY 9.81

typedef struct Gain {
  double above;   // the energy of the blow, at any time
  double step;    // from one step to the next
  double window;  // from the most of half a second to that of the next
} Gain;

static double energy(const RvRig* rig) {
  double sum = rv_rig_elastic(rig) + rv_rig_kinetic(rig);
  for (int i = 0; i < N; ++i) sum += GRAVITY * rv_rig_mass(rig, i, 1) * rv_rig_x(rig, i, 1);
  return sum;
}

// Every vertex is thrown its own way at up to 5 m/s, and its frame spun at up to 100 turns a second: that is mostly in
// vibrations which long steps damp at once. Or the strand is whipped, 10 m/s at its tip: that stays.
static void strike(RvRig* rig, int fixed, bool whip) {
  for (int i = fixed; i < N; ++i)
    for (int c = 0; c < (i + 1 < N ? 4 : 3); ++c) {
      double random = (c < 3 ? 5 : 600) * (2 * rv_random(23, 1, (uint64_t)(4 * i + c), 0) - 1);
      rv_rig_set_v(rig, i, c, !whip ? random : c == 2 ? 10.0 * i / N : c == 3 ? 100 : 0);
    }
}

static RvResult run(double radius, double dt, RvIntegrator integrator, bool swinging, bool whip, Gain* gain,
                    RvError* error) {
  const double g[3] = {0, -GRAVITY, 0};
  double x[3 * N], most[WINDOWS];
  for (int i = 0; i < N; ++i) {
    x[3 * i] = LENGTH * i / (N - 1);
    x[3 * i + 1] = 0;
    x[3 * i + 2] = 0;
  }
  RvRig rig;
  int fixed = swinging ? 2 : 0, steps = (int)(SECONDS / dt + 0.5);
  RvResult result = rv_rig_new(&rig, &(RvRigDef){N, x, NULL, radius, 1320, 3e9, 1.1e9, 0, fixed}, error);
  if (result) return result;
  rv_rig_gravity(&rig, g);
  strike(&rig, fixed, whip);
  // relative to what there is at the blow
  double first = energy(&rig), blow = rv_rig_kinetic(&rig), before = first;
  for (int w = 0; w < WINDOWS; ++w) most[w] = -INFINITY;
  for (int k = 0; k < steps && !result; ++k) {
    result = rv_rig_step(&rig, dt, integrator, 1e-9, error);
    double now = energy(&rig);
    int window = k * WINDOWS / steps;
    most[window] = fmax(most[window], now);
    gain->above = fmax(gain->above, (now - first) / blow);
    gain->step = fmax(gain->step, (now - before) / blow);
    before = now;
    if (!isfinite(now)) gain->above = gain->step = INFINITY;
  }
  for (int w = 1; w < WINDOWS; ++w) gain->window = fmax(gain->window, (most[w] - most[w - 1]) / blow);
  rv_rig_free(&rig);
  return result;
}

RvResult rv_check_energy(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *euler, *bdf2, *bdf2_step, *bdf2_window;
    double rate;
  } rates[] = {{"euler_24", "bdf2_24", "bdf2_24_step", "bdf2_24_halves", 24},
               {"euler_48", "bdf2_48", "bdf2_48_step", "bdf2_48_halves", 48},
               {"euler_96", "bdf2_96", "bdf2_96_step", "bdf2_96_halves", 96},
               {"euler_240", "bdf2_240", "bdf2_240_step", "bdf2_240_halves", 240}};
  RvResult result = RV_OK;
  for (int k = 0; k < 4 && !result; ++k) {
    Gain euler = {0}, bdf2 = {0};
    for (int r = 0; r < 8 && !result; ++r) {
      double radius = r & 1 ? 50e-6 : 35e-6;
      result = run(radius, 1 / rates[k].rate, RV_EULER, r & 2, r & 4, &euler, error);
      if (!result) result = run(radius, 1 / rates[k].rate, RV_BDF2, r & 2, r & 4, &bdf2, error);
    }
    if (result) break;
    // Newton stops at 1e-9 of a step that moves a strand by an edge: below a millionth of the blow
    rv_check_emit(out, rates[k].euler, euler.step, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2, bdf2.above, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2_step, bdf2.step, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2_window, bdf2.window, 0, 1e-6);
  }
  return result;
}
