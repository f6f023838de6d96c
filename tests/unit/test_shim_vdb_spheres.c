// Unions of spheres against the definition; samples against fields that are known everywhere; mapped values.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "rivulet/vdb.h"
#include "support/grids.h"
#include "support/rv_test.h"

static RvError error;

static double distance_to_union(const double p[3], int count, const float* centres, const float* radii) {
  double least = INFINITY;
  for (int i = 0; i < count; ++i) {
    double d = 0;
    for (int k = 0; k < 3; ++k) d += (p[k] - centres[3 * i + k]) * (p[k] - centres[3 * i + k]);
    least = fmin(least, sqrt(d) - radii[i]);
  }
  return least;
}

// every voxel of a box around everything: its value is the distance, cut off at the band
static void a_union_is_the_least_distance(void** state) {
  (void)state;
  enum { N = 60 };
  const double voxel = 0.1, band = 3;
  float centres[3 * N], radii[N];
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < 3; ++k) centres[3 * i + k] = (float)(4 * rv_random(1, 0, (uint64_t)i, (uint32_t)k) - 2);
    // from a twentieth of a voxel to ten
    radii[i] = i % 3 ? (float)(0.005 + 0.3 * rv_random(1, 0, (uint64_t)i, 3)) : 1.0f;
  }
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", voxel, band, N, centres, radii, &grid, &error), error);
  assert_int_equal(rv_grid_class(grid), RV_GRID_LEVEL_SET);
  uint64_t in_band = 0;
  for (int x = -36; x <= 36; ++x)
    for (int y = -36; y <= 36; ++y)
      for (int z = -36; z <= 36; ++z) {
        const double p[3] = {x * voxel, y * voxel, z * voxel};
        double d = distance_to_union(p, N, centres, radii);
        float value[3];
        rv_grid_get(grid, (const int32_t[3]){x, y, z}, value);
        // floats of some voxels
        CHECK_NEAR(value[0], fmin(fmax(d, -band * voxel), band * voxel), 1e-6);
        in_band += fabs(d) < band * voxel;
      }
  // those at the very edge may fall on either side
  CHECK_NEAR((double)rv_test_active(grid), (double)in_band, 2);
  rv_grid_release(grid);
}

static void a_large_sphere_is_hollow_and_closed(void** state) {
  (void)state;
  const float centre[3] = {0.3f, -7.1f, 2.6f}, radius = 200;
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", 1, 3, 1, centre, &radius, &grid, &error), error);
  // the shell takes 4 pi 200^2 / 64 blocks and some; all blocks inside would be 65,000
  assert_true(rv_grid_leaf_count(grid) < 25000);
  for (int x = -220; x <= 220; x += 11)
    for (int y = -220; y <= 220; y += 13)
      for (int z = -220; z <= 220; z += 7) {
        float value[3];
        rv_grid_get(grid, (const int32_t[3]){x, y, z}, value);
        double dx = x - 0.3f, dy = y + 7.1f, dz = z - 2.6f, d = sqrt(dx * dx + dy * dy + dz * dz) - 200;
        CHECK_NEAR(value[0], fmin(fmax(d, -3), 3), 1e-4);
      }
  rv_grid_release(grid);
}

static void workers_and_order_do_not_change_the_bits(void** state) {
  (void)state;
  enum { N = 2000 };
  static float centres[3 * N], radii[N], backwards[3 * N], radii_backwards[N];
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < 3; ++k) {
      centres[3 * i + k] = (float)(3 * rv_random(2, 0, (uint64_t)i, (uint32_t)k));
      backwards[3 * (N - 1 - i) + k] = centres[3 * i + k];
    }
    radii[i] = radii_backwards[N - 1 - i] = (float)(0.06 * rv_random(2, 0, (uint64_t)i, 3));
  }
  uint64_t hash = 0;
  for (int workers = 1; workers <= 8; workers *= 2)
    for (int order = 0; order < 2; ++order) {
      rv_threads_set(workers);
      RvGrid* grid = NULL;
      CHECK_OK(rv_grid_from_spheres("a", 0.02, 4, N, order ? backwards : centres, order ? radii_backwards : radii,
                                    &grid, &error),
               error);
      if (!hash) hash = rv_grid_hash(grid);
      assert_true(rv_grid_hash(grid) == hash);
      rv_grid_release(grid);
    }
  rv_threads_set(0);
}

static void wrong_spheres_are_refused(void** state) {
  (void)state;
  RvGrid* grid = NULL;
  float centres[6] = {0, 0, 0, 1, 2, 3}, radii[2] = {1, -1}, huge[2] = {1, 1e8f}, big[2] = {1, 40000};
  CHECK_FAILS(rv_grid_from_spheres("a", 1, 3, 2, centres, radii, &grid, &error), RV_BAD_INPUT, error, "sphere 1");
  CHECK_FAILS(rv_grid_from_spheres("a", 1, 3, 2, centres, huge, &grid, &error), RV_LIMIT, error, "too large");
  CHECK_FAILS(rv_grid_from_spheres("a", 1, 3, 2, centres, big, &grid, &error), RV_LIMIT, error, "");
  radii[1] = NAN;
  CHECK_FAILS(rv_grid_from_spheres("a", 1, 3, 2, centres, radii, &grid, &error), RV_BAD_INPUT, error, "sphere 1");
  CHECK_FAILS(rv_grid_from_spheres("a", 0, 3, 0, centres, radii, &grid, &error), RV_BAD_INPUT, error, "voxel");
  assert_null(grid);
  CHECK_OK(rv_grid_from_spheres("a", 1, 3, 0, NULL, NULL, &grid, &error), error);
  assert_true(rv_test_active(grid) == 0);
  rv_grid_release(grid);
}

// a linear field over 4^3 blocks about the origin; component c of a staggered one half a voxel lower along c
static RvGrid* linear(RvGridType type, RvGridClass grid_class, double voxel) {
  RvGrid* grid = NULL;
  int size = type == RV_GRID_VEC3 ? 3 : 1;
  CHECK_OK(rv_grid_create(type, "a", grid_class, voxel, (const float[3]){9, 9, 9}, &grid, &error), error);
  int32_t origins[64][3];
  float* values = malloc((size_t)(64 * 512 * size) * sizeof *values);
  for (int b = 0; b < 64; ++b) {
    const int o[3] = {8 * (b / 16 - 2), 8 * (b / 4 % 4 - 2), 8 * (b % 4 - 2)};
    for (int k = 0; k < 3; ++k) origins[b][k] = o[k];
    for (int i = 0; i < 512; ++i)
      for (int c = 0; c < size; ++c) {
        double p[3] = {o[0] + (i >> 6), o[1] + (i >> 3 & 7), o[2] + (i & 7)};
        if (grid_class == RV_GRID_STAGGERED) p[c] -= 0.5;
        values[(b * 512 + i) * size + c] = (float)((c + 1) + voxel * (p[0] + 2 * p[1] - 3 * p[2] * (c + 1)));
      }
  }
  CHECK_OK(rv_grid_set_leaves(grid, 64, origins[0], values, NULL, &error), error);
  free(values);
  return grid;
}

static void linear_fields_are_sampled_exactly(void** state) {
  (void)state;
  const struct {
    RvGridType type;
    RvGridClass grid_class;
  } kinds[3] = {{RV_GRID_FLOAT, RV_GRID_FOG}, {RV_GRID_VEC3, RV_GRID_UNKNOWN}, {RV_GRID_VEC3, RV_GRID_STAGGERED}};
  enum { N = 3000 };
  static double at[N][3];
  static float got[3 * N], again[3 * N];
  const double voxel = 0.25;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < 3; ++k) at[i][k] = voxel * (28 * rv_random(3, 0, (uint64_t)i, (uint32_t)k) - 14);
  for (int n = 0; n < 3; ++n) {
    RvGrid* grid = linear(kinds[n].type, kinds[n].grid_class, voxel);
    int size = kinds[n].type == RV_GRID_VEC3 ? 3 : 1;
    rv_threads_set(1);
    CHECK_OK(rv_grid_sample(grid, N, at[0], got, &error), error);
    for (int i = 0; i < N; ++i)
      for (int c = 0; c < size; ++c) {
        const double* p = at[i];
        // floats about 50
        CHECK_NEAR(got[i * size + c], (c + 1) + p[0] + 2 * p[1] - 3 * p[2] * (c + 1), 2e-5);
      }
    rv_threads_set(8);
    CHECK_OK(rv_grid_sample(grid, N, at[0], again, &error), error);
    assert_memory_equal(got, again, (size_t)(N * size) * sizeof(float));
    rv_threads_set(0);
    const double odd[4][3] = {{1e6, 0, 0}, {NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -1e300}};
    CHECK_OK(rv_grid_sample(grid, 4, odd[0], got, &error), error);
    for (int i = 0; i < 4 * size; ++i) assert_true(got[i] == 9);
    rv_grid_release(grid);
  }
}

static void mapped_values(void** state) {
  (void)state;
  RvGrid* grid = NULL;
  const float centre[3] = {0, 0, 0}, radius = 40;
  CHECK_OK(rv_grid_from_spheres("a", 1, 3, 1, centre, &radius, &grid, &error), error);
  CHECK_OK(rv_grid_map_values(grid, (const double[9]){2}, &error), error);
  // voxel, tile inside and background alike
  float value[3];
  rv_grid_get(grid, (const int32_t[3]){41, 0, 0}, value);
  CHECK_NEAR(value[0], 2, 1e-5);
  rv_grid_get(grid, (const int32_t[3]){0, 0, 0}, value);
  assert_true(value[0] == -6);
  rv_grid_get(grid, (const int32_t[3]){500, 0, 0}, value);
  assert_true(value[0] == 6);
  rv_grid_release(grid);
  grid = linear(RV_GRID_VEC3, RV_GRID_UNKNOWN, 1);
  float before[3];
  rv_grid_get(grid, (const int32_t[3]){3, 5, -7}, before);
  CHECK_OK(rv_grid_map_values(grid, (const double[9]){0, 1, 0, -1, 0, 0, 1, 0, 2}, &error), error);
  rv_grid_get(grid, (const int32_t[3]){3, 5, -7}, value);
  assert_true(value[0] == before[1] && value[1] == -before[0] && value[2] == before[0] + 2 * before[2]);
  rv_grid_release(grid);
}

RV_TESTS(cmocka_unit_test(a_union_is_the_least_distance), cmocka_unit_test(a_large_sphere_is_hollow_and_closed),
         cmocka_unit_test(workers_and_order_do_not_change_the_bits), cmocka_unit_test(wrong_spheres_are_refused),
         cmocka_unit_test(linear_fields_are_sampled_exactly), cmocka_unit_test(mapped_values))
