// Material of a liquid: density, flow, tension and contact angle that its particles bring.
#ifndef RV_NODE_SOLVER_LIQUID_MATERIAL_H
#define RV_NODE_SOLVER_LIQUID_MATERIAL_H

#include "node/solver/solver.h"
#include "node/solver/wet_parms.h"

// Means over the particles, weighed by volume; 0: no particle brings the value. SI; contactangle in degrees.
typedef struct RvLiquidMaterial {
  double density, viscosity, surfacetension, contactangle;
  // The flow beside the viscosity, which is its consistency; only where flowindex is above 0.
  double yieldstress, flowindex, shearmodulus;
  double solids;  // of its films
} RvLiquidMaterial;

// The values that particles have as attributes of the node material, or by the name of a preset in `material`.
RvLiquidMaterial rv_liquid_material_read(const RvDetail* particles);
// Puts them in the place of the parameters: of the bulk, and of the film that comes out of it.
void rv_liquid_material_apply(const RvLiquidMaterial* material, RvWetParms* parms);
// At the start frame: warns of parameters that were set and that the material overrides, of mixtures and of names that
// are no preset.
void rv_liquid_material_note(const RvCook* cook, const RvLiquidMaterial* material, const RvDetail* particles);

#endif
