// The viscosity solve (viscosity.h): conjugate gradients with the diagonal as preconditioner.
#include "liquid/viscosity.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/viscosity_work.h"

enum { GRAIN = 8 };              // tiles a task
enum { FIRST_BLOCK = 1 << 20 };  // bytes of the arena's first block
enum { MOST_ITERATIONS = 500 };  // by default
static const double DEFAULT_TOLERANCE = 1e-5;

struct RvViscosity {
  RvArena* arena;  // memory, kept from solve to solve
};

RvViscosity* rv_liquid_viscosity_new(void) {
  RvViscosity* v = rv_alloc_zero(1, sizeof *v);
  if (!v) return NULL;
  v->arena = rv_arena_new(FIRST_BLOCK);
  if (v->arena) return v;
  rv_free(v);
  return NULL;
}

void rv_liquid_viscosity_free(RvViscosity* v) {
  if (v) rv_arena_free(v->arena);
  rv_free(v);
}

size_t rv_liquid_viscosity_bytes(const RvViscosity* v) {
  return rv_arena_peak(v->arena);
}

typedef struct Solve {
  RvViscosityWork w;
  double* square;     // r . r of each tile
  float alpha, beta;  // of CG
  float* const* v;    // the velocity that the operator is applied to
} Solve;

// Stress of v.
static void stress_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  RV_KERNEL_CALL(rv_liquid_viscosity_stress, (&s->w, s->v, begin, end));
}

// q from the stress of v; returns v . q.
static double force_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  return RV_KERNEL_CALL(rv_liquid_viscosity_force, (&s->w, s->v, s->w.q, begin, end));
}

// q = A v. Returns v . q.
static double apply(Solve* s, float* const v[3]) {
  s->v = v;
  rv_parallel_for(s->w.count, GRAIN, stress_tiles, s);
  return rv_parallel_sum(s->w.count, GRAIN, force_tiles, s);
}

// p = force of the history stress that is in `stress`, with p = 0 at first.
static void history_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  RV_KERNEL_CALL(rv_liquid_viscosity_force, (&s->w, s->w.p, s->w.p, begin, end));
}

// r = m u* - A u - p where unknown, from r = m u* and p, the force of the history stress; then p = 0. Returns the
// square of the norm that the tolerance is relative to: that of m u* and, as prescribed velocities of solids and the
// history act too, of the first residual.
static double start_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
      float b = s->w.r[axis][at];
      s->w.r[axis][at] = b - s->w.q[axis][at] - s->w.p[axis][at];
      s->w.p[axis][at] = 0;
      s->w.q[axis][at] = 0;
      sum += (double)b * b + (double)s->w.r[axis][at] * s->w.r[axis][at];
    }
  return sum;
}

// Step along p; returns r . z.
static double advance_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  return RV_KERNEL_CALL(rv_liquid_viscosity_advance, (&s->w, s->alpha, s->square, begin, end));
}

// Next direction.
static void turn_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  RV_KERNEL_CALL(rv_liquid_viscosity_turn, (&s->w, s->beta, begin, end));
}

// Sum by halves: a fixed tree, independent of the workers.
static double total(const double* v, size_t n) {
  if (n <= 2) return n == 2 ? v[0] + v[1] : n == 1 ? v[0] : 0;
  return total(v, n / 2) + total(v + n / 2, n - n / 2);
}

// Conjugate gradients to the tolerance, or `most` iterations.
static void iterate(Solve* s, double tolerance, int most, RvViscosityReport* report) {
  size_t n = s->w.count;
  // force of the history stress, in p
  bool history = s->w.in->history[0] != NULL;
  if (history) rv_parallel_for(n, GRAIN, history_tiles, s);
  // first residual
  apply(s, s->w.u);
  double norm = sqrt(rv_parallel_sum(n, GRAIN, start_tiles, s)), last_rz = 0;
  s->alpha = 0;
  for (report->iterations = 0;; report->iterations++) {
    // step along p, and the residual
    double rz = rv_parallel_sum(n, GRAIN, advance_tiles, s);
    report->residual = norm > 0 ? sqrt(total(s->square, n)) / norm : 0;
    report->converged = report->residual <= tolerance;
    if (report->converged || report->iterations == most || !(rz > 0)) return;
    // next direction and step length
    s->beta = last_rz > 0 ? (float)(rz / last_rz) : 0;
    last_rz = rz;
    rv_parallel_for(n, GRAIN, turn_tiles, s);
    double pq = apply(s, s->w.p);
    if (!(pq > 0)) return;
    s->alpha = (float)(rz / pq);
  }
}

// Writes the unknown velocities back.
static void store_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  for (int axis = 0; axis < 3; ++axis)
    for (size_t t = begin; t < end; ++t) {
      const float *u = s->w.u[axis] + t * RV_TILE_CELLS, *inverse = s->w.inverse[axis] + t * RV_TILE_CELLS;
      float* to = s->w.in->velocity[axis] + (size_t)s->w.tile[t] * RV_TILE_CELLS;
      for (int c = 0; c < RV_TILE_CELLS; ++c)
        if (inverse[c] > 0) to[c] = u[c];
    }
}

RvResult rv_liquid_viscosity_solve(RvViscosity* viscosity, const RvViscosityIn* in, double tolerance, int most,
                                   RvViscosityReport* report, RvError* error) {
  RvViscosityReport unused;
  if (!report) report = &unused;
  *report = (RvViscosityReport){.converged = true};
  if (!(in->dx > 0) || !(in->dt > 0) || !(in->density > 0) || !(in->viscosity >= 0) || !isfinite(in->viscosity))
    return rv_fail(error, RV_BAD_INPUT,
                   "viscosity: dx %g m, dt %g s and density %g kg/m^3 must be above 0, viscosity %g Pa s not below",
                   in->dx, in->dt, in->density, in->viscosity);
  if (in->viscosity == 0) return RV_OK;
  // set up, iterate, store
  RvArenaMark mark = rv_arena_mark(viscosity->arena);
  Solve s = {.w.in = in};
  bool done = rv_liquid_viscosity_set_up(&s.w, viscosity->arena);
  if (done) {
    s.square = RV_TAKE(viscosity->arena, double, s.w.count);
    done = s.square != NULL;
  }
  if (done) {
    iterate(&s, tolerance > 0 ? tolerance : DEFAULT_TOLERANCE, most > 0 ? most : MOST_ITERATIONS, report);
    rv_parallel_for(s.w.count, GRAIN, store_tiles, &s);
  }
  rv_arena_release(viscosity->arena, mark);
  if (!done)
    return rv_fail(error, RV_NO_MEMORY, "viscosity: no memory for %zu tiles of liquid; use a larger particlesep",
                   in->tiles->count);
  return RV_OK;
}

RvViscosityIn rv_liquid_viscosity_of_grid(RvLiquidGrid* grid, const RvLiquidSolids* solids, double density,
                                          double viscosity, double dt) {
  RvViscosityIn in = {.tiles = &grid->tiles, .dx = grid->dx, .dt = dt, .density = density, .viscosity = viscosity};
  for (int axis = 0; axis < 3; ++axis) {
    in.velocity[axis] = grid->velocity[axis].data;
    if (solids && solids->any) {
      in.open[axis] = solids->open[axis].data;
      in.solid[axis] = solids->velocity[axis].data;
    }
    if (grid->weighed) in.inertia[axis] = grid->heavy[axis].data;
  }
  in.distance = grid->distance.data;
  return in;
}
