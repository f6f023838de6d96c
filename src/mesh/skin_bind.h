// Where on a skin the point nearest to each of many lies, by a tree of its faces.
#ifndef RV_MESH_SKIN_BIND_H
#define RV_MESH_SKIN_BIND_H

#include "mesh/skin.h"

// Faces are taken as triangles: quads as two, larger ones as fans about their middle. The site's parameters are found
// on the face's own patch, to a thousandth of it. A skin without faces gives sites of primitive -1.
RvResult rv_skin_bind(const RvSkin* skin, size_t count, const RvVec3* points, RvSite* sites, RvError* error);

#endif
