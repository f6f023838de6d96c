// A clamped horizontal strand under its own weight against the heavy elastica (WH-1, spec 8.1): tip within 1% at 64
// vertices and second-order convergence. The clamp acts at the middle of the first edge, where the tangent is given.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "strand/strand.h"
#include "support/rv_test.h"

enum { MAX_N = 128 };

// tip of a cantilever with Gamma = rho A g L^3 / EI, relative to the clamp, in units of L
static void tip(int n, double gamma, double* x, double* y) {
  const double radius = 50e-6, density = 1300, g = 9.81, length = 0.05;
  double area = M_PI * radius * radius, inertia = M_PI * pow(radius, 4) / 4;
  double youngs = density * area * g * pow(length, 3) / (gamma * inertia), edge = length / (n - 1.5);
  double pose[MAX_N * 3], radii[MAX_N];
  for (int i = 0; i < n; ++i) {
    pose[3 * i] = edge * (i - 0.5);
    pose[3 * i + 1] = 0;
    pose[3 * i + 2] = 0;
    radii[i] = radius;
  }
  RvStrandDef def = {.vertices = n,
                     .x = pose,
                     .radius = radii,
                     .density = density,
                     .youngs = youngs,
                     .shear = youngs / 2.6,
                     .viscosity = 0,
                     .ellipse = 1,
                     .multiple = 1};
  RvError error = {0};
  RvStrandModel* m = NULL;
  RvStrandState* s = NULL;
  CHECK_OK(rv_strand_model_new(&def, 1, &m, &error), error);
  CHECK_OK(rv_strand_state_new(m, &def, &s, &error), error);
  double* force = rv_alloc_zero(m->unknowns, sizeof(double));
  const RvStrandBatch* b = &m->batches[0];
  for (int lane = 0; lane < RV_LANES; ++lane) {
    for (int i = 0; i < n; ++i) {
      size_t at = rv_strand_index(b, lane, i, 1);
      force[at] = -g * m->mass[at];
    }
    for (int k = 0; k < 7; ++k) m->free[rv_strand_index(b, lane, 0, k)] = 0;
  }
  // implicit Euler with long steps loses its motion and ends in equilibrium
  RvStrandStats stats;
  for (int step = 0; step < 400; ++step)
    CHECK_OK(rv_strand_step(m, s,
                            &(RvStrandStepDef){
                                .dt = 0.05, .max_iterations = 30, .tolerance = 1e-10, .force = force, .target = s->q},
                            &stats, &error),
             error);
  // the last vertex's half cell has no weight beyond it
  *x = s->q[rv_strand_index(b, 0, n - 1, 0)] / length;
  *y = -s->q[rv_strand_index(b, 0, n - 1, 1)] / length;
  double speed = fabs(s->v[rv_strand_index(b, 0, n - 1, 1)]);
  assert_true(speed < 1e-6);
  print_message("n %d gamma %g: x %.5f y %.5f, %d iterations, %lld searches\n", n, gamma, *x, *y, stats.iterations,
                (long long)stats.searches);
  rv_free(force);
  rv_strand_state_free(s);
  rv_strand_model_free(m);
}

static void against_the_elastica(void** state) {
  (void)state;
  const double table[][3] = {
      {0.5, 0.99778, 0.06231}, {2, 0.96689, 0.23851}, {10, 0.65635, 0.70020}, {50, 0.24501, 0.90792}};
  for (int k = 0; k < 4; ++k) {
    double x, y;
    tip(64, table[k][0], &x, &y);
    CHECK_NEAR(hypot(x - table[k][1], y - table[k][2]), 0, 0.01);
  }
}

static void second_order(void** state) {
  (void)state;
  double error[3];
  const int sizes[] = {17, 33, 65};
  for (int k = 0; k < 3; ++k) {
    double x, y;
    tip(sizes[k], 5, &x, &y);
    error[k] = hypot(x - 0.84666, y - 0.49591);
  }
  double order = log2(error[0] / error[1]);
  print_message("errors %g %g %g, order %g %g\n", error[0], error[1], error[2], order, log2(error[1] / error[2]));
  assert_true(order > 1.7);
}

RV_TESTS(cmocka_unit_test(against_the_elastica), cmocka_unit_test(second_order))
