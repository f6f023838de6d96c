// The pressure solve (WH-36; pressure.h): sets the system up, iterates preconditioned conjugate gradients to a
// tolerance of the residual and a bound of the largest divergence, and updates the velocities.
#include "liquid/pressure.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/pressure_cholesky.h"
#include "liquid/pressure_work.h"

struct RvPressure {
  RvArena *own, *arena;  // arena: the one that is used
};

enum {
  FIRST_BLOCK = 1 << 20,  // bytes of the arena's first block
  MOST_ITERATIONS = 200,  // by default
  MEAN_EVERY = 16         // iterations between removals of the mean in closed bodies
};
static const double DEFAULT_TOLERANCE = 1e-6;   // relative residual
static const double DEFAULT_DIVERGENCE = 3e-7;  // bound of RvPressureOptions.divergence

RvPressure* rv_liquid_pressure_new(void) {
  RvPressure* pressure = rv_alloc_zero(1, sizeof *pressure);
  if (!pressure) return NULL;
  pressure->own = rv_arena_new(FIRST_BLOCK);
  pressure->arena = pressure->own;
  if (pressure->own) return pressure;
  rv_free(pressure);
  return NULL;
}

void rv_liquid_pressure_free(RvPressure* pressure) {
  if (pressure) rv_arena_free(pressure->own);
  rv_free(pressure);
}

void rv_liquid_pressure_set_scratch(RvPressure* pressure, RvArena* scratch) {
  pressure->arena = scratch ? scratch : pressure->own;
}

size_t rv_liquid_pressure_bytes(const RvPressure* pressure) {
  return rv_arena_peak(pressure->own);
}

// Sum by halves: a fixed tree, independent of the workers.
static double total(const double* v, size_t n) {
  if (n <= 8) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += v[i];
    return sum;
  }
  return total(v, n / 2) + total(v + n / 2, n - n / 2);
}

// Largest |r| of all cells.
static double largest(const RvPressureWork* work) {
  float value = 0;
  for (size_t t = 0; t < work->mg.level[0].count; ++t) value = fmaxf(value, work->largest[t]);
  return value;
}

typedef struct Solve {
  RvPressureWork work;
  RvCholesky cholesky;
  RvPressureMethod method;
  double tolerance;    // of the root of r . r, absolute
  double bound;        // of the largest |r|
  int max_iterations;  // iterations
} Solve;

// z = M^-1 r by the chosen preconditioner; level.x holds weight[0] inverse r. Returns r . z.
static double precondition(Solve* s, float** z) {
  RvMgLevel* level = &s->work.mg.level[0];
  *z = level->y;
  if (s->method == RV_PRESSURE_MULTIGRID) return rv_liquid_multigrid_cycle(&s->work.mg, s->work.r);
  if (s->method == RV_PRESSURE_CHOLESKY) return rv_liquid_cholesky_solve(&s->cholesky, s->work.r, *z);
  *z = level->x;
  return total(s->work.cross, level->count);
}

// Relative residual, largest divergence and convergence, from r . r.
static void measure(const Solve* s, double rr, RvPressureReport* report) {
  const RvPressureWork* w = &s->work;
  double largest_residual = largest(w);
  report->residual = w->norm > 0 ? sqrt(rr) / w->norm : 0;
  report->worst = w->speed > 0 ? largest_residual / w->speed : 0;
  report->converged = sqrt(rr) <= s->tolerance && (largest_residual <= s->bound || s->bound < 0);
}

// Preconditioned conjugate gradients (Hestenes, Stiefel 1952) on x and its residual r, to convergence or `most`
// iterations. The last directions are kept and added to x together.
static void iterate(Solve* s, RvPressureReport* report) {
  RvPressureWork* w = &s->work;
  const RvMgLevel* level = &w->mg.level[0];
  float *z, alpha[RV_MG_KEPT];
  double last_rz = 0;
  int kept = 0;
  // a step of length 0 gives the norms of the first residual
  double rr = rv_liquid_mg_advance(level, 0, w->p[RV_MG_KEPT - 1], w->r, w->largest, w->cross);
  for (report->iterations = 0;; report->iterations++) {
    measure(s, rr, report);
    if (report->converged || report->iterations == s->max_iterations) break;
    // direction p = z + beta p, in the next of the kept vectors
    double rz = precondition(s, &z);
    float *last_p = w->p[(kept + RV_MG_KEPT - 1) % RV_MG_KEPT], *p = w->p[kept];
    rv_liquid_mg_turn(level, z, last_rz > 0 ? (float)(rz / last_rz) : 0, last_p, p);
    last_rz = rz;
    // step along it
    double pq = rv_liquid_mg_apply(level, p, w->q);
    if (!(pq > 0) || !(rz > 0)) break;
    alpha[kept++] = (float)(rz / pq);
    rr = rv_liquid_mg_advance(level, alpha[kept - 1], w->q, w->r, w->largest, w->cross);
    // rounding gives closed bodies a net inflow, which has no solution
    if (w->closed && report->iterations % MEAN_EVERY == MEAN_EVERY - 1) rv_liquid_pressure_take_mean(w, w->r, NULL);
    // kept directions go to x together
    if (kept == RV_MG_KEPT) {
      rv_liquid_mg_gather(level, w->p, alpha, kept, w->x);
      kept = 0;
    }
  }
  rv_liquid_mg_gather(level, w->p, alpha, kept, w->x);
}

// Whether the numbers and the required channels of the input are there.
static bool valid(const RvPressureIn* in) {
  bool drag = in->drag[0] && in->drag[1] && in->drag[2];
  bool target = in->drag_target[0] && in->drag_target[1] && in->drag_target[2];
  return in->dx > 0 && in->dt > 0 && in->density > 0 && isfinite(in->dx) && isfinite(in->dt) && isfinite(in->density) &&
         in->velocity[0] && in->velocity[1] && in->velocity[2] && in->distance && in->pressure && (!drag || target);
}

// Sizes and traffic of the solve.
static void fill_report(const Solve* s, RvPressureReport* report) {
  const RvMgLevel* level = &s->work.mg.level[0];
  report->levels = s->work.mg.count;
  report->cells = s->work.cells;
  report->tiles = level->count;
  report->closed = s->work.closed;
  if (s->method == RV_PRESSURE_MULTIGRID)
    report->traffic = report->iterations * rv_liquid_multigrid_traffic(&s->work.mg);
  report->plain = level->count - level->slots;
}

// The whole solve; false: out of memory, and nothing has changed.
static bool solve(Solve* s, const RvPressureOptions* options, RvPressureReport* report) {
  RvPressureWork* w = &s->work;
  // operator, right side, preconditioner
  if (!rv_liquid_pressure_set_up(w)) return false;
  w->mg.count = 1;
  w->mg.level[0].weight[0] = 1;
  if (s->method == RV_PRESSURE_MULTIGRID && !rv_liquid_multigrid_build(&w->mg, w->arena)) return false;
  if (s->method == RV_PRESSURE_CHOLESKY && !rv_liquid_cholesky_build(&s->cholesky, w->mg.level, w->arena)) return false;
  // compatibility of closed bodies, and the residual of a first guess
  if (!rv_liquid_pressure_find_closed(w)) return false;
  report->incompatible = rv_liquid_pressure_take_mean(w, w->r, NULL) * w->in->dx * w->in->dx;
  if (w->in->warm) rv_liquid_pressure_residual(w);
  // solve and update
  s->tolerance = (options->tolerance > 0 ? options->tolerance : DEFAULT_TOLERANCE) * w->norm;
  s->bound =
      options->divergence < 0 ? -1 : (options->divergence > 0 ? options->divergence : DEFAULT_DIVERGENCE) * w->speed;
  iterate(s, report);
  rv_liquid_pressure_take_mean(w, NULL, w->x);
  rv_liquid_pressure_finish(w);
  fill_report(s, report);
  return true;
}

RvResult rv_liquid_pressure_solve(RvPressure* pressure, const RvPressureIn* in, const RvPressureOptions* options,
                                  RvPressureReport* report, RvError* error) {
  RvPressureReport unused;
  static const RvPressureOptions defaults;
  if (!report) report = &unused;
  if (!options) options = &defaults;
  *report = (RvPressureReport){0};
  if (!valid(in))
    return rv_fail(error, RV_BAD_INPUT, "pressure: dx %g m, dt %g s and density %g kg/m^3 must be above 0", in->dx,
                   in->dt, in->density);
  RvArenaMark mark = rv_arena_mark(pressure->arena);
  Solve s = {.work = {.in = in, .arena = pressure->arena},
             .method = options->method,
             .max_iterations = options->max_iterations > 0 ? options->max_iterations : MOST_ITERATIONS};
  bool done = solve(&s, options, report);
  rv_arena_release(pressure->arena, mark);
  if (!done)
    return rv_fail(error, RV_NO_MEMORY, "pressure: no memory for %zu tiles of liquid; use a larger particlesep",
                   in->tiles->count);
  return RV_OK;
}

RvPressureIn rv_liquid_pressure_of_grid(RvLiquidGrid* grid, const RvLiquidSolids* solids, double density, double dt) {
  RvPressureIn in = {.tiles = &grid->tiles, .dx = grid->dx, .dt = dt, .density = density};
  for (int axis = 0; axis < 3; ++axis) {
    in.velocity[axis] = grid->velocity[axis].data;
    in.valid[axis] = grid->valid[axis].data;
    if (solids && solids->any) {
      in.open[axis] = solids->open[axis].data;
      in.solid[axis] = solids->velocity[axis].data;
    }
    if (grid->shared) {
      in.share[axis] = grid->share[axis].data;
      in.fibre[axis] = grid->fibre[axis].data;
    }
    if (grid->dragged) {
      in.drag[axis] = grid->drag[axis].data;
      in.drag_target[axis] = grid->drag_target[axis].data;
    }
    if (grid->weighed) in.heavy[axis] = grid->heavy[axis].data;
  }
  in.distance = grid->distance.data;
  in.divergence = grid->divergent ? grid->divergence.data : NULL;
  in.pressure = grid->pressure.data;
  return in;
}
