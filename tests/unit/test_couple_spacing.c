// The free area around the hairs of bundles: lattices, their edges and corners, lone hairs, and any number of threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "math/scalar.h"
#include "rig/couple.h"
#include "support/rv_test.h"

enum { SIDE = 8, POINTS = 6, MOST = SIDE * SIDE };
static const double RADIUS = 5e-5, LENGTH = 0.02;

typedef struct Bundle {
  RvCoupleLine lines[MOST];
  size_t count;
  double hairs;  // each stands for
} Bundle;

// A square bundle of parallel hairs that lean by `slope`.
static Bundle square(double d, size_t side, double slope) {
  Bundle b = {.count = side * side, .hairs = 1};
  for (size_t k = 0; k < b.count; ++k) {
    double x = d * (double)(k % side), z = d * (double)(k / side);
    // the lattice stands across the hairs
    double stretched = x * sqrt(1 + slope * slope);
    b.lines[k] = (RvCoupleLine){
        .from = {stretched, 0, z}, .to = {stretched + slope * LENGTH, -LENGTH, z}, .radius = RADIUS, .density = 1300};
  }
  return b;
}

typedef struct Measured {
  double area[MOST][POINTS], share[MOST][POINTS];  // of the hair's cell; chi
} Measured;

static Measured measure(const Bundle* b) {
  RvError error = {0};
  RvCoupleRig rig;
  Measured m;
  CHECK_OK(rv_rig_couple_new(&rig, b->lines, b->count, POINTS, b->hairs, &error), error);
  double* numbers = calloc(2 * rig.model->vertices, sizeof(double));
  assert_non_null(numbers);
  double* share = numbers + rig.model->vertices;
  CHECK_OK(rv_couple_spacing(rig.couple, &rig.strands, &rig.set, numbers, share, &error), error);
  for (size_t k = 0; k < b->count; ++k)
    for (int i = 0; i < POINTS; ++i) {
      size_t at = rv_rig_couple_vertex(&rig, k, i);
      m.area[k][i] = numbers[at] + RV_PI * RADIUS * RADIUS;
      m.share[k][i] = share[at];
    }
  free(numbers);
  rv_rig_couple_free(&rig);
  return m;
}

// Cells of a square bundle are d^2, inside, at edges and at corners, for hairs in any direction.
static void square_bundle(void** state) {
  (void)state;
  const double slopes[] = {0, 0.3, 1};
  for (int n = 0; n < 3; ++n) {
    Bundle b = square(3e-4, SIDE, slopes[n]);
    Measured m = measure(&b);
    for (size_t k = 0; k < b.count; ++k)
      for (int i = 0; i < POINTS; ++i) {
        // the plane across the end of a leaning hair meets some neighbours beyond their ends
        if ((i == 0 || i == POINTS - 1) && n > 0) continue;
        // 16 directions sample the border of the cell within 5%
        if (!(fabs(m.area[k][i] / 9e-8 - 1) < 0.06))
          fail_msg("hair %zu point %d: area %g m2, slope %g", k, i, m.area[k][i], slopes[n]);
        assert_true(m.share[k][i] == 1);
      }
  }
}

// A strand that stands for four hairs at twice the distance is the same bundle.
static void guides(void** state) {
  (void)state;
  Bundle b = square(6e-4, SIDE, 0);
  b.hairs = 4;
  Measured m = measure(&b);
  assert_true(fabs(m.area[SIDE + 1][2] / 9e-8 - 1) < 0.06);
  assert_true(m.share[SIDE + 1][2] == 1);
}

// chi falls from 1 at a column of two capillary lengths to 0 at one: between 0.66 and 0.93 mm for water.
static void share_by_distance(void** state) {
  (void)state;
  const double d[] = {1e-4, 6e-4, 7e-4, 8e-4, 9e-4, 9.5e-4, 5e-3};
  double before = 2;
  for (int n = 0; n < 7; ++n) {
    Bundle b = square(d[n], SIDE, 0);
    double share = measure(&b).share[3 * SIDE + 3][2];
    assert_true(share <= before);
    assert_true(n > 1 ? share < 1 : share == 1);
    if (n >= 5) assert_true(share == 0);
    before = share;
  }
}

// Hairs that do not enclose liquid are no bundle: one, two, a row, and those that cross.
static void no_bundle(void** state) {
  (void)state;
  for (size_t count = 1; count <= 2; ++count) {
    Bundle b = square(2e-4, 2, 0);
    b.count = count;
    Measured m = measure(&b);
    for (size_t k = 0; k < count; ++k) assert_true(m.share[k][2] == 0);
  }
  Bundle row = square(2e-4, SIDE, 0.3);
  row.count = SIDE;
  Measured rows = measure(&row);
  for (size_t k = 0; k < row.count; ++k) assert_true(rows.share[k][2] == 0);
  Bundle b = square(3e-4, 3, 0);
  for (size_t k = 0; k < b.count; ++k) {
    if (k == 4) continue;
    b.lines[k].from[1] = -0.5 * LENGTH;
    b.lines[k].to[1] = -0.5 * LENGTH;
    b.lines[k].to[0] = b.lines[k].from[0] + LENGTH;
  }
  assert_true(measure(&b).share[4][2] == 0);
}

// In a random bundle the areas of all hairs make up the bundle's, within the scatter of 36 cells and its border.
static void random_bundle(void** state) {
  (void)state;
  const double d = 3e-4;
  double sum = 0;
  Bundle b = square(d, SIDE, 0);
  for (size_t k = 0; k < b.count; ++k)
    for (int a = 0; a < 3; a += 2) {
      double shift = 0.6 * d * (rv_random(5, k, (uint64_t)a, 0) - 0.5);
      b.lines[k].from[a] += shift;
      b.lines[k].to[a] += shift;
    }
  Measured m = measure(&b);
  for (size_t k = 0; k < b.count; ++k)
    if (k % SIDE > 0 && k % SIDE < SIDE - 1 && k / SIDE > 0 && k / SIDE < SIDE - 1) sum += m.area[k][2];
  assert_true(fabs(sum / 36 / (d * d) - 1) < 0.05);
}

// Positions that move a little change the areas a little: no jump above 5% (the sampling of the border) for 1/100 d.
static void continuous(void** state) {
  (void)state;
  double before = 0;
  for (int n = 0; n < 60; ++n) {
    Bundle b = square(3e-4, 3, 0);
    b.lines[4].from[0] += 1.8e-6 * n;
    b.lines[4].to[0] += 1.8e-6 * n;
    double area = measure(&b).area[4][2];
    if (n) assert_true(fabs(area / before - 1) < 0.05);
    before = area;
  }
}

static void same_bits(void** state) {
  (void)state;
  Bundle b = square(3e-4, SIDE, 0.2);
  Measured one, many;
  memset(&one, 0, sizeof one);
  memset(&many, 0, sizeof many);
  rv_threads_set(1);
  one = measure(&b);
  rv_threads_set(3);
  many = measure(&b);
  rv_threads_set(0);
  assert_memory_equal(&one, &many, sizeof one);
}

RV_TESTS(cmocka_unit_test(square_bundle), cmocka_unit_test(guides), cmocka_unit_test(share_by_distance),
         cmocka_unit_test(no_bundle), cmocka_unit_test(random_bundle), cmocka_unit_test(continuous),
         cmocka_unit_test(same_bits))
