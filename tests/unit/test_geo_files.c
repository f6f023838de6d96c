// Real Houdini files: all load, binary equals text, and load, save, load is the identity in every format.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/detail_compare.h"
#include "support/rv_test.h"

static const char* const formats[] = {"geo", "bgeo", "bgeo.sc"};

static RvDetail* load(const char* name, const char* ending) {
  char path[1024];
  RvError error = {0};
  void* bytes;
  size_t count;
  RvDetail* detail;
  snprintf(path, sizeof path, "%s/bgeo/%s%s", RV_TEST_DATA, name, ending);
  CHECK_OK(rv_file_read(path, 0, &bytes, &count, &error), error);
  RvResult result = rv_detail_decode(bytes, count, &detail, NULL, &error);
  rv_free(bytes);
  if (result) fail_msg("%s: %s", path, error.text);
  CHECK_OK(rv_detail_check(detail, &error), error);
  return detail;
}

static void check_equal(const RvDetail* a, const RvDetail* b, const char* what) {
  char why[256];
  if (!rv_test_details_equal(a, b, why, sizeof why)) fail_msg("%s: %s", what, why);
  if (rv_detail_hash(a) != rv_detail_hash(b)) fail_msg("%s: the hashes differ", what);
}

static void check_round_trip(const RvDetail* detail, const char* what) {
  for (size_t f = 0; f < 3; ++f) {
    RvError error = {0};
    void* bytes;
    size_t count;
    RvDetail* back;
    char text[256];
    snprintf(text, sizeof text, "%s as %s", what, formats[f]);
    CHECK_OK(rv_detail_encode(detail, formats[f], &bytes, &count, NULL, &error), error);
    RvResult result = rv_detail_decode(bytes, count, &back, NULL, &error);
    if (result) fail_msg("%s: %s", text, error.text);
    check_equal(detail, back, text);
    rv_free(bytes);
    rv_detail_free(back);
  }
}

static int by_name(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

// names without ending of all .bgeo files
static size_t list_samples(char* names[64]) {
  char path[1024];
  snprintf(path, sizeof path, "%s/bgeo", RV_TEST_DATA);
  DIR* dir = opendir(path);
  assert_non_null(dir);
  size_t count = 0;
  for (struct dirent* entry; (entry = readdir(dir)) && count < 64;) {
    char* dot = strstr(entry->d_name, ".bgeo");
    if (!dot) continue;
    *dot = 0;
    names[count++] = strdup(entry->d_name);
  }
  closedir(dir);
  qsort(names, count, sizeof *names, by_name);
  return count;
}

static void samples_load_and_survive(void** state) {
  (void)state;
  char* names[64];
  size_t count = list_samples(names);
  assert_int_equal(count, 18);
  for (size_t i = 0; i < count; ++i) {
    RvDetail *text = load(names[i], ".geo"), *binary = load(names[i], ".bgeo");
    check_equal(text, binary, names[i]);
    check_round_trip(binary, names[i]);
    rv_detail_free(text);
    rv_detail_free(binary);
    free(names[i]);
  }
}

// values read off the text files by eye
static void known_values(void** state) {
  (void)state;
  RvDetail* cubes = load("cube_multi_groups_15", ".bgeo");
  assert_int_equal(rv_detail_count(cubes, RV_POINT), 32);
  assert_int_equal(rv_detail_count(cubes, RV_PRIM), 24);
  const RvGroup* faces = rv_detail_find_group(cubes, RV_PRIM, "faces");
  assert_non_null(faces);
  static const uint8_t expected[24] = {0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0};
  assert_memory_equal(rv_group_read(faces), expected, 24);
  assert_int_equal(rv_detail_vertex_point(cubes)[1], 5);
  assert_true(rv_detail_prim_type(cubes, 0) == RV_PRIM_POLYGON);
  rv_detail_free(cubes);

  RvDetail* old = load("simple_partanim_14.0017", ".bgeo");
  const float* p = rv_detail_f32(old, RV_POINT, "P", 3);
  assert_non_null(p);
  assert_true(p[0] == 7.52561377999999959f && p[29] == 1.4488951000000001f);
  assert_null(rv_detail_find(old, RV_POINT, "Pw"));  // all weights are 1
  assert_true(rv_attrib_tag(rv_detail_find(old, RV_POINT, "dead")) == RV_TAG_ID);
  rv_detail_free(old);

  RvDetail* soup = load("psoup_simple_16", ".bgeo");
  assert_int_equal(rv_detail_count(soup, RV_PRIM), 7);
  assert_int_equal(rv_detail_count(soup, RV_VERTEX), 26);
  const int32_t first[4] = {1, 5, 4, 0};
  assert_memory_equal(rv_detail_vertex_point(soup), first, sizeof first);
  // the last triangle is soup vertices 0 7 6
  const int32_t triangle[3] = {1, 2, 6};
  assert_memory_equal(rv_detail_vertex_point(soup) + 23, triangle, sizeof triangle);
  rv_detail_free(soup);

  RvDetail* part = load("points_partsys_16", ".bgeo");
  assert_int_equal(rv_detail_count(part, RV_POINT), 10);
  assert_int_equal(rv_detail_count(part, RV_PRIM), 0);
  assert_non_null(rv_detail_f32(part, RV_POINT, "N", 3));
  rv_detail_free(part);
}

typedef struct Heard {
  int warnings;
  char text[4096];
} Heard;

static void hear(void* user, RvLevel level, const char* text) {
  Heard* heard = user;
  if (level == RV_LEVEL_WARNING) ++heard->warnings;
  strncat(heard->text, text, sizeof heard->text - strlen(heard->text) - 2);
  strcat(heard->text, "\n");
}

static void skipped_types_are_named(void** state) {
  (void)state;
  static const struct {
    const char *name, *said;
  } cases[] = {{"sphere_16", "1 primitive(s) of type 'Sphere'"},
               {"vol_16", "1 primitive(s) of type 'Volume'"},
               {"pack1_16", "1 primitive(s) of type 'Sphere'"},
               {"points_partsys_16", "1 particle system(s)"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    Heard heard = {0};
    RvLog log = {&heard, hear};
    RvError error = {0};
    char path[1024];
    void* bytes;
    size_t count;
    RvDetail* detail;
    snprintf(path, sizeof path, "%s/bgeo/%s.bgeo", RV_TEST_DATA, cases[i].name);
    CHECK_OK(rv_file_read(path, 0, &bytes, &count, &error), error);
    CHECK_OK(rv_detail_decode(bytes, count, &detail, &log, &error), error);
    if (!strstr(heard.text, cases[i].said)) fail_msg("%s: %s", cases[i].name, heard.text);
    rv_free(bytes);
    rv_detail_free(detail);
  }
}

// every prefix of a file is refused with an error, never accepted or crashed upon
static void cut_files_are_refused(void** state) {
  (void)state;
  static const char* const names[] = {"simple_partanim_16_5.bgeo", "cube_multi_groups_16_5.geo", "pack1_16.bgeo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char path[1024];
    RvError error = {0};
    void* bytes;
    size_t count;
    snprintf(path, sizeof path, "%s/bgeo/%s", RV_TEST_DATA, names[i]);
    CHECK_OK(rv_file_read(path, 0, &bytes, &count, &error), error);
    while (count && ((char*)bytes)[count - 1] == '\n') --count;
    for (size_t n = 0; n < count; ++n) {
      RvDetail* detail = NULL;
      RvError e = {0};
      // memory of its own size, so that a read past the end is seen by the sanitizer
      void* part = malloc(n ? n : 1);
      memcpy(part, bytes, n);
      RvResult result = rv_detail_decode(part, n, &detail, NULL, &e);
      if (result == RV_OK || !e.text[0]) fail_msg("%s cut to %zu bytes: %s", names[i], n, rv_result_name(result));
      assert_null(detail);
      free(part);
    }
    rv_free(bytes);
  }
}

RV_TESTS(cmocka_unit_test(samples_load_and_survive), cmocka_unit_test(known_values),
         cmocka_unit_test(skipped_types_are_named), cmocka_unit_test(cut_files_are_refused))
