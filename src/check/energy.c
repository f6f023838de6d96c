// Check energy: undamped hair after a violent blow, at 24, 48, 96 and 240 steps a second (WH-44).
//
// Energy is kinetic, elastic and potential. Newton decreases the potential of a step, so implicit Euler's energy must
// not rise in any step by more than Newton's tolerance. BDF2 is dissipative in a norm over two steps only; steps in
// which its energy would rise are repeated with Euler (strand/balance.c), so the same holds for it. Beside that, the
// maximum over half a second, more than half an oscillation, must not exceed that of the half second before.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/strand.h"

enum { N = 24, WINDOWS = 5 };
#define SECONDS 2.5   // s, five windows
#define LENGTH 0.2    // m
#define GRAVITY 9.81  // m/s2

// Largest gains of energy, relative to the kinetic energy of the blow.
typedef struct Gain {
  double above;   // above the energy of the start, at any time
  double step;    // from one step to the next
  double window;  // from the maximum of half a second to that of the next
} Gain;

// Elastic, kinetic and potential energy, J.
static double energy(const RvRig* rig) {
  double sum = rv_rig_elastic(rig) + rv_rig_kinetic(rig);
  for (int i = 0; i < N; ++i) sum += GRAVITY * rv_rig_mass(rig, i, 1) * rv_rig_x(rig, i, 1);
  return sum;
}

// Random velocities of up to 5 m/s and frame rotations of up to 600 rad/s: mostly vibrations, which long steps damp at
// once. Or a whip of 10 m/s at the tip, whose motion persists.
static void strike(RvRig* rig, int fixed, bool whip) {
  for (int i = fixed; i < N; ++i)
    for (int c = 0; c < (i + 1 < N ? 4 : 3); ++c) {
      double random = (c < 3 ? 5 : 600) * (2 * rv_random(23, 1, (uint64_t)(4 * i + c), 0) - 1);
      rv_rig_set_v(rig, i, c, !whip ? random : c == 2 ? 10.0 * i / N : c == 3 ? 100 : 0);
    }
}

// One strand, free or clamped (`swinging`), for 2.5 s; adds to the largest gains.
static RvResult run(double radius, double dt, RvIntegrator integrator, bool swinging, bool whip, Gain* gain,
                    RvError* error) {
  const double g[3] = {0, -GRAVITY, 0};
  double x[3 * N], window_maximum[WINDOWS];
  for (int i = 0; i < N; ++i) {
    x[3 * i] = LENGTH * i / (N - 1);
    x[3 * i + 1] = 0;
    x[3 * i + 2] = 0;
  }
  // A straight horizontal strand after the blow.
  RvRig rig;
  int fixed = swinging ? 2 : 0, steps = (int)(SECONDS / dt + 0.5);
  const RvRigDef def = {
      .vertices = N,
      .x = x,
      .radius = radius,
      .density = 1320,
      .youngs = 3e9,
      .shear = 1.1e9,
      .clamped = fixed,
  };
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  rv_rig_gravity(&rig, g);
  strike(&rig, fixed, whip);
  // Gains are relative to the kinetic energy of the blow.
  double start_energy = energy(&rig);
  double blow_energy = rv_rig_kinetic(&rig);
  double last = start_energy;
  // Gains of every step and window; a state that is not finite fails.
  for (int w = 0; w < WINDOWS; ++w) window_maximum[w] = -INFINITY;
  for (int k = 0; k < steps && !result; ++k) {
    result = rv_rig_step(&rig, dt, integrator, 1e-9, error);
    double current = energy(&rig);
    int window = k * WINDOWS / steps;
    window_maximum[window] = fmax(window_maximum[window], current);
    gain->above = fmax(gain->above, (current - start_energy) / blow_energy);
    gain->step = fmax(gain->step, (current - last) / blow_energy);
    last = current;
    if (!isfinite(current)) gain->above = gain->step = INFINITY;
  }
  for (int w = 1; w < WINDOWS; ++w)
    gain->window = fmax(gain->window, (window_maximum[w] - window_maximum[w - 1]) / blow_energy);
  rv_rig_free(&rig);
  return result;
}

// Two radii, free and clamped, both blows, at each rate and with both integrators.
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
    // The bits of r choose radius, clamp and blow.
    Gain euler = {0}, bdf2 = {0};
    for (int r = 0; r < 8 && !result; ++r) {
      double radius = r & 1 ? 50e-6 : 35e-6;
      result = run(radius, 1 / rates[k].rate, RV_EULER, r & 2, r & 4, &euler, error);
      if (!result) result = run(radius, 1 / rates[k].rate, RV_BDF2, r & 2, r & 4, &bdf2, error);
    }
    if (result) break;
    // Newton stops at 1e-9 of a step that moves a strand by an edge: below 1e-6 of the blow.
    rv_check_emit(out, rates[k].euler, euler.step, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2, bdf2.above, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2_step, bdf2.step, 0, 1e-6);
    rv_check_emit(out, rates[k].bdf2_window, bdf2.window, 0, 1e-6);
  }
  return result;
}
