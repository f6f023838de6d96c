// The parts of the node liquidsolver: what a cook holds, and its solids.
#ifndef RV_NODE_SOLVER_LIQUIDSOLVER_H
#define RV_NODE_SOLVER_LIQUIDSOLVER_H

#include "liquid/io.h"
#include "liquid/solid_grids.h"
#include "liquid/source.h"
#include "node/solver/colliders.h"

// A tank: walls in units of the scene, each side closed or open.
typedef struct RvLiquidWalls {
  bool on;
  double low[3], high[3];
  bool open[6];  // lower and upper side of x, of y, of z
  double friction;
} RvLiquidWalls;

// One source of the input: the primitives of one rv_source_id.
typedef struct RvLiquidInlet {
  int32_t id;
  bool present;  // in the input; else only remembered
  int mode;      // as rv_source_mode
  RvSourceState state;
  RvLiquidSource source;  // in this substep
  double* corners;        // of its triangles, in the liquid's metres
  float* velocities;      // of these
  size_t capacity;
  // the inside of one that fills or drains: the level set of the corners `reference`, as they stand now
  RvGrid* grid;
  double* reference;
  size_t nreference;
  RvPlacedGrid placed;
  bool told;  // that nothing comes of it
} RvLiquidInlet;

typedef struct RvLiquidFlows {
  RvLiquidInlet* inlets;  // by id
  size_t count;
  bool any;    // some are in the input
  bool drips;  // strands drip: new particles may also have the row drip_row
  int32_t drip_row;
  RvDetail* rows;  // the state before, without its own attributes, and a point for each inlet: what new particles carry
  const RvAttrib* life;  // of the rows: how old particles get; or NULL
  RvLiquidFlow flow;
  bool killing;  // what leaves the box is killed
  double kill[2][3];
} RvLiquidFlows;

// How a mesh that changes its shape moves, as far as it is asked.
typedef struct RvLiquidMotion {
  const RvMeshMotion* motion;
  double reach;  // m
} RvLiquidMotion;

typedef struct RvLiquidSolve {
  RvCook* cook;
  RvLiquid liquid;
  RvLiquidUnits units;
  RvLiquidGlobals globals;
  RvLiquidWalls walls;
  // solids: the walls in the liquid's metres, and the colliders
  RvSolidShape shape;
  RvSolidShapes shapes;
  RvColliders colliders;
  RvSolidStep* steps;     // of the colliders, in this substep
  RvLiquidSolid* solids;  // the same, in the liquid's metres
  RvLiquidMotion* motions;
  double* thicken;    // of those that keep their shape
  double moved;       // simulated seconds at which `solids` are; below 0: not yet
  double speed;       // m/s of what moves beside the liquid
  double separation;  // m, of new particles
  RvLiquidFlows flows;
} RvLiquidSolve;

// Parms of the cook are RvLiquidParms. The state of the start frame, from input 0.
RvResult rv_liquidsolve_start(RvCook* cook, RvDetail** out, RvError* error);
// A solve whose cook is set gets its state of the frame before; then a frame, at once or by its parts: open, substeps
// of rv_liquid_next with these hooks, close; then its state, and counts and warnings. End it in any case.
RvResult rv_liquidsolve_begin(RvLiquidSolve* solve, RvError* error);
RvResult rv_liquidsolve_frame(RvLiquidSolve* solve, RvError* error);
RvResult rv_liquidsolve_open(RvLiquidSolve* solve, RvError* error);
RvLiquidHooks rv_liquidsolve_hooks(RvLiquidSolve* solve);
RvResult rv_liquidsolve_close(RvLiquidSolve* solve, RvError* error);
RvResult rv_liquidsolve_save(RvLiquidSolve* solve, RvDetail** out, RvError* error);
void rv_liquidsolve_tell(const RvLiquidSolve* solve);
void rv_liquidsolve_end(RvLiquidSolve* solve);

// Makes the solids ready for the frame, and lets them go.
RvResult rv_liquid_solids_begin(RvLiquidSolve* solve, RvError* error);
void rv_liquid_solids_end(RvLiquidSolve* solve);
// Where the solids are at the end of a part of the frame, in simulated seconds from the frame before.
RvResult rv_liquid_solids_move(RvLiquidSolve* solve, double from, double to, RvError* error);
// RvLiquidHooks.solids, whose user is the RvLiquidSolve.
RvResult rv_liquid_solids_at(void* solve, RvLiquidSolids* solids, const RvLiquidGrid* grid, double from, double to,
                             RvError* error);

// Reads the sources of the frame and what the state remembers of them; the particles' rows are then those of
// flows.rows, if it is there.
RvResult rv_liquid_flows_begin(RvLiquidSolve* solve, RvError* error);
void rv_liquid_flows_end(RvLiquidSolve* solve);
// RvLiquidHooks.flow: sinks, open sides and kill box take, sources give.
RvResult rv_liquid_flows_at(void* solve, RvParticles* particles, int64_t* next_id, double from, double to, bool* any,
                            RvError* error);
// At the end of the frame: what went out in the last substep is gone.
RvResult rv_liquid_flows_drain(RvLiquidSolve* solve, RvError* error);
// Adds to the ledger and writes rv_sources, a row (id, owed, born) a source, into the new state.
RvResult rv_liquid_flows_save(RvLiquidSolve* solve, RvDetail* state, RvError* error);

#endif
