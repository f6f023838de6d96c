// The coupled step: inexact Newton for all strands that contacts, bridges or solids join (WH-44). This is what its
// parts share: coupled_guess.c, step_coupled.c (Newton), coupled_solve.c (CG, WH-45), coupled_search.c and
// coupled_energy.c. Private to src/strand.
#ifndef RV_STRAND_COUPLED_H
#define RV_STRAND_COUPLED_H

#include "strand/rooms.h"
#include "strand/step.h"

// All strands of a step. Arrays are of one of these sizes:
//   [unknowns]  the unknowns of all batches, as q
//   [lanes]     one number a lane of each batch: RV_LANES x batches
//   [batches]   one number a batch
typedef struct RvCoupled {
  const RvStrandStep* step;
  const RvOperator* op;         // the coupling: contacts, bridges, solids
  RvStrandWork* work;           // [batches] the incremental potential of each batch
  double* work_memory;          // what `work` points into
  size_t* work_at;              // [batches] where each one's part of work_memory begins
  RvStrandRooms assembly_room;  // rooms of an assembly: rv_strand_spare_size, and a band

  // Newton and CG, each [unknowns]
  double* q;   // iterate
  double* d;   // Newton direction
  double* b;   // right side: minus the gradient over the free unknowns
  double* r;   // gradient until the linear solve begins, then the residual of the linear system
  double* p;   // CG direction
  double* mp;  // M p, with the preconditioner M: the bands of the strands
  double* ap;  // A p, then z = M^-1 r; in the line search the trial iterate
  double cg_step_length, cg_beta;
  double forcing_term;     // relative tolerance of the linear solve at hand
  double linear_residual;  // relative residual that the last linear solve reached, in the norm of M^-1
  double model_error;      // J: actual less predicted decrease of the last Newton step; infinite if it was shortened

  // line search, each [lanes]
  double *energy, *trial_energy;                // J: potential, with half of each coupling term that joins two strands
  double *strand_energy, *trial_strand_energy;  // J: potential without the coupling
  double* step_length;                          // alpha, in [0, 1]
  double* descent;                              // J: b . d, the decrease a unit step would have to first order

  double* solo_decrement;     // [batches] first Newton decrement of each batch without the other strands
  uint8_t* caution_left;      // [lanes] iterations for which a lane still asks for the Gauss-Newton Hessian
  uint8_t* cautious_lanes;    // [batches] bits of the lanes that ask for it
  uint8_t* derived;           // [batches] 1: gradient and rod Hessian already stand at q
  uint8_t* rounded;           // [batches] 1: the factor is rounded (math/ldlt_rounded.h)
  uint8_t* indefinite_lanes;  // [batches] bits of the lanes whose rod Hessian at q is not positive definite

  // Active set: converged batches are left out of an iteration while their residual is below the threshold.
  uint8_t* inactive;          // [batches] 1: candidate before the choice, left out after it
  uint8_t* was_candidate;     // [batches] 1: has only its gradient; its Hessian is missing if it wakes up
  double* inactive_residual;  // [batches] r . M^-1 r of the inactive ones, with their last factor
  double inactive_threshold;  // largest r . M^-1 r of an inactive batch
  size_t *active, nactive;    // the active batches, ascending
  uint8_t* step_changed;      // [batches] 1: some step length changed, so the trial is to be evaluated again
  int64_t* indefinite_count;  // [batches] assemblies that replaced the full Hessian in a lane; -1: out of memory
} RvCoupled;

static inline size_t rv_strand_coupled_unknowns(const RvStrandBatch* b) {
  return (size_t)b->vertices * 4 * RV_LANES;
}

// First guess of batch k: its solution without the other strands. (coupled_guess.c)
void rv_strand_coupled_guess(RvCoupled* c, size_t k);
// Chooses the active set from the gradient in r. Returns the sum of r . M^-1 r over the inactive batches.
// (coupled_solve.c)
double rv_strand_coupled_choose_active(RvCoupled* c);
// Solves A d = -r for the gradient r by conjugate gradients, to the forcing term. Returns d . b, the square of the
// Newton decrement and twice the predicted decrease.
double rv_strand_coupled_solve(RvCoupled* c, RvStrandStats* stats);
// Line search along d with a step length for each strand; q takes the step. False: no step decreases the energy.
// (coupled_search.c)
bool rv_strand_coupled_search(RvCoupled* c, RvStrandStats* stats);
// Evaluates the energies at q.
void rv_strand_coupled_measure(RvCoupled* c);
// Tells the coupling that the q it saw last does not change until the next call, so that it may reuse what it found
// there; NULL: it may change (RvOperator.stays).
void rv_strand_coupled_keep(const RvCoupled* c, const double* q);
// Marks the lanes whose group gained energy over a step of BDF2 (balance.c), which must repeat it with implicit Euler;
// *any: there are some. Takes its room from the arena. False: out of memory. (coupled_energy.c)
bool rv_strand_coupled_find_rising(RvCoupled* c, RvArena* arena, bool* any);

#endif
