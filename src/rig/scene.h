// A scene given as text, for the checks: parsed and cooked; its warnings are collected.
#ifndef RV_RIG_SCENE_H
#define RV_RIG_SCENE_H

#include "rivulet/scene.h"

// What the reports of the frames of a run say.
typedef struct RvSceneFigures {
  double film;           // m3, at the last frame
  double dripped;        // m3, bulk and killed at the last frame
  double clumps;         // of the last frame
  double fewest_clumps;  // of all frames after the first; INFINITY: there was none
  double drift;          // largest error of the ledger, relative
  double iterations;     // most of a substep, of all frames
} RvSceneFigures;

typedef struct RvSceneRig {
  RvScene* scene;
  RvSceneFigures figures;
  int warnings;     // their number
  char text[2000];  // their texts, one a line, cut off at the end
} RvSceneRig;

// Parses a scene of 24 frames a second, metres, frames 1 to 48. `nodes` is the text within the braces of "nodes".
RvResult rv_rig_scene_open(RvSceneRig* rig, const char* nodes, RvError* error);
// Cooks an output at a frame and copies it: the scene's own is freed by the next call.
RvResult rv_rig_scene_cook(RvSceneRig* rig, const char* output, double frame, RvDetail** out, RvError* error);
// Cooks the node "s" from frame 1 to `last`, and takes the figures of its frames.
RvResult rv_rig_scene_run(RvSceneRig* rig, int last, RvError* error);
// Frees the scene.
void rv_rig_scene_close(RvSceneRig* rig);
// The number at the start of the first warning that contains `words`: "12 of 500 strands sag" gives 12. 0: no such
// warning.
double rv_rig_scene_warned(const RvSceneRig* rig, const char* words);

// Error of a frame's ledger relative to what came in: bulk + film + absorbed + sinks = initial + sources.
double rv_rig_scene_ledger_error(const RvLedger* ledger);

#endif
