// Neighbour search: counting cells, sorting points by cell and hashing the cells.
#include "surface/nearby.h"

#include <math.h>

#include "base/memory.h"
#include "space/sort.h"

enum { AXIS_BITS = 20, LEAST_SLOTS = 16 };  // bits of a cell coordinate; least size of the hash table

static const uint64_t GOLDEN_RATIO = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio: multiplicative hashing

// Packs cell coordinates into one key.
static uint64_t key_of(int64_t i, int64_t j, int64_t k) {
  return ((uint64_t)i << AXIS_BITS | (uint64_t)j) << AXIS_BITS | (uint64_t)k;
}

// First slot of a key in the hash table.
static size_t slot_of(const RvNearby* n, uint64_t key) {
  return (size_t)((key * GOLDEN_RATIO) >> AXIS_BITS) & (n->slots - 1);
}

// Sets the origin and the cell size; cells grow where the coordinates would exceed AXIS_BITS.
static void choose_cells(RvNearby* n, size_t count, const double* x, double size) {
  double hi[3], widest = 0;
  for (int c = 0; c < 3; ++c) {
    n->lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
  for (size_t i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) {
      double v = x[3 * i + (size_t)c];
      if (v < n->lo[c]) n->lo[c] = v;
      if (v > hi[c]) hi[c] = v;
    }
  for (int c = 0; c < 3 && count; ++c) widest = fmax(widest, hi[c] - n->lo[c]);
  n->size = fmax(size, widest / ((1 << AXIS_BITS) - 2));
  if (!(n->size > 0)) n->size = 1;
  n->inverse = 1 / n->size;
}

// Lists the cells of the sorted points and enters them into the hash table.
static void list_cells(RvNearby* n, const uint64_t* keys) {
  n->ncell = 0;
  for (size_t i = 0; i < n->count; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) {
      n->key[n->ncell] = keys[i];
      n->first[n->ncell++] = (uint32_t)i;
    }
  n->first[n->ncell] = (uint32_t)n->count;
  for (size_t c = 0; c < n->ncell; ++c) {
    size_t s = slot_of(n, n->key[c]);
    while (n->slot[s]) s = (s + 1) & (n->slots - 1);
    n->slot[s] = (uint32_t)c + 1;
  }
}

bool rv_surface_nearby_build(RvNearby* n, size_t count, const double* x, double size) {
  *n = (RvNearby){.count = count, .slots = LEAST_SLOTS};
  choose_cells(n, count, x, size);
  uint64_t *keys = rv_alloc(count + 1, 8), *spare = rv_alloc(count + 1, 8);
  uint32_t* spare_order = rv_alloc(count + 1, 4);
  n->order = rv_alloc(count + 1, 4);
  bool good = keys && spare && spare_order && n->order && count < UINT32_MAX / 2;
  // Sort the points by cell.
  for (size_t i = 0; good && i < count; ++i) {
    keys[i] = key_of(rv_surface_nearby_cell(n, x[3 * i], 0), rv_surface_nearby_cell(n, x[3 * i + 1], 1),
                     rv_surface_nearby_cell(n, x[3 * i + 2], 2));
    n->order[i] = (uint32_t)i;
  }
  if (good) rv_sort_keys(keys, n->order, spare, spare_order, count, 3 * AXIS_BITS);
  rv_free(spare);
  rv_free(spare_order);
  // Count the cells and build the hash table, at most half full.
  for (size_t i = 0; good && i < count; ++i) n->ncell += i == 0 || keys[i] != keys[i - 1];
  while (n->slots < 2 * n->ncell) n->slots *= 2;
  n->key = rv_alloc(n->ncell + 1, 8);
  n->first = rv_alloc(n->ncell + 1, 4);
  n->slot = rv_alloc_zero(n->slots, 4);
  good = good && n->key && n->first && n->slot;
  if (good) list_cells(n, keys);
  rv_free(keys);
  if (!good) rv_surface_nearby_free(n);
  return good;
}

void rv_surface_nearby_free(RvNearby* n) {
  rv_free(n->order);
  rv_free(n->key);
  rv_free(n->first);
  rv_free(n->slot);
  *n = (RvNearby){0};
}

size_t rv_surface_nearby_find(const RvNearby* n, int64_t i, int64_t j, int64_t k) {
  const int64_t last = (1 << AXIS_BITS) - 1;
  if (i < 0 || j < 0 || k < 0 || i > last || j > last || k > last) return SIZE_MAX;
  uint64_t key = key_of(i, j, k);
  for (size_t s = slot_of(n, key); n->slot[s]; s = (s + 1) & (n->slots - 1))
    if (n->key[n->slot[s] - 1] == key) return n->slot[s] - 1;
  return SIZE_MAX;
}
