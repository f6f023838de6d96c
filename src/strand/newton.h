// One batch's share of Newton's method: what the kernels need and give. All arrays are the batch's own.
#ifndef RV_STRAND_NEWTON_H
#define RV_STRAND_NEWTON_H

#include <stdbool.h>
#include <stdint.h>

#include "math/operator.h"
#include "strand/rod.h"

// The incremental potential of a step: mass (q - goal)^2 / (2 h^2) + elastic energy, over the free unknowns.
typedef struct RvNewtonBatch {
  RvRodBatch rod;
  const double* inertia;     // [unknowns] mass / h^2
  const double* goal;        // [unknowns]
  const double* free;        // [unknowns] 1 or 0
  const double* slide;       // [3 x vertices] e: inertia is less by e e^T, about slide_goal = e . x; NULL: none
  const double* slide_goal;  // [vertices]
  const RvOperator* couple;  // its `diagonal` of block `block` is part of the Hessian; NULL: none
  size_t block;
  bool alone;  // the coupling joins no strands: all of it is part of this block
  uint8_t
      careful;  // lanes that shall have the Gauss-Newton Hessian; the others take it if the full one is not positive
} RvNewtonBatch;

// Potential of each lane at q.
void rv_strand_newton_energy(const RvNewtonBatch* b, const double* q, double energy[RV_LANES]);
// Gradient g at q (0 where fixed) and, if `band` is not NULL, the Hessian of the rod alone. With a coupling: the factor
// of it with half of the inertia in `spare` (as band, and a vector more), and the bits of the lanes where it is not
// positive.
unsigned rv_strand_newton_derive(const RvNewtonBatch* b, const double* q, double* g, double* band, double* spare);
// Makes of that Hessian the factor of the whole; lanes where it is not positive, or `loose` as above, get the
// Gauss-Newton one, for which `spare` is room. Returns their bits.
unsigned rv_strand_newton_factor(const RvNewtonBatch* b, const double* q, unsigned loose, double* band, double* spare);
// Both.
unsigned rv_strand_newton_assemble(const RvNewtonBatch* b, const double* q, double* g, double* band, double* spare);
// Conjugate gradients; z = M^-1 r and A p have one place. p = z + beta p, mp = r + beta mp, ap = 0; beta 0: p and mp
// are not read.
void rv_strand_cg_turn(int vertices, double beta, const double* r, double* p, double* mp, double* ap);
// ap = mp + may ap; dot = p . ap of each lane.
void rv_strand_cg_close(int vertices, const double* may, const double* mp, const double* p, double* ap,
                        double dot[RV_LANES]);
// d += alpha p, r -= alpha ap, ap = r; `first`: d is not read, and was 0.
void rv_strand_cg_advance(int vertices, double alpha, bool first, const double* p, double* d, double* r, double* ap);
// Dot product of each lane over the unknowns.
void rv_strand_newton_dot(int vertices, const double* a, const double* b, double dot[RV_LANES]);
// out = q + alpha d, lane by lane.
void rv_strand_newton_move(int vertices, const double* q, const double alpha[RV_LANES], const double* d, double* out);
// Elastic and viscous stiffness and rest of a step together: k = k_e + k_v, rest = (k_e rest_e + k_v start) / k.
void rv_strand_newton_blend(int count, int width, int repeat, const double* elastic, const double* viscous,
                            double scale, const double* rest, const double* start, double* stiffness, double* blended);

#endif
