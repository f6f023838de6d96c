// A scene in a text, for the checks: parsed, cooked, and what it warned of.
#ifndef RV_RIG_SCENE_H
#define RV_RIG_SCENE_H

#include "rivulet/scene.h"

typedef struct RvSceneRig {
  RvScene* scene;
  int warnings;
  char text[2000];  // the warnings, one a line
} RvSceneRig;

// `nodes` is what stands within the braces of "nodes"; 24 frames a second, metres, frames 1 to 48.
RvResult rv_rig_scene_open(RvSceneRig* rig, const char* nodes, RvError* error);
// Copies an output, as the scene's goes with the next call.
RvResult rv_rig_scene_cook(RvSceneRig* rig, const char* output, double frame, RvDetail** out, RvError* error);
void rv_rig_scene_close(RvSceneRig* rig);
// The first number of the first warning that has `words`, 0 without one: "12 of 500 strands sag" gives 12.
double rv_rig_scene_warned(const RvSceneRig* rig, const char* words);

#endif
