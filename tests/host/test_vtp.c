// Our .vtp files, read by a program that shares no code with us.
#include "rivulet/base.h"
#include "support/geo_samples.h"

static int warnings;
static char last_warning[512];

static void count_warning(void* user, RvLevel level, const char* text) {
  (void)user;
  warnings += level == RV_LEVEL_WARNING;
  snprintf(last_warning, sizeof last_warning, "%s", text);
}

static const RvLog LOG = {NULL, count_warning};

static void save(const RvDetail* detail, const char* name) {
  RvError error = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/%s.vtp", rv_test_folder(), name);
  CHECK_OK(rv_detail_save(detail, path, &LOG, &error), error);
}

static void another_reader_agrees(void** state) {
  (void)state;
  warnings = 0;
  RvDetail *strands = sample_strands(), *points = sample_points(), *mixed = sample_mixed(), *empty = rv_detail_new();
  save(strands, "strands");
  save(points, "points");
  save(mixed, "mixed");
  save(empty, "empty");
  assert_int_equal(warnings, 0);
  sample_manifest(rv_test_folder(), "strands", strands, 0, 20, 0);
  sample_manifest(rv_test_folder(), "points", points, 500, 0, 0);
  // the name of one attribute needs escapes, in JSON as in XML
  rv_detail_remove_attrib(mixed, RV_POINT, "odd <name> & \"quotes\"");
  RvError error = {0};
  rv_detail_f32_write(mixed, RV_POINT, "odd <name> & 'quotes'", 1, &error)[3] = 2;
  save(mixed, "mixed");
  sample_manifest(rv_test_folder(), "mixed", mixed, 3, 1, 4);
  char command[1024];
  snprintf(command, sizeof command,
           "/usr/bin/python3 " RV_SOURCE_DIR "/tests/host/check_vtp.py %s strands points mixed", rv_test_folder());
  assert_int_equal(sample_run(command), 0);
  rv_detail_free(strands);
  rv_detail_free(points);
  rv_detail_free(mixed);
  rv_detail_free(empty);
}

// values of vertices that share a point have no place in the format
static void what_is_lost_is_told(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* mixed = sample_mixed();
  rv_detail_f32_write(mixed, RV_VERTEX, "uv", 2, &error);
  warnings = 0;
  save(mixed, "lost");
  assert_int_equal(warnings, 1);
  assert_non_null(strstr(last_warning, "'uv'"));
  int32_t none = 0;
  CHECK_OK(rv_detail_add_polygons(mixed, RV_PRIM_CURVE, 1, &none, NULL, NULL, &error), error);
  save(mixed, "lost");
  assert_int_equal(warnings, 3);
  rv_detail_free(mixed);
}

RV_TESTS(cmocka_unit_test(another_reader_agrees), cmocka_unit_test(what_is_lost_is_told))
