// The step of strands that do not touch: every batch is solved by one task from beginning to end, and every lane is on
// its own: its steps, its line search and its stopping do not depend on the strands beside it.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "strand/step.h"

typedef struct Free {
  const RvStrandStep* step;
  RvStrandStats* stats;  // one a batch; iterations -1: no memory
} Free;

// shortens the step of each lane until its potential falls as it should (Armijo); a lane that cannot move stays
static int search(const RvStrandWork* w, const double* energy, const double* slope, double* alpha, double* after) {
  int shortened = 0, n = w->potential.rod.vertices;
  double trial[RV_LANES] __attribute__((aligned(64)));
  bool open[RV_LANES];
  for (int lane = 0; lane < RV_LANES; ++lane) {
    after[lane] = energy[lane];
    open[lane] = alpha[lane] > 0;
  }
  for (int halving = 0; halving <= RV_STRAND_MAX_HALVINGS; ++halving) {
    rv_strand_newton_move(n, w->q, alpha, w->d, w->trial);
    rv_strand_newton_energy(&w->potential, w->trial, trial);
    bool any = false;
    for (int lane = 0; lane < RV_LANES; ++lane) {
      if (!open[lane]) continue;
      // at convergence the fall is below the energy's own rounding, which must not stop the last step
      double rounding = 1e-13 * fabs(energy[lane]), part = halving < RV_STRAND_MAX_HALVINGS / 2 ? 0.1 : 1e-4;
      if (trial[lane] <= energy[lane] + part * alpha[lane] * slope[lane] + rounding) {
        open[lane] = false;
        after[lane] = trial[lane];
      } else {
        double next = rv_strand_step_shorter(alpha[lane], -slope[lane], trial[lane] - energy[lane]);
        alpha[lane] = halving == RV_STRAND_MAX_HALVINGS ? 0 : next;
        any = true;
        shortened++;
      }
    }
    if (!any) break;
  }
  rv_strand_newton_move(n, w->q, alpha, w->d, w->q);
  return shortened;
}

void rv_strand_step_newton(const RvStrandBatch* b, RvStrandWork* w, int most, double tolerance, RvStrandStats* stats) {
  int n = b->vertices;
  double first[RV_LANES] = {0}, scale[RV_LANES], left[RV_LANES] = {0}, after[RV_LANES];
  double energy[RV_LANES] __attribute__((aligned(64))), slope[RV_LANES] __attribute__((aligned(64)));
  double alpha[RV_LANES] __attribute__((aligned(64)));
  uint8_t caution[RV_LANES] = {0};
  rv_strand_step_scale(b, w, scale);
  for (int it = 0; it < most; ++it) {
    if (rv_strand_newton_assemble(&w->potential, w->q, w->g, w->band, w->spare)) stats->indefinite++;
    size_t count = (size_t)(4 * n - 1) * RV_LANES;
    for (size_t k = 0; k < count; ++k) w->d[k] = -w->g[k];
    rv_ldlt_solve(w->band, 4 * n - 1, RV_ROD_BAND, w->d);
    stats->solves += (int64_t)n * b->lanes;
    rv_strand_newton_dot(n, w->g, w->d, slope);
    bool any = false;
    for (int lane = 0; lane < RV_LANES; ++lane) {
      // the square root of the decrement is the residual in the factor's own norm
      double decrement = slope[lane] < 0 ? sqrt(-slope[lane]) : 0;
      if (it == 0) first[lane] = fmax(decrement, scale[lane]);
      left[lane] = decrement / first[lane];
      alpha[lane] = left[lane] > tolerance ? 1 : 0;
      any |= alpha[lane] > 0;
    }
    if (!any) break;
    stats->iterations = it + 1;
    if (it == 0) rv_strand_newton_energy(&w->potential, w->q, energy);
    stats->searches += search(w, energy, slope, alpha, after);
    w->potential.careful = 0;
    for (int lane = 0; lane < RV_LANES; ++lane)
      if (rv_strand_step_careful(&caution[lane], alpha[lane])) w->potential.careful |= (uint8_t)(1U << lane);
    memcpy(energy, after, sizeof energy);
  }
  for (int lane = 0; lane < b->lanes; ++lane) {
    stats->residual = fmax(stats->residual, left[lane]);
    stats->first += first[lane] * first[lane];
  }
  stats->first = sqrt(stats->first);
  if (stats->residual > tolerance) stats->unconverged = 1;
}

// Marks the lanes whose energy rises, each with what it touches; false: none.
static bool find_rising(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  const RvOperator* op = step->def->couple;
  double before[RV_LANES] = {0}, after[RV_LANES] = {0};
  RvBalance balance[RV_LANES] = {{0}};
  size_t block = (size_t)(b - step->m->batches);
  if (op && op->block) {
    op->block(op->user, block, step->s->q + b->at, 0, before, NULL, NULL);
    op->block(op->user, block, w->q, 0, after, NULL, NULL);
  }
  for (int lane = 0; lane < RV_LANES; ++lane) balance[lane].gain = after[lane] - before[lane];
  rv_strand_step_balance(step, b, w, balance);
  for (int lane = 0, used = 0; lane < RV_LANES; ++lane) {
    used = lane < b->lanes ? lane : used;
    if (rv_strand_step_rises(&balance[used])) w->euler |= (uint8_t)(1U << lane);
  }
  return w->euler != 0;
}

static void step_batches(void* arg, size_t begin, size_t end) {
  const Free* f = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &f->step->m->batches[k];
    size_t unknowns = (size_t)b->vertices * 4 * RV_LANES;
    double* memory =
        rv_alloc(4 * unknowns + rv_strand_spare_size(b->vertices) + rv_strand_work_size(b->vertices), sizeof(double));
    if (!memory) {
      f->stats[k].iterations = -1;
      continue;
    }
    RvStrandWork w = {.q = memory,
                      .g = memory + unknowns,
                      .d = memory + 2 * unknowns,
                      .trial = memory + 3 * unknowns,
                      .spare = memory + 4 * unknowns};
    rv_strand_work_place(&w, w.spare + rv_strand_spare_size(b->vertices), b->vertices);
    rv_strand_step_begin(f->step, b, &w);
    rv_strand_step_newton(b, &w, f->step->def->max_iterations, f->step->def->tolerance, &f->stats[k]);
    if (f->step->bdf2 && find_rising(f->step, b, &w)) {
      rv_strand_step_again(f->step, b, &w);
      rv_strand_step_newton(b, &w, f->step->def->max_iterations, f->step->def->tolerance, &f->stats[k]);
    }
    rv_strand_step_finish(f->step, b, &w);
    rv_free(memory);
  }
}

RvResult rv_strand_step_free(const RvStrandStep* step, RvStrandStats* stats, RvError* error) {
  size_t count = step->m->nbatch;
  Free f = {step, rv_alloc_zero(count, sizeof(RvStrandStats))};
  if (!f.stats) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_parallel_for(count, 1, step_batches, &f);
  RvResult result = RV_OK;
  for (size_t k = 0; k < count; ++k) {
    const RvStrandStats* one = &f.stats[k];
    if (one->iterations < 0) result = rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the strands");
    stats->iterations = one->iterations > stats->iterations ? one->iterations : stats->iterations;
    stats->residual = fmax(stats->residual, one->residual);
    stats->indefinite += one->indefinite;
    stats->searches += one->searches;
    stats->unconverged += one->unconverged;
    stats->solves += one->solves;
  }
  rv_free(f.stats);
  return result;
}
