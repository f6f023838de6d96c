// The order of strands in batches.
#include "strand/order.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MORTON_STEPS = 2097151 };  // 2^21 - 1: steps of a coordinate of a Morton code

// Order of two keys, for qsort.
static int by_key(const void* pa, const void* pb) {
  const RvStrandKey *a = pa, *b = pb;
  if (a->vertices != b->vertices) return a->vertices < b->vertices ? -1 : 1;
  if (a->morton != b->morton) return a->morton < b->morton ? -1 : 1;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  return a->strand < b->strand ? -1 : a->strand > b->strand;
}

// Spreads the low 21 bits of x to every third bit.
static uint64_t spread_bits(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  return (x | x << 2) & 0x1249249249249249ull;
}

// Morton code of a point in the box that begins at lo.
static uint64_t morton(const double* x, const double* lo, double scale) {
  uint64_t code = 0;
  for (int c = 0; c < 3; ++c) code |= spread_bits((uint64_t)((x[c] - lo[c]) * scale)) << c;
  return code;
}

// The cube around all roots, in steps of the Morton codes.
typedef struct Cube {
  double lo[3];
  double scale;  // steps a metre
} Cube;

static Cube cube_of_roots(const RvStrandDef* strands, size_t count) {
  Cube cube = {.lo = {INFINITY, INFINITY, INFINITY}};
  double size = 0;
  for (size_t s = 0; s < count; ++s)
    for (int c = 0; c < 3; ++c) cube.lo[c] = fmin(cube.lo[c], strands[s].x[c]);
  for (size_t s = 0; s < count; ++s)
    for (int c = 0; c < 3; ++c) size = fmax(size, strands[s].x[c] - cube.lo[c]);
  cube.scale = size > 0 ? MORTON_STEPS / size : 0;
  return cube;
}

static RvStrandKey key_of(const Cube* cube, const RvStrandDef* strands, size_t strand) {
  const RvStrandDef* d = &strands[strand];
  return (RvStrandKey){morton(d->x, cube->lo, cube->scale), d->id, (int32_t)strand, d->vertices};
}

RvStrandKey* rv_strand_order(const RvStrandDef* strands, size_t count) {
  RvStrandKey* keys = rv_alloc(count, sizeof *keys);
  if (!keys) return NULL;
  Cube cube = cube_of_roots(strands, count);
  for (size_t s = 0; s < count; ++s) keys[s] = key_of(&cube, strands, s);
  qsort(keys, count, sizeof *keys, by_key);
  return keys;
}

bool rv_strand_model_in_order(const RvStrandModel* m, const RvStrandDef* strands) {
  Cube cube = cube_of_roots(strands, m->nstrand);
  RvStrandKey last = {0};
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane) {
      RvStrandKey next = key_of(&cube, strands, (size_t)m->batches[k].strand[lane]);
      if ((k || lane) && by_key(&last, &next) > 0) return false;
      last = next;
    }
  return true;
}
