// Sums over the neighbours of liquid particles, eight at a time. All arrays are in the order of the sorted set, with
// one element more for the particle that fills up groups, and four numbers a particle where two dimensions are named.
// Lengths are in supports.
#ifndef RV_LOOKDEV_LIQUID_KERNEL_H
#define RV_LOOKDEV_LIQUID_KERNEL_H

#include "contact/planes.h"
#include "math/kernel.h"
#include "sph/half.h"
#include "sph/lists.h"

// Surfaces of solids near a particle; the offset of a plane is that on the lattice, in supports.
typedef RvContactPlanes RvLookdevPlanes;

typedef struct RvLookdevSums {
  const RvSphLists* lists;
  const RvSphHalf* half;          // of poly6
  const RvLookdevPlanes* planes;  // of the particles that have some
  const int32_t* plane_at;        // [count] index into planes; -1: none
  float* at;                      // [count + 1][4] places and shares of a full particle's mass
  float* next;                    // [count + 1][4] places after the displacement
  // density constraint
  float* density;      // [count + 1] relative to that at rest
  float* normal;       // [count + 1][4] gradient of the constraint: points into the liquid; then the density
  float* solid;        // [count + 1][4] part of it that solids have
  float* multiplier;   // [count + 1] accumulated, at least 0
  float* change;       // [count + 1] of the multiplier, times the mass
  float value_factor;  // of poly6's sum
  float slope_factor;  // of spiky's slopes
  float relaxation;    // added to the diagonal (AH-12)
  float over;          // over-relaxation
  // forces
  float* velocity;       // [count + 1][4] m/s
  float* before;         // [count + 1][4] m/s before the projection; and the speed
  float* velocity_next;  // [count + 1][4] m/s
  float cohesion;        // m/s of a substep: of cohesion's sum
  float curvature;       // m/s of a substep: of the difference of normals
  float allowance;       // m/s that the projection may add to the largest velocity around
  float viscosity;       // share of the difference of velocities that a substep takes away
} RvLookdevSums;

// Share of the space around a particle that solids fill, and its gradient. Planes at right angles cut the kernel about
// independently: what is left free is the product of what each leaves free.
static inline float rv_lookdev_solid_share(const RvLookdevSums* s, size_t i, float gradient[3]) {
  gradient[0] = 0;
  gradient[1] = 0;
  gradient[2] = 0;
  if (s->plane_at[i] < 0) return 0;
  const RvLookdevPlanes* planes = &s->planes[s->plane_at[i]];
  const float* x = s->at + 4 * i;
  float free = 1;
  for (int k = 0; k < planes->count; ++k) {
    const float* n = planes->plane[k];
    RvSphHalfSums half = rv_sph_half_at(s->half, n[0] * x[0] + n[1] * x[1] + n[2] * x[2] + n[3]);
    for (int a = 0; a < 3; ++a) gradient[a] = gradient[a] * (1 - half.share) + free * half.slope * n[a];
    free *= 1 - half.share;
  }
  return 1 - free;
}

// What the density of some particles came to.
typedef struct RvLookdevExcess {
  double sum;  // of the excess over the density at rest
  float largest;
} RvLookdevExcess;

// Densities, gradients, and the changes of the multipliers of one Jacobi step (AH-12).
RV_KERNEL_DECLARE(RvLookdevExcess, rv_lookdev_density, (const RvLookdevSums* sums, size_t begin, size_t end))
// Displacements by the changes of the multipliers: `next` from `at`.
RV_KERNEL_DECLARE(void, rv_lookdev_displace, (const RvLookdevSums* sums, size_t begin, size_t end))
// What the limit of impacts took from some particles: it acts on each alone, so that their momentum is lost.
typedef struct RvLookdevCalmed {
  size_t count;
  double speed;  // m/s, weighed by the shares of mass
} RvLookdevCalmed;
// Velocities by viscosity, cohesion and curvature (AH-14, AH-15): `velocity_next` from `velocity`.
RV_KERNEL_DECLARE(RvLookdevCalmed, rv_lookdev_forces, (const RvLookdevSums* sums, size_t begin, size_t end))

#endif
