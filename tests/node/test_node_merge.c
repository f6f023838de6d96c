#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

static void inputs_follow_each_other(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *a = rv_test_square(1), *b = rv_test_square(2);
  rv_detail_f32_write(b, RV_POINT, "pscale", 1, &error)[2] = 4;
  RvTestCook c = rv_test_cook("merge", "", 4, (const RvDetail*[]){NULL, a, NULL, b});
  CHECK_OK(c.result, c.error);
  CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 8);
  assert_int_equal(rv_detail_count(c.output[0], RV_PRIM), 2);
  const float *P = rv_detail_f32(c.output[0], RV_POINT, "P", 3),
              *pscale = rv_detail_f32(c.output[0], RV_POINT, "pscale", 1);
  assert_true(P[0] == -0.5f && P[12] == -1 && pscale[2] == 0 && pscale[6] == 4);
  rv_test_cook_free(&c);
  c = rv_test_cook("merge", "exclude=2", 4, (const RvDetail*[]){NULL, a, NULL, b});
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 4);
  rv_test_cook_free(&c);
  c = rv_test_cook("merge", "", 2, (const RvDetail*[]){NULL, NULL});
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 0);
  rv_test_cook_free(&c);
  rv_detail_free(a);
  rv_detail_free(b);
}

RV_TESTS(cmocka_unit_test(inputs_follow_each_other))
