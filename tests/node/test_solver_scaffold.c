// The scaffold of solver nodes, by a trial solver of under 60 lines (support/node_spring.c): it starts at the input,
// follows it, stays outside of a solid that is a bare mesh, loses no liquid, and goes on from a saved state with the
// same bits; edits of P are taken.
#include <math.h>
#include <string.h>

#include "support/node_spring.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

#define SCENE                                                                                    \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"t\": [0, -0.25, 0]}},"        \
  "\"grid\": {\"type\": \"grid\", \"parms\": {\"size\": [0.1, 0.1], \"rows\": 3, \"cols\": 3}}," \
  "\"move\": {\"type\": \"transform\", \"inputs\": [\"grid\"], \"parms\": {\"tx\": {\"keys\": [[1, 0], [13, 1]]}}},"

static void register_spring(void) {
  static bool done;
  RvError error = {0};
  if (!done) CHECK_OK(rv_node_register(&rv_test_spring, &error), error);
  done = true;
}

static const RvDetail* cook(RvScene* scene, const char* output, double frame) {
  RvError error = {0};
  const RvDetail* out = NULL;
  CHECK_OK(rv_scene_cook(scene, output, frame, &out, &error), error);
  return out;
}

static void starts_and_follows(void** state) {
  (void)state;
  register_spring();
  RvTestLog log;
  RvScene* scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\"]}", &log);
  const RvDetail* in = cook(scene, "grid", 1);
  float first[27];
  memcpy(first, rv_detail_f32(in, RV_POINT, "P", 3), sizeof first);
  // frame 1 is the input
  assert_memory_equal(rv_detail_f32(cook(scene, "s", 1), RV_POINT, "P", 3), first, sizeof first);
  // a critically loaded spring hangs g / stiffness below its goal and lags behind it by less than its period's way
  const float* P = rv_detail_f32(cook(scene, "s", 13), RV_POINT, "P", 3);
  assert_true(P[0] > first[0] + 0.8 && P[0] < first[0] + 1.2);
  rv_scene_free(scene);
}

// The bare mesh of a ball below the points keeps them out; without it they fall through its place.
static void meets_a_bare_mesh(void** state) {
  (void)state;
  register_spring();
  for (int solid = 0; solid < 2; ++solid) {
    RvTestLog log;
    RvScene* scene = rv_test_scene(solid ? SCENE
                                       "\"s\": {\"type\": \"testspring\", \"inputs\": [\"grid\", \"ball\"], \"parms\": "
                                       "{\"stiffness\": 20, \"substeps\": 16}}"
                                         : SCENE
                                       "\"s\": {\"type\": \"testspring\", \"inputs\": [\"grid\"], \"parms\": "
                                       "{\"stiffness\": 20, \"substeps\": 16}}",
                                   &log);
    double deepest = INFINITY;
    for (int frame = 2; frame <= 12; ++frame) {
      const float* P = rv_detail_f32(cook(scene, "s", frame), RV_POINT, "P", 3) + 3 * 4;
      deepest = fmin(deepest, sqrt(P[0] * P[0] + (P[1] + 0.25) * (P[1] + 0.25) + P[2] * P[2]) - 0.1);
    }
    // a step goes 6 mm at most, less than the band of the level set; a voxel of it is 2 mm
    assert_true(solid ? deepest > -0.002 : deepest < -0.05);
    rv_scene_free(scene);
  }
}

static void loses_no_liquid(void** state) {
  (void)state;
  register_spring();
  RvTestLog log;
  RvScene* scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\"]}", &log);
  const RvDetail* out = cook(scene, "s:state", 12);
  const double* volume = rv_detail_f64(out, RV_POINT, "rv_volume", 1);
  const double* evaporated = rv_detail_f64(out, RV_GLOBAL, "rv_evaporated", 1);
  double sum = *evaporated;
  for (size_t i = 0; i < 9; ++i) sum += volume[i];
  assert_true(*evaporated > 1e-9);
  CHECK_NEAR(sum, 9e-9, 1e-22);
  rv_scene_free(scene);
}

// Frames that are asked for in any order step again from the state of an earlier one, with the same bits.
static void resumes_to_the_bit(void** state) {
  (void)state;
  register_spring();
  const RvNodeType* type = &rv_test_spring;
  RvTestLog log;
  RvScene* scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\", \"ball\"]}", &log);
  uint64_t straight = rv_node_state_hash(type, cook(scene, "s:state", 8));
  rv_scene_free(scene);
  // frames in any order drop what was kept and step again
  scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\", \"ball\"]}", &log);
  cook(scene, "s:state", 5);
  cook(scene, "s:state", 2);
  assert_true(rv_node_state_hash(type, cook(scene, "s:state", 8)) == straight);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(starts_and_follows), cmocka_unit_test(meets_a_bare_mesh), cmocka_unit_test(loses_no_liquid),
         cmocka_unit_test(resumes_to_the_bit))
