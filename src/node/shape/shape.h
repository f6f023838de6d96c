// What the nodes that make simple meshes share: points and faces are put one by one into arrays of known size.
#ifndef RV_NODE_SHAPE_SHAPE_H
#define RV_NODE_SHAPE_SHAPE_H

#include "math/vec.h"
#include "rivulet/geo.h"

typedef struct RvShape {
  size_t npoint, nface, nvertex;
  float* points;
  int32_t* face_size;
  int32_t* corners;
  float* normals;  // one a vertex, or NULL
} RvShape;

// Room for so many; `normals` asks for a normal a vertex.
RvResult rv_shape_begin(RvShape* shape, size_t points, size_t faces, size_t vertices, bool normals, RvError* error);
int32_t rv_shape_point(RvShape* shape, RvVec3 position);
// Corners clockwise seen from outside (Houdini's winding). `normal` has one entry a corner, or is NULL.
void rv_shape_face(RvShape* shape, int count, const int32_t* corners, const RvVec3* normal);
// The detail, with N on vertices (or on points, where all faces of a point agree) if it was asked for. Frees the
// shape.
RvResult rv_shape_end(RvShape* shape, bool point_normals, RvDetail** out, RvError* error);
void rv_shape_free(RvShape* shape);

#endif
