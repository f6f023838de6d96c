// What the free and the coupled step share. Private to src/strand.
#ifndef RV_STRAND_STEP_H
#define RV_STRAND_STEP_H

#include <stdint.h>

#include "strand/newton.h"
#include "strand/strand.h"

enum { RV_STRAND_MAX_HALVINGS = 12 };

// Numbers of one batch. The vectors of unknowns may be its part of global ones; the rest is in memory of
// rv_strand_work_size doubles; `spare` is rv_strand_spare_size doubles that are needed only while a batch is assembled
// or finished.
typedef struct RvStrandWork {
  double *q, *goal, *inertia, *g, *d, *trial, *band, *spare;
  double *length, *curvature, *twist, *stretch, *bend, *torsion;  // elastic and viscous together
  double *slide, *slide_goal;                                     // as RvNewtonBatch; used with a slide
  RvNewtonBatch potential;
  double fall;    // m that a large acceleration moves things by in the step
  uint8_t euler;  // lanes that do a step of BDF2 as one of Euler (balance.c)
} RvStrandWork;

typedef struct RvStrandStep {
  const RvStrandModel* m;
  RvStrandState* s;
  const RvStrandStepDef* def;
  bool bdf2;
} RvStrandStep;

static inline bool rv_strand_step_bdf2(const RvStrandStep* step, const RvStrandWork* w, int lane) {
  return step->bdf2 && !(w->euler >> lane & 1);
}

// h: what a velocity moves by.
static inline double rv_strand_step_length(const RvStrandStep* step, bool bdf2) {
  return bdf2 ? step->def->dt * 2 / 3 : step->def->dt;
}

// Of an unknown that has come to q.
static inline double rv_strand_step_velocity(const RvStrandStep* step, bool bdf2, size_t at, double q) {
  const RvStrandState* s = step->s;
  double v = (q - s->q[at]) / step->def->dt;
  return bdf2 ? 1.5 * v - 0.5 * (s->q[at] - s->q_before[at]) / step->def->dt : v;
}

// The step of a line search after one of alpha under which the energy rose by `rise` where its slope promised to fall
// by alpha `fall`: the least of the parabola, within bounds.
static inline double rv_strand_step_shorter(double alpha, double fall, double rise) {
  double best = 0.5 * fall * alpha / (rise + alpha * fall);
  return alpha * (best > 0.1 ? best < 0.5 ? best : 0.5 : 0.1);
}

// Whether a strand shall be careful with its Hessian: for two iterations after a step that had to be cut short.
static inline bool rv_strand_step_careful(uint8_t* caution, double alpha) {
  *caution = alpha < 0.5 ? 2 : *caution ? *caution - 1 : 0;
  return *caution > 0;
}

size_t rv_strand_work_size(int vertices);
size_t rv_strand_spare_size(int vertices);
void rv_strand_work_place(RvStrandWork* w, double* memory, int vertices);
// Bits of the lanes that begin where they were (RvOperator's `held`).
unsigned rv_strand_step_held(const RvStrandStep* step, const RvStrandBatch* b);
// Goal, potential and first guess q of a batch.
void rv_strand_step_begin(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w);
// Goal and potential once more, for other lanes of Euler's; q stays.
void rv_strand_step_again(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w);
// Energy of strands over a step of BDF2.
typedef struct RvBalance {
  double gain;   // J: motion and strain that came, less what was done from outside
  double scale;  // J: motion and strain at both ends
  bool led;      // something that is held moves, and does work
} RvBalance;
// Adds that of each lane for a step to w->q. What joins strands is the caller's to add.
void rv_strand_step_balance(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w,
                            RvBalance lanes[RV_LANES]);
// Whether that is more than rounding and Newton leave. What those who lead a strand do is known to the order of the
// step only, and no reason to do it again.
static inline bool rv_strand_step_rises(const RvBalance* a) {
  return !a->led && a->gain > 1e-8 * a->scale;
}
// The decrement of moving a whole strand by one of its edges, or by what a large acceleration does in the step if that
// is less: what residuals are measured against when nothing moves. With the first alone a force that moves strands by
// little in a step would go unfelt, however many such steps follow each other.
void rv_strand_step_scale(const RvStrandBatch* b, const RvStrandWork* w, double scale[RV_LANES]);
// Newton for a batch whose strands are alone: every lane has its own steps, line search and end.
void rv_strand_step_newton(const RvStrandBatch* b, RvStrandWork* w, int most, double tolerance, RvStrandStats* stats);
// q becomes the state: velocities, and frames carried to the end of the step.
void rv_strand_step_finish(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w);

RvResult rv_strand_step_free(const RvStrandStep* step, RvStrandStats* stats, RvError* error);
RvResult rv_strand_step_coupled(const RvStrandStep* step, RvStrandStats* stats, RvError* error);

#endif
