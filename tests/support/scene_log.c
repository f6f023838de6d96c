#include "support/scene_log.h"

#include <stdio.h>
#include <string.h>

#include "scene/host.h"
#include "support/rv_test.h"

static void on_message(void* user, RvLevel level, const char* node, double frame, const char* text) {
  (void)node;
  (void)frame;
  RvTestLog* log = user;
  if (level != RV_LEVEL_WARNING) return;
  log->warnings++;
  size_t used = strlen(log->text);
  snprintf(log->text + used, sizeof log->text - used, "%s\n", text);
}

RvScene* rv_test_scene(const char* nodes, RvTestLog* log) {
  RvError error = {0};
  RvScene* scene;
  char text[8000];
  int n = snprintf(text, sizeof text, "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 48], \"nodes\": {%s}}", nodes);
  assert_true(n > 0 && n < (int)sizeof text);
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  *log = (RvTestLog){0};
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = log, .message = on_message});
  return scene;
}

const RvDetail* rv_test_scene_cook(RvScene* scene, const char* output, double frame) {
  RvError error = {0};
  const RvDetail* out = NULL;
  CHECK_OK(rv_scene_cook(scene, output, frame, &out, &error), error);
  return out;
}

RvDetail* rv_test_scene_copy(RvScene* scene, const char* output, double frame) {
  RvDetail* copy = rv_detail_copy(rv_test_scene_cook(scene, output, frame));
  assert_non_null(copy);
  return copy;
}

uint64_t rv_test_scene_hash(RvScene* scene, const char* output, double frame) {
  const RvDetail* out = rv_test_scene_cook(scene, output, frame);
  char node[64];
  snprintf(node, sizeof node, "%.*s", (int)strcspn(output, ":"), output);
  const RvNodeType* type = rv_scene_graph_find(scene, node)->type;
  if (!(type->flags & RV_NODE_SOLVER) || !rv_detail_find(out, RV_GLOBAL, RV_STATE_VERSION)) return rv_detail_hash(out);
  uint64_t hash = rv_node_state_hash(type, out);
  assert_true(hash != 0);
  return hash;
}

void rv_test_scene_quiet(RvScene* scene, const RvTestLog* log) {
  if (log->warnings) fail_msg("%s", log->text);
  rv_scene_free(scene);
}

double rv_test_volume(const RvDetail* detail) {
  const double* volume = rv_detail_f64(detail, RV_POINT, "volume", 1);
  double sum = 0;
  for (size_t i = 0; i < rv_detail_count(detail, RV_POINT); ++i) sum += volume[i];
  return sum;
}
