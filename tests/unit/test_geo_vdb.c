// VDB primitives of a detail, and .vdb files as details.
#include <stdlib.h>
#include <string.h>

#include "geo/detail.h"
#include "rivulet/host.h"
#include "support/geo_samples.h"

static RvGrid* make_grid(RvGridType type, const char* name, double voxel, float value) {
  RvError error = {0};
  RvGrid* grid = NULL;
  float background[3] = {0}, values[3] = {value, value + 1, value + 2};
  CHECK_OK(rv_grid_create(type, name, RV_GRID_UNKNOWN, voxel, background, &grid, &error), error);
  for (int32_t i = 0; i < 3; ++i) CHECK_OK(rv_grid_set(grid, (int32_t[3]){i, 0, -i}, values, &error), error);
  return grid;
}

// a curve, two grids, a triangle
static RvDetail* detail_with_grids(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  RvGrid* surface = make_grid(RV_GRID_FLOAT, "surface", 0.5, 7);
  RvGrid* vel = make_grid(RV_GRID_VEC3, "vel", 0.25, 1);
  CHECK_OK(rv_detail_add_curves(d, 1, 3, NULL, NULL, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, surface, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, vel, &error), error);
  int32_t three = 3, points[3] = {0, 1, 2};
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 1, &three, points, NULL, &error), error);
  rv_grid_release(surface);
  rv_grid_release(vel);
  return d;
}

static void grids_are_primitives(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = detail_with_grids();
  CHECK_OK(rv_detail_check(d, &error), error);
  assert_int_equal(rv_detail_count(d, RV_PRIM), 4);
  assert_int_equal(rv_detail_count(d, RV_VERTEX), 6);
  assert_int_equal(rv_detail_prim_type(d, 1), RV_PRIM_VDB);
  assert_null(rv_detail_prim_grid(d, 0));
  assert_null(rv_detail_prim_grid(d, 3));
  assert_string_equal(rv_grid_name(rv_detail_prim_grid(d, 2)), "vel");
  assert_ptr_equal(rv_detail_find_vdb(d, "surface"), rv_detail_prim_grid(d, 1));
  assert_ptr_equal(rv_detail_find_vdb(d, NULL), rv_detail_prim_grid(d, 1));
  assert_null(rv_detail_find_vdb(d, "density"));
  const RvAttrib* name = rv_detail_find(d, RV_PRIM, "name");
  assert_string_equal(rv_attrib_string(name, 0, 0), "");
  assert_string_equal(rv_attrib_string(name, 2, 0), "vel");
  // active voxels count for the box: surface reaches from (0,0,-1) to (1,0,0)
  double lo[3], hi[3];
  assert_true(rv_detail_bounds(d, lo, hi));
  CHECK_NEAR(lo[2], -1, 0.5);
  CHECK_NEAR(hi[0], 1, 0.5);
  rv_detail_free(d);
}

static void grids_follow_edits(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *d = detail_with_grids(), *other = detail_with_grids(), *copy = rv_detail_copy(d);
  assert_int_equal(rv_detail_hash(d), rv_detail_hash(copy));
  assert_ptr_equal(rv_detail_prim_grid(d, 1), rv_detail_prim_grid(copy, 1));
  CHECK_OK(rv_detail_merge(d, other, &error), error);
  CHECK_OK(rv_detail_check(d, &error), error);
  assert_ptr_equal(rv_detail_prim_grid(d, 6), rv_detail_prim_grid(other, 2));
  uint8_t prims[8] = {0, 0, 1, 1, 1, 1, 0, 0};
  CHECK_OK(rv_detail_keep(d, NULL, prims, false, &error), error);
  CHECK_OK(rv_detail_check(d, &error), error);
  assert_int_equal(rv_detail_count(d, RV_PRIM), 4);
  assert_ptr_equal(rv_detail_prim_grid(d, 0), rv_detail_prim_grid(copy, 2));
  assert_ptr_equal(rv_detail_prim_grid(d, 3), rv_detail_prim_grid(other, 1));
  assert_string_equal(rv_attrib_string(rv_detail_find(d, RV_PRIM, "name"), 3, 0), "surface");
  // one voxel of one grid changes the hash
  RvGrid* changed;
  CHECK_OK(rv_grid_copy(rv_detail_prim_grid(copy, 1), &changed, &error), error);
  CHECK_OK(rv_grid_set(changed, (int32_t[3]){1, 0, -1}, (float[]){8}, &error), error);
  RvDetail *a = rv_detail_new(), *b = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(a, rv_detail_prim_grid(copy, 1), &error), error);
  CHECK_OK(rv_detail_add_vdb(b, changed, &error), error);
  assert_int_not_equal(rv_detail_hash(a), rv_detail_hash(b));
  rv_grid_release(changed);
  rv_detail_free(a);
  rv_detail_free(b);
  rv_detail_free(d);
  rv_detail_free(other);
  rv_detail_free(copy);
}

static int warnings;
static char warning[512];

static void keep_warning(void* user, RvLevel level, const char* text) {
  (void)user;
  warnings += level == RV_LEVEL_WARNING;
  if (!strstr(warning, "'vel'")) snprintf(warning, sizeof warning, "%s", text);
}

static const RvLog LOG = {NULL, keep_warning};

static void grids_go_through_files(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *d = detail_with_grids(), *back;
  char path[512];
  snprintf(path, sizeof path, "%s/both.VDB", rv_test_folder());
  warnings = 0;
  CHECK_OK(rv_detail_save(d, path, &LOG, &error), error);
  // the curve and the triangle have no place there
  assert_int_equal(warnings, 1);
  CHECK_OK(rv_detail_load(path, &back, NULL, &error), error);
  CHECK_OK(rv_detail_check(back, &error), error);
  assert_int_equal(rv_detail_count(back, RV_PRIM), 2);
  assert_int_equal(rv_detail_count(back, RV_POINT), 0);
  RvGrid *surface = rv_detail_find_vdb(back, "surface"), *vel = rv_detail_find_vdb(back, "vel");
  assert_non_null(surface);
  assert_non_null(vel);
  CHECK_NEAR(rv_grid_voxel_size(surface), 0.5, 0);
  float value[3];
  rv_grid_get(vel, (int32_t[3]){2, 0, -2}, value);
  CHECK_NEAR(value[2], 3, 0);
  // other formats say by name what they leave out
  static const char* const names[] = {"x.geo", "x.bgeo", "x.bgeo.sc", "x.vtp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    warnings = 0;
    warning[0] = 0;
    snprintf(path, sizeof path, "%s/%s", rv_test_folder(), names[i]);
    CHECK_OK(rv_detail_save(d, path, &LOG, &error), error);
    assert_int_equal(warnings, 2);
    assert_non_null(strstr(warning, "'vel'"));
  }
  // a USD stage has them in a file beside it
  warnings = 0;
  snprintf(path, sizeof path, "%s/x.usda", rv_test_folder());
  CHECK_OK(rv_detail_save(d, path, &LOG, &error), error);
  assert_int_equal(warnings, 0);
  rv_detail_free(back);
  snprintf(path, sizeof path, "%s/x.volume.vdb", rv_test_folder());
  CHECK_OK(rv_detail_load(path, &back, NULL, &error), error);
  assert_non_null(rv_detail_find_vdb(back, "surface"));
  assert_non_null(rv_detail_find_vdb(back, "vel"));
  rv_detail_free(back);
  rv_detail_free(d);
}

// points come back in another order: ids tell them apart
static void points_go_through_files(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *d = sample_points(), *back;
  rv_detail_f64_write(d, RV_POINT, "exact", 1, &error);
  char path[512];
  snprintf(path, sizeof path, "%s/liquid.vdb", rv_test_folder());
  warnings = 0;
  warning[0] = 0;
  CHECK_OK(rv_detail_save(d, path, &LOG, &error), error);
  assert_int_equal(warnings, 1);
  assert_non_null(strstr(warning, "'exact'"));
  CHECK_OK(rv_detail_load(path, &back, NULL, &error), error);
  CHECK_OK(rv_detail_check(back, &error), error);
  assert_int_equal(rv_detail_count(back, RV_POINT), 500);
  assert_int_equal(rv_detail_count(back, RV_PRIM), 0);
  const float *p = rv_detail_f32(back, RV_POINT, "P", 3), *v = rv_detail_f32(back, RV_POINT, "v", 3);
  const float* pscale = rv_detail_f32(back, RV_POINT, "pscale", 1);
  const int32_t* id = rv_detail_i32(back, RV_POINT, "id", 1);
  assert_true(v && pscale && id);
  uint8_t seen[500] = {0};
  for (int i = 0; i < 500; ++i) {
    int from = 499 - id[i];
    assert_true(from >= 0 && from < 500 && !seen[from]);
    seen[from] = 1;
    // positions are kept relative to a voxel of size 1.4 or so, in floats
    CHECK_NEAR(p[3 * i], from % 10, 1e-6);
    CHECK_NEAR(p[3 * i + 1], from / 10 % 10, 1e-6);
    CHECK_NEAR(p[3 * i + 2], from / 100, 1e-6);
    CHECK_NEAR(v[3 * i + 1], -9.81f * (float)from, 0);
    CHECK_NEAR(pscale[i], 0.05f, 0);
  }
  rv_detail_free(back);
  rv_detail_free(d);
}

// attributes of any name come back; what cannot be written or is not there is told by name
static void any_attribute_goes_through_files(void** state) {
  (void)state;
  enum { N = 300 };
  RvError error = {0};
  RvDetail *d = rv_detail_new(), *back;
  CHECK_OK(rv_detail_add_points(d, N, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  int32_t* clump = rv_detail_i32_write(d, RV_POINT, "clumpid", 1, &error);
  float* height = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
  float* absorbed = rv_detail_f32_write(d, RV_POINT, "absorbed", 1, &error);
  float* push = rv_detail_f32_write(d, RV_POINT, "my:push_3", 3, &error);
  assert_true(p && clump && height && absorbed && push);
  assert_non_null(rv_detail_f32_write(d, RV_POINT, "odd name", 1, &error));
  for (int i = 0; i < N; ++i) {
    p[3 * i] = (float)i;
    clump[i] = 1000 - i;
    height[i] = 0.1f * (float)i;
    // the same everywhere, which OpenVDB keeps once a block
    absorbed[i] = 0.25f;
    for (int c = 0; c < 3; ++c) push[3 * i + c] = (float)(3 * i + c);
  }
  char path[512];
  snprintf(path, sizeof path, "%s/film.vdb", rv_test_folder());
  warnings = 0;
  warning[0] = 0;
  CHECK_OK(rv_detail_save(d, path, &LOG, &error), error);
  assert_int_equal(warnings, 1);
  assert_non_null(strstr(warning, "'odd name'"));
  CHECK_OK(rv_detail_load(path, &back, &LOG, &error), error);
  assert_int_equal(warnings, 1);
  assert_int_equal(rv_detail_attrib_count(back, RV_POINT), 5);
  const int32_t* clump2 = rv_detail_i32(back, RV_POINT, "clumpid", 1);
  const float* height2 = rv_detail_f32(back, RV_POINT, "filmheight", 1);
  const float* absorbed2 = rv_detail_f32(back, RV_POINT, "absorbed", 1);
  const float* push2 = rv_detail_f32(back, RV_POINT, "my:push_3", 3);
  assert_true(clump2 && height2 && absorbed2 && push2);
  assert_int_equal(rv_detail_count(back, RV_POINT), N);
  for (int i = 0; i < N; ++i) {
    int from = 1000 - clump2[i];
    assert_true(from >= 0 && from < N);
    CHECK_NEAR(height2[i], height[from], 0);
    CHECK_NEAR(absorbed2[i], 0.25, 0);
    assert_memory_equal(push2 + 3 * i, push + 3 * from, 12);
  }
  rv_detail_free(back);
  rv_detail_free(d);
}

static void bad_vdb_files_are_named(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *strands = sample_strands(), *back = NULL;
  char path[512];
  snprintf(path, sizeof path, "%s/strands.vdb", rv_test_folder());
  CHECK_FAILS(rv_detail_save(strands, path, NULL, &error), RV_BAD_INPUT, error, "strands.vdb");
  CHECK_FAILS(rv_detail_load(path, &back, NULL, &error), RV_NOT_FOUND, error, "strands.vdb");
  FILE* file = fopen(path, "w");
  fputs("this is no grid", file);
  fclose(file);
  RvResult result = rv_detail_load(path, &back, NULL, &error);
  assert_int_not_equal(result, RV_OK);
  assert_non_null(strstr(error.text, "strands.vdb"));
  assert_null(back);
  rv_detail_free(strands);
}

// Allocations of ours until one fails; 0: none fails.
static long until_failure;

static void* alloc_or_fail(void* user, size_t bytes, size_t alignment) {
  (void)user;
  if (until_failure && --until_failure == 0) return NULL;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give_back(void* user, void* memory) {
  (void)user;
  free(memory);
}

// The text of a file, to free; "" where there is none.
static char* text_of(const char* path) {
  char* text = calloc(1, 1 << 16);
  FILE* file = fopen(path, "rb");
  assert_non_null(text);
  if (file) assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  if (file) fclose(file);
  return text;
}

// Each allocation fails once while a stage with VDBs is written: an error without a stage, or the same stage. It is the
// first test, since the allocator cannot be changed later.
static void stages_lose_nothing_without_memory(void** state) {
  (void)state;
  RvError error = {0};
  RvHostServices services = rv_host_services_default();
  services.alloc = alloc_or_fail;
  services.free_memory = give_back;
  CHECK_OK(rv_host_services_set(&services, &error), error);
  RvDetail* d = detail_with_grids();
  char path[512];
  snprintf(path, sizeof path, "%s/without.usda", rv_test_folder());
  CHECK_OK(rv_detail_save(d, path, NULL, &error), error);
  char* whole = text_of(path);
  assert_non_null(strstr(whole, "@./without.volume.vdb@"));
  int failed = 0;
  for (long n = 1, left = 0; !left; ++n) {
    remove(path);
    until_failure = n;
    RvResult result = rv_detail_save(d, path, NULL, &error);
    left = until_failure;
    until_failure = 0;
    char* text = text_of(path);
    if (result) CHECK_FAILS(result, RV_NO_MEMORY, error, "memory");
    if (strcmp(text, result ? "" : whole) != 0) fail_msg("allocation %ld: another stage\n%s", n, text);
    failed += result != RV_OK;
    free(text);
  }
  print_message("%d allocations failed\n", failed);
  assert_true(failed > 10);
  free(whole);
  rv_detail_free(d);
}

RV_TESTS(cmocka_unit_test(stages_lose_nothing_without_memory), cmocka_unit_test(grids_are_primitives),
         cmocka_unit_test(grids_follow_edits), cmocka_unit_test(grids_go_through_files),
         cmocka_unit_test(points_go_through_files), cmocka_unit_test(any_attribute_goes_through_files),
         cmocka_unit_test(bad_vdb_files_are_named))
