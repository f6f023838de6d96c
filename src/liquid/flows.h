// Sources and sinks of a substep (WH-43) as data: what a host reads from its scene, and what the solver does with it.
//
// Sinks come first: open sides of a tank, a kill box, drains, and particles that reached their age. Then each source in
// the order of its id, so that the result does not depend on the order of the scene.
#ifndef RV_LIQUID_FLOWS_H
#define RV_LIQUID_FLOWS_H

#include "liquid/region.h"
#include "liquid/source.h"

// One source or drain; its shape is that of the end of the substep.
typedef struct RvLiquidInlet {
  int32_t id;
  bool present;           // in the scene; else only its state is kept
  bool drains;            // takes what is inside of source.region
  RvLiquidSource source;  // mode, rate, velocity and shape
  RvSourceState state;
  bool idle;  // it had no area or no inside to flow from
} RvLiquidInlet;

typedef struct RvLiquidFlows {
  RvLiquidInlet* inlets;  // ascending ids
  size_t count;
  bool any;             // some are in the scene
  double separation;    // m: a new particle has its cube of volume
  unsigned open_sides;  // of the tank from `low` to `high` (m), as RvSolidShape.open_sides
  double low[3], high[3];
  bool killing;  // what leaves the box from kill_low to kill_high (m) is killed
  double kill_low[3], kill_high[3];
  const RvAttrib* life;  // of the particles' rows: age in s at which a particle ends; NULL: never
  RvLiquidSink* sinks;   // [count + 2] work
  RvArena* scratch;      // work memory of the sources
  RvLiquidFlow flow;     // what came and went, added to
} RvLiquidFlows;

// Room for `count` inlets, all zero.
RvResult rv_liquid_flows_init(RvLiquidFlows* flows, size_t count, RvError* error);
void rv_liquid_flows_free(RvLiquidFlows* flows);
// The inlet with that id, or NULL.
RvLiquidInlet* rv_liquid_flows_find(const RvLiquidFlows* flows, int32_t id);

#endif
