// Levels and V-cycle of the multigrid preconditioner (multigrid.h): coarse levels are built by averaging the faces and
// summing the drains of 2 x 2 x 2 cells; a cycle smooths, restricts the residual, recurses and prolongs.
#include "liquid/multigrid.h"

#include <string.h>

#include "base/parallel.h"
#include "liquid/multigrid_kernel.h"
#include "math/scalar.h"

// The coarsest level has at most this many coupled cells; the smoother of degree 16 solves it.
enum { FEW_CELLS = 48 };
enum { CLEAR_GRAIN = 64 };  // tiles a task that only writes zeros

// Lower ends of the intervals [lo, 2] of eigenvalues of the scaled operator that the smoother damps. On the finest
// level what the coarse one cannot represent: from 1/3 on in three dimensions. Below, where sweeps are cheap, more, so
// that the number of iterations does not grow with that of levels. The coarsest level is solved.
static const double FINE_LOWEST = 1.0 / 3;
static const double COARSE_LOWEST = 0.12;
static const double LAST_LOWEST = 0.02;

typedef struct Clear {
  const RvMgLevel* level;
  float* v;
} Clear;

// Zeros in the tile of the absent ones and in tiles with coefficients, whose dry rows are never written.
static void clear_tiles(void* arg, size_t begin, size_t end) {
  const Clear* c = arg;
  for (size_t t = begin; t < end; ++t)
    if (t == c->level->count || c->level->slot[t] >= 0)
      memset(c->v + t * RV_TILE_CELLS, 0, RV_TILE_CELLS * sizeof *c->v);
}

float* rv_liquid_mg_vector(const RvMgLevel* level, RvArena* arena) {
  Clear c = {level, RV_TAKE(arena, float, (level->count + 1) * RV_TILE_CELLS)};
  if (c.v) rv_parallel_for(level->count + 1, CLEAR_GRAIN, clear_tiles, &c);
  return c.v;
}

// Weights of the smoother: 1 / root of Chebyshev's polynomial on [lo, 2], in the order of Lebedev and Finogenov (1971),
// in which the products of the first k factors stay small.
static void set_weights(RvMgLevel* level, int degree, double lo) {
  int order[RV_MG_MOST_DEGREE] = {1};
  // the order is doubled until it has `degree` members
  for (int n = 1; n < degree; n *= 2)
    for (int i = n - 1; i >= 0; --i) {
      order[2 * i + 1] = 4 * n - order[i];
      order[2 * i] = order[i];
    }
  // roots of the polynomial in that order
  level->degree = degree;
  for (int k = 0; k < degree; ++k)
    level->weight[k] = (float)(2 / ((2 + lo) - (2 - lo) * rv_cos(RV_PI * order[k] / (2 * degree))));
}

// Number of coarse tiles. Fine tiles are sorted by Morton code, so those of one parent follow each other.
static size_t count_parents(const RvMgLevel* fine) {
  size_t count = 0;
  for (size_t t = 0; t < fine->count; ++t) {
    const int32_t *c = fine->coord[t], *d = fine->coord[t ? t - 1 : 0];
    count += t == 0 || c[0] >> 1 != d[0] >> 1 || c[1] >> 1 != d[1] >> 1 || c[2] >> 1 != d[2] >> 1;
  }
  return count;
}

// Coordinates and children of the coarse tiles, and `parent` of each fine tile.
static void link_children(const RvMgLevel* fine, RvMgLevel* coarse, int32_t* parent) {
  size_t n = 0;
  for (size_t t = 0; t < fine->count; ++t) {
    const int32_t* c = fine->coord[t];
    int32_t parent_coord[3] = {c[0] >> 1, c[1] >> 1, c[2] >> 1};
    if (n == 0 || memcmp(parent_coord, coarse->coord[n - 1], sizeof parent_coord) != 0) {
      memcpy(coarse->coord[n], parent_coord, sizeof parent_coord);
      for (int k = 0; k < 8; ++k) coarse->child[n][k] = -1;
      n++;
    }
    parent[t] = (int32_t)(n - 1);
    coarse->child[n - 1][(c[0] & 1) + (c[1] & 1) * 2 + (c[2] & 1) * 4] = (int32_t)t;
  }
}

// Neighbours of the coarse tiles: where fine tiles are neighbours, as elsewhere nothing can flow. A coarse tile is
// plain if all eight children are; the others get a slot for coefficients.
static void link_near(const RvMgLevel* fine, RvMgLevel* coarse, const int32_t* parent) {
  coarse->slots = 0;
  for (size_t t = 0; t < coarse->count; ++t) {
    for (int k = 0; k < 6; ++k) coarse->near[t][k] = (int32_t)coarse->count;
    bool plain = true;
    for (int k = 0; k < 8; ++k) {
      int32_t child = coarse->child[t][k];
      plain = plain && child >= 0 && fine->slot[child] < 0;
      for (int axis = 0; child >= 0 && axis < 3; ++axis) {
        int side = 2 * axis + (k >> axis & 1);
        int32_t other = fine->near[child][side];
        if (other < (int32_t)fine->count) coarse->near[t][side] = parent[other];
      }
    }
    // plain tiles need no coefficients
    coarse->slot[t] = plain ? -1 : (int32_t)coarse->slots++;
  }
}

typedef struct Build {
  const RvMgLevel* fine;
  RvMgLevel* coarse;
} Build;

// Place of the face at `at` along an axis within the coefficients of a tile.
static int face_at(int axis, const int at[3]) {
  return axis == 0   ? rv_liquid_mg_face_x(at[0], at[1], at[2])
         : axis == 1 ? rv_liquid_mg_face_y(at[0], at[1], at[2])
                     : rv_liquid_mg_face_z(at[0], at[1], at[2]);
}

// Mean of the four fine faces of a child that make up the coarse face at `at`.
static float mean_face(const float* c, int axis, const int at[3]) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    int f[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
    f[u] += k & 1;
    f[v] += k >> 1;
    sum += c[face_at(axis, f)];
  }
  return 0.25f * sum;
}

// Coefficients and drain of the octant of a coarse tile that one child covers.
static void gather_child(const RvMgLevel* fine, size_t child, int octant, float* coef, float* drain) {
  const int o[3] = {(octant & 1) * 4, (octant >> 1 & 1) * 4, (octant >> 2) * 4};
  int32_t slot = fine->slot[child];
  const float* c = slot < 0 ? NULL : fine->coef + (size_t)slot * RV_MG_COEF;
  const float* d = slot < 0 ? NULL : fine->drain + (size_t)slot * RV_TILE_CELLS;
  // faces: means of four
  for (int axis = 0; axis < 3; ++axis)
    for (int z = 0; z < 4 + (axis == 2); ++z)
      for (int y = 0; y < 4 + (axis == 1); ++y)
        for (int x = 0; x < 4 + (axis == 0); ++x)
          coef[face_at(axis, (const int[3]){o[0] + x, o[1] + y, o[2] + z})] =
              c ? mean_face(c, axis, (const int[3]){x, y, z}) : 1;
  // drain: half the sum of eight
  for (int z = 0; d && z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) {
        float sum = 0;
        for (int k = 0; k < 8; ++k) sum += d[rv_tile_cell(2 * x + (k & 1), 2 * y + (k >> 1 & 1), 2 * z + (k >> 2))];
        drain[rv_tile_cell(o[0] + x, o[1] + y, o[2] + z)] = 0.5f * sum;
      }
}

size_t rv_liquid_mg_invert(const RvMgLevel* level, size_t slot) {
  const float *coef = level->coef + slot * RV_MG_COEF, *drain = level->drain + slot * RV_TILE_CELLS;
  float* inverse = level->inverse + slot * RV_TILE_CELLS;
  size_t coupled = 0;
  uint64_t rows = 0;
  for (int z = 0; z < 8; ++z)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        float sum = coef[rv_liquid_mg_face_x(x, y, z)] + coef[rv_liquid_mg_face_x(x + 1, y, z)] +
                    coef[rv_liquid_mg_face_y(x, y, z)] + coef[rv_liquid_mg_face_y(x, y + 1, z)] +
                    coef[rv_liquid_mg_face_z(x, y, z)] + coef[rv_liquid_mg_face_z(x, y, z + 1)];
        float diagonal = sum + drain[rv_tile_cell(x, y, z)];
        coupled += sum > 0;
        rows |= (uint64_t)(diagonal > 0) << (z * 8 + y);
        inverse[rv_tile_cell(x, y, z)] = diagonal > 0 ? 1 / diagonal : 0;
      }
  level->rows[slot] = rows;
  return coupled;
}

// Coefficients of coarse tiles. Returns the number of coupled cells, which is exact in a double.
static double coarsen_tiles(void* arg, size_t begin, size_t end) {
  const Build* build = arg;
  const RvMgLevel* coarse = build->coarse;
  size_t coupled = 0;
  for (size_t t = begin; t < end; ++t) {
    if (coarse->slot[t] < 0) {
      coupled += RV_TILE_CELLS;
      continue;
    }
    size_t slot = (size_t)coarse->slot[t];
    float *coef = coarse->coef + slot * RV_MG_COEF, *drain = coarse->drain + slot * RV_TILE_CELLS;
    memset(coef, 0, RV_MG_COEF * sizeof *coef);
    memset(drain, 0, RV_TILE_CELLS * sizeof *drain);
    for (int k = 0; k < 8; ++k)
      if (coarse->child[t][k] >= 0) gather_child(build->fine, (size_t)coarse->child[t][k], k, coef, drain);
    coupled += rv_liquid_mg_invert(coarse, slot);
  }
  return (double)coupled;
}

// Builds a level from the next finer one. False: out of memory.
static bool coarsen(const RvMgLevel* fine, RvMgLevel* coarse, RvArena* arena) {
  *coarse = (RvMgLevel){.count = count_parents(fine)};
  coarse->coord = rv_arena_take(arena, coarse->count, sizeof *coarse->coord);
  coarse->near = rv_arena_take(arena, coarse->count, sizeof *coarse->near);
  coarse->slot = RV_TAKE(arena, int32_t, coarse->count);
  coarse->child = rv_arena_take(arena, coarse->count, sizeof *coarse->child);
  int32_t* parent = RV_TAKE(arena, int32_t, fine->count);
  if (!coarse->coord || !coarse->near || !coarse->slot || !coarse->child || !parent) return false;
  // tiles and their links
  link_children(fine, coarse, parent);
  link_near(fine, coarse, parent);
  // coefficients and vectors
  coarse->coef = RV_TAKE(arena, float, coarse->slots* RV_MG_COEF);
  coarse->drain = RV_TAKE(arena, float, coarse->slots* RV_TILE_CELLS);
  coarse->inverse = RV_TAKE(arena, float, coarse->slots* RV_TILE_CELLS);
  coarse->rows = RV_TAKE(arena, uint64_t, coarse->slots);
  coarse->x = rv_liquid_mg_vector(coarse, arena);
  coarse->y = rv_liquid_mg_vector(coarse, arena);
  coarse->b = rv_liquid_mg_vector(coarse, arena);
  if (!coarse->coef || !coarse->drain || !coarse->inverse || !coarse->rows || !coarse->x || !coarse->y || !coarse->b)
    return false;
  Build build = {fine, coarse};
  coarse->coupled = (size_t)rv_parallel_sum(coarse->count, RV_MG_GRAIN, coarsen_tiles, &build);
  return true;
}

bool rv_liquid_multigrid_build(RvMultigrid* mg, RvArena* arena) {
  mg->count = 1;
  while (mg->count < RV_MG_LEVELS) {
    const RvMgLevel* fine = &mg->level[mg->count - 1];
    // A level that couples as many cells as the finer one has only separate drops; a coarser one would not help.
    if (fine->coupled <= FEW_CELLS || (mg->count > 1 && fine->coupled == fine[-1].coupled)) break;
    if (!coarsen(fine, &mg->level[mg->count], arena)) return false;
    mg->count++;
  }
  // smoothers
  for (int l = 0; l < mg->count; ++l) {
    bool last = l == mg->count - 1;
    if (last)
      set_weights(&mg->level[l], RV_MG_LAST_DEGREE, LAST_LOWEST);
    else if (l == 0)
      set_weights(&mg->level[l], RV_MG_FINE_DEGREE, FINE_LOWEST);
    else
      set_weights(&mg->level[l], RV_MG_DEGREE, COARSE_LOWEST);
  }
  return true;
}

// Arguments of the kernels, which each use some of them.
typedef struct Job {
  const RvMgLevel *level, *coarse;
  const float *x, *b;
  float *out, *r, *largest;
  double* sum;
  float* const* p;
  const float* alpha;
  float w;
  int dot, count;
} Job;

// Runs a kernel over the tiles of a level; few tiles are not worth handing to other workers.
static double run_over(size_t count, RvRangeSumFn* fn, Job* job) {
  return count <= RV_MG_GRAIN ? fn(job, 0, count) : rv_parallel_sum(count, RV_MG_GRAIN, fn, job);
}

// One sweep of the smoother (multigrid_kernel.h).
static double sweep_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  return RV_KERNEL_CALL(rv_liquid_mg_sweep, (j->level, j->x, j->b, j->w, j->out, j->dot, begin, end));
}

// out = x + w inverse (b - A x) over a level. Returns b . out if `dot`.
static double sweep(const RvMgLevel* level, const float* x, const float* b, float w, float* out, bool dot) {
  return run_over(level->count, sweep_tiles, &(Job){.level = level, .x = x, .b = b, .w = w, .out = out, .dot = dot});
}

static double restrict_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  RV_KERNEL_CALL(rv_liquid_mg_restrict, (j->level, j->coarse, j->x, j->b, begin, end));
  return 0;
}

static double prolong_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  RV_KERNEL_CALL(rv_liquid_mg_prolong, (j->level, j->coarse, begin, end));
  return 0;
}

// Pre-smoothing: from x, already smoothed once from 0, to y by the remaining sweeps of the degree, an odd number.
static double smooth_before(const RvMgLevel* level, const float* b, bool dot) {
  double sum = 0;
  for (int k = 1; k < level->degree; ++k) {
    bool even = k % 2 == 0;
    sum = sweep(level, even ? level->y : level->x, b, level->weight[k], even ? level->x : level->y,
                dot && k == level->degree - 1);
  }
  return sum;
}

// Post-smoothing: from y to y by an even number of sweeps, with the weights in reverse, so that the cycle is symmetric.
static double smooth_after(const RvMgLevel* level, const float* b, bool dot) {
  double sum = 0;
  for (int k = level->degree - 1; k >= 0; --k) {
    bool even = k % 2 == 0;
    sum = sweep(level, even ? level->x : level->y, b, level->weight[k], even ? level->y : level->x, dot && k == 0);
  }
  return sum;
}

// Runs a transfer between levels over the coarse tiles; each holds eight fine ones, so a task is one tile.
static void run_between(const RvMgLevel* coarse, RvRangeSumFn* fn, Job* job) {
  if (coarse->count <= 1)
    fn(job, 0, coarse->count);
  else
    rv_parallel_sum(coarse->count, 1, fn, job);
}

// V-cycle from level l down; returns b . y on the finest level.
static double cycle(RvMultigrid* mg, int l, const float* b) {
  const RvMgLevel* level = &mg->level[l];
  if (l == mg->count - 1) return smooth_before(level, b, l == 0);
  const RvMgLevel* coarse = level + 1;
  Job job = {.level = level, .coarse = coarse, .x = level->y, .b = b};
  // smooth, restrict the residual, solve the coarse level, prolong the correction, smooth
  smooth_before(level, b, false);
  run_between(coarse, restrict_tiles, &job);
  cycle(mg, l + 1, coarse->b);
  run_between(coarse, prolong_tiles, &job);
  return smooth_after(level, b, l == 0);
}

double rv_liquid_multigrid_cycle(RvMultigrid* mg, const float* r) {
  return cycle(mg, 0, r);
}

static double apply_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  return RV_KERNEL_CALL(rv_liquid_mg_apply, (j->level, j->x, j->out, begin, end));
}

double rv_liquid_mg_apply(const RvMgLevel* level, const float* p, float* out) {
  return run_over(level->count, apply_tiles, &(Job){.level = level, .x = p, .out = out});
}

static double advance_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  return RV_KERNEL_CALL(rv_liquid_mg_advance, (j->level, j->w, j->b, j->r, j->largest, j->sum, begin, end));
}

double rv_liquid_mg_advance(const RvMgLevel* level, float alpha, const float* q, float* r, float* largest,
                            double* cross) {
  return run_over(level->count, advance_tiles,
                  &(Job){.level = level, .w = alpha, .b = q, .r = r, .largest = largest, .sum = cross});
}

static double turn_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  RV_KERNEL_CALL(rv_liquid_mg_turn, (j->level, j->x, j->w, j->b, j->out, begin, end));
  return 0;
}

void rv_liquid_mg_turn(const RvMgLevel* level, const float* z, float beta, const float* p, float* out) {
  run_over(level->count, turn_tiles, &(Job){.level = level, .x = z, .w = beta, .b = p, .out = out});
}

static double gather_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  RV_KERNEL_CALL(rv_liquid_mg_gather, (j->level, j->p, j->alpha, j->count, j->sum, begin, end));
  return 0;
}

void rv_liquid_mg_gather(const RvMgLevel* level, float* const* p, const float* alpha, int count, double* x) {
  run_over(level->count, gather_tiles, &(Job){.level = level, .p = p, .alpha = alpha, .count = count, .sum = x});
}

double rv_liquid_multigrid_traffic(const RvMultigrid* mg) {
  // Bytes a cell: a sweep reads two vectors and writes one; coefficients, drain and inverse are those of general tiles.
  enum { VECTOR = 4, DOUBLE = 8, SWEEP = 3 * VECTOR, STENCIL = 2 * VECTOR, ADD = 2 * VECTOR };
  const double coef = 4.0 * RV_MG_COEF / RV_TILE_CELLS + 4, inverse = 4;
  double bytes = 0;
  for (int l = 0; l < mg->count; ++l) {
    const RvMgLevel* level = &mg->level[l];
    bool last = l == mg->count - 1;
    double general = 0, plain = (double)(level->count - level->slots) * RV_TILE_CELLS;
    for (size_t k = 0; k < level->slots; ++k) general += 8.0 * __builtin_popcountll(level->rows[k]);
    int sweeps = level->degree - 1 + (last ? 0 : level->degree), stencils = !last + (l == 0);
    // conjugate gradients: r and q, level.x; p = z + beta p; x of several p at once. On coarser levels: b and x.
    double other = l == 0 ? 4 * VECTOR + 3 * VECTOR + VECTOR + 2.0 * DOUBLE / RV_MG_KEPT : 2 * VECTOR;
    bytes += (general + plain) * (sweeps * SWEEP + stencils * STENCIL + (last ? 0 : ADD) + other);
    bytes += general * ((sweeps + stencils) * coef + (sweeps + 2) * inverse);
  }
  return bytes;
}
