// Filling a shape with the cells of a cubic lattice, so that the number of cells is the shape's volume.
//
// Each cell is looked at on 4 x 4 x 4 places; the share of them that lies inside is the part of the cell that the shape
// covers. The sum of the parts, rounded, is how many cells are taken: the fullest ones. So the liquid in a shape is its
// volume to half a particle, wherever the shape stands on the lattice.
#ifndef RV_MESH_LATTICE_H
#define RV_MESH_LATTICE_H

#include "rivulet/base.h"

enum { RV_LATTICE_BLOCK = 8, RV_LATTICE_CELLS = 512, RV_LATTICE_PARTS = 64 };

typedef struct RvLattice {
  double spacing;
  double anchor[3];  // the low corner of cell (0, 0, 0)
  // Below 0 inside; called by several threads at once.
  // When it fails, the error of the first block that failed is told.
  RvResult (*distance)(const void* arg, size_t count, const double* positions, float* out, RvError* error);
  const void* arg;
  bool metric;    // values near 0 are distances, so a cell farther away than its corner needs no closer look
  double volume;  // the volume to fill where it is known exactly, else 0: measure it

  int64_t first[3];  // block coordinates of the first block
  size_t blocks[3];  // how many along each axis
  uint8_t* kind;     // of each block: see lattice.c
  size_t nfull;      // blocks that are all inside
  size_t nused;      // blocks with cells, the full ones too
  uint32_t* used;    // their indices, ascending
  uint8_t* parts;    // 512 a used block: covered parts of 64, or TAKEN
  size_t* offset;    // first cell taken of each used block; nused + 1
  size_t count;      // cells taken
} RvLattice;

// Gives the lattice the blocks that cover the box. Fails when they are too many to look at.
RvResult rv_lattice_begin(RvLattice* lattice, const double lo[3], const double hi[3], RvError* error);
// Says that the surface may run through the box. A block that is never marked is all inside or all outside.
void rv_lattice_mark(RvLattice* lattice, const double lo[3], const double hi[3]);
// Tells full blocks from empty ones, so that `nfull` and `nused` are known before memory is taken for their cells: each
// full block gives 512 cells, and each used one costs 512 bytes to look at.
RvResult rv_lattice_survey(RvLattice* lattice, RvError* error);
// Then looks at every marked block and counts: `count` is known and nothing has been taken yet.
RvResult rv_lattice_measure(RvLattice* lattice, RvError* error);
// Takes `count` cells. Of cells covered alike some are drawn by the seed.
RvResult rv_lattice_take(RvLattice* lattice, uint64_t seed, RvError* error);
// A position in each taken cell (xyz, `count` of them): its centre, moved by up to `jitter` half cells along each axis.
// Where that is outside the shape, the middle of the covered part.
RvResult rv_lattice_positions(const RvLattice* lattice, double jitter, uint64_t seed, float* positions, RvError* error);
void rv_lattice_free(RvLattice* lattice);

#endif
