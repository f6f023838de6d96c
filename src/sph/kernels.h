// Smoothing kernels of particle methods, one table (AH-13, AH-15, AH-19, HC-3, VI-1 to VI-3; spec 4.2, 5.2, 6.2).
//
// A kernel is a function of the distance q in units of its support H, the distance where it ends: W(r, H) = w(r / H) /
// H^d in d dimensions, and its gradient is w'(r / H) / H^(d + 1) along the unit vector r / |r|. The cubic spline of
// HC-3 is written with half its support there; the pair force of VI-1 has the support kh.
//
// Lanes have the same formulas in sph/lanes.h.
#ifndef RV_SPH_KERNELS_H
#define RV_SPH_KERNELS_H

#include "rivulet/base.h"

typedef enum RvSphKernel {
  RV_SPH_CUBIC,      // cubic spline in three dimensions (13)
  RV_SPH_CUBIC_2D,   // in two
  RV_SPH_CUBIC_1D,   // in one
  RV_SPH_POLY6,      // (3.15)
  RV_SPH_SPIKY,      // (3.17), E38
  RV_SPH_VISCOSITY,  // (3.19), E37; infinite at 0
  RV_SPH_COHESION,   // (4.18): a force, repulsive (negative) near 0
  RV_SPH_ADHESION,   // (4.21): a force between half the support and the support
  RV_SPH_COSINE,     // VI (4): a force, repulsive (positive) below a third of the support
  RV_SPH_TWO,        // VI (5): a force of two poly6 kernels, repulsive near 0, balanced
  RV_SPH_SPLINE,     // VI-3: cohesion as a force that is repulsive (positive) near 0, balanced
  RV_SPH_WENDLAND,   // Wendland's C2 in three dimensions
  RV_SPH_KERNELS
} RvSphKernel;

typedef struct RvSphKernelRow {
  const char* name;
  int dimensions;             // in which its integral is 1; 0: a force, which is not normalised
  double (*value)(double q);  // w; 0 from 1 on
  double (*slope)(double q);  // w'
} RvSphKernelRow;

extern const RvSphKernelRow rv_sph_kernels[RV_SPH_KERNELS];

// W of three dimensions at distance r (m), 1/m^3.
double rv_sph_value(RvSphKernel kernel, double r, double support);
// Its derivative by r, 1/m^4.
double rv_sph_slope(RvSphKernel kernel, double r, double support);
// Sum of w / H^3 times the volume of a cell over a cubic lattice of particles `spacing` apart, itself included: the
// density that a lattice at rest has by this kernel, relative to the true one.
double rv_sph_lattice_share(RvSphKernel kernel, double spacing, double support);
// The same of w q^2: the mean square of the distances, in supports, where the kernel's integral is 1.
double rv_sph_lattice_square(RvSphKernel kernel, double spacing, double support);
// Integral of w q^power over the support, from 0 to 1.
double rv_sph_moment(RvSphKernel kernel, int power);

#endif
