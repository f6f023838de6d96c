// Bodies of liquid that reach no air: their pressure is defined up to a constant, and the net flow into them must be
// zero. The cells of each tile are labelled by connected components; components that touch across sides of tiles are
// joined by union-find; a body is closed if none of its cells has a drain.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "liquid/pressure_work.h"

// A bit a cell of a tile: bit y*8 + x of number z.
typedef uint64_t Bits[8];

enum { MOST_PIECES = 255 };  // labels that fit a byte

// Which cells of a tile are wet, and which are connected to the cell before them along each axis.
static void read_bits(const RvMgLevel* level, size_t slot, Bits wet, Bits link[3]) {
  const float* coef = level->coef + slot * RV_MG_COEF;
  const float* inverse = level->inverse + slot * RV_TILE_CELLS;
  for (int z = 0; z < 8; ++z) {
    uint64_t w = 0, lx = 0, ly = 0, lz = 0;
    for (int i = 0; i < 64; ++i) {
      int x = i & 7, y = i >> 3;
      // wet cells, and open faces below them
      w |= (uint64_t)(inverse[z * 64 + i] > 0) << i;
      lx |= (uint64_t)(x > 0 && coef[rv_liquid_mg_face_x(x, y, z)] > 0) << i;
      ly |= (uint64_t)(y > 0 && coef[rv_liquid_mg_face_y(x, y, z)] > 0) << i;
      lz |= (uint64_t)(z > 0 && coef[rv_liquid_mg_face_z(x, y, z)] > 0) << i;
    }
    wet[z] = w;
    link[0][z] = lx;
    link[1][z] = ly;
    link[2][z] = lz;
  }
}

// Grows `piece` to its connected component.
static void flood(Bits piece, const Bits link[3]) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int z = 0; z < 8; ++z) {
      uint64_t p = piece[z];
      p |= (p << 1 & link[0][z]) | (p & link[0][z]) >> 1;
      p |= (p << 8 & link[1][z]) | (p & link[1][z]) >> 8;
      if (z > 0) p |= piece[z - 1] & link[2][z];
      if (z < 7) p |= piece[z + 1] & link[2][z + 1];
      changed = changed || p != piece[z];
      piece[z] = p;
    }
  }
}

// Labels the components of a tile from 1 on, in the order of their first cells; 0: dry. The last label takes all beyond
// MOST_PIECES. Returns the number of labels.
static int label(const RvMgLevel* level, size_t slot, uint8_t* of) {
  Bits wet, link[3];
  read_bits(level, slot, wet, link);
  memset(of, 0, RV_TILE_CELLS);
  int pieces = 0;
  for (int z = 0; z < 8; ++z)
    while (wet[z]) {
      // the component of the first wet cell
      Bits piece = {0};
      pieces += pieces < MOST_PIECES;
      piece[z] = wet[z] & -wet[z];
      flood(piece, (const uint64_t(*)[8])link);
      for (int k = 0; k < 8; ++k) {
        wet[k] &= ~piece[k];
        for (uint64_t m = piece[k]; m; m &= m - 1) of[k * 64 + __builtin_ctzll(m)] = (uint8_t)pieces;
      }
    }
  return pieces;
}

// Components of each tile; their number goes to `first`.
static void label_tiles(void* arg, size_t begin, size_t end) {
  RvPressureWork* work = arg;
  const RvMgLevel* level = &work->mg.level[0];
  for (size_t t = begin; t < end; ++t)
    work->first[t] = level->slot[t] < 0
                         ? 1
                         : label(level, (size_t)level->slot[t], work->piece + (size_t)level->slot[t] * RV_TILE_CELLS);
}

// Root of a node, with path halving.
static int32_t root_of(int32_t* up, int32_t i) {
  while (up[i] != i) {
    up[i] = up[up[i]];
    i = up[i];
  }
  return i;
}

// Joins two bodies; the smaller number becomes the root, so that the result has no order.
static void join(int32_t* up, int32_t a, int32_t b) {
  a = root_of(up, a);
  b = root_of(up, b);
  if (a < b)
    up[b] = a;
  else
    up[a] = b;
}

// Node of a wet cell.
static int32_t node_at(const RvPressureWork* work, size_t t, int cell) {
  int32_t slot = work->mg.level[0].slot[t];
  return work->first[t] + (slot < 0 ? 0 : work->piece[(size_t)slot * RV_TILE_CELLS + (size_t)cell] - 1);
}

// Joins the components that touch across the upper side of a tile along an axis.
static void join_side(RvPressureWork* work, size_t t, int axis, int32_t* up) {
  const RvMgLevel* level = &work->mg.level[0];
  size_t other = (size_t)level->near[t][2 * axis + 1];
  if (other == level->count) return;
  if (level->slot[t] < 0 || level->slot[other] < 0) {
    // a plain tile has one piece, and its sides are open everywhere
    for (int i = 0; i < 64; ++i) {
      int a = i & 7, b = i >> 3;
      int lo = axis == 0 ? rv_tile_cell(7, a, b) : axis == 1 ? rv_tile_cell(a, 7, b) : rv_tile_cell(a, b, 7);
      int hi = axis == 0 ? rv_tile_cell(0, a, b) : axis == 1 ? rv_tile_cell(a, 0, b) : rv_tile_cell(a, b, 0);
      join(up, node_at(work, t, lo), node_at(work, other, hi));
      if (level->slot[t] < 0 && level->slot[other] < 0) return;
    }
    return;
  }
  const float* coef = level->coef + (size_t)level->slot[t] * RV_MG_COEF;
  // open faces between two general tiles; runs of the same pair are joined once
  int32_t last_lo = -1, last_hi = -1;
  for (int i = 0; i < 64; ++i) {
    int a = i & 7, b = i >> 3;
    float c = coef[axis == 0   ? rv_liquid_mg_face_x(8, a, b)
                   : axis == 1 ? rv_liquid_mg_face_y(a, 8, b)
                               : rv_liquid_mg_face_z(a, b, 8)];
    if (!(c > 0)) continue;
    int lo = axis == 0 ? rv_tile_cell(7, a, b) : axis == 1 ? rv_tile_cell(a, 7, b) : rv_tile_cell(a, b, 7);
    int hi = axis == 0 ? rv_tile_cell(0, a, b) : axis == 1 ? rv_tile_cell(a, 0, b) : rv_tile_cell(a, b, 0);
    int32_t n = node_at(work, t, lo), m = node_at(work, other, hi);
    if (n != last_lo || m != last_hi) join(up, n, m);
    last_lo = n;
    last_hi = m;
  }
}

typedef struct Drains {
  const RvPressureWork* work;
  bool* drained;
} Drains;

// Marks the components that have a drain; each belongs to one tile.
static void mark_tiles(void* arg, size_t begin, size_t end) {
  const Drains* d = arg;
  const RvMgLevel* level = &d->work->mg.level[0];
  for (size_t t = begin; t < end; ++t) {
    if (level->slot[t] < 0) continue;
    const float* drain = level->drain + (size_t)level->slot[t] * RV_TILE_CELLS;
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      if (drain[c] > 0) d->drained[node_at(d->work, t, c)] = true;
  }
}

// Marks them, and the roots of their bodies.
static void mark_drained(const RvPressureWork* work, int32_t nodes, int32_t* up, bool* drained) {
  rv_parallel_for(work->mg.level[0].count, RV_MG_GRAIN, mark_tiles, &(Drains){work, drained});
  for (int32_t n = 0; n < nodes; ++n)
    if (drained[n]) drained[root_of(up, n)] = true;
}

// Numbers the closed bodies; `body` of each node, -1: it reaches air.
static void number_bodies(RvPressureWork* work, int32_t nodes, int32_t* up, const bool* drained) {
  for (int32_t n = 0; n < nodes; ++n) {
    int32_t root = root_of(up, n);
    work->body[n] = drained[root] ? -1 : root == n ? (int32_t)work->closed++ : work->body[root];
  }
}

bool rv_liquid_pressure_find_closed(RvPressureWork* work) {
  const RvMgLevel* level = &work->mg.level[0];
  work->piece = RV_TAKE(work->arena, uint8_t, level->slots * RV_TILE_CELLS);
  work->first = RV_TAKE(work->arena, int32_t, level->count + 1);
  if (!work->piece || !work->first) return false;
  // pieces of each tile, numbered through
  rv_parallel_for(level->count, RV_MG_GRAIN, label_tiles, work);
  int32_t nodes = 0;
  for (size_t t = 0; t < level->count; ++t) {
    int32_t pieces = work->first[t];
    work->first[t] = nodes;
    nodes += pieces;
  }
  work->first[level->count] = nodes;
  // bodies: joined across the sides of tiles
  int32_t* up = RV_TAKE(work->arena, int32_t, (size_t)nodes);
  bool* drained = rv_arena_take(work->arena, (size_t)nodes, sizeof *drained);
  work->body = RV_TAKE(work->arena, int32_t, (size_t)nodes);
  work->sum = RV_TAKE(work->arena, double, (size_t)nodes);
  work->size = RV_TAKE(work->arena, double, (size_t)nodes);
  work->mean = RV_TAKE(work->arena, double, (size_t)nodes);
  work->whole = RV_TAKE(work->arena, double, (size_t)nodes);
  if (!up || !drained || !work->body || !work->sum || !work->size || !work->mean || !work->whole) return false;
  memset(drained, 0, (size_t)nodes * sizeof *drained);
  for (int32_t n = 0; n < nodes; ++n) up[n] = n;
  for (size_t t = 0; t < level->count; ++t)
    for (int axis = 0; axis < 3; ++axis) join_side(work, t, axis, up);
  // those without drain are closed
  mark_drained(work, nodes, up, drained);
  number_bodies(work, nodes, up, drained);
  return true;
}

typedef struct Field {
  RvPressureWork* work;
  float* v;  // one of the two
  double* x;
} Field;

// Sum and size of the components of closed bodies.
static void sum_tiles(void* arg, size_t begin, size_t end) {
  const Field* f = arg;
  const RvPressureWork* work = f->work;
  for (size_t t = begin; t < end; ++t) {
    int32_t first = work->first[t];
    for (int32_t n = first; n < work->first[t + 1]; ++n) {
      work->sum[n] = 0;
      work->size[n] = 0;
    }
    int32_t slot = work->mg.level[0].slot[t];
    const uint8_t* of = slot < 0 ? NULL : work->piece + (size_t)slot * RV_TILE_CELLS;
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      int32_t n = first + (of ? of[c] - 1 : 0);
      if (n < first || work->body[n] < 0) continue;
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      work->sum[n] += f->v ? f->v[at] : f->x[at];
      work->size[n] += 1;
    }
  }
}

// Subtracts the mean of its body from each cell.
static void subtract_tiles(void* arg, size_t begin, size_t end) {
  const Field* f = arg;
  const RvPressureWork* work = f->work;
  for (size_t t = begin; t < end; ++t) {
    int32_t first = work->first[t], slot = work->mg.level[0].slot[t];
    const uint8_t* of = slot < 0 ? NULL : work->piece + (size_t)slot * RV_TILE_CELLS;
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      int32_t n = first + (of ? of[c] - 1 : 0);
      if (n < first || work->body[n] < 0) continue;
      double mean = work->mean[work->body[n]];
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      if (f->v)
        f->v[at] = (float)(f->v[at] - mean);
      else
        f->x[at] -= mean;
    }
  }
}

double rv_liquid_pressure_take_mean(RvPressureWork* work, float* v, double* x) {
  const RvMgLevel* level = &work->mg.level[0];
  Field f = {work, v, x};
  if (work->closed == 0) return 0;
  rv_parallel_for(level->count, RV_MG_GRAIN, sum_tiles, &f);
  // means of the bodies from the sums of their pieces, in the order of these
  int32_t nodes = work->first[level->count];
  double absolute_sum = 0;
  for (size_t k = 0; k < work->closed; ++k) {
    work->mean[k] = 0;
    work->whole[k] = 0;
  }
  for (int32_t n = 0; n < nodes; ++n)
    if (work->body[n] >= 0) {
      work->mean[work->body[n]] += work->sum[n];
      work->whole[work->body[n]] += work->size[n];
    }
  for (size_t k = 0; k < work->closed; ++k) {
    absolute_sum += fabs(work->mean[k]);
    work->mean[k] /= work->whole[k];
  }
  rv_parallel_for(level->count, RV_MG_GRAIN, subtract_tiles, &f);
  return absolute_sum;
}
