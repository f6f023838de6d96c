// A faster, coarser version of a scene by one factor.
#ifndef RV_SCENE_PREVIEW_H
#define RV_SCENE_PREVIEW_H

#include "rivulet/scene.h"

// Divides strands to simulate, particles and substeps by a factor from 1 to 1000, and tells every change as a message of
// its node:
// - `step` of guides is multiplied; a groom that a solver simulates without guides has fewer strands, each of which
//   stands for more hairs (hairsperguide);
// - every particlesep grows by the cube root of the factor;
// - `substeps` of solvers is divided, down to 1.
// Keyed values stay, which is told.
RvResult rv_scene_preview(RvScene* scene, double factor, RvError* error);

#endif
