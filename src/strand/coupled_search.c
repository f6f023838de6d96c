// The line search of the coupled step: every strand has its own share of the step, so that one in trouble does not hold
// back the others.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "strand/coupled.h"

void rv_strand_coupled_stays(const RvCoupled* c, const double* q) {
  if (c->op->stays) c->op->stays(c->op->user, q);
}

// each strand's own energy at x
static void own_energy(const RvCoupled* c, size_t k, const double* x, double* out) {
  const RvStrandBatch* b = &c->step->m->batches[k];
  rv_strand_newton_energy(&c->work[k].potential, x + b->at, out + k * RV_LANES);
  for (int lane = b->lanes; lane < RV_LANES; ++lane) out[k * RV_LANES + (size_t)lane] = 0;
}

static void own_energies(void* arg, size_t begin, size_t end) {
  const RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) own_energy(c, k, c->q, c->own);
}

void rv_strand_coupled_measure(RvCoupled* c) {
  size_t n = c->step->m->nbatch, bytes = n * RV_LANES * sizeof(double);
  rv_parallel_for(n, 1, own_energies, c);
  memcpy(c->own_trial, c->own, bytes);
  memcpy(c->now, c->own, bytes);
  c->op->energy(c->op->user, c->q, c->now);
}

// how the potential of each strand should change, and a whole step for all; the quiet ones stay
static void begin_search(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    double* slope = c->slope + k * RV_LANES;
    if (c->quiet[k]) {
      memset(slope, 0, RV_LANES * sizeof(double));
      memcpy(c->ap + b->at, c->q + b->at, rv_strand_coupled_unknowns(b) * sizeof(double));
    } else {
      rv_strand_newton_dot(b->vertices, c->b + b->at, c->d + b->at, slope);
    }
    for (int lane = 0; lane < RV_LANES; ++lane) c->share[k * RV_LANES + (size_t)lane] = c->quiet[k] ? 0 : 1;
    c->looks[k] = 1;
  }
}

// those whose share is new
static void try_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    if (!c->looks[k]) continue;
    rv_strand_newton_move(b->vertices, c->q + b->at, c->share + k * RV_LANES, c->d + b->at, c->ap + b->at);
    own_energy(c, k, c->ap, c->own_trial);
  }
}

// who was promised little is looked at before it is iterated again; a batch that was cut short is not
static bool may_rest(const RvCoupled* c, size_t k) {
  double sum = 0;
  for (size_t lane = 0; lane < RV_LANES; ++lane) {
    sum += c->slope[k * RV_LANES + lane];
    if (c->share[k * RV_LANES + lane] < 1) return false;
  }
  return !c->careful[k] && sum <= RV_COUPLED_HOPE * c->little;
}

static void take_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    memcpy(c->q + b->at, c->ap + b->at, rv_strand_coupled_unknowns(b) * sizeof(double));
    c->careful[k] = 0;
    for (size_t lane = 0; lane < RV_LANES; ++lane)
      if (rv_strand_step_careful(&c->caution[k * RV_LANES + lane], c->share[k * RV_LANES + lane]))
        c->careful[k] |= (uint8_t)(1U << lane);
    c->work[k].potential.careful = c->careful[k];
    c->quiet[k] = may_rest(c, k);
  }
}

static double sum_lanes(const double* lanes, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n * RV_LANES; ++i) sum += lanes[i];
  return sum;
}

static double promised(const RvCoupled* c) {
  double fall = 0;
  for (size_t at = 0; at < c->step->m->nbatch * RV_LANES; ++at) fall += c->share[at] * c->slope[at];
  return fall;
}

// by how much the share of a strand rose above what a quadratic would have given it
static double excess(const RvCoupled* c, size_t at) {
  return c->trial[at] - c->now[at] + 0.5 * c->share[at] * c->slope[at];
}

// Shortens the steps of the strands that are in the way of the fall: how much more than promised each one's share rose
// tells which. Strands that are joined also share their energy, so only large excesses count.
static void shorten(RvCoupled* c, bool all) {
  size_t n = c->step->m->nbatch * RV_LANES;
  double worst = 0;
  for (size_t at = 0; at < n; ++at)
    if (c->share[at] > 0) worst = fmax(worst, excess(c, at));
  memset(c->looks, 0, c->step->m->nbatch);
  for (size_t at = 0; at < n; ++at) {
    if (c->share[at] == 0 || (!all && !(excess(c, at) > 0.1 * worst))) continue;
    c->share[at] =
        all ? 0.25 * c->share[at] : rv_strand_step_shorter(c->share[at], c->slope[at], c->trial[at] - c->now[at]);
    c->looks[at / RV_LANES] = 1;
  }
}

bool rv_strand_coupled_search(RvCoupled* c, RvStrandStats* stats) {
  size_t n = c->step->m->nbatch;
  double energy = sum_lanes(c->now, n);
  rv_parallel_for(n, 1, begin_search, c);
  rv_strand_coupled_stays(c, NULL);
  for (int halving = 0; halving <= RV_STRAND_MAX_HALVINGS; ++halving) {
    rv_parallel_for(c->count, 1, try_batches, c);
    memcpy(c->trial, c->own_trial, n * RV_LANES * sizeof(double));
    c->op->energy(c->op->user, c->ap, c->trial);
    double trial = sum_lanes(c->trial, n);
    bool late = halving >= RV_STRAND_MAX_HALVINGS / 2;
    // at convergence the fall is below the energy's own rounding, which must not stop the last step
    if (trial <= energy - (late ? 1e-4 : 0.1) * promised(c) + 1e-13 * fabs(energy)) {
      rv_parallel_for(c->count, 1, take_batches, c);
      rv_strand_coupled_stays(c, c->q);
      memcpy(c->now, c->trial, n * RV_LANES * sizeof(double));
      memcpy(c->own, c->own_trial, n * RV_LANES * sizeof(double));
      c->surprise = halving > 0 ? INFINITY : fabs(energy - trial - 0.5 * promised(c));
      return true;
    }
    stats->searches++;
    shorten(c, late);
  }
  return false;
}
