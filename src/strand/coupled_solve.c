// Conjugate gradients with each strand's own factor as preconditioner (WH-45, spec 1.2.12).
//
// The matrix is M + C: M the strands' bands, with what of the coupling fits them, and C the rest. As the directions are
// p = M^-1 r + beta p, their products with M need no multiplication: M p = r + beta M p. So an iteration costs one
// solve with the factors, one application of the coupling, and a few vector operations.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/ldlt.h"
#include "strand/coupled.h"

// spare lanes repeat a strand and must not count
static double dot(const RvStrandBatch* b, const double* x, const double* y) {
  double lanes[RV_LANES] __attribute__((aligned(64))), sum = 0;
  rv_strand_newton_dot(b->vertices, x + b->at, y + b->at, lanes);
  for (int lane = 0; lane < b->lanes; ++lane) sum += lanes[lane];
  return sum;
}

// z = M^-1 z, where A p was; gives r . z
static double precondition_one(RvCoupled* c, size_t k) {
  const RvStrandBatch* b = &c->step->m->batches[k];
  rv_ldlt_solve(c->work[k].band, 4 * b->vertices - 1, RV_ROD_BAND, c->ap + b->at);
  return dot(b, c->r, c->ap);
}

// minus the gradient; fixed unknowns and spare lanes have none
static void right_side(const RvStrandBatch* b, const double* g, const double* may, double* out) {
  size_t count = rv_strand_coupled_unknowns(b);
  for (size_t i = 0; i < count; i += RV_LANES)
    for (size_t lane = 0; lane < RV_LANES; ++lane)
      out[i + lane] = (int)lane < b->lanes ? -g[i + lane] * may[i + lane] : 0;
}

// What is left of batches that may be quiet, by the factors that they had last. They neither move nor are gathered.
static void look(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t at = b->at, bytes = rv_strand_coupled_unknowns(b) * sizeof(double);
    if (!c->quiet[k]) continue;
    right_side(b, c->r + at, c->step->m->free + at, c->b + at);
    memcpy(c->ap + at, c->b + at, bytes);
    rv_ldlt_solve(c->work[k].band, 4 * b->vertices - 1, RV_ROD_BAND, c->ap + at);
    c->rests[k] = dot(b, c->b, c->ap);
    // (a sum that is no number is not quiet)
    if (!(c->rests[k] <= c->little)) {
      c->quiet[k] = 0;
      continue;
    }
    memset(c->d + at, 0, bytes);
    memset(c->p + at, 0, bytes);
    c->op->gather(c->op->user, k, c->p);
  }
}

double rv_strand_coupled_choose(RvCoupled* c) {
  size_t n = c->step->m->nbatch;
  double sum = 0;
  rv_parallel_for(n, 1, look, c);
  c->count = 0;
  for (size_t k = 0; k < n; ++k) {
    if (c->quiet[k])
      sum += c->rests[k];
    else
      c->list[c->count++] = k;
  }
  return sum;
}

// The gradient becomes the right side, and is preconditioned.
static double begin(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    const double* may = c->step->m->free + b->at;
    size_t count = rv_strand_coupled_unknowns(b);
    double *r = c->r + b->at, *right = c->b + b->at, *z = c->ap + b->at;
    right_side(b, r, may, right);
    memcpy(r, right, count * sizeof(double));
    memcpy(z, right, count * sizeof(double));
    sum += precondition_one(c, k);
  }
  return sum;
}

// p = z + beta p, M p = r + beta M p, and room for A p
static void turn(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t at = b->at;
    rv_strand_cg_turn(b->vertices, c->beta, c->r + at, c->p + at, c->mp + at, c->ap + at);
    c->op->gather(c->op->user, k, c->p);
  }
}

// A p = M p + C p over the free unknowns; gives p . A p
static double product(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  double sum = 0, lanes[RV_LANES] __attribute__((aligned(64)));
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t at = b->at;
    c->op->spread(c->op->user, k, c->ap);
    rv_strand_cg_close(b->vertices, c->step->m->free + at, c->mp + at, c->p + at, c->ap + at, lanes);
    for (int lane = 0; lane < b->lanes; ++lane) sum += lanes[lane];
  }
  return sum;
}

// the step along p, and what is left preconditioned anew; gives r . z
static double advance(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t at = b->at;
    rv_strand_cg_advance(b->vertices, c->alpha, c->beta == 0, c->p + at, c->d + at, c->r + at, c->ap + at);
    sum += precondition_one(c, k);
  }
  return sum;
}

double rv_strand_coupled_solve(RvCoupled* c, RvStrandStats* stats) {
  size_t n = c->count;
  double gamma = rv_parallel_sum(n, 1, begin, c), first = gamma, fall = 0;
  c->beta = 0;
  c->left = 1;
  stats->cg_iterations = 0;
  for (int it = 0; it < c->step->def->max_cg && gamma > 0; ++it) {
    rv_parallel_for(n, 1, turn, c);
    double curvature = rv_parallel_sum(n, 1, product, c);
    if (!(curvature > 0)) break;
    c->alpha = gamma / curvature;
    fall += c->alpha * gamma;
    stats->cg_iterations = it + 1;
    double next = rv_parallel_sum(n, 1, advance, c);
    c->left = sqrt(next / first);
    if (!(next > c->forcing * c->forcing * first)) break;
    c->beta = next / gamma;
    gamma = next;
  }
  if (stats->cg_iterations == 0) memset(c->d, 0, c->step->m->unknowns * sizeof(double));
  return fall;
}
