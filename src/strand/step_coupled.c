// The step of strands that something joins: one inexact Newton for all of them on the incremental potential (WH-44).
//
// An iteration assembles and factors the band of each strand, solves the joint linear system by preconditioned CG to a
// forcing term (coupled_solve.c), and takes a line search with a step length for each strand (coupled_search.c). It
// stops on the Newton decrement, relative to that of the first step. Converged batches drop out of the active set.
// After a step of BDF2, groups of strands that gained energy repeat it with implicit Euler (coupled_energy.c).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/parallel.h"
#include "math/ldlt_rounded.h"
#include "strand/coupled.h"

//---------------------------------------------------------------------------------------------- assembly

// Potential and first guess of each batch.
static void begin_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    RvStrandWork* w = &c->work[k];
    w->q = c->q + b->at;
    w->g = c->r + b->at;
    w->d = c->d + b->at;
    w->trial = c->ap + b->at;
    rv_strand_work_place(w, c->work_memory + c->work_at[k], b->vertices);
    rv_strand_step_begin(c->step, b, w);
    rv_strand_coupled_guess(c, k);
  }
}

// Largest relative error of the Hessian that rounding its factor may cause. A Newton step then leaves this share of the
// residual; that of a linear solve is ten times as large or more.
static const double LARGEST_ROUNDING_ERROR = 1e-3;

// Whether the factor of a batch may be rounded: no pivot is so much stiffer than the inertia of its unknown that the
// rounding error of soft motions is above the largest.
static bool may_round(const RvStrandWork* w, const double* factor, int unknowns) {
  const double root_of_least = 2 * RV_ROUNDING / LARGEST_ROUNDING_ERROR;
  if (unknowns <= RV_BAND_ROUNDED) return false;
  double least = INFINITY;  // of inertia over pivot
  for (size_t j = 0; j < (size_t)unknowns; ++j)
    for (size_t lane = 0; lane < RV_LANES; ++lane) {
      const size_t at = j * RV_LANES + lane;
      const double inverse_pivot = factor[j * (RV_ROD_BAND + 1) * RV_LANES + lane];
      const double share = w->potential.free[at] == 0 ? 1 : w->inertia[at] * inverse_pivot;
      least = share < least ? share : least;
    }
  return least >= root_of_least * root_of_least;
}

// Factors the band of batch k at q, and writes the gradient to g, unless the guess has left both there.
static void assemble(RvCoupled* c, size_t k, double* g) {
  RvStrandWork* w = &c->work[k];
  double* spare = rv_strand_rooms_enter(&c->assembly_room);
  if (!spare) {
    c->indefinite_count[k] = -1;
    return;
  }
  // The band is made in the room, which stays in the cache, unless the guess has left it in its place.
  const int vertices = c->step->m->batches[k].vertices, unknowns = rv_strand_rod_size(vertices);
  double* band = c->derived[k] ? w->band : spare + rv_strand_spare_size(vertices);
  if (!c->derived[k]) c->indefinite_lanes[k] = (uint8_t)rv_strand_newton_derive(&w->potential, w->q, g, band, spare);
  c->derived[k] = 0;
  const unsigned replaced = rv_strand_newton_factor(&w->potential, w->q, c->indefinite_lanes[k], band, spare);
  if (replaced && c->indefinite_count[k] >= 0) c->indefinite_count[k]++;
  c->rounded[k] = may_round(w, band, unknowns);
  if (c->rounded[k])
    rv_ldlt_round(band, unknowns, w->band);
  else if (band != w->band)
    memcpy(w->band, band, rv_ldlt_size(unknowns, RV_ROD_BAND) * sizeof(double));
  rv_strand_rooms_leave(&c->assembly_room, spare);
}

// Gradient and factor of the active batches. Candidates for the inactive set need only their gradient, to see whether
// they must wake up.
static void assemble_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    RvStrandWork* w = &c->work[k];
    c->was_candidate[k] = c->inactive[k];
    if (c->inactive[k])
      rv_strand_newton_derive(&w->potential, w->q, w->g, NULL, NULL);
    else
      assemble(c, k, w->g);
  }
}

// Factors of the candidates that woke up. Their gradient is known already, so the second one goes to p, which is free.
static void assemble_woken(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    if (c->was_candidate[k]) assemble(c, k, c->p + c->step->m->batches[k].at);
  }
}

// Spare lanes take the result of the strand that they repeat; then q becomes the state.
static void finish_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    RvStrandWork* w = &c->work[k];
    const size_t count = rv_strand_coupled_unknowns(b);
    for (size_t i = 0; i < count; i += RV_LANES)
      for (int lane = b->lanes; lane < RV_LANES; ++lane) w->q[i + (size_t)lane] = w->q[i + (size_t)b->lanes - 1];
    w->spare = c->mp + b->at;  // room for a twist a vertex
    rv_strand_step_finish(c->step, b, w);
  }
}

//---------------------------------------------------------------------------------------------- Newton

// Bounds of the forcing term, the relative tolerance of a linear solve (Eisenstat and Walker 1996). The upper one was
// chosen by experiment: bending and sliding hair leaves more than a quarter of the residual after a Newton step anyway,
// and 0.1 took a fifth more CG iterations for the same result. The step may ask for a smaller one (early_cg_tolerance).
static const double LARGEST_FORCING_TERM = 0.25;
static const double FORCING_FACTOR = 0.9;  // gamma of Eisenstat and Walker's choice 2

// A step whose decrement turns out to be within the tolerance is still taken, unless it is below this share of it. Slow
// hair, such as a row that liquid draws together, would otherwise lag behind.
static const double SMALLEST_STEP_SHARE = 0.1;

// Share of the squared tolerance that all inactive batches have together.
static const double INACTIVE_SHARE = 0.25;

// Safety factor of the predicted decrement, by experiment: in a bundle of wet hair the decrement came out at two to
// four times the prediction, at up to eight in the first steps after a release. So with 5 the residual of such a step
// may be somewhat above the tolerance.
static const double PREDICTION_SAFETY = 5;

static double squared_scale_sum(void* arg, size_t begin, size_t end) {
  const RvCoupled* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    double scale[RV_LANES];
    rv_strand_step_scale(&c->step->m->batches[k], &c->work[k], scale);
    for (int lane = 0; lane < c->step->m->batches[k].lanes; ++lane) sum += scale[lane] * scale[lane];
  }
  return sum;
}

// The decrement that residuals are relative to: that of the first step from where the strands were, not from the better
// guess, and no less than that of rv_strand_step_scale.
static double reference_decrement(RvCoupled* c) {
  const size_t n = c->step->m->nbatch;
  const double scale = sqrt(rv_parallel_sum(n, 1, squared_scale_sum, c));
  double squared_solo_sum = 0;
  for (size_t k = 0; k < n; ++k) squared_solo_sum += c->solo_decrement[k] * c->solo_decrement[k];
  return fmax(scale, sqrt(squared_solo_sum));
}

// Assembles at q, chooses the active set and solves for the Newton direction d. Returns the Newton decrement.
static double newton_direction(RvCoupled* c, int iteration, RvStrandStats* stats) {
  const size_t n = c->step->m->nbatch;
  c->op->prepare(c->op->user, c->q, c->cautious_lanes);
  rv_strand_coupled_keep(c, c->q);
  rv_parallel_for(n, 1, assemble_batches, c);
  c->op->gradient(c->op->user, c->q, c->r);
  const double inactive_sum = rv_strand_coupled_choose_active(c);
  if (iteration > 0) rv_parallel_for(c->nactive, 1, assemble_woken, c);
  return sqrt(rv_strand_coupled_solve(c, stats) + inactive_sum);
}

static double largest_forcing_term(const RvStrandStepDef* def) {
  return def->early_cg_tolerance > 0 ? def->early_cg_tolerance : LARGEST_FORCING_TERM;
}

// Eisenstat and Walker 1996, choice 2: a linear solve is as exact as the last Newton step was effective.
static double next_forcing_term(const RvStrandStepDef* def, double contraction) {
  const double wanted = FORCING_FACTOR * contraction * contraction;
  return fmax(def->cg_tolerance, fmin(largest_forcing_term(def), wanted));
}

// Predicted Newton decrement of the next iteration, relative to the current one: linear-solve error plus nonlinearity.
// For a cubic term the error of the energy model is a third of that of the gradient, hence the 3.
static double predicted_contraction(const RvCoupled* c, double decrement) {
  const double nonlinearity = 3 * c->model_error / (decrement * decrement);
  return PREDICTION_SAFETY * sqrt(c->linear_residual * c->linear_residual + nonlinearity * nonlinearity);
}

// Inexact Newton on the incremental potential of all strands (WH-44).
static void newton(RvCoupled* c, RvStrandStats* stats) {
  const RvStrandStepDef* def = c->step->def;
  const double n = (double)c->step->m->nbatch;
  double reference = reference_decrement(c);
  // The linearised step has a single solve, which must be as exact as the last of many (WH-44).
  c->forcing_term = def->max_iterations > 1 ? largest_forcing_term(def) : def->cg_tolerance;

  for (int iteration = 0; iteration < def->max_iterations; ++iteration) {
    // Newton direction and residual: the decrement relative to the reference
    const double last_residual = stats->residual;
    const double decrement = newton_direction(c, iteration, stats);
    if (iteration == 0) {
      reference = fmax(decrement, reference);
      c->inactive_threshold = INACTIVE_SHARE * def->tolerance * def->tolerance * reference * reference / n;
    }
    stats->residual = decrement / reference;
    if (!(stats->residual > SMALLEST_STEP_SHARE * def->tolerance)) break;

    // exactness of the next linear solve
    c->forcing_term = next_forcing_term(def, iteration ? stats->residual / last_residual : 1);

    // line search along the direction
    stats->iterations = iteration + 1;
    if (iteration == 0) rv_strand_coupled_measure(c);
    const bool moved = rv_strand_coupled_search(c, stats);
    if (!moved || !(stats->residual > def->tolerance)) break;

    // end without another assembly where the next residual is predicted to be within the tolerance
    const double predicted_residual = stats->residual * predicted_contraction(c, decrement);
    if (def->accept_predicted && predicted_residual <= def->tolerance) {
      stats->residual = predicted_residual;
      break;
    }
  }
  rv_strand_coupled_keep(c, NULL);
  if (stats->residual > def->tolerance) stats->unconverged = (int64_t)c->step->m->nbatch;
}

//---------------------------------------------------------------------------------------------- step

// Discards what the first Newton knew: the second solves another potential.
static void reset_newton(RvCoupled* c) {
  const size_t n = c->step->m->nbatch;
  memset(c->inactive, 0, n);
  memset(c->derived, 0, n);
  memset(c->inactive_residual, 0, n * sizeof *c->inactive_residual);
  c->inactive_threshold = 0;
}

// Potential of the batches that have lanes of implicit Euler.
static void rebuild_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k)
    if (c->work[k].euler_lanes) rv_strand_step_rebuild(c->step, &c->step->m->batches[k], &c->work[k]);
}

// Newton, and once more with implicit Euler for groups of strands that gained energy. False: out of memory.
static bool solve(RvCoupled* c, RvArena* arena, RvStrandStats* stats) {
  bool any_rising = false;
  newton(c, stats);
  if (c->step->bdf2 && !rv_strand_coupled_find_rising(c, arena, &any_rising)) return false;
  if (!any_rising) return true;
  rv_parallel_for(c->step->m->nbatch, 1, rebuild_batches, c);
  reset_newton(c);
  newton(c, stats);
  return true;
}

static void* take_zero(RvArena* arena, size_t count, size_t size) {
  void* memory = rv_arena_take(arena, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

// Memory of each batch's potential and factor, one behind the other, and the rooms of the assembly.
static bool take_work(RvCoupled* c, RvArena* arena) {
  const RvStrandModel* m = c->step->m;
  size_t total = 0, largest_spare = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const int vertices = m->batches[k].vertices;
    const size_t spare = rv_strand_spare_size(vertices) + rv_ldlt_size(rv_strand_rod_size(vertices), RV_ROD_BAND);
    c->work_at[k] = total;
    total += rv_strand_work_size(vertices);
    if (spare > largest_spare) largest_spare = spare;
  }
  c->work_memory = RV_TAKE(arena, double, total);
  return c->work_memory && rv_strand_rooms_take(&c->assembly_room, arena, m->nbatch, largest_spare);
}

// Takes all memory of the step. False: out of memory.
static bool take_memory(RvCoupled* c, RvArena* arena) {
  const RvStrandModel* m = c->step->m;
  const size_t n = m->nbatch;
  c->work = take_zero(arena, n, sizeof *c->work);
  c->work_at = RV_TAKE(arena, size_t, n);
  c->active = RV_TAKE(arena, size_t, n);
  c->caution_left = take_zero(arena, n, RV_LANES);
  c->solo_decrement = take_zero(arena, n, sizeof *c->solo_decrement);
  c->inactive_residual = take_zero(arena, n, sizeof *c->inactive_residual);
  c->indefinite_count = take_zero(arena, n, sizeof *c->indefinite_count);
  if (!c->work || !c->work_at || !c->active || !c->caution_left || !c->solo_decrement || !c->inactive_residual ||
      !c->indefinite_count)
    return false;
  uint8_t** flags[] = {&c->cautious_lanes, &c->derived,       &c->rounded,     &c->indefinite_lanes,
                       &c->inactive,       &c->was_candidate, &c->step_changed};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (!(*flags[i] = take_zero(arena, n, 1))) return false;
  double** lanes[] = {&c->energy,      &c->trial_energy, &c->strand_energy, &c->trial_strand_energy,
                      &c->step_length, &c->descent};
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; ++i)
    if (!(*lanes[i] = take_zero(arena, n * RV_LANES, sizeof(double)))) return false;
  double** vectors[] = {&c->q, &c->d, &c->b, &c->r, &c->p, &c->mp, &c->ap};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    if (!(*vectors[i] = RV_TAKE(arena, double, m->unknowns))) return false;
  return take_work(c, arena);
}

// Begins, solves and finishes all batches. False: out of memory.
static bool step_batches(RvCoupled* c, RvArena* arena, RvStrandStats* stats) {
  const size_t n = c->step->m->nbatch;
  if (!take_memory(c, arena)) return false;
  rv_parallel_for(n, 1, begin_batches, c);
  bool has_room = solve(c, arena, stats);
  rv_parallel_for(n, 1, finish_batches, c);
  for (size_t k = 0; k < n; ++k) {
    has_room &= c->indefinite_count[k] >= 0;
    stats->indefinite += c->indefinite_count[k] > 0 ? c->indefinite_count[k] : 0;
  }
  return has_room;
}

RvResult rv_strand_step_coupled(const RvStrandStep* step, RvArena* arena, RvStrandStats* stats, RvError* error) {
  RvCoupled c = {.step = step, .op = step->def->couple};
  if (step_batches(&c, arena, stats)) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "out of memory in the step of %zu strands", step->m->nstrand);
}
