// Meshes as triangles: concave faces, holes, seams, flipped faces, volumes far from zero.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "mesh/mesh.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

static double triangles_area(const RvMesh* m, double* least) {
  double sum = 0;
  *least = INFINITY;
  for (size_t i = 0; i < m->ntriangle; ++i) {
    const int32_t* t = m->triangles + 3 * i;
    const float *a = m->points + 3 * t[0], *b = m->points + 3 * t[1], *c = m->points + 3 * t[2];
    // signed, in the plane z = 0
    double area = (((double)b[0] - a[0]) * ((double)c[1] - a[1]) - ((double)b[1] - a[1]) * ((double)c[0] - a[0])) / 2;
    *least = fmin(*least, area);
    sum += area;
  }
  return sum;
}

// a star with 2 n corners, a comb, an L: the triangles tile the face, so none is wound the other way and areas add up
static void concave_faces(void** state) {
  (void)state;
  enum { N = 200 };
  float points[3 * N] = {0};
  int32_t corners[N], count = N;
  double expected = 0;
  for (int i = 0; i < N; ++i) {
    double a = 2 * 3.14159265358979 * i / N, r = i & 1 ? 1 : 0.3 + 0.5 * rv_random(1, 0, (uint64_t)i, 0);
    points[3 * i] = (float)(r * cos(a));
    points[3 * i + 1] = (float)(r * sin(a));
    corners[i] = i;
  }
  for (int i = 0; i < N; ++i) {
    const float *p = points + 3 * i, *q = points + 3 * ((i + 1) % N);
    expected += ((double)p[0] * q[1] - (double)p[1] * q[0]) / 2;
  }
  RvError error = {0};
  RvMesh mesh;
  double least;
  RvDetail* star = rv_test_polygons(N, points, 1, &count, corners);
  CHECK_OK(rv_mesh_from_detail(star, &mesh, &error), error);
  assert_int_equal(mesh.ntriangle, N - 2);
  CHECK_NEAR(triangles_area(&mesh, &least), expected, 1e-12);
  assert_true(least >= 0);
  RvMeshFacts facts;
  CHECK_OK(rv_mesh_measure(&mesh, &facts, &error), error);
  CHECK_NEAR(facts.area, expected, 1e-12);
  assert_int_equal(facts.open_edges, N);
  rv_mesh_free(&mesh);
  rv_detail_free(star);
  // an arrow head: the quad's short diagonal must be the one inside, whichever corner comes first
  const float arrow[12] = {0, 0, 0, 2, -1, 0, 0, 3, 0, -2, -1, 0};
  for (int first = 0; first < 4; ++first) {
    const int32_t four = 4, turned[4] = {first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4};
    RvDetail* d = rv_test_polygons(4, arrow, 1, &four, turned);
    CHECK_OK(rv_mesh_from_detail(d, &mesh, &error), error);
    assert_int_equal(mesh.ntriangle, 2);
    CHECK_NEAR(triangles_area(&mesh, &least), 6, 1e-12);
    assert_true(least > 0);
    rv_mesh_free(&mesh);
    rv_detail_free(d);
  }
}

static RvMeshFacts facts_of(const RvDetail* d) {
  RvError error = {0};
  RvMesh mesh;
  RvMeshFacts facts;
  CHECK_OK(rv_mesh_from_detail(d, &mesh, &error), error);
  CHECK_OK(rv_mesh_measure(&mesh, &facts, &error), error);
  rv_mesh_free(&mesh);
  return facts;
}

// eight corners, of which each face may have its own copies
static RvDetail* box(bool apart, int leave_out, int turn) {
  static const int faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  float points[72];
  int32_t corners[24], sizes[6];
  int n = 0;
  for (int f = 0; f < 6; ++f) {
    if (f == leave_out) continue;
    for (int k = 0; k < 4; ++k) {
      int c = faces[f][f == turn ? 3 - k : k], at = apart ? n : c;
      for (int axis = 0; axis < 3; ++axis) points[3 * at + axis] = (float)(c >> axis & 1);
      corners[n++] = at;
    }
    sizes[n / 4 - 1] = 4;
  }
  return rv_test_polygons(apart ? (size_t)n : 8, points, (size_t)n / 4, sizes, corners);
}

static void holes_and_seams(void** state) {
  (void)state;
  for (int apart = 0; apart < 2; ++apart) {
    RvDetail* d = box(apart, -1, -1);
    RvMeshFacts facts = facts_of(d);
    assert_int_equal(facts.open_edges, 0);
    assert_int_equal(facts.flipped_edges, 0);
    CHECK_NEAR(facts.volume, 1, 1e-12);
    CHECK_NEAR(facts.area, 6, 1e-12);
    rv_detail_free(d);
    d = box(apart, 2, -1);
    assert_int_equal(facts_of(d).open_edges, 4);
    rv_detail_free(d);
    d = box(apart, -1, 3);
    facts = facts_of(d);
    assert_int_equal(facts.open_edges, 0);
    assert_int_equal(facts.flipped_edges, 4);
    rv_detail_free(d);
  }
}

// the volume of a mesh 100 km away loses only what its float points lost
static void far_from_zero(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("box", "size=16 16 16; t=100000 0 -100000", 0, NULL);
  CHECK_OK(c.result, c.error);
  CHECK_NEAR(facts_of(c.output[0]).volume, 4096, 1e-6);
  rv_test_cook_free(&c);
}

static void not_finite(void** state) {
  (void)state;
  RvError error = {0};
  RvMesh mesh;
  RvMeshFacts facts;
  RvDetail* d = box(false, -1, -1);
  rv_detail_f32_write(d, RV_POINT, "P", 3, &error)[3 * 6 + 1] = INFINITY;
  CHECK_OK(rv_mesh_from_detail(d, &mesh, &error), error);
  CHECK_FAILS(rv_mesh_measure(&mesh, &facts, &error), RV_BAD_INPUT, error, "point 6");
  rv_mesh_free(&mesh);
  rv_detail_free(d);
}

RV_TESTS(cmocka_unit_test(concave_faces), cmocka_unit_test(holes_and_seams), cmocka_unit_test(far_from_zero),
         cmocka_unit_test(not_finite))
