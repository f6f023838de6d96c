// What the files of the sources share.
#ifndef RV_LIQUID_SOURCE_WORK_H
#define RV_LIQUID_SOURCE_WORK_H

#include "liquid/source.h"

// the random numbers of a source
#define RV_SOURCE_STREAM(id) (0x736f7572ull << 32 | (uint32_t)(id))

// A direction of the cone around `base` for particle `number` of the source.
RvVec3 rv_liquid_source_spread(const RvLiquidSource* source, const RvSourceSettings* settings, RvVec3 base,
                               int64_t number);
// Room for `more` particles, or a refusal.
RvResult rv_liquid_source_room(const RvLiquidSource* source, const RvSourceSettings* settings, RvParticles* particles,
                               double more, RvError* error);
// One particle of that volume; false when out of memory or range.
bool rv_liquid_source_add(const RvLiquidSource* source, const RvSourceSettings* settings, RvParticles* particles,
                          RvVec3 at, RvVec3 velocity, double volume, double age, int64_t id);
// Keeps the region full.
RvResult rv_liquid_source_fill(const RvLiquidSource* source, RvSourceState* state, const RvSourceSettings* settings,
                               RvParticles* particles, int64_t* next_id, RvLiquidFlow* flow, RvError* error);

#endif
