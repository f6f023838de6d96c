#include "liquid/viscosity.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/viscosity_work.h"

enum { GRAIN = 8, FIRST_BLOCK = 1 << 20, MOST_ITERATIONS = 500 };

struct RvViscosity {
  RvArena* arena;
};

RvViscosity* rv_viscosity_new(void) {
  RvViscosity* v = rv_alloc_zero(1, sizeof *v);
  if (v && !(v->arena = rv_arena_new(FIRST_BLOCK))) {
    rv_free(v);
    return NULL;
  }
  return v;
}

void rv_viscosity_free(RvViscosity* v) {
  if (v) rv_arena_free(v->arena);
  rv_free(v);
}

size_t rv_viscosity_bytes(const RvViscosity* v) {
  return rv_arena_peak(v->arena);
}

typedef struct Solve {
  const RvViscosityIn* in;
  RvViscosityWork w;
  double* square;  // r . r of each tile
  float alpha, beta;
  float* const* v;
} Solve;

// how much of a cell is liquid: a flat surface through it
static float part(const RvViscosityIn* in, int64_t at) {
  if (at < 0) return 0;
  double s = 0.5 - in->distance[at] / in->dx;
  return s > 0 ? s < 1 ? (float)s : 1 : 0;
}

// of the face below cell (x, y, z) of a tile: its liquid, whether a solid holds it, and then at which velocity
typedef struct Face {
  float mass, velocity;
  bool held, absent;
} Face;

static Face read_face(const RvViscosityIn* in, size_t t, int axis, int x, int y, int z) {
  int64_t hi = rv_tiles_at(in->tiles, t, x, y, z);
  int64_t lo = rv_tiles_at(in->tiles, t, x - (axis == 0), y - (axis == 1), z - (axis == 2));
  Face f = {.mass = 0.5f * (part(in, lo) + part(in, hi)), .held = hi < 0 || lo < 0, .absent = hi < 0};
  if (!f.held && in->open[axis] && in->open[axis][hi] < 0.5f) {
    f.held = true;
    f.velocity = in->solid[axis] ? in->solid[axis][hi] : 0;
  }
  return f;
}

// The shear at an edge of four faces counts as far as the four cells around are liquid, if each of the faces has liquid
// or is held. A flat wall through the edge holds three of them, two in it and one beyond: then the shear is that over
// half a cell, in half of the volume, if the liquid sticks to it.
static float edge_weight(const RvViscosityIn* in, size_t t, int along, int x, int y, int z) {
  int a = (along + 1) % 3, b = (along + 2) % 3, held = 0;
  const int at[3] = {x, y, z};
  float free_mass = 0, sum = 0, most = 0;
  for (int k = 0; k < 4; ++k) {
    int axis = k < 2 ? a : b, f[3] = {at[0], at[1], at[2]};
    f[k < 2 ? b : a] -= k & 1;
    Face face = read_face(in, t, axis, f[0], f[1], f[2]);
    if (face.absent || (!face.held && !(face.mass > 0))) return 0;
    held += face.held;
    if (!face.held) free_mass = face.mass;
  }
  if (held == 4 || (held >= 2 && !in->stick)) return 0;
  for (int k = 0; k < 4; ++k) {
    int c[3] = {at[0], at[1], at[2]};
    c[a] -= k & 1, c[b] -= k >> 1;
    int64_t cell = rv_tiles_at(in->tiles, t, c[0], c[1], c[2]);
    float factor = in->field && cell >= 0 ? in->field[cell] : 1;
    sum += part(in, cell) * factor;
    most = factor > most ? factor : most;
  }
  return held == 3 ? 2 * free_mass * most : 0.25f * sum;
}

static void weigh_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  const RvViscosityIn* in = s->in;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      int x = c & 7, y = c >> 3 & 7, z = c >> 6;
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      s->w.weight[0][at] = part(in, (int64_t)at) * (in->field ? in->field[at] : 1);
      for (int k = 0; k < 3; ++k) {
        s->w.weight[1 + k][at] = edge_weight(in, t, k, x, y, z);
        // a face of liquid is unknown unless it is held
        Face face = read_face(in, t, k, x, y, z);
        s->w.mass[k][at] = face.mass;
        s->w.inverse[k][at] = !face.held && face.mass > 0;
        s->w.u[k][at] = face.held ? face.velocity : in->velocity[k][at];
      }
    }
}

// weights around a face along `axis`: centres before and after, edges at both sides of it
static void invert_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  const RvViscosityWork* w = &s->w;
  const RvTiles* tiles = s->in->tiles;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      for (int axis = 0; axis < 3; ++axis) {
        size_t at = t * RV_TILE_CELLS + (size_t)c;
        if (!(w->inverse[axis][at] > 0)) continue;
        int x[3] = {c & 7, c >> 3 & 7, c >> 6};
        float shear = 0, before;
        for (int along = 0; along < 3; ++along) {
          if (along == axis) continue;
          int up = 3 - axis - along, d[3] = {x[0], x[1], x[2]};
          d[up]++;
          shear += w->weight[1 + along][at] + rv_tiles_read(tiles, w->weight[1 + along], t, d[0], d[1], d[2], 0);
        }
        x[axis]--;
        before = rv_tiles_read(tiles, w->weight[0], t, x[0], x[1], x[2], 0);
        w->inverse[axis][at] = 1 / (w->mass[axis][at] + w->beta * (2 * (w->weight[0][at] + before) + shear));
      }
}

static bool set_up(Solve* s, RvArena* arena) {
  RvViscosityWork* w = &s->w;
  w->count = s->in->tiles->count;
  w->near = rv_arena_take(arena, w->count, sizeof *w->near);
  s->square = RV_TAKE(arena, double, w->count);
  if (!w->near || !s->square) return false;
  float** vectors[] = {&w->mass[0],   &w->inverse[0], &w->u[0],      &w->r[0],      &w->p[0],      &w->q[0],
                       &w->mass[1],   &w->inverse[1], &w->u[1],      &w->r[1],      &w->p[1],      &w->q[1],
                       &w->mass[2],   &w->inverse[2], &w->u[2],      &w->r[2],      &w->p[2],      &w->q[2],
                       &w->weight[0], &w->weight[1],  &w->weight[2], &w->weight[3], &w->stress[0], &w->stress[1],
                       &w->stress[2], &w->stress[3],  &w->stress[4], &w->stress[5]};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    *vectors[k] = RV_TAKE(arena, float, (w->count + 1) * RV_TILE_CELLS);
    if (!*vectors[k]) return false;
    memset(*vectors[k] + w->count * RV_TILE_CELLS, 0, RV_TILE_CELLS * sizeof(float));
  }
  for (size_t t = 0; t < w->count; ++t)
    for (int k = 0; k < 6; ++k) {
      int d[3] = {0};
      d[k / 2] = k % 2 ? 1 : -1;
      int32_t other = s->in->tiles->near[t][rv_tile_near(d[0], d[1], d[2])];
      w->near[t][k] = other < 0 ? (int32_t)w->count : other;
    }
  w->beta = (float)(s->in->viscosity * s->in->dt / (s->in->density * s->in->dx * s->in->dx));
  rv_parallel_for(w->count, GRAIN, weigh_tiles, s);
  rv_parallel_for(w->count, GRAIN, invert_tiles, s);
  return true;
}

static void stress_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  RV_KERNEL_CALL(rv_viscosity_stress, (&s->w, s->v, begin, end));
}

static double force_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  return RV_KERNEL_CALL(rv_viscosity_force, (&s->w, s->v, s->w.q, begin, end));
}

static double apply(Solve* s, float* const v[3]) {
  s->v = v;
  rv_parallel_for(s->w.count, GRAIN, stress_tiles, s);
  return rv_parallel_sum(s->w.count, GRAIN, force_tiles, s);
}

// r = m u* - A u* where unknown, p = 0; returns the square of what the tolerance is of: m u* and, since what solids
// hold acts too, the first residual
static double start_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
      bool unknown = s->w.inverse[axis][at] > 0;
      float b = unknown ? s->w.mass[axis][at] * s->w.u[axis][at] : 0;
      s->w.r[axis][at] = b - s->w.q[axis][at];
      s->w.p[axis][at] = s->w.q[axis][at] = 0;
      sum += (double)b * b + (double)s->w.r[axis][at] * s->w.r[axis][at];
    }
  return sum;
}

static double advance_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  return RV_KERNEL_CALL(rv_viscosity_advance, (&s->w, s->alpha, s->square, begin, end));
}

static void turn_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  RV_KERNEL_CALL(rv_viscosity_turn, (&s->w, s->beta, begin, end));
}

static double total(const double* v, size_t n) {
  if (n <= 2) return n == 2 ? v[0] + v[1] : n == 1 ? v[0] : 0;
  return total(v, n / 2) + total(v + n / 2, n - n / 2);
}

static void iterate(Solve* s, double tolerance, int most, RvViscosityReport* report) {
  size_t n = s->w.count;
  apply(s, s->w.u);
  double norm = sqrt(rv_parallel_sum(n, GRAIN, start_tiles, s)), before = 0;
  s->alpha = 0;
  for (report->iterations = 0;; report->iterations++) {
    double rz = rv_parallel_sum(n, GRAIN, advance_tiles, s);
    report->residual = norm > 0 ? sqrt(total(s->square, n)) / norm : 0;
    report->converged = report->residual <= tolerance;
    if (report->converged || report->iterations == most || !(rz > 0)) return;
    s->beta = before > 0 ? (float)(rz / before) : 0;
    before = rz;
    rv_parallel_for(n, GRAIN, turn_tiles, s);
    double pq = apply(s, s->w.p);
    if (!(pq > 0)) return;
    s->alpha = (float)(rz / pq);
  }
}

static void store_tiles(void* arg, size_t begin, size_t end) {
  const Solve* s = arg;
  for (int axis = 0; axis < 3; ++axis)
    for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at)
      if (s->w.inverse[axis][at] > 0) s->in->velocity[axis][at] = s->w.u[axis][at];
}

RvResult rv_viscosity_solve(RvViscosity* viscosity, const RvViscosityIn* in, double tolerance, int most,
                            RvViscosityReport* report, RvError* error) {
  RvViscosityReport unused;
  if (!report) report = &unused;
  *report = (RvViscosityReport){.converged = true};
  if (!(in->dx > 0) || !(in->dt > 0) || !(in->density > 0) || !(in->viscosity >= 0) || !isfinite(in->viscosity))
    return rv_fail(error, RV_BAD_INPUT,
                   "viscosity: dx %g m, dt %g s and density %g kg/m^3 must be above 0, viscosity %g Pa s not below",
                   in->dx, in->dt, in->density, in->viscosity);
  if (in->viscosity == 0) return RV_OK;
  RvArenaMark mark = rv_arena_mark(viscosity->arena);
  Solve s = {.in = in};
  bool done = set_up(&s, viscosity->arena);
  if (done) {
    iterate(&s, tolerance > 0 ? tolerance : 1e-5, most > 0 ? most : MOST_ITERATIONS, report);
    rv_parallel_for(s.w.count, GRAIN, store_tiles, &s);
  }
  rv_arena_release(viscosity->arena, mark);
  if (!done)
    return rv_fail(error, RV_NO_MEMORY, "viscosity: no memory for %zu tiles; use larger cells", in->tiles->count);
  return RV_OK;
}

RvViscosityIn rv_viscosity_of_grid(RvLiquidGrid* grid, const RvLiquidSolids* solids, double density, double viscosity,
                                   double dt) {
  RvViscosityIn in = {.tiles = &grid->tiles, .dx = grid->dx, .dt = dt, .density = density, .viscosity = viscosity};
  for (int axis = 0; axis < 3; ++axis) {
    in.velocity[axis] = grid->velocity[axis].data;
    if (solids && solids->any) {
      in.open[axis] = solids->open[axis].data;
      in.solid[axis] = solids->velocity[axis].data;
    }
  }
  in.distance = grid->distance.data;
  return in;
}
