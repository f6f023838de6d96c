#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

static RvDetail* groom(const char* parms) {
  RvTestCook c = rv_test_cook("groom", parms, 0, NULL);
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

static RvDetail* guides(const RvDetail* in, const char* parms) {
  RvTestCook c = rv_test_cook("guides", parms, 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  return c.output[0];
}

static double length_of(const RvDetail* d, size_t prim) {
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  double sum = 0;
  for (int32_t v = start[prim] + 1; v < start[prim + 1]; ++v) {
    const float *a = P + 3 * (size_t)point[v - 1], *b = P + 3 * (size_t)point[v];
    sum += sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
  }
  return sum;
}

// length of all hairs, those that guides stand for too
static double total_length(const RvDetail* d) {
  const float* many = rv_detail_f32(d, RV_PRIM, "hairsperguide", 1);
  double sum = 0;
  for (size_t i = 0; i < rv_detail_count(d, RV_PRIM); ++i) sum += (many ? many[i] : 1) * length_of(d, i);
  return sum;
}

static double root_distance(const RvDetail* a, size_t i, const RvDetail* b, size_t k) {
  const float* p =
      rv_detail_f32(a, RV_POINT, "P", 3) + 3 * (size_t)rv_detail_vertex_point(a)[rv_detail_prim_start(a)[i]];
  const float* q =
      rv_detail_f32(b, RV_POINT, "P", 3) + 3 * (size_t)rv_detail_vertex_point(b)[rv_detail_prim_start(b)[k]];
  return sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
}

// lengths vary by 40%, and 1,003 strands do not divide by 20: the sum is kept to the rounding of 32-bit factors
static void mass_is_kept(void** state) {
  (void)state;
  RvDetail* all = groom("count=1003; points=6; layout=disk; size=0.1; lengthrandom=0.4");
  const char* const orders[] = {"step=20", "step=20; order=list", "step=1", "step=5000"};
  const size_t counts[] = {51, 51, 1003, 1};
  for (int i = 0; i < 4; ++i) {
    RvDetail* some = guides(all, orders[i]);
    assert_int_equal(rv_detail_count(some, RV_PRIM), counts[i]);
    assert_int_equal(rv_detail_count(some, RV_POINT), 6 * counts[i]);
    CHECK_NEAR(total_length(some) / total_length(all), 1, 1e-6);
    rv_detail_free(some);
  }
  rv_detail_free(all);
}

// guides of guides stand for all; a thicker strand weighs as much as its section says
static void nested_and_thick(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* all = groom("count=400; points=4; layout=disk; size=0.1; lengthrandom=0");
  float* radius = rv_detail_f32_write(all, RV_PRIM, "hairradius", 1, &error);
  for (int i = 0; i < 400; ++i) radius[i] = i % 2 ? 6e-5f : 3e-5f;
  RvDetail *some = guides(all, "step=5"), *few = guides(some, "step=8");
  assert_int_equal(rv_detail_count(few, RV_PRIM), 10);
  double mass = 0;
  for (size_t i = 0; i < 10; ++i)
    mass += rv_detail_f32(few, RV_PRIM, "hairsperguide", 1)[i] *
            pow(rv_detail_f32(few, RV_PRIM, "hairradius", 1)[i] / 3e-5, 2);
  CHECK_NEAR(mass, 200 * (1 + 4), 1e-2);
  rv_detail_free(all);
  rv_detail_free(some);
  rv_detail_free(few);
}

static void list_order_is_every_nth(void** state) {
  (void)state;
  RvDetail *all = groom("count=100; points=4; layout=row; lengthrandom=0"), *some = guides(all, "step=7; order=list");
  const int32_t* id = rv_detail_i32(some, RV_PRIM, "id", 1);
  const float* many = rv_detail_f32(some, RV_PRIM, "hairsperguide", 1);
  assert_int_equal(rv_detail_count(some, RV_PRIM), 15);
  for (int i = 0; i < 15; ++i) {
    assert_int_equal(id[i], 7 * i);
    CHECK_NEAR(many[i], i < 14 ? 7 : 2, 1e-5);
  }
  rv_detail_free(all);
  rv_detail_free(some);
}

// No hair is farther from a guide than twice the side of the square that a guide has on the disk; a random choice of
// 100 leaves holes of three. And the same strands in another order give the same guides.
static void guides_lie_evenly(void** state) {
  (void)state;
  enum { N = 5000 };
  RvError error = {0};
  RvDetail *all = groom("count=5000; points=3; layout=disk; size=0.2; lengthrandom=0"), *some = guides(all, "step=50");
  double side = sqrt(3.14159265 * 0.01 / 100), worst = 0;
  for (size_t i = 0; i < N; ++i) {
    double least = 1;
    for (size_t k = 0; k < 100; ++k) least = fmin(least, root_distance(all, i, some, k));
    worst = fmax(worst, least);
  }
  print_message("farthest hair from a guide: %.2f sides\n", worst / side);
  assert_true(worst < 2 * side);
  // turned round
  RvDetail* other = rv_detail_new();
  int32_t index[3 * N], prims[N];
  for (int i = 0; i < N; ++i) {
    prims[i] = N - 1 - i;
    for (int k = 0; k < 3; ++k) index[3 * i + k] = 3 * (N - 1 - i) + k;
  }
  CHECK_OK(rv_detail_add_curves(other, N, 3, NULL, NULL, &error), error);
  CHECK_OK(rv_detail_gather(other, RV_POINT, 0, 3 * N, all, index, NULL, &error), error);
  CHECK_OK(rv_detail_gather(other, RV_PRIM, 0, N, all, prims, NULL, &error), error);
  RvDetail* again = guides(other, "step=50");
  for (size_t i = 0; i < 100; ++i)
    assert_int_equal(rv_detail_i32(again, RV_PRIM, "id", 1)[99 - i], rv_detail_i32(some, RV_PRIM, "id", 1)[i]);
  rv_detail_free(all);
  rv_detail_free(some);
  rv_detail_free(other);
  rv_detail_free(again);
}

static void bad_strands_are_told(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *all = groom("count=40; points=4; layout=disk; lengthrandom=0"), *none = rv_detail_new();
  float* P = rv_detail_f32_write(all, RV_POINT, "P", 3, &error);
  P[3 * (4 * 7 + 2)] = NAN;
  for (int k = 1; k < 4; ++k) memcpy(P + 3 * (4 * 9 + k), P + 3 * 4 * 9, 3 * sizeof *P);
  RvTestCook c = rv_test_cook("guides", "step=2", 1, (const RvDetail*[]){all});
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_PRIM), 19);
  assert_non_null(strstr(c.warnings, "2 strands cannot be guides and are dropped; the first, primitive 7,"));
  rv_test_cook_free(&c);
  c = rv_test_cook("guides", "", 1, (const RvDetail*[]){none});
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_PRIM), 0);
  rv_test_cook_free(&c);
  rv_test_cook_fails("guides", "", NULL, RV_BAD_INPUT, "not wired");
  rv_test_cook_fails("guides", "group=nobody", all, RV_BAD_INPUT, "nobody");
  rv_detail_free(all);
  rv_detail_free(none);
}

RV_TESTS(cmocka_unit_test(mass_is_kept), cmocka_unit_test(nested_and_thick), cmocka_unit_test(list_order_is_every_nth),
         cmocka_unit_test(guides_lie_evenly), cmocka_unit_test(bad_strands_are_told))
