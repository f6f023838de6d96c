// The liquid solver's bits do not depend on the workers, on how a frame was reached, nor on where its state has been.
#include <string.h>

#include "rivulet/scene.h"
#include "scene/host.h"
#include "support/rv_test.h"

enum { LAST = 5 };

// a block that falls and splashes in a tank, in centimetres and at a keyed speed of time, with sizes that are split,
// onto a ball that turns and one that grows, under a spray, with a drain
static const char shot[] =
    "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"metersperunit\": 0.01, \"nodes\": {"
    "\"block\": {\"type\": \"fill\", \"parms\": {\"size\": [13, 17, 11], \"t\": [3, 1, 0], \"particlesep\": 1,"
    "  \"jitter\": 0.5, \"v\": [100, -150, 30]}},"
    "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 4}},"
    "\"turn\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"t\": [5, -8, 0],"
    "  \"rz\": {\"keys\": [[1, 0], [5, 200]]}, \"tx\": {\"keys\": [[1, 9], [5, 0]]}}},"
    "\"grow\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"t\": [-8, -9, 0],"
    "  \"scale\": {\"keys\": [[1, 0.7], [5, 1.3]]}}},"
    "\"one\": {\"type\": \"collider\", \"inputs\": [\"turn\"], \"parms\": {\"voxelsize\": 1.5}},"
    "\"both\": {\"type\": \"merge\", \"inputs\": [\"one\", \"grow\"]},"
    "\"spray\": {\"type\": \"source\", \"parms\": {\"rate\": 0.002, \"vel\": [1, -2, 0], \"spread\": 30, \"size\": [5, "
    "1, 5],"
    "  \"t\": [0, 20, 0], \"sourceid\": 2}},"
    "\"drain\": {\"type\": \"source\", \"parms\": {\"mode\": \"sink\", \"shape\": \"box\", \"size\": [5, 4, 5], \"t\": "
    "[17, -9, 0],"
    "  \"sourceid\": 3}},"
    "\"flows\": {\"type\": \"merge\", \"inputs\": [\"spray\", \"drain\"]},"
    "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"block\", \"both\", \"flows\"], \"parms\": {\"walls\": true, "
    "\"particlesep\": 0.009,"
    "  \"wallsmin\": [-20, -10, -10], \"wallsmax\": [20, 30, 10],"
    "  \"gravity\": [{\"wave\": {\"amplitude\": 4, \"frequency\": 3}}, -9.81, 0],"
    "  \"timescale\": {\"keys\": [[1, 1], [5, 0.6]], \"interp\": \"linear\"}}}}}";

static RvScene* open_shot(void) {
  RvError error = {0};
  RvScene* scene;
  CHECK_OK(rv_scene_parse(shot, strlen(shot), "shot", &scene, &error), error);
  return scene;
}

static uint64_t straight[LAST + 1];

static uint64_t hash(RvScene* scene, double frame) {
  RvError error = {0};
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "s:state", frame, &out, &error), error);
  return rv_detail_hash(out);
}

static int run_straight(void** state) {
  (void)state;
  RvScene* scene = open_shot();
  for (int frame = 1; frame <= LAST; ++frame) straight[frame] = hash(scene, frame);
  rv_scene_free(scene);
  for (int frame = 2; frame <= LAST; ++frame) assert_true(straight[frame] != straight[frame - 1]);
  return 0;
}

static void any_number_of_threads(void** state) {
  (void)state;
  const int workers[] = {1, 2, 16};
  for (size_t i = 0; i < sizeof workers / sizeof *workers; ++i) {
    rv_threads_set(workers[i]);
    RvScene* scene = open_shot();
    assert_true(hash(scene, LAST) == straight[LAST]);
    rv_scene_free(scene);
  }
  rv_threads_set(0);
}

static void scrubbing(void** state) {
  (void)state;
  RvScene* scene = open_shot();
  rv_scene_set_cache_limit(scene, 1 << 16);
  scene->drop_caches = true;
  const int visits[] = {5, 3, 4, 1, 5};
  for (size_t i = 0; i < sizeof visits / sizeof *visits; ++i)
    assert_true(hash(scene, visits[i]) == straight[visits[i]]);
  rv_scene_free(scene);
}

// every frame in a new scene, from a file that holds the state of the frame before
static void from_files(void** state) {
  (void)state;
  RvError error = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/state.bgeo.sc", rv_test_folder());
  for (int frame = 1; frame <= LAST; ++frame) {
    RvScene* scene = open_shot();
    if (frame > 1) {
      RvRun run = {.node = "s", .first = frame, .last = frame, .from_state = path, .from_start = frame - 1};
      CHECK_OK(rv_scene_run(scene, &run, &error), error);
    }
    const RvDetail* out;
    CHECK_OK(rv_scene_cook(scene, "s:state", frame, &out, &error), error);
    if (rv_detail_hash(out) != straight[frame]) fail_msg("frame %d differs", frame);
    CHECK_OK(rv_detail_save(out, path, NULL, &error), error);
    rv_scene_free(scene);
  }
}

// an artist's edit of P is taken, and only then something changes
static void edits_win(void** state) {
  (void)state;
  RvError error = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/edited.bgeo.sc", rv_test_folder());
  RvScene* scene = open_shot();
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "s:state", 4, &out, &error), error);
  RvDetail* copy = rv_detail_copy(out);
  float* P = rv_detail_f32_write(copy, RV_POINT, "P", 3, &error);
  P[3 * 16] += 0.5f;
  CHECK_OK(rv_detail_save(copy, path, NULL, &error), error);
  rv_detail_free(copy);
  rv_scene_free(scene);
  scene = open_shot();
  RvRun run = {.node = "s", .first = 5, .last = 5, .from_state = path, .from_start = 4};
  CHECK_OK(rv_scene_run(scene, &run, &error), error);
  assert_true(hash(scene, 5) != straight[5]);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test_setup(any_number_of_threads, run_straight), cmocka_unit_test(scrubbing),
         cmocka_unit_test(from_files), cmocka_unit_test(edits_win))
