// A strand of real hair let go from the horizontal (WH-44): whatever the step, it never has more energy than it began
// with, and BDF2 keeps the swing alive where implicit Euler damps it.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "strand/strand.h"
#include "support/rv_test.h"

enum { N = 24 };

typedef struct Swing {
  double highest;  // energy above the start's, in units of the fall's
  double kept;     // energy left after the time, above that of hanging, in the same units
  int iterations;
  int unconverged;
} Swing;

static double energy_of(const RvStrandModel* m, const RvStrandState* s) {
  const RvStrandBatch* b = &m->batches[0];
  double e[RV_LANES] __attribute__((aligned(64)));
  RvRodBatch rod = {.vertices = N,
                    .tangent = s->tangent,
                    .director = s->director,
                    .reference_twist = s->reference_twist,
                    .length = m->rest_length,
                    .stretch = m->stretch,
                    .curvature = m->rest_curvature,
                    .bend = m->bend,
                    .twist = m->rest_twist,
                    .torsion = m->torsion};
  rv_strand_rod_energy(&rod, s->q, e);
  double sum = e[0];
  for (int i = 0; i < N; ++i)
    for (int c = 0; c < 4; ++c) {
      size_t at = rv_strand_index(b, 0, i, c);
      if (m->free[at] == 0) continue;
      sum += 0.5 * m->mass[at] * s->v[at] * s->v[at] + (c == 1 ? m->mass[at] * 9.81 * s->q[at] : 0);
    }
  return sum;
}

// `share`: the steps are differences of the shares of a frame that the solver goes through, equal but for rounding
static Swing swing(RvIntegrator integrator, double dt, double radius, double seconds, bool share) {
  const double length = 0.2;
  double pose[3 * N], radii[N];
  for (int i = 0; i < N; ++i) {
    pose[3 * i] = length * i / (N - 1);
    pose[3 * i + 1] = 0;
    pose[3 * i + 2] = 1e-4 * i;
    radii[i] = radius;
  }
  RvStrandDef def = {.vertices = N,
                     .x = pose,
                     .radius = radii,
                     .density = 1320,
                     .youngs = 3e9,
                     .shear = 1e9,
                     .viscosity = 0,
                     .ellipse = 1,
                     .multiple = 1};
  RvError error = {0};
  RvStrandModel* m = NULL;
  RvStrandState* s = NULL;
  CHECK_OK(rv_strand_model_new(&def, 1, &m, &error), error);
  CHECK_OK(rv_strand_state_new(m, &def, &s, &error), error);
  double *force = rv_alloc_zero(m->unknowns, sizeof *force), *target = rv_alloc_zero(m->unknowns, sizeof *target);
  const RvStrandBatch* b = &m->batches[0];
  double fall = 0;
  for (int lane = 0; lane < RV_LANES; ++lane) {
    for (int i = 0; i < N; ++i) {
      size_t at = rv_strand_index(b, lane, i, 1);
      force[at] = -9.81 * m->mass[at];
      if (!lane) fall += 9.81 * m->mass[at] * length * i / (N - 1);
    }
    for (int k = 0; k < 7; ++k) m->free[rv_strand_index(b, lane, 0, k)] = 0;
  }
  memcpy(target, s->q, m->unknowns * sizeof *target);
  double before = energy_of(m, s), last = 0, step_before = dt;
  Swing out = {-1, 0, 0, 0};
  int steps = (int)(seconds / dt + 0.5);
  for (int i = 0; i < steps; ++i) {
    RvStrandStats stats;
    double now = share ? (i + 1) * dt - i * dt : dt;
    RvStrandStepDef step = {.dt = now,
                            .dt_before = step_before,
                            .integrator = integrator,
                            .max_iterations = 30,
                            .tolerance = 1e-6,
                            .force = force,
                            .target = target};
    CHECK_OK(rv_strand_step(m, s, &step, &stats, &error), error);
    last = energy_of(m, s);
    step_before = now;
    out.highest = fmax(out.highest, (last - before) / fall);
    out.iterations += stats.iterations;
    out.unconverged += stats.unconverged > 0;
  }
  out.kept = 1 + (last - before) / fall;
  out.iterations /= steps;
  rv_free(force);
  rv_free(target);
  rv_strand_state_free(s);
  rv_strand_model_free(m);
  return out;
}

static void no_gain_of_energy(void** state) {
  (void)state;
  const double steps[] = {24, 48, 96, 240}, radii[] = {35e-6, 50e-6};
  for (int r = 0; r < 2; ++r)
    for (int k = 0; k < 4; ++k) {
      double dt = 1 / steps[k];
      Swing euler = swing(RV_EULER, dt, radii[r], 2, false), bdf2 = swing(RV_BDF2, dt, radii[r], 2, false);
      print_message(
          "r %g dt 1/%g: euler highest %.2e kept %.3f (%d it, %d unconverged); bdf2 %.2e kept %.3f (%d, %d)\n",
          radii[r], steps[k], euler.highest, euler.kept, euler.iterations, euler.unconverged, bdf2.highest, bdf2.kept,
          bdf2.iterations, bdf2.unconverged);
      // the potential of a step never rises, so nothing but rounding and what Newton left can add energy
      assert_true(euler.highest < 1e-6 && bdf2.highest < 1e-6);
      assert_int_equal(euler.unconverged + bdf2.unconverged, 0);
      assert_true(bdf2.kept > euler.kept);
    }
}

// Thirds and fifths of a frame are no numbers of the machine: steps whose lengths differ in the last bit are equal, or
// BDF2 would give way to implicit Euler now and then. Over half a second such steps come to the same, to a thousandth
// of the fall; implicit Euler loses a tenth and more.
static void rounded_steps_are_equal(void** state) {
  (void)state;
  const double steps[] = {72, 120};
  for (int k = 0; k < 2; ++k) {
    double dt = 1 / steps[k], same = swing(RV_BDF2, dt, 50e-6, 0.5, false).kept,
           rounded = swing(RV_BDF2, dt, 50e-6, 0.5, true).kept, euler = swing(RV_EULER, dt, 50e-6, 0.5, false).kept;
    print_message("dt 1/%g: kept %.4f, of rounded steps %.4f, euler %.4f\n", steps[k], same, rounded, euler);
    assert_true(same - euler > 0.02);
    CHECK_NEAR(rounded, same, 1e-3);
  }
}

RV_TESTS(cmocka_unit_test(no_gain_of_energy), cmocka_unit_test(rounded_steps_are_equal))
