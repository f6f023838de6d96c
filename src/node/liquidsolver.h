// The parts of the node liquidsolver: what a cook holds, and its solids.
#ifndef RV_NODE_LIQUIDSOLVER_H
#define RV_NODE_LIQUIDSOLVER_H

#include "liquid/io.h"
#include "rivulet/node.h"

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
  RvSolidShape shape;  // of the walls, in the liquid's metres
  bool failed;         // solids could not be read; `error` says why
  RvError error;
} RvLiquidSolve;

// Makes the solids ready for the frame, and lets them go.
RvResult rv_liquid_solids_begin(RvLiquidSolve* solve, RvError* error);
void rv_liquid_solids_end(RvLiquidSolve* solve);
// RvLiquidHooks.solids, whose user is the RvLiquidSolve; `time` counts simulated seconds from the frame before.
bool rv_liquid_solids_at(void* solve, RvLiquidSolids* solids, const RvLiquidGrid* grid, double time);

#endif
