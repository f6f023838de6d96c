#include "support/shot.h"

#include <string.h>
#include "scene/host.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

RvScene* rv_test_shot_open(const RvTestShot* shot) {
  RvError error = {0};
  RvScene* scene;
  CHECK_OK(rv_scene_parse(shot->text, strlen(shot->text), "shot", &scene, &error), error);
  return scene;
}

int rv_test_shot_run(void** state) {
  RvTestShot* shot = *state;
  RvScene* scene = rv_test_shot_open(shot);
  assert_true(shot->last >= 5 && shot->last <= RV_TEST_SHOT_LAST);
  for (int frame = 1; frame <= shot->last; ++frame) shot->straight[frame] = rv_test_scene_hash(scene, "s:state", frame);
  rv_scene_free(scene);
  for (int frame = 2; frame <= shot->last; ++frame) assert_true(shot->straight[frame] != shot->straight[frame - 1]);
  return 0;
}

void rv_test_shot_workers(void** state) {
  const RvTestShot* shot = *state;
  for (const int* workers = shot->workers; *workers; ++workers) {
    rv_threads_set(*workers);
    RvScene* scene = rv_test_shot_open(shot);
    assert_true(rv_test_scene_hash(scene, "s:state", shot->last) == shot->straight[shot->last]);
    rv_scene_free(scene);
  }
  rv_threads_set(0);
}

void rv_test_shot_scrub(void** state) {
  const RvTestShot* shot = *state;
  RvScene* scene = rv_test_shot_open(shot);
  rv_scene_set_cache_limit(scene, 1 << 16);
  scene->drop_caches = true;
  for (const int* visit = shot->visits; *visit; ++visit)
    assert_true(rv_test_scene_hash(scene, "s:state", *visit) == shot->straight[*visit]);
  rv_scene_free(scene);
}

// every frame in a new scene, from a file that holds the state of the frame before
void rv_test_shot_files(void** state) {
  const RvTestShot* shot = *state;
  RvError error = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/state.bgeo.sc", rv_test_folder());
  for (int frame = 1; frame <= shot->last; ++frame) {
    RvScene* scene = rv_test_shot_open(shot);
    if (frame > 1) {
      RvRun run = {.node = "s", .first = frame, .last = frame, .from_state = path, .from_start = frame - 1};
      CHECK_OK(rv_scene_run(scene, &run, &error), error);
    }
    if (rv_test_scene_hash(scene, "s:state", frame) != shot->straight[frame]) fail_msg("frame %d differs", frame);
    CHECK_OK(rv_detail_save(rv_test_scene_cook(scene, "s:state", frame), path, NULL, &error), error);
    rv_scene_free(scene);
  }
}

// an artist's edit of P is taken, and only then something changes
void rv_test_shot_edit(void** state) {
  const RvTestShot* shot = *state;
  RvError error = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/edited.bgeo.sc", rv_test_folder());
  RvScene* scene = rv_test_shot_open(shot);
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "s:state", 4, &out, &error), error);
  RvDetail* copy = rv_detail_copy(out);
  float* P = rv_detail_f32_write(copy, RV_POINT, "P", 3, &error);
  P[3 * 16] += shot->edit;
  CHECK_OK(rv_detail_save(copy, path, NULL, &error), error);
  rv_detail_free(copy);
  rv_scene_free(scene);
  scene = rv_test_shot_open(shot);
  RvRun run = {.node = "s", .first = 5, .last = 5, .from_state = path, .from_start = 4};
  CHECK_OK(rv_scene_run(scene, &run, &error), error);
  assert_true(rv_test_scene_hash(scene, "s:state", 5) != shot->straight[5]);
  rv_scene_free(scene);
}
