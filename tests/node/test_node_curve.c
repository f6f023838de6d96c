#include "support/cook.h"
#include "support/rv_test.h"

static void lines_in_a_row(void** state) {
  (void)state;
  RvTestCook c =
      rv_test_cook("curve", "origin=1 2 3; dir=0 0 -2; dist=0.5; points=6; count=3; spacing=0.1 0 0", 0, NULL);
  CHECK_OK(c.result, c.error);
  CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_PRIM), 3);
  assert_int_equal(rv_detail_prim_type(c.output[0], 2), RV_PRIM_CURVE);
  const float *P = rv_detail_f32(c.output[0], RV_POINT, "P", 3), *u = rv_detail_f32(c.output[0], RV_POINT, "curveu", 1);
  CHECK_NEAR(P[3 * 16], 1.2, 1e-6);
  CHECK_NEAR(P[3 * 16 + 1], 2, 0);
  CHECK_NEAR(P[3 * 16 + 2], 3 - 0.4, 1e-6);
  CHECK_NEAR(u[16], 0.8, 1e-7);
  rv_test_cook_free(&c);
}

static void listed_points(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("curve", "method=coords; coords=0 0 0, 1 0 0, 1 -2.5e-1 0; close=on", 0, NULL);
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 3);
  assert_int_equal(rv_detail_prim_type(c.output[0], 0), RV_PRIM_POLYGON);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_POINT, "P", 3)[7], -0.25, 0);
  rv_test_cook_free(&c);
}

static void wrong_text_is_told(void** state) {
  (void)state;
  const char* cases[][2] = {{"coords=0 0, 1 1 1", "point 0 has 2"}, {"coords=0 0 0", "two points"},
                            {"coords=0 0 0, 1 1 x", "\"x\""},       {"coords=0 0 0 1 1 1", "comma is missing"},
                            {"coords=0 0 0, 1 1", "last point"},    {"coords=0 0 0, 1 1 1e99", "not a number"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char parms[100];
    snprintf(parms, sizeof parms, "method=coords; %s", cases[i][0]);
    RvTestCook c = rv_test_cook("curve", parms, 0, NULL);
    CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, cases[i][1]);
    assert_null(c.output[0]);
  }
  RvTestCook c = rv_test_cook("curve", "points=1000000; count=1000000", 0, NULL);
  CHECK_FAILS(c.result, RV_LIMIT, c.error, "points");
  rv_test_cook_fails("curve", "dir=0 0 0", NULL, RV_BAD_INPUT, "dir");
}

RV_TESTS(cmocka_unit_test(lines_in_a_row), cmocka_unit_test(listed_points), cmocka_unit_test(wrong_text_is_told))
