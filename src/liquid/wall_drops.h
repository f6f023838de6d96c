// Drops on solids: what of the liquid touches a solid, is connected by cells with particles, and is no larger than a
// pendant drop, moves as one body by the laws of sessile.h. The grid does not resolve the contact line that holds such
// a drop, so its velocity is that of a body: what it had, gravity, holding force and friction (where strands drag it,
// what the grid gives instead of the first two). Its particles are drawn into the shape of the cap within the time of
// its capillary waves. Larger bodies are as the grid has them.
//
// Nothing is kept from one substep to the next but the particles.
#ifndef RV_LIQUID_WALL_DROPS_H
#define RV_LIQUID_WALL_DROPS_H

#include "base/array.h"
#include "liquid/sessile.h"
#include "liquid/stages.h"
#include "math/vec.h"

// A drop, between finding and moving it. Places in cells from the grid's origin, velocities in m/s.
typedef struct RvWallDrop {
  size_t first, count;  // of its cells, in `cells`
  double volume;        // m^3
  RvVec3 velocity;      // mean over its particles, before the grid's forces
  bool dragged;         // strands drag it, by the grid
} RvWallDrop;

// A bead that a drop leaves behind at the end of the substep.
typedef struct RvLeftBead {
  double cell[3];
  double volume;    // m^3
  RvVec3 velocity;  // of the solid
  size_t drop;      // that gives the volume
} RvLeftBead;

typedef struct RvWallDrops {
  RV_ARRAY(RvWallDrop) drops;
  RV_ARRAY(uint32_t) cells;  // number of a cell: 512 times the particles' tile and the cell in it
  RV_ARRAY(RvLeftBead) beads;
  uint8_t* state;   // of each cell: what is known of it
  size_t capacity;  // of `state`
} RvWallDrops;

typedef struct RvWallDropsIn {
  const RvSessile* law;
  const RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
  const RvScatter* scatter;
  RvParticles* particles;
  double density;
  RvVec3 gravity;
  double margin;  // cells that particles keep from solids
  double dt;
} RvWallDropsIn;

void rv_liquid_wall_drops_free(RvWallDrops* drops);
// Finds the drops, by the cells of the last sort; before the particles take the grid's velocities. False: out of
// memory.
bool rv_liquid_wall_drops_find(RvWallDrops* drops, const RvWallDropsIn* in);
// Velocities and places of their particles, after the move and before the collisions; the places before the move are
// remembered. False: out of memory.
bool rv_liquid_wall_drops_move(RvWallDrops* drops, const RvWallDropsIn* in);
// Adds the beads that they leave, after the collisions. Volume is moved, none is made.
RvResult rv_liquid_wall_drops_leave(RvWallDrops* drops, RvParticles* particles, int64_t* next_id, RvError* error);

#endif
