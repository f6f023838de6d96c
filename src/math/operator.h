// A term of an energy that one module hands to another's solver, which knows nothing else of it: contact and cohesion
// give one to the strands' Newton (design section 2).
#ifndef RV_MATH_OPERATOR_H
#define RV_MATH_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

// All vectors are the solver's blocks of unknowns. Sums are in an order that does not depend on the workers.
typedef struct RvOperator {
  void* user;
  // Energy at q; each lane's share of it (half of a term that joins two) is added to `lanes`, RV_LANES a block.
  double (*energy)(void* user, const double* q, double* lanes);
  // Adds the gradient at q to g.
  void (*gradient)(void* user, const double* q, double* g);
  // The q that was asked about last stays as it is until this is called again (NULL: it may change), so what was found
  // there need not be found anew. NULL: never asked for.
  void (*stays)(void* user, const double* q);
  // Fixes the (positive semidefinite) Hessian H of what follows to that at q. Bit i of careful[block]: lane i fared
  // badly with the last one and asks for a matrix that rather bounds the energy from above than follows it.
  void (*prepare)(void* user, const double* q, const uint8_t* careful);
  // Adds the part of H that joins unknowns of block `block` and fits its band to `band`: the same part must be left
  // out of gather and spread. NULL: there is none.
  void (*diagonal)(void* user, size_t block, double* band);
  // The rest of H: `gather` takes block `block` of p, for every block; after that `spread` adds that of H p to out. Any
  // number of blocks at a time. NULL: no term joins two lanes, and `block` is all that is needed.
  void (*gather)(void* user, size_t block, const double* p);
  void (*spread)(void* user, size_t block, double* out);
  // Of one block alone, whose q is given: adds to the energy of its lanes, to its gradient and to the band of its
  // Hessian, each where it is not NULL.
  void (*block)(void* user, size_t block, const double* q, uint8_t careful, double* lanes, double* g, double* band);
  // Bits of the lanes of a block that something pulls at, which would let go of them if they went far: these begin a
  // step where they were, not where they would go alone. NULL: none.
  unsigned (*held)(void* user, size_t block);
  // The groups of lanes that its terms join: group[RV_LANES x block + lane] is the lowest such number of its group.
  // NULL: all are one.
  void (*groups)(void* user, uint32_t* group);
} RvOperator;

// The rest of H times p, added to out.
static inline void rv_operator_apply(const RvOperator* op, size_t blocks, const double* p, double* out) {
  if (!op->gather) return;
  for (size_t k = 0; k < blocks; ++k) op->gather(op->user, k, p);
  for (size_t k = 0; k < blocks; ++k) op->spread(op->user, k, out);
}

#endif
