// The strand solver's bits do not depend on the workers, on how a frame was reached, nor on where its state has been.
#include <string.h>

#include "rivulet/scene.h"
#include "scene/host.h"
#include "support/rv_test.h"

enum { LAST = 6 };

// strands of two counts, so that batches are not full; an animated head, which with the shoulder is one solid that
// changes its shape; a ball beside it that moves as one; wind, goals and a keyed speed of time
static const char shot[] =
    "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 6], \"metersperunit\": 0.01, \"nodes\": {"
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 10}},"
    "\"a\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 45, \"length\": 12, \"points\": 17,"
    "  \"style\": \"curly\", \"curlradius\": 0.6, \"curlpitch\": 3}},"
    "\"b\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 13, \"length\": 9, \"points\": 9,"
    "  \"seed\": 3}},"
    "\"all\": {\"type\": \"merge\", \"inputs\": [\"a\", \"b\"]},"
    "\"goal\": {\"type\": \"attribute\", \"inputs\": [\"all\"], \"parms\": {\"name\": \"targetweight\","
    "  \"value\": [0.02, 0, 0, 0]}},"
    "\"turn\": {\"type\": \"transform\", \"inputs\": [\"goal\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [8, 120]],"
    "  \"interp\": \"smooth\", \"extend\": \"hold\"}, \"t\": [{\"wave\": {\"amplitude\": 4, \"frequency\": 2}}, 0, "
    "0]}},"
    "\"core\": {\"type\": \"sphere\", \"parms\": {\"radius\": 10, \"rows\": 7, \"cols\": 12}},"
    "\"head\": {\"type\": \"transform\", \"inputs\": [\"core\"], \"parms\": {"
    "  \"t\": [{\"wave\": {\"amplitude\": 4, \"frequency\": 2}}, 0, 0]}},"
    "\"shoulder\": {\"type\": \"sphere\", \"parms\": {\"radius\": 7, \"rows\": 7, \"cols\": 12, \"t\": [0, -17, 0]}},"
    "\"skin\": {\"type\": \"merge\", \"inputs\": [\"head\", \"shoulder\"]},"
    "\"body\": {\"type\": \"collider\", \"inputs\": [\"skin\"], \"parms\": {\"voxelsize\": 3}},"
    "\"bob\": {\"type\": \"sphere\", \"parms\": {\"radius\": 3, \"rows\": 7, \"cols\": 12}},"
    "\"swing\": {\"type\": \"transform\", \"inputs\": [\"bob\"], \"parms\": {\"t\": [16, {\"keys\": [[1, 8], [10, "
    "-16]], "
    "\"interp\": \"smooth\"}, 0]}},"
    "\"other\": {\"type\": \"collider\", \"inputs\": [\"swing\"], \"parms\": {\"voxelsize\": 2}},"
    "\"solids\": {\"type\": \"merge\", \"inputs\": [\"body\", \"other\"]},"
    "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"solids\"], \"parms\": {\"hairradius\": 5e-5, "
    "\"strandcollisions\": true, \"inertiascale\": "
    "0.7,"
    "  \"wind\": [{\"wave\": {\"amplitude\": 2, \"frequency\": 3}}, 0, 1],"
    "  \"timescale\": {\"keys\": [[1, 1], [10, 0.6]], \"interp\": \"linear\"}}}}}";

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
  // strands touch each other and the solids, or nothing would be shown of their memory
  RvError error = {0};
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "s:state", LAST, &out, &error), error);
  assert_non_null(rv_detail_find(out, RV_GLOBAL, "rv_links"));
  assert_non_null(rv_detail_find(out, RV_GLOBAL, "rv_touches"));
  rv_scene_free(scene);
  for (int frame = 2; frame <= LAST; ++frame) assert_true(straight[frame] != straight[frame - 1]);
  return 0;
}

static void any_number_of_threads(void** state) {
  (void)state;
  const int workers[] = {1, 3, 16};
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
  const int visits[] = {6, 3, 1, 5};
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
  P[3 * 16] += 1;
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
