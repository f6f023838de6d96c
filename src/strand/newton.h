// The incremental potential of one batch with its derivatives, and the vector operations of CG: kernels in SIMD lanes
// (newton_kernel.c, cg_kernel.c). All arrays are those of the batch; layouts are those of rod.h.
#ifndef RV_STRAND_NEWTON_H
#define RV_STRAND_NEWTON_H

#include <stdbool.h>
#include <stdint.h>

#include "math/operator.h"
#include "strand/rod.h"

// The incremental potential of a step: mass (q - goal)^2 / (2 h^2) + elastic energy, over the free unknowns (WH-44).
typedef struct RvNewtonBatch {
  RvRodBatch rod;
  const double* inertia;     // [unknowns] kg/s2: mass / h^2, with drag and springs
  const double* goal;        // [unknowns] where each would be without elasticity
  const double* free;        // [unknowns] 1, or 0 where the value is given
  const double* slide;       // [3 x vertices] e: inertia is less by e e^T, about slide_goal = e . x; NULL: none
  const double* slide_goal;  // [vertices] e . x of free flight
  const RvOperator* couple;  // the coupling; its `diagonal` of `block` is part of the Hessian. NULL: none
  size_t block;              // number of the batch
  // The terms of the coupling that join no two strands (RvOperator.block) are part of the potential, and stand for all
  // of it: in a step whose coupling joins none, and while a batch is solved without the others.
  bool block_terms;
  // Bits of the lanes that take the Gauss-Newton Hessian; others take it where the full one is not positive definite.
  uint8_t cautious_lanes;
} RvNewtonBatch;

// Potential of each lane at q.
void rv_strand_newton_energy(const RvNewtonBatch* b, const double* q, double energy[RV_LANES]);
// Gradient g at q (0 where fixed) and, if `band` is not NULL, the Hessian of the rod alone. With a coupling, `spare`
// (a band and a vector of unknowns) gets the factor of that Hessian with half of the inertia. Returns the bits of the
// lanes where this is not positive definite.
unsigned rv_strand_newton_derive(const RvNewtonBatch* b, const double* q, double* g, double* band, double* spare);
// Turns the Hessian of the rod in `band` into the factor of the Hessian of the potential. Lanes where it is not
// positive definite, and `indefinite_lanes` as returned above, get the Gauss-Newton one, which is made in `spare`.
// Returns their bits.
unsigned rv_strand_newton_factor(const RvNewtonBatch* b, const double* q, unsigned indefinite_lanes, double* band,
                                 double* spare);
// Both of the above: gradient and factor at q.
unsigned rv_strand_newton_assemble(const RvNewtonBatch* b, const double* q, double* g, double* band, double* spare);
// Conjugate gradients; z = M^-1 r and A p share the array ap.
// Direction: p = z + beta p, mp = r + beta mp, then ap = 0. With beta 0, p and mp are not read.
void rv_strand_cg_direction(int vertices, double beta, const double* r, double* p, double* mp, double* ap);
// Product: ap = mp + free ap, where ap has the coupling's part of A p; dot = p . ap of each lane.
void rv_strand_cg_product(int vertices, const double* free, const double* mp, const double* p, double* ap,
                          double dot[RV_LANES]);
// Advance: d += alpha p, r -= alpha ap, ap = r. `first`: d counts as 0 and is not read.
void rv_strand_cg_advance(int vertices, double alpha, bool first, const double* p, double* d, double* r, double* ap);
// Dot product of each lane over the unknowns.
void rv_strand_newton_dot(int vertices, const double* a, const double* b, double dot[RV_LANES]);
// out = q + alpha d, lane by lane, with edges turned instead of sheared (newton_kernel.c).
void rv_strand_newton_move(int vertices, const double* q, const double alpha[RV_LANES], const double* d, double* out);
// Joins elastic and viscous energy of a step: k = k_e + k_v, rest = (k_e rest_e + k_v start) / k, with k_v = scale x
// viscous. `count` rows of `width` stiffnesses; `repeat` strains share each.
void rv_strand_newton_blend(int count, int width, int repeat, const double* elastic, const double* viscous,
                            double scale, const double* rest, const double* start, double* stiffness, double* blended);

#endif
