// Our .usda files, read by a strict reader of the grammar that shares no code with us.
#include "geo/io_usda.h"
#include "support/geo_samples.h"

static int warnings;

static void count_warning(void* user, RvLevel level, const char* text) {
  (void)user;
  (void)text;
  warnings += level == RV_LEVEL_WARNING;
}

static const RvLog LOG = {NULL, count_warning};

static const char* path_of(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s.usda", rv_test_folder(), name);
  return path;
}

// two strands that move, an attribute that changes once, particles that come and go
static RvDetail* frame_of(size_t index) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 2, 3, NULL, NULL, &error), error);
  size_t born = index >= 2 && index <= 4 ? index - 1 : 0;
  CHECK_OK(rv_detail_add_points(d, born, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < 6 + born; ++i) {
    p[3 * i] = (float)i;
    p[3 * i + 1] = (float)index;
  }
  // the same in all frames
  float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, &error);
  for (size_t i = 0; i < 6 + born; ++i) v[3 * i + 1] = 30;
  int32_t* id = rv_detail_i32_write(d, RV_POINT, "id", 1, &error);
  for (size_t i = 0; i < born; ++i) id[6 + i] = (int32_t)i;
  int32_t* stage = rv_detail_i32_write(d, RV_PRIM, "stage", 1, &error);
  stage[0] = stage[1] = index >= 4;
  if (index == 4) {
    float* heat = rv_detail_f32_write(d, RV_POINT, "heat", 1, &error);
    for (size_t i = 0; i < 9; ++i) heat[i] = 5;
  }
  return d;
}

static RvResult next_frame(void* user, size_t index, const RvDetail** out, RvError* error) {
  (void)error;
  RvDetail** held = user;
  rv_detail_free(*held);
  *out = *held = frame_of(index);
  return RV_OK;
}

static void another_reader_agrees(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *strands = sample_strands(), *mixed = sample_mixed(), *hostile = rv_detail_new();
  CHECK_OK(rv_detail_save(strands, path_of("strands"), &LOG, &error), error);
  rv_detail_i32_write(mixed, RV_POINT, "9lives", 1, &error);
  CHECK_OK(rv_detail_save(mixed, path_of("mixed"), &LOG, &error), error);
  CHECK_OK(rv_detail_add_points(hostile, 2, NULL, &error), error);
  RvAttrib* text;
  CHECK_OK(rv_detail_add_attrib(hostile, RV_POINT, "text", RV_STRING, 1, RV_TAG_NONE, &text, &error), error);
  CHECK_OK(rv_attrib_set_string(text, 0, 0, "a \"quote\" \\ back\nline\ttab", &error), error);
  CHECK_OK(rv_attrib_set_string(text, 1, 0, "not utf-8: \xff\xc0 and a bell \a", &error), error);
  int64_t* id = rv_detail_i64_write(hostile, RV_POINT, "id", 1, &error);
  id[0] = 7;
  id[1] = 8;
  float* pscale = rv_detail_f32_write(hostile, RV_POINT, "pscale", 1, &error);
  pscale[0] = pscale[1] = 0.25f;
  // three names that become one
  rv_detail_f32_write(hostile, RV_POINT, "a b", 1, &error);
  rv_detail_f32_write(hostile, RV_POINT, "a:b", 1, &error);
  rv_detail_f32_write(hostile, RV_GLOBAL, "a.b", 1, &error);
  CHECK_OK(rv_detail_save(hostile, path_of("hostile"), &LOG, &error), error);
  RvDetail* held = NULL;
  double frames[6] = {1, 2, 3, 4, 5, 6};
  RvUsdaSequence sequence = {
      .count = 6, .frames = frames, .fps = 30, .meters_per_unit = 0.01, .user = &held, .detail_at = next_frame};
  CHECK_OK(rv_usda_write_sequence(&sequence, path_of("sequence"), &LOG, &error), error);
  assert_int_equal(warnings, 0);
  char command[1024];
  snprintf(command, sizeof command,
           "PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 " RV_SOURCE_DIR "/tests/host/check_usda_samples.py %s",
           rv_test_folder());
  assert_int_equal(sample_run(command), 0);
  rv_detail_free(held);
  rv_detail_free(strands);
  rv_detail_free(mixed);
  rv_detail_free(hostile);
}

static RvResult failing_frame(void* user, size_t index, const RvDetail** out, RvError* error) {
  if (index == 3) return rv_fail(error, RV_NOT_FOUND, "frame 4 is missing");
  return next_frame(user, index, out, error);
}

// nothing is left behind by a sequence that breaks off, and an older file stays
static void half_sequences_leave_nothing(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* held = NULL;
  char folder[300], path[400], command[1200];
  snprintf(folder, sizeof folder, "%s/broken", rv_test_folder());
  snprintf(path, sizeof path, "%s/x.usda", folder);
  RvDetail* points = sample_points();
  CHECK_OK(rv_detail_save(points, path, NULL, &error), error);
  snprintf(command, sizeof command, "md5sum < %s > %s.sum", path, folder);
  assert_int_equal(sample_run(command), 0);
  double frames[6] = {1, 2, 3, 4, 5, 6}, wrong[2] = {2, 2};
  RvUsdaSequence sequence = {.count = 6, .frames = frames, .user = &held, .detail_at = failing_frame};
  CHECK_FAILS(rv_usda_write_sequence(&sequence, path, NULL, &error), RV_NOT_FOUND, error, "frame 4");
  sequence = (RvUsdaSequence){.count = 2, .frames = wrong, .user = &held, .detail_at = next_frame};
  CHECK_FAILS(rv_usda_write_sequence(&sequence, path, NULL, &error), RV_BAD_INPUT, error, "frame 2 follows frame 2");
  sequence.count = 0;
  CHECK_FAILS(rv_usda_write_sequence(&sequence, path, NULL, &error), RV_BAD_INPUT, error, "no frames");
  snprintf(command, sizeof command, "test $(ls -A %s | wc -l) = 1 && md5sum < %s | cmp - %s.sum", folder, path, folder);
  assert_int_equal(sample_run(command), 0);
  rv_detail_free(held);
  rv_detail_free(points);
}

RV_TESTS(cmocka_unit_test(another_reader_agrees), cmocka_unit_test(half_sequences_leave_nothing))
