// VDB files: exact round trips, half floats, equal bytes, and what happens when the disk or the file is bad.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "rivulet/vdb.h"
#include "support/grids.h"
#include "support/rv_test.h"

static RvError error;

static const char* in_folder(const char* name) {
  static char paths[4][512];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, 512, "%s/%s", rv_test_folder(), name);
  return path;
}

// a field that no compression makes small
static RvGrid* noisy(RvGridType type, const char* name, int blocks) {
  RvGrid* grid = NULL;
  float background[3] = {0.5f, 0.25f, 0.125f};
  CHECK_OK(rv_grid_create(type, name, RV_GRID_FOG, 0.1, background, &grid, &error), error);
  size_t floats = 512 * (type == RV_GRID_VEC3 ? 3 : 1);
  float* values = malloc((size_t)blocks * floats * sizeof *values);
  int32_t* origins = malloc((size_t)blocks * 3 * sizeof *origins);
  uint32_t seed = 1;
  for (size_t i = 0; i < (size_t)blocks * floats; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) * 0x1p-24f;
  }
  for (int b = 0; b < blocks; ++b) {
    origins[3 * b] = 8 * b;
    origins[3 * b + 1] = -8 * b;
    origins[3 * b + 2] = 8;
  }
  CHECK_OK(rv_grid_set_leaves(grid, (size_t)blocks, origins, values, NULL, &error), error);
  free(values);
  free(origins);
  return grid;
}

static void release_all(RvGrid** grids, size_t count) {
  for (size_t i = 0; i < count; ++i) rv_grid_release(grids[i]);
  rv_free(grids);
}

static void what_is_written_is_read(void** state) {
  (void)state;
  RvGrid* written[2] = {noisy(RV_GRID_FLOAT, "density", 9), noisy(RV_GRID_VEC3, "vel", 5)};
  double m[16] = {0.1, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0.3, 0, 1, 2, 3, 1};
  CHECK_OK(rv_grid_set_transform(written[0], m, &error), error);
  CHECK_OK(rv_grid_set_meta_string(written[0], "note", "wet", &error), error);
  const char* path = in_folder("a/b/two.vdb");
  CHECK_OK(rv_grid_write_file(path, written, 2, false, &error), error);
  RvGrid** read = NULL;
  size_t count = 0;
  CHECK_OK(rv_grid_read_file(path, &read, &count, NULL, &error), error);
  assert_int_equal(count, 2);
  for (int i = 0; i < 2; ++i) {
    assert_true(rv_grid_hash(read[i]) == rv_grid_hash(written[i]));
    assert_string_equal(rv_grid_name(read[i]), rv_grid_name(written[i]));
    assert_int_equal(rv_grid_type(read[i]), rv_grid_type(written[i]));
    assert_int_equal(rv_grid_class(read[i]), RV_GRID_FOG);
    rv_grid_release(written[i]);
  }
  char* type = rv_test_meta(read[1], "vector_type");
  assert_string_equal(type, "contravariant relative");
  rv_free(type);
  release_all(read, count);
}

static void half_files_round_to_11_bits(void** state) {
  (void)state;
  RvGrid* written = noisy(RV_GRID_FLOAT, "density", 200);
  uint64_t hash = rv_grid_hash(written);
  CHECK_OK(rv_grid_write_file(in_folder("half.vdb"), &written, 1, true, &error), error);
  CHECK_OK(rv_grid_write_file(in_folder("full.vdb"), &written, 1, false, &error), error);
  // writing leaves a shared grid alone
  assert_true(rv_grid_hash(written) == hash);
  assert_null(rv_test_meta(written, "is_saved_as_half_float"));
  struct stat half, full;
  assert_int_equal(stat(in_folder("half.vdb"), &half), 0);
  assert_int_equal(stat(in_folder("full.vdb"), &full), 0);
  assert_true(half.st_size * 10 < full.st_size * 8);
  RvGrid** read = NULL;
  size_t count = 0;
  CHECK_OK(rv_grid_read_file(in_folder("half.vdb"), &read, &count, NULL, &error), error);
  char* flag = rv_test_meta(read[0], "is_saved_as_half_float");
  assert_string_equal(flag, "true");
  rv_free(flag);
  RvLeaf a, b;
  for (size_t n = 0; n < rv_grid_leaf_count(written); ++n) {
    a = rv_test_leaf(written, n);
    b = rv_test_leaf(read[0], n);
    // half a unit in the last of 11 bits, below 1; subnormals below 2^-14
    for (int i = 0; i < 512; ++i) CHECK_NEAR(b.values[i], a.values[i], fmaxf(a.values[i], 0x1p-14f) * 0x1p-11f);
  }
  release_all(read, count);
  rv_grid_release(written);
}

static void equal_grids_give_equal_bytes(void** state) {
  (void)state;
  RvGrid* a = noisy(RV_GRID_FLOAT, "density", 6);
  RvGrid* b = NULL;
  CHECK_OK(rv_grid_copy(a, &b, &error), error);
  CHECK_OK(rv_grid_write_file(in_folder("a.vdb"), &a, 1, false, &error), error);
  CHECK_OK(rv_grid_write_file(in_folder("b.vdb"), &b, 1, false, &error), error);
  void *bytes_a, *bytes_b;
  size_t count_a, count_b;
  CHECK_OK(rv_file_read(in_folder("a.vdb"), 0, &bytes_a, &count_a, &error), error);
  CHECK_OK(rv_file_read(in_folder("b.vdb"), 0, &bytes_b, &count_b, &error), error);
  assert_int_equal(count_a, count_b);
  assert_memory_equal(bytes_a, bytes_b, count_a);
  rv_free(bytes_b);
  // another grid has another number in the header (bytes 21 to 56)
  const int32_t ijk[3] = {0, 0, 8};
  float value = 7;
  CHECK_OK(rv_grid_set(b, ijk, &value, &error), error);
  CHECK_OK(rv_grid_write_file(in_folder("b.vdb"), &b, 1, false, &error), error);
  CHECK_OK(rv_file_read(in_folder("b.vdb"), 0, &bytes_b, &count_b, &error), error);
  assert_memory_equal(bytes_a, bytes_b, 21);
  assert_memory_not_equal((char*)bytes_a + 21, (char*)bytes_b + 21, 36);
  rv_free(bytes_a);
  rv_free(bytes_b);
  rv_grid_release(a);
  rv_grid_release(b);
}

static void bad_paths(void** state) {
  (void)state;
  RvGrid** grids = NULL;
  size_t count = 0;
  CHECK_FAILS(rv_grid_read_file(in_folder("none.vdb"), &grids, &count, NULL, &error), RV_NOT_FOUND, error, "none.vdb");
  CHECK_FAILS(rv_grid_read_file(rv_test_folder(), &grids, &count, NULL, &error), RV_IO, error, "not a file");
  CHECK_OK(rv_file_write(in_folder("text.vdb"), "not a grid at all", 17, &error), error);
  CHECK_FAILS(rv_grid_read_file(in_folder("text.vdb"), &grids, &count, NULL, &error), RV_BAD_FILE, error, "not a VDB");
  RvGrid* grid = noisy(RV_GRID_FLOAT, "a", 1);
  CHECK_FAILS(rv_grid_write_file(rv_test_folder(), &grid, 1, false, &error), RV_IO, error, "folder");
  CHECK_FAILS(rv_grid_write_file(in_folder("text.vdb/x.vdb"), &grid, 1, false, &error), RV_IO, error, "text.vdb");
  rv_grid_release(grid);
}

static void a_full_disk_is_an_error_and_keeps_the_old_file(void** state) {
  (void)state;
  const char* disk = in_folder("disk");
  assert_int_equal(mkdir(disk, 0700), 0);
  if (mount("tmpfs", disk, "tmpfs", 0, "size=1m") != 0) skip();
  char path[600], command[700];
  snprintf(path, sizeof path, "%s/a.vdb", disk);
  RvGrid* small = noisy(RV_GRID_FLOAT, "a", 2);
  RvGrid* big = noisy(RV_GRID_FLOAT, "a", 2000);
  RvResult first = rv_grid_write_file(path, &small, 1, false, &error);
  RvError full = {0};
  RvResult second = rv_grid_write_file(path, &big, 1, false, &full);
  RvGrid** read = NULL;
  size_t count = 0;
  RvResult third = rv_grid_read_file(path, &read, &count, NULL, &error);
  bool same = third == RV_OK && count == 1 && rv_grid_hash(read[0]) == rv_grid_hash(small);
  snprintf(command, sizeof command, "test \"$(ls -A '%s')\" = a.vdb", disk);
  int alone = system(command);
  release_all(read, count);
  umount(disk);
  assert_int_equal(first, RV_OK);
  CHECK_FAILS(second, RV_IO, full, "No space left");
  assert_true(same);
  assert_int_equal(alone, 0);
  rv_grid_release(small);
  rv_grid_release(big);
}

RV_TESTS(cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(half_files_round_to_11_bits),
         cmocka_unit_test(equal_grids_give_equal_bytes), cmocka_unit_test(bad_paths),
         cmocka_unit_test(a_full_disk_is_an_error_and_keeps_the_old_file))
