// Closest points on a skin, found by a tree of its faces.
#ifndef RV_MESH_SKIN_BIND_H
#define RV_MESH_SKIN_BIND_H

#include "mesh/skin.h"

// Finds the site of the skin closest to each of `count` points. The closest face is found with faces as triangles:
// quads as two, larger ones as fans about their mean. The site is then searched on the face's own patch, to about a
// thousandth of its parametric size. A skin without faces gives sites of primitive -1.
RvResult rv_skin_bind(const RvSkin* skin, size_t count, const RvVec3* points, RvSite* sites, RvError* error);

#endif
