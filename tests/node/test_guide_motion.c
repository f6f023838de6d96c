// A guide that stands for many hairs moves as one of them would: mass, stiffness, damping, drag, the artist's forces
// and goals and the push of solids all scale with hairsperguide. Powers of two change no digit of a number but its
// exponent, so there all is equal to the bit.
#include <math.h>
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"

#define SCENE                                                                                                        \
  "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 12], \"nodes\": {"                                                  \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"rows\": 25, \"cols\": 36}},"                      \
  "\"hair\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 8, \"length\": 0.12,"              \
  "  \"points\": 12, \"style\": \"wavy\"}},"                                                                         \
  "\"goal\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": \"targetweight\","              \
  "  \"value\": [0.05, 0, 0, 0]}},"                                                                                  \
  "\"push\": {\"type\": \"attribute\", \"inputs\": [\"goal\"], \"parms\": {\"name\": \"force\", \"size\": 3,"        \
  "  \"value\": [1e-6, 0, 0, 0]}},"                                                                                  \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"push\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [9, 90]]}}}," \
  "\"head\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [9, 90]]}}}," \
  "\"solid\": {\"type\": \"collider\", \"inputs\": [\"head\"]},"                                                     \
  "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"solid\"], \"parms\": {\"wind\": [1, 0, 2]}}}}"

static RvDetail* simulate(RvScene* scene, const char* many) {
  RvError error = {0};
  const RvDetail* out;
  char text[80];
  snprintf(text, sizeof text, "s.hairsperguide=%s", many);
  CHECK_OK(rv_scene_set(scene, text, &error), error);
  CHECK_OK(rv_scene_cook(scene, "s", 6, &out, &error), error);
  return rv_detail_copy(out);
}

static double largest(const RvDetail* a, const RvDetail* b) {
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  double most = 0;
  for (size_t i = 0; i < 3 * rv_detail_count(a, RV_POINT); ++i) most = fmax(most, fabs((double)p[i] - q[i]));
  return most;
}

static void a_guide_moves_as_its_hairs(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene;
  const RvDetail* start;
  CHECK_OK(rv_scene_parse(SCENE, strlen(SCENE), "test", &scene, &error), error);
  RvDetail *one = simulate(scene, "1"), *many = simulate(scene, "64"), *odd = simulate(scene, "37");
  // a power of two changes the exponents of numbers only: nothing in the step may have a size of its own
  CHECK_NEAR(largest(one, many), 0, 0);
  // other factors round otherwise, and Newton's tolerance of 1e-4 of a step lets some of it through
  CHECK_NEAR(largest(one, odd), 0, 1e-6);
  CHECK_OK(rv_scene_cook(scene, "turn", 6, &start, &error), error);
  assert_true(largest(one, start) > 0.01);
  rv_detail_free(one);
  rv_detail_free(many);
  rv_detail_free(odd);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(a_guide_moves_as_its_hairs))
