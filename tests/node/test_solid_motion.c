// A solid that moves as one is where its animation is at every substep, not only at whole frames: strands that hang
// level over a slab are thrown up by what it does within a frame.
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"

// a row of level strands of 5.5 cm at y = 0, without weight, over a slab whose top is at -2 cm
#define SCENE                                                                                                         \
  "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 8], \"nodes\": {"                                                    \
  "\"grow\": {\"type\": \"groom\", \"parms\": {\"layout\": \"row\", \"count\": 4, \"points\": 12, \"spacing\": 0.01," \
  "  \"length\": 0.055, \"lengthrandom\": 0, \"lift\": 1, \"bend\": 0}},"                                             \
  "\"row\": {\"type\": \"transform\", \"inputs\": [\"grow\"], \"parms\": {\"r\": [90, 0, 0]}},"                       \
  "\"slab\": {\"type\": \"box\", \"parms\": {\"size\": [0.4, 0.06, 0.4], \"t\": [0, -0.05, 0]}},"                     \
  "\"solid\": {\"type\": \"collider\", \"inputs\": [\"slab\"], \"parms\": {\"voxelsize\": 0.004}},"                   \
  "\"lift\": {\"type\": \"transform\", \"inputs\": [\"solid\"], \"parms\": {\"ty\": %s}},"                            \
  "\"solve\": {\"type\": \"strandsolver\", \"inputs\": [\"row\", \"lift\"], \"parms\": {\"gravity\": [0, 0, 0]}}}}"

static double tip(const char* keys, double frame) {
  RvError error = {0};
  RvScene* scene;
  const RvDetail* out;
  char text[2000];
  snprintf(text, sizeof text, SCENE, keys);
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  CHECK_OK(rv_scene_cook(scene, "solve", frame, &out, &error), error);
  double y = rv_detail_f32(out, RV_POINT, "P", 3)[3 * 11 + 1];
  rv_scene_free(scene);
  return y;
}

// up by 35 mm and back within a frame: at both ends of it the slab is 2 cm below
static void up_and_back(void** state) {
  (void)state;
  const char* keys = "{\"keys\": [[2, 0], [2.5, 0.035], [3, 0.0005]]}";
  CHECK_NEAR(tip(keys, 2), 0, 1e-6);
  assert_true(tip(keys, 3) > 0.005);
}

// the same as a parabola, of which the middle and one more place tell all
static void up_and_back_smoothly(void** state) {
  (void)state;
  const char* keys =
      "{\"keys\": [[2, 0], [2.25, 0.02625], [2.5, 0.035], [2.75, 0.02625], [3, 0.0001]], \"interp\": \"smooth\"}";
  assert_true(tip(keys, 3) > 0.005);
}

// what stays below never touches
static void below(void** state) {
  (void)state;
  CHECK_NEAR(tip("{\"keys\": [[2, 0], [2.5, 0.015], [3, 0.0005]]}", 3), 0, 1e-6);
}

RV_TESTS(cmocka_unit_test(up_and_back), cmocka_unit_test(up_and_back_smoothly), cmocka_unit_test(below))
