#include "mesh/lattice.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"

enum {
  CELLS = RV_LATTICE_CELLS,
  SIDE = 4,     // places along each axis of a cell
  TAKEN = 255,  // in `parts`: one of the cells drawn among equals
  EMPTY = 0,    // kinds of blocks
  FULL = 1,
  MARKED = 2,
  STREAM_TIES = 1,
  STREAM_JITTER = 2,
};

static const size_t max_blocks = (size_t)1 << 26;

//---------------------------------------------------------------------------------------------- blocks

RvResult rv_lattice_begin(RvLattice* lattice, const double lo[3], const double hi[3], RvError* error) {
  size_t total = 1;
  double block = lattice->spacing * RV_LATTICE_BLOCK;
  for (int k = 0; k < 3; ++k) {
    double first = floor((lo[k] - lattice->anchor[k]) / block), last = floor((hi[k] - lattice->anchor[k]) / block);
    // cells must be countable in 32 bits, and the blocks fit in memory
    bool fits = fabs(first) < 1e8 && fabs(last) < 1e8;
    if (fits) {
      lattice->first[k] = (int64_t)first;
      lattice->blocks[k] = (size_t)(last - first) + 1;
      fits = rv_mul_ok(total, lattice->blocks[k], &total) && total <= max_blocks;
    }
    if (!fits)
      return rv_fail(error, RV_LIMIT, "particlesep of %g is too small for a shape from (%g %g %g) to (%g %g %g)",
                     lattice->spacing, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
  }
  lattice->kind = rv_alloc_zero(total, 1);
  return lattice->kind ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for %zu lattice blocks", total);
}

void rv_lattice_mark(RvLattice* lattice, const double lo[3], const double hi[3]) {
  int64_t a[3], b[3];
  double block = lattice->spacing * RV_LATTICE_BLOCK;
  for (int k = 0; k < 3; ++k) {
    double last = (double)lattice->blocks[k] - 1;
    double x = floor((lo[k] - lattice->anchor[k]) / block) - (double)lattice->first[k];
    double y = floor((hi[k] - lattice->anchor[k]) / block) - (double)lattice->first[k];
    if (!(y >= 0 && x <= last)) return;
    a[k] = (int64_t)fmax(x, 0);
    b[k] = (int64_t)fmin(y, last);
  }
  for (int64_t z = a[2]; z <= b[2]; ++z)
    for (int64_t y = a[1]; y <= b[1]; ++y)
      memset(lattice->kind + ((size_t)z * lattice->blocks[1] + (size_t)y) * lattice->blocks[0] + (size_t)a[0], MARKED,
             (size_t)(b[0] - a[0] + 1));
}

static void block_cell(const RvLattice* lattice, size_t block, int64_t cell[3]) {
  size_t nx = lattice->blocks[0], ny = lattice->blocks[1];
  cell[0] = (lattice->first[0] + (int64_t)(block % nx)) * RV_LATTICE_BLOCK;
  cell[1] = (lattice->first[1] + (int64_t)(block / nx % ny)) * RV_LATTICE_BLOCK;
  cell[2] = (lattice->first[2] + (int64_t)(block / nx / ny)) * RV_LATTICE_BLOCK;
}

static void cell_of(const RvLattice* lattice, size_t block, int i, int64_t cell[3]) {
  block_cell(lattice, block, cell);
  cell[0] += i % RV_LATTICE_BLOCK;
  cell[1] += i / RV_LATTICE_BLOCK % RV_LATTICE_BLOCK;
  cell[2] += i / RV_LATTICE_BLOCK / RV_LATTICE_BLOCK;
}

// offset in cells from the low corner of the cell
static void place_in(const RvLattice* lattice, const int64_t cell[3], const double offset[3], double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = lattice->anchor[k] + lattice->spacing * ((double)cell[k] + offset[k]);
}

//---------------------------------------------------------------------------------------------- looking

typedef struct Look {
  RvLattice* lattice;
  double jitter;
  uint64_t seed;
  float* positions;
  pthread_mutex_t mutex;
  atomic_size_t failed_at;  // lowest block that failed, SIZE_MAX none
  RvError error;            // its error
} Look;

// Looks at `count` blocks. The lowest block that fails is always tried, so its error is the same for any threads.
static RvResult look_at(Look* look, size_t count, size_t grain, void (*body)(void*, size_t, size_t), RvError* error) {
  pthread_mutex_init(&look->mutex, NULL);
  atomic_init(&look->failed_at, SIZE_MAX);
  rv_parallel_for(count, grain, body, look);
  pthread_mutex_destroy(&look->mutex);
  if (atomic_load(&look->failed_at) == SIZE_MAX) return RV_OK;
  return rv_fail(error, look->error.code, "the shape could not be sampled: %s", look->error.text);
}

static bool ask(Look* look, size_t block, size_t count, const double* positions, float* values) {
  if (block > atomic_load_explicit(&look->failed_at, memory_order_relaxed)) return false;
  RvError error = {0};
  RvResult r = look->lattice->distance(look->lattice->arg, count, positions, values, &error);
  if (r == RV_OK) return true;
  pthread_mutex_lock(&look->mutex);
  if (block < atomic_load_explicit(&look->failed_at, memory_order_relaxed)) {
    atomic_store_explicit(&look->failed_at, block, memory_order_relaxed);
    look->error = error;
    look->error.code = r;
  }
  pthread_mutex_unlock(&look->mutex);
  return false;
}

static void part_offset(int part, double offset[3]) {
  offset[0] = (part % SIDE + 0.5) / SIDE;
  offset[1] = (part / SIDE % SIDE + 0.5) / SIDE;
  offset[2] = (part / SIDE / SIDE + 0.5) / SIDE;
}

// one bit for each place of the cell that is inside
static uint64_t cell_mask(Look* look, size_t block, const int64_t cell[3]) {
  double positions[3 * RV_LATTICE_PARTS], offset[3];
  float values[RV_LATTICE_PARTS];
  for (int i = 0; i < RV_LATTICE_PARTS; ++i) {
    part_offset(i, offset);
    place_in(look->lattice, cell, offset, positions + 3 * i);
  }
  if (!ask(look, block, RV_LATTICE_PARTS, positions, values)) return 0;
  uint64_t mask = 0;
  for (int i = 0; i < RV_LATTICE_PARTS; ++i) mask |= (uint64_t)(values[i] < 0) << i;
  return mask;
}

static void look_blocks(void* arg, size_t begin, size_t end) {
  Look* look = arg;
  RvLattice* lattice = look->lattice;
  static const double middle[3] = {0.5, 0.5, 0.5};
  // farther from the surface than half the diagonal, with a margin for the interpolation
  float far = (float)(0.9 * lattice->spacing);
  for (size_t b = begin; b < end; ++b) {
    uint8_t* parts = lattice->parts + b * CELLS;
    if (lattice->kind[lattice->used[b]] == FULL) {
      memset(parts, RV_LATTICE_PARTS, CELLS);
      continue;
    }
    double positions[3 * CELLS];
    float values[CELLS];
    int64_t cell[3];
    for (int i = 0; i < CELLS; ++i) {
      cell_of(lattice, lattice->used[b], i, cell);
      place_in(lattice, cell, middle, positions + 3 * i);
    }
    if (!ask(look, b, CELLS, positions, values)) return;
    for (int i = 0; i < CELLS; ++i) {
      if (lattice->metric && fabsf(values[i]) > far) {
        parts[i] = values[i] < 0 ? RV_LATTICE_PARTS : 0;
        continue;
      }
      cell_of(lattice, lattice->used[b], i, cell);
      parts[i] = (uint8_t)__builtin_popcountll(cell_mask(look, b, cell));
    }
  }
}

// blocks without a surface are full or empty as their middle is
static void look_whole_blocks(void* arg, size_t begin, size_t end) {
  Look* look = arg;
  RvLattice* lattice = look->lattice;
  static const double middle[3] = {RV_LATTICE_BLOCK / 2.0, RV_LATTICE_BLOCK / 2.0, RV_LATTICE_BLOCK / 2.0};
  enum { BATCH = 256 };
  for (size_t i = begin; i < end; i += BATCH) {
    double positions[3 * BATCH];
    float values[BATCH];
    size_t n = end - i < BATCH ? end - i : BATCH;
    for (size_t k = 0; k < n; ++k) {
      int64_t cell[3];
      block_cell(lattice, i + k, cell);
      place_in(lattice, cell, middle, positions + 3 * k);
    }
    if (!ask(look, i, n, positions, values)) return;
    for (size_t k = 0; k < n; ++k)
      if (lattice->kind[i + k] != MARKED) lattice->kind[i + k] = values[k] < 0 ? FULL : EMPTY;
  }
}

RvResult rv_lattice_survey(RvLattice* lattice, RvError* error) {
  Look look = {.lattice = lattice};
  size_t total = lattice->blocks[0] * lattice->blocks[1] * lattice->blocks[2];
  RvResult r = look_at(&look, total, 4096, look_whole_blocks, error);
  for (size_t i = 0; i < total && r == RV_OK; ++i) {
    lattice->nused += lattice->kind[i] != EMPTY;
    lattice->nfull += lattice->kind[i] == FULL;
  }
  return r;
}

RvResult rv_lattice_measure(RvLattice* lattice, RvError* error) {
  Look look = {.lattice = lattice};
  size_t total = lattice->blocks[0] * lattice->blocks[1] * lattice->blocks[2];
  lattice->used = rv_alloc(lattice->nused, sizeof *lattice->used);
  lattice->parts = rv_alloc(lattice->nused, CELLS);
  lattice->offset = rv_alloc(lattice->nused + 1, sizeof *lattice->offset);
  if (!lattice->used || !lattice->parts || !lattice->offset)
    return rv_fail(error, RV_NO_MEMORY, "no memory to look at %zu lattice cells", lattice->nused * CELLS);
  for (size_t i = 0, n = 0; i < total; ++i)
    if (lattice->kind[i] != EMPTY) lattice->used[n++] = (uint32_t)i;
  RvResult r = look_at(&look, lattice->nused, 4, look_blocks, error);
  if (r != RV_OK) return r;
  // whole numbers, so exact in any order
  uint64_t parts = 0;
  for (size_t i = 0; i < lattice->nused * CELLS; ++i) parts += lattice->parts[i];
  double cells = lattice->volume > 0 ? lattice->volume / (lattice->spacing * lattice->spacing * lattice->spacing)
                                     : (double)parts / RV_LATTICE_PARTS;
  lattice->count = (size_t)floor(cells + 0.5);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- taking

typedef struct Tie {
  uint64_t key;
  size_t index;
} Tie;

static int compare_ties(const void* a, const void* b) {
  const Tie *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static RvRandom4 cell_random(uint64_t seed, uint64_t stream, const int64_t cell[3]) {
  // 21 bits an axis; the lattice is bounded to less than that around any shape
  uint64_t counter =
      ((uint64_t)cell[0] & 0x1fffff) | ((uint64_t)cell[1] & 0x1fffff) << 21 | ((uint64_t)cell[2] & 0x1fffff) << 42;
  return rv_random4(seed, stream, counter);
}

static uint64_t tie_key(const RvLattice* lattice, uint64_t seed, size_t i) {
  int64_t cell[3];
  cell_of(lattice, lattice->used[i / CELLS], (int)(i % CELLS), cell);
  RvRandom4 random = cell_random(seed, STREAM_TIES, cell);
  return (uint64_t)random.v[0] << 32 | random.v[1];
}

// Draws `wanted` of the cells of which `level` parts are covered: those of the lowest keys. Only the few whose keys
// begin as the last one's are held and sorted; all equal cells at once might be far more than the particles.
static RvResult draw_ties(RvLattice* lattice, int level, size_t wanted, uint64_t seed, RvError* error) {
  enum { BINS = 1 << 12, SHIFT = 64 - 12 };
  size_t total = lattice->nused * CELLS, bins[BINS] = {0}, bin = 0, n = 0;
  for (size_t i = 0; i < total; ++i)
    if (lattice->parts[i] == level) bins[tie_key(lattice, seed, i) >> SHIFT]++;
  while (bin < BINS - 1 && bins[bin] <= wanted) wanted -= bins[bin++];
  Tie* ties = rv_alloc(bins[bin], sizeof *ties);
  if (!ties) return rv_fail(error, RV_NO_MEMORY, "no memory to choose among %zu cells", bins[bin]);
  for (size_t i = 0; i < total; ++i) {
    if (lattice->parts[i] != level) continue;
    uint64_t key = tie_key(lattice, seed, i);
    if (key >> SHIFT < bin) lattice->parts[i] = TAKEN;
    if (key >> SHIFT == bin) ties[n++] = (Tie){key, i};
  }
  qsort(ties, n, sizeof *ties, compare_ties);
  for (size_t i = 0; i < wanted && i < n; ++i) lattice->parts[ties[i].index] = TAKEN;
  rv_free(ties);
  return RV_OK;
}

RvResult rv_lattice_take(RvLattice* lattice, uint64_t seed, RvError* error) {
  size_t histogram[RV_LATTICE_PARTS + 1] = {0}, left = lattice->count;
  for (size_t i = 0; i < lattice->nused * CELLS; ++i) histogram[lattice->parts[i]]++;
  int level = RV_LATTICE_PARTS;
  while (level > 0 && histogram[level] <= left) left -= histogram[level--];
  // cells above `level` are all taken, of those at `level` so many as are left; none of the empty ones
  RvResult r = level > 0 && left ? draw_ties(lattice, level, left, seed, error) : RV_OK;
  if (r != RV_OK) return r;
  lattice->offset[0] = 0;
  for (size_t b = 0; b < lattice->nused; ++b) {
    size_t n = 0;
    for (int i = 0; i < CELLS; ++i) n += lattice->parts[b * CELLS + (size_t)i] > level;
    lattice->offset[b + 1] = lattice->offset[b] + n;
  }
  // now everything above the level is taken; TAKEN is above all
  for (size_t i = 0; i < lattice->nused * CELLS; ++i)
    if (lattice->parts[i] <= level) lattice->parts[i] = 0;
  lattice->count = lattice->offset[lattice->nused];
  return RV_OK;
}

// the covered part's middle, when the jittered place is not covered
static void place_partial(uint64_t mask, double offset[3]) {
  int part = 0;
  for (int k = 2; k >= 0; --k) {
    int i = (int)floor(offset[k] * SIDE);
    part = part * SIDE + (i < 0 ? 0 : i >= SIDE ? SIDE - 1 : i);
  }
  if (!mask || mask >> part & 1) return;
  double sum[3] = {0, 0, 0}, at[3];
  for (int i = 0; i < RV_LATTICE_PARTS; ++i) {
    if (!(mask >> i & 1)) continue;
    part_offset(i, at);
    for (int k = 0; k < 3; ++k) sum[k] += at[k];
  }
  for (int k = 0; k < 3; ++k) offset[k] = sum[k] / __builtin_popcountll(mask);
}

static void place_blocks(void* arg, size_t begin, size_t end) {
  Look* look = arg;
  const RvLattice* lattice = look->lattice;
  for (size_t b = begin; b < end; ++b) {
    size_t next = lattice->offset[b];
    for (int i = 0; i < CELLS; ++i) {
      uint8_t parts = lattice->parts[b * CELLS + (size_t)i];
      if (!parts) continue;
      int64_t cell[3];
      cell_of(lattice, lattice->used[b], i, cell);
      RvRandom4 random = cell_random(look->seed, STREAM_JITTER, cell);
      double offset[3], out[3];
      // the middle of each 32-bit step, so that never quite the cell's wall is reached
      for (int k = 0; k < 3; ++k) offset[k] = 0.5 + look->jitter * (((double)random.v[k] + 0.5) * 0x1p-32 - 0.5);
      if (parts != RV_LATTICE_PARTS) place_partial(cell_mask(look, b, cell), offset);
      place_in(lattice, cell, offset, out);
      for (int k = 0; k < 3; ++k) look->positions[3 * next + (size_t)k] = (float)out[k];
      ++next;
    }
  }
}

RvResult rv_lattice_positions(const RvLattice* lattice, double jitter, uint64_t seed, float* positions,
                              RvError* error) {
  Look look = {.lattice = (RvLattice*)(uintptr_t)lattice, .jitter = jitter, .seed = seed, .positions = positions};
  return look_at(&look, lattice->nused, 4, place_blocks, error);
}

void rv_lattice_free(RvLattice* lattice) {
  rv_free(lattice->kind);
  rv_free(lattice->used);
  rv_free(lattice->parts);
  rv_free(lattice->offset);
  *lattice = (RvLattice){0};
}
