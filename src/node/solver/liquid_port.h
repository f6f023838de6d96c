// The liquid of a solver node: between its input particles, sources and colliders on one side and the liquid solver on
// the other. Reads particles at the start frame, loads the state, gives solids and sources for every substep, and
// saves.
#ifndef RV_NODE_SOLVER_LIQUID_PORT_H
#define RV_NODE_SOLVER_LIQUID_PORT_H

#include "liquid/io.h"
#include "liquid/solid_grids.h"
#include "node/solver/colliders.h"
#include "node/solver/wet_parms.h"

// The shape of one source, beside its RvLiquidInlet.
typedef struct RvInletShape {
  double* corners;    // of its triangles, in the liquid's metres
  float* velocities;  // of these
  size_t capacity;    // triangles
  RvGrid* grid;       // inside of one that fills or drains: the level set of the corners `reference`
  double* reference;
  size_t nreference;
  RvPlacedGrid placed;  // the level set where the shape is now
  bool warned;          // of an opening
} RvInletShape;

// How a mesh that changes its shape moves, as far as it is asked.
typedef struct RvLiquidMotion {
  const RvMeshMotion* motion;
  double reach;  // m
} RvLiquidMotion;

typedef struct RvLiquidPort {
  RvCook* cook;
  int input, source_input;    // indices of the node's inputs; -1: it has none
  RvColliders* frame_solids;  // of all media; borrowed
  bool walls_only;            // the solver reads colliders itself: only the tank is needed
  bool drips;                 // strands drip: new particles may also have the row drip_row
  int32_t drip_row;
  uint8_t* drop_kind;  // [rows] RvDropKind
  RvLiquid liquid;
  RvLiquidUnits units;
  RvLiquidGlobals globals;
  double separation;      // m, of new particles
  double speed;           // m/s of what moves beside the liquid: solids and sources
  const RvDetail* state;  // of the frame before; borrowed
  RvDetail* rows;         // the state without its own attributes and a point for each inlet: what new particles carry
  // solids
  RvSolidShape tank;
  RvSolidShapes walls;
  RvColliderView colliders;
  RvSolidStep* steps;     // of the colliders, in this substep
  RvLiquidSolid* solids;  // the same in the liquid's metres
  RvLiquidMotion* motions;
  double* thicken;  // m, of those that keep their shape
  // sources and sinks
  RvLiquidFlows flows;
  RvInletShape* shapes;  // one an inlet
  // materials of the frame: in use where there are two or more
  RvLiquidMaterials materials;
  uint8_t* material_of_row;
} RvLiquidPort;

// The state of the start frame, a new detail.
RvResult rv_liquid_port_start(RvLiquidPort* port, const RvWetParms* parms, RvDetail** out, RvError* error);
// Loads `state` of the frame before, which must stay, and reads the inputs of the frame.
RvResult rv_liquid_port_begin(RvLiquidPort* port, const RvWetParms* parms, const RvDetail* state, RvError* error);
// Inputs of a substep, in simulated seconds from the frame before: model, solids and sources.
RvResult rv_liquid_port_inputs(RvLiquidPort* port, const RvWetParms* parms, double from, double to, RvError* error);
// The state of the frame, a new detail.
RvResult rv_liquid_port_end(RvLiquidPort* port, RvDetail** out, RvError* error);
// Counts and warnings of the frame.
void rv_liquid_port_tell(const RvLiquidPort* port);
void rv_liquid_port_free(RvLiquidPort* port);

//---------------------------------------------------------------------------------------------- liquid_solids.c

RvResult rv_liquid_port_begin_solids(RvLiquidPort* port, const RvWetParms* parms, RvError* error);
void rv_liquid_port_free_solids(RvLiquidPort* port);
// Where the solids are at the end of a part of the frame.
RvResult rv_liquid_port_move_solids(RvLiquidPort* port, double from, double to, RvError* error);

//---------------------------------------------------------------------------------------------- liquid_flows.c

// Reads the sources of the frame and what the state remembers of them.
RvResult rv_liquid_port_begin_flows(RvLiquidPort* port, const RvWetParms* parms, RvError* error);
void rv_liquid_port_free_flows(RvLiquidPort* port);
// What each source does in a part of the frame.
RvResult rv_liquid_port_set_flows(RvLiquidPort* port, double from, double to, RvError* error);
// Writes rv_sources, a row (id, owed, born) a source, into the new state.
RvResult rv_liquid_port_save_flows(RvLiquidPort* port, RvDetail* state, RvError* error);
void rv_liquid_port_tell_flows(const RvLiquidPort* port);

#endif
