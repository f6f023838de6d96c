// The skin on which hair grows: faces as parametric patches, smooth normals, and sites that are distributed uniformly
// by area. Site i does not depend on the number of sites.
//
// A site is (primitive, u, v) in Houdini's parametric coordinates, so that skinprim and skinprimuv have the same
// meaning there:
//   triangles        P0 (1-u-v) + P1 u + P2 v
//   quads            bilinear, P0 (1-u)(1-v) + P1 (1-u) v + P2 u v + P3 u (1-v)
//   larger polygons  a fan about the mean of their vertices; u runs once along the boundary, v from it (0) to the mean
//                    (1)
#ifndef RV_MESH_SKIN_H
#define RV_MESH_SKIN_H

#include "math/vec.h"
#include "rivulet/geo.h"

// A point of the skin.
typedef struct RvSite {
  int32_t prim;  // -1: none
  double u, v;   // in [0, 1]
} RvSite;

typedef struct RvSkin {
  const RvDetail* detail;       // borrowed
  const float* P;               // positions of the points, borrowed
  const int32_t* start;         // first vertex of each primitive, borrowed
  const int32_t* vertex_point;  // point of each vertex, borrowed
  size_t npoint, nprim;
  size_t nfacet;        // facets of positive area: triangles, quads, and the triangles of fans
  int32_t* facet_prim;  // primitive of each facet
  int32_t* facet_edge;  // edge of the fan; -1 for a triangle or a quad
  double* cumulative;   // area of the facets up to and including this one
  double area;          // of all facets
  RvVec3 centre;        // area-weighted mean of the faces' centres
  float* normals;       // three per point, unit length; zero if a point has no face
} RvSkin;

// Position and orientation of a site.
typedef struct RvSkinFrame {
  RvVec3 position;
  RvVec3 normal;   // unit, smooth
  RvVec3 tangent;  // unit, along u, at right angles to the normal
} RvSkinFrame;

enum {
  RV_SKIN_NEED_AREA = 1,  // a skin without area is an error
  RV_SKIN_OUTWARD = 2,    // normals are the point attribute N if there is one, else point out of a closed skin. Without
                          // this flag they follow the winding, for skins that are compared with each other
};

// Prepares a skin. `prims` (may be NULL) masks the faces that bear hair; faces without area are left out. `what` names
// the skin in errors ("input 1, the skin"). The detail must outlive the skin; free it by rv_skin_free.
RvResult rv_skin_init(RvSkin* skin, const RvDetail* detail, const uint8_t* prims, unsigned flags, const char* what,
                      RvError* error);
// Frees the arrays and clears the struct.
void rv_skin_free(RvSkin* skin);

// Site `index` of a stream, from scrambled Sobol points: the first n sites are spread evenly over the area for every n.
// The skin must have facets.
RvSite rv_skin_site(const RvSkin* skin, uint64_t seed, uint64_t stream, uint64_t index);
// True if the primitive is a polygon of at least three vertices.
bool rv_skin_has_face(const RvSkin* skin, int64_t prim);
// Position and orientation of a site, whose primitive must be a face (rv_skin_has_face).
RvSkinFrame rv_skin_frame(const RvSkin* skin, RvSite site);
// Least and largest x of the faces that bear hair.
void rv_skin_width(const RvSkin* skin, double* low, double* high);
// Interpolates a component of a numeric point attribute at a site.
double rv_skin_value(const RvSkin* skin, RvSite site, const RvAttrib* attrib, int component);

// Coordinate `dimension` (0 to 2) of the scrambled Sobol point `index`, in [0, 1).
double rv_sobol(uint64_t seed, uint64_t stream, uint64_t index, int dimension);

#endif
