// The search tree against looking at everything, and Sobol's points against what makes them Sobol's.
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "mesh/nearest.h"
#include "mesh/skin.h"
#include "support/rv_test.h"

enum { N = 3000, QUERIES = 500 };
static float boxes[N][6];

static double box_distance2(const void* arg, size_t item, RvVec3 p) {
  (void)arg;
  const double at[3] = {p.x, p.y, p.z};
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    double d = fmax(fmax(boxes[item][k] - at[k], at[k] - boxes[item][3 + k]), 0);
    sum += d * d;
  }
  return sum;
}

// half of the boxes on a coarse lattice, so that many lie at one place or at one distance
static void same_as_looking_at_all(void** state) {
  (void)state;
  RvError error = {0};
  const size_t counts[] = {0, 1, 2, 5, 17, N};
  for (size_t i = 0; i < N; ++i) {
    for (int k = 0; k < 3; ++k) {
      double x = rv_random(3, (uint64_t)k, i, 0);
      boxes[i][k] = (float)(i % 2 ? x : floor(4 * x) / 4);
      boxes[i][3 + k] = boxes[i][k] + (float)(i % 3 ? 0 : 0.05 * rv_random(3, (uint64_t)k, i, 1));
    }
  }
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    RvNearest tree;
    CHECK_OK(rv_nearest_init(&tree, counts[c], &boxes[0][0], &error), error);
    for (size_t q = 0; q < QUERIES; ++q) {
      RvVec3 p = {rv_random(4, 0, q, 0), rv_random(4, 1, q, 0), rv_random(4, 2, q, 0)};
      if (q % 2) p = (RvVec3){floor(8 * p.x) / 8, floor(8 * p.y) / 8, floor(8 * p.z) / 8};
      size_t first = SIZE_MAX, second = SIZE_MAX;
      for (size_t i = 0; i < counts[c]; ++i)
        if (first == SIZE_MAX || box_distance2(NULL, i, p) < box_distance2(NULL, first, p)) first = i;
      for (size_t i = 0; i < counts[c]; ++i)
        if (i != first && (second == SIZE_MAX || box_distance2(NULL, i, p) < box_distance2(NULL, second, p)))
          second = i;
      assert_true(rv_nearest_find(&tree, p, SIZE_MAX, box_distance2, NULL) == first);
      if (first != SIZE_MAX) assert_true(rv_nearest_find(&tree, p, first, box_distance2, NULL) == second);
    }
    rv_nearest_free(&tree);
  }
}

// a (0, 2)-sequence: of any first 2^m points, every one of the 2^m boxes of equal shape and area holds exactly one; a
// nested scramble keeps that
static void sobol_points_fill_every_box_once(void** state) {
  (void)state;
  enum { M = 8 };
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (int wide = 0; wide <= M; ++wide) {
      unsigned char seen[1 << M] = {0};
      for (uint64_t i = 0; i < 1 << M; ++i) {
        double x = rv_sobol(seed, 1, i, 0), y = rv_sobol(seed, 1, i, 1);
        assert_true(x >= 0 && x < 1 && y >= 0 && y < 1);
        int cell = (int)(x * (1 << wide)) * (1 << (M - wide)) + (int)(y * (1 << (M - wide)));
        assert_int_equal(seen[cell]++, 0);
      }
    }
  }
  assert_true(rv_sobol(0, 1, 5, 0) != rv_sobol(1, 1, 5, 0));
}

RV_TESTS(cmocka_unit_test(same_as_looking_at_all), cmocka_unit_test(sobol_points_fill_every_box_once))
