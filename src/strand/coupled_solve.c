// The linear solve of the coupled step: conjugate gradients with each strand's own factor as preconditioner (WH-45,
// spec 1.2.12), over the active batches.
//
// The matrix is A = M + C: M the bands of the strands, with the part of the coupling that fits into them, and C the
// remaining coupling. As the directions are p = M^-1 r + beta p, their products with M need no multiplication:
// M p = r + beta M p. So an iteration costs one solve with the factors, one application of the coupling, and a few
// vector operations.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/ldlt_rounded.h"
#include "strand/coupled.h"

// x . y of a batch. Spare lanes repeat a strand and are left out.
static double dot(const RvStrandBatch* b, const double* x, const double* y) {
  double lanes[RV_LANES] __attribute__((aligned(64)));
  double sum = 0;
  rv_strand_newton_dot(b->vertices, x + b->at, y + b->at, lanes);
  for (int lane = 0; lane < b->lanes; ++lane) sum += lanes[lane];
  return sum;
}

// x = M^-1 x with the factor of batch k; x begins at its first unknown.
static void solve_batch(const RvCoupled* c, size_t k, double* x) {
  const int n = rv_strand_rod_size(c->step->m->batches[k].vertices);
  if (c->rounded[k])
    rv_ldlt_solve_rounded(c->work[k].band, n, x);
  else
    rv_ldlt_solve(c->work[k].band, n, RV_ROD_BAND, x);
}

// z = M^-1 z, in the place of A p. Returns r . z.
static double precondition_batch(RvCoupled* c, size_t k) {
  const RvStrandBatch* b = &c->step->m->batches[k];
  solve_batch(c, k, c->ap + b->at);
  return dot(b, c->r, c->ap);
}

// Right side: minus the gradient g; 0 for fixed unknowns and spare lanes.
static void set_right_side(const RvStrandBatch* b, const double* g, const double* free, double* out) {
  const size_t count = rv_strand_coupled_unknowns(b);
  for (size_t i = 0; i < count; i += RV_LANES)
    for (size_t lane = 0; lane < RV_LANES; ++lane)
      out[i + lane] = (int)lane < b->lanes ? -g[i + lane] * free[i + lane] : 0;
}

//---------------------------------------------------------------------------------------------- active set

// Residual r . M^-1 r of a candidate, with the factor it had last; above the threshold the batch wakes up. An inactive
// batch has d = 0, and its p = 0 is gathered once here, as CG does not visit it.
static void check_candidate(RvCoupled* c, size_t k) {
  const RvStrandBatch* b = &c->step->m->batches[k];
  const size_t at = b->at, bytes = rv_strand_coupled_unknowns(b) * sizeof(double);
  set_right_side(b, c->r + at, c->step->m->free + at, c->b + at);
  memcpy(c->ap + at, c->b + at, bytes);
  solve_batch(c, k, c->ap + at);
  c->inactive_residual[k] = dot(b, c->b, c->ap);
  // (a residual that is not a number wakes the batch up)
  if (!(c->inactive_residual[k] <= c->inactive_threshold)) {
    c->inactive[k] = 0;
    return;
  }
  memset(c->d + at, 0, bytes);
  memset(c->p + at, 0, bytes);
  c->op->gather(c->op->user, k, c->p);
}

static void check_candidates(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k)
    if (c->inactive[k]) check_candidate(c, k);
}

double rv_strand_coupled_choose_active(RvCoupled* c) {
  const size_t n = c->step->m->nbatch;
  double sum = 0;
  rv_parallel_for(n, 1, check_candidates, c);
  c->nactive = 0;
  for (size_t k = 0; k < n; ++k) {
    if (c->inactive[k])
      sum += c->inactive_residual[k];
    else
      c->active[c->nactive++] = k;
  }
  return sum;
}

//---------------------------------------------------------------------------------------------- conjugate gradients

// r = b = minus the gradient, z = M^-1 r. Returns r . z.
static double begin_cg(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    const size_t at = b->at, bytes = rv_strand_coupled_unknowns(b) * sizeof(double);
    set_right_side(b, c->r + at, c->step->m->free + at, c->b + at);
    memcpy(c->r + at, c->b + at, bytes);
    memcpy(c->ap + at, c->b + at, bytes);
    sum += precondition_batch(c, k);
  }
  return sum;
}

// p = z + beta p and M p = r + beta M p; A p is cleared, and p is given to the coupling.
static void update_direction(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    const size_t at = b->at;
    rv_strand_cg_direction(b->vertices, c->cg_beta, c->r + at, c->p + at, c->mp + at, c->ap + at);
    c->op->gather(c->op->user, k, c->p);
  }
}

// A p = M p + C p over the free unknowns. Returns p . A p.
static double apply_matrix(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  double lanes[RV_LANES] __attribute__((aligned(64)));
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    const size_t at = b->at;
    c->op->spread(c->op->user, k, c->ap);
    rv_strand_cg_product(b->vertices, c->step->m->free + at, c->mp + at, c->p + at, c->ap + at, lanes);
    for (int lane = 0; lane < b->lanes; ++lane) sum += lanes[lane];
  }
  return sum;
}

// d += alpha p, r -= alpha A p, z = M^-1 r. Returns r . z.
static double advance(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  const bool first = c->cg_beta == 0;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->active[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    const size_t at = b->at;
    rv_strand_cg_advance(b->vertices, c->cg_step_length, first, c->p + at, c->d + at, c->r + at, c->ap + at);
    sum += precondition_batch(c, k);
  }
  return sum;
}

double rv_strand_coupled_solve(RvCoupled* c, RvStrandStats* stats) {
  const size_t n = c->nactive;
  double rz = rv_parallel_sum(n, 1, begin_cg, c);
  const double first_rz = rz;
  double squared_decrement = 0;  // d . b, which CG adds up step by step
  c->cg_beta = 0;
  c->linear_residual = 1;
  stats->cg_iterations = 0;
  for (int iteration = 0; iteration < c->step->def->max_cg && rz > 0; ++iteration) {
    // direction and curvature along it; rounding may spoil the curvature at the very end
    rv_parallel_for(n, 1, update_direction, c);
    const double curvature = rv_parallel_sum(n, 1, apply_matrix, c);
    if (!(curvature > 0)) break;

    // the step along it
    c->cg_step_length = rz / curvature;
    squared_decrement += c->cg_step_length * rz;
    stats->cg_iterations = iteration + 1;
    const double next_rz = rv_parallel_sum(n, 1, advance, c);

    // stop at the forcing term
    c->linear_residual = sqrt(next_rz / first_rz);
    if (!(next_rz > c->forcing_term * c->forcing_term * first_rz)) break;
    c->cg_beta = next_rz / rz;
    rz = next_rz;
  }
  if (stats->cg_iterations == 0) memset(c->d, 0, c->step->m->unknowns * sizeof(double));
  return squared_decrement;
}
