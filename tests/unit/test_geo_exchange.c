// Values of any storage as doubles, and what counts as equal.
#include <math.h>

#include "rivulet/geo.h"
#include "support/rv_test.h"

static RvError error;

static RvAttrib* add(RvDetail* d, const char* name, RvStorage storage, int size) {
  RvAttrib* attrib;
  CHECK_OK(rv_detail_add_attrib(d, RV_POINT, name, storage, size, RV_TAG_NONE, &attrib, &error), error);
  return attrib;
}

static RvDetail* points(void) {
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 2, NULL, &error), error);
  return d;
}

static void doubles(void** state) {
  (void)state;
  const double in[] = {0.1, -300, NAN, 1e30};
  static const struct {
    RvStorage storage;
    double out[4];
  } rows[] = {{RV_F16, {0.0999755859375, -300, NAN, INFINITY}},
              {RV_F32, {0.1f, -300, NAN, 1e30f}},
              {RV_F64, {0.1, -300, NAN, 1e30}},
              {RV_I8, {0, -128, 0, 127}},
              {RV_I32, {0, -300, 0, 2147483647}},
              {RV_I64, {0, -300, 0, 9223372036854775807.0}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    RvDetail* d = points();
    RvAttrib* a = add(d, "a", rows[i].storage, 2);
    CHECK_OK(rv_attrib_set_doubles(a, in, &error), error);
    double out[4], standard[2] = {7, -1};
    rv_attrib_get_doubles(a, out);
    for (int k = 0; k < 4; ++k)
      if (isnan(rows[i].out[k]) ? !isnan(out[k]) : out[k] != rows[i].out[k])
        fail_msg("%s: %g became %g", rv_storage_name(rows[i].storage), in[k], out[k]);
    rv_attrib_set_default_doubles(a, standard);
    rv_attrib_get_default(a, standard);
    assert_true(standard[0] == 7 && standard[1] == -1);
    rv_detail_free(d);
  }
}

static void equal(void** state) {
  (void)state;
  RvDetail *d = points(), *e = points();
  RvAttrib *a = add(d, "a", RV_F32, 1), *b = add(e, "b", RV_F32, 1), *wide = add(e, "w", RV_F64, 1);
  assert_true(rv_attrib_same_kind(a, b) && rv_attrib_equal(a, b));
  assert_false(rv_attrib_same_kind(a, wide));
  ((float*)rv_attrib_write(b))[1] = 1;
  assert_true(rv_attrib_same_kind(a, b) && !rv_attrib_equal(a, b));
  const double one = 1;
  rv_attrib_set_default_doubles(b, &one);
  assert_false(rv_attrib_same_kind(a, b));
  // texts by what they say, whatever their place in a table
  RvAttrib *s = add(d, "s", RV_STRING, 1), *t = add(e, "t", RV_STRING, 1);
  CHECK_OK(rv_attrib_set_string(s, 0, 0, "x", &error), error);
  CHECK_OK(rv_attrib_set_string(s, 1, 0, "y", &error), error);
  CHECK_OK(rv_attrib_set_string(t, 1, 0, "y", &error), error);
  assert_false(rv_attrib_equal(s, t));
  CHECK_OK(rv_attrib_set_string(t, 0, 0, "x", &error), error);
  assert_true(rv_attrib_equal(s, t));
  rv_detail_free(d);
  rv_detail_free(e);
}

static void topology(void** state) {
  (void)state;
  RvDetail *d = points(), *e = points();
  const int32_t two = 2, one[] = {0, 1}, other[] = {1, 0};
  assert_true(rv_detail_same_topology(d, e));
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, &two, one, NULL, &error), error);
  assert_false(rv_detail_same_topology(d, e));
  RvDetail *f = rv_detail_copy(e), *g = rv_detail_copy(e);
  CHECK_OK(rv_detail_add_polygons(e, RV_PRIM_CURVE, 1, &two, one, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(f, RV_PRIM_CURVE, 1, &two, other, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(g, RV_PRIM_POLYGON, 1, &two, one, NULL, &error), error);
  assert_true(rv_detail_same_topology(d, e));
  assert_false(rv_detail_same_topology(d, f));
  assert_false(rv_detail_same_topology(d, g));
  // values do not count, grids do
  rv_detail_f32_write(d, RV_POINT, "P", 3, &error)[0] = 5;
  assert_true(rv_detail_same_topology(d, e));
  RvGrid *grid, *twin;
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "x", RV_GRID_FOG, 1, NULL, &grid, &error), error);
  CHECK_OK(rv_grid_copy(grid, &twin, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, grid, &error), error);
  RvDetail* h = rv_detail_copy(d);
  CHECK_OK(rv_detail_add_vdb(e, twin, &error), error);
  assert_true(rv_detail_same_topology(d, h));
  assert_false(rv_detail_same_topology(d, e));
  rv_grid_release(grid);
  rv_grid_release(twin);
  rv_detail_free(d);
  rv_detail_free(e);
  rv_detail_free(f);
  rv_detail_free(g);
  rv_detail_free(h);
}

RV_TESTS(cmocka_unit_test(doubles), cmocka_unit_test(equal), cmocka_unit_test(topology))
