// A term of an energy that one module hands to another's solver, which knows nothing else of it: contact and cohesion
// give one to the strands' Newton (design section 2).
#ifndef RV_MATH_OPERATOR_H
#define RV_MATH_OPERATOR_H

#include <stddef.h>

// All vectors are the solver's blocks of unknowns. Sums are in an order that does not depend on the workers.
typedef struct RvOperator {
  void* user;
  // Energy at q.
  double (*energy)(void* user, const double* q);
  // Adds the gradient at q to g.
  void (*gradient)(void* user, const double* q, double* g);
  // Fixes the (positive semidefinite) Hessian H of what follows to that at q.
  void (*prepare)(void* user, const double* q);
  // Adds the part of H that joins unknowns of block `block` and fits its band to `band`: the same part must be left
  // out of apply. NULL: there is none.
  void (*diagonal)(void* user, size_t block, double* band);
  // Adds the rest of H times p to out.
  void (*apply)(void* user, const double* p, double* out);
} RvOperator;

#endif
