// What tests ask of meshes, worked out apart from the code under test.
#ifndef RV_TEST_MESH_H
#define RV_TEST_MESH_H

#include "rivulet/geo.h"

typedef struct RvTestMesh {
  size_t points, edges, faces;
  int euler;            // points - edges + faces, of points that faces use
  bool closed;          // every edge twice, once each way
  double area, volume;  // fans about the first corner; volume positive when Houdini's normals look outward
  size_t twins;         // points at the place of another
} RvTestMesh;

RvTestMesh rv_test_mesh(const RvDetail* detail);

#endif
