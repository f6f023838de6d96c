// What the parts of the coupled step share. Private to src/strand.
#ifndef RV_STRAND_COUPLED_H
#define RV_STRAND_COUPLED_H

#include "strand/step.h"

// Of what a batch was promised, in what it may rest with: above it nothing is hoped for from looking.
#define RV_COUPLED_HOPE 16

// All strands of a step.
typedef struct RvCoupled {
  const RvStrandStep* step;
  const RvOperator* op;
  RvStrandWork* work;  // one a batch
  double* memory;      // of the batches
  size_t* memory_at;
  double *q, *d, *b, *r, *p, *mp, *ap;  // [unknowns]; r is the gradient first, ap also z and the line search's trial
  double alpha, beta;                   // of CG
  double forcing;                       // tolerance of the linear solve at hand
  double left;                          // of the linear system's residual, by the last solve
  double surprise;                      // by how much the last step's fall was not that of its quadratic model
  double *now, *trial;                  // [lanes of all batches] energies, with half of what joins two strands,
  double *own, *own_trial;              // and without,
  double *share, *slope;                // the part of the step they take, and what it promised
  double* alone;                        // [batches] the first decrement without the others
  uint8_t *caution, *careful;           // [lanes of all batches], [batches] their bits
  uint8_t *derived, *loose;             // [batches] whether gradient and Hessian of the rods stand at q, and whose
                                        // lanes' are not positive
  // Batches that rest while the others iterate: what is left of each is below `little`. The others, ascending.
  uint8_t *quiet, *looks;  // looks: those that might have been in this iteration; in the search, those that it tries
  double *rests, little;   // [batches] r . M^-1 r of the quiet ones
  size_t *list, count;
  int64_t* indefinite;  // [batches]; -1: no memory
} RvCoupled;

static inline size_t rv_strand_coupled_unknowns(const RvStrandBatch* b) {
  return (size_t)b->vertices * 4 * RV_LANES;
}

// Finds who is quiet at the gradient in r, and makes the list of the others. Gives the sum of `rests`.
double rv_strand_coupled_choose(RvCoupled* c);
// Of the gradient in r: d = -A^-1 r by conjugate gradients. Returns d . b, twice the fall of the quadratic model.
double rv_strand_coupled_solve(RvCoupled* c, RvStrandStats* stats);
// Moves q along d, each strand as far as is good for all; false: nowhere.
bool rv_strand_coupled_search(RvCoupled* c, RvStrandStats* stats);
// To the coupling: where it was asked last is q, which stays. (operator.h)
void rv_strand_coupled_stays(const RvCoupled* c, const double* q);
// The energies at q.
void rv_strand_coupled_measure(RvCoupled* c);

#endif
