// Lateral capillary forces between hairs that pierce a surface: law, sums, bound, momentum, length of the step,
// threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/scalar.h"
#include "rig/couple.h"
#include "support/rv_test.h"

enum { POINTS = 6, MOST = 64 };
static const double RADIUS = 5e-5, LENGTH = 0.02, TENSION = 0.072, DENSITY = 1000, ANGLE = 1.0, GRAVITY = 9.81;
static const double SHORT = 1e-7;  // s: within it nothing moves

typedef struct Hairs {
  double x[MOST], z[MOST];
  size_t count;
  double dt, hairs;
  bool dry;     // none reaches the surface
  double peak;  // share under water of the submerged points; 0: 1
} Hairs;

// Forces on the hairs, N; the surface is in the middle of an edge.
static void pull(const Hairs* h, RvVec3 force[MOST]) {
  RvError error = {0};
  RvCoupleRig rig;
  RvCoupleLine lines[MOST];
  for (size_t k = 0; k < h->count; ++k)
    lines[k] = (RvCoupleLine){
        .from = {h->x[k], 0, h->z[k]}, .to = {h->x[k], -LENGTH, h->z[k]}, .radius = RADIUS, .density = 1300};
  CHECK_OK(rv_rig_couple_new(&rig, lines, h->count, POINTS, h->hairs, &error), error);
  rig.set.tension = TENSION;
  rig.set.density = DENSITY;
  rig.set.angle = ANGLE;
  memcpy(rig.set.gravity, (double[3]){0, -GRAVITY, 0}, sizeof rig.set.gravity);
  double* under = calloc(rig.model->vertices + rig.model->unknowns, sizeof(double));
  assert_non_null(under);
  double* out = under + rig.model->vertices;
  for (size_t k = 0; k < h->count; ++k)
    for (int i = POINTS / 2; i < POINTS && !h->dry; ++i)
      under[rv_rig_couple_vertex(&rig, k, i)] = h->peak > 0 ? h->peak : 1;
  RvCoupleMeniscus def = {
      .strands = &rig.strands, .settings = &rig.set, .under_water = under, .cohesion = 1, .dt = h->dt};
  CHECK_OK(rv_couple_meniscus(rig.couple, &def, out, &error), error);
  for (size_t k = 0; k < h->count; ++k) {
    force[k] = rv_vec3(0, 0, 0);
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 f = rv_vec3(out[rv_rig_couple_unknown(&rig, k, i, 0)], out[rv_rig_couple_unknown(&rig, k, i, 1)],
                         out[rv_rig_couple_unknown(&rig, k, i, 2)]);
      force[k] = rv_add(force[k], f);
      // the force acts at the surface, on both ends of the edge there
      assert_true((rv_length(f) > 0) <= (i == POINTS / 2 - 1 || i == POINTS / 2));
    }
  }
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
    Hairs h = {.x = {0, d[k]}, .count = 2, .dt = SHORT, .hairs = 1};
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
  Hairs dry = {.x = {0, 1e-3}, .count = 2, .dt = SHORT, .hairs = 1, .dry = true};
  Hairs far = {.x = {0, 6e-3}, .count = 2, .dt = SHORT, .hairs = 1};
  RvVec3 f[MOST];
  pull(&dry, f);
  assert_true(rv_length(f[0]) == 0);
  pull(&far, f);
  assert_true(rv_length(f[0]) == 0);
}

static Hairs square(double d, double dt, double hairs) {
  Hairs h = {.count = MOST, .dt = dt, .hairs = hairs};
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
  for (int k = 0; k < 2; ++k)
    for (int n = 0; n < 2; ++n) {
      // a corner is missing, so that forces do not sum to 0 by symmetry
      Hairs h = square(d[k], n ? 0.01 : SHORT, 1);
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

// Within a long step no hair is brought past another: the force moves the mass at the surface by less than the
// distance.
static void long_step(void** state) {
  (void)state;
  const double dt[] = {1e-3, 0.01, 0.1, 1};
  double before = INFINITY, mass = 1300 * RV_PI * RADIUS * RADIUS * LENGTH / (POINTS - 1);
  for (int k = 0; k < 4; ++k) {
    Hairs h = {.x = {0, 3e-4}, .count = 2, .dt = dt[k], .hairs = 1};
    RvVec3 f[MOST];
    pull(&h, f);
    assert_true(f[0].x > 0 && f[0].x <= before);
    // all of the strand may move
    assert_true(f[0].x * dt[k] * dt[k] / (mass * POINTS) < 3e-4 * (POINTS - 1));
    before = f[0].x;
  }
}

// A strand for four hairs pulls as four do, at a distance.
static void guides(void** state) {
  (void)state;
  Hairs one = {.x = {0, 3e-3}, .count = 2, .dt = SHORT, .hairs = 1}, four = one;
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
  Hairs sharp = {.x = {0, 1e-3}, .count = 2, .dt = SHORT, .hairs = 1}, thin = sharp;
  RvVec3 f[MOST], g[MOST];
  thin.peak = 0.25;
  pull(&sharp, f);
  pull(&thin, g);
  assert_true(f[0].x > 0);
  assert_true(fabs(16 * g[0].x / f[0].x - 1) < 2e-3);
}

static void same_bits(void** state) {
  (void)state;
  Hairs h = square(3e-4, 0.01, 1);
  RvVec3 one[MOST], many[MOST];
  rv_threads_set(1);
  pull(&h, one);
  rv_threads_set(3);
  pull(&h, many);
  rv_threads_set(0);
  assert_memory_equal(one, many, sizeof one);
}

RV_TESTS(cmocka_unit_test(bessel), cmocka_unit_test(pair), cmocka_unit_test(none), cmocka_unit_test(tuft),
         cmocka_unit_test(long_step), cmocka_unit_test(guides), cmocka_unit_test(blurred), cmocka_unit_test(same_bits))
