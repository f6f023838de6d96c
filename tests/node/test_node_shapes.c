// sphere, box, grid and tube: closed where they should be, of the right volume, area and orientation.
#include <math.h>
#include <string.h>

#include "support/cook.h"
#include "support/mesh.h"
#include "support/rv_test.h"

static const double pi = 3.14159265358979323846;

static RvTestMesh cooked(const char* type, const char* parms) {
  RvTestCook c = rv_test_cook(type, parms, 0, NULL);
  CHECK_OK(c.result, c.error);
  CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
  RvTestMesh mesh = rv_test_mesh(c.output[0]);
  assert_int_equal(mesh.points, rv_detail_count(c.output[0], RV_POINT));
  assert_int_equal(mesh.twins, 0);
  rv_test_cook_free(&c);
  return mesh;
}

// the face's normal by Houdini's winding agrees with N
static void check_normals(const char* type, const char* parms, RvOwner owner) {
  RvTestCook c = rv_test_cook(type, parms, 0, NULL);
  CHECK_OK(c.result, c.error);
  const RvDetail* d = c.output[0];
  const float *p = rv_detail_f32(d, RV_POINT, "P", 3), *n = rv_detail_f32(d, owner, "N", 3);
  assert_non_null(n);
  assert_int_equal(rv_attrib_tag(rv_detail_find(d, owner, "N")), RV_TAG_NORMAL);
  const int32_t *start = rv_detail_prim_start(d), *corner = rv_detail_vertex_point(d);
  for (size_t i = 0; i < rv_detail_count(d, RV_PRIM); ++i) {
    const float *a = p + 3 * (size_t)corner[start[i]], *b = p + 3 * (size_t)corner[start[i] + 1];
    const float* e = p + 3 * (size_t)corner[start[i] + 2];
    double u[3], v[3], face[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = (double)e[k] - a[k];
      v[k] = (double)b[k] - a[k];
    }
    for (int k = 0; k < 3; ++k) face[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double length = sqrt(face[0] * face[0] + face[1] * face[1] + face[2] * face[2]);
    for (int32_t s = start[i]; s < start[i + 1]; ++s) {
      const float* normal = n + 3 * (size_t)(owner == RV_VERTEX ? s : corner[s]);
      CHECK_NEAR(sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), 1, 1e-6);
      // a smooth normal leans away from its face by no more than the angle between faces
      assert_true((face[0] * normal[0] + face[1] * normal[1] + face[2] * normal[2]) / length > 0.8);
    }
  }
  rv_test_cook_free(&c);
}

static void sphere_rows(void** state) {
  (void)state;
  RvTestMesh m = cooked("sphere", "radius=2; t=1 2 3");
  assert_true(m.closed);
  assert_int_equal(m.euler, 2);
  assert_int_equal(m.points, 2 + 11 * 24);
  assert_int_equal(m.faces, 12 * 24);
  // smallest possible
  m = cooked("sphere", "rows=3; cols=3");
  assert_true(m.closed);
  assert_int_equal(m.points, 5);
  assert_int_equal(m.faces, 6);
}

// an inscribed mesh is smaller than the sphere by O(h^2): twice as fine, a quarter of the error
static void sphere_converges(void** state) {
  (void)state;
  const char* parms[2][3] = {
      {"radius=2; rows=17; cols=32", "radius=2; rows=33; cols=64", "radius=2; rows=65; cols=128"},
      {"type=poly; radius=2; freq=8", "type=poly; radius=2; freq=16", "type=poly; radius=2; freq=32"}};
  for (int type = 0; type < 2; ++type) {
    double volume[3], area[3];
    for (int i = 0; i < 3; ++i) {
      RvTestMesh m = cooked("sphere", parms[type][i]);
      assert_true(m.closed);
      assert_int_equal(m.euler, 2);
      volume[i] = 32 * pi / 3 - m.volume;
      area[i] = 16 * pi - m.area;
      assert_true(volume[i] > 0 && area[i] > 0);
    }
    CHECK_NEAR(volume[0] / volume[1], 4, 0.1);
    CHECK_NEAR(volume[1] / volume[2], 4, 0.05);
    CHECK_NEAR(area[1] / area[2], 4, 0.1);
  }
}

static void sphere_ico_counts(void** state) {
  (void)state;
  for (int f = 1; f <= 7; ++f) {
    char parms[64];
    snprintf(parms, sizeof parms, "type=poly; radius=1; freq=%d", f);
    RvTestMesh m = cooked("sphere", parms);
    assert_true(m.closed);
    assert_int_equal(m.points, 10 * f * f + 2);
    assert_int_equal(m.faces, 20 * f * f);
  }
  // the icosahedron itself: volume of the one with circumradius 1
  CHECK_NEAR(cooked("sphere", "type=poly; radius=1; freq=1").volume, 2.53615070958, 1e-6);
}

static void box_exact(void** state) {
  (void)state;
  RvTestMesh m = cooked("box", "size=1 2 3; t=5 6 7");
  assert_true(m.closed);
  assert_int_equal(m.points, 8);
  CHECK_NEAR(m.volume, 6, 1e-5);
  CHECK_NEAR(m.area, 22, 1e-5);
  m = cooked("box", "size=1 2 3; divrate=2 3 5; scale=2");
  assert_true(m.closed);
  assert_int_equal(m.euler, 2);
  assert_int_equal(m.faces, 2 * (6 + 15 + 10));
  CHECK_NEAR(m.volume, 48, 1e-4);
  CHECK_NEAR(m.area, 88, 1e-4);
  m = cooked("box", "divrate=1 4 1");
  assert_true(m.closed);
  assert_int_equal(m.points, 20);
}

static void grid_sheet(void** state) {
  (void)state;
  RvTestMesh m = cooked("grid", "size=2 3; rows=5; cols=4");
  assert_int_equal(m.points, 20);
  assert_int_equal(m.faces, 12);
  assert_int_equal(m.euler, 1);
  CHECK_NEAR(m.area, 6, 1e-5);
  RvTestCook c = rv_test_cook("grid", "size=2 3; orient=zx; t=0 1 0", 0, NULL);
  CHECK_OK(c.result, c.error);
  double lo[3], hi[3];
  assert_true(rv_detail_bounds(c.output[0], lo, hi));
  CHECK_NEAR(hi[0] - lo[0], 3, 1e-6);
  CHECK_NEAR(lo[1], 1, 0);
  CHECK_NEAR(hi[1], 1, 0);
  CHECK_NEAR(hi[2] - lo[2], 2, 1e-6);
  rv_test_cook_free(&c);
}

// the prism over a regular polygon has the polygon's exact area
static void tube_exact(void** state) {
  (void)state;
  double polygon = 24 * 0.25 * sin(2 * pi / 24) / 2;
  const char* orients[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    char parms[80];
    snprintf(parms, sizeof parms, "cols=24; rows=3; height=2; orient=%s", orients[i]);
    RvTestMesh m = cooked("tube", parms);
    assert_true(m.closed);
    assert_int_equal(m.euler, 2);
    CHECK_NEAR(m.volume, 2 * polygon, 1e-5);
  }
  RvTestMesh m = cooked("tube", "cols=24; cap=off");
  assert_false(m.closed);
  assert_int_equal(m.euler, 0);
  // cones either way, and a frustum: (h / 3)(A + B + sqrt(A B))
  m = cooked("tube", "cols=24; rows=4; rad=0 0.5; height=3");
  assert_true(m.closed);
  assert_int_equal(m.points, 1 + 3 * 24);
  CHECK_NEAR(m.volume, polygon, 1e-5);
  m = cooked("tube", "cols=24; rad=0.5 0; height=3");
  assert_true(m.closed);
  CHECK_NEAR(m.volume, polygon, 1e-5);
  m = cooked("tube", "cols=24; rad=0.5 1; height=3");
  CHECK_NEAR(m.volume, polygon * (1 + 4 + 2), 1e-5);
}

static void normals(void** state) {
  (void)state;
  check_normals("sphere", "addnormals=on; rows=33; cols=64; t=3 0 0", RV_POINT);
  check_normals("sphere", "addnormals=on; type=poly; freq=8; t=3 0 0", RV_POINT);
  check_normals("box", "addnormals=on; divrate=2 3 2", RV_VERTEX);
  check_normals("grid", "addnormals=on; orient=xy", RV_POINT);
  check_normals("grid", "addnormals=on; orient=yz", RV_POINT);
  check_normals("tube", "addnormals=on; rad=0.2 0.5; cols=24", RV_VERTEX);
  check_normals("tube", "addnormals=on; rad=0 0.5; cols=24", RV_VERTEX);
}

static void refusals(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("sphere", "radius=0", 0, NULL);
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "radius");
  rv_test_cook_fails("sphere", "rows=2", NULL, RV_BAD_INPUT, "rows");
  rv_test_cook_fails("box", "size=1 0 1", NULL, RV_BAD_INPUT, "sizey");
  rv_test_cook_fails("grid", "size=0 1", NULL, RV_BAD_INPUT, "sizex");
  rv_test_cook_fails("tube", "rad=0 0", NULL, RV_BAD_INPUT, "rad");
  rv_test_cook_fails("tube", "height=0", NULL, RV_BAD_INPUT, "height");
}

RV_TESTS(cmocka_unit_test(sphere_rows), cmocka_unit_test(sphere_converges), cmocka_unit_test(sphere_ico_counts),
         cmocka_unit_test(box_exact), cmocka_unit_test(grid_sheet), cmocka_unit_test(tube_exact),
         cmocka_unit_test(normals), cmocka_unit_test(refusals))
