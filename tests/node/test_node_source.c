// source: the description on primitives, the shapes without input, and what is refused.
#include <math.h>
#include <string.h>

#include "support/cook.h"
#include "support/mesh.h"
#include "support/rv_test.h"

static RvDetail* cooked(const char* type, const char* parms, const RvDetail* input) {
  RvTestCook c = rv_test_cook(type, parms, input ? 1 : 0, &input);
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
  return c.output[0];
}

static double number(const RvDetail* d, const char* name, int component) {
  const RvAttrib* a = rv_detail_find(d, RV_PRIM, name);
  if (!a) fail_msg("no primitive attribute %s", name);
  for (size_t i = 1; i < rv_attrib_count(a); ++i)
    CHECK_NEAR(rv_attrib_get(a, i, component), rv_attrib_get(a, 0, component), 0);
  return rv_attrib_get(a, 0, component);
}

static void describes(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* ball = cooked("sphere", NULL, NULL);
  rv_detail_f32_write(ball, RV_POINT, "mine", 1, &error)[5] = 42;
  RvGroup* group = NULL;
  CHECK_OK(rv_detail_add_group(ball, RV_PRIM, "some", &group, &error), error);
  RvDetail* d =
      cooked("source", "mode=emit; rate=0.25; vel=1 2 3; spread=90; material=honey; sourceid=9; active=off", ball);
  CHECK_NEAR(number(d, "rv_source_id", 0), 9, 0);
  CHECK_NEAR(number(d, "rv_source_active", 0), 0, 0);
  CHECK_NEAR(number(d, "rv_source_mode", 0), 0, 0);
  CHECK_NEAR(number(d, "rv_source_rate", 0), 0.25, 0);
  CHECK_NEAR(number(d, "rv_source_vel", 2), 3, 0);
  CHECK_NEAR(number(d, "rv_source_speed", 0), 0, 0);
  CHECK_NEAR(number(d, "rv_source_inherit", 0), 1, 0);
  CHECK_NEAR(number(d, "rv_source_spread", 0), acos(0), 1e-15);
  assert_string_equal(rv_attrib_string(rv_detail_find(d, RV_PRIM, "rv_source_material"), 3, 0), "honey");
  assert_int_equal(rv_attrib_tag(rv_detail_find(d, RV_PRIM, "rv_source_vel")), RV_TAG_VECTOR);
  // all else passes through
  assert_int_equal(rv_detail_count(d, RV_PRIM), rv_detail_count(ball, RV_PRIM));
  CHECK_NEAR(rv_detail_f32(d, RV_POINT, "mine", 1)[5], 42, 0);
  assert_non_null(rv_detail_find_group(d, RV_PRIM, "some"));
  rv_detail_free(d);
  d = cooked("source", "mode=fill; velspace=normal; speed=4; vel=1 2 3", ball);
  CHECK_NEAR(number(d, "rv_source_mode", 0), 1, 0);
  CHECK_NEAR(number(d, "rv_source_rate", 0), 0, 0);
  CHECK_NEAR(number(d, "rv_source_vel", 0), 0, 0);
  CHECK_NEAR(number(d, "rv_source_speed", 0), 4, 0);
  rv_detail_free(d);
  rv_detail_free(ball);
}

// both shapes look outward, the disc up
static void own_shapes(void** state) {
  (void)state;
  RvDetail* d = cooked("source", "shape=box; size=1 2 3; mode=sink; t=1 1 1", NULL);
  RvTestMesh m = rv_test_mesh(d);
  assert_true(m.closed);
  CHECK_NEAR(m.volume, 6, 1e-5);
  rv_detail_free(d);
  d = cooked("source", "shape=disc; size=2 0 4; t=0 3 0", NULL);
  m = rv_test_mesh(d);
  // the ellipse's polygon of 32 corners
  CHECK_NEAR(m.area, 32 * 0.5 * 2 * sin(2 * 3.14159265358979 / 32), 1e-5);
  // over the origin: the cone down to it has positive volume, area times height / 3, when the disc looks up
  CHECK_NEAR(m.volume, m.area * 3 / 3, 1e-5);
  rv_detail_free(d);
}

static void refuses(void** state) {
  (void)state;
  RvDetail* sheet = cooked("grid", "rows=3; cols=3", NULL);
  RvTestCook c = rv_test_cook("source", "mode=fill", 1, (const RvDetail*[]){sheet});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "open at 8 edges");
  rv_test_cook_fails("source", "mode=sink", NULL, RV_BAD_INPUT, "sink");
  rv_test_cook_fails("source", "size=0 1 1", NULL, RV_BAD_INPUT, "sizex");
  RvDetail* d = cooked("source", "mode=emit", sheet);
  rv_detail_free(d);
  rv_detail_free(sheet);
  RvError error = {0};
  RvDetail* box = cooked("box", NULL, NULL);
  CHECK_OK(rv_detail_reverse(box, NULL, &error), error);
  c = rv_test_cook("source", "mode=fill", 1, (const RvDetail*[]){box});
  CHECK_OK(c.result, c.error);
  assert_non_null(strstr(c.warnings, "inside out"));
  rv_test_cook_free(&c);
  rv_detail_free(box);
}

RV_TESTS(cmocka_unit_test(describes), cmocka_unit_test(own_shapes), cmocka_unit_test(refuses))
