// The grid of the liquid: what particles, film, hair, solids and the solves share within a substep. Every channel
// belongs to the tiles of `tiles` (space/tiles.h for the layout, staggered faces among it). SI units.
//
// A substep fills it in this order; each stage may rely on those above it.
//   1. rv_liquid_grid_build     tiles around the particles, channels sized and cleared
//   2. rv_liquid_to_grid        mass, momentum of the particles (WH-34); fill, distance
//   3. film, hair, solids       ADD to mass and momentum (film, WH-35); drag, share, divergence; liquid/solids.h
//   4. rv_liquid_grid_velocity  velocity = momentum / mass where there is mass; a face without is not `valid`
//   5. forces, viscosity, tension, pressure: change velocity
//   6. rv_liquid_extrapolate    velocity of faces that are not valid (WH-37)
//   7. rv_liquid_from_grid      back to the particles
#ifndef RV_LIQUID_GRID_H
#define RV_LIQUID_GRID_H

#include "base/arena.h"
#include "space/channel.h"

typedef struct RvLiquidGrid {
  double dx;          // m
  double origin[3];   // world position of the corner of cell (0, 0, 0)
  size_t most_tiles;  // limit of the number of tiles, checked before their memory is taken; 0: none
  RvTiles tiles;
  // Faces, one channel an axis.
  RvChannel mass[3];      // kg: liquid that this face stands for; 0 in air
  RvChannel momentum[3];  // kg m/s along the axis
  RvChannel velocity[3];  // m/s along the axis; after step 4
  RvChannel valid[3];  // 1 where velocity is that of liquid, 0 in air: set by step 4, and by solves that give wet faces
                       // without mass a velocity; extrapolation fills the others
  RvChannel share[3];  // volume fraction of the face that liquid can fill (1 - that of the fibres), 1 by default
  RvChannel fibre[3];  // m/s: velocity of the fibres in the remaining volume; 0 by default, made with share
  RvChannel drag[3];   // kg/(m^3 s): force per volume on the liquid per velocity, against `drag_target`; 0 by default
  RvChannel drag_target[3];  // m/s: velocity that the drag pulls to
  RvChannel heavy[3];        // density of the face over the model's; only where `weighed`
  // Cells.
  RvChannel fill;        // m^3 of liquid in the cell by trilinear weights, over dx^3; a full cell has about 1
  RvChannel open;        // share of the weights of `fill` that lies outside of solids; only where `opened`
  RvChannel distance;    // m: signed distance to the liquid's surface at the cell's centre, below 0 in the liquid; from
                         // one dx on only its sign is right
  RvChannel divergence;  // 1/s: the divergence that the velocity shall have; without data, as it is built, 0
  RvChannel straight;    // 0..1: share of the straight paths of particles (straight.h)
  RvChannel pressure;    // Pa; kept from the last substep as the first guess
  RvChannel surface;     // Pa: pressure of the tension at the surface; only where there is tension
  RvChannel shift[3];    // m, faces: displacement that corrects volumes (rv_liquid_drift); 0 in solids
  RvChannel shift_pressure;   // m^2: its potential
  RvChannel room[3];          // scratch of a stage
  RvTileMask* reach;          // [tiles of the particles] work memory: neighbours that need a tile too
  size_t reach_capacity;      // of reach
  bool opened;                // open is set: there are solids
  bool shifted;               // shift is set in this substep
  bool coherent;              // the liquid has a yield stress: particles at its surface go with it
  bool weighed;               // heavy is set: materials of several densities
  bool divergent;             // divergence and straight are set in this substep; else both are 0
  RvTiles tiles_before;       // tiles of the last substep
  RvChannel pressure_before;  // Pa, on those
  bool shared, dragged;  // whether share or drag is other than the default anywhere; else the channels are not filled
  // Channels that live only from the forces to the end of the move (velocity, valid, share, fibre, drag, shift, room,
  // surface) are taken from this arena and are gone afterwards. NULL: they have memory of their own, and stay.
  RvArena* scratch;
  RvArenaMark mark;  // state of the arena before the first of them
  bool borrowed;     // some are taken
} RvLiquidGrid;

// Approximate memory of a tile: channels here and in the solids, the levels of the pressure solve, and the transfers.
enum { RV_LIQUID_TILE_BYTES = 150000 };
// Cells around the particles for which there are tiles, and as far as velocity is extrapolated.
enum { RV_LIQUID_BAND = 3 };

// World position of the lower corner of the cell at (x, y, z) in a tile.
static inline double rv_liquid_corner(const RvLiquidGrid* grid, size_t tile, int axis, int at) {
  return grid->origin[axis] + grid->dx * (double)(grid->tiles.coord[tile][axis] * RV_TILE_SIDE + at);
}

// Room for a channel of `tiles` tiles that lives until rv_liquid_grid_end. False when out of memory.
bool rv_liquid_grid_fit(RvLiquidGrid* grid, RvChannel* channel, size_t tiles);
// Room for velocity, valid and room, before step 4; what is taken already stays.
bool rv_liquid_grid_begin(RvLiquidGrid* grid);
// Gives back what was taken from `scratch` since.
void rv_liquid_grid_end(RvLiquidGrid* grid);

// Makes share and drag channels, filled with their defaults, and marks them as used; then others write into them. False
// when out of memory.
bool rv_liquid_grid_share(RvLiquidGrid* grid);
bool rv_liquid_grid_drag(RvLiquidGrid* grid);
// Both, not filled: for callers that write them in all tiles.
bool rv_liquid_grid_share_room(RvLiquidGrid* grid);
void rv_liquid_grid_free(RvLiquidGrid* grid);
// Bytes that the grid holds.
size_t rv_liquid_grid_bytes(const RvLiquidGrid* grid);

#endif
