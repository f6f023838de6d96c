// The node `surface` alone, for the checks: liquid of simple shapes, and measures of the surface around it.
#ifndef RV_RIG_SURFACE_H
#define RV_RIG_SURFACE_H

#include "base/array.h"
#include "math/vec.h"
#include "rivulet/node.h"

typedef struct RvDrop {
  RvVec3 x;       // m
  double volume;  // m3
  double pscale;  // m
} RvDrop;
typedef RV_ARRAY(RvDrop) RvDrops;

// Fills a ball with particles on a lattice of that separation, jittered by a part of it; a particle has the volume of
// its cube. False: out of memory.
bool rv_rig_drops_ball(RvDrops* drops, RvVec3 centre, double radius, double separation, double jitter, uint64_t seed);
// The particles as points with `volume`, `pscale`, or both.
RvDetail* rv_rig_drops_detail(const RvDrops* drops, bool volume, bool pscale, RvError* error);
// Adds a strand along x that starts at `from`, `count` points `step` apart, with a film height at each point; m.
RvResult rv_rig_surface_strand(RvDetail* d, RvVec3 from, double step, int count, double radius, const double* height,
                               RvError* error);

// Cooks the node; parms are token, text, ... NULL. The caller frees the outputs.
RvResult rv_rig_surface_cook(const RvDetail* input, const char* const* parms, RvDetail* out[3], RvError* error);
// Measures of the mesh of a level set.
typedef struct RvSurfaceMeasure {
  double volume, area;  // m3, m2
  double radius;        // mean distance of the mesh from its centre, weighted by area, m
  double rough;         // standard deviation of that distance, m
  RvVec3 centre;
  int pieces;    // connected parts
  double voxel;  // size of a voxel, m
} RvSurfaceMeasure;
// Cooks the node and measures its mesh; or measures the mesh of a grid.
RvResult rv_rig_surface_measure(const RvDetail* input, const char* const* parms, RvSurfaceMeasure* out, RvError* error);
RvResult rv_rig_surface_mesh(const RvGrid* grid, RvSurfaceMeasure* out, RvError* error);

#endif
