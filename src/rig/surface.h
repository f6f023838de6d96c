// The node surface on a bench: liquid made of shapes, and what the surface around it measures.
#ifndef RV_RIG_SURFACE_H
#define RV_RIG_SURFACE_H

#include "base/array.h"
#include "math/vec.h"
#include "rivulet/node.h"

typedef struct RvDrop {
  RvVec3 x;
  double volume, pscale;
} RvDrop;
typedef RV_ARRAY(RvDrop) RvDrops;

// A ball filled at a separation, jittered; every particle has the volume of its cube. False: no memory.
bool rv_rig_drops_ball(RvDrops* drops, RvVec3 centre, double radius, double separation, double jitter, uint64_t seed);
// As points, with `volume` or `pscale` or both.
RvDetail* rv_rig_drops_detail(const RvDrops* drops, bool volume, bool pscale, RvError* error);
// Adds a strand along x from `from` on, `count` points `step` apart, with films of the heights at its points.
RvResult rv_rig_surface_strand(RvDetail* d, RvVec3 from, double step, int count, double radius, const double* height,
                               RvError* error);

// Cooks the node; parms are token, text, ... NULL. Outputs are the caller's.
RvResult rv_rig_surface_cook(const RvDetail* input, const char* const* parms, RvDetail* out[3], RvError* error);
// The same, and only what the mesh of the level set encloses is wanted.
typedef struct RvSurfaceMeasure {
  double volume, area;
  double radius;  // mean distance of the mesh from its centre, by area
  double rough;   // root mean square of the same less its mean
  RvVec3 centre;
  int pieces;  // connected parts
  double voxel;
} RvSurfaceMeasure;
RvResult rv_rig_surface_measure(const RvDetail* input, const char* const* parms, RvSurfaceMeasure* out, RvError* error);
RvResult rv_rig_surface_mesh(const RvGrid* grid, RvSurfaceMeasure* out, RvError* error);

#endif
