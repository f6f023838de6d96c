// Share of straight paths and their divergence in the cells of a tile (straight.h). Private to src/liquid.
#ifndef RV_LIQUID_STRAIGHT_TILE_H
#define RV_LIQUID_STRAIGHT_TILE_H

#include <stdbool.h>

#include "space/channel.h"

// A tile with its halo: velocity and mass of the faces, and shares by the distance from solids at the cells' corners.
typedef struct RvStraightTile {
  float u[3][RV_HALO1_CELLS], mass[3][RV_HALO1_CELLS];
  float corner[RV_HALO1_CELLS];
} RvStraightTile;

typedef struct RvStraightStep {
  float dt, step;   // s, and the same over dx
  bool near_solid;  // the shares at the corners count
  bool turning;     // the change of velocity along straight paths is asked for
} RvStraightStep;

// What the cells of a tile get, [RV_TILE_CELLS] each, aligned to a row.
typedef struct RvStraightCells {
  const float* distance;  // m, of the liquid's surface: the divergence is that of cells within
  float* share;           // of straight paths
  float* divergence;      // 1/s, that the projection shall leave
  float* turn[3];         // m/s: share dt (u . grad) u / 2; only where it is asked for
} RvStraightCells;

#endif
