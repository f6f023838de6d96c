// Triangulation of polygons. There is one for all of Rivulet, so that the simulated surface is the drawn one.
#ifndef RV_GEO_TRIANGULATE_H
#define RV_GEO_TRIANGULATE_H

#include "rivulet/base.h"

// Concave faces with more corners than this are cut as fans, whose triangles may lie outside of them. It bounds the
// O(n^2) time of ear cutting and its stack memory.
enum { RV_TRIANGULATE_MAX = 1024 };

// Cuts a face of `count` (at least 3) corners into count - 2 triangles with the winding of the face. Each triangle in
// `out` is three corner numbers, 0 .. count - 1. Corner i is at points[3 * corner[i]].
// Convex faces are cut as fans; concave faces by ear cutting, also faces with holes that a double edge joins to the
// outline. A face that crosses itself gets overlapping triangles. Each corner is examined at most 2 x
// RV_TRIANGULATE_MAX times.
void rv_triangulate(const float* points, const int32_t* corner, int count, int32_t* out);

#endif
