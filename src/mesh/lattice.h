// Filling a shape with cells of a cubic lattice (one particle each), so that their total volume is that of the shape.
//
// Each cell is sampled at 4 x 4 x 4 positions; the fraction of them inside the shape is the covered fraction of the
// cell. The sum of these fractions, rounded, is the number of cells taken, and the most covered cells are taken. So the
// volume of the particles agrees with that of the shape to half a particle, however the shape lies on the lattice.
#ifndef RV_MESH_LATTICE_H
#define RV_MESH_LATTICE_H

#include "rivulet/base.h"

enum {
  RV_LATTICE_BLOCK = 8,    // cells along each axis of a block
  RV_LATTICE_CELLS = 512,  // of a block
  RV_LATTICE_PARTS = 64,   // samples of a cell
};

// The caller sets the members up to `volume`; the functions below are called in their order.
typedef struct RvLattice {
  double spacing;    // side of a cell
  double anchor[3];  // the low corner of cell (0, 0, 0)
  // Signed distance or any other function that is negative inside. Several threads call it at once. If it fails, the
  // error of the first block that failed is returned.
  RvResult (*distance)(const void* arg, size_t count, const double* positions, float* out, RvError* error);
  const void* arg;
  bool metric;    // values near 0 are distances, so that cells farther away than their half diagonal need no samples
  double volume;  // the volume to fill, if it is known exactly; 0: it is measured

  int64_t first[3];  // block coordinates of the first block
  size_t blocks[3];  // number of blocks along each axis
  uint8_t* kind;     // of each block: see lattice.c
  size_t nfull;      // blocks completely inside
  size_t nused;      // blocks that are not empty, including the full ones
  uint32_t* used;    // their indices, ascending
  uint8_t* parts;    // for each cell of the used blocks the number of its samples inside, or TAKEN
  size_t* offset;    // number of cells taken before each used block; nused + 1 entries
  size_t count;      // cells taken
} RvLattice;

// Allocates the blocks that cover a box. RV_LIMIT if they are too many.
RvResult rv_lattice_begin(RvLattice* lattice, const double lo[3], const double hi[3], RvError* error);
// Marks the blocks of a box through which the surface may pass. A block that is never marked is inside or outside as a
// whole.
void rv_lattice_mark(RvLattice* lattice, const double lo[3], const double hi[3]);
// Decides which unmarked blocks are full and which are empty. `nfull` and `nused` are then known before memory is
// allocated: each full block has 512 cells, and each used one needs 512 bytes to measure.
RvResult rv_lattice_survey(RvLattice* lattice, RvError* error);
// Samples the cells of the marked blocks and sets `count`, the number of cells to take.
RvResult rv_lattice_measure(RvLattice* lattice, RvError* error);
// Takes the `count` most covered cells. Among equally covered cells the seed decides.
RvResult rv_lattice_take(RvLattice* lattice, uint64_t seed, RvError* error);
// Writes a position in each taken cell (xyz, `count` of them): its centre, moved at random by up to `jitter` half cells
// along each axis. If that is outside the shape, the centroid of the samples inside.
RvResult rv_lattice_positions(const RvLattice* lattice, double jitter, uint64_t seed, float* positions, RvError* error);
// Frees the arrays and clears the struct.
void rv_lattice_free(RvLattice* lattice);

#endif
