// Faces cut into triangles: the one way of it, so that what is simulated is what is drawn.
#ifndef RV_GEO_TRIANGULATE_H
#define RV_GEO_TRIANGULATE_H

#include "rivulet/base.h"

// Concave faces of more corners than this are cut as fans, which may reach outside them: time must stay bounded.
enum { RV_TRIANGULATE_MAX = 1024 };

// Cuts a face of `count` (at least 3) corners into count - 2 triangles of its corners' numbers, 0 .. count - 1, wound
// as the face is. points[3 * corner[i]] is the place of corner i. Concave faces are cut at their ears, also with holes
// that a double edge joins to the rim; one that crosses itself gets triangles that overlap. At most 2 x
// RV_TRIANGULATE_MAX looks at a corner for each corner.
void rv_triangulate(const float* points, const int32_t* corner, int count, int32_t* out);

#endif
