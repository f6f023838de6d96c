// Builder of simple meshes: points and faces are appended to arrays of known size.
#ifndef RV_NODE_SHAPE_SHAPE_H
#define RV_NODE_SHAPE_SHAPE_H

#include "math/vec.h"
#include "rivulet/geo.h"

typedef struct RvShape {
  size_t npoint, nface, nvertex;  // appended so far
  float* points;                  // [points][3]
  int32_t* face_size;             // [faces] corners
  int32_t* corners;               // [vertices] points
  float* normals;                 // [vertices][3], or NULL
} RvShape;

// Allocates the arrays; `normals`: with a normal for each vertex.
RvResult rv_shape_begin(RvShape* shape, size_t points, size_t faces, size_t vertices, bool normals, RvError* error);
// Appends a point; returns its number.
int32_t rv_shape_point(RvShape* shape, RvVec3 position);
// Appends a face; corners clockwise seen from outside (Houdini's winding). `normal`: one entry a corner, or NULL.
void rv_shape_face(RvShape* shape, int count, const int32_t* corners, const RvVec3* normal);
// Makes the detail and frees the shape. Normals become N of vertices, or of points if all faces at a point share them.
RvResult rv_shape_end(RvShape* shape, bool point_normals, RvDetail** out, RvError* error);
void rv_shape_free(RvShape* shape);

#endif
