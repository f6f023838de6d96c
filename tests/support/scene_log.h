// Scenes in tests: opened from their nodes, with the warnings they give kept as text.
#ifndef RV_TEST_SCENE_LOG_H
#define RV_TEST_SCENE_LOG_H

#include "rivulet/scene.h"

typedef struct RvTestLog {
  int warnings;
  char text[4000];  // one a line
} RvTestLog;

// A scene of 48 frames at 24 fps with these nodes; its warnings go to `log`, which is cleared.
RvScene* rv_test_scene(const char* nodes, RvTestLog* log);
// An output at a frame, which the next call may free; a copy of it, which is the caller's; and its hash, which for
// states is that of reports and checkpoints. A failure ends the test.
const RvDetail* rv_test_scene_cook(RvScene* scene, const char* output, double frame);
RvDetail* rv_test_scene_copy(RvScene* scene, const char* output, double frame);
uint64_t rv_test_scene_hash(RvScene* scene, const char* output, double frame);
// Frees a scene that must have given no warning.
void rv_test_scene_quiet(RvScene* scene, const RvTestLog* log);
// Sum of the point attribute `volume`, m3.
double rv_test_volume(const RvDetail* detail);

#endif
