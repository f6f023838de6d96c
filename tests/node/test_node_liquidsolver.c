// The liquid solver's node: the start frame is the input, what it does not know passes through, the ledger holds, and
// bad input is told of.
#include <math.h>
#include <string.h>

#include "rivulet/node.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

// a block of 6 x 6 x 6 particles, 1 cm apart, with an attribute and a group of the artist's
static RvDetail* block(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 216, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  double* volume = rv_detail_f64_write(d, RV_POINT, "volume", 1, &error);
  int32_t* id = rv_detail_i32_write(d, RV_POINT, "id", 1, &error);
  int32_t* mark = rv_detail_i32_write(d, RV_POINT, "mark", 1, &error);
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(d, RV_POINT, "odd", &group, &error), error);
  uint8_t* odd = rv_group_write(group);
  for (int i = 0; i < 216; ++i) {
    P[3 * i] = 0.01f * (float)(i % 6);
    P[3 * i + 1] = 0.01f * (float)(i / 6 % 6);
    P[3 * i + 2] = 0.01f * (float)(i / 36);
    volume[i] = 1e-6;
    id[i] = 1000 - i;
    mark[i] = 7 * i;
    odd[i] = (uint8_t)(i % 2);
  }
  return d;
}

static RvScene* open_scene(const RvDetail* liquid, const char* parms, RvTestLog* log) {
  RvError error = {0};
  char text[3000];
  CHECK_OK(rv_detail_save(liquid, rv_test_path("liquid.bgeo.sc"), NULL, &error), error);
  snprintf(text, sizeof text,
           "\"in\": {\"type\": \"file\", \"parms\": "
           "{\"file\": "
           "\"%s\"}}, \"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"in\"], \"parms\": {%s}}",
           rv_test_path("liquid.bgeo.sc"), parms);
  return rv_test_scene(text, log);
}

static void starts_with_the_input(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* in = block();
  RvScene* scene = open_scene(in, "", &log);
  const RvDetail* out = rv_test_scene_cook(scene, "s:liquid", 1);
  assert_int_equal(rv_detail_count(out, RV_POINT), 216);
  const float *P = rv_detail_f32(out, RV_POINT, "P", 3), *before = rv_detail_f32(in, RV_POINT, "P", 3);
  const int32_t *id = rv_detail_i32(out, RV_POINT, "id", 1), *mark = rv_detail_i32(out, RV_POINT, "mark", 1);
  for (int i = 0; i < 216; ++i) {
    int was = 1000 - id[i];
    assert_int_equal(was, 215 - i);  // by id
    assert_int_equal(mark[i], 7 * was);
    // places are kept to 2^-21 of a cell
    for (int a = 0; a < 3; ++a) CHECK_NEAR(P[3 * i + a], before[3 * was + a], 2e-8);
  }
  assert_null(rv_detail_find(out, RV_POINT, "rv_cell"));
  // the liquid is output 1, what a wire without a port gets; 2 has no hair to show, 3 is the state
  assert_int_equal(rv_detail_hash(rv_test_scene_cook(scene, "s", 1)), rv_detail_hash(out));
  assert_int_equal(rv_detail_hash(rv_test_scene_cook(scene, "s:1", 1)), rv_detail_hash(out));
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "s:2", 1), RV_POINT), 0);
  assert_non_null(rv_detail_find(rv_test_scene_cook(scene, "s:3", 1), RV_POINT, "rv_cell"));
  assert_non_null(rv_detail_find(rv_test_scene_cook(scene, "s:state", 1), RV_POINT, "rv_cell"));
  assert_int_equal(log.warnings, 1);  // of s:2
  rv_scene_free(scene);
  rv_detail_free(in);
}

// in free fall nothing but gravity acts, and everything else passes through
static void falls_and_carries_along(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* in = block();
  RvScene* scene = open_scene(in, "", &log);
  const RvDetail* out = rv_test_scene_cook(scene, "s:liquid", 13);
  assert_int_equal(rv_detail_count(out, RV_POINT), 216);
  const float* v = rv_detail_f32(out, RV_POINT, "v", 3);
  const int32_t *id = rv_detail_i32(out, RV_POINT, "id", 1), *mark = rv_detail_i32(out, RV_POINT, "mark", 1);
  const uint8_t* odd = rv_group_read(rv_detail_find_group(out, RV_POINT, "odd"));
  const float* age = rv_detail_f32(out, RV_POINT, "age", 1);
  double fall = 0;
  for (int i = 0; i < 216; ++i) {
    fall += (double)v[3 * i + 1] / 216;
    assert_int_equal(mark[i], 7 * (1000 - id[i]));
    assert_int_equal(odd[i], (1000 - id[i]) % 2);
    CHECK_NEAR(age[i], 0.5, 1e-6);
  }
  CHECK_NEAR(fall, -9.81 * 0.5, 9.81 * 0.5 * 1e-3);
  CHECK_NEAR(rv_test_volume(out), 216e-6, 216e-6 * 1e-14);
  rv_scene_free(scene);
  rv_detail_free(in);
}

static void stays_in_its_tank(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* in = block();
  RvScene* scene = open_scene(
      in,
      "\"walls\": true, \"wallsmin\": [-0.025, -0.045, -0.025], \"wallsmax\": [0.095, 0.1, 0.075], \"volumetime\": 0.2",
      &log);
  const RvDetail* out = rv_test_scene_cook(scene, "s:liquid", 24);
  const float* P = rv_detail_f32(out, RV_POINT, "P", 3);
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    assert_true(P[3 * i] > -0.0251f && P[3 * i] < 0.0951f && P[3 * i + 1] > -0.0451f);
    assert_true(P[3 * i + 2] > -0.0251f && P[3 * i + 2] < 0.0751f);
  }
  CHECK_NEAR(rv_test_volume(out), 216e-6, 216e-6 * 1e-14);
  assert_int_equal(log.warnings, 0);
  rv_scene_free(scene);
  rv_detail_free(in);
}

static void tells_of_bad_points(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvDetail* in = block();
  rv_detail_f32_write(in, RV_POINT, "P", 3, &error)[4] = NAN;
  rv_detail_f64_write(in, RV_POINT, "volume", 1, &error)[7] = 0;
  int32_t* id = rv_detail_i32_write(in, RV_POINT, "id", 1, &error);
  id[20] = id[21];
  RvScene* scene = open_scene(in, "", &log);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "s:liquid", 3), RV_POINT), 214);
  assert_non_null(strstr(log.text, "no number"));
  assert_non_null(strstr(log.text, "without volume"));
  assert_non_null(strstr(log.text, "twice"));
  rv_scene_free(scene);
  rv_detail_free(in);
}

static void refuses_what_does_not_fit(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvDetail* in = block();
  const RvDetail* out;
  // cells of 20 micrometres: every particle has tiles of its own, and these are more than a hundredth of a gigabyte
  RvScene* scene = open_scene(in, "\"particlesep\": 1e-5, \"maxmemory\": 0.01", &log);
  CHECK_FAILS(rv_scene_cook(scene, "s:liquid", 2, &out, &error), RV_LIMIT, error, "particlesep");
  rv_scene_free(scene);
  error = (RvError){0};
  rv_detail_remove_attrib(in, RV_POINT, "volume");
  scene = open_scene(in, "", &log);
  CHECK_FAILS(rv_scene_cook(scene, "s:liquid", 1, &out, &error), RV_BAD_INPUT, error, "particlesep is 0");
  rv_scene_free(scene);
  error = (RvError){0};
  scene = open_scene(in, "\"particlesep\": 0.01, \"walls\": true, \"wallsmax\": [-2, 1, 1]", &log);
  CHECK_FAILS(rv_scene_cook(scene, "s:liquid", 2, &out, &error), RV_BAD_INPUT, error, "wallsmaxx");
  rv_scene_free(scene);
  rv_detail_free(in);
}

// Its strands are empty, and so is the liquid of a strandsolver: whoever reads them is told which output to take.
// Before, the liquid was output 2.
static void an_empty_output_is_told(void** state) {
  (void)state;
  static const struct {
    const char *type, *output, *said;
  } cases[] = {
      {"liquidsolver", "s:2", "output 2 (strands) of liquidsolver is always empty: wire output 1 (liquid)"},
      {"liquidsolver", "reader", "output 2 (strands) of a liquidsolver"},
      {"strandsolver", "s:liquid", "output 2 (liquid) of strandsolver is always empty: wire output 1 (strands)"},
      {"liquidsolver", "s:1", NULL},
      {"liquidsolver", "s:3", NULL},
      {"wetsolver", "s:2", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    RvTestLog log;
    char text[300];
    snprintf(text, sizeof text,
             "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 2}}, \"s\": {\"type\": \"%s\", \"inputs\": [%s]}, "
             "\"reader\": {\"type\": \"merge\", \"inputs\": [\"s:2\"]}",
             cases[i].type, strcmp(cases[i].type, "liquidsolver") ? "\"hair\"" : "null");
    RvScene* scene = rv_test_scene(text, &log);
    assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, cases[i].output, 2), RV_POINT), 0);
    bool told = strstr(log.text, "always empty");
    if (cases[i].said ? !strstr(log.text, cases[i].said) : told) fail_msg("%s: %s", cases[i].output, log.text);
    rv_scene_free(scene);
  }
}

static void nothing_is_fine(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* in = rv_detail_new();
  RvScene* scene = open_scene(in, "", &log);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "s:liquid", 4), RV_POINT), 0);
  rv_scene_free(scene);
  rv_detail_free(in);
}

RV_TESTS(cmocka_unit_test(starts_with_the_input), cmocka_unit_test(falls_and_carries_along),
         cmocka_unit_test(stays_in_its_tank), cmocka_unit_test(tells_of_bad_points),
         cmocka_unit_test(refuses_what_does_not_fit), cmocka_unit_test(nothing_is_fine),
         cmocka_unit_test(an_empty_output_is_told))
