// Liquid that goes its own way (liquidmode cached): the particles of another solver, which strands are in and capture
// from. What is captured of a particle shrinks it for the rest of the frame; the host remembers it by id.
#ifndef RV_WET_CACHED_H
#define RV_WET_CACHED_H

#include "liquid/liquid.h"

typedef struct RvWetCached {
  RvLiquid liquid;          // as it is in the substep
  RvParticles frame;        // as it is at the frame, whole
  double* volume;           // [frame] m3 left of each particle
  double* volume_at_start;  // [frame] m3 left of it when the frame began
} RvWetCached;

RvResult rv_wet_cached_init(RvWetCached* cached, const RvLiquidModel* model, RvError* error);
void rv_wet_cached_free(RvWetCached* cached);
// Room for the volumes of the frame's particles, which are there.
RvResult rv_wet_cached_reserve(RvWetCached* cached, RvError* error);
// The particles `before` seconds before the frame, each on the straight path of its velocity.
RvResult rv_wet_cached_place(RvWetCached* cached, double before, RvError* error);
// After capture: what is left of each.
void rv_wet_cached_count(RvWetCached* cached);

#endif
