// The parts of the node liquidsolver: what a cook holds, and its solids.
#ifndef RV_NODE_LIQUIDSOLVER_H
#define RV_NODE_LIQUIDSOLVER_H

#include "liquid/io.h"
#include "liquid/solid_grids.h"
#include "node/colliders.h"

// A tank: walls in units of the scene, each side closed or open.
typedef struct RvLiquidWalls {
  bool on;
  double low[3], high[3];
  bool open[6];  // lower and upper side of x, of y, of z
  double friction;
} RvLiquidWalls;

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
  double* thicken;        // of those that keep their shape
  double speed;           // m/s of what moves beside the liquid
} RvLiquidSolve;

// Makes the solids ready for the frame, and lets them go.
RvResult rv_liquid_solids_begin(RvLiquidSolve* solve, RvError* error);
void rv_liquid_solids_end(RvLiquidSolve* solve);
// Where the solids are at the end of a part of the frame, in simulated seconds from the frame before.
RvResult rv_liquid_solids_move(RvLiquidSolve* solve, double from, double to, RvError* error);
// RvLiquidHooks.solids, whose user is the RvLiquidSolve.
RvResult rv_liquid_solids_at(void* solve, RvLiquidSolids* solids, const RvLiquidGrid* grid, double from, double to,
                             RvError* error);

#endif
