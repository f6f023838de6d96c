// Drawing from file caches: which files of an earlier run still belong to the values that the scene has now.
#ifndef RV_SCENE_CACHED_H
#define RV_SCENE_CACHED_H

#include "rivulet/scene.h"

// Lets the file caches of a scene read what an earlier run wrote, so that `outputs` can be drawn without simulating.
// `folder` holds the progress file of that run, which lists the values it was cooked with.
// - A cache whose values are those of the run reads its files; nodes that read the same output of a solver read them
//   too.
// - A cache with other values is cooked anew if no solver has to run for it: a change of the look is applied.
// - Otherwise the call fails with RV_BAD_INPUT and says which value differs; with `anyway` the files are read as they
//   are.
RvResult rv_scene_cached_use(RvScene* scene, const char* folder, const char* const* outputs, size_t count, bool anyway,
                             RvError* error);

// *simulated: the node is a solver or upstream of one, so that its values reach a simulation. Unknown nodes are not.
RvResult rv_scene_cached_reaches_solver(RvScene* scene, const char* node, bool* simulated, RvError* error);

#endif
