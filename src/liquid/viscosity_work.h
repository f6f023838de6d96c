// What a viscosity solve works on: vectors over the tiles with a tile of zeros behind, and their kernels.
#ifndef RV_LIQUID_VISCOSITY_WORK_H
#define RV_LIQUID_VISCOSITY_WORK_H

#include "base/arena.h"
#include "liquid/viscosity.h"
#include "math/kernel.h"

// Stresses: at centres xx, yy, zz; at the lower edges of a cell along x (yz), y (xz) and z (xy).
enum { RV_STRESS_XX, RV_STRESS_YY, RV_STRESS_ZZ, RV_STRESS_YZ, RV_STRESS_XZ, RV_STRESS_XY, RV_STRESSES };

// State of a face: unknown, prescribed by a solid, or in an absent tile.
typedef enum RvFaceKind { RV_FACE_FREE, RV_FACE_PRESCRIBED, RV_FACE_ABSENT } RvFaceKind;

// A tile with the cells around it: liquid fraction and viscosity factor of each cell, and fraction and kind of the face
// below it along every axis. Faces that border on absent tiles are prescribed.
typedef struct RvViscosityBlock {
  float part[RV_HALO1_CELLS], factor[RV_HALO1_CELLS];
  float mass[3][RV_HALO1_CELLS];
  uint8_t kind[3][RV_HALO1_CELLS];
} RvViscosityBlock;

// Liquid fraction of a cell with a flat surface at this distance from its centre.
static inline float rv_liquid_viscosity_part(double dx, float distance) {
  double s = 0.5 - (double)distance / dx;
  return s > 0 ? s < 1 ? (float)s : 1 : 0;
}

// Reads a tile with its halo.
void rv_liquid_viscosity_read_block(const RvViscosityIn* in, size_t tile, RvViscosityBlock* block);

typedef struct RvViscosityWork {
  const RvViscosityIn* in;
  size_t count;                      // of tiles with liquid in or next to them: the others take no part
  int32_t* tile;                     // of each, its number among the input's
  int32_t* number;                   // and back; `count`: takes no part
  int32_t (*near)[6];                // at -x, +x, -y, +y, -z, +z; `count`: absent
  float beta;                        // viscosity dt / (density dx^2)
  float* mass[3];                    // of each face, 0..1
  float* inverse[3];                 // 1 / diagonal where the face is unknown, 0 elsewhere
  float* weight[4];                  // of stresses: centres, then edges along x, y, z
  float* stress[RV_STRESSES];        // of the velocity at hand
  float *u[3], *r[3], *p[3], *q[3];  // CG: velocity, residual, direction, A p
} RvViscosityWork;

// Tiles, weights, the diagonal, and u: the velocities of the input, and those of solids where they are prescribed.
// False when out of memory.
bool rv_liquid_viscosity_set_up(RvViscosityWork* work, RvArena* arena);

// stress of a velocity, over tiles begin..end
RV_KERNEL_DECLARE(void, rv_liquid_viscosity_stress,
                  (const RvViscosityWork*, float* const v[3], size_t begin, size_t end))
// out = A v where unknown, 0 elsewhere, from the stress of v; returns v . out
RV_KERNEL_DECLARE(double, rv_liquid_viscosity_force,
                  (const RvViscosityWork*, float* const v[3], float* const out[3], size_t begin, size_t end))
// u += alpha p, r -= alpha q; returns r . inverse r, and r . r of each tile
RV_KERNEL_DECLARE(double, rv_liquid_viscosity_advance,
                  (const RvViscosityWork*, float alpha, double* square, size_t begin, size_t end))
// p = inverse r + beta p
RV_KERNEL_DECLARE(void, rv_liquid_viscosity_turn, (const RvViscosityWork*, float beta, size_t begin, size_t end))

#endif
