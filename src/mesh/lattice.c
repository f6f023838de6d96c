// Filling a shape with lattice cells: blocks, sampling, choice of the cells and their positions.
#include "mesh/lattice.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "base/rng.h"

enum {
  CELLS = RV_LATTICE_CELLS,
  SIDE = 4,         // samples along each axis of a cell
  TAKEN = 255,      // in `parts`: a cell drawn among equally covered ones
  EMPTY = 0,        // kinds of blocks: outside,
  FULL = 1,         //   inside,
  MARKED = 2,       //   or with the surface
  STREAM_TIES = 1,  // streams of random numbers
  STREAM_JITTER = 2,
  SURVEY_GRAIN = 4096,  // blocks of one task of the survey
  BLOCK_GRAIN = 4,      // blocks of one task that samples their cells
  CELL_BITS = 21,       // of a cell coordinate in the counter of random numbers
  HIGH_BITS = 12,       // of it above those, in the stream
  STREAM_BITS = 8,      // of the streams themselves
};

static const size_t max_blocks = (size_t)1 << 26;  // 64 MB of block kinds
static const double max_block_index = 1e8;         // magnitude; cell indices then fit into 32 bits
// Cells whose centre is farther from the surface than this, in cells, are completely inside or outside. Half the
// diagonal is 0.866; the margin is for the interpolation of the distance.
static const double far_distance = 0.9;

//---------------------------------------------------------------------------------------------- blocks

RvResult rv_lattice_begin(RvLattice* lattice, const double lo[3], const double hi[3], RvError* error) {
  size_t total = 1;
  double block = lattice->spacing * RV_LATTICE_BLOCK;
  for (int k = 0; k < 3; ++k) {
    double first = floor((lo[k] - lattice->anchor[k]) / block);
    double last = floor((hi[k] - lattice->anchor[k]) / block);
    bool fits = fabs(first) < max_block_index && fabs(last) < max_block_index;
    if (fits) {
      lattice->first[k] = (int64_t)first;
      lattice->blocks[k] = (size_t)(last - first) + 1;
      fits = rv_mul_ok(total, lattice->blocks[k], &total) && total <= max_blocks;
    }
    if (!fits)
      return rv_fail(error, RV_LIMIT,
                     "particlesep of %g is too small for a shape from (%g %g %g) to (%g %g %g); make it larger or the "
                     "shape smaller",
                     lattice->spacing, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
  }
  lattice->kind = rv_alloc_zero(total, 1);
  return lattice->kind ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for %zu lattice blocks", total);
}

void rv_lattice_mark(RvLattice* lattice, const double lo[3], const double hi[3]) {
  // Range of blocks along each axis.
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

// Coordinates of the first cell of a block.
static void block_cell(const RvLattice* lattice, size_t block, int64_t cell[3]) {
  size_t nx = lattice->blocks[0], ny = lattice->blocks[1];
  cell[0] = (lattice->first[0] + (int64_t)(block % nx)) * RV_LATTICE_BLOCK;
  cell[1] = (lattice->first[1] + (int64_t)(block / nx % ny)) * RV_LATTICE_BLOCK;
  cell[2] = (lattice->first[2] + (int64_t)(block / nx / ny)) * RV_LATTICE_BLOCK;
}

// Coordinates of cell `i` of a block.
static void cell_of(const RvLattice* lattice, size_t block, int i, int64_t cell[3]) {
  block_cell(lattice, block, cell);
  cell[0] += i % RV_LATTICE_BLOCK;
  cell[1] += i / RV_LATTICE_BLOCK % RV_LATTICE_BLOCK;
  cell[2] += i / RV_LATTICE_BLOCK / RV_LATTICE_BLOCK;
}

// Position at an offset, in cells, from the low corner of a cell.
static void place_in(const RvLattice* lattice, const int64_t cell[3], const double offset[3], double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = lattice->anchor[k] + lattice->spacing * ((double)cell[k] + offset[k]);
}

//---------------------------------------------------------------------------------------------- sampling

// Arguments of the parallel loops, and their first error.
typedef struct Sampling {
  RvLattice* lattice;
  double jitter;  // of positions, in half cells
  uint64_t seed;
  float* positions;         // output
  RvMutex mutex;            // of the error
  atomic_size_t failed_at;  // lowest block that failed; SIZE_MAX: none
  RvError error;            // of that block
} Sampling;

// Runs `body` over `count` blocks. Blocks below a failed one are always sampled, so the error that is returned, that of
// the lowest failing block, does not depend on the number of threads.
static RvResult sample_in_parallel(Sampling* sampling, size_t count, size_t grain, void (*body)(void*, size_t, size_t),
                                   RvError* error) {
  sampling->mutex = (RvMutex){0};
  atomic_init(&sampling->failed_at, SIZE_MAX);
  rv_parallel_for(count, grain, body, sampling);
  if (atomic_load(&sampling->failed_at) == SIZE_MAX) return RV_OK;
  return rv_fail(error, sampling->error.code, "the shape could not be sampled: %s", sampling->error.text);
}

// Evaluates the shape's distance. False if it failed, or an earlier block did.
static bool evaluate(Sampling* sampling, size_t block, size_t count, const double* positions, float* values) {
  if (block > atomic_load_explicit(&sampling->failed_at, memory_order_relaxed)) return false;
  // Evaluate; keep the error of the lowest block.
  RvError error = {0};
  RvResult r = sampling->lattice->distance(sampling->lattice->arg, count, positions, values, &error);
  if (r == RV_OK) return true;
  rv_platform_mutex_lock(&sampling->mutex);
  if (block < atomic_load_explicit(&sampling->failed_at, memory_order_relaxed)) {
    atomic_store_explicit(&sampling->failed_at, block, memory_order_relaxed);
    sampling->error = error;
    sampling->error.code = r;
  }
  rv_platform_mutex_unlock(&sampling->mutex);
  return false;
}

// Offset of a sample from the low corner of its cell, in cells.
static void part_offset(int part, double offset[3]) {
  offset[0] = (part % SIDE + 0.5) / SIDE;
  offset[1] = (part / SIDE % SIDE + 0.5) / SIDE;
  offset[2] = (part / SIDE / SIDE + 0.5) / SIDE;
}

// Mask of the samples of a cell that are inside the shape.
static uint64_t cell_mask(Sampling* sampling, size_t block, const int64_t cell[3]) {
  double positions[3 * RV_LATTICE_PARTS], offset[3];
  float values[RV_LATTICE_PARTS];
  for (int i = 0; i < RV_LATTICE_PARTS; ++i) {
    part_offset(i, offset);
    place_in(sampling->lattice, cell, offset, positions + 3 * i);
  }
  if (!evaluate(sampling, block, RV_LATTICE_PARTS, positions, values)) return 0;
  uint64_t mask = 0;
  for (int i = 0; i < RV_LATTICE_PARTS; ++i) mask |= (uint64_t)(values[i] < 0) << i;
  return mask;
}

// Counts the samples inside for every cell of the used blocks.
static void sample_blocks(void* arg, size_t begin, size_t end) {
  Sampling* sampling = arg;
  RvLattice* lattice = sampling->lattice;
  static const double middle[3] = {0.5, 0.5, 0.5};
  float far = (float)(far_distance * lattice->spacing);
  for (size_t b = begin; b < end; ++b) {
    uint8_t* parts = lattice->parts + b * CELLS;
    if (lattice->kind[lattice->used[b]] == FULL) {
      memset(parts, RV_LATTICE_PARTS, CELLS);
      continue;
    }
    // Evaluate the centres.
    double positions[3 * CELLS];
    float values[CELLS];
    int64_t cell[3];
    for (int i = 0; i < CELLS; ++i) {
      cell_of(lattice, lattice->used[b], i, cell);
      place_in(lattice, cell, middle, positions + 3 * i);
    }
    if (!evaluate(sampling, b, CELLS, positions, values)) return;
    // Sample the cells near the surface.
    for (int i = 0; i < CELLS; ++i) {
      if (lattice->metric && fabsf(values[i]) > far) {
        parts[i] = values[i] < 0 ? RV_LATTICE_PARTS : 0;
        continue;
      }
      cell_of(lattice, lattice->used[b], i, cell);
      parts[i] = (uint8_t)__builtin_popcountll(cell_mask(sampling, b, cell));
    }
  }
}

// Decides from the value at the centre whether an unmarked block is full or empty.
static void sample_block_centres(void* arg, size_t begin, size_t end) {
  Sampling* sampling = arg;
  RvLattice* lattice = sampling->lattice;
  static const double middle[3] = {RV_LATTICE_BLOCK / 2.0, RV_LATTICE_BLOCK / 2.0, RV_LATTICE_BLOCK / 2.0};
  enum { BATCH = 256 };
  for (size_t i = begin; i < end; i += BATCH) {
    double positions[3 * BATCH];
    float values[BATCH];
    // Evaluate a batch of centres.
    size_t n = end - i < BATCH ? end - i : BATCH;
    for (size_t k = 0; k < n; ++k) {
      int64_t cell[3];
      block_cell(lattice, i + k, cell);
      place_in(lattice, cell, middle, positions + 3 * k);
    }
    if (!evaluate(sampling, i, n, positions, values)) return;
    for (size_t k = 0; k < n; ++k)
      if (lattice->kind[i + k] != MARKED) lattice->kind[i + k] = values[k] < 0 ? FULL : EMPTY;
  }
}

RvResult rv_lattice_survey(RvLattice* lattice, RvError* error) {
  Sampling sampling = {.lattice = lattice};
  size_t total = lattice->blocks[0] * lattice->blocks[1] * lattice->blocks[2];
  RvResult r = sample_in_parallel(&sampling, total, SURVEY_GRAIN, sample_block_centres, error);
  for (size_t i = 0; i < total && r == RV_OK; ++i) {
    lattice->nused += lattice->kind[i] != EMPTY;
    lattice->nfull += lattice->kind[i] == FULL;
  }
  return r;
}

RvResult rv_lattice_measure(RvLattice* lattice, RvError* error) {
  Sampling sampling = {.lattice = lattice};
  size_t total = lattice->blocks[0] * lattice->blocks[1] * lattice->blocks[2];
  // List the blocks that are not empty and sample their cells.
  lattice->used = rv_alloc(lattice->nused, sizeof *lattice->used);
  lattice->parts = rv_alloc(lattice->nused, CELLS);
  lattice->offset = rv_alloc(lattice->nused + 1, sizeof *lattice->offset);
  if (!lattice->used || !lattice->parts || !lattice->offset)
    return rv_fail(error, RV_NO_MEMORY, "no memory to sample %zu lattice cells", lattice->nused * CELLS);
  for (size_t i = 0, n = 0; i < total; ++i)
    if (lattice->kind[i] != EMPTY) lattice->used[n++] = (uint32_t)i;
  RvResult r = sample_in_parallel(&sampling, lattice->nused, BLOCK_GRAIN, sample_blocks, error);
  if (r != RV_OK) return r;
  // Number of cells: the volume over that of a cell, or the sum of the covered fractions. Integer sums are exact.
  uint64_t parts = 0;
  for (size_t i = 0; i < lattice->nused * CELLS; ++i) parts += lattice->parts[i];
  double cells = lattice->volume > 0 ? lattice->volume / (lattice->spacing * lattice->spacing * lattice->spacing)
                                     : (double)parts / RV_LATTICE_PARTS;
  lattice->count = (size_t)floor(cells + 0.5);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- choice of cells

// One of several equally covered cells.
typedef struct Tie {
  uint64_t key;  // random
  size_t index;  // of the cell in `parts`
} Tie;

// Order of qsort: by key, then by index.
static int compare_ties(const void* a, const void* b) {
  const Tie *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

// Random numbers of a cell, which depend on its coordinates only. The low bits of these are the counter; the others,
// which are 0 within 2^20 cells of the anchor, belong to the stream. Coordinates have 32 bits (max_block_index).
static RvRandom4 cell_random(uint64_t seed, uint64_t stream, const int64_t cell[3]) {
  const uint64_t low_mask = ((uint64_t)1 << CELL_BITS) - 1, high_mask = ((uint64_t)1 << HIGH_BITS) - 1;
  uint64_t counter = 0, high = 0;
  for (int k = 0; k < 3; ++k) {
    uint64_t page = (uint64_t)((cell[k] + ((int64_t)1 << (CELL_BITS - 1))) >> CELL_BITS);
    counter |= ((uint64_t)cell[k] & low_mask) << (k * CELL_BITS);
    high |= (page & high_mask) << (k * HIGH_BITS);
  }
  return rv_random4(seed, stream | high << STREAM_BITS, counter);
}

// Random key of a cell among equally covered ones.
static uint64_t tie_key(const RvLattice* lattice, uint64_t seed, size_t i) {
  int64_t cell[3];
  cell_of(lattice, lattice->used[i / CELLS], (int)(i % CELLS), cell);
  RvRandom4 random = cell_random(seed, STREAM_TIES, cell);
  return (uint64_t)random.v[0] << 32 | random.v[1];
}

// Takes `wanted` of the cells with `level` samples inside: those of the lowest keys. Keys are binned by their leading
// bits, and only the bin of the last key is stored and sorted: all equally covered cells might be far more than the
// particles.
static RvResult draw_ties(RvLattice* lattice, int level, size_t wanted, uint64_t seed, RvError* error) {
  enum { BIN_BITS = 12, BINS = 1 << BIN_BITS, SHIFT = 64 - BIN_BITS };
  size_t total = lattice->nused * CELLS;
  size_t bins[BINS] = {0};
  // Find the bin of the last key.
  for (size_t i = 0; i < total; ++i)
    if (lattice->parts[i] == level) bins[tie_key(lattice, seed, i) >> SHIFT]++;
  size_t bin = 0;
  while (bin < BINS - 1 && bins[bin] <= wanted) wanted -= bins[bin++];
  // Take the cells of lower bins, and the lowest keys of this bin.
  Tie* ties = rv_alloc(bins[bin], sizeof *ties);
  if (!ties) return rv_fail(error, RV_NO_MEMORY, "no memory to choose among %zu cells", bins[bin]);
  size_t n = 0;
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
  // Find the level at which only some cells are taken; cells above it are all taken.
  size_t histogram[RV_LATTICE_PARTS + 1] = {0};
  size_t left = lattice->count;
  for (size_t i = 0; i < lattice->nused * CELLS; ++i) histogram[lattice->parts[i]]++;
  int level = RV_LATTICE_PARTS;
  while (level > 0 && histogram[level] <= left) left -= histogram[level--];
  // Draw the remaining ones among the cells at this level. Empty cells are never taken.
  RvResult r = level > 0 && left ? draw_ties(lattice, level, left, seed, error) : RV_OK;
  if (r != RV_OK) return r;
  // Count the cells taken of each block; TAKEN is above every level.
  lattice->offset[0] = 0;
  for (size_t b = 0; b < lattice->nused; ++b) {
    size_t n = 0;
    for (int i = 0; i < CELLS; ++i) n += lattice->parts[b * CELLS + (size_t)i] > level;
    lattice->offset[b + 1] = lattice->offset[b] + n;
  }
  // Clear the cells that are not taken.
  for (size_t i = 0; i < lattice->nused * CELLS; ++i)
    if (lattice->parts[i] <= level) lattice->parts[i] = 0;
  lattice->count = lattice->offset[lattice->nused];
  return RV_OK;
}

// Moves a jittered position whose sample is outside to the centroid of the samples inside.
static void place_partial(uint64_t mask, double offset[3]) {
  // Sample nearest to the position.
  int part = 0;
  for (int k = 2; k >= 0; --k) {
    int i = (int)floor(offset[k] * SIDE);
    part = part * SIDE + (i < 0 ? 0 : i >= SIDE ? SIDE - 1 : i);
  }
  if (!mask || mask >> part & 1) return;
  // It is outside: take the centroid.
  double sum[3] = {0, 0, 0}, at[3];
  for (int i = 0; i < RV_LATTICE_PARTS; ++i) {
    if (!(mask >> i & 1)) continue;
    part_offset(i, at);
    for (int k = 0; k < 3; ++k) sum[k] += at[k];
  }
  for (int k = 0; k < 3; ++k) offset[k] = sum[k] / __builtin_popcountll(mask);
}

// Writes the positions of the cells taken.
static void place_blocks(void* arg, size_t begin, size_t end) {
  Sampling* sampling = arg;
  const RvLattice* lattice = sampling->lattice;
  for (size_t b = begin; b < end; ++b) {
    size_t next = lattice->offset[b];
    for (int i = 0; i < CELLS; ++i) {
      uint8_t parts = lattice->parts[b * CELLS + (size_t)i];
      if (!parts) continue;
      int64_t cell[3];
      cell_of(lattice, lattice->used[b], i, cell);
      RvRandom4 random = cell_random(sampling->seed, STREAM_JITTER, cell);
      double offset[3], out[3];
      // Adding 0.5 takes the middle of each of the 2^32 steps, so that the wall of the cell is never reached.
      for (int k = 0; k < 3; ++k) offset[k] = 0.5 + sampling->jitter * (((double)random.v[k] + 0.5) * 0x1p-32 - 0.5);
      if (parts != RV_LATTICE_PARTS) place_partial(cell_mask(sampling, b, cell), offset);
      place_in(lattice, cell, offset, out);
      for (int k = 0; k < 3; ++k) sampling->positions[3 * next + (size_t)k] = (float)out[k];
      ++next;
    }
  }
}

RvResult rv_lattice_positions(const RvLattice* lattice, double jitter, uint64_t seed, float* positions,
                              RvError* error) {
  Sampling sampling = {
      .lattice = (RvLattice*)(uintptr_t)lattice, .jitter = jitter, .seed = seed, .positions = positions};
  return sample_in_parallel(&sampling, lattice->nused, BLOCK_GRAIN, place_blocks, error);
}

void rv_lattice_free(RvLattice* lattice) {
  rv_free(lattice->kind);
  rv_free(lattice->used);
  rv_free(lattice->parts);
  rv_free(lattice->offset);
  *lattice = (RvLattice){0};
}
