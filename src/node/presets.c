#include "node/presets.h"

#include <string.h>

const RvLiquidPreset rv_liquid_presets[] = {
#define RV_LIQUID(token, label, ...) {#token, label, __VA_ARGS__},
#define RV_HAIR(...)
#include "node/presets.def"
#undef RV_LIQUID
#undef RV_HAIR
};
const size_t rv_liquid_preset_count = sizeof rv_liquid_presets / sizeof *rv_liquid_presets;

const RvLiquidPreset* rv_liquid_preset_find(const char* token) {
  for (size_t i = 0; i < rv_liquid_preset_count; ++i)
    if (strcmp(rv_liquid_presets[i].token, token) == 0) return &rv_liquid_presets[i];
  return NULL;
}
