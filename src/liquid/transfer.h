// Particles to grid and back, by tile and without atomics (WH-34, spec 1.2.11). The particles of a tile are gathered
// into room of its own, one node wider than the tile, in double; then each tile of the grid adds up the rooms of its
// neighbours in a fixed order. The kernels give the same bits on every instruction set.
#ifndef RV_LIQUID_TRANSFER_H
#define RV_LIQUID_TRANSFER_H

#include "liquid/grid.h"
#include "liquid/mixture.h"
#include "liquid/particles.h"

// A cube of nodes -1..8 by each axis: 10^3, x fastest, as rv_halo1_at. Four lattices: the faces of each axis, whose
// room holds (volume, volume times velocity) a node, both times the heaviness of a material, and the cells' centres
// with the volume alone. Volumes in units of dx^3.
enum {
  RV_SCATTER_AXIS = 2 * RV_HALO1_CELLS,
  RV_SCATTER_FILL = 3 * RV_SCATTER_AXIS,
  RV_SCATTER_FLOATS = RV_SCATTER_FILL + RV_HALO1_CELLS,
  // cells beyond its tile that a particle may sample
  RV_SAMPLE_HALO = 3,
  RV_SAMPLE_SIDE = RV_TILE_SIDE + 2 * RV_SAMPLE_HALO,
  RV_SAMPLE_CELLS = RV_SAMPLE_SIDE * RV_SAMPLE_SIDE * RV_SAMPLE_SIDE
};

// Particles of several materials: the density of each over that of the transfer.
typedef struct RvTransferWeights {
  const RvLiquidMaterials* materials;
  double heaviness[RV_LIQUID_MOST_MATERIALS];
} RvTransferWeights;

// The part of the particles that a kernel works on, all of one tile.
typedef struct RvTransferSpan {
  float* x[3];
  float* v[3];
  float* c[9];
  const double* volume;
  const int32_t* row;                // read with weights
  const RvTransferWeights* weights;  // NULL: all have one density
  size_t begin, end;
  double dx;
  double dt;  // s to move; 0: only sampled
} RvTransferSpan;

// The fields of a tile that its particles sample: cubes of RV_SAMPLE_SIDE.
typedef struct RvSampleField {
  const float* velocity[3];
  const float* shift[3];  // m; NULL: none
  const float* straight;  // share of the straight path, of cells, a cube of RV_HALO1_SIDE; NULL: all of it
} RvSampleField;

// Rooms of the tiles that hold particles, kept from step to step.
typedef struct RvScatter {
  float* room;
  int32_t* home_of;  // for each tile of the grid, the particles' tile there, or -1
  size_t room_capacity, tile_capacity;
  RvArena* scratch;  // rooms are taken from there for as long as they are needed; NULL: they are kept
} RvScatter;

void rv_liquid_scatter_free(RvScatter* scatter);

// Tiles within RV_LIQUID_BAND cells of a particle, channels sized; pressure is carried over from the tiles before. The
// particles must be sorted.
RvResult rv_liquid_grid_build(RvLiquidGrid* grid, const RvParticles* particles, RvError* error);
// mass, momentum and fill from the particles; `density` in kg/m^3. weights: NULL, or those of several materials.
RvResult rv_liquid_to_grid(RvLiquidGrid* grid, RvScatter* scatter, const RvParticles* particles, double density,
                           const RvTransferWeights* weights, RvError* error);
// Velocity of the faces that have mass; the others are 0 and not valid.
void rv_liquid_grid_velocity(RvLiquidGrid* grid);
// Velocity and affine vectors of the particles from the grid, then, with dt > 0, a move: straight by the share that the
// grid has as `straight`, for the rest through the grid's velocity by Ralston's third-order Runge-Kutta (Ralston 1962),
// and by `shift` where the grid has one. Places may then leave their
// tile: sort before the next use. Stages of the method sample at most 2.4 cells beyond the
// tile, and no particle moves more than 3 cells along an axis.
void rv_liquid_from_grid(const RvLiquidGrid* grid, const RvScatter* scatter, RvParticles* particles, double dt);

#endif
