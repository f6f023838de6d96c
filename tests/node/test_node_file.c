// file and filecache: round trips, patterns, missing frames, and disks that refuse.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cook.h"
#include "support/grids.h"
#include "support/rv_test.h"

static RvDetail* cooked(const char* type, const char* parms) {
  RvTestCook c = rv_test_cook(type, parms, 0, NULL);
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

// a mesh with an attribute of every owner, a group and a solver's own attribute
static RvDetail* sample(void) {
  RvError error = {0};
  RvDetail* d = cooked("sphere", "radius=0.3; addnormals=on");
  rv_detail_f64_write(d, RV_POINT, "volume", 1, &error)[3] = 1.0 / 3;
  rv_detail_i32_write(d, RV_PRIM, "class", 1, &error)[7] = -5;
  rv_detail_f32_write(d, RV_GLOBAL, "mood", 2, &error)[1] = 0.1f;
  rv_detail_f32_write(d, RV_POINT, "rv_private", 3, &error)[4] = 8;
  RvAttrib* name = NULL;
  CHECK_OK(rv_detail_add_attrib(d, RV_PRIM, "label", RV_STRING, 1, RV_TAG_NONE, &name, &error), error);
  CHECK_OK(rv_attrib_set_string(name, 2, 0, "two \"quoted\"", &error), error);
  RvGroup* group = NULL;
  CHECK_OK(rv_detail_add_group(d, RV_POINT, "some", &group, &error), error);
  rv_group_write(group)[1] = 1;
  return d;
}

static RvTestCook write_at(const RvDetail* d, const char* folder, const char* parms, double frame, bool pass) {
  return rv_test_cook_host("filecache", parms, 1, &d, frame, &(RvTestHost){.no_write = pass, .out = folder});
}

static RvTestCook read_at(const char* folder, const char* parms, double frame) {
  return rv_test_cook_host("file", parms, 0, NULL, frame, &(RvTestHost){.out = folder});
}

static bool is_there(const char* folder, const char* name) {
  char path[600];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return stat(path, &info) == 0;
}

static void round_trips(void** state) {
  (void)state;
  const char* folder = rv_test_folder();
  RvDetail* d = sample();
  const char* endings[] = {"geo", "bgeo", "bgeo.sc"};
  for (int i = 0; i < 3; ++i) {
    char parms[100], name[100];
    snprintf(parms, sizeof parms, "file=$OUT/deep/er/a_$F4.%s; verify=on", endings[i]);
    snprintf(name, sizeof name, "deep/er/a_0012.%s", endings[i]);
    RvTestCook c = write_at(d, folder, parms, 12, false);
    CHECK_OK(c.result, c.error);
    // what goes in comes out
    assert_true(rv_detail_hash(c.output[0]) == rv_detail_hash(d));
    rv_test_cook_free(&c);
    assert_true(is_there(folder, name));
    snprintf(parms, sizeof parms, "file=$OUT/deep/er/a_$F4.%s", endings[i]);
    c = read_at(folder, parms, 12);
    CHECK_OK(c.result, c.error);
    assert_true(rv_detail_hash(c.output[0]) == rv_detail_hash(d));
    rv_test_cook_free(&c);
    // the cache node reads it too, with nothing wired in
    snprintf(parms, sizeof parms, "file=$OUT/deep/er/a_$F4.%s; loadfromdisk=on", endings[i]);
    c = rv_test_cook_host("filecache", parms, 0, NULL, 12, &(RvTestHost){.out = folder});
    CHECK_OK(c.result, c.error);
    assert_true(rv_detail_hash(c.output[0]) == rv_detail_hash(d));
    rv_test_cook_free(&c);
  }
  rv_detail_free(d);
}

static void state_is_stripped_on_wish(void** state) {
  (void)state;
  RvDetail* d = sample();
  RvTestCook c = write_at(d, rv_test_folder(), "file=$OUT/stripped.bgeo; keepstate=off; verify=on", 1, false);
  CHECK_OK(c.result, c.error);
  assert_non_null(rv_detail_find(c.output[0], RV_POINT, "rv_private"));
  rv_test_cook_free(&c);
  c = read_at(rv_test_folder(), "file=$OUT/stripped.bgeo", 1);
  CHECK_OK(c.result, c.error);
  assert_null(rv_detail_find(c.output[0], RV_POINT, "rv_private"));
  assert_non_null(rv_detail_find(c.output[0], RV_POINT, "volume"));
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

// A compact cache: positions to the bit, velocities and film to 3 digits, private and rest attributes left out, unknown
// ones kept; what reads it gets 32-bit floats. P and the 16-bit v make it much smaller.
static void compact_caches(void** state) {
  (void)state;
  const char* folder = rv_test_folder();
  RvTestCook grown = rv_test_cook("groom", "count=2000; points=20; style=curly", 0, NULL);
  CHECK_OK(grown.result, grown.error);
  RvDetail* d = grown.output[0];
  size_t count = rv_detail_count(d, RV_POINT);
  const char* looks[] = {"filmheight", "waterload", "absorbed", "filmv", "wetness", "mine"};
  for (int k = 0; k < 6; ++k) {
    float* value = rv_detail_f32_write(d, RV_POINT, looks[k], 1, NULL);
    for (size_t i = 0; i < count; ++i) value[i] = (float)(1e-4 * (1 + (double)((i * 2654435761u) % 1000)) / 1000);
  }
  float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, NULL);
  for (size_t i = 0; i < 3 * count; ++i) v[i] = (float)sin((double)i);
  rv_detail_f32_write(d, RV_POINT, "rv_private", 3, NULL)[4] = 8;
  RvTestCook w = write_at(d, folder, "file=$OUT/full.bgeo.sc", 1, false);
  CHECK_OK(w.result, w.error);
  rv_test_cook_free(&w);
  w = write_at(d, folder, "file=$OUT/compact.bgeo.sc; compact=on; verify=on", 1, false);
  CHECK_OK(w.result, w.error);
  // the output passes on whole
  assert_non_null(rv_detail_find(w.output[0], RV_POINT, "rest"));
  rv_test_cook_free(&w);
  RvTestCook r = read_at(folder, "file=$OUT/compact.bgeo.sc", 1);
  CHECK_OK(r.result, r.error);
  const RvDetail* c = r.output[0];
  assert_memory_equal(rv_detail_f32(c, RV_POINT, "P", 3), rv_detail_f32(d, RV_POINT, "P", 3), 12 * count);
  assert_memory_equal(rv_detail_f32(c, RV_POINT, "mine", 1), rv_detail_f32(d, RV_POINT, "mine", 1), 4 * count);
  const float *film = rv_detail_f32(c, RV_POINT, "filmheight", 1), *speed = rv_detail_f32(c, RV_POINT, "v", 3);
  assert_non_null(film);
  assert_non_null(speed);
  assert_int_equal(rv_attrib_tag(rv_detail_find(c, RV_POINT, "v")), RV_TAG_VECTOR);
  // 16-bit floats have 11 bits, and steps of 6e-8 below 6e-5
  for (size_t i = 0; i < 3 * count; ++i) CHECK_NEAR(speed[i], v[i], 5e-4 * fabs(v[i]) + 3e-8);
  for (size_t i = 0; i < count; ++i) CHECK_NEAR(film[i], rv_detail_f32(d, RV_POINT, "filmheight", 1)[i], 5e-8);
  const char* gone[] = {"rest", "orient", "curveu", "filmv", "waterload", "absorbed", "rv_private"};
  for (int k = 0; k < 7; ++k) assert_null(rv_detail_find(c, RV_POINT, gone[k]));
  char path[600];
  struct stat full, compact;
  snprintf(path, sizeof path, "%s/full.bgeo.sc", folder);
  assert_int_equal(stat(path, &full), 0);
  snprintf(path, sizeof path, "%s/compact.bgeo.sc", folder);
  assert_int_equal(stat(path, &compact), 0);
  assert_true(compact.st_size < 0.5 * full.st_size);
  rv_test_cook_free(&r);
  rv_test_cook_free(&grown);
}

static void writes_whole_frames_only(void** state) {
  (void)state;
  const char* folder = rv_test_folder();
  RvDetail* d = sample();
  RvTestCook c = write_at(d, folder, "file=$OUT/part.$F.bgeo", 3.5, false);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  c = write_at(d, folder, "file=$OUT/part.$F.bgeo", 3, true);
  CHECK_OK(c.result, c.error);
  assert_non_null(c.output[0]);
  rv_test_cook_free(&c);
  assert_false(is_there(folder, "part.3.bgeo"));
  c = write_at(d, folder, "file=$OUT/part.$F.bgeo", 3, false);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  assert_true(is_there(folder, "part.3.bgeo"));
  // nothing but the file is left behind
  char command[400];
  snprintf(command, sizeof command, "test \"$(ls -A '%s' | grep -c part)\" = 1", folder);
  assert_int_equal(system(command), 0);
  rv_detail_free(d);
}

static void missing_frames(void** state) {
  (void)state;
  const char* folder = rv_test_folder();
  RvDetail* d = sample();
  RvTestCook c = write_at(d, folder, "file=$OUT/seq.$F4.bgeo", 5, false);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  c = read_at(folder, "file=$OUT/seq.$F4.bgeo", 8);
  CHECK_FAILS(c.result, RV_NOT_FOUND, c.error, "seq.0008.bgeo");
  c = read_at(folder, "file=$OUT/seq.$F4.bgeo; missingframe=empty", 8);
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 0);
  rv_test_cook_free(&c);
  c = read_at(folder, "file=$OUT/seq.$F4.bgeo; missingframe=hold", 8);
  CHECK_OK(c.result, c.error);
  assert_true(rv_detail_hash(c.output[0]) == rv_detail_hash(d));
  rv_test_cook_free(&c);
  c = read_at(folder, "file=$OUT/seq.$F4.bgeo; missingframe=hold", 4);
  CHECK_FAILS(c.result, RV_NOT_FOUND, c.error, "seq.0004.bgeo");
  c = read_at(folder, "file=$OUT/single.bgeo; missingframe=hold", 4);
  CHECK_FAILS(c.result, RV_NOT_FOUND, c.error, "single.bgeo");
  // between frames, the nearest one
  c = read_at(folder, "file=$OUT/seq.$F4.bgeo", 5.25);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  c = read_at(folder, "file=", 1);
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "file");
  rv_test_cook_fails("filecache", NULL, NULL, RV_BAD_INPUT, "wired");
  c = write_at(d, folder, "file=$OUT/seq.$F4.txt", 1, false);
  assert_int_not_equal(c.result, RV_OK);
  assert_non_null(strstr(c.error.text, "seq.0001.txt"));
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

// a damaged file is an error that names it, whatever missingframe says
static void damaged(void** state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s/bad.bgeo", rv_test_folder());
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs("this is no geometry", file);
  fclose(file);
  RvTestCook c = read_at(rv_test_folder(), "file=$OUT/bad.bgeo; missingframe=empty", 1);
  CHECK_FAILS(c.result, RV_BAD_FILE, c.error, "bad.bgeo");
}

static void vdb_files(void** state) {
  (void)state;
  RvError error = {0};
  const char* folder = rv_test_folder();
  RvGrid* ball = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", 0.05, 4, 1, (const float[]){0, 0, 0}, (const float[]){1}, &ball, &error),
           error);
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(d, ball, &error), error);
  RvTestCook c = write_at(d, folder, "file=$OUT/ball.$F4.vdb", 7, false);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  c = write_at(d, folder, "file=$OUT/half.$F4.vdb; half=on", 7, false);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  c = write_at(d, folder, "file=$OUT/HALF.$F4.VDB; half=on", 7, false);
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  // a geometry file without its VDBs is no damaged one
  c = write_at(d, folder, "file=$OUT/ball.$F4.bgeo; verify=on", 7, false);
  CHECK_OK(c.result, c.error);
  assert_non_null(strstr(c.warnings, "verify"));
  rv_test_cook_free(&c);
  const char* files[] = {"file=$OUT/ball.$F4.vdb", "file=$OUT/half.$F4.vdb"};
  for (int i = 0; i < 2; ++i) {
    c = read_at(folder, files[i], 7);
    CHECK_OK(c.result, c.error);
    RvGrid* back = rv_detail_find_vdb(c.output[0], "surface");
    assert_non_null(back);
    assert_true(rv_test_active(back) == rv_test_active(ball));
    float a, b;
    const double at[3] = {0.93, 0.02, 0.1};
    CHECK_OK(rv_grid_sample(ball, 1, at, &a, &error), error);
    CHECK_OK(rv_grid_sample(back, 1, at, &b, &error), error);
    // 11 bits of mantissa
    CHECK_NEAR(b, a, i ? 0.2 * 0x1p-11 : 0);
    rv_test_cook_free(&c);
  }
  struct stat whole, half;
  char path[600];
  snprintf(path, sizeof path, "%s/ball.0007.vdb", folder);
  assert_int_equal(stat(path, &whole), 0);
  snprintf(path, sizeof path, "%s/half.0007.vdb", folder);
  assert_int_equal(stat(path, &half), 0);
  assert_true(half.st_size < 0.8 * whole.st_size);
  // letter case does not matter in an ending
  snprintf(path, sizeof path, "%s/HALF.0007.VDB", folder);
  assert_int_equal(stat(path, &half), 0);
  assert_true(half.st_size < 0.8 * whole.st_size);
  rv_grid_release(ball);
  rv_detail_free(d);
}

static void unwritable_folder(void** state) {
  (void)state;
  RvDetail* d = sample();
  // a file stands where a folder should be: refused for root too
  char path[600];
  snprintf(path, sizeof path, "%s/blocked", rv_test_folder());
  close(open(path, O_CREAT | O_WRONLY, 0644));
  RvTestCook c = write_at(d, rv_test_folder(), "file=$OUT/blocked/a.bgeo", 1, false);
  CHECK_FAILS(c.result, RV_IO, c.error, "blocked");
  assert_null(c.output[0]);
  rv_detail_free(d);
}

// a disk of 64 kB: the second, larger file does not fit, and the first one is still what it was
static void full_disk(void** state) {
  (void)state;
  char folder[400], parms[] = "file=$OUT/a.bgeo";
  snprintf(folder, sizeof folder, "%s/small", rv_test_folder());
  assert_int_equal(mkdir(folder, 0755), 0);
  if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
    print_message("no right to mount a small disk: %s\n", strerror(errno));
    skip();
  }
  RvDetail* small = cooked("box", NULL);
  RvDetail* large = cooked("sphere", "rows=200; cols=200");
  RvTestCook c = write_at(small, folder, parms, 1, false);
  bool first = c.result == RV_OK;
  rv_test_cook_free(&c);
  c = write_at(large, folder, parms, 1, false);
  RvResult refused = c.result;
  RvError error = c.error;
  bool silent = c.output[0] != NULL;
  rv_test_cook_free(&c);
  c = read_at(folder, parms, 1);
  bool intact = c.result == RV_OK && rv_detail_hash(c.output[0]) == rv_detail_hash(small);
  rv_test_cook_free(&c);
  char command[500];
  snprintf(command, sizeof command, "test \"$(ls -A '%s')\" = a.bgeo", folder);
  bool clean = system(command) == 0;
  umount(folder);
  rv_detail_free(small);
  rv_detail_free(large);
  assert_true(first);
  CHECK_FAILS(refused, RV_IO, error, "a.bgeo");
  assert_false(silent);
  assert_true(intact);
  assert_true(clean);
}

RV_TESTS(cmocka_unit_test(round_trips), cmocka_unit_test(compact_caches), cmocka_unit_test(state_is_stripped_on_wish),
         cmocka_unit_test(writes_whole_frames_only), cmocka_unit_test(missing_frames), cmocka_unit_test(damaged),
         cmocka_unit_test(vdb_files), cmocka_unit_test(unwritable_folder), cmocka_unit_test(full_disk))
