// Liquid of particles, for the checks and benchmarks: boxes of particles, tanks, and sums over them.
#ifndef RV_RIG_LIQUID_H
#define RV_RIG_LIQUID_H

#include "liquid/liquid.h"
#include "math/vec.h"

typedef struct RvLiquidRig {
  RvLiquid liquid;
  RvSolidShape shape[4];  // solids, at most four
  RvSolidShapes shapes;   // view of `shape`
} RvLiquidRig;

// An empty liquid without solids.
RvResult rv_rig_liquid_new(RvLiquidRig* rig, const RvLiquidModel* model, RvError* error);
void rv_rig_liquid_free(RvLiquidRig* rig);
// Adds a solid; a fifth is ignored.
void rv_rig_liquid_solid(RvLiquidRig* rig, const RvSolidShape* shape);
// A tank from `low` to `high`, with the sides of RvSolidShape's open_sides open.
void rv_rig_liquid_tank(RvLiquidRig* rig, const double low[3], const double high[3], unsigned open_sides);
// Eight particles a cell between `low` and `high` (m), each moved by up to `jitter` of half its spacing.
RvResult rv_rig_liquid_fill(RvLiquidRig* rig, const double low[3], const double high[3], double jitter, RvError* error);
// World position of a particle.
RvVec3 rv_rig_liquid_at(const RvLiquidRig* rig, size_t i);

typedef struct RvLiquidSums {
  double volume;                       // m3
  RvVec3 center;                       // of mass, m
  RvVec3 linear, angular;              // momentum kg m/s; angular momentum about `about` with the affine part, kg m2/s
  double scale_linear, scale_angular;  // sums of the absolute values, to which errors are relative
} RvLiquidSums;

// The affine part counts as the grid sees it: the second moment of linear weights is dx^2 f (1 - f) along each axis.
RvLiquidSums rv_rig_liquid_sums(const RvLiquidRig* rig, RvVec3 about);

#endif
