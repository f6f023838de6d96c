// A coarse solid of the skin that groomed hair must not enter: the radius of the skin in every direction from its
// centre, as a cube map. It is accurate enough for star-shaped skins such as heads and bodies, takes constant time, and
// is not used for flat or folded skins.
#ifndef RV_MESH_SKIN_HULL_H
#define RV_MESH_SKIN_HULL_H

#include "mesh/skin.h"

enum { RV_HULL_TEXELS = 32 };  // along each side of the six faces of the cube map

typedef struct RvSkinHull {
  bool used;                                        // false: the skin is not star-shaped enough
  RvVec3 centre;                                    // of the skin
  float radius[6][RV_HULL_TEXELS][RV_HULL_TEXELS];  // 0: there is no skin in this direction
} RvSkinHull;

// Builds the hull.
void rv_skin_hull_init(RvSkinHull* hull, const RvSkin* skin);
// Radius in the direction of `offset` (of any length) from the centre, interpolated; 0 if there is no skin.
double rv_skin_hull_radius(const RvSkinHull* hull, RvVec3 offset);

#endif
