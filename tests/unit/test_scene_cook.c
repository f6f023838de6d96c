// Cooking: what is cooked again after a change and what is not, the cache's limit, errors, cancelling, solver rules.
#include <math.h>
#include <string.h>

#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static uint64_t cooks(RvScene* scene, const char* node) {
  return rv_scene_graph_find(scene, node)->ncook;
}

// a - b - d, c - d; b moves
static const char diamond[] =
    "{\"rivulet\": 1, \"nodes\": {"
    "\"a\": {\"type\": \"testpoints\", \"parms\": {\"count\": 3}},"
    "\"b\": {\"type\": \"testcopy\", \"inputs\": [\"a\"], \"parms\": {\"shift\": {\"keys\": [[1, 0], [11, 10]]}}},"
    "\"c\": {\"type\": \"testcopy\", \"inputs\": [\"a\"]},"
    "\"d\": {\"type\": \"testcopy\", \"inputs\": [\"b\", \"c\"]}}}";

static void only_what_changed_is_cooked(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = rv_test_parse(diamond);
  const char* const names[] = {"a", "b", "c", "d"};
  const struct {
    const char* change;  // "node.parm=value", or NULL
    double frame;
    uint64_t expected[4];  // cooks so far
  } steps[] = {
      {NULL, 1, {1, 1, 1, 1}},         // all
      {NULL, 1, {1, 1, 1, 1}},         // nothing: cached
      {NULL, 2, {1, 2, 1, 2}},         // only what moves
      {NULL, 1, {1, 2, 1, 2}},         // back: cached
      {NULL, 1.5, {1, 3, 1, 3}},       // between frames
      {"c.shift=1", 1, {1, 3, 2, 4}},  // downstream of c
      {"c.shift=1", 1, {1, 3, 2, 4}},  // the same value again is no change
      {"c.shift=0", 1, {1, 3, 2, 4}},  // and the old one is still known
      {"a.count=4", 2, {2, 4, 3, 5}},  // everything
      {"d.shift=3", 2, {2, 4, 3, 6}},  // the last alone
  };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
    if (steps[i].change) CHECK_OK(rv_scene_set(scene, steps[i].change, &error), error);
    rv_test_scene_cook(scene, "d", steps[i].frame);
    for (int k = 0; k < 4; ++k)
      if (cooks(scene, names[k]) != steps[i].expected[k])
        fail_msg("step %zu: node %s cooked %d times, expected %d", i, names[k], (int)cooks(scene, names[k]),
                 (int)steps[i].expected[k]);
  }
  // frames move the points: 3 of b at 0.5 beside 3 of c
  CHECK_OK(rv_scene_set(scene, "a.count=3", &error), error);
  CHECK_OK(rv_scene_set(scene, "d.shift=0", &error), error);
  const float* P = rv_detail_f32(rv_test_scene_cook(scene, "d", 1.5), RV_POINT, "P", 3);
  CHECK_NEAR(P[0], 0.5, 0);
  CHECK_NEAR(P[9], 0, 0);
  rv_scene_free(scene);
}

// The name of the file that a cache writes has the frame in it; the geometry that passes through has not.
static void a_written_name_changes_no_geometry(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = rv_test_parse(
      "{\"rivulet\": 1, \"nodes\": {"
      "\"a\": {\"type\": \"testpoints\", \"parms\": {\"count\": 3}},"
      "\"b\": {\"type\": \"filecache\", \"inputs\": [\"a\"], \"parms\": {\"file\": \"$OUT/b.$F4.bgeo\"}},"
      "\"c\": {\"type\": \"testcopy\", \"inputs\": [\"b\"]}}}");
  for (double frame = 1; frame < 3; frame += 0.25) rv_test_scene_cook(scene, "c", frame);
  assert_int_equal(cooks(scene, "b"), 1);
  assert_int_equal(cooks(scene, "c"), 1);
  // What it reads depends on the frame.
  CHECK_OK(rv_scene_set(scene, "b.loadfromdisk=1", &error), error);
  CHECK_OK(rv_scene_set(scene, "b.missingframe=empty", &error), error);
  for (double frame = 1; frame < 3; ++frame) rv_test_scene_cook(scene, "c", frame);
  assert_int_equal(cooks(scene, "b"), 3);
  rv_scene_free(scene);
}

static void wires_settings_and_forgetting(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = rv_test_parse(diamond);
  rv_test_scene_cook(scene, "d", 1);
  CHECK_OK(rv_scene_connect(scene, "d", 1, NULL, &error), error);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "d", 1), RV_POINT), 3);
  assert_int_equal(cooks(scene, "d"), 2);
  rv_scene_set_fps(scene, 30);
  rv_test_scene_cook(scene, "d", 1);
  assert_int_equal(cooks(scene, "a"), 2);
  // b and what is after it
  rv_scene_forget(scene, "b");
  rv_test_scene_cook(scene, "d", 1);
  assert_int_equal(cooks(scene, "a"), 2);
  assert_int_equal(cooks(scene, "b"), 3);
  assert_int_equal(cooks(scene, "d"), 4);
  rv_scene_forget(scene, NULL);
  assert_int_equal(scene->cache.count, 0);
  assert_int_equal(scene->cache.bytes, 0);
  rv_scene_free(scene);
}

// frames of about 1.2 MB: the cache holds some of them, and what is handed out stays whole
static void the_limit_is_kept(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = rv_test_parse(diamond);
  CHECK_OK(rv_scene_set(scene, "a.count=100000", &error), error);
  size_t limit = (size_t)12 << 20;
  rv_scene_set_cache_limit(scene, limit);
  for (int frame = 1; frame <= 30; ++frame) {
    const float* P = rv_detail_f32(rv_test_scene_cook(scene, "d", frame), RV_POINT, "P", 3);
    CHECK_NEAR(P[0], frame <= 11 ? frame - 1 : 10, 0);
    assert_true(scene->cache.bytes <= limit);
  }
  // the last is still there, the first is not
  uint64_t before = cooks(scene, "d");
  rv_test_scene_cook(scene, "d", 30);
  assert_int_equal(cooks(scene, "d"), before);
  rv_test_scene_cook(scene, "d", 1);
  assert_int_equal(cooks(scene, "d"), before + 1);
  // with no room at all every answer is still right, and nothing stays but what is in use
  rv_scene_set_cache_limit(scene, 0);
  const RvDetail* out = rv_test_scene_cook(scene, "d", 3);
  CHECK_NEAR(rv_detail_f32(out, RV_POINT, "P", 3)[0], 2, 0);
  assert_int_equal(rv_detail_count(out, RV_POINT), 200000);
  assert_true(scene->cache.count <= 1);
  rv_scene_free(scene);
}

static void errors_name_the_node(void** state) {
  (void)state;
  RvError error = {0};
  const RvDetail* out;
  RvScene* scene = rv_test_parse(
      "{\"rivulet\": 1, \"nodes\": {\"a\": {\"type\": \"testpoints\"},"
      "\"f\": {\"type\": \"testfail\", \"inputs\": [\"a\"], \"parms\": {\"frame\": 3}},"
      "\"g\": {\"type\": \"testcopy\", \"inputs\": [\"f\"]}, \"lone\": {\"type\": \"testfail\"},"
      "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"f\"]}, \"dry\": {\"type\": \"testsolver\"}}}");
  rv_test_scene_cook(scene, "g", 2);
  CHECK_FAILS(rv_scene_cook(scene, "g", 3, &out, &error), RV_BAD_INPUT, error,
              "node 'f' (testfail), frame 3: told to fail");
  CHECK_FAILS(rv_scene_cook(scene, "g", 3, &out, NULL ? NULL : &error), RV_BAD_INPUT, error, "node 'f'");
  // a failure is not remembered as a result
  CHECK_OK(rv_scene_set(scene, "f.frame=9", &error), error);
  rv_test_scene_cook(scene, "g", 3);
  CHECK_FAILS(rv_scene_cook(scene, "lone", 1, &out, &error), RV_BAD_INPUT, error,
              "'lone' (testfail): input 1 (Input) is not connected");
  CHECK_FAILS(rv_scene_cook(scene, "dry", 1, &out, &error), RV_BAD_INPUT, error, "input 1 (Anchors) is not connected");
  // the solver stops at the frame whose input fails, and keeps the ones before
  CHECK_FAILS(rv_scene_cook(scene, "wet", 12, &out, &error), RV_BAD_INPUT, error, "node 'f'");
  assert_int_equal(rv_scene_graph_find(scene, "wet")->nstep, 7);
  CHECK_OK(rv_scene_set(scene, "f.how=none", &error), error);
  CHECK_FAILS(rv_scene_cook(scene, "f", 9, &out, &error), RV_INTERNAL, error, "made no output");
  CHECK_OK(rv_scene_set(scene, "f.how=silent", &error), error);
  CHECK_FAILS(rv_scene_cook(scene, "f", 9, &out, &error), RV_BAD_INPUT, error, "node 'f'");
  CHECK_FAILS(rv_scene_cook(scene, "f", NAN, &out, &error), RV_BAD_INPUT, error, "frame");
  CHECK_FAILS(rv_scene_cook(scene, "h", 1, &out, &error), RV_NOT_FOUND, error, "no node 'h'");
  CHECK_FAILS(rv_scene_cook(scene, "wet:3", 1e9, &out, &error), RV_LIMIT, error, "million");
  rv_scene_free(scene);
}

//------------------------------------------------------------------------------------------------ solvers

static const char springs[] =
    "{\"rivulet\": 1, \"frames\": [1, 24], \"nodes\": {"
    "\"p\": {\"type\": \"testpoints\", \"parms\": {\"count\": 5, \"ty\": {\"wave\": {\"amplitude\": 0.3}}}},"
    "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"p\"], \"parms\": {\"startframe\": 3}}}}";

static void solver_rules(void** state) {
  (void)state;
  RvScene* scene = rv_test_parse(springs);
  RvSceneNode* wet = rv_scene_graph_find(scene, "wet");
  // before and at the start frame: the initial state, without a step
  uint64_t initial = rv_test_scene_hash(scene, "wet:3", 3);
  assert_true(rv_test_scene_hash(scene, "wet:3", -10) == initial);
  assert_true(rv_test_scene_hash(scene, "wet:3", 1) == initial);
  assert_int_equal(wet->nstep, 0);
  assert_int_equal(wet->ncook, 1);
  // a jump steps through every frame, once
  uint64_t ten = rv_test_scene_hash(scene, "wet:3", 10);
  assert_int_equal(wet->nstep, 7);
  assert_true(ten != initial);
  uint64_t seven = rv_test_scene_hash(scene, "wet:3", 7);
  assert_int_equal(wet->nstep, 7);
  assert_true(seven != ten);
  // between frames the last state shows
  assert_true(rv_test_scene_hash(scene, "wet:3", 7.5) == seven);
  assert_true(rv_test_scene_hash(scene, "wet:3", 7.999) == seven);
  assert_int_equal(wet->nstep, 7);
  // parts of one state: strands and drops together are all its points
  size_t all = rv_detail_count(rv_test_scene_cook(scene, "wet:3", 10), RV_POINT);
  size_t strands = rv_detail_count(rv_test_scene_cook(scene, "wet", 10), RV_POINT);
  size_t drops = rv_detail_count(rv_test_scene_cook(scene, "wet:liquid", 10), RV_POINT);
  assert_int_equal(strands, 10);
  assert_int_equal(strands + drops, all);
  assert_null(rv_detail_find(rv_test_scene_cook(scene, "wet:2", 10), RV_POINT, "rv_x"));
  rv_scene_free(scene);
}

// the input was sampled at every substep, so the root is where the wave is, and its speed is the wave's
static void solver_inputs_are_sampled(void** state) {
  (void)state;
  RvScene* scene = rv_test_parse(springs);
  const double two_pi = 6.283185307179586;
  for (int frame = 4; frame < 9; ++frame) {
    const RvDetail* out = rv_test_scene_cook(scene, "wet:3", frame);
    const double* x = rv_detail_f64(out, RV_POINT, "rv_x", 3);
    const double* v = rv_detail_f64(out, RV_POINT, "rv_v", 3);
    double t = (frame - 1) / 24.0, before = t - 1 / 96.0;
    // positions come as floats: 0.3 has a spacing of 3e-8; the speed is a difference of two over 1/96 s
    CHECK_NEAR(x[1], 0.3 * sin(two_pi * t), 3e-8);
    CHECK_NEAR(v[1], 0.3 * (sin(two_pi * t) - sin(two_pi * before)) * 96, 6e-6);
  }
  rv_scene_free(scene);
}

static void a_change_restarts_the_solver(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = rv_test_parse(springs);
  RvSceneNode* wet = rv_scene_graph_find(scene, "wet");
  uint64_t before = rv_test_scene_hash(scene, "wet:3", 8);
  CHECK_OK(rv_scene_set(scene, "wet.seed=8", &error), error);
  assert_true(rv_test_scene_hash(scene, "wet:3", 8) != before);
  assert_int_equal(wet->nstep, 10);
  CHECK_OK(rv_scene_set(scene, "wet.seed=7", &error), error);
  assert_true(rv_test_scene_hash(scene, "wet:3", 8) == before);
  assert_int_equal(wet->nstep, 10);
  // an upstream change too
  CHECK_OK(rv_scene_set(scene, "p.spacing=0.2", &error), error);
  assert_true(rv_test_scene_hash(scene, "wet:3", 8) != before);
  assert_int_equal(wet->nstep, 15);
  rv_scene_free(scene);
}

// without room for old states the next frame still goes on from the last
static void a_full_cache_does_not_restart(void** state) {
  (void)state;
  RvScene* scene = rv_test_parse(springs);
  rv_scene_set_cache_limit(scene, 0);
  for (int frame = 1; frame <= 24; ++frame) rv_test_scene_hash(scene, "wet:3", frame);
  assert_int_equal(rv_scene_graph_find(scene, "wet")->nstep, 21);
  // two solvers in a row step side by side
  RvError error = {0};
  CHECK_OK(rv_scene_add(scene, "wetter", "testsolver", &error), error);
  CHECK_OK(rv_scene_connect(scene, "wetter", 0, "p", &error), error);
  CHECK_OK(rv_scene_connect(scene, "wetter", 1, "wet:strands", &error), error);
  CHECK_OK(rv_scene_set(scene, "wetter.startframe=3", &error), error);
  rv_scene_forget(scene, NULL);
  rv_scene_graph_find(scene, "wet")->nstep = 0;
  uint64_t direct = rv_test_scene_hash(scene, "wetter:3", 20);
  assert_int_equal(rv_scene_graph_find(scene, "wetter")->nstep, 17);
  assert_true(rv_scene_graph_find(scene, "wet")->nstep <= 2 * 17);
  rv_scene_set_cache_limit(scene, (size_t)1 << 30);
  rv_scene_forget(scene, NULL);
  assert_true(rv_test_scene_hash(scene, "wetter:3", 20) == direct);
  rv_scene_free(scene);
}

static bool stop_after(void* user, const char* node, double frame, double fraction, const char* stage) {
  (void)node;
  (void)frame;
  (void)fraction;
  (void)stage;
  int* left = user;
  return --*left < 0;
}

// stopped anywhere, nothing half done is kept: the result after all stops is that of a straight run
static void cancelling_leaves_nothing_half_done(void** state) {
  (void)state;
  RvScene *scene = rv_test_parse(springs), *straight = rv_test_parse(springs);
  uint64_t expected = rv_test_scene_hash(straight, "wet:3", 9);
  int stops = 0;
  for (int after = 0;; ++after) {
    int left = after;
    RvError error = {0};
    const RvDetail* out;
    rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &left, .cancelled = stop_after});
    RvResult result = rv_scene_cook(scene, "wet:3", 9, &out, &error);
    if (result == RV_OK) {
      assert_true(rv_test_scene_hash(scene, "wet:3", 9) == expected);
      break;
    }
    assert_int_equal(result, RV_CANCELLED);
    ++stops;
    // with one more call allowed each time, from scratch every third time
    if (stops % 3 == 0) rv_scene_forget(scene, NULL);
    assert_true(stops < 1000);
  }
  assert_true(stops > 5);
  rv_scene_free(scene);
  rv_scene_free(straight);
}

// a hundred and one solvers in a row are refused, not a crash
static void nesting_is_bounded(void** state) {
  (void)state;
  RvError error = {0};
  rv_test_register();
  RvScene* scene = rv_scene_new();
  CHECK_OK(rv_scene_add(scene, "p", "testpoints", &error), error);
  char name[16], before[16] = "p";
  for (int i = 0; i < 101; ++i) {
    snprintf(name, sizeof name, "s%d", i);
    CHECK_OK(rv_scene_add(scene, name, "testsolver", &error), error);
    CHECK_OK(rv_scene_connect(scene, name, 0, "p", &error), error);
    CHECK_OK(rv_scene_connect(scene, name, 1, before, &error), error);
    strcpy(before, name);
  }
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "s90", 2, &out, &error), error);
  rv_scene_forget(scene, NULL);
  CHECK_FAILS(rv_scene_cook(scene, "s100", 2, &out, &error), RV_LIMIT, error, "in a row");
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(only_what_changed_is_cooked), cmocka_unit_test(a_written_name_changes_no_geometry),
         cmocka_unit_test(wires_settings_and_forgetting), cmocka_unit_test(the_limit_is_kept),
         cmocka_unit_test(errors_name_the_node), cmocka_unit_test(solver_rules),
         cmocka_unit_test(solver_inputs_are_sampled), cmocka_unit_test(a_change_restarts_the_solver),
         cmocka_unit_test(a_full_cache_does_not_restart), cmocka_unit_test(cancelling_leaves_nothing_half_done),
         cmocka_unit_test(nesting_is_bounded))
