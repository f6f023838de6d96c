// Times the stages of a Newton iteration on copies of some batches, at eight lanes and at one.
#include "bench/strand_lanes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "math/kernel.h"
#include "strand/newton.h"

RV_KERNEL_DECLARE(void, rv_strand_rod_derivatives, (const RvRodBatch*, const double*, RvRodHessian, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_newton_energy, (const RvNewtonBatch*, const double*, double*))
RV_KERNEL_DECLARE(unsigned, rv_strand_newton_assemble, (const RvNewtonBatch*, const double*, double*, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_newton_dot, (int, const double*, const double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_newton_move, (int, const double*, const double*, const double*, double*))

enum { BATCHES = 12, REPEATS = 15 };  // batches that are timed; runs of each

// Data of an iteration, at a width of RV_LANES or 1.
typedef struct Work {
  RvNewtonBatch potential;
  double* in;  // block of all inputs
  double *q, *inertia, *goal, *g, *d, *trial, *band, *spare;
} Work;

// Numbers a vertex that are read (q, inertia, goal, free; tangent, director, reference twist; rest strains and
// stiffnesses) and written (gradient, direction, trial position).
enum { READ = 4 * 4 + 3 + 3 + 1 + 1 + 1 + 4 + 2 + 1 + 1, WRITTEN = 3 * 4 };

// Makes room for n vertices. False: out of memory.
static bool allocate(Work* w, int n, int width) {
  size_t row = (size_t)n * (size_t)width, band = (size_t)(4 * n - 1) * (RV_ROD_BAND + 1) * (size_t)width;
  w->in = rv_alloc_zero(READ * row, sizeof(double));
  w->g = rv_alloc_zero(WRITTEN * row, sizeof(double));
  w->band = rv_alloc_zero(2 * band + 4 * row, sizeof(double));
  if (!w->in || !w->g || !w->band) return false;
  w->d = w->g + 4 * row;
  w->trial = w->d + 4 * row;
  w->spare = w->band + band;
  return true;
}

static void release(Work* w) {
  rv_free(w->in);
  rv_free(w->g);
  rv_free(w->band);
}

// Copies rows of one lane (width 1) or of all lanes to the next place of the block.
static const double* put(double** next, const double* from, size_t rows, int width, int lane, size_t room) {
  double* to = *next;
  for (size_t k = 0; k < rows; ++k)
    for (int l = 0; l < width; ++l) to[k * (size_t)width + (size_t)l] = from[k * RV_LANES + (size_t)(lane + l)];
  *next += room * (size_t)width;
  return to;
}

// Inputs of an implicit Euler step of the batch: inertia and inertial goal from mass and velocity.
static void fill(Work* w, const RvBenchGroom* g, const RvStrandBatch* b, int width, int lane) {
  const RvStrandModel* m = g->model;
  const RvStrandState* s = g->state;
  size_t n = (size_t)b->vertices;
  size_t edges = n - 1;
  size_t numbers = 4 * n * (size_t)width;
  double* next = w->in;
  double* v = w->trial;
  w->q = next;
  put(&next, s->q + b->at, 4 * n, width, lane, 4 * n);
  w->inertia = next;
  put(&next, m->mass + b->at, 4 * n, width, lane, 4 * n);
  w->goal = next;
  put(&next, s->q + b->at, 4 * n, width, lane, 4 * n);
  // The potential: constraints, reference frames, rest strains and stiffnesses.
  RvNewtonBatch* p = &w->potential;
  *p = (RvNewtonBatch){.inertia = w->inertia, .goal = w->goal};
  p->free = put(&next, m->free + b->at, 4 * n, width, lane, 4 * n);
  p->rod.vertices = b->vertices;
  p->rod.tangent = put(&next, s->tangent + 3 * b->edge_at, 3 * edges, width, lane, 3 * n);
  p->rod.director = put(&next, s->director + 3 * b->edge_at, 3 * edges, width, lane, 3 * n);
  p->rod.reference_twist = put(&next, s->reference_twist + b->vertex_at, n, width, lane, n);
  p->rod.length = put(&next, m->rest_length + b->edge_at, edges, width, lane, n);
  p->rod.stretch = put(&next, m->stretch + b->edge_at, edges, width, lane, n);
  p->rod.curvature = put(&next, m->rest_curvature + 4 * b->vertex_at, 4 * n, width, lane, 4 * n);
  p->rod.bend = put(&next, m->bend + 2 * b->vertex_at, 2 * n, width, lane, 2 * n);
  p->rod.twist = put(&next, m->rest_twist + b->vertex_at, n, width, lane, n);
  p->rod.torsion = put(&next, m->torsion + b->vertex_at, n, width, lane, n);
  // The inertial goal is q + dt v, and the inertia m / dt^2.
  double* velocity = v;
  put(&velocity, s->v + b->at, 4 * n, width, lane, 4 * n);
  for (size_t k = 0; k < numbers; ++k) {
    w->goal[k] += g->dt * v[k];
    w->inertia[k] /= g->dt * g->dt;
  }
}

// Calls a kernel at the wanted width.
#define CALL(name, arguments) (width == 1 ? RV_KERNEL_CALL_SINGLE(name, arguments) : RV_KERNEL_CALL(name, arguments))

// Keeps the smaller time.
static void least(double* best, double seconds) {
  *best = fmin(*best, seconds);
}

// One iteration as in strand/step_free.c, each stage timed: derivatives, assembly and factorisation, solve, line
// search.
static void iterate(Work* w, int width, double best[RV_BENCH_STAGES]) {
  const int n = w->potential.rod.vertices, size = 4 * n - 1;
  const size_t row = (size_t)n * (size_t)width, band = (size_t)size * (RV_ROD_BAND + 1) * (size_t)width;
  double lanes[RV_LANES] __attribute__((aligned(64)));
  double one[RV_LANES] __attribute__((aligned(64)));
  // The line search tries the full step.
  for (int k = 0; k < RV_LANES; ++k) one[k] = 1;
  memset(w->band, 0, band * sizeof(double));
  memset(w->g, 0, 4 * row * sizeof(double));
  double start = rv_clock_wall();
  CALL(rv_strand_rod_derivatives, (&w->potential.rod, w->q, RV_ROD_FULL, w->g, w->band));
  double derived = rv_clock_wall();
  CALL(rv_strand_newton_assemble, (&w->potential, w->q, w->g, w->band, w->spare));
  double assembled = rv_clock_wall();
  for (size_t k = 0; k < 4 * row; ++k) w->d[k] = -w->g[k];
  if (width == 1)
    rv_ldlt_solve_single(w->band, size, RV_ROD_BAND, w->d);
  else
    rv_ldlt_solve(w->band, size, RV_ROD_BAND, w->d);
  CALL(rv_strand_newton_dot, (n, w->g, w->d, lanes));
  double solved = rv_clock_wall();
  CALL(rv_strand_newton_move, (n, w->q, one, w->d, w->trial));
  CALL(rv_strand_newton_energy, (&w->potential, w->trial, lanes));
  double searched = rv_clock_wall();
  least(&best[RV_BENCH_DERIVATIVES], derived - start);
  least(&best[RV_BENCH_FACTOR], assembled - derived);  // contains the derivatives again, which measure() takes off
  least(&best[RV_BENCH_SOLVE], solved - assembled);
  least(&best[RV_BENCH_SEARCH], searched - solved);
}

// Adds the least times of several runs.
static void measure(Work* w, int width, double sum[RV_BENCH_STAGES]) {
  double best[RV_BENCH_STAGES];
  for (int k = 0; k < RV_BENCH_STAGES; ++k) best[k] = INFINITY;
  for (int r = 0; r < REPEATS; ++r) iterate(w, width, best);
  best[RV_BENCH_FACTOR] = fmax(best[RV_BENCH_FACTOR] - best[RV_BENCH_DERIVATIVES], 0);
  for (int k = 0; k < RV_BENCH_STAGES; ++k) sum[k] += best[k];
}

// Sums over the batches, then seconds a vertex.
RvResult rv_bench_lanes(const RvBenchGroom* g, RvBenchLanes* out, RvError* error) {
  const RvStrandModel* m = g->model;
  size_t count = m->nbatch < BATCHES ? m->nbatch : BATCHES, vertices = 0;
  RvResult result = RV_OK;
  *out = (RvBenchLanes){0};
  for (size_t k = 0; !result && k < count; ++k) {
    // Batches from all over the head.
    const RvStrandBatch* b = &m->batches[k * m->nbatch / count];
    Work wide = {0}, single = {0};
    if (allocate(&wide, b->vertices, RV_LANES) && allocate(&single, b->vertices, 1)) {
      fill(&wide, g, b, RV_LANES, 0);
      measure(&wide, RV_LANES, out->wide);
      for (int lane = 0; lane < RV_LANES; ++lane) {
        fill(&single, g, b, 1, lane);
        measure(&single, 1, out->single);
      }
      vertices += (size_t)b->vertices * RV_LANES;
    } else {
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
    release(&wide);
    release(&single);
  }
  for (int k = 0; k < RV_BENCH_STAGES; ++k) {
    out->wide[k] /= (double)vertices;
    out->single[k] /= (double)vertices;
  }
  return result;
}
