// Sums over the neighbours of pores, eight at a time; lengths in supports. Arrays are in the order of the sorted sets,
// with one element more for the particle that fills up groups.
#ifndef RV_LOOKDEV_PORE_KERNEL_H
#define RV_LOOKDEV_PORE_KERNEL_H

#include "math/kernel.h"
#include "sph/lists.h"

typedef struct RvPoreSums {
  const RvSphLists* lists;
  const float *of, *to;  // [count + 1][4] places; and shares of mass of liquid, Psi over support^3 of pores
  float* out;            // [count][4]
  // pores
  const float* wet;       // [count + 1][4] root of saturation times U; mass, kg; Psi over support^3; share along
  const float* velocity;  // [count + 1][4] m/s, and the place along all strands, in supports
  const float* thin;      // [count + 1] forces of a pair are multiplied by the larger of the two; NULL: by 1
  float clumping;         // m/s2, of the sum
  float damping;          // 1/s, of the sum
  // liquid: accelerations of a particle, and the reverse
  const float *velocity_of,
      *velocity_to;   // [count + 1][4] m/s, of the two sets; that of liquid also the share of drag that it takes
  float adhesion;     // m/s2, of adhesion's sum
  float drag;         // 1/s, of poly6's sum
  float* drag_share;  // [count + 1][4], its first number: share of the drag that a particle takes in a substep
  float dt;           // s
  double* total;      // [count] m3 of liquid that pores take up
} RvPoreSums;

// Pores of the same strand nearer than this along it, in supports, do not attract each other: they are parts of one wet
// hair, and a straight one does not pull on itself however many points it has.
#define RV_PORE_APART 1.0f

// Sum of poly6 / its factor over the neighbours of particles: out[0]; the weights of the others count.
RV_KERNEL_DECLARE(void, rv_pore_density, (const RvPoreSums* sums, size_t begin, size_t end))
// Adhesion (AH-19) and drag of particles: out[0..2] acceleration, m/s2, out[3] the sum of poly6 over its factor. Drag
// is implicit, so that a particle does not overshoot the velocity of the hair: it takes the share 1 / (1 + rate dt),
// where the rate is that of all pores around.
RV_KERNEL_DECLARE(void, rv_pore_adhesion, (const RvPoreSums* sums, size_t begin, size_t end))
// The reverse of it, for pores: the same weighed by the particles' shares of mass, with its sign changed; out[3] the
// sum of poly6 over its factor.
RV_KERNEL_DECLARE(void, rv_pore_reaction, (const RvPoreSums* sums, size_t begin, size_t end))
// Liquid that pores take up: `of` or `to` are pores with what they wish a unit of the kernel as fourth number, the
// other set particles with the share of their volume that they give. Both sides multiply the same numbers. wanted: sum
// of what pores wish of each particle.
RV_KERNEL_DECLARE(void, rv_pore_wanted, (const RvPoreSums* sums, size_t begin, size_t end))
// gained: what each pore gets.
RV_KERNEL_DECLARE(void, rv_pore_gained, (const RvPoreSums* sums, size_t begin, size_t end))
// Clumping (AH-21): out[0..2] force on each pore, N.
RV_KERNEL_DECLARE(void, rv_pore_clumping, (const RvPoreSums* sums, size_t begin, size_t end))

#endif
