// Position-based liquid for the checks and benchmarks: boxes of particles in a tank or in free space.
#ifndef RV_RIG_LOOKDEV_LIQUID_H
#define RV_RIG_LOOKDEV_LIQUID_H

#include "lookdev/liquid.h"

typedef struct RvLookdevLiquidRig {
  RvParticles particles;
  RvArena* arena;
  RvLookdevLiquid liquid;
  int64_t next_id;
} RvLookdevLiquidRig;

RvResult rv_rig_lookdev_liquid_new(RvLookdevLiquidRig* rig, const RvLookdevLiquidModel* model, RvError* error);
void rv_rig_lookdev_liquid_free(RvLookdevLiquidRig* rig);
// A lattice of whole particles between `low` and `high` (m), each moved by up to `jitter` of half its spacing.
RvResult rv_rig_lookdev_liquid_fill(RvLookdevLiquidRig* rig, const double low[3], const double high[3], double jitter,
                                    RvError* error);
// A particle of the full volume at a place (m).
RvResult rv_rig_lookdev_liquid_add(RvLookdevLiquidRig* rig, RvVec3 at, RvError* error);
// Place of a particle, m.
RvVec3 rv_rig_lookdev_liquid_at(const RvLookdevLiquidRig* rig, size_t i);
// A frame of `seconds` in equal substeps; particles are sorted at its end, as a node does.
RvResult rv_rig_lookdev_liquid_frame(RvLookdevLiquidRig* rig, double seconds, int substeps, RvError* error);

#endif
