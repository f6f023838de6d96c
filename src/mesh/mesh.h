// The closed polygons of a detail as triangles, and what a node must know of them: area, enclosed volume, holes.
//
// Winding is Houdini's everywhere: the vertices of a face run clockwise seen from outside, so the outward normal of
// the triangle a b c is (c - a) x (b - a).
#ifndef RV_MESH_MESH_H
#define RV_MESH_MESH_H

#include "math/vec.h"
#include "rivulet/geo.h"

typedef struct RvMesh {
  size_t npoint;
  const float* points;  // P of the detail, borrowed
  size_t ntriangle;
  int32_t* triangles;  // three points each
  int32_t* prims;      // the primitive each triangle comes from
} RvMesh;

// Curves, VDBs and faces of fewer than three vertices have no triangles. Concave faces are cut at their ears.
RvResult rv_mesh_from_detail(const RvDetail* detail, RvMesh* out, RvError* error);
void rv_mesh_free(RvMesh* mesh);

// Area of the triangle times its outward unit normal.
static inline RvVec3 rv_mesh_area_vector(RvVec3 a, RvVec3 b, RvVec3 c) {
  return rv_scale(rv_cross(rv_sub(c, a), rv_sub(b, a)), 0.5);
}

typedef struct RvMeshFacts {
  double area;
  double volume;         // signed: positive when the faces look outward; of closed meshes only
  size_t open_edges;     // edges of an odd number of triangles; points at the same place count as one
  size_t flipped_edges;  // edges whose two triangles run the same way along them
  double lo[3], hi[3];
} RvMeshFacts;

// Fails on a point that is not finite.
RvResult rv_mesh_measure(const RvMesh* mesh, RvMeshFacts* facts, RvError* error);

typedef struct RvMeshGrid {
  const char* name;
  double voxel_size, band;
  double shell;      // above 0: the distance from both sides of a shell of that thickness, as a mesh with holes needs
  bool exact;        // true distances all through the band, not only next to the surface
  const char* parm;  // sets the voxel size; for messages
} RvMeshGrid;

// The mesh as a level set. Refuses one of too many voxels before any memory is taken.
RvResult rv_mesh_to_grid(const RvMesh* mesh, const RvMeshFacts* facts, const RvMeshGrid* want, RvGrid** out,
                         RvError* error);

#endif
