#include "support/shot.h"

#include <string.h>
#include "scene/host.h"
#include "support/rv_test.h"

RvScene* rv_test_shot_open(const RvTestShot* shot) {
  RvError error = {0};
  RvScene* scene;
  CHECK_OK(rv_scene_parse(shot->text, strlen(shot->text), "shot", &scene, &error), error);
  return scene;
}

// The hash that the report of the frame tells.
static uint64_t hash_of(const RvScene* scene, const RvDetail* state) {
  uint64_t hash = rv_node_state_hash(rv_scene_graph_find(scene, "s")->type, state);
  assert_true(hash != 0);
  return hash;
}

static uint64_t hash(RvScene* scene, double frame) {
  RvError error = {0};
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "s:state", frame, &out, &error), error);
  return hash_of(scene, out);
}

void rv_test_shot_run(RvTestShot* shot) {
  RvScene* scene = rv_test_shot_open(shot);
  assert_true(shot->last >= 5 && shot->last <= RV_TEST_SHOT_LAST);
  for (int frame = 1; frame <= shot->last; ++frame) shot->straight[frame] = hash(scene, frame);
  rv_scene_free(scene);
  for (int frame = 2; frame <= shot->last; ++frame) assert_true(shot->straight[frame] != shot->straight[frame - 1]);
}

void rv_test_shot_workers(const RvTestShot* shot) {
  for (const int* workers = shot->workers; *workers; ++workers) {
    rv_threads_set(*workers);
    RvScene* scene = rv_test_shot_open(shot);
    assert_true(hash(scene, shot->last) == shot->straight[shot->last]);
    rv_scene_free(scene);
  }
  rv_threads_set(0);
}

void rv_test_shot_scrub(const RvTestShot* shot) {
  RvScene* scene = rv_test_shot_open(shot);
  rv_scene_set_cache_limit(scene, 1 << 16);
  scene->drop_caches = true;
  for (const int* visit = shot->visits; *visit; ++visit) assert_true(hash(scene, *visit) == shot->straight[*visit]);
  rv_scene_free(scene);
}

// every frame in a new scene, from a file that holds the state of the frame before
void rv_test_shot_files(const RvTestShot* shot) {
  RvError error = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/state.bgeo.sc", rv_test_folder());
  for (int frame = 1; frame <= shot->last; ++frame) {
    RvScene* scene = rv_test_shot_open(shot);
    if (frame > 1) {
      RvRun run = {.node = "s", .first = frame, .last = frame, .from_state = path, .from_start = frame - 1};
      CHECK_OK(rv_scene_run(scene, &run, &error), error);
    }
    const RvDetail* out;
    CHECK_OK(rv_scene_cook(scene, "s:state", frame, &out, &error), error);
    if (hash_of(scene, out) != shot->straight[frame]) fail_msg("frame %d differs", frame);
    CHECK_OK(rv_detail_save(out, path, NULL, &error), error);
    rv_scene_free(scene);
  }
}

// an artist's edit of P is taken, and only then something changes
void rv_test_shot_edit(const RvTestShot* shot) {
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
  assert_true(hash(scene, 5) != shot->straight[5]);
  rv_scene_free(scene);
}
