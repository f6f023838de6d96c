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

#endif
