// Three passes over the particles of a tile near a piece of a strand's edge. The first stores which particles are near;
// the others compute their weights again, which is cheaper than storing them. Private to src/couple.
#ifndef RV_COUPLE_CAPTURE_KERNEL_H
#define RV_COUPLE_CAPTURE_KERNEL_H

#include "liquid/particles.h"
#include "math/kernel.h"

// A piece of an edge near a tile; lengths in cells from the tile's lower corner.
typedef struct RvCapturePiece {
  float a[3], d[3];              // the edge: a + t d
  float inverse;                 // 1 / d^2; 0: the edge has no length
  float from, to;                // range of t: its particles have their nearest point there
  float near;                    // 1 / reach^2
  float reach;                   // cells
  uint32_t first_group, groups;  // its groups among those of its share of tiles
} RvCapturePiece;

// Eight particles from `at` on; bit k of `lanes`: particle at + k is within reach. Packed, as there may be millions.
typedef struct __attribute__((packed)) RvCaptureGroup {
  uint32_t at;
  uint8_t lanes;
} RvCaptureGroup;

typedef struct RvCaptureTile {
  const float *x[3], *v[3];
  const uint32_t* cell;  // cell_first of the tile
  size_t count;          // of all particles: nothing is read behind
  uint64_t rows;         // rows of cells that hold particles: bit 8 z + y
  double* weight;        // [particles] sums of the weights
  float *rate, *nearest;
  double* each;    // [particles] m3 that a particle offers for each weight
  double* given;   // [particles] sum of the accepted weights
  float* refused;  // [particles] above 0: some of the offer was refused
} RvCaptureTile;

enum { RV_CAPTURE_SUMS = 8 };

// The rows of cells of a tile with y from y0 to y1 and z from z0 to z1.
static inline uint64_t rv_couple_capture_rows(int y0, int y1, int z0, int z1) {
  uint64_t of_y = ((uint64_t)0xff >> (7 - (y1 - y0))) << y0;
  return (of_y * 0x0101010101010101u) >> 8 * (7 - (z1 - z0)) << 8 * z0;
}

// Largest number of groups of a piece in a tile of so many particles: each row of cells begins a new one.
static inline size_t rv_couple_capture_groups_most(size_t particles) {
  return particles / 8 + (size_t)RV_TILE_SIDE * RV_TILE_SIDE;
}

// Weights: adds to each particle the piece's weight and weight x ((1 - t) r[0] + t r[1]), keeps its largest weight, and
// lists the groups of the piece.
RV_KERNEL_DECLARE(void, rv_couple_capture_weigh,
                  (const RvCaptureTile*, RvCapturePiece*, const float r[2], RvCaptureGroup* groups))
// Offers: sums over the piece's particles of volume and volume x velocity, for its lower end, then for its upper.
RV_KERNEL_DECLARE(void, rv_couple_capture_ask,
                  (const RvCaptureTile*, const RvCapturePiece*, const RvCaptureGroup* groups,
                   double sums[RV_CAPTURE_SUMS]))
// Acceptance: adds to each particle weight ((1 - t) s[0] + t s[1]), s the accepted shares of the ends; marks refusals.
RV_KERNEL_DECLARE(void, rv_couple_capture_give,
                  (const RvCaptureTile*, const RvCapturePiece*, const RvCaptureGroup* groups, const double s[2]))

#endif
