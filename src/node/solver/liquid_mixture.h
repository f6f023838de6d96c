// The laws of the materials that the particles of a liquid are of.
#ifndef RV_NODE_SOLVER_LIQUID_MIXTURE_H
#define RV_NODE_SOLVER_LIQUID_MIXTURE_H

#include "geo/detail.h"
#include "liquid/mixture.h"

// The material of particles that bring none.
typedef struct RvLiquidStandard {
  RvRheology law;
  double density, tension;  // kg/m3, N/m
} RvLiquidStandard;

// Finds the material of every row of `points`: its own numbers (the law where its viscosity is above 0, density and
// surface tension each where above 0), else those of the preset that its material names, else those of `standard`.
// `of_row` is allocated, also where there is one material only. More than RV_LIQUID_MOST_MATERIALS: *too_many, and
// count is 0.
RvResult rv_liquid_mixture_read(const RvDetail* points, const RvLiquidStandard* standard, RvLiquidMaterials* materials,
                                uint8_t** of_row, bool* too_many, RvError* error);

#endif
