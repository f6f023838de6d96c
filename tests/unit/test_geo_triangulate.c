// Faces of any shape as triangles: none is turned over and their areas add up to the face's.
#include <math.h>
#include <string.h>

#include "geo/triangulate.h"
#include "support/rv_test.h"

enum { MOST = RV_TRIANGULATE_MAX };

static double cross_at(const float* points, int a, int b, int c) {
  const float *p = points + 3 * a, *q = points + 3 * b, *r = points + 3 * c;
  return ((double)q[0] - p[0]) * ((double)r[1] - p[1]) - ((double)q[1] - p[1]) * ((double)r[0] - p[0]);
}

static double area_of(const float* points, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const float *p = points + 3 * i, *q = points + 3 * ((i + 1) % count);
    sum += ((double)p[0] * q[1] - (double)p[1] * q[0]) / 2;
  }
  return sum;
}

// the face in the plane z = 0, from every `step`th corner on and in both directions
static void check_face(const float* points, int count, int step) {
  double area = area_of(points, count);
  for (int first = 0; first < 2 * count; first += step) {
    int32_t corner[MOST], out[3 * MOST];
    double sum = 0;
    bool back = first >= count;
    for (int i = 0; i < count; ++i) corner[i] = (first + (back ? count - i : i)) % count;
    rv_triangulate(points, corner, count, out);
    for (int i = 0; i < count - 2; ++i) {
      for (int k = 0; k < 3; ++k) assert_in_range(out[3 * i + k], 0, count - 1);
      double one = cross_at(points, corner[out[3 * i]], corner[out[3 * i + 1]], corner[out[3 * i + 2]]) / 2;
      assert_true(back == (area > 0) ? one <= 0 : one >= 0);
      sum += one;
    }
    CHECK_NEAR(sum, back ? -area : area, 1e-9);
  }
}

static void simple_faces(void** state) {
  (void)state;
  const float arrow[] = {0, 0, 0, 2, -1, 0, 0, 3, 0, -2, -1, 0};
  check_face(arrow, 4, 1);
  const float ell[] = {1, 0, 0, 1, 1, 0, -1, 1, 0, -1, -1, 0, 0, -1, 0, 0, 0, 0};
  check_face(ell, 6, 1);
  // corners on straight edges
  const float steps[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0, 0, 1, 0};
  check_face(steps, 8, 1);
}

// a square with a square hole, which a double edge joins to the rim, and one with two holes at the same corner
static void holes(void** state) {
  (void)state;
  const float ring[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 0, 0, 0, 1, 1, 0, 1, 3, 0, 3, 3, 0, 3, 1, 0, 1, 1, 0};
  CHECK_NEAR(area_of(ring, 10), 12, 0);
  check_face(ring, 10, 1);
  const float two[] = {0, 0, 0, 8, 0, 0, 8, 4, 0, 0, 4, 0, 0, 0, 0, 1, 2, 0, 2, 3, 0, 3, 3,
                       0, 1, 2, 0, 0, 0, 0, 5, 1, 0, 5, 2, 0, 6, 2, 0, 6, 1, 0, 5, 1, 0};
  CHECK_NEAR(area_of(two, 15), 32 - 0.5 - 1, 0);
  check_face(two, 15, 1);
}

static void star(float* points, int count) {
  for (int i = 0; i < count; ++i) {
    double a = 2 * M_PI * i / count, r = i & 1 ? 1 : 0.3 + 0.2 * sin(17.0 * i);
    points[3 * i] = (float)(r * cos(a));
    points[3 * i + 1] = (float)(r * sin(a));
    points[3 * i + 2] = 0;
  }
}

// a band wound up: half of the corners are reflex, and nearly no corner is an ear
static void spiral(float* points, int count) {
  int half = count / 2;
  for (int i = 0; i < count; ++i) {
    bool inner = i >= half;
    double t = (inner ? count - 1 - i : i) / (double)half, a = 2 * M_PI * 20 * t, r = 1 + 20 * t - (inner ? 0.5 : 0);
    points[3 * i] = (float)(r * cos(a));
    points[3 * i + 1] = (float)(r * sin(a));
    points[3 * i + 2] = 0;
  }
}

static void many_corners(void** state) {
  (void)state;
  static float points[3 * MOST];
  const int counts[] = {10, 65, 200, 1000, MOST};
  for (int i = 0; i < 5; ++i) {
    star(points, counts[i]);
    check_face(points, counts[i], counts[i] / 3);
  }
  spiral(points, MOST);
  check_face(points, MOST, 100);
}

// hundreds of hostile faces: at a billion steps each this would not end before the time limit
static void cost_is_bounded(void** state) {
  (void)state;
  static float points[3 * MOST];
  int32_t corner[MOST], out[3 * MOST];
  // crosses itself everywhere, so that there are hardly any ears
  for (int i = 0; i < MOST; ++i) {
    corner[i] = i;
    for (int k = 0; k < 3; ++k) points[3 * i + k] = (float)(i * 7919 * (k + 3) % 1009) / 1009;
  }
  for (int i = 0; i < 300; ++i) rv_triangulate(points, corner, MOST, out);
  for (int i = 0; i < 3 * (MOST - 2); ++i) assert_in_range(out[i], 0, MOST - 1);
  spiral(points, MOST);
  for (int i = 0; i < 300; ++i) rv_triangulate(points, corner, MOST, out);
}

// no numbers at all: still triangles of the face's corners
static void not_finite(void** state) {
  (void)state;
  float points[3 * 40];
  int32_t corner[40], out[3 * 38];
  for (int i = 0; i < 120; ++i) points[i] = i % 7 ? (float)(i * i % 31) : i % 2 ? NAN : INFINITY;
  for (int i = 0; i < 40; ++i) corner[i] = i;
  memset(out, 0xff, sizeof out);
  rv_triangulate(points, corner, 40, out);
  for (int i = 0; i < 3 * 38; ++i) assert_in_range(out[i], 0, 39);
}

RV_TESTS(cmocka_unit_test(simple_faces), cmocka_unit_test(holes), cmocka_unit_test(many_corners),
         cmocka_unit_test(cost_is_bounded), cmocka_unit_test(not_finite))
