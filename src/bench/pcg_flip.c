// Benchmark pcg_flip: the global solve of WH-45 against three baselines, on the matrix of a wet flip (bench/flip.h).
// All start from zero and end at the same relative residual |b - A x| / |b|, with the same products, threads and flags.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/direct.h"
#include "bench/flip.h"
#include "bench/list.h"
#include "math/kernel.h"
#include "strand/newton.h"

RV_KERNEL_DECLARE(void, rv_bench_flip_mix, (int, const double*, double, double*, double*))
RV_KERNEL_DECLARE(void, rv_bench_flip_scale, (int, const double*, const double*, double*))
RV_KERNEL_DECLARE(void, rv_bench_flip_advance, (int, double, const double*, const double*, double*, double*))

typedef enum Kind {
  LOCAL,          // each strand's factor with the bridges' diagonal blocks: the strand solver's preconditioner
  LOCAL_WITHOUT,  // each strand's factor without them, as in the paper
  DIAGONAL,       // the inverse diagonal
  PLAIN,          // none
} Kind;

// Vectors of CG: r = b - A x, z = M^-1 r, p the direction, ap = A p. The local solvers keep mp = M p, which follows
// from r, so that they need not multiply by the bands.
typedef struct Solver {
  RvFlip* f;
  Kind kind;
  double *x, *r, *z, *p, *mp, *ap;
  double alpha, beta;
} Solver;

typedef struct Outcome {
  int iterations;
  double cpu;             // s
  double residual;        // |b - A x| / |b|, computed anew
  double preconditioned;  // the same in the solver's own norm, r . z
} Outcome;

static const double TOLERANCE = 1e-7;  // relative residual at which all stop
enum {
  GRAIN = 4,               // batches of a task
  MAX_ITERATIONS = 20000,  // of the local solvers, not reached
  MIN_HAIRS = 16           // of a shrunk bundle
};

// Limits of the direct solver: some ten seconds, and 2.4 GB at 12 bytes an entry.
static const double MAX_FLOPS = 1.5e10;
enum { MAX_ENTRIES = 200000000 };

//---------------------------------------------------------------------------------------------- parts of CG

// Numbers of a batch.
static int unknowns_of(const RvStrandBatch* b) {
  return b->vertices * 4 * RV_LANES;
}

// Scalar product within a batch.
static double dot(const RvStrandBatch* b, const double* x, const double* y) {
  double lanes[RV_LANES] __attribute__((aligned(64)));
  double sum = 0;
  rv_strand_newton_dot(b->vertices, x + b->at, y + b->at, lanes);
  for (int lane = 0; lane < RV_LANES; ++lane) sum += lanes[lane];
  return sum;
}

// z = M^-1 r; returns r . z.
static double precondition(void* arg, size_t begin, size_t end) {
  Solver* s = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->f->model->batches[k];
    double* z = s->z + b->at;
    double* r = s->r + b->at;
    const double* factor = (s->kind == LOCAL ? s->f->factor_own : s->f->factor) + RV_FLIP_STRIDE * b->at;
    if (s->kind == DIAGONAL)
      RV_KERNEL_CALL(rv_bench_flip_scale, (unknowns_of(b), r, s->f->inverse + b->at, z));
    else
      memcpy(z, r, (size_t)unknowns_of(b) * sizeof(double));
    if (s->kind <= LOCAL_WITHOUT) rv_ldlt_solve(factor, 4 * b->vertices - 1, RV_ROD_BAND, z);
    sum += dot(b, s->r, s->z);
  }
  return sum;
}

// p = z + beta p, and the strands' part of A p.
static void update_direction(void* arg, size_t begin, size_t end) {
  Solver* s = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->f->model->batches[k];
    size_t at = b->at;
    RV_KERNEL_CALL(rv_bench_flip_mix, (unknowns_of(b), s->z + at, s->beta, s->p + at, NULL));
    if (s->kind <= LOCAL_WITHOUT)
      RV_KERNEL_CALL(rv_bench_flip_mix, (unknowns_of(b), s->r + at, s->beta, s->mp + at, s->ap + at));
    else
      rv_bench_flip_bands(s->f, b, s->p, s->ap);
  }
}

// p . A p.
static double curvature(void* arg, size_t begin, size_t end) {
  const Solver* s = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) sum += dot(&s->f->model->batches[k], s->p, s->ap);
  return sum;
}

// r . r.
static double residual_square(void* arg, size_t begin, size_t end) {
  const Solver* s = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) sum += dot(&s->f->model->batches[k], s->r, s->r);
  return sum;
}

// x += alpha p, r -= alpha A p; returns r . r.
static double advance(void* arg, size_t begin, size_t end) {
  Solver* s = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->f->model->batches[k];
    size_t at = b->at;
    RV_KERNEL_CALL(rv_bench_flip_advance, (unknowns_of(b), s->alpha, s->p + at, s->ap + at, s->x + at, s->r + at));
  }
  return residual_square(arg, begin, end);
}

// ap = the bands times x.
static void multiply_x(void* arg, size_t begin, size_t end) {
  Solver* s = arg;
  for (size_t k = begin; k < end; ++k) rv_bench_flip_bands(s->f, &s->f->model->batches[k], s->x, s->ap);
}

// |b - A x| / |b| by a product of its own; overwrites r and ap.
static double true_residual(Solver* s) {
  size_t n = s->f->model->nbatch;
  rv_parallel_for(n, GRAIN, multiply_x, s);
  rv_bench_flip_bridges(s->f, s->x, s->ap, true);
  memcpy(s->r, s->f->right, s->f->model->unknowns * sizeof(double));
  double first = rv_parallel_sum(n, GRAIN, residual_square, s);
  for (size_t i = 0; i < s->f->model->unknowns; ++i) s->r[i] -= s->ap[i];
  return sqrt(rv_parallel_sum(n, GRAIN, residual_square, s) / first);
}

// Preconditioned CG from zero, at most `most` iterations.
static Outcome solve(Solver* s, int max_iterations) {
  size_t n = s->f->model->nbatch, bytes = s->f->model->unknowns * sizeof(double);
  memcpy(s->r, s->f->right, bytes);
  memset(s->x, 0, bytes);
  memset(s->p, 0, bytes);
  memset(s->mp, 0, bytes);
  // The first residual is the right side.
  Outcome o = {0};
  double start = rv_clock_cpu();
  double first = rv_parallel_sum(n, GRAIN, residual_square, s);
  double norm = first;
  double gamma = rv_parallel_sum(n, GRAIN, precondition, s), begun = gamma;
  s->beta = 0;
  // Ends at the tolerance, the limit, or the user's interruption.
  while (o.iterations < max_iterations && norm > TOLERANCE * TOLERANCE * first && !rv_bench_interrupted()) {
    rv_parallel_for(n, GRAIN, update_direction, s);
    rv_bench_flip_bridges(s->f, s->p, s->ap, s->kind != LOCAL);
    s->alpha = gamma / rv_parallel_sum(n, GRAIN, curvature, s);
    norm = rv_parallel_sum(n, GRAIN, advance, s);
    double next = rv_parallel_sum(n, GRAIN, precondition, s);
    s->beta = next / gamma;
    gamma = next;
    o.iterations++;
  }
  o.cpu = rv_clock_cpu() - start;
  o.preconditioned = sqrt(gamma / begun);
  o.residual = true_residual(s);
  return o;
}

// False: out of memory.
static bool allocate(Solver* s, RvFlip* f) {
  *s = (Solver){.f = f};
  double** vectors[] = {&s->x, &s->r, &s->z, &s->p, &s->mp, &s->ap};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = rv_alloc_zero(f->model->unknowns, sizeof(double)))) return false;
  return true;
}

static void release(Solver* s) {
  rv_free(s->x);
  rv_free(s->r);
  rv_free(s->z);
  rv_free(s->p);
  rv_free(s->mp);
  rv_free(s->ap);
}

//---------------------------------------------------------------------------------------------- figures

// Emits a figure with its case's name before its own.
static void emit(const RvBenchOut* out, const char* of, const char* metric, double value, const char* unit) {
  char name[96];
  snprintf(name, sizeof name, "%s_%s", of, metric);
  rv_bench_emit(out, name, value, unit);
}

typedef struct Case {
  const char* name;
  RvFlipDef def;
  size_t hairs;
  int baseline;  // limit of the diagonal solver's iterations, in those of the local one
} Case;

// Figures of one solver.
static void emit_outcome(const RvBenchOut* out, const char* of, const char* solver, const Outcome* o) {
  char name[48];
  snprintf(name, sizeof name, "%s_%s", of, solver);
  emit(out, name, "iterations", o->iterations, "");
  emit(out, name, "cpu", o->cpu, "s");
  emit(out, name, "residual", o->residual, "");
  emit(out, name, "precond_residual", o->preconditioned, "");
}

// All solvers on one bundle. A baseline that was stopped has a ratio of at least the one given; its residual shows
// that.
static RvResult run_case(const RvBenchOut* out, const Case* c, RvError* error) {
  static const char* const names[] = {"local", "local_bare", "diagonal", "plain"};
  RvFlip f;
  Solver s;
  Outcome o[4] = {{0}};
  RvResult result = rv_bench_flip_new(&f, &c->def, error);
  if (result) return result;
  if (allocate(&s, &f)) {
    emit(out, c->name, "bridge_stiffness", f.bridge, "N/m2");
    emit(out, c->name, "links_per_vertex", (double)f.first[f.nstrand] * (f.vertices - 2) / (double)f.model->nvertex,
         "");
    for (int kind = 0; kind < 4 && !rv_bench_interrupted(); ++kind) {
      // Plain CG is far slower and stopped after twice the local iterations.
      int max_iterations = kind <= LOCAL_WITHOUT ? MAX_ITERATIONS : o[0].iterations * (kind == PLAIN ? 2 : c->baseline);
      s.kind = (Kind)kind;
      o[kind] = solve(&s, max_iterations);
      if (!rv_bench_interrupted()) emit_outcome(out, c->name, names[kind], &o[kind]);
    }
    // The ratios that matter.
    if (rv_bench_interrupted()) result = rv_fail(error, RV_CANCELLED, "interrupted");
    if (!result) {
      emit(out, c->name, "diagonal_to_local_iterations", (double)o[DIAGONAL].iterations / o[LOCAL].iterations, "x");
      emit(out, c->name, "diagonal_to_local_cpu", o[DIAGONAL].cpu / o[LOCAL].cpu, "x");
    }
  } else {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  release(&s);
  rv_bench_flip_free(&f);
  return result;
}

// The direct solver on bundles that double in size up to the largest whose factor takes some ten seconds; and the work
// of the next.
static RvResult run_direct(const RvBenchOut* out, RvFlipDef def, size_t max_hairs, RvError* error) {
  RvResult result = RV_OK;
  bool more = true;
  for (def.hairs = MIN_HAIRS; !result && more && def.hairs <= max_hairs && !rv_bench_interrupted(); def.hairs *= 2) {
    RvFlip f;
    Solver s;
    RvDirect direct = {0};
    result = rv_bench_flip_new(&f, &def, error);
    if (result) return result;
    if (!allocate(&s, &f)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (!result) result = rv_bench_direct_solve(&f, MAX_FLOPS, MAX_ENTRIES, s.x, &direct, error);
    more = direct.solved;
    char name[32];
    snprintf(name, sizeof name, "%zu", def.hairs);
    // Work and memory of the last one, solved or not.
    if (!result && (!more || def.hairs * 2 > max_hairs)) {
      emit(out, name, "direct_gflop", 1e-9 * direct.flops, "");
      emit(out, name, "direct_factor", 12e-6 * (double)direct.entries, "MB");
    }
    // Time against the local solver on the same bundle.
    if (!result && more) {
      double residual = true_residual(&s);
      s.kind = LOCAL;
      Outcome local = solve(&s, MAX_ITERATIONS);
      emit(out, name, "direct_cpu", direct.cpu, "s");
      emit(out, name, "direct_residual", residual, "");
      emit(out, name, "direct_to_local_cpu", direct.cpu / local.cpu, "x");
    }
    release(&s);
    rv_bench_flip_free(&f);
  }
  return result;
}

// Hairs of a bundle after --shrink.
static size_t shrunk(const RvBenchOut* out, size_t hairs) {
  size_t wanted = hairs / (size_t)out->shrink;
  return wanted > MIN_HAIRS ? wanted : MIN_HAIRS;
}

// Three sizes, then one change at a time of step, length and tension.
RvResult rv_bench_pcg_flip(const RvBenchOut* out, RvError* error) {
  // 4.7 cm in 30 vertices and 1 ms are those of the wet scenes of libWetHair; the tension is that of water. Long edges
  // and steps are harder for the local solver, as the bridges are stiffer relative to stretching and inertia.
  const RvFlipDef flip = {0, 30, 0.047, 1e-3, 0.072};
  Case cases[] = {{"1k", flip, 1024, 100},      {"4k", flip, 4096, 32},          {"8k", flip, 8192, 32},
                  {"step_4ms", flip, 256, 100}, {"length_25cm", flip, 256, 100}, {"tension_21mN", flip, 256, 100}};
  cases[3].def.dt = 4e-3;
  cases[4].def.length = 0.25;
  cases[5].def.tension = 0.0206;
  RvResult result = RV_OK;
  for (size_t k = 0; !result && k < sizeof cases / sizeof *cases; ++k) {
    cases[k].def.hairs = shrunk(out, cases[k].hairs);
    result = run_case(out, &cases[k], error);
  }
  return result ? result : run_direct(out, flip, shrunk(out, 256), error);
}
