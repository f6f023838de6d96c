// The lattice, and the sort of a set by its cells; see cells.h.
#include "sph/cells.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { GRAIN = 2048 };  // particles a task
enum { PARTS = 16 };    // of the search of a box
// The place of the particle that fills up groups, in supports: no kernel reaches it, and its square is a finite float.
#define FAR_AWAY 1e9f

//---------------------------------------------------------------------------------------------- the lattice

// Boxes of the parts of a cloud.
typedef struct Boxes {
  const double* places;
  size_t count;
  double lo[PARTS][3], hi[PARTS][3];
  bool finite[PARTS];
} Boxes;

static void extend_parts(void* arg, size_t begin, size_t end) {
  Boxes* b = arg;
  for (size_t part = begin; part < end; ++part) {
    size_t first = part * b->count / PARTS;
    size_t last = (part + 1) * b->count / PARTS;
    // A number less itself is 0 if it is finite, else no number.
    double check = 0;
    for (size_t a = 0; a < 3; ++a) {
      double low = INFINITY;
      double high = -INFINITY;
      for (size_t i = first; i < last; ++i) {
        double c = b->places[3 * i + a];
        check += c - c;
        low = c < low ? c : low;
        high = c > high ? c : high;
      }
      b->lo[part][a] = low;
      b->hi[part][a] = high;
    }
    b->finite[part] = check == 0;
  }
}

bool rv_sph_box(const double* places, size_t count, double lo[3], double hi[3]) {
  Boxes b = {.places = places, .count = count};
  rv_parallel_for(PARTS, 1, extend_parts, &b);
  bool finite = true;
  for (size_t a = 0; a < 3; ++a) {
    lo[a] = INFINITY;
    hi[a] = -INFINITY;
  }
  for (size_t part = 0; part < PARTS; ++part) {
    finite = finite && b.finite[part];
    for (size_t a = 0; a < 3; ++a) {
      lo[a] = rv_min(lo[a], b.lo[part][a]);
      hi[a] = rv_max(hi[a], b.hi[part][a]);
    }
  }
  return finite;
}

RvResult rv_sph_lattice_fit(RvSphLattice* lattice, double support, size_t sets, const double* const* places,
                            const size_t* counts, RvError* error) {
  double lo[3] = {INFINITY, INFINITY, INFINITY};
  double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  size_t total = 0;
  for (size_t s = 0; s < sets; ++s) {
    double low[3];
    double high[3];
    total += counts[s];
    if (!rv_sph_box(places[s], counts[s], low, high))
      return rv_fail(error, RV_BAD_INPUT, "particles: a place is not a finite number");
    for (size_t a = 0; a < 3; ++a) {
      lo[a] = rv_min(lo[a], low[a]);
      hi[a] = rv_max(hi[a], high[a]);
    }
  }
  *lattice = (RvSphLattice){.support = support};
  // One empty cell on every side, so that the number of a neighbour's cell is that of the cell plus a constant.
  uint64_t wide[3] = {3, 3, 3};
  for (int a = 0; a < 3 && total; ++a) {
    double low = floor(lo[a] / support);
    double cells = floor(hi[a] / support) - low + 3;
    if (!(cells < RV_SPH_MOST_CELLS))
      return rv_fail(
          error, RV_LIMIT,
          "particles are %g supports of %g m apart: at most %g are possible; set killbox so that those that fly off "
          "are removed, or raise maxsubsteps if a warning says that it is too small",
          cells, support, RV_SPH_MOST_CELLS);
    lattice->origin[a] = (low - 1) * support;
    wide[a] = (uint64_t)cells;
  }
  lattice->wide = wide[0];
  lattice->wide_high = wide[0] * wide[1];
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the sort

typedef struct Sort {
  RvSphSet* set;
  const RvSphLattice* lattice;
  const double* places;
  const float* weight;
  uint64_t* keys;
  uint32_t* order;
} Sort;

// Place in supports from the lattice's corner, as the search sees it.
static inline float local(const Sort* s, size_t i, size_t a) {
  return (float)((s->places[3 * i + a] - s->lattice->origin[a]) / s->lattice->support);
}

// Cell numbers. They follow from the rounded place, so that a particle is in the cell that its place says.
static void number_some(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  for (size_t i = begin; i < end; ++i) {
    uint64_t x = (uint64_t)local(s, i, 0);
    uint64_t y = (uint64_t)local(s, i, 1);
    uint64_t z = (uint64_t)local(s, i, 2);
    s->keys[i] = z * s->lattice->wide_high + y * s->lattice->wide + x;
    s->order[i] = (uint32_t)i;
  }
}

// Copies places and weights in their new order.
static void permute_some(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  RvSphSet* set = s->set;
  for (size_t k = begin; k < end; ++k) {
    size_t i = s->order[k];
    for (size_t a = 0; a < 3; ++a) {
      float c = local(s, i, a);
      set->at[4 * k + a] = c;
      set->x[a][k] = c;
    }
    set->at[4 * k + 3] = s->weight ? s->weight[i] : 1;
    set->from[k] = (uint32_t)i;
  }
}

// Lists the cells with particles from the sorted numbers.
static void list_cells(RvSphSet* set, const uint64_t* keys) {
  set->cells = 0;
  for (size_t i = 0; i < set->count; ++i) {
    if (i && keys[i] == keys[i - 1]) continue;
    set->key[set->cells] = keys[i];
    set->first[set->cells++] = (uint32_t)i;
  }
  set->key[set->cells] = UINT64_MAX;
  set->first[set->cells] = (uint32_t)set->count;
}

// Takes the arrays of a set. False: out of memory.
static bool take_set(RvSphSet* set, size_t count, RvArena* arena) {
  *set = (RvSphSet){.count = count};
  set->at = RV_TAKE(arena, float, 4 * (count + 1));
  for (int a = 0; a < 3; ++a) set->x[a] = RV_TAKE(arena, float, count + RV_SPH_SPARE);
  set->from = RV_TAKE(arena, uint32_t, count + 1);
  set->key = RV_TAKE(arena, uint64_t, count + 1);
  set->first = RV_TAKE(arena, uint32_t, count + 1);
  return set->at && set->x[0] && set->x[1] && set->x[2] && set->from && set->key && set->first;
}

// What fills up groups.
static void end_set(RvSphSet* set) {
  size_t count = set->count;
  for (size_t a = 0; a < 3; ++a) {
    set->at[4 * count + a] = FAR_AWAY;
    for (size_t i = 0; i < RV_SPH_SPARE; ++i) set->x[a][count + i] = FAR_AWAY;
  }
  set->at[4 * count + 3] = 0;
}

RvResult rv_sph_set_sort(RvSphSet* set, const RvSphLattice* lattice, const double* places, const float* weight,
                         size_t count, RvArena* arena, RvError* error) {
  // Memory: what the set keeps, then work memory of the sort.
  *set = (RvSphSet){.count = count};
  if (count >= UINT32_MAX) return rv_fail(error, RV_LIMIT, "more than %u particles", UINT32_MAX - 1);
  bool fine = take_set(set, count, arena);
  RvArenaMark mark = rv_arena_mark(arena);
  uint64_t* keys = RV_TAKE(arena, uint64_t, 2 * count + 1);
  uint32_t* order = RV_TAKE(arena, uint32_t, 2 * count + 1);
  if (!fine || !keys || !order) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  // Sort.
  Sort s = {set, lattice, places, weight, keys, order};
  rv_parallel_for(count, GRAIN, number_some, &s);
  uint64_t largest = 0;
  for (size_t i = 0; i < count; ++i) largest |= keys[i];
  rv_sort_keys(keys, order, keys + count, order + count, count, rv_sort_bits(largest));
  list_cells(set, keys);
  rv_parallel_for(count, GRAIN, permute_some, &s);
  end_set(set);
  rv_arena_release(arena, mark);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- a part of a set

RvResult rv_sph_set_pick(RvSphSet* picked, const RvSphSet* set, const uint8_t* keep, uint32_t** index, RvArena* arena,
                         RvError* error) {
  size_t count = 0;
  for (size_t i = 0; i < set->count; ++i) count += keep[i] != 0;
  *index = RV_TAKE(arena, uint32_t, count + 1);
  if (!take_set(picked, count, arena) || !*index)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  size_t n = 0;
  for (size_t cell = 0; cell < set->cells; ++cell) {
    size_t first = n;
    for (size_t i = set->first[cell]; i < set->first[cell + 1]; ++i) {
      if (!keep[i]) continue;
      memcpy(picked->at + 4 * n, set->at + 4 * i, 4 * sizeof *set->at);
      for (int a = 0; a < 3; ++a) picked->x[a][n] = set->x[a][i];
      picked->from[n] = set->from[i];
      (*index)[n++] = (uint32_t)i;
    }
    if (n == first) continue;
    picked->key[picked->cells] = set->key[cell];
    picked->first[picked->cells++] = (uint32_t)first;
  }
  picked->key[picked->cells] = UINT64_MAX;
  picked->first[picked->cells] = (uint32_t)count;
  end_set(picked);
  return RV_OK;
}
