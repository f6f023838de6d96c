// Meshes to level sets and back, against what is known of a sphere.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rivulet/vdb.h"
#include "support/grids.h"
#include "support/rv_test.h"

enum { AROUND = 128, DOWN = 64 };
#define VOXEL 0.05
// the facets of the sphere lie inside of it by at most 1 - cos(pi/128) plus 1 - cos(pi/128) again
#define FACET 0.0007

static RvError error;
static float points[3 * (AROUND * (DOWN - 1) + 2)];
static int32_t triangles[3 * 2 * AROUND * (DOWN - 1)];
static const size_t npoint = AROUND * (DOWN - 1) + 2;
static size_t ntriangle;

static void add(size_t a, size_t b, size_t c) {
  triangles[3 * ntriangle] = (int32_t)a;
  triangles[3 * ntriangle + 1] = (int32_t)b;
  triangles[3 * ntriangle++ + 2] = (int32_t)c;
}

static size_t ring(int row, int column) {
  return 2 + (size_t)(row * AROUND + column % AROUND);
}

// a sphere of radius 1 about `centre`; `rows` of DOWN make part of it
static void make_sphere(int rows) {
  ntriangle = 0;
  memset(points, 0, sizeof points);
  points[2] = 1;
  points[5] = -1;
  for (int r = 0; r < DOWN - 1; ++r)
    for (int c = 0; c < AROUND; ++c) {
      double theta = M_PI * (r + 1) / DOWN, phi = 2 * M_PI * c / AROUND;
      float* p = points + 3 * ring(r, c);
      p[0] = (float)(sin(theta) * cos(phi));
      p[1] = (float)(sin(theta) * sin(phi));
      p[2] = (float)cos(theta);
    }
  for (int c = 0; c < AROUND; ++c) add(0, ring(0, c), ring(0, c + 1));
  for (int r = 0; r + 1 < rows - 1; ++r)
    for (int c = 0; c < AROUND; ++c) {
      add(ring(r, c), ring(r + 1, c), ring(r + 1, c + 1));
      add(ring(r, c), ring(r + 1, c + 1), ring(r, c + 1));
    }
  if (rows == DOWN)
    for (int c = 0; c < AROUND; ++c) add(1, ring(DOWN - 2, c + 1), ring(DOWN - 2, c));
}

static RvGrid* level_set(bool unsigned_distance) {
  RvGrid* grid = NULL;
  CHECK_OK(
      rv_grid_from_mesh("surface", VOXEL, 3, npoint, points, ntriangle, triangles, unsigned_distance, &grid, &error),
      error);
  return grid;
}

// volume by the share of each voxel that lies inside, to first order
static double volume_of(const RvGrid* grid, int reach) {
  double sum = 0;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z) {
        float value[3];
        rv_grid_get(grid, (const int32_t[3]){x, y, z}, value);
        sum += fmin(fmax(0.5 - value[0] / VOXEL, 0), 1);
      }
  return sum * VOXEL * VOXEL * VOXEL;
}

static void a_sphere_has_its_distance_and_volume(void** state) {
  (void)state;
  make_sphere(DOWN);
  RvGrid* grid = level_set(false);
  assert_int_equal(rv_grid_class(grid), RV_GRID_LEVEL_SET);
  float background[3], value[3];
  rv_grid_background(grid, background);
  CHECK_NEAR(background[0], 3 * VOXEL, 1e-7);
  rv_grid_get(grid, (const int32_t[3]){0, 0, 0}, value);
  assert_true(value[0] == -background[0]);
  double worst = 0, near = 0, sum = 0;
  size_t active = 0;
  for (size_t n = 0; n < rv_grid_leaf_count(grid); ++n) {
    RvLeaf leaf;
    leaf = rv_test_leaf(grid, n);
    for (int i = 0; i < 512; ++i) {
      if (!(leaf.active[i >> 6] >> (i & 63) & 1)) continue;
      double x = (leaf.origin[0] + (i >> 6)) * VOXEL, y = (leaf.origin[1] + (i >> 3 & 7)) * VOXEL;
      double z = (leaf.origin[2] + (i & 7)) * VOXEL;
      double d = sqrt(x * x + y * y + z * z) - 1, off = fabs(leaf.values[i] - d);
      worst = fmax(worst, off);
      if (fabs(d) < VOXEL) near = fmax(near, off);
      sum += off;
      ++active;
    }
  }
  // exact but for the facets near the surface and on average; far out OpenVDB takes a neighbour's triangle for a few
  CHECK_NEAR(near, 0, FACET);
  CHECK_NEAR(sum / (double)active, 0, FACET);
  CHECK_NEAR(worst, 0, 0.5 * VOXEL);
  // the band is 3 voxels on each side
  CHECK_NEAR((double)active, 4 * M_PI * 6 / (VOXEL * VOXEL), 0.1 * (double)active);
  CHECK_NEAR(volume_of(grid, 24), 4 * M_PI / 3, 0.01 * 4 * M_PI / 3);
  rv_grid_release(grid);
}

static void samples_give_the_distance_and_its_gradient(void** state) {
  (void)state;
  make_sphere(DOWN);
  RvGrid* grid = level_set(false);
  enum { N = 500 };
  static double at[7 * N][3];
  static float got[7 * N];
  for (int i = 0; i < N; ++i) {
    // a spiral over the sphere, at radii within a voxel of it
    double z = 1 - (2 * i + 1.0) / N, phi = 2.39996 * i, r = 1 + (i % 11 - 5) * 0.2 * VOXEL;
    double s = sqrt(1 - z * z), p[3] = {r * s * cos(phi), r * s * sin(phi), r * z};
    for (int k = 0; k < 7; ++k) {
      memcpy(at[7 * i + k], p, sizeof p);
      if (k) at[7 * i + k][(k - 1) / 2] += (k & 1 ? 0.5 : -0.5) * VOXEL;
    }
  }
  CHECK_OK(rv_grid_sample(grid, 7 * N, at[0], got, &error), error);
  for (int i = 0; i < N; ++i) {
    const double* p = at[7 * i];
    double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    // trilinear interpolation of a sphere of 20 voxels is off by h^2/8 times its two curvatures
    CHECK_NEAR(got[7 * i], r - 1, VOXEL * VOXEL / 4 + FACET);
    for (int a = 0; a < 3; ++a) {
      double slope = (got[7 * i + 1 + 2 * a] - got[7 * i + 2 + 2 * a]) / VOXEL;
      CHECK_NEAR(slope, p[a] / r, 0.1);
    }
  }
  rv_grid_release(grid);
}

static void turned_inside_out_it_is_the_same(void** state) {
  (void)state;
  make_sphere(DOWN);
  for (size_t t = 0; t < ntriangle; ++t) {
    int32_t keep = triangles[3 * t];
    triangles[3 * t] = triangles[3 * t + 1];
    triangles[3 * t + 1] = keep;
  }
  // inside is what no path from far away reaches
  RvGrid* grid = level_set(false);
  float value[3];
  rv_grid_get(grid, (const int32_t[3]){0, 0, 0}, value);
  assert_true(value[0] < 0);
  CHECK_NEAR(volume_of(grid, 24), 4 * M_PI / 3, 0.01 * 4 * M_PI / 3);
  rv_grid_release(grid);
}

static void an_open_mesh_has_a_distance_without_sign(void** state) {
  (void)state;
  make_sphere(DOWN / 2);
  RvGrid* grid = level_set(true);
  assert_int_equal(rv_grid_class(grid), RV_GRID_UNKNOWN);
  for (size_t n = 0; n < rv_grid_leaf_count(grid); ++n) {
    RvLeaf leaf;
    leaf = rv_test_leaf(grid, n);
    for (int i = 0; i < 512; ++i) assert_true(leaf.values[i] >= 0);
  }
  const double above[3] = {0, 0, 1.03}, below[3] = {0, 0, 0.97}, missing[3] = {0, 0, -1};
  float got;
  CHECK_OK(rv_grid_sample(grid, 1, above, &got, &error), error);
  CHECK_NEAR(got, 0.03, FACET);
  CHECK_OK(rv_grid_sample(grid, 1, below, &got, &error), error);
  CHECK_NEAR(got, 0.03, FACET);
  CHECK_OK(rv_grid_sample(grid, 1, missing, &got, &error), error);
  CHECK_NEAR(got, 3 * VOXEL, 1e-7);
  rv_grid_release(grid);
}

static void workers_do_not_change_the_bits(void** state) {
  (void)state;
  make_sphere(DOWN);
  uint64_t first[3] = {0};
  for (int workers = 1; workers <= 8; workers *= 2)
    for (int repeat = 0; repeat < 2; ++repeat) {
      rv_threads_set(workers);
      RvGrid* grid = level_set(false);
      RvGrid* fog = NULL;
      CHECK_OK(rv_grid_to_fog(grid, "density", &fog, &error), error);
      size_t np = 0, nt = 0;
      float* p = NULL;
      int32_t* t = NULL;
      CHECK_OK(rv_grid_to_mesh(grid, 0, 0.05, &np, &p, &nt, &t, &error), error);
      uint64_t mesh = np * 1000003 + nt;
      for (size_t i = 0; i < 3 * np; ++i) {
        uint32_t bits;
        memcpy(&bits, p + i, 4);
        mesh = mesh * 6364136223846793005u + bits;
      }
      for (size_t i = 0; i < 3 * nt; ++i) mesh = mesh * 6364136223846793005u + (uint32_t)t[i];
      uint64_t got[3] = {rv_grid_hash(grid), rv_grid_hash(fog), mesh};
      if (!first[0]) memcpy(first, got, sizeof got);
      for (int k = 0; k < 3; ++k) assert_true(first[k] == got[k]);
      rv_free(p);
      rv_free(t);
      rv_grid_release(grid);
      rv_grid_release(fog);
    }
  rv_threads_set(0);
}

static void fog_is_the_depth_over_the_band(void** state) {
  (void)state;
  make_sphere(DOWN);
  RvGrid *grid = level_set(false), *fog = NULL;
  CHECK_OK(rv_grid_to_fog(grid, "density", &fog, &error), error);
  assert_int_equal(rv_grid_class(fog), RV_GRID_FOG);
  assert_string_equal(rv_grid_name(fog), "density");
  assert_string_equal(rv_grid_name(grid), "surface");
  for (int x = -24; x <= 24; ++x) {
    float value[3];
    rv_grid_get(fog, (const int32_t[3]){x, 0, 0}, value);
    double depth = fmin(fmax((1 - fabs(x * VOXEL)) / (3 * VOXEL), 0), 1);
    CHECK_NEAR(value[0], depth, 0.05);
  }
  RvGrid* again = NULL;
  CHECK_FAILS(rv_grid_to_fog(fog, "x", &again, &error), RV_BAD_INPUT, error, "density");
  rv_grid_release(grid);
  rv_grid_release(fog);
}

static double signed_volume(size_t nt, const float* p, const int32_t* t) {
  double sum = 0;
  for (size_t i = 0; i < nt; ++i) {
    const float *a = p + 3 * t[3 * i], *b = p + 3 * t[3 * i + 1], *c = p + 3 * t[3 * i + 2];
    sum += a[0] * ((double)b[1] * c[2] - (double)b[2] * c[1]) + a[1] * ((double)b[2] * c[0] - (double)b[0] * c[2]) +
           a[2] * ((double)b[0] * c[1] - (double)b[1] * c[0]);
  }
  return sum / 6;
}

static int by_value(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

static void the_contour_is_a_closed_sphere_again(void** state) {
  (void)state;
  make_sphere(DOWN);
  RvGrid* grid = level_set(false);
  for (int adaptive = 0; adaptive < 2; ++adaptive) {
    size_t np = 0, nt = 0;
    float* p = NULL;
    int32_t* t = NULL;
    CHECK_OK(rv_grid_to_mesh(grid, 0, adaptive ? 0.1 : 0, &np, &p, &nt, &t, &error), error);
    // clockwise from outside, so negative by the right hand
    // and the flats of the adaptive one cut corners
    CHECK_NEAR(signed_volume(nt, p, t), -4 * M_PI / 3, (adaptive ? 0.05 : 0.005) * 4 * M_PI / 3);
    for (size_t i = 0; i < np; ++i)
      CHECK_NEAR(sqrt(p[3 * i] * p[3 * i] + p[3 * i + 1] * p[3 * i + 1] + p[3 * i + 2] * p[3 * i + 2]), 1, 0.2 * VOXEL);
    // closed: each directed edge once, and its reverse too
    uint64_t* edges = malloc(3 * nt * sizeof *edges);
    for (size_t i = 0; i < 3 * nt; ++i) {
      size_t next = i % 3 == 2 ? i - 2 : i + 1;
      assert_true(t[i] >= 0 && (size_t)t[i] < np);
      edges[i] = (uint64_t)t[i] << 32 | (uint32_t)t[next];
    }
    qsort(edges, 3 * nt, sizeof *edges, by_value);
    for (size_t i = 0; i < 3 * nt; ++i) {
      uint64_t back = edges[i] << 32 | edges[i] >> 32;
      assert_true(i == 0 || edges[i] != edges[i - 1]);
      assert_non_null(bsearch(&back, edges, 3 * nt, sizeof *edges, by_value));
    }
    free(edges);
    rv_free(p);
    rv_free(t);
  }
  rv_grid_release(grid);
}

static void wrong_meshes_are_refused(void** state) {
  (void)state;
  RvGrid* grid = NULL;
  float p[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, bad[9], far_away[9] = {0, 0, 0, 1e9f, 0, 0, 0, 1e9f, 0};
  int32_t t[3] = {0, 1, 2}, beyond[3] = {0, 1, 3}, negative[3] = {0, -1, 2}, flat[3] = {0, 0, 1};
  memcpy(bad, p, sizeof p);
  bad[4] = INFINITY;
  CHECK_FAILS(rv_grid_from_mesh("a", 0, 3, 3, p, 1, t, true, &grid, &error), RV_BAD_INPUT, error, "voxel size is 0");
  CHECK_FAILS(rv_grid_from_mesh("a", -1, 3, 3, p, 1, t, true, &grid, &error), RV_BAD_INPUT, error, "voxel size");
  CHECK_FAILS(rv_grid_from_mesh("a", 0.1, NAN, 3, p, 1, t, true, &grid, &error), RV_BAD_INPUT, error, "band");
  CHECK_FAILS(rv_grid_from_mesh("a", 0.1, 3, 3, bad, 1, t, true, &grid, &error), RV_BAD_INPUT, error, "point 1");
  CHECK_FAILS(rv_grid_from_mesh("a", 0.1, 3, 3, p, 1, beyond, true, &grid, &error), RV_BAD_INPUT, error, "point 3");
  CHECK_FAILS(rv_grid_from_mesh("a", 0.1, 3, 3, p, 1, negative, true, &grid, &error), RV_BAD_INPUT, error, "point -1");
  CHECK_FAILS(rv_grid_from_mesh("a", 2e-5, 3, 3, p, 1, t, true, &grid, &error), RV_LIMIT, error, "GiB");
  CHECK_FAILS(rv_grid_from_mesh("a", 0.1, 3, 3, far_away, 1, t, true, &grid, &error), RV_LIMIT, error,
              "from the origin");
  // a needle of hardly any area, a hundred million voxels long
  float needle[9] = {0, 0, 0, 1e8f, 0, 0, 1e8f, 1e-6f, 0};
  CHECK_FAILS(rv_grid_from_mesh("a", 1, 3, 3, needle, 1, t, true, &grid, &error), RV_LIMIT, error, "GiB");
  assert_null(grid);
  // no area at all, or nothing at all, is an empty grid; a thin band is made 3
  CHECK_OK(rv_grid_from_mesh("a", 0.5, 1, 3, p, 1, flat, false, &grid, &error), error);
  assert_true(rv_test_active(grid) == 0);
  float background[3];
  rv_grid_background(grid, background);
  assert_true(background[0] == 1.5f);
  rv_grid_release(grid);
  CHECK_OK(rv_grid_from_mesh("a", 0.5, 3, 0, p, 0, t, false, &grid, &error), error);
  assert_true(rv_test_active(grid) == 0);
  rv_grid_release(grid);
}

RV_TESTS(cmocka_unit_test(a_sphere_has_its_distance_and_volume),
         cmocka_unit_test(samples_give_the_distance_and_its_gradient),
         cmocka_unit_test(turned_inside_out_it_is_the_same), cmocka_unit_test(an_open_mesh_has_a_distance_without_sign),
         cmocka_unit_test(workers_do_not_change_the_bits), cmocka_unit_test(fog_is_the_depth_over_the_band),
         cmocka_unit_test(the_contour_is_a_closed_sphere_again), cmocka_unit_test(wrong_meshes_are_refused))
