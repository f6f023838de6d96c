// Grids: handles, transforms, metadata, voxels, blocks and the hash.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rivulet/vdb.h"
#include "support/grids.h"
#include "support/rv_test.h"

static RvError error;

static RvGrid* make(RvGridType type, const char* name, double voxel, const float* background) {
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_create(type, name, RV_GRID_UNKNOWN, voxel, background, &grid, &error), error);
  return grid;
}

static void a_new_grid_is_what_was_asked(void** state) {
  (void)state;
  float background[3] = {1, 2, 3}, value[3];
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_STAGGERED, 0.25, background, &grid, &error), error);
  assert_int_equal(rv_grid_type(grid), RV_GRID_VEC3);
  assert_int_equal(rv_grid_class(grid), RV_GRID_STAGGERED);
  assert_string_equal(rv_grid_name(grid), "vel");
  assert_true(rv_grid_voxel_size(grid) == 0.25);
  rv_grid_background(grid, value);
  assert_memory_equal(value, background, sizeof value);
  char* type = rv_test_meta(grid, "vector_type");
  assert_string_equal(type, "contravariant relative");
  rv_free(type);
  int32_t lo[3], hi[3];
  double world_lo[3], world_hi[3];
  assert_false(rv_grid_bounds(grid, lo, hi, world_lo, world_hi));
  assert_true(rv_test_active(grid) == 0);
  // the second reference keeps it
  assert_ptr_equal(rv_grid_retain(grid), grid);
  rv_grid_release(grid);
  assert_string_equal(rv_grid_name(grid), "vel");
  rv_grid_release(grid);
  rv_grid_release(NULL);
}

static void wrong_grids_are_refused(void** state) {
  (void)state;
  RvGrid* grid = (RvGrid*)1;
  float nan_value[1] = {NAN};
  CHECK_FAILS(rv_grid_create(RV_GRID_FLOAT, "a", RV_GRID_FOG, 0, NULL, &grid, &error), RV_BAD_INPUT, error, "voxel");
  assert_null(grid);
  CHECK_FAILS(rv_grid_create(RV_GRID_FLOAT, "a", RV_GRID_FOG, NAN, NULL, &grid, &error), RV_BAD_INPUT, error, "voxel");
  CHECK_FAILS(rv_grid_create(RV_GRID_FLOAT, "a", RV_GRID_FOG, 1, nan_value, &grid, &error), RV_BAD_INPUT, error,
              "finite");
  CHECK_FAILS(rv_grid_create(RV_GRID_OTHER, "a", RV_GRID_FOG, 1, NULL, &grid, &error), RV_BAD_INPUT, error, "'a'");
}

static void voxels_and_bounds(void** state) {
  (void)state;
  RvGrid* grid = make(RV_GRID_FLOAT, "density", 0.5, NULL);
  const int32_t a[3] = {-9, 0, 3}, b[3] = {1000, -70, 4}, c[3] = {0, 0, 0};
  float one = 1, two = 2, value[3];
  CHECK_OK(rv_grid_set(grid, a, &one, &error), error);
  CHECK_OK(rv_grid_set(grid, b, &two, &error), error);
  rv_grid_get(grid, a, value);
  assert_true(value[0] == 1);
  rv_grid_get(grid, b, value);
  assert_true(value[0] == 2);
  rv_grid_get(grid, c, value);
  assert_true(value[0] == 0);
  assert_true(rv_test_active(grid) == 2);
  int32_t lo[3], hi[3];
  double world_lo[3], world_hi[3];
  assert_true(rv_grid_bounds(grid, lo, hi, world_lo, world_hi));
  const int32_t expected_lo[3] = {-9, -70, 3}, expected_hi[3] = {1000, 0, 4};
  assert_memory_equal(lo, expected_lo, sizeof lo);
  assert_memory_equal(hi, expected_hi, sizeof hi);
  for (int i = 0; i < 3; ++i) {
    assert_true(world_lo[i] == 0.5 * (lo[i] - 0.5));
    assert_true(world_hi[i] == 0.5 * (hi[i] + 0.5));
  }
  // two voxels in two blocks: at least these two are allocated
  assert_true(rv_grid_leaf_count(grid) == 2);
  assert_true(rv_grid_bytes(grid) > 2 * 512 * sizeof(float));
  rv_grid_release(grid);
}

static void transforms_round_trip(void** state) {
  (void)state;
  RvGrid* grid = make(RV_GRID_FLOAT, "a", 0.1, NULL);
  double m[16] = {0, 0.2, 0, 0, -0.1, 0, 0, 0, 0, 0, 0.3, 0, 5, 6, 7, 1}, got[16];
  CHECK_OK(rv_grid_set_transform(grid, m, &error), error);
  CHECK_OK(rv_grid_transform(grid, got, &error), error);
  for (int i = 0; i < 16; ++i) assert_true(m[i] == got[i]);
  // row vectors: voxel (1,0,0) goes to (5, 6.2, 7)
  const int32_t ijk[3] = {1, 0, 0};
  float one = 1;
  CHECK_OK(rv_grid_set(grid, ijk, &one, &error), error);
  int32_t lo[3], hi[3];
  double world_lo[3], world_hi[3];
  assert_true(rv_grid_bounds(grid, lo, hi, world_lo, world_hi));
  const double centre[3] = {5, 6.2, 7}, half[3] = {0.05, 0.1, 0.15};
  for (int i = 0; i < 3; ++i) {
    CHECK_NEAR(world_lo[i], centre[i] - half[i], 1e-14);
    CHECK_NEAR(world_hi[i], centre[i] + half[i], 1e-14);
  }
  double flat[16] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  CHECK_FAILS(rv_grid_set_transform(grid, flat, &error), RV_BAD_INPUT, error, "singular");
  m[3] = 1;
  CHECK_FAILS(rv_grid_set_transform(grid, m, &error), RV_BAD_INPUT, error, "perspective");
  m[3] = NAN;
  CHECK_FAILS(rv_grid_set_transform(grid, m, &error), RV_BAD_INPUT, error, "finite");
  rv_grid_release(grid);
}

static void metadata_of_three_kinds(void** state) {
  (void)state;
  RvGrid* grid = make(RV_GRID_FLOAT, "a", 1, NULL);
  CHECK_OK(rv_grid_set_meta_string(grid, "note", "wet", &error), error);
  CHECK_OK(rv_grid_set_meta_float(grid, "weight", 0.5, &error), error);
  CHECK_OK(rv_grid_set_meta_bool(grid, "is_local_space", true, &error), error);
  // another type under an old name replaces it
  CHECK_OK(rv_grid_set_meta_float(grid, "note", 2, &error), error);
  char* note = rv_test_meta(grid, "note");
  char* weight = rv_test_meta(grid, "weight");
  char* local = rv_test_meta(grid, "is_local_space");
  assert_string_equal(note, "2");
  assert_string_equal(weight, "0.5");
  assert_string_equal(local, "true");
  assert_null(rv_test_meta(grid, "absent"));
  CHECK_FAILS(rv_grid_set_meta_bool(grid, "", true, &error), RV_BAD_INPUT, error, "is empty");
  rv_free(note);
  rv_free(weight);
  rv_free(local);
  assert_int_equal(rv_grid_set_name(grid, "b", NULL), RV_OK);
  assert_string_equal(rv_grid_name(grid), "b");
  rv_grid_release(grid);
}

enum { BLOCKS = 40 };

// blocks at scattered origins with known values, in the order of `order`
static RvGrid* scattered(int components, const int* order, const uint64_t* active) {
  RvGrid* grid = make(components == 3 ? RV_GRID_VEC3 : RV_GRID_FLOAT, "a", 1, NULL);
  size_t floats = 512 * (size_t)components;
  float* values = malloc(BLOCKS * floats * sizeof *values);
  int32_t origins[3 * BLOCKS];
  uint64_t mask[8 * BLOCKS];
  for (int n = 0; n < BLOCKS; ++n) {
    int b = order ? order[n] : n;
    origins[3 * n] = 8 * (b * 37 % 97 - 48);
    origins[3 * n + 1] = 8 * (b * b % 31 - 15);
    origins[3 * n + 2] = -8000 * (b % 3);
    for (size_t i = 0; i < floats; ++i) values[(size_t)n * floats + i] = (float)(b * 10000) + (float)i;
    for (int w = 0; w < 8; ++w) mask[8 * n + w] = active ? active[w] ^ (uint64_t)b : 0;
  }
  CHECK_OK(rv_grid_set_leaves(grid, BLOCKS, origins, values, active ? mask : NULL, &error), error);
  free(values);
  return grid;
}

static void blocks_are_shared_not_copied(void** state) {
  (void)state;
  const uint64_t active[8] = {1, 2, 3, 0, ~0ull, 0x8000000000000000ull, 7, 0xf0};
  for (int components = 1; components <= 3; components += 2) {
    RvGrid* grid = scattered(components, NULL, active);
    assert_int_equal(rv_grid_leaf_count(grid), BLOCKS);
    RvLeaf leaf, again;
    uint64_t on = 0;
    for (size_t n = 0; n < BLOCKS; ++n) {
      leaf = rv_test_leaf(grid, n);
      again = rv_test_leaf(grid, n);
      assert_ptr_equal(leaf.values, again.values);
      assert_ptr_equal(leaf.active, again.active);
      // which block this is stands in its first value; voxel (x,y,z) is value x*64 + y*8 + z
      int b = (int)(leaf.values[0] / 10000);
      assert_int_equal(leaf.origin[0], 8 * (b * 37 % 97 - 48));
      const int32_t ijk[3] = {leaf.origin[0] + 3, leaf.origin[1] + 5, leaf.origin[2] + 6};
      float value[3];
      rv_grid_get(grid, ijk, value);
      assert_true(value[components - 1] == (float)(b * 10000 + (3 * 64 + 5 * 8 + 6) * components + components - 1));
      for (int w = 0; w < 8; ++w) {
        assert_true(leaf.active[w] == (active[w] ^ (uint64_t)b));
        on += (uint64_t)__builtin_popcountll(leaf.active[w]);
      }
    }
    assert_true(rv_test_active(grid) == on);
    // a write through the view is seen by the grid
    leaf = rv_test_leaf(grid, 7);
    leaf.values[0] = -5;
    float value[3];
    rv_grid_get(grid, leaf.origin, value);
    assert_true(value[0] == -5);
    rv_grid_release(grid);
  }
}

static void bad_blocks_are_refused(void** state) {
  (void)state;
  RvGrid* grid = make(RV_GRID_FLOAT, "a", 1, NULL);
  float* values = calloc(2 * 512, sizeof *values);
  const int32_t odd[3] = {8, 4, 0}, twice[6] = {8, 0, 0, 8, 0, 0};
  CHECK_FAILS(rv_grid_set_leaves(grid, 1, odd, values, NULL, &error), RV_BAD_INPUT, error, "multiple of 8");
  CHECK_FAILS(rv_grid_set_leaves(grid, 2, twice, values, NULL, &error), RV_BAD_INPUT, error, "twice");
  assert_int_equal(rv_grid_leaf_count(grid), 0);
  free(values);
  rv_grid_release(grid);
}

static void the_hash_sees_everything_but_the_order_of_making(void** state) {
  (void)state;
  int backwards[BLOCKS];
  for (int i = 0; i < BLOCKS; ++i) backwards[i] = BLOCKS - 1 - i;
  RvGrid* a = scattered(1, NULL, NULL);
  RvGrid* b = scattered(1, backwards, NULL);
  RvGrid* c = NULL;
  CHECK_OK(rv_grid_copy(a, &c, &error), error);
  uint64_t hash = rv_grid_hash(a);
  assert_true(hash == rv_grid_hash(b));
  assert_true(hash == rv_grid_hash(c));
  for (int workers = 1; workers <= 8; workers *= 2) {
    rv_threads_set(workers);
    assert_true(hash == rv_grid_hash(a));
  }
  rv_threads_set(0);
  // a copy is apart
  RvLeaf leaf;
  leaf = rv_test_leaf(c, 11);
  leaf.values[511] = nextafterf(leaf.values[511], 1e9f);
  assert_true(rv_grid_hash(c) != hash);
  assert_true(rv_grid_hash(a) == hash);
  assert_int_equal(rv_grid_set_name(b, "other", NULL), RV_OK);
  assert_true(rv_grid_hash(b) != hash);
  assert_int_equal(rv_grid_set_name(b, "a", NULL), RV_OK);
  assert_true(rv_grid_hash(b) == hash);
  CHECK_OK(rv_grid_set_meta_float(b, "weight", 1, &error), error);
  assert_true(rv_grid_hash(b) != hash);
  double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1e-9, 1};
  CHECK_OK(rv_grid_set_transform(a, m, &error), error);
  assert_true(rv_grid_hash(a) != hash);
  // a block that says nothing is no block; an active one of background is one
  RvGrid* d = scattered(1, NULL, NULL);
  float* zero = calloc(512, sizeof *zero);
  const int32_t far_away[3] = {80000, 0, 0};
  const uint64_t none[8] = {0};
  CHECK_OK(rv_grid_set_leaves(d, 1, far_away, zero, none, &error), error);
  assert_true(rv_grid_hash(d) == hash);
  CHECK_OK(rv_grid_set_leaves(d, 1, far_away, zero, NULL, &error), error);
  assert_true(rv_grid_hash(d) != hash);
  free(zero);
  rv_grid_release(a);
  rv_grid_release(b);
  rv_grid_release(c);
  rv_grid_release(d);
}

RV_TESTS(cmocka_unit_test(a_new_grid_is_what_was_asked), cmocka_unit_test(wrong_grids_are_refused),
         cmocka_unit_test(voxels_and_bounds), cmocka_unit_test(transforms_round_trip),
         cmocka_unit_test(metadata_of_three_kinds), cmocka_unit_test(blocks_are_shared_not_copied),
         cmocka_unit_test(bad_blocks_are_refused), cmocka_unit_test(the_hash_sees_everything_but_the_order_of_making))
