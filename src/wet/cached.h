// Liquid that goes its own way (liquidmode cached): the particles of another solver, which strands are in and capture
// from. What is captured of a particle shrinks it for the rest of the frame; the host remembers it by id.
#ifndef RV_WET_CACHED_H
#define RV_WET_CACHED_H

#include "liquid/liquid.h"
#include "math/scalar.h"

typedef struct RvWetCached {
  RvLiquid liquid;    // as it is in the substep
  RvParticles frame;  // as it is at the frame, whole
  double* volume;     // [frame] m3 left of each particle
  double* taken;      // [frame] m3 that the film took of it in this frame, less what it gave back
  double* loss;       // [placed] m3 that it took in the last substep
  RvSum film_gain;    // m3 that the film gained in this frame, less what it gave back
} RvWetCached;

RvResult rv_wet_cached_init(RvWetCached* cached, const RvLiquidModel* model, RvError* error);
void rv_wet_cached_free(RvWetCached* cached);
// Room for the volumes of the frame's particles, which are there.
RvResult rv_wet_cached_reserve(RvWetCached* cached, RvError* error);
// The particles `before` seconds before the frame, each on the straight path of its velocity.
RvResult rv_wet_cached_place(RvWetCached* cached, double before, RvError* error);
// After capture, by which the film gained `film_gain` m3: what is left of each, and what was taken. Both are summed
// from the exchanges themselves: a particle is far larger than what it gives, so differences of its volume would
// cancel.
void rv_wet_cached_count(RvWetCached* cached, double film_gain);

#endif
