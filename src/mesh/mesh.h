// Triangle meshes made from the closed polygons of a detail; their area, enclosed volume and open edges; level sets of
// meshes.
//
// Winding is Houdini's everywhere: the vertices of a face run clockwise seen from outside, so the outward normal of
// the triangle a b c is (c - a) x (b - a).
#ifndef RV_MESH_MESH_H
#define RV_MESH_MESH_H

#include "math/vec.h"
#include "rivulet/geo.h"

// A triangle mesh.
typedef struct RvMesh {
  size_t npoint;
  const float* points;  // P of the detail, borrowed
  size_t ntriangle;
  int32_t* triangles;  // indices of three points each
  int32_t* prims;      // the primitive each triangle comes from
} RvMesh;

// Triangulates the polygons of a detail, by ear clipping where they are concave. Curves, VDBs and faces of fewer than
// three vertices are skipped. The detail must outlive the mesh; the caller frees it by rv_mesh_free.
RvResult rv_mesh_from_detail(const RvDetail* detail, RvMesh* out, RvError* error);
// Frees the triangles and clears the struct.
void rv_mesh_free(RvMesh* mesh);

// Area of the triangle times its outward unit normal.
static inline RvVec3 rv_mesh_area_vector(RvVec3 a, RvVec3 b, RvVec3 c) {
  return rv_scale(rv_cross(rv_sub(c, a), rv_sub(b, a)), 0.5);
}

// Measures of a mesh, in units of the scene.
typedef struct RvMeshFacts {
  double area;
  double volume;         // signed: positive if the normals point outward; only meaningful for closed meshes
  size_t open_edges;     // edges of an odd number of triangles; points at the same position count as one
  size_t flipped_edges;  // edges whose two triangles have opposite orientation
  double lo[3], hi[3];   // bounding box
} RvMeshFacts;

// Measures a mesh. RV_BAD_INPUT if a point of a triangle is not finite.
RvResult rv_mesh_measure(const RvMesh* mesh, RvMeshFacts* facts, RvError* error);

// Settings of a level set.
typedef struct RvMeshGrid {
  const char* name;
  double voxel_size;  // in units of the scene
  double band;        // half width of the narrow band, in voxels
  double shell;       // thickness; above 0 the mesh becomes a shell with two sides, as an open mesh needs
  bool exact;         // exact distances in the whole band, not only next to the surface
  const char* parm;   // parameter that sets the voxel size; for messages
} RvMeshGrid;

// Converts a mesh to a level set. The caller releases *out by rv_grid_release. RV_LIMIT, before memory is allocated, if
// it would have too many voxels.
RvResult rv_mesh_to_grid(const RvMesh* mesh, const RvMeshFacts* facts, const RvMeshGrid* want, RvGrid** out,
                         RvError* error);

#endif
