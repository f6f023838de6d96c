// A mesh to grow hair on: its faces as parametric patches, smooth normals, area-uniform sites that do not
// depend on how many are asked for, and evaluation of a site.
//
// A site is (primitive, u, v) in Houdini's parametric spaces, so that skinprim and skinprimuv mean the same
// there: triangles P0 (1-u-v) + P1 u + P2 v; quads bilinear, P0 (1-u)(1-v) + P1 (1-u) v + P2 u v + P3 u
// (1-v); larger polygons a fan about the mean of their vertices, u running once round the boundary and v from
// it (0) to the mean (1).
#ifndef RV_MESH_SKIN_H
#define RV_MESH_SKIN_H

#include "math/vec.h"
#include "rivulet/geo.h"

typedef struct RvSite {
  int32_t prim;
  double u, v;
} RvSite;

typedef struct RvSkin {
  const RvDetail* detail;  // borrowed
  const float* P;
  const int32_t* start;
  const int32_t* vertex_point;
  size_t npoint, nprim;
  size_t nfacet;  // patches of positive area
  int32_t* facet_prim;
  int32_t* facet_edge;  // edge of the fan, -1 for a triangle or a quad
  double* cumulative;   // area of the facets up to and with this one
  double area;
  RvVec3 centre;   // of the area
  float* normals;  // 3 a point, unit; zero where a point has no face
} RvSkin;

// How a site lies in space.
typedef struct RvSkinFrame {
  RvVec3 position;
  RvVec3 normal;   // unit, smooth
  RvVec3 tangent;  // unit, along u, at right angles to the normal
} RvSkinFrame;

enum {
  RV_SKIN_NEED_AREA = 1,  // a skin without any is an error
  RV_SKIN_OUTWARD = 2,    // normals are the point attribute N where there is one, and look out of a closed skin
};                        // without it they are those of the winding, for skins that are compared with each other

// `prims` (may be NULL) masks the faces that bear hair. Faces without area are left out. `what` names the skin in
// errors
// ("input 1, the skin").
RvResult rv_skin_init(RvSkin* skin, const RvDetail* detail, const uint8_t* prims, unsigned flags, const char* what,
                      RvError* error);
void rv_skin_free(RvSkin* skin);

// Site `index` of stream `stream`: scrambled Sobol points, so every prefix is spread evenly over the area.
RvSite rv_skin_site(const RvSkin* skin, uint64_t seed, uint64_t stream, uint64_t index);
// The primitive must be a face of the skin: rv_skin_has_face.
bool rv_skin_has_face(const RvSkin* skin, int64_t prim);
RvSkinFrame rv_skin_frame(const RvSkin* skin, RvSite site);
// A point attribute's component at the site; `attrib` is any numeric point attribute.
double rv_skin_value(const RvSkin* skin, RvSite site, const RvAttrib* attrib, int component);

// Coordinate `dimension` (0 to 2) of scrambled Sobol point `index`, in [0, 1).
double rv_sobol(uint64_t seed, uint64_t stream, uint64_t index, int dimension);

#endif
