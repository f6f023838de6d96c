// An energy term that one module contributes to the solver of another through callbacks: contact and cohesion
// contribute theirs to the Newton solver of the strands.
#ifndef RV_MATH_OPERATOR_H
#define RV_MATH_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All vectors have the solver's layout of blocks of unknowns. Sums are in an order that does not depend on the threads.
typedef struct RvOperator {
  void* user;
  // Energy at q. Each lane's share of it (half of a term that couples two lanes) is added to `lanes`, RV_LANES per
  // block.
  double (*energy)(void* user, const double* q, double* lanes);
  // Adds the gradient at q to g.
  void (*gradient)(void* user, const double* q, double* g);
  // Promises that `q`, at which the operator was last evaluated, does not change until the next call; what was computed
  // there may be reused. `q` NULL: it may change. NULL function: the promise is not needed.
  void (*stays)(void* user, const double* q);
  // Sets the (positive semidefinite) Hessian H of the functions below to that at q. Bit i of careful[block] is set if
  // the last Newton step of lane i failed: its matrix should then bound the energy from above rather than approximate
  // it.
  void (*prepare)(void* user, const double* q, const uint8_t* careful);
  // Adds the part of H that couples unknowns of one block within its band to `band`. gather and spread leave the same
  // part out. NULL: there is none.
  void (*diagonal)(void* user, size_t block, double* band);
  // The product of the remaining part of H with p: first `gather` reads block `block` of p, for every block; then
  // `spread` adds block `block` of the product to `out`. Blocks may run in parallel. NULL: no term couples two lanes,
  // and the function `block` suffices.
  void (*gather)(void* user, size_t block, const double* p);
  void (*spread)(void* user, size_t block, double* out);
  // Evaluates one block alone at its q: adds to the energies of its lanes, its gradient and the band of its Hessian,
  // each unless it is NULL.
  void (*block)(void* user, size_t block, const double* q, uint8_t careful, double* lanes, double* g, double* band);
  // Mask of the lanes of a block on which a term acts that would be lost if they moved far. These lanes begin a step at
  // their last position instead of the inertial prediction. NULL: none.
  unsigned (*held)(void* user, size_t block);
  // Mask of the lanes of a block that a term draws towards other lanes. Alone they would spring back, so they are not
  // solved alone for their first guess. NULL: none.
  unsigned (*drawn)(void* user, size_t block);
  // Joins the components of lanes that the terms couple (rv_operator_join): group[RV_LANES * block + lane] leads to the
  // lowest lane number of its component. NULL: all lanes are one component.
  void (*groups)(void* user, uint32_t* group);
} RvOperator;

// Adds the product of the part of H outside of the bands with p to `out`.
static inline void rv_operator_apply(const RvOperator* op, size_t blocks, const double* p, double* out) {
  if (!op->gather) return;
  for (size_t k = 0; k < blocks; ++k) op->gather(op->user, k, p);
  for (size_t k = 0; k < blocks; ++k) op->spread(op->user, k, out);
}

// Lowest lane of the component of lane k; paths are halved on the way.
static inline uint32_t rv_operator_group(uint32_t* group, uint32_t k) {
  while (group[k] != k) {
    group[k] = group[group[k]];
    k = group[k];
  }
  return k;
}

// Makes the components of two lanes one.
static inline void rv_operator_join(uint32_t* group, uint32_t a, uint32_t b) {
  a = rv_operator_group(group, a);
  b = rv_operator_group(group, b);
  if (a != b) group[a > b ? a : b] = a > b ? b : a;
}

// The sum of two operators. Terms that join no two lanes may be missing in either (RvOperator.gather).
typedef struct RvOperatorSum {
  const RvOperator *a, *b;
  RvOperator op;
} RvOperatorSum;
const RvOperator* rv_operator_sum(RvOperatorSum* sum, const RvOperator* a, const RvOperator* b);

#endif
