// Discrete elastic rods, RV_LANES strands of equal vertex count at once (WH-1 to WH-3, spec 1.2.1).
//
// Unknowns, interleaved as the banded solver wants them: q[(4 i + c) * RV_LANES + lane] is coordinate c of vertex i for
// c < 3 and the angle of the material frame of edge i for c = 3; the last angle does not exist and its place is unused.
// Arrays of n vertices or n - 1 edges with k numbers each are [(i * k + c) * RV_LANES + lane].
//
// Reference frames are those of the start of the step, parallel-transported along the shortest arc to where the edge
// is now (spec E51): so the energy is one smooth function of q during the whole step.
#ifndef RV_STRAND_ROD_H
#define RV_STRAND_ROD_H

#include <stddef.h>

#include "math/ldlt.h"

// Subdiagonals of the Hessian: an inner vertex couples the eleven unknowns from x of the vertex before to x of that
// after.
enum { RV_ROD_BAND = 10 };

// What is constant during a step. Stiffness and rest values are those of elasticity and viscosity together: the sum of
// two quadratic energies of one strain is again one, up to a constant.
typedef struct RvRodBatch {
  int vertices;
  const double* tangent;          // [n-1][3] at the start of the step
  const double* director;         // [n-1][3] reference directors, at right angles to them
  const double* reference_twist;  // [n] rad, of the inner vertices, at the start of the step
  const double* length;           // [n-1] m, rest
  const double* stretch;          // [n-1] N/m: EA / length
  const double* curvature;        // [n][4] rest: kappa_1, kappa_2 in the frames of the edge before and after
  const double* bend;             // [n][2] N m: EI_1 / l, EI_2 / l
  const double* twist;            // [n] rad, rest
  const double* torsion;          // [n] N m: GJ / l
} RvRodBatch;

typedef enum RvRodHessian {
  RV_ROD_GAUSS_NEWTON,  // positive semidefinite always
  RV_ROD_FULL,          // with the second derivatives of the strains; may be indefinite
} RvRodHessian;

// Number of unknowns.
static inline int rv_strand_rod_size(int vertices) {
  return 4 * vertices - 1;
}

// Elastic energy of each lane.
void rv_strand_rod_energy(const RvRodBatch* rod, const double* q, double energy[RV_LANES]);
// Adds the gradient to g (as q) and, if `band` is not NULL, the Hessian to it (the layout of math/ldlt.h, band 10).
void rv_strand_rod_derivatives(const RvRodBatch* rod, const double* q, RvRodHessian kind, double* g, double* band);

// The strains at q: tangents, reference directors, reference twists, four curvatures and the twist of each inner
// vertex. Any output may be NULL. With frames of the start of the step in `rod`, these are the ones of its end.
typedef struct RvRodStrain {
  double *tangent, *director, *reference_twist, *length, *curvature, *twist;
} RvRodStrain;
void rv_strand_rod_strain(const RvRodBatch* rod, const double* q, const RvRodStrain* out);

#endif
