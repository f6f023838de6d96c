// The laws of the materials that the particles of a liquid are of.
#ifndef RV_NODE_SOLVER_LIQUID_MIXTURE_H
#define RV_NODE_SOLVER_LIQUID_MIXTURE_H

#include "geo/detail.h"
#include "liquid/mixture.h"

// What particles are of that bring no material.
typedef struct RvLiquidStandard {
  RvRheology law;
  double density, tension;  // kg/m3, N/m
} RvLiquidStandard;

// Finds the material of every row of `points`: its own numbers (viscosity above 0), those of the preset that its
// material names, or `standard`. `of_row` is allocated, also where there is one material only. More than
// RV_LIQUID_MOST_MATERIALS: *too_many, and count is 0.
RvResult rv_liquid_mixture_read(const RvDetail* points, const RvLiquidStandard* standard, RvLiquidMaterials* materials,
                                uint8_t** of_row, bool* too_many, RvError* error);

#endif
