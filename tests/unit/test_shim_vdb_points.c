// Points grids: what goes in comes out, in memory and through a file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "rivulet/vdb.h"
#include "support/rv_test.h"

enum { N = 5000 };
static RvError error;
static float positions[3 * N], velocities[3 * N], sizes[N];
static int32_t ids[N];
static const double voxel = 0.05;

static RvGrid* make(void) {
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < 3; ++k) {
      positions[3 * i + k] = (float)(4 * rv_random(1, 0, (uint64_t)i, (uint32_t)k) - 2);
      velocities[3 * i + k] = (float)rv_random(1, 1, (uint64_t)i, (uint32_t)k);
    }
    sizes[i] = (float)rv_random(1, 2, (uint64_t)i, 0);
    ids[i] = i * 7919 % N;
  }
  // two in one place stay two
  memcpy(positions + 3, positions, 3 * sizeof(float));
  const RvPointChannel channels[3] = {{"v", 3, false, velocities}, {"pscale", 1, false, sizes}, {"id", 1, true, ids}};
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_from_points("points", voxel, N, positions, channels, 3, &grid, &error), error);
  return grid;
}

static void check(const RvGrid* grid) {
  size_t count = 0;
  float *p = NULL, *v = NULL, *s = NULL;
  int32_t* id = NULL;
  int size = 0;
  bool is_int = true;
  CHECK_OK(rv_grid_points(grid, &count, &p, &error), error);
  assert_int_equal(count, N);
  CHECK_OK(rv_grid_points_channel(grid, "v", &size, &is_int, (void**)&v, &error), error);
  assert_true(size == 3 && !is_int);
  CHECK_OK(rv_grid_points_channel(grid, "pscale", &size, &is_int, (void**)&s, &error), error);
  assert_true(size == 1 && !is_int);
  CHECK_OK(rv_grid_points_channel(grid, "id", &size, &is_int, (void**)&id, &error), error);
  assert_true(size == 1 && is_int);
  static int where[N];
  static bool seen[N];
  memset(seen, 0, sizeof seen);
  for (int i = 0; i < N; ++i) where[ids[i]] = i;
  for (int i = 0; i < N; ++i) {
    assert_true(id[i] >= 0 && id[i] < N && !seen[id[i]]);
    seen[id[i]] = true;
    int from = where[id[i]];
    assert_memory_equal(v + 3 * i, velocities + 3 * from, 3 * sizeof(float));
    assert_memory_equal(s + i, sizes + from, sizeof(float));
    // kept as a float offset inside of a voxel, then rounded to a float about 2
    for (int k = 0; k < 3; ++k) CHECK_NEAR(p[3 * i + k], positions[3 * from + k], 0x1p-24 * voxel + 0x1p-23);
  }
  rv_free(p);
  rv_free(v);
  rv_free(s);
  rv_free(id);
}

static void points_come_back(void** state) {
  (void)state;
  RvGrid* grid = make();
  assert_int_equal(rv_grid_type(grid), RV_GRID_POINTS);
  check(grid);
  size_t count = 0;
  const char** found = NULL;
  CHECK_OK(rv_grid_points_channels(grid, &count, &found, &error), error);
  assert_int_equal(count, 3);
  static const char* const names[] = {"v", "pscale", "id"};
  for (size_t i = 0; i < 3; ++i) assert_string_equal(found[i], names[i]);
  rv_free(found);
  // blocks are of values, and this has none
  assert_int_equal(rv_grid_leaf_count(grid), 0);
  int size;
  bool is_int;
  void* data = NULL;
  CHECK_FAILS(rv_grid_points_channel(grid, "age", &size, &is_int, &data, &error), RV_NOT_FOUND, error, "'age'");
  assert_null(data);
  rv_grid_release(grid);
}

static void points_come_back_from_a_file(void** state) {
  (void)state;
  RvGrid* grid = make();
  char path[512], again[512];
  snprintf(path, sizeof path, "%s/points.vdb", rv_test_folder());
  snprintf(again, sizeof again, "%s/again.vdb", rv_test_folder());
  CHECK_OK(rv_grid_write_file(path, &grid, 1, true, &error), error);
  RvGrid** read = NULL;
  size_t count = 0;
  CHECK_OK(rv_grid_read_file(path, &read, &count, NULL, &error), error);
  assert_int_equal(count, 1);
  assert_int_equal(rv_grid_type(read[0]), RV_GRID_POINTS);
  check(read[0]);
  assert_true(rv_grid_hash(read[0]) == rv_grid_hash(grid));
  // a copy with one id changed is another
  RvGrid* other = NULL;
  ids[17] = -1;
  const RvPointChannel channels[3] = {{"v", 3, false, velocities}, {"pscale", 1, false, sizes}, {"id", 1, true, ids}};
  CHECK_OK(rv_grid_from_points("points", voxel, N, positions, channels, 3, &other, &error), error);
  assert_true(rv_grid_hash(other) != rv_grid_hash(grid));
  rv_grid_release(other);
  rv_grid_release(read[0]);
  rv_free(read);
  rv_grid_release(grid);
}

static void wrong_points_are_refused(void** state) {
  (void)state;
  RvGrid* grid = NULL;
  float p[6] = {0, 0, 0, 1, NAN, 3}, q[3] = {1, 2, 3};
  CHECK_FAILS(rv_grid_from_points("a", 1, 2, p, NULL, 0, &grid, &error), RV_BAD_INPUT, error, "point 1");
  CHECK_FAILS(rv_grid_from_points("a", 0, 1, q, NULL, 0, &grid, &error), RV_BAD_INPUT, error, "voxel");
  const RvPointChannel two[1] = {{"uv", 2, false, p}}, same[1] = {{"P", 3, false, p}}, empty[1] = {{"", 1, false, p}};
  CHECK_FAILS(rv_grid_from_points("a", 1, 1, q, two, 1, &grid, &error), RV_UNSUPPORTED, error, "'uv'");
  CHECK_FAILS(rv_grid_from_points("a", 1, 1, q, same, 1, &grid, &error), RV_BAD_INPUT, error, "'P'");
  CHECK_FAILS(rv_grid_from_points("a", 1, 1, q, empty, 1, &grid, &error), RV_BAD_INPUT, error, "name");
  assert_null(grid);
  CHECK_OK(rv_grid_from_points("a", 1, 0, NULL, NULL, 0, &grid, &error), error);
  size_t count = 1;
  float* none = NULL;
  CHECK_OK(rv_grid_points(grid, &count, &none, &error), error);
  assert_int_equal(count, 0);
  rv_free(none);
  rv_grid_release(grid);
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "f", RV_GRID_FOG, 1, NULL, &grid, &error), error);
  CHECK_FAILS(rv_grid_points(grid, &count, &none, &error), RV_BAD_INPUT, error, "no points");
  const char** names = NULL;
  CHECK_OK(rv_grid_points_channels(grid, &count, &names, &error), error);
  assert_int_equal(count, 0);
  rv_free(names);
  rv_grid_release(grid);
}

RV_TESTS(cmocka_unit_test(points_come_back), cmocka_unit_test(points_come_back_from_a_file),
         cmocka_unit_test(wrong_points_are_refused))
