// Sets of particles sorted by the cells of a lattice, for the search of neighbours (AH-24, AH-25 without their hash,
// E63).
//
// A cell is as wide as the support, so that all neighbours of a particle lie in the 27 cells around it. Cells are
// numbered along x, then y, then z within the box of all particles, one empty cell more on every side. Only cells with
// particles are stored, in ascending order: the three cells of a row next to a particle are one run of particles, and
// the runs of successive cells ascend, so that they are found by walking along, without a table of the space. Places
// may be anywhere and of either sign.
//
// Places are kept in supports from the lattice's corner, as floats: of a scene of 100 supports they keep 1e-5 of one.
#ifndef RV_SPH_CELLS_H
#define RV_SPH_CELLS_H

#include "base/arena.h"

enum {
  RV_SPH_LANES = 8,   // particles a group
  RV_SPH_SPARE = 16,  // numbers that a search may read beyond the last particle
};

// Cells along an axis that a lattice may have.
#define RV_SPH_MOST_CELLS 1e6

typedef struct RvSphLattice {
  double support;            // m: side of a cell
  double origin[3];          // m: lower corner of the first cell
  uint64_t wide, wide_high;  // cells along x, and of a layer of x and y
} RvSphLattice;

typedef struct RvSphSet {
  size_t count;
  float* at;        // [count + 1][4] x, y, z in supports, and a weight; the last is far away, without weight
  float* x[3];      // [count + RV_SPH_SPARE] the same places by coordinate, as they were sorted
  uint32_t* from;   // [count] index before the sort
  size_t cells;     // cells with particles
  uint64_t* key;    // [cells + 1] their numbers, ascending, and a last one above all others
  uint32_t* first;  // [cells + 1] the first particle of each
} RvSphSet;

// Box of some places ([count][3]): `lo` above `hi` where there is none. False if one is not a finite number.
bool rv_sph_box(const double* places, size_t count, double lo[3], double hi[3]);
// A lattice around `sets` sets of places ([count][3], m) at this moment. Fails where a place is no number, or where
// they are RV_SPH_MOST_CELLS supports apart.
RvResult rv_sph_lattice_fit(RvSphLattice* lattice, double support, size_t sets, const double* const* places,
                            const size_t* counts, RvError* error);
// Sorts a set by cells; particles of a cell keep their order. `weight` may be NULL: 1. All memory is the arena's.
RvResult rv_sph_set_sort(RvSphSet* set, const RvSphLattice* lattice, const double* places, const float* weight,
                         size_t count, RvArena* arena, RvError* error);
// The particles of a sorted set for which `keep` is not 0, sorted alike, as a set of its own. `index` [count] has their
// indices in `set`. All memory is the arena's.
RvResult rv_sph_set_pick(RvSphSet* picked, const RvSphSet* set, const uint8_t* keep, uint32_t** index, RvArena* arena,
                         RvError* error);

#endif
