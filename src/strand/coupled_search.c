// The line search of the coupled step. The sum of all energies has to decrease enough (Armijo). Where the whole Newton
// step fails, single strands shorten theirs first, so that one strand does not slow down all others. Strands in contact
// move in concert, though: where that fails too, the Newton direction is followed with one step length for all.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "strand/coupled.h"

// A batch becomes a candidate for the inactive set when its predicted decrease is at most this many times the threshold
// of that set. Above it, its residual would hardly fall below the threshold with the next iteration.
static const double CANDIDATE_FACTOR = 16;

// Only strands whose excess over the quadratic model is above this share of the largest one shorten their step. Joined
// strands share the energy of what joins them, so a small excess may be a neighbour's.
static const double BLAME_SHARE = 0.1;

// Trials in which single strands shorten their steps. With six of them bundles whose hairs push each other got stuck:
// shortened one by one they met in other places, and no step decreased the energy although the common direction did
// (residuals of 0.02 to 0.09 remained in wet bundles). Two to four are equally good.
enum { SINGLE_TRIALS = 2 };

void rv_strand_coupled_keep(const RvCoupled* c, const double* q) {
  if (c->op->stays) c->op->stays(c->op->user, q);
}

// Energies of the strands of batch k at x, without the coupling; 0 in spare lanes.
static void measure_batch(const RvCoupled* c, size_t k, const double* x, double* out) {
  const RvStrandBatch* b = &c->step->m->batches[k];
  rv_strand_newton_energy(&c->work[k].potential, x + b->at, out + k * RV_LANES);
  for (int lane = b->lanes; lane < RV_LANES; ++lane) out[k * RV_LANES + (size_t)lane] = 0;
}

// Energies at q. Those of a first guess that was not changed are known.
static void measure_batches(void* arg, size_t begin, size_t end) {
  const RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    RvStrandWork* w = &c->work[k];
    if (!w->has_guess_energy) {
      measure_batch(c, k, c->q, c->strand_energy);
      continue;
    }
    for (int lane = 0; lane < RV_LANES; ++lane)
      c->strand_energy[k * RV_LANES + (size_t)lane] = lane < c->step->m->batches[k].lanes ? w->guess_energy[lane] : 0;
    w->has_guess_energy = false;  // q changes now
  }
}

void rv_strand_coupled_measure(RvCoupled* c) {
  const size_t n = c->step->m->nbatch, bytes = n * RV_LANES * sizeof(double);
  rv_parallel_for(n, 1, measure_batches, c);
  memcpy(c->trial_strand_energy, c->strand_energy, bytes);
  memcpy(c->energy, c->strand_energy, bytes);
  c->op->energy(c->op->user, c->q, c->energy);
}

// Descent of each strand along d, and the unit step for all; inactive batches do not move.
static void begin_search(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    double* descent = c->descent + k * RV_LANES;
    double* step_length = c->step_length + k * RV_LANES;
    if (c->inactive[k]) {
      memset(descent, 0, RV_LANES * sizeof(double));
      memcpy(c->ap + b->at, c->q + b->at, rv_strand_coupled_unknowns(b) * sizeof(double));
    } else {
      rv_strand_newton_dot(b->vertices, c->b + b->at, c->d + b->at, descent);
    }
    for (int lane = 0; lane < RV_LANES; ++lane) step_length[lane] = c->inactive[k] ? 0 : 1;
    c->step_changed[k] = 1;
  }
}

// Trial iterate and its energy, for the batches whose step lengths changed.
static void try_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    if (!c->step_changed[k]) continue;
    rv_strand_newton_move(b->vertices, c->q + b->at, c->step_length + k * RV_LANES, c->d + b->at, c->ap + b->at);
    measure_batch(c, k, c->ap, c->trial_strand_energy);
  }
}

// Whether batch k is a candidate for the inactive set: it took whole steps, and small ones.
static bool is_candidate(const RvCoupled* c, size_t k) {
  double descent_sum = 0;
  for (size_t lane = 0; lane < RV_LANES; ++lane) {
    descent_sum += c->descent[k * RV_LANES + lane];
    if (c->step_length[k * RV_LANES + lane] < 1) return false;
  }
  return !c->cautious_lanes[k] && descent_sum <= CANDIDATE_FACTOR * c->inactive_threshold;
}

// The trial becomes the iterate.
static void accept_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    memcpy(c->q + b->at, c->ap + b->at, rv_strand_coupled_unknowns(b) * sizeof(double));
    c->cautious_lanes[k] = 0;
    for (size_t lane = 0; lane < RV_LANES; ++lane)
      if (rv_strand_step_update_caution(&c->caution_left[k * RV_LANES + lane], c->step_length[k * RV_LANES + lane]))
        c->cautious_lanes[k] |= (uint8_t)(1U << lane);
    c->work[k].potential.cautious_lanes = c->cautious_lanes[k];
    c->inactive[k] = is_candidate(c, k);
  }
}

static double sum_lanes(const double* lanes, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n * RV_LANES; ++i) sum += lanes[i];
  return sum;
}

// First-order decrease of the step lengths at hand; the quadratic model predicts half of it for unit steps.
static double first_order_decrease(const RvCoupled* c) {
  double decrease = 0;
  for (size_t at = 0; at < c->step->m->nbatch * RV_LANES; ++at) decrease += c->step_length[at] * c->descent[at];
  return decrease;
}

// By how much the energy of a lane is above its quadratic model.
static double excess(const RvCoupled* c, size_t at) {
  return c->trial_energy[at] - c->energy[at] + 0.5 * c->step_length[at] * c->descent[at];
}

// Shortens the steps of the strands that keep the energy from decreasing: those with the largest excess over their
// quadratic model.
static void shorten_single_steps(RvCoupled* c) {
  const size_t n = c->step->m->nbatch * RV_LANES;
  double largest = 0;
  for (size_t at = 0; at < n; ++at)
    if (c->step_length[at] > 0) largest = fmax(largest, excess(c, at));
  memset(c->step_changed, 0, c->step->m->nbatch);
  for (size_t at = 0; at < n; ++at) {
    const double alpha = c->step_length[at];
    if (alpha == 0 || !(excess(c, at) > BLAME_SHARE * largest)) continue;
    c->step_length[at] = rv_strand_step_backtrack(alpha, c->descent[at], c->trial_energy[at] - c->energy[at]);
    c->step_changed[at / RV_LANES] = 1;
  }
}

// Gives all strands of the active batches one step length.
static void set_common_step(RvCoupled* c, double alpha) {
  for (size_t i = 0; i < c->nactive; ++i) {
    const size_t k = c->active[i];
    for (size_t lane = 0; lane < RV_LANES; ++lane) c->step_length[k * RV_LANES + lane] = alpha;
    c->step_changed[k] = 1;
  }
}

// A trial with one step length for all strands.
typedef struct CommonTrial {
  double alpha;    // step length
  double descent;  // J: first-order decrease of a unit step
  double rise;     // J: change of the energy
} CommonTrial;

// Shortens the steps after a trial that failed: those of single strands, and from SINGLE_TRIALS on all alike, from the
// last trial that had one step length.
static void shorten_steps(RvCoupled* c, int halving, CommonTrial* common, double rise) {
  const bool was_common = halving == 0 || halving > SINGLE_TRIALS;
  if (was_common) common->rise = rise;
  if (halving < SINGLE_TRIALS) {
    shorten_single_steps(c);
    return;
  }
  common->alpha = rv_strand_step_backtrack(common->alpha, common->descent, common->rise);
  set_common_step(c, common->alpha);
}

// The trial becomes the iterate, and its energies those at q.
static void accept_trial(RvCoupled* c) {
  const size_t bytes = c->step->m->nbatch * RV_LANES * sizeof(double);
  rv_parallel_for(c->nactive, 1, accept_batches, c);
  rv_strand_coupled_keep(c, c->q);
  memcpy(c->energy, c->trial_energy, bytes);
  memcpy(c->strand_energy, c->trial_strand_energy, bytes);
}

bool rv_strand_coupled_search(RvCoupled* c, RvStrandStats* stats) {
  const size_t n = c->step->m->nbatch, bytes = n * RV_LANES * sizeof(double);
  const double energy = sum_lanes(c->energy, n);
  const double rounding = RV_STRAND_ENERGY_ROUNDING * fabs(energy);
  rv_parallel_for(n, 1, begin_search, c);
  rv_strand_coupled_keep(c, NULL);
  CommonTrial common = {.alpha = 1, .descent = first_order_decrease(c)};
  for (int halving = 0; halving <= RV_STRAND_MAX_HALVINGS; ++halving) {
    // energy of the trial, with the coupling
    rv_parallel_for(c->nactive, 1, try_batches, c);
    memcpy(c->trial_energy, c->trial_strand_energy, bytes);
    c->op->energy(c->op->user, c->ap, c->trial_energy);
    const double rise = sum_lanes(c->trial_energy, n) - energy;

    // sufficient decrease (Armijo): accept
    const double decrease = first_order_decrease(c);
    if (rise <= rounding - rv_strand_step_armijo(halving) * decrease) {
      accept_trial(c);
      c->model_error = halving > 0 ? INFINITY : fabs(rise + 0.5 * decrease);
      return true;
    }
    stats->searches++;
    shorten_steps(c, halving, &common, rise);
  }
  return false;
}
