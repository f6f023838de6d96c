// Loading and saving by a file's ending, and what becomes of details on the way.
#include "base/file.h"
#include "base/platform.h"
#include "rivulet/state.h"
#include "support/geo_samples.h"

// The hash of a state of one part.
static uint64_t hash_of(const RvDetail* detail, const RvFieldDef* fields, size_t count) {
  return rv_state_hash(&(RvState){{(RvDetail*)detail}}, fields, count);
}

static void endings_choose_the_format(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* strands = sample_strands();
  static const char* const names[] = {"a.geo", "a.bgeo", "a.bgeo.sc", "A.GEO", "b.BGEO.sc", "dir.vdb/c.Bgeo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    CHECK_OK(rv_detail_save(strands, rv_test_path(names[i]), NULL, &error), error);
    RvDetail* back;
    CHECK_OK(rv_detail_load(rv_test_path(names[i]), &back, NULL, &error), error);
    CHECK_OK(rv_detail_check(back, &error), error);
    // text holds no payload of a NaN, and strands have one; binary holds every bit
    if (rv_platform_match("*.[bB][gG][eE][oO]*", names[i]))
      assert_int_equal(rv_detail_hash(back), rv_detail_hash(strands));
    assert_int_equal(rv_detail_count(back, RV_POINT), 160);
    rv_detail_free(back);
  }
  // the three codecs give three kinds of file
  static const char* const firsts[3][2] = {{"a.geo", "["}, {"a.bgeo", "\x7f"}, {"a.bgeo.sc", "scf1"}};
  for (int i = 0; i < 3; ++i) {
    void* bytes;
    size_t count;
    CHECK_OK(rv_file_read(rv_test_path(firsts[i][0]), 0, &bytes, &count, &error), error);
    assert_memory_equal(bytes, firsts[i][1], strlen(firsts[i][1]));
    rv_free(bytes);
  }
  rv_detail_free(strands);
}

static void wrong_names_are_told(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *detail = sample_points(), *back = NULL;
  CHECK_FAILS(rv_detail_save(detail, rv_test_path("a.abc"), NULL, &error), RV_UNSUPPORTED, error, ".usda");
  CHECK_FAILS(rv_detail_save(detail, rv_test_path("geo"), NULL, &error), RV_UNSUPPORTED, error, "must end in .geo");
  CHECK_FAILS(rv_detail_save(detail, rv_test_path("a.bgeo.gz"), NULL, &error), RV_UNSUPPORTED, error, "must end in");
  CHECK_FAILS(rv_detail_save(detail, "", NULL, &error), RV_BAD_INPUT, error, "empty");
  CHECK_FAILS(rv_detail_load(rv_test_path("a.abc"), &back, NULL, &error), RV_UNSUPPORTED, error, "a.abc");
  CHECK_FAILS(rv_detail_load(rv_test_path("a.vtp"), &back, NULL, &error), RV_UNSUPPORTED, error, "only written");
  CHECK_FAILS(rv_detail_load(rv_test_path("none.bgeo"), &back, NULL, &error), RV_NOT_FOUND, error, "none.bgeo");
  assert_null(back);
  // what is inside decides, and the error names the file
  CHECK_OK(rv_file_write(rv_test_path("bad.bgeo"), "hello", 5, &error), error);
  CHECK_FAILS(rv_detail_load(rv_test_path("bad.bgeo"), &back, NULL, &error), RV_BAD_FILE, error, "bad.bgeo");
  CHECK_OK(rv_file_write(rv_test_path("empty.geo"), "", 0, &error), error);
  CHECK_FAILS(rv_detail_load(rv_test_path("empty.geo"), &back, NULL, &error), RV_BAD_FILE, error, "empty.geo");
  assert_null(back);
  rv_detail_free(detail);
}

// Number of entries of a folder.
static int entries(const char* path) {
  RvFolder* folder = rv_platform_folder_open(path);
  assert_non_null(folder);
  int count = -2;  // "." and ".." are listed too
  while (rv_platform_folder_next(folder)) ++count;
  rv_platform_folder_close(folder);
  return count;
}

// a folder where the file should be, and a file where the folder should be: an error, nothing lost, nothing left
static void refused_writes_leave_nothing(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = sample_mixed();
  static const char* const names[] = {"x.geo", "x.bgeo", "x.bgeo.sc", "x.vtp", "x.usda"};
  char folder[400], path[900];
  CHECK_OK(rv_file_write(rv_test_path("wall"), "w", 1, &error), error);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    snprintf(folder, sizeof folder, "%s/refused%zu", rv_test_folder(), i);
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    CHECK_OK(rv_file_make_folder(path, &error), error);
    CHECK_FAILS(rv_detail_save(detail, path, NULL, &error), RV_IO, error, names[i]);
    assert_int_equal(entries(folder), 1);
    snprintf(path, sizeof path, "%s/wall/%s", rv_test_folder(), names[i]);
    CHECK_FAILS(rv_detail_save(detail, path, NULL, &error), RV_IO, error, "wall");
  }
  rv_detail_free(detail);
}

// design section 5: load(save(state)) is the identity, bit for bit
static void states_survive_files(void** state) {
  (void)state;
  static const RvFieldDef fields[] = {
      RV_FIELD("rv_x64", RV_POINT, RV_F64, 3, RV_TAG_NONE, "", "m", "advance", true, ""),
      RV_FIELD("rv_twist", RV_VERTEX, RV_F64, 1, RV_TAG_NONE, "", "", "advance", true, ""),
      RV_FIELD("rv_count", RV_PRIM, RV_I64, 1, RV_TAG_NONE, "", "", "advance", true, ""),
      RV_FIELD("rv_volume", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, "", "m3", "advance", true, ""),
  };
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(detail, 300, 5, NULL, NULL, &error), error);
  CHECK_OK(rv_state_prepare(detail, fields, 4, &error), error);
  double* x = rv_detail_f64_write(detail, RV_POINT, "rv_x64", 3, &error);
  double* twist = rv_detail_f64_write(detail, RV_VERTEX, "rv_twist", 1, &error);
  for (int i = 0; i < 4500; ++i) x[i] = 1.0 / (i + 3) - 0.1;
  for (int i = 0; i < 1500; ++i) twist[i] = (i - 700) / 7.0;
  // the ends of the range, subnormals and the sign of zero
  x[0] = 0x1.fffffffffffffp1023;
  x[1] = -0x1p-1074;
  x[2] = -0.0;
  int64_t* count = rv_detail_i64_write(detail, RV_PRIM, "rv_count", 1, &error);
  for (int i = 0; i < 300; ++i) count[i] = INT64_MAX - i;
  count[7] = INT64_MIN;
  rv_detail_f64_write(detail, RV_GLOBAL, "rv_volume", 2, &error)[1] = 1e-9 / 3;
  uint64_t hash = hash_of(detail, fields, 4);
  static const char* const names[] = {"s.geo", "s.bgeo", "s.bgeo.sc"};
  for (int i = 0; i < 3; ++i) {
    RvDetail* back;
    CHECK_OK(rv_detail_save(detail, rv_test_path(names[i]), NULL, &error), error);
    CHECK_OK(rv_detail_load(rv_test_path(names[i]), &back, NULL, &error), error);
    CHECK_OK(rv_state_check(back, fields, 4, &error), error);
    assert_memory_equal(rv_detail_f64(back, RV_POINT, "rv_x64", 3), x, 4500 * sizeof *x);
    assert_memory_equal(rv_detail_i64(back, RV_PRIM, "rv_count", 1), count, 300 * sizeof *count);
    assert_int_equal(hash_of(back, fields, 4), hash);
    rv_detail_free(back);
  }
  rv_detail_free(detail);
}

RV_TESTS(cmocka_unit_test(endings_choose_the_format), cmocka_unit_test(wrong_names_are_told),
         cmocka_unit_test(refused_writes_leave_nothing), cmocka_unit_test(states_survive_files))
