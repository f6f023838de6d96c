// Where liquid leaves (WH-43): sinks, open sides of a domain, kill boxes. The order of calls is in liquid/source.h.
#ifndef RV_LIQUID_SINK_H
#define RV_LIQUID_SINK_H

#include "liquid/particles.h"
#include "liquid/region.h"
#include "rivulet/geo.h"

// Totals of sources and sinks; each call adds to them.
typedef struct RvLiquidFlow {
  double sources, killed, outflow;  // m^3, as in RvLedger
  size_t born, removed;             // particles
  size_t idle;                      // active sources that gave nothing, as their shape has no area or no inside
} RvLiquidFlow;

typedef struct RvLiquidSink {
  RvRegion region;   // what is inside leaves
  unsigned outside;  // or, if not 0: what is beyond these sides of region.lo, hi, the open ones of a tank: bit 2a for
                     // the lower, 2a+1 for the upper side of axis a, as RvSolidShape.open_sides
  bool kill;         // counts as killed; else as outflow
} RvLiquidSink;

// Marks as dead (volume 0) all particles that a sink takes, and counts them. False: out of memory.
bool rv_liquid_sinks_take(RvParticles* particles, double dx, const double origin[3], const RvLiquidSink* sinks,
                          size_t count, RvLiquidFlow* flow);
// Marks as dead all particles that have reached their life, and counts them as killed. `life` is an attribute of the
// points of their rows: seconds since birth; 0, less, or none: unlimited.
void rv_liquid_lives_take(RvParticles* particles, const RvAttrib* life, RvLiquidFlow* flow);

#endif
