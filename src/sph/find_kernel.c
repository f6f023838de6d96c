// Search of neighbours: squared distances of eight candidates at a time; those within the support are packed into the
// list. Candidates are the runs of particles in the nine rows of three cells around a particle.
#include "sph/find_kernel.h"

#include "sph/lanes.h"

enum { ROWS = 9 };

// A run of candidates.
typedef struct Run {
  uint32_t begin, end;
} Run;

// The rows around a cell: the first of their cells that may be a candidate, which ascends from cell to cell.
typedef struct Walk {
  size_t cell[ROWS];
} Walk;

// Offsets of the rows in numbers of cells, of their first cell.
static void offsets_of(const RvSphLattice* l, int64_t offset[ROWS]) {
  for (int row = 0; row < ROWS; ++row)
    offset[row] = (row / 3 - 1) * (int64_t)l->wide_high + (row % 3 - 1) * (int64_t)l->wide - 1;
}

// Index of the first cell whose number is not below `key`.
static size_t first_cell(const RvSphSet* set, uint64_t key) {
  size_t low = 0;
  size_t high = set->cells;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (set->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Runs of candidates of a cell; the number of runs.
static int runs_of(const RvSphFind* f, const int64_t offset[ROWS], uint64_t key, Walk* walk, Run* runs) {
  const RvSphSet* to = f->to;
  int count = 0;
  for (int row = 0; row < ROWS; ++row) {
    // The last cell has a number above all, so that the walk ends there.
    uint64_t from = (uint64_t)((int64_t)key + offset[row]);
    size_t c = walk->cell[row];
    while (to->key[c] < from) ++c;
    walk->cell[row] = c;
    size_t end = c;
    while (to->key[end] <= from + 2) ++end;
    if (end > c) runs[count++] = (Run){to->first[c], to->first[end]};
  }
  return count;
}

#if RV_W == 8
// Packs the indices of a group's hits at `out`, which has room for eight; their number.
#if defined(__AVX512VL__)
RV_INLINE unsigned pack_hits(uint32_t* out, uint32_t base, RvSphMask hit) {
  const __m256i index = _mm256_add_epi32(_mm256_set1_epi32((int)base), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  __mmask8 bits = _mm256_movepi32_mask((__m256i)hit);
  _mm256_storeu_si256((__m256i*)out, _mm256_maskz_compress_epi32(bits, index));
  return (unsigned)__builtin_popcount(bits);
}
#elif defined(__AVX2__)
RV_INLINE unsigned pack_hits(uint32_t* out, uint32_t base, RvSphMask hit) {
  unsigned bits = (unsigned)_mm256_movemask_ps((__m256)hit);
  unsigned count = 0;
  for (unsigned left = bits; left; left &= left - 1) out[count++] = base + (unsigned)__builtin_ctz(left);
  return count;
}
#else
RV_INLINE unsigned pack_hits(uint32_t* out, uint32_t base, RvSphMask hit) {
  unsigned count = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (hit[i]) out[count++] = base + i;
  return count;
}
#endif

// Candidates of a run within the support of particle i, behind the `count` that are there; the new number.
RV_INLINE unsigned search_run(const RvSphSet* to, Run run, const float x[3], uint32_t* out, unsigned count) {
  const RvSphMask lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const RvRow x0 = rv_row_set(x[0]), x1 = rv_row_set(x[1]), x2 = rv_row_set(x[2]), one = rv_row_set(1);
  for (uint32_t j = run.begin; j < run.end; j += 8) {
    RvRow d0 = rv_row_load_loose(to->x[0] + j) - x0;
    RvRow d1 = rv_row_load_loose(to->x[1] + j) - x1;
    RvRow d2 = rv_row_load_loose(to->x[2] + j) - x2;
    RvSphMask within = lane < ((RvSphMask){0} + (int32_t)(run.end - j));
    RvSphMask hit = (d0 * d0 + d1 * d1 + d2 * d2 < one) & within;
    if (count > RV_SPH_MOST_NEAR - 8) return RV_SPH_MOST_NEAR + 1;
    count += pack_hits(out + count, j, hit);
  }
  return count;
}
#else
// The same, one candidate at a time.
static unsigned search_run(const RvSphSet* to, Run run, const float x[3], uint32_t* out, unsigned count) {
  for (uint32_t j = run.begin; j < run.end; ++j) {
    float d0 = to->x[0][j] - x[0];
    float d1 = to->x[1][j] - x[1];
    float d2 = to->x[2][j] - x[2];
    if (count > RV_SPH_MOST_NEAR - 8) return RV_SPH_MOST_NEAR + 1;
    if (d0 * d0 + d1 * d1 + d2 * d2 < 1) out[count++] = j;
  }
  return count;
}
#endif

// The list of particle i from the runs of its cell at `out`; the number of neighbours, above RV_SPH_MOST_NEAR - 8 when
// it is full.
static unsigned search(const RvSphFind* f, size_t i, const Run* runs, int nrun, uint32_t* out, bool* full) {
  const float x[3] = {f->of->x[0][i], f->of->x[1][i], f->of->x[2][i]};
  unsigned count = 0;
  for (int k = 0; k < nrun; ++k) {
    unsigned next = search_run(f->to, runs[k], x, out, count);
    // A full list ends with what it has: groups are written whole, so the room of the last may not be used.
    if (next > RV_SPH_MOST_NEAR) {
      *full = true;
      return RV_SPH_MOST_NEAR - 8;
    }
    count = next;
  }
  return count;
}

RvSphFound RV_KERNEL(rv_sph_find)(const RvSphFind* f, size_t begin, size_t end) {
  const RvSphSet* of = f->of;
  RvSphLists* lists = f->lists;
  RvSphFound found = {0};
  int64_t offset[ROWS];
  Walk walk;
  Run runs[ROWS];
  // The cell of the first particle: the last one that begins at or before it.
  size_t low = 0;
  size_t high = of->cells;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (of->first[middle] <= begin)
      low = middle;
    else
      high = middle;
  }
  offsets_of(f->lattice, offset);
  for (int row = 0; row < ROWS; ++row)
    walk.cell[row] = first_cell(f->to, (uint64_t)((int64_t)of->key[low] + offset[row]));
  // Cell by cell, particle by particle.
  uint32_t group = (uint32_t)(begin / RV_SPH_GRAIN * RV_SPH_GRAIN * (RV_SPH_MOST_NEAR / 8));
  size_t i = begin;
  for (size_t cell = low; i < end; ++cell) {
    int nrun = runs_of(f, offset, of->key[cell], &walk, runs);
    size_t last = of->first[cell + 1] < end ? of->first[cell + 1] : end;
    for (; i < last; ++i) {
      uint32_t* out = lists->index + 8 * (size_t)group;
      bool full = false;
      unsigned count = search(f, i, runs, nrun, out, &full);
      unsigned groups = (count + 7) / 8;
      for (unsigned k = count; k < 8 * groups; ++k) out[k] = (uint32_t)f->to->count;
      lists->first[i] = group;
      lists->groups[i] = (uint16_t)groups;
      group += groups;
      found.pairs += count;
      found.full += full;
    }
  }
  return found;
}
