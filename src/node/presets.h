// The presets of liquids (presets.def), for the node material and for solvers whose particles name one.
#ifndef RV_NODE_PRESETS_H
#define RV_NODE_PRESETS_H

#include <stddef.h>

// A preset of a liquid, SI units; contactangle in degrees.
typedef struct RvLiquidPreset {
  const char* token;
  const char* label;
  double density, bulkmodulus, shearmodulus, yieldstress, consistency, flowindex, surfacetension, contactangle, solids;
} RvLiquidPreset;

// The presets in the order of their menu.
extern const RvLiquidPreset rv_liquid_presets[];
extern const size_t rv_liquid_preset_count;

// The preset of a token; NULL: there is none.
const RvLiquidPreset* rv_liquid_preset_find(const char* token);

#endif
