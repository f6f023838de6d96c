#include <string.h>

#include "support/cook.h"
#include "support/rv_test.h"

static RvDetail* lines(void) {
  RvTestCook c = rv_test_cook("curve", "points=5; count=3; dist=2", 0, NULL);
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

static void constants_of_every_type(void** state) {
  (void)state;
  RvDetail* in = lines();
  RvTestCook c =
      rv_test_cook("attribute", "name=v; size=3; value=1 2 3 0; typeinfo=vector", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  const RvAttrib* v = rv_detail_find(c.output[0], RV_POINT, "v");
  assert_int_equal(rv_attrib_tag(v), RV_TAG_VECTOR);
  assert_true(rv_attrib_get(v, 14, 2) == 3);
  assert_non_null(rv_detail_f32(c.output[0], RV_POINT, "curveu", 1));
  rv_test_cook_free(&c);
  c = rv_test_cook("attribute", "name=n; class=prim; type=int; value=2.6 0 0 0", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_i32(c.output[0], RV_PRIM, "n", 1)[2], 3);
  rv_test_cook_free(&c);
  c = rv_test_cook("attribute", "name=s; class=detail; type=string; string=hello", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  assert_string_equal(rv_attrib_string(rv_detail_find(c.output[0], RV_GLOBAL, "s"), 0, 0), "hello");
  rv_test_cook_free(&c);
  c = rv_test_cook("attribute", "name=d; type=double; value=0.1 0 0 0", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  assert_true(rv_detail_f64(c.output[0], RV_POINT, "d", 1)[3] == 0.1);
  rv_test_cook_free(&c);
  rv_detail_free(in);
}

static void ramps_lists_and_random_numbers(void** state) {
  (void)state;
  RvDetail* in = lines();
  const RvDetail* ins[] = {in};
  for (int with = 0; with < 2; ++with) {
    // the same by the attribute and, without it, by arc length
    if (with) rv_detail_remove_attrib(in, RV_POINT, "curveu");
    RvTestCook c = rv_test_cook("attribute", "name=w; mode=ramp; value=2 0 0 0; ramp=0 1 linear, 1 0 linear", 1, ins);
    CHECK_OK(c.result, c.error);
    const float* w = rv_detail_f32(c.output[0], RV_POINT, "w", 1);
    for (int i = 0; i < 15; ++i) CHECK_NEAR(w[i], 2 * (1 - i % 5 / 4.0), 1e-6);
    rv_test_cook_free(&c);
  }
  RvTestCook c = rv_test_cook("attribute", "name=l; class=prim; size=2; mode=list; list=1 2, 3 4", 1, ins);
  CHECK_OK(c.result, c.error);
  const float* l = rv_detail_f32(c.output[0], RV_PRIM, "l", 2);
  const float expected[] = {1, 2, 3, 4, 1, 2};
  assert_memory_equal(l, expected, sizeof expected);
  rv_test_cook_free(&c);
  c = rv_test_cook("attribute", "name=r; mode=random; value=2 0 0 0; valuemax=3 1 1 1", 1, ins);
  RvTestCook again = rv_test_cook("attribute", "name=r; mode=random; value=2 0 0 0; valuemax=3 1 1 1; seed=9", 1, ins);
  const float *r = rv_detail_f32(c.output[0], RV_POINT, "r", 1), *q = rv_detail_f32(again.output[0], RV_POINT, "r", 1);
  for (int i = 0; i < 15; ++i) {
    assert_true(r[i] >= 2 && r[i] < 3 && r[i] != q[i]);
    for (int k = 0; k < i; ++k) assert_true(r[i] != r[k]);
  }
  rv_test_cook_free(&c);
  rv_test_cook_free(&again);
  rv_detail_free(in);
}

static void groups_and_errors(void** state) {
  (void)state;
  RvDetail* in = lines();
  const RvDetail* ins[] = {in};
  RvTestCook c = rv_test_cook("attribute", "name=curveu; value=9 0 0 0; group=3-4", 1, ins);
  CHECK_OK(c.result, c.error);
  const float* u = rv_detail_f32(c.output[0], RV_POINT, "curveu", 1);
  assert_true(u[2] == 0.5f && u[3] == 9 && u[4] == 9 && u[5] == 0);
  assert_true(rv_detail_f32(in, RV_POINT, "curveu", 1)[3] == 0.75f);
  rv_test_cook_free(&c);
  const char* cases[][2] = {{"name=", "name"},
                            {"name=P; size=2", "P"},
                            {"name=P; size=3; type=string", "P"},
                            {"name=a; mode=list", "empty"},
                            {"name=a; mode=list; list=1 x", "\"x\""},
                            {"name=a; mode=ramp; class=prim", "points"},
                            {"name=a; group=none", "none"},
                            {"name=a; group=3; class=detail", "group"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    c = rv_test_cook("attribute", cases[i][0], 1, ins);
    CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, cases[i][1]);
    assert_null(c.output[0]);
  }
  rv_detail_free(in);
}

// Ramp along an axis over the whole geometry, and a box with a soft border. The sheet has x from -4 to 4 in steps of 2.
static void axes_and_boxes(void** state) {
  (void)state;
  RvTestCook grid = rv_test_cook("grid", "size=4 8; rows=5; cols=3", 0, NULL);
  CHECK_OK(grid.result, grid.error);
  const RvDetail* ins[] = {grid.output[0]};
  const float* P = rv_detail_f32(ins[0], RV_POINT, "P", 3);
  RvTestCook c =
      rv_test_cook("attribute", "name=w; mode=axis; axis=2 0 0; value=3 0 0 0; ramp=0 1 linear, 1 0 linear", 1, ins);
  CHECK_OK(c.result, c.error);
  const float* w = rv_detail_f32(c.output[0], RV_POINT, "w", 1);
  for (int i = 0; i < 15; ++i) CHECK_NEAR(w[i], 3 * (1 - (P[3 * i] + 4) / 8), 1e-6);
  rv_test_cook_free(&c);
  c = rv_test_cook("attribute", "name=b; mode=box; boxmin=-4 -1 -9; boxmax=-1 1 9; falloff=2; value=5 0 0 0", 1, ins);
  CHECK_OK(c.result, c.error);
  const float* b = rv_detail_f32(c.output[0], RV_POINT, "b", 1);
  // inside -4 and -2; at 0 half of the falloff is left, 0.5 of smoothstep; beyond 1 nothing
  for (int i = 0; i < 15; ++i) CHECK_NEAR(b[i], P[3 * i] <= -1 ? 5 : P[3 * i] < 1 ? 2.5 : 0, 1e-6);
  rv_test_cook_free(&c);
  rv_test_cook_fails("attribute", "name=b; class=prim; mode=box", ins[0], RV_BAD_INPUT, "class");
  rv_test_cook_free(&grid);
}

RV_TESTS(cmocka_unit_test(constants_of_every_type), cmocka_unit_test(ramps_lists_and_random_numbers),
         cmocka_unit_test(axes_and_boxes), cmocka_unit_test(groups_and_errors))
