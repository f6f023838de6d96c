// Passes over the particles of a tile near a piece of a strand's edge. The first stores which particles are near; the
// others compute their weights again, which is cheaper than storing them. Private to src/couple.
#ifndef RV_COUPLE_CAPTURE_KERNEL_H
#define RV_COUPLE_CAPTURE_KERNEL_H

#include "liquid/particles.h"
#include "math/kernel.h"

// A piece of an edge near a tile; lengths in cells from the tile's lower corner.
typedef struct RvCapturePiece {
  float a[3], d[3];              // the edge: a + t d
  float inverse;                 // 1 / d^2; 0: the edge has no length
  float from, to;                // range of t: its particles have their nearest point there
  float near;                    // 1 / reach^2 of bodies of liquid
  float reach;                   // cells: as far as particles are looked for
  float hit;                     // cells^2 that the strand's own section adds to the square of a drop's radius
  float density;                 // 1/m2: 1 / integral of the weight over a section of the edge
  float v[3], dv[3];             // m/s, of the edge: v + t dv
  float along[3];                // its unit tangent
  uint32_t first_group, groups;  // its groups among those of its share of tiles
} RvCapturePiece;

// Eight particles from `at` on; bit k of `lanes`: particle at + k is within reach; of `drops`: it is a drop of known
// size that the edge meets. Packed, as there may be millions.
typedef struct __attribute__((packed)) RvCaptureGroup {
  uint32_t at;
  uint8_t lanes, drops;
} RvCaptureGroup;

typedef struct RvCaptureTile {
  const float *x[3], *v[3];
  const uint32_t* cell;     // cell_first of the tile
  size_t count;             // of all particles: nothing is read behind
  uint64_t rows;            // rows of cells that hold particles: bit 8 z + y
  const double* available;  // [particles] m3 that takes part
  const float* dispersed;   // [particles] how far it is a drop of unknown size: 1, or a part of a body of liquid: 0
  const float* drop;        // [particles] how far it is a drop of known size; then it is not `dispersed`
  const float* ball;        // [particles] 1 / radius^2 of such a drop, 1/cells^2
  bool has_drops;           // some are
  float way;                // cells for each m/s: way in the step before
  double* asked;            // [particles] share of it that the strands ask for
  double* each;             // [particles] m3 that a particle gives for each share asked
  double* returned;         // [particles] share of it that the film adds
  double* momentum[3];      // [particles] that share times the film's velocity, m/s
} RvCaptureTile;

// Weight of a particle: (1 - d^2 / reach^2)^2 by its distance d from the edge. A drop of known size has the mean of
// (1 - d^2 / R^2)^2 (reach / R)^2 over its way in the step before, with its own radius R: it wets the hairs that it
// meets, however large the cells are and however far it goes in a step.
//
// Sums of a piece for its lower end, then for its upper: available volume by weight; the same times the relative speed;
// what of it is drops; the drops' volume fraction of the section; and that times their speed across the edge.
enum { RV_CAPTURE_VOLUME, RV_CAPTURE_SPEED, RV_CAPTURE_DROPS, RV_CAPTURE_FILL, RV_CAPTURE_ACROSS, RV_CAPTURE_WEIGHTS };
// And of what is taken: volume, and volume times velocity.
enum { RV_CAPTURE_TAKEN = 4 };

// The rows of cells of a tile with y from y0 to y1 and z from z0 to z1.
static inline uint64_t rv_couple_capture_rows(int y0, int y1, int z0, int z1) {
  uint64_t of_y = ((uint64_t)0xff >> (7 - (y1 - y0))) << y0;
  return (of_y * 0x0101010101010101u) >> 8 * (7 - (z1 - z0)) << 8 * z0;
}

// Largest number of groups of a piece in a tile of so many particles: each row of cells begins a new one.
static inline size_t rv_couple_capture_groups_most(size_t particles) {
  return particles / 8 + (size_t)RV_TILE_SIDE * RV_TILE_SIDE;
}

// Weights: lists the groups of the piece and sums its liquid.
RV_KERNEL_DECLARE(void, rv_couple_capture_weigh,
                  (const RvCaptureTile*, RvCapturePiece*, RvCaptureGroup* groups, double sums[2 * RV_CAPTURE_WEIGHTS]))
// Demand: adds weight ((1 - t) share[0] + t share[1]) to what each particle is asked for, and of drops the second two
// shares more.
RV_KERNEL_DECLARE(void, rv_couple_capture_ask,
                  (const RvCaptureTile*, const RvCapturePiece*, const RvCaptureGroup* groups, const double share[4]))
// Return: the same for what the film of both ends gives, which has the velocities u.
RV_KERNEL_DECLARE(void, rv_couple_capture_return,
                  (const RvCaptureTile*, const RvCapturePiece*, const RvCaptureGroup* groups, const double share[2],
                   double u[2][3]))
// Taken: sums over the piece's particles of the volume that goes to its lower end, and of volume x velocity, then of
// that to its upper; `share` as in the demand.
RV_KERNEL_DECLARE(void, rv_couple_capture_take,
                  (const RvCaptureTile*, const RvCapturePiece*, const RvCaptureGroup* groups, const double share[4],
                   double sums[2 * RV_CAPTURE_TAKEN]))

#endif
