// Particles of varying size, kept to a useful range (WH-33; Ando and Tsuruno 2011; SD-33). Within a cell:
//   - one much smaller than the nominal volume is merged into the nearest of its material, while the sum is not large;
//   - one larger than twice the nominal is split into halves;
//   - in a cell that has liquid on all sides but too few particles, the largest are split (the seeding).
// A merge keeps the volume (a sum of doubles), the centre of mass and the linear momentum. The affine vectors are the
// means by volume, plus the rotation of the pair around each other, so angular momentum is kept as far as affine
// vectors can carry it (spin.h). The larger particle keeps its id and age; the other's id is not used again. A split
// places the halves on opposite sides of the parent at equal distance, with its velocity, affine vectors and spin, so
// volume, centre, linear and angular momentum are kept. One keeps the id, the other gets the next one, and the parent's
// age and row. Nothing is rescaled. Spins depend on the positions, so the next transfer to the grid must come before a
// move.
#ifndef RV_LIQUID_RESAMPLE_H
#define RV_LIQUID_RESAMPLE_H

#include "liquid/particles.h"

typedef struct RvResample {
  double dx;                // m: side of a cell
  double nominal;           // m^3: the volume that a particle should have
  double small;             // merged below this part of nominal; 0.2
  double large;             // split above this part of nominal; 2
  int fewest_in_cell;       // cells inside with fewer are seeded by splitting; 3
  int most_in_cell;         // in cells with more, particles below nominal are merged; 16
  double tiny;              // m^3: a particle below this that finds no partner is removed; that of a radius of 1e-9 m
  bool seed;                // split in cells with too few
  const int32_t* material;  // by row: only particles of one material are merged; NULL: all are one
} RvResample;

typedef struct RvResampled {
  size_t merged, split, dropped;
  double dropped_volume;  // m^3, for the ledger
} RvResampled;

RvResample rv_liquid_resample_default(double dx);
// The cells are those of the last sort, and particles may have moved since; afterwards dead ones are still there and
// new ones stand behind: sort again where `split`, `merged` or `dropped` has changed. `next_id` is the first id that
// was never used. Counts are added to `done`.
RvResult rv_liquid_resample(RvParticles* particles, const RvResample* how, int64_t* next_id, RvResampled* done,
                            RvError* error);

#endif
