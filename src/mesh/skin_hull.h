// What hair must not grow into: the skin seen from its own centre, as a radius for every direction. Exact
// enough for heads and bodies of animals' fur (star-shaped skins), constant in cost, and empty for flat or
// folded ones.
#ifndef RV_MESH_SKIN_HULL_H
#define RV_MESH_SKIN_HULL_H

#include "mesh/skin.h"

enum { RV_HULL_TEXELS = 32 };  // a side of each of the six faces of a cube about the centre

typedef struct RvSkinHull {
  bool used;
  RvVec3 centre;
  float radius[6][RV_HULL_TEXELS][RV_HULL_TEXELS];  // 0: the skin does not reach here
} RvSkinHull;

void rv_skin_hull_init(RvSkinHull* hull, const RvSkin* skin);
// Radius in the direction of `offset` from the centre (any length).
double rv_skin_hull_radius(const RvSkinHull* hull, RvVec3 offset);

#endif
