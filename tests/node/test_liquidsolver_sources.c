// The liquid solver with sources and sinks: Q t to a particle, keys, fills, drains, open sides, kill boxes, attributes
// of what is born, and a ledger without a remainder, also where every frame starts from a written state.
#include <math.h>
#include <string.h>

#include "rivulet/node.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

// `nodes` make the node "from" and may make others; `inputs` are those of the solver
static RvScene* open_scene(const char* nodes, const char* inputs, const char* solver, RvTestLog* log) {
  char text[4000];
  snprintf(text, sizeof text,
           "%s, \"s\": {\"type\": \"liquidsolver\", "
           "\"inputs\": [%s], \"parms\": {%s}}",
           nodes, inputs, solver);
  return rv_test_scene(text, log);
}

// initial, sources, killed, evaporated, outflow
static const double* ledger(RvScene* scene, double frame) {
  const double* l = rv_detail_f64(rv_test_scene_cook(scene, "s:3", frame), RV_GLOBAL, "rv_ledger", 5);
  assert_non_null(l);
  double there = rv_test_volume(rv_test_scene_cook(scene, "s:liquid", frame)), sum = l[0] + l[1] - l[2] - l[3] - l[4];
  CHECK_NEAR(there, sum, 1e-12 * (l[0] + l[1]));
  return l;
}

#define DISC                                                                                                        \
  "\"from\": {\"type\": \"source\", \"parms\": {\"rate\": 0.0013, \"vel\": [0, -1, 0], \"size\": [0.04, 1, 0.04], " \
  "\"sourceid\": 7, \"material\": \"oil\""

static void rate_is_exact(void** state) {
  (void)state;
  RvTestLog log;
  double v = 1e-6;
  RvScene* scene = open_scene(DISC "}}", "null, null, \"from\"", "\"particlesep\": 0.01", &log);
  for (int frame = 2; frame <= 8; frame += 3) {
    double flowed = 0.0013 * (frame - 1) / 24.0;
    const double* l = ledger(scene, frame);
    assert_true(l[1] <= flowed + 1e-12 && l[1] > flowed - v * 1.000001);
  }
  const RvDetail* d = rv_test_scene_cook(scene, "s:liquid", 8);
  const RvAttrib* material = rv_detail_find(d, RV_POINT, "material");
  const int32_t *source = rv_detail_i32(d, RV_POINT, "source", 1), *id = rv_detail_i32(d, RV_POINT, "id", 1);
  assert_non_null(material);
  assert_non_null(source);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    assert_int_equal(source[i], 7);
    assert_string_equal(rv_attrib_string(material, i, 0), "oil");
    if (i) assert_true(id[i] > id[i - 1]);
  }
  rv_test_scene_quiet(scene, &log);
}

// on for two frames, off for two, on again, at a rate that rises: the sum of the area under the keys
static void keys(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      "\"from\": {\"type\": \"source\", \"parms\": {\"rate\": {\"keys\": [[1, 0], [9, 0.0024]], \"interp\": "
      "\"linear\"}, \"active\": {\"keys\": [[1, 1], [3, 0], [5, 1]], \"interp\": \"constant\"}, \"vel\": [0, -1, 0]}}",
      "null, null, \"from\"", "\"particlesep\": 0.01, \"substeps\": 2", &log);
  double two = ledger(scene, 3)[1], four = ledger(scene, 5)[1], eight = ledger(scene, 9)[1];
  CHECK_NEAR(two, 0.5 * 0.0006 * 2 / 24, 1.000001e-6);
  CHECK_NEAR(four, two, 0);
  CHECK_NEAR(eight, 0.5 * 0.0006 * 2 / 24 + 0.5 * (0.0012 + 0.0024) * 4 / 24, 1.000001e-6);
  rv_scene_free(scene);
}

// each frame from the state of the one before, as written: the same bits
static void goes_on_from_a_state(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(DISC "}}", "null, null, \"from\"", "\"particlesep\": 0.01", &log);
  RvError error = {0};
  uint64_t straight = rv_test_scene_hash(scene, "s:3", 6);
  rv_scene_free(scene);
  scene = open_scene(DISC "}}", "null, null, \"from\"", "\"particlesep\": 0.01", &log);
  rv_scene_set_cache_limit(scene, 1);
  for (int frame = 1; frame <= 6; ++frame) rv_test_scene_cook(scene, "s:3", frame);
  assert_true(rv_test_scene_hash(scene, "s:3", 6) == straight);
  (void)error;
  rv_scene_free(scene);
}

// a box is kept full while a drain at its bottom takes away
static void fills_and_drains(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      "\"a\": {\"type\": \"source\", \"parms\": {\"mode\": \"fill\", \"shape\": \"box\", \"size\": [0.1, 0.06, 0.1], "
      "\"t\": [0, 0.1, 0], \"sourceid\": 1}}, \"b\": {\"type\": \"source\", \"parms\": {\"mode\": \"sink\", \"shape\": "
      "\"box\", \"size\": [0.4, 0.1, 0.4], \"t\": [0, -0.1, 0], \"sourceid\": 2}}, \"from\": {\"type\": \"merge\", "
      "\"inputs\": [\"a\", \"b\"]}",
      "null, null, \"from\"", "\"particlesep\": 0.01", &log);
  // as many as fit, at once
  CHECK_NEAR(ledger(scene, 2)[1], 0.0006, 0.00012);
  for (int frame = 4; frame <= 10; frame += 3) {
    const RvDetail* d = rv_test_scene_cook(scene, "s:liquid", frame);
    const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
    double inside = 0;
    for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
      bool within = fabsf(P[3 * i]) < 0.05f && fabsf(P[3 * i + 2]) < 0.05f;
      if (within && fabsf(P[3 * i + 1] - 0.1f) < 0.03f) inside += 1e-6;
      assert_false(within && P[3 * i + 1] < -0.0505f && P[3 * i + 1] > -0.1495f);
    }
    assert_true(inside > 0.0003 && inside < 0.00066);
    ledger(scene, frame);
  }
  const double* l = ledger(scene, 10);
  // it falls: 0.01 m^2 that is 0.4 m/s and more
  assert_true(l[1] > 0.0008 && l[4] > 0.0001 && l[2] == 0);
  rv_test_scene_quiet(scene, &log);
}

// an open side lets the liquid out for good, an open top does not; beyond the kill box it is killed
static void open_sides_and_kill_box(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      "\"from\": {\"type\": \"fill\", \"parms\": {\"size\": [0.1, 0.1, 0.1], \"particlesep\": 0.01}}", "\"from\"",
      "\"walls\": true, \"wallsmin\": [-0.05, -0.05, -0.05], \"wallsmax\": [0.05, 0.04, 0.05], \"wallpx\": false",
      &log);
  double out = ledger(scene, 12)[4];
  assert_true(out > 0.0002 && out < 0.001);
  const RvDetail* d = rv_test_scene_cook(scene, "s:liquid", 12);
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) assert_true(P[3 * i] <= 0.0501f);
  rv_scene_free(scene);
  scene = open_scene("\"from\": {\"type\": \"fill\", \"parms\": {\"size\": [0.1, 0.1, 0.1], \"particlesep\": 0.01}}",
                     "\"from\"", "\"killbox\": true, \"killmin\": [-1, -0.2, -1], \"killmax\": [1, 1, 1]", &log);
  const double* l = ledger(scene, 8);
  assert_true(l[2] > 0.0009 && l[4] == 0);
  CHECK_NEAR(ledger(scene, 10)[2], 1e-3, 1e-15);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "s:liquid", 10), RV_POINT), 0);
  rv_scene_free(scene);
}

// What is born, and what was there with a life of its own, leaves when it is old enough, and is counted as killed.
static void life_ends(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      DISC
      ", \"life\": 0.17}}, \"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.1, 0.1, 0.1], \"t\": [1, 0, 0], "
      "\"particlesep\": 0.01}}, \"old\": {\"type\": \"attribute\", \"inputs\": [\"pool\"], \"parms\": {\"name\": "
      "\"life\", \"value\": [0.1, 0, 0, 0]}}",
      "\"old\", null, \"from\"", "\"particlesep\": 0.01, \"gravity\": [0, 0, 0], \"reseeding\": false", &log);
  // the pool lives for 0.1 s: 2.4 frames after the first
  const double* l = ledger(scene, 3);
  CHECK_NEAR(l[2], 0, 0);
  l = ledger(scene, 4);
  CHECK_NEAR(l[2], 1e-3, 1e-15);
  // and each of the source's for 0.17 s
  l = ledger(scene, 20);
  double steady = 0.0013 * 0.17, there = rv_test_volume(rv_test_scene_cook(scene, "s:liquid", 20));
  CHECK_NEAR(there, steady, 0.0013 / 24);
  const RvDetail* d = rv_test_scene_cook(scene, "s:liquid", 20);
  const float *age = rv_detail_f32(d, RV_POINT, "age", 1), *life = rv_detail_f32(d, RV_POINT, "life", 1);
  assert_non_null(life);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) assert_true(age[i] < 0.17f && life[i] == 0.17f);
  rv_scene_free(scene);
}

static void bad_input(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail* out;
  // no source node
  RvScene* scene =
      open_scene("\"from\": {\"type\": \"box\", \"parms\": {}}", "null, null, \"from\"", "\"particlesep\": 0.01", &log);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "s:liquid", 3), RV_POINT), 0);
  assert_non_null(strstr(log.text, "source node"));
  rv_scene_free(scene);
  // more particles than memory
  scene = open_scene("\"from\": {\"type\": \"source\", \"parms\": {\"rate\": 1000, \"vel\": [0, -1, 0]}}",
                     "null, null, \"from\"", "\"particlesep\": 0.0005, \"maxmemory\": 0.1", &log);
  assert_int_equal(rv_scene_cook(scene, "s:liquid", 2, &out, &error), RV_LIMIT);
  assert_non_null(strstr(error.text, "particlesep"));
  rv_scene_free(scene);
  // a fill of more cells than anybody can look at
  error = (RvError){0};
  scene = open_scene(
      "\"from\": {\"type\": \"source\", \"parms\": {\"mode\": \"fill\", \"shape\": \"box\", \"size\": [50, 50, 50]}}",
      "null, null, \"from\"", "\"particlesep\": 0.0005", &log);
  assert_int_equal(rv_scene_cook(scene, "s:liquid", 2, &out, &error), RV_LIMIT);
  assert_non_null(strstr(error.text, "particlesep"));
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(rate_is_exact), cmocka_unit_test(keys), cmocka_unit_test(goes_on_from_a_state),
         cmocka_unit_test(life_ends), cmocka_unit_test(fills_and_drains), cmocka_unit_test(open_sides_and_kill_box),
         cmocka_unit_test(bad_input))
