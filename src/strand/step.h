// What the free and the coupled step share: the work of a batch, the line search and the energy balance. Private to
// src/strand.
#ifndef RV_STRAND_STEP_H
#define RV_STRAND_STEP_H

#include <stdint.h>

#include "strand/newton.h"
#include "strand/strand.h"

// Numbers of one batch. The vectors of unknowns may be its part of global ones; the other arrays are in memory of
// rv_strand_work_size doubles. `spare` is rv_strand_spare_size doubles, needed only while a batch is assembled or
// finished.
typedef struct RvStrandWork {
  double *q, *g, *d, *trial;           // [unknowns] iterate, gradient, Newton direction, trial iterate
  double *goal, *inertia;              // [unknowns] as RvNewtonBatch
  double *band, *spare;                // factor of the Hessian; room
  double *length, *curvature, *twist;  // rest strains, elastic and viscous together
  double *stretch, *bend, *torsion;    // stiffness, elastic and viscous together
  double *slide, *slide_goal;          // as RvNewtonBatch; used with a slide
  RvNewtonBatch potential;             // the incremental potential, made of these
  double guess_energy[RV_LANES];       // J, of each lane at the first guess
  bool has_guess_energy;               // guess_energy is that of q
  double large_displacement;           // m that a large acceleration moves things by in the step
  uint8_t euler_lanes;                 // bits of the lanes that do a step of BDF2 as one of Euler (balance.c)
} RvStrandWork;

typedef struct RvStrandStep {
  const RvStrandModel* m;
  RvStrandState* s;
  const RvStrandStepDef* def;
  bool bdf2;
} RvStrandStep;

static inline bool rv_strand_step_bdf2(const RvStrandStep* step, const RvStrandWork* w, int lane) {
  return step->bdf2 && !(w->euler_lanes >> lane & 1);
}

// h, in s: an unknown with velocity v at the end of the step has moved by h v from where it drifts to. BDF2 (Hairer and
// Wanner, II.7): 2/3 dt.
static inline double rv_strand_step_length(const RvStrandStep* step, bool bdf2) {
  return bdf2 ? step->def->dt * 2 / 3 : step->def->dt;
}

// Velocity at the end of the step of an unknown that has come to q.
static inline double rv_strand_step_velocity(const RvStrandStep* step, bool bdf2, size_t at, double q) {
  const RvStrandState* s = step->s;
  double v = (q - s->q[at]) / step->def->dt;
  return bdf2 ? 1.5 * v - 0.5 * (s->q[at] - s->q_before[at]) / step->def->dt : v;
}

//---------------------------------------------------------------------------------------------- line search

// A step of a strand alone whose decrement turns out to be within the tolerance is still taken, unless it is below this
// share of it: the direction is known already. Without it small forces do not act in short steps, as the tolerance of
// 1e-3 is that of 3 m/s2 (rv_strand_step_scale): hair drawn along by friction of 0.3 g stayed at half of its
// deflection.
#define RV_STRAND_SMALLEST_STEP 0.01

enum { RV_STRAND_MAX_HALVINGS = 12 };  // trials after the first; each shortens the step to at most a half

// Relative rounding of the energy. At convergence the decrease is below it, which must not reject the last step.
#define RV_STRAND_ENERGY_ROUNDING 1e-13

// Whether the line search is in its second half.
static inline bool rv_strand_step_search_late(int halving) {
  return halving >= RV_STRAND_MAX_HALVINGS / 2;
}

// Armijo's constant: share of the first-order decrease that a step must have. A late search accepts almost any
// decrease.
static inline double rv_strand_step_armijo(int halving) {
  return rv_strand_step_search_late(halving) ? 1e-4 : 0.1;
}

// Next step length after one of alpha under which the energy changed by `rise`, where the first-order model has a
// decrease of alpha `descent`: the minimum of the parabola, kept within 0.1 to 0.5 of alpha.
static inline double rv_strand_step_backtrack(double alpha, double descent, double rise) {
  const double least = 0.1, largest = 0.5;
  double best = 0.5 * descent * alpha / (rise + alpha * descent);
  return alpha * (best > least ? best < largest ? best : largest : least);
}

// Whether a strand shall use the Gauss-Newton Hessian: for two iterations after a step shorter than a half.
static inline bool rv_strand_step_update_caution(uint8_t* caution_left, double alpha) {
  *caution_left = alpha < 0.5 ? 2 : *caution_left ? *caution_left - 1 : 0;
  return *caution_left > 0;
}

//---------------------------------------------------------------------------------------------- a batch

// Doubles of the arrays of a batch, and of its spare.
size_t rv_strand_work_size(int vertices);
size_t rv_strand_spare_size(int vertices);
// Places the arrays in memory of rv_strand_work_size doubles, 64-byte aligned.
void rv_strand_work_place(RvStrandWork* w, double* memory, int vertices);
// Bits of the lanes whose iterate starts at the state of the step's beginning (RvOperator.held), spare lanes included.
unsigned rv_strand_step_start_lanes(const RvStrandStep* step, const RvStrandBatch* b);
// Goal, potential and first guess q of a batch.
void rv_strand_step_begin(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w);
// Goal and potential once more, after euler_lanes changed; q stays.
void rv_strand_step_rebuild(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w);
// Energy balance of a strand, or of a group of them, over a step of BDF2.
typedef struct RvBalance {
  double gain;   // J: increase of kinetic and elastic energy, less the work of external forces
  double scale;  // J: kinetic and elastic energy at both ends of the step
  bool driven;   // a fixed vertex moves, and does work
} RvBalance;
// Adds the balance of each lane for a step to w->q. The caller adds the energy of the coupling.
void rv_strand_step_balance(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w,
                            RvBalance lanes[RV_LANES]);
// Whether the gain is more than rounding and Newton's tolerance explain. The work of driven vertices is known only to
// the order of the step, so their strands are left out.
static inline bool rv_strand_step_rises(const RvBalance* a) {
  const double least_share = 1e-8;
  return !a->driven && a->gain > least_share * a->scale;
}
// Reference decrement of each lane, for residuals where nothing moves: that of moving the whole strand by one of its
// edges, or by what a large acceleration does in the step if that is less. With edges alone, a force that moves strands
// by little in a step would have no effect, however many such steps follow each other.
void rv_strand_step_scale(const RvStrandBatch* b, const RvStrandWork* w, double scale[RV_LANES]);
// Newton for a batch on its own: every lane has its own step lengths and stops by itself. A lane whose residual is
// within the tolerance takes its last step, if the residual is above the share `smallest_step` of it; 1: no such step.
void rv_strand_step_newton(const RvStrandBatch* b, RvStrandWork* w, int max_iterations, double tolerance,
                           double smallest_step, RvStrandStats* stats);
// q becomes the state: velocities, and reference frames transported to the end of the step.
void rv_strand_step_finish(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w);

// The step of all batches; its memory is taken from the arena, and given back by the caller.
RvResult rv_strand_step_free(const RvStrandStep* step, RvArena* arena, RvStrandStats* stats, RvError* error);
RvResult rv_strand_step_coupled(const RvStrandStep* step, RvArena* arena, RvStrandStats* stats, RvError* error);

#endif
