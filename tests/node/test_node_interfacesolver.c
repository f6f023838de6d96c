// The interface solver as a node: frame 1 is the input, the ledger closes with taps and sinks, solids keep the liquid
// out, attributes pass through, and bad input is told of.
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "rivulet/node.h"
#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

#define DROP                                                                                   \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.02, 0.02, 0.02], \"t\": [0, 0.03, 0]," \
  "  \"particlesep\": 0.002}},"
#define BALL                                                      \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.01}}," \
  "\"c\": {\"type\": \"collider\", \"inputs\": [\"b\"], \"parms\": {\"voxelsize\": 0.001, \"contactangle\": 120}},"
#define TAP                                                                                \
  "\"g\": {\"type\": \"grid\", \"parms\": {\"size\": [0.01, 0.01], \"t\": [0, 0.06, 0]}}," \
  "\"tap\": {\"type\": \"source\", \"inputs\": [\"g\"], \"parms\": {\"mode\": \"emit\", \"rate\": 2e-5}},"
#define SOLVER(inputs, parms) "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [" inputs "], \"parms\": {" parms "}}"

static const float* places(const RvDetail* d) {
  return rv_detail_f32(d, RV_POINT, "P", 3);
}

static bool all_finite(const RvDetail* d) {
  const float* P = places(d);
  for (size_t i = 0; i < 3 * rv_detail_count(d, RV_POINT); ++i)
    if (!isfinite(P[i])) return false;
  return true;
}

// Cooks the solver at a frame; its warnings are in the log.
static RvDetail* cook(const char* text, int frame, RvTestLog* log) {
  RvScene* scene = rv_test_scene(text, log);
  RvDetail* out = rv_test_scene_copy(scene, "s", frame);
  rv_scene_free(scene);
  return out;
}

static void expect(const RvTestLog* log, const char* words) {
  if (!strstr(log->text, words)) fail_msg("no warning with '%s' in: %s", words, log->text);
}

static void frame_1_is_the_input(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(DROP SOLVER("\"w\"", ""), &log);
  RvDetail *in = rv_test_scene_copy(scene, "w", 1), *first = rv_test_scene_copy(scene, "s", 1);
  assert_int_equal(rv_detail_count(in, RV_POINT), rv_detail_count(first, RV_POINT));
  for (size_t i = 0; i < 3 * rv_detail_count(in, RV_POINT); ++i) CHECK_NEAR(places(in)[i], places(first)[i], 1e-9);
  rv_detail_free(in);
  rv_detail_free(first);
  rv_scene_free(scene);
}

typedef struct Seen {
  RvLedger ledger;
  double drift;
} Seen;

static void see(void* user, const RvFrameReport* report) {
  Seen* s = user;
  s->ledger = report->stats.ledger;
  s->drift = fmax(s->drift, fabs(rv_ledger_drift(&s->ledger)));
}

static void no_drop_is_lost(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  Seen seen = {0};
  RvScene* scene =
      rv_test_scene(DROP BALL TAP SOLVER("\"w\", \"c\", \"tap\"",
                                         "\"killbox\": true, \"killmin\": [-1, -0.02, -1], \"killmax\": [1, 1, 1]"),
                    &log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = 10}, &error), error);
  rv_scene_free(scene);
  CHECK_NEAR(seen.drift, 0, 1e-12);
  assert_true(seen.ledger.sources > 0);
  assert_true(seen.ledger.killed > 0);
}

static void solids_keep_liquid_out(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(DROP BALL SOLVER("\"w\", \"c\"", ""), 6, &log);
  double nearest = INFINITY;
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i)
    nearest = fmin(nearest, rv_length(rv_vec3_load(places(out) + 3 * i)));
  // The ball's faces are inside of its sphere by up to a twentieth of the radius.
  assert_true(nearest > 0.0095);
  assert_true(nearest < 0.012);
  rv_detail_free(out);
}

static void attributes_pass_through(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out =
      cook(DROP
           "\"a\": {\"type\": \"attribute\", \"inputs\": [\"w\"], \"parms\": {\"name\": \"colour\", \"value\": "
           "[0.25, 0, 0, 0]}}," SOLVER("\"a\"", ""),
           3, &log);
  const float* colour = rv_detail_f32(out, RV_POINT, "colour", 1);
  assert_non_null(colour);
  CHECK_NEAR(colour[10], 0.25, 0);
  rv_detail_free(out);
}

// Two drops in the same place: pairs without a direction.
static void particles_in_one_place_stay_finite(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(DROP "\"m\": {\"type\": \"merge\", \"inputs\": [\"w\", \"w\"]}," SOLVER(
                           "\"m\"", "\"particlesep\": 0.002, \"maxsubsteps\": 30"),
                       3, &log);
  assert_true(all_finite(out));
  rv_detail_free(out);
}

static void angles_of_0_and_180_cook(void** state) {
  (void)state;
  RvTestLog log;
  static const char* const angles[] = {"\"contactangle\": 0", "\"contactangle\": 180"};
  for (int k = 0; k < 2; ++k) {
    char text[1000];
    snprintf(text, sizeof text,
             DROP SOLVER("\"w\"", "\"walls\": true, \"wallsmin\": [-0.1, 0.02, -0.1], \"wallsmax\": [0.1, 1, 0.1], %s"),
             angles[k]);
    RvDetail* out = cook(text, 4, &log);
    assert_true(all_finite(out));
    rv_detail_free(out);
  }
}

static void nothing_in_gives_nothing_out(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(SOLVER("null, null, null", "\"particlesep\": 0.01"), 3, &log);
  assert_int_equal(rv_detail_count(out, RV_POINT), 0);
  rv_detail_free(out);
}

static void too_few_substeps_are_told_with_their_number(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(DROP SOLVER("\"w\"", "\"maxsubsteps\": 2"), 2, &log);
  expect(&log, "substeps a frame, and maxsubsteps is 2");
  rv_detail_free(out);
}

// The drop with a point attribute.
#define MARKED(name, type, value)                                                                                    \
  DROP "\"a\": {\"type\": \"attribute\", \"inputs\": [\"w\"], \"parms\": {\"name\": \"" name "\", \"type\": \"" type \
       "\", \"class\": \"point\", \"value\": [" value ", 0, 0, 0]}},"

// The error of a scene that does not cook.
static void refuse(const char* text, const char* words) {
  RvTestLog log;
  RvError error = {0};
  RvScene* scene = rv_test_scene(text, &log);
  assert_int_not_equal(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = 2}, &error), RV_OK);
  if (!strstr(error.text, words)) fail_msg("no error with '%s' in: %s", words, error.text);
  rv_scene_free(scene);
}

static void wishes_that_cannot_be_met_are_refused(void** state) {
  (void)state;
  refuse(MARKED("phase", "int", "3") SOLVER("\"a\"", ""), "has a point with phase 3");
  refuse(MARKED("phase", "int", "1") SOLVER("\"a\"", "\"interfacetension\": 0.2"), "above the sum");
  refuse(MARKED("phase", "int", "1") SOLVER("\"a\"", "\"interfacetension\": 0.01"), "below the difference");
  refuse(MARKED("bodyid", "int", "-2") SOLVER("\"a\"", ""), "has a point with bodyid -2");
  refuse(MARKED("bubbleid", "int", "-1") SOLVER("\"a\"", ""), "has a point with bubbleid -1");
  refuse(MARKED("bubbleid", "int", "1") "\"f\": {\"type\": \"attribute\", \"inputs\": [\"a\"], \"parms\": {\"name\": "
                                        "\"film\", \"value\": [1.5, 0, 0, 0]}}," SOLVER("\"f\"", ""),
         "has a point with film 1.5");
}

// A body on the floor of a tank comes to rest there, in one piece.
static void a_body_rests_on_the_floor(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(MARKED("bodyid", "int", "1") SOLVER(
                           "\"a\"", "\"walls\": true, \"wallsmin\": [-0.1, 0.018, -0.1], \"wallsmax\": [0.1, 1, 0.1]"),
                       12, &log);
  float low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    low = fminf(low, places(out)[3 * i + 1]);
    high = fmaxf(high, places(out)[3 * i + 1]);
  }
  // It lies within a separation of the floor, and is as high as it was.
  assert_true(low > 0.018f && low < 0.020f);
  assert_true(high - low > 0.017f && high - low < 0.021f);
  rv_detail_free(out);
}

// A ring blows two bubbles, one after the other: each has the film that its source says, from the first frame on.
static void rings_blow_bubbles(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  Seen seen = {0};
  RvScene* scene = rv_test_scene(
      "\"none\": {\"type\": \"merge\"},"
      "\"ring\": {\"type\": \"source\", \"parms\": {\"shape\": \"disc\", \"size\": [0.01, 0.001, 0.01],"
      "  \"vel\": [0, 0.02, 0], \"bubblefilm\": 0.15, \"rate\": 2e-6,"
      "  \"bubble\": {\"keys\": [[1, 1], [4, 2]], \"interp\": \"constant\"}}}," SOLVER(
          "\"none\", null, \"ring\"", "\"particlesep\": 0.001, \"density\": 50, \"gravity\": [0, 0, 0]"),
      &log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = 7}, &error), error);
  RvDetail* out = rv_test_scene_copy(scene, "s", 7);
  rv_scene_free(scene);
  CHECK_NEAR(seen.drift, 0, 1e-12);
  const int32_t* bubble = rv_detail_i32(out, RV_POINT, "bubbleid", 1);
  const double* film = rv_detail_f64(out, RV_POINT, "film", 1);
  assert_non_null(bubble);
  assert_non_null(film);
  double count[3] = {0}, sum[3] = {0};
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    count[bubble[i]] += 1;
    sum[bubble[i]] += film[i];
  }
  CHECK_NEAR(count[0], 0, 0);
  for (int b = 1; b < 3; ++b) {
    assert_true(count[b] > 100);
    CHECK_NEAR(sum[b] / count[b], 0.15, 1e-12);
  }
  rv_detail_free(out);
}

static void more_film_than_surface_is_told(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(MARKED("bubbleid", "int", "1") SOLVER("\"a\"", "\"film\": 0.9"), 2, &log);
  expect(&log, "more film than their surfaces hold");
  const double* film = rv_detail_f64(out, RV_POINT, "film", 1);
  assert_non_null(film);
  double sum = 0;
  size_t count = rv_detail_count(out, RV_POINT);
  for (size_t i = 0; i < count; ++i) sum += film[i] / (double)count;
  CHECK_NEAR(sum, 0.9, 1e-12);
  rv_detail_free(out);
}

static void old_bubbles_pop_into_the_ledger(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  Seen seen = {0};
  RvScene* scene =
      rv_test_scene(MARKED("bubbleid", "int", "7") SOLVER("\"a\"", "\"poplife\": 0.05, \"density\": 100"), &log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = 4}, &error), error);
  rv_scene_free(scene);
  CHECK_NEAR(seen.drift, 0, 1e-12);
  CHECK_NEAR(seen.ledger.killed, 8e-6, 1e-12);
}

// Solids without an inside, or with the outside within: the liquid keeps finite places, and none is lost.
static void open_and_reversed_solids_cook(void** state) {
  (void)state;
  RvTestLog log;
  static const char* const solids[] = {
      "\"b\": {\"type\": \"grid\", \"parms\": {\"size\": [0.04, 0.04], \"t\": [0, 0.015, 0]}},",
      "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.01}},"
      "\"b\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"sx\": -1}},"};
  for (int k = 0; k < 2; ++k) {
    char text[1500];
    snprintf(text, sizeof text,
             DROP "%s \"c\": {\"type\": \"collider\", \"inputs\": [\"b\"], \"parms\": {\"voxelsize\": 0.001}}," SOLVER(
                 "\"w\", \"c\"", ""),
             solids[k]);
    RvDetail* out = cook(text, 4, &log);
    assert_int_equal(rv_detail_count(out, RV_POINT), 1000);
    assert_true(all_finite(out));
    rv_detail_free(out);
  }
}

// A tap whose mouth is within a solid: the liquid stays where the solid has no surface near, and that is told.
static void taps_within_solids_are_told(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out =
      cook(DROP BALL
           "\"tap\": {\"type\": \"source\", \"parms\": {\"shape\": \"disc\", \"size\": [0.004, 0.001, 0.004],"
           "  \"rate\": 2e-5}}," SOLVER("\"w\", \"c\", \"tap\"", "\"maxsubsteps\": 60"),
           4, &log);
  assert_true(all_finite(out));
  assert_true(rv_detail_count(out, RV_POINT) > 1000);
  expect(&log, "so deep in a collider");
  rv_detail_free(out);
}

// A phase attribute that is the same everywhere: one of the two liquids is empty.
static void an_empty_phase_cooks(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* out = cook(MARKED("phase", "int", "1") SOLVER("\"a\"", ""), 3, &log);
  assert_int_equal(rv_detail_count(out, RV_POINT), 1000);
  assert_true(all_finite(out));
  rv_detail_free(out);
}

// Particles whose place or speed is no number are left out and told of.
static void numbers_that_are_none_are_told(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvDetail* in = cook(DROP SOLVER("\"w\"", ""), 1, &log);
  const size_t count = rv_detail_count(in, RV_POINT);
  char text[2000];
  rv_detail_f32_write(in, RV_POINT, "P", 3, &error)[4] = NAN;
  rv_detail_f32_write(in, RV_POINT, "v", 3, &error)[31] = NAN;
  CHECK_OK(rv_detail_save(in, rv_test_path("liquid.bgeo.sc"), NULL, &error), error);
  rv_detail_free(in);
  snprintf(text, sizeof text, "\"in\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}," SOLVER("\"in\"", ""),
           rv_test_path("liquid.bgeo.sc"));
  RvDetail* out = cook(text, 3, &log);
  expect(&log, "no number");
  assert_int_equal(rv_detail_count(out, RV_POINT), count - 2);
  assert_true(all_finite(out));
  rv_detail_free(out);
}

RV_TESTS(cmocka_unit_test(frame_1_is_the_input), cmocka_unit_test(a_body_rests_on_the_floor),
         cmocka_unit_test(rings_blow_bubbles), cmocka_unit_test(no_drop_is_lost),
         cmocka_unit_test(solids_keep_liquid_out), cmocka_unit_test(attributes_pass_through),
         cmocka_unit_test(particles_in_one_place_stay_finite), cmocka_unit_test(angles_of_0_and_180_cook),
         cmocka_unit_test(wishes_that_cannot_be_met_are_refused), cmocka_unit_test(more_film_than_surface_is_told),
         cmocka_unit_test(old_bubbles_pop_into_the_ledger), cmocka_unit_test(open_and_reversed_solids_cook),
         cmocka_unit_test(taps_within_solids_are_told), cmocka_unit_test(numbers_that_are_none_are_told),
         cmocka_unit_test(an_empty_phase_cooks), cmocka_unit_test(nothing_in_gives_nothing_out),
         cmocka_unit_test(too_few_substeps_are_told_with_their_number))
