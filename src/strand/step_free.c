// The step of strands that nothing joins. Every batch is solved by one task from beginning to end, and every lane is
// independent: its step lengths, its line search and its stopping do not depend on the strands beside it.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "strand/rooms.h"
#include "strand/step.h"

typedef struct FreeStep {
  const RvStrandStep* step;
  RvStrandStats* stats;  // [batches]; iterations -1: out of memory
  RvStrandRooms* rooms;  // all that a batch needs while it is solved
} FreeStep;

//---------------------------------------------------------------------------------------------- Newton

// One trial of the line search. `open` lanes that decrease enough (Armijo) are closed; the others get a shorter step.
// Returns how many were shortened.
static int try_steps(const RvStrandWork* w, int halving, const double* energy, const double* slope, bool* open,
                     double* alpha, double* after) {
  double trial[RV_LANES] __attribute__((aligned(64)));
  int shortened = 0;
  rv_strand_newton_move(w->potential.rod.vertices, w->q, alpha, w->d, w->trial);
  rv_strand_newton_energy(&w->potential, w->trial, trial);
  for (int lane = 0; lane < RV_LANES; ++lane) {
    if (!open[lane]) continue;
    const double rounding = RV_STRAND_ENERGY_ROUNDING * fabs(energy[lane]);
    if (trial[lane] <= energy[lane] + rv_strand_step_armijo(halving) * alpha[lane] * slope[lane] + rounding) {
      open[lane] = false;
      after[lane] = trial[lane];
    } else {
      const double next = rv_strand_step_backtrack(alpha[lane], -slope[lane], trial[lane] - energy[lane]);
      alpha[lane] = halving == RV_STRAND_MAX_HALVINGS ? 0 : next;
      shortened++;
    }
  }
  return shortened;
}

// Backtracking line search of each lane from step length alpha (0: the lane does not move); q takes the step. A lane
// without a step that decreases its energy stays. `after`: the energies there. Returns how often a step was shortened.
static int search(const RvStrandWork* w, const double* energy, const double* slope, double* alpha, double* after) {
  bool open[RV_LANES];
  int total = 0;
  for (int lane = 0; lane < RV_LANES; ++lane) {
    after[lane] = energy[lane];
    open[lane] = alpha[lane] > 0;
  }
  for (int halving = 0; halving <= RV_STRAND_MAX_HALVINGS; ++halving) {
    const int shortened = try_steps(w, halving, energy, slope, open, alpha, after);
    total += shortened;
    if (!shortened) break;
  }
  rv_strand_newton_move(w->potential.rod.vertices, w->q, alpha, w->d, w->q);
  return total;
}

// Newton direction d and its slope g . d in each lane.
static void newton_direction(const RvStrandBatch* b, RvStrandWork* w, double* slope, RvStrandStats* stats) {
  const int n = b->vertices;
  const size_t count = (size_t)(4 * n - 1) * RV_LANES;
  if (rv_strand_newton_assemble(&w->potential, w->q, w->g, w->band, w->spare)) stats->indefinite++;
  for (size_t k = 0; k < count; ++k) w->d[k] = -w->g[k];
  rv_ldlt_solve(w->band, 4 * n - 1, RV_ROD_BAND, w->d);
  stats->solves += (int64_t)n * b->lanes;
  rv_strand_newton_dot(n, w->g, w->d, slope);
}

void rv_strand_step_newton(const RvStrandBatch* b, RvStrandWork* w, int max_iterations, double tolerance,
                           double smallest_step, RvStrandStats* stats) {
  double energy[RV_LANES] __attribute__((aligned(64)));
  double slope[RV_LANES] __attribute__((aligned(64)));
  double alpha[RV_LANES] __attribute__((aligned(64)));
  double first[RV_LANES] = {0}, scale[RV_LANES], residual[RV_LANES] = {0}, after[RV_LANES];
  uint8_t caution_left[RV_LANES] = {0};
  bool done[RV_LANES] = {false};
  rv_strand_step_scale(b, w, scale);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    // Newton decrement of each lane, the residual in the norm of the factor; the step of a lane whose residual is
    // within the tolerance is its last
    newton_direction(b, w, slope, stats);
    bool any = false, all_done = true;
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const double decrement = slope[lane] < 0 ? sqrt(-slope[lane]) : 0;
      if (iteration == 0) first[lane] = fmax(decrement, scale[lane]);
      residual[lane] = decrement / first[lane];
      alpha[lane] = !done[lane] && residual[lane] > smallest_step * tolerance ? 1 : 0;
      done[lane] |= !(residual[lane] > tolerance);
      all_done &= done[lane];
      any |= alpha[lane] > 0;
    }
    if (!any) break;

    // line search; lanes whose step was cut short take the Gauss-Newton Hessian for a while
    stats->iterations = iteration + 1;
    if (iteration == 0) rv_strand_newton_energy(&w->potential, w->q, energy);
    stats->searches += search(w, energy, slope, alpha, after);
    w->potential.cautious_lanes = 0;
    for (int lane = 0; lane < RV_LANES; ++lane)
      if (rv_strand_step_update_caution(&caution_left[lane], alpha[lane]))
        w->potential.cautious_lanes |= (uint8_t)(1U << lane);
    memcpy(energy, after, sizeof energy);
    if (all_done) break;
  }

  // statistics of the lanes in use
  for (int lane = 0; lane < b->lanes; ++lane) {
    stats->residual = fmax(stats->residual, residual[lane]);
    stats->first += first[lane] * first[lane];
  }
  stats->first = sqrt(stats->first);
  if (stats->residual > tolerance) stats->unconverged = 1;
}

//---------------------------------------------------------------------------------------------- step

// Marks the lanes that gained energy over a step of BDF2, each with its own coupling terms (balance.c); false: none.
static bool find_rising(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  const RvOperator* op = step->def->couple;
  double before[RV_LANES] = {0}, after[RV_LANES] = {0};
  RvBalance balance[RV_LANES] = {{0}};
  const size_t block = (size_t)(b - step->m->batches);
  if (op && op->block) {
    op->block(op->user, block, step->s->q + b->at, 0, before, NULL, NULL);
    op->block(op->user, block, w->q, 0, after, NULL, NULL);
  }
  for (int lane = 0; lane < RV_LANES; ++lane) balance[lane].gain = after[lane] - before[lane];
  rv_strand_step_balance(step, b, w, balance);
  // spare lanes do as the strand that they repeat
  for (int lane = 0, repeated = 0; lane < RV_LANES; ++lane) {
    repeated = lane < b->lanes ? lane : repeated;
    if (rv_strand_step_rises(&balance[repeated])) w->euler_lanes |= (uint8_t)(1U << lane);
  }
  return w->euler_lanes != 0;
}

static size_t room_size(int vertices) {
  const size_t unknowns = (size_t)vertices * 4 * RV_LANES;
  return 4 * unknowns + rv_strand_spare_size(vertices) + rv_strand_work_size(vertices);
}

// Solves one batch in a room of room_size doubles.
static void step_batch(const FreeStep* f, size_t k, double* room) {
  const RvStrandBatch* b = &f->step->m->batches[k];
  const RvStrandStepDef* def = f->step->def;
  const size_t unknowns = (size_t)b->vertices * 4 * RV_LANES;
  RvStrandWork w = {.q = room,
                    .g = room + unknowns,
                    .d = room + 2 * unknowns,
                    .trial = room + 3 * unknowns,
                    .spare = room + 4 * unknowns};
  rv_strand_work_place(&w, w.spare + rv_strand_spare_size(b->vertices), b->vertices);
  rv_strand_step_begin(f->step, b, &w);
  rv_strand_step_newton(b, &w, def->max_iterations, def->tolerance, RV_STRAND_SMALLEST_STEP, &f->stats[k]);
  if (f->step->bdf2 && find_rising(f->step, b, &w)) {
    rv_strand_step_rebuild(f->step, b, &w);
    rv_strand_step_newton(b, &w, def->max_iterations, def->tolerance, RV_STRAND_SMALLEST_STEP, &f->stats[k]);
  }
  rv_strand_step_finish(f->step, b, &w);
}

static void step_batches(void* arg, size_t begin, size_t end) {
  const FreeStep* f = arg;
  for (size_t k = begin; k < end; ++k) {
    double* room = rv_strand_rooms_enter(f->rooms);
    if (!room) {
      f->stats[k].iterations = -1;
      continue;
    }
    step_batch(f, k, room);
    rv_strand_rooms_leave(f->rooms, room);
  }
}

// Adds the statistics of the batches. False: one of them had no memory.
static bool add_statistics(const FreeStep* f, RvStrandStats* stats) {
  bool has_room = true;
  for (size_t k = 0; k < f->step->m->nbatch; ++k) {
    const RvStrandStats* one = &f->stats[k];
    has_room &= one->iterations >= 0;
    stats->iterations = one->iterations > stats->iterations ? one->iterations : stats->iterations;
    stats->residual = fmax(stats->residual, one->residual);
    stats->indefinite += one->indefinite;
    stats->searches += one->searches;
    stats->unconverged += one->unconverged;
    stats->solves += one->solves;
  }
  return has_room;
}

RvResult rv_strand_step_free(const RvStrandStep* step, RvArena* arena, RvStrandStats* stats, RvError* error) {
  const RvStrandModel* m = step->m;
  size_t largest = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const size_t size = room_size(m->batches[k].vertices);
    if (size > largest) largest = size;
  }
  RvStrandRooms rooms;
  FreeStep f = {step, RV_TAKE(arena, RvStrandStats, m->nbatch), &rooms};
  bool has_room = f.stats && rv_strand_rooms_take(&rooms, arena, m->nbatch, largest);
  if (has_room) {
    memset(f.stats, 0, m->nbatch * sizeof *f.stats);
    rv_parallel_for(m->nbatch, 1, step_batches, &f);
    has_room = add_statistics(&f, stats);
  }
  if (has_room) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "out of memory in the step of %zu strands", m->nstrand);
}
