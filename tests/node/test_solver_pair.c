// A solver of two media on the scaffold (support/node_pair.c): strands follow their animation, particles fall onto a
// solid that both meet, each comes out of its own output, and frames in any order have the same bits.
#include <math.h>

#include "support/node_pair.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static const char scene_text[] =
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"t\": [0, -0.25, 0]}},"
    "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 5, \"points\": 4, \"length\": 0.1}},"
    "\"move\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"tx\": {\"keys\": [[1, 1], [13, 2]]}}},"
    "\"drops\": {\"type\": \"grid\", \"parms\": {\"size\": [0.02, 0.02], \"rows\": 3, \"cols\": 3}},"
    "\"s\": {\"type\": \"testpair\", \"inputs\": [\"move\", \"drops\", \"ball\"], \"parms\": {\"substeps\": 16}}";

static int register_pair(void** state) {
  (void)state;
  RvError error = {0};
  CHECK_OK(rv_node_register(&rv_test_pair, &error), error);
  return 0;
}

static const RvDetail* cook(RvScene* scene, const char* output, double frame) {
  RvError error = {0};
  const RvDetail* out = NULL;
  CHECK_OK(rv_scene_cook(scene, output, frame, &out, &error), error);
  return out;
}

static void moves_both(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(scene_text, &log);
  const RvDetail* strands = cook(scene, "s:strands", 13);
  assert_int_equal(rv_detail_count(strands, RV_PRIM), 5);
  assert_int_equal(rv_detail_count(strands, RV_POINT), 20);
  // springs lag behind by less than the way of their period of 0.3 s, 0.6 m
  double first = rv_detail_f32(strands, RV_POINT, "P", 3)[0];
  assert_true(first > 1.4 && first < 2.6);
  // particles reach the ball 0.15 m below after 0.17 s and stay outside, but for a voxel of 2 mm
  const RvDetail* drops = cook(scene, "s:particles", 13);
  assert_int_equal(rv_detail_count(drops, RV_POINT), 9);
  const float* P = rv_detail_f32(drops, RV_POINT, "P", 3) + 3 * 4;
  double height = sqrt(P[0] * P[0] + (P[1] + 0.25) * (P[1] + 0.25) + P[2] * P[2]) - 0.1;
  assert_true(height > -0.002 && height < 0.01);
  rv_scene_free(scene);
}

static void resumes_to_the_bit(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(scene_text, &log);
  uint64_t straight = rv_detail_hash(cook(scene, "s:state", 8));
  rv_scene_free(scene);
  scene = rv_test_scene(scene_text, &log);
  cook(scene, "s:state", 5);
  cook(scene, "s:state", 2);
  assert_true(rv_detail_hash(cook(scene, "s:state", 8)) == straight);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test_setup(moves_both, register_pair), cmocka_unit_test(resumes_to_the_bit))
