// Lateral capillary forces between hairs that pierce a surface: law, sums, bound, momentum, Hessian, threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "math/scalar.h"
#include "rig/couple.h"
#include "strand/rod.h"
#include "support/rv_test.h"

enum { POINTS = 6, MOST = 64 };
static const double RADIUS = 5e-5, LENGTH = 0.02, TENSION = 0.072, DENSITY = 1000, ANGLE = 1.0, GRAVITY = 9.81;

typedef struct Hairs {
  double x[MOST], z[MOST];
  size_t count;
  double hairs;
  bool dry;     // none reaches the surface
  double peak;  // share under water of the submerged points; 0: 1
} Hairs;

// Hairs in a surface, which is in the middle of an edge. The caller frees rig and *under.
static const RvOperator* stand(const Hairs* h, RvCoupleRig* rig, double** under) {
  RvError error = {0};
  RvCoupleLine lines[MOST];
  for (size_t k = 0; k < h->count; ++k)
    lines[k] = (RvCoupleLine){
        .from = {h->x[k], 0, h->z[k]}, .to = {h->x[k], -LENGTH, h->z[k]}, .radius = RADIUS, .density = 1300};
  CHECK_OK(rv_rig_couple_new(rig, lines, h->count, POINTS, h->hairs, &error), error);
  rig->set.tension = TENSION;
  rig->set.density = DENSITY;
  rig->set.angle = ANGLE;
  memcpy(rig->set.gravity, (double[3]){0, -GRAVITY, 0}, sizeof rig->set.gravity);
  *under = calloc(rig->model->vertices, sizeof(double));
  assert_non_null(*under);
  for (size_t k = 0; k < h->count; ++k)
    for (int i = POINTS / 2; i < POINTS && !h->dry; ++i)
      (*under)[rv_rig_couple_vertex(rig, k, i)] = h->peak > 0 ? h->peak : 1;
  RvCoupleMeniscus def = {.strands = &rig->strands, .settings = &rig->set, .under_water = *under, .cohesion = 1};
  CHECK_OK(rv_couple_meniscus(rig->couple, &def, &error), error);
  return rv_couple_meniscus_operator(rig->couple);
}

// Forces on the hairs, N.
static void pull(const Hairs* h, RvVec3 force[MOST]) {
  RvCoupleRig rig;
  double* under;
  const RvOperator* op = stand(h, &rig, &under);
  double* out = calloc(rig.model->unknowns, sizeof(double));
  assert_non_null(out);
  if (op) op->gradient(op->user, rig.state->q, out);
  for (size_t k = 0; k < h->count; ++k) {
    force[k] = rv_vec3(0, 0, 0);
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 f = rv_vec3(-out[rv_rig_couple_unknown(&rig, k, i, 0)], -out[rv_rig_couple_unknown(&rig, k, i, 1)],
                         -out[rv_rig_couple_unknown(&rig, k, i, 2)]);
      force[k] = rv_add(force[k], f);
      // the force acts at the surface, on both ends of the edge there
      assert_true((rv_length(f) > 0) <= (i == POINTS / 2 - 1 || i == POINTS / 2));
    }
  }
  free(out);
  free(under);
  rv_rig_couple_free(&rig);
}

// Tabulated values of x K1(x), to seven digits.
static void bessel(void** state) {
  (void)state;
  const double x[] = {0.1, 1, 2, 3}, value[] = {0.9853845, 0.6019072, 0.2797318, 0.1204693};
  for (int k = 0; k < 4; ++k) assert_true(fabs(rv_couple_bessel_k1(x[k]) - value[k]) < 2e-7);
  assert_true(rv_couple_bessel_k1(0) == 1);
}

// Two hairs attract each other by 2 pi tension Q^2 K1(d / l_c) / l_c. Tolerance: the square of 3 r over d, by which
// menisci are less steep near to each other, and 1% of the slope's sine.
static void pair(void** state) {
  (void)state;
  const double d[] = {5e-4, 1e-3, 3e-3};
  for (int k = 0; k < 3; ++k) {
    Hairs h = {.x = {0, d[k]}, .count = 2, .hairs = 1};
    RvVec3 f[MOST];
    pull(&h, f);
    double length = sqrt(TENSION / (DENSITY * GRAVITY)), q = RADIUS * cos(ANGLE);
    double law = 2 * RV_PI * TENSION * q * q * rv_couple_bessel_k1(d[k] / length) / d[k];
    double tolerance = 0.01 + 9 * RADIUS * RADIUS / (d[k] * d[k]);
    if (!(fabs(f[0].x / law - 1) < tolerance)) fail_msg("d %g m: %g N, law %g N", d[k], f[0].x, law);
    assert_true(f[0].x == -f[1].x && f[0].y == 0 && f[0].z == 0);
  }
}

// Hairs that do not reach the surface, and hairs farther than two capillary lengths, do not attract each other.
static void none(void** state) {
  (void)state;
  Hairs dry = {.x = {0, 1e-3}, .count = 2, .hairs = 1, .dry = true};
  Hairs far = {.x = {0, 6e-3}, .count = 2, .hairs = 1};
  RvVec3 f[MOST];
  pull(&dry, f);
  assert_true(rv_length(f[0]) == 0);
  pull(&far, f);
  assert_true(rv_length(f[0]) == 0);
}

static Hairs square(double d, double hairs) {
  Hairs h = {.count = MOST, .hairs = hairs};
  for (size_t k = 0; k < MOST; ++k) {
    h.x[k] = d * (double)(k % 8);
    h.z[k] = d * (double)(k / 8);
  }
  return h;
}

// A tuft is drawn inwards, by no more than the whole tension of the contact line, and not as a whole.
static void tuft(void** state) {
  (void)state;
  const double d[] = {2e-4, 5e-4};
  for (int k = 0; k < 2; ++k) {
    // a corner is missing, so that forces do not sum to 0 by symmetry
    Hairs h = square(d[k], 1);
    h.count = MOST - 11;
    RvVec3 f[MOST], sum = {0, 0, 0};
    pull(&h, f);
    double most = 2 * RV_PI * RADIUS * TENSION * cos(ANGLE), largest = 0;
    for (size_t i = 0; i < h.count; ++i) {
      sum = rv_add(sum, f[i]);
      largest = fmax(largest, rv_length(f[i]));
    }
    assert_true(largest < most && largest > 0);
    assert_true(rv_length(sum) < 1e-12 * MOST * largest);
    assert_true(f[0].x > 0 && f[0].z > 0 && f[7].x < 0 && f[7].z > 0);
  }
}

// x^T H x of the operator's Hessian: the bands of the batches, and what gather and spread apply.
static double curvature(const RvCoupleRig* rig, const RvOperator* op, const double* x, double* scratch, double* band) {
  const RvStrandModel* m = rig->model;
  double sum = 0;
  memset(scratch, 0, m->unknowns * sizeof(double));
  rv_operator_apply(op, m->nbatch, x, scratch);
  for (size_t b = 0; b < m->nbatch; ++b) {
    const RvStrandBatch* batch = &m->batches[b];
    const size_t rows = (size_t)batch->vertices * 4, stride = (RV_ROD_BAND + 1) * RV_LANES;
    memset(band, 0, rows * stride * sizeof(double));
    op->diagonal(op->user, b, band);
    for (size_t column = 0; column < rows; ++column)
      for (size_t row = column; row < rows && row - column <= RV_ROD_BAND; ++row)
        for (size_t lane = 0; lane < RV_LANES; ++lane) {
          double entry = band[column * stride + (row - column) * RV_LANES + lane];
          double twice = row > column ? 2 : 1;
          sum += twice * entry * x[batch->at + row * RV_LANES + lane] * x[batch->at + column * RV_LANES + lane];
        }
  }
  for (size_t k = 0; k < m->unknowns; ++k) sum += x[k] * scratch[k];
  return sum;
}

// The energy is quadratic: energy, gradient and Hessian tell the same of a displacement, and the whole tuft moves
// without a force.
static void derivatives(void** state) {
  (void)state;
  Hairs h = square(3e-4, 1);
  RvCoupleRig rig;
  double* under;
  const RvOperator* op = stand(&h, &rig, &under);
  assert_non_null(op);
  const size_t n = rig.model->unknowns;
  double* room = calloc(4 * n + (size_t)POINTS * 4 * (RV_ROD_BAND + 1) * RV_LANES, sizeof(double));
  assert_non_null(room);
  double *x = room, *moved = room + n, *g = room + 2 * n, *scratch = room + 3 * n, *band = room + 4 * n;
  for (size_t k = 0; k < n; ++k) {
    x[k] = 1e-4 * rv_random(7, k, 0, 0);
    moved[k] = rig.state->q[k] + x[k];
  }
  // E(q + x) = E(q) + g x + x H x / 2
  double along = 0;
  op->gradient(op->user, rig.state->q, g);
  for (size_t k = 0; k < n; ++k) along += g[k] * x[k];
  double second = curvature(&rig, op, x, scratch, band);
  double gain = op->energy(op->user, moved, NULL) - op->energy(op->user, rig.state->q, NULL);
  assert_true(second > 0);
  assert_true(fabs(gain - along - 0.5 * second) < 1e-9 * second);
  // a common motion
  for (size_t k = 0; k < n; ++k) x[k] = 1e-3;
  double common = curvature(&rig, op, x, scratch, band);
  assert_true(fabs(common) < 1e-9 * second);
  free(room);
  free(under);
  rv_rig_couple_free(&rig);
}

// A strand for four hairs pulls as four do, at a distance.
static void guides(void** state) {
  (void)state;
  Hairs one = {.x = {0, 3e-3}, .count = 2, .hairs = 1}, four = one;
  RvVec3 f[MOST], g[MOST];
  four.hairs = 4;
  pull(&one, f);
  pull(&four, g);
  assert_true(fabs(g[0].x / (16 * f[0].x) - 1) < 0.02);
}

// In a jet that the grid blurs over four times its section, four times as many hairs have a quarter of the charge: the
// force of a pair has the square of it. Tolerance: the square of the slope, by which charges are lessened, is 7e-4.
static void blurred(void** state) {
  (void)state;
  Hairs sharp = {.x = {0, 1e-3}, .count = 2, .hairs = 1}, thin = sharp;
  RvVec3 f[MOST], g[MOST];
  thin.peak = 0.25;
  pull(&sharp, f);
  pull(&thin, g);
  assert_true(f[0].x > 0);
  assert_true(fabs(16 * g[0].x / f[0].x - 1) < 2e-3);
}

static void same_bits(void** state) {
  (void)state;
  Hairs h = square(3e-4, 1);
  RvVec3 one[MOST], many[MOST];
  rv_threads_set(1);
  pull(&h, one);
  rv_threads_set(3);
  pull(&h, many);
  rv_threads_set(0);
  assert_memory_equal(one, many, sizeof one);
}

RV_TESTS(cmocka_unit_test(bessel), cmocka_unit_test(pair), cmocka_unit_test(none), cmocka_unit_test(tuft),
         cmocka_unit_test(derivatives), cmocka_unit_test(guides), cmocka_unit_test(blurred),
         cmocka_unit_test(same_bits))
