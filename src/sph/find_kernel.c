// Search of neighbours: squared distances of eight candidates at a time; those within the support are packed into the
// list. Candidates are the particles in the nine rows of three cells around a particle; they are copied side by side
// once for all particles of a cell.
#include "sph/find_kernel.h"

#include "sph/lanes.h"

enum { ROWS = 9 };
// Candidates of a cell, at most: ten times as many as liquid at rest has. More means particles in one place, whose
// lists are full.
enum { MOST_CANDIDATES = 2048, SPARE = 16 };

// The candidates of a cell side by side, so that all its particles run through them alike.
typedef struct Candidates {
  float x[3][MOST_CANDIDATES + SPARE];
  uint32_t index[MOST_CANDIDATES + SPARE];
  uint32_t count;
  bool left_out;  // there are more
} Candidates __attribute__((aligned(64)));

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

// Copies eight floats.
RV_INLINE void copy_group(float* to, const float* from) {
  *(RvRowLoose*)to = *(const RvRowLoose*)from;
}

// Eight indices side by side.
typedef uint32_t Indices __attribute__((vector_size(32), aligned(4)));

// Adds a run of particles.
static void add_run(const RvSphSet* to, uint32_t begin, uint32_t end, Candidates* c) {
  uint32_t room = MOST_CANDIDATES - c->count;
  c->left_out = c->left_out || end - begin > room;
  uint32_t count = end - begin < room ? end - begin : room;
  // Runs are short, so they are copied in whole groups: what is beyond the end belongs to the next run, or is room.
  Indices index = (Indices){0, 1, 2, 3, 4, 5, 6, 7} + begin;
  for (uint32_t k = 0; k < count; k += RV_SPH_LANES) {
    for (int a = 0; a < 3; ++a) copy_group(c->x[a] + c->count + k, to->x[a] + begin + k);
    *(Indices*)(c->index + c->count + k) = index;
    index += RV_SPH_LANES;
  }
  c->count += count;
}

// Candidates of a cell: the particles of its nine rows. The rows' walks go on from the last cell.
static void collect(const RvSphFind* f, const int64_t offset[ROWS], uint64_t key, Walk* walk, Candidates* c) {
  const RvSphSet* to = f->to;
  c->count = 0;
  c->left_out = false;
  for (int row = 0; row < ROWS; ++row) {
    // The last cell has a number above all, so that the walk ends there.
    uint64_t from = (uint64_t)((int64_t)key + offset[row]);
    size_t begin = walk->cell[row];
    while (to->key[begin] < from) ++begin;
    walk->cell[row] = begin;
    // At most three cells follow, without branches.
    size_t end = begin;
    for (int k = 0; k < 3; ++k) end += to->key[end] <= from + 2;
    if (end > begin) add_run(to, to->first[begin], to->first[end], c);
  }
  // A last group is filled up with places far away.
  RvRow far = rv_row_set(to->x[0][to->count]);
  for (int a = 0; a < 3; ++a)
    for (uint32_t k = 0; k < SPARE; k += RV_SPH_LANES) *(RvRowLoose*)(c->x[a] + c->count + k) = far;
}

#if RV_W == 8 && defined(__AVX512F__)
// The list of a particle at x; the number of neighbours, above RV_SPH_MOST_LISTED if there may be more. Groups are
// written whole, beyond the end of the list. Sixteen candidates at a time give the same list as eight.
RV_INLINE unsigned search(const Candidates* c, const float x[3], uint32_t* out) {
  const __m512 x0 = _mm512_set1_ps(x[0]), x1 = _mm512_set1_ps(x[1]), x2 = _mm512_set1_ps(x[2]);
  const __m512 one = _mm512_set1_ps(1);
  unsigned count = 0;
  for (uint32_t j = 0; j < c->count && count <= RV_SPH_MOST_LISTED; j += 16) {
    __m512 d0 = _mm512_load_ps(c->x[0] + j) - x0;
    __m512 d1 = _mm512_load_ps(c->x[1] + j) - x1;
    __m512 d2 = _mm512_load_ps(c->x[2] + j) - x2;
    __mmask16 hit = _mm512_cmp_ps_mask(d0 * d0 + d1 * d1 + d2 * d2, one, _CMP_LT_OQ);
    _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi32(hit, _mm512_load_si512(c->index + j)));
    count += (unsigned)__builtin_popcount(hit);
  }
  return count;
}
#elif RV_W == 8
// Packs the indices of a group's hits at `out`, which has room for eight; their number.
#if defined(__AVX2__)
// For every set of lanes their numbers, packed, a byte each.
#define BIT(b, i) ((b) >> (i)&1u)
#define BELOW1(b) BIT(b, 0)
#define BELOW2(b) (BELOW1(b) + BIT(b, 1))
#define BELOW3(b) (BELOW2(b) + BIT(b, 2))
#define BELOW4(b) (BELOW3(b) + BIT(b, 3))
#define BELOW5(b) (BELOW4(b) + BIT(b, 4))
#define BELOW6(b) (BELOW5(b) + BIT(b, 5))
#define BELOW7(b) (BELOW6(b) + BIT(b, 6))
#define LANE(b, i) (BIT(b, i) ? (uint64_t)(i) << 8 * BELOW##i(b) : 0)
#define PACK1(b) LANE(b, 1) | LANE(b, 2) | LANE(b, 3) | LANE(b, 4) | LANE(b, 5) | LANE(b, 6) | LANE(b, 7),
#define PACK4(b) PACK1(b) PACK1((b) + 1u) PACK1((b) + 2u) PACK1((b) + 3u)
#define PACK16(b) PACK4(b) PACK4((b) + 4u) PACK4((b) + 8u) PACK4((b) + 12u)
#define PACK64(b) PACK16(b) PACK16((b) + 16u) PACK16((b) + 32u) PACK16((b) + 48u)
static const uint64_t packed_lanes[256] = {PACK64(0u) PACK64(64u) PACK64(128u) PACK64(192u)};

RV_INLINE unsigned pack_hits(uint32_t* out, const uint32_t* index, RvSphMask hit) {
  unsigned bits = (unsigned)_mm256_movemask_ps((__m256)hit);
  __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packed_lanes[bits]));
  _mm256_storeu_si256((__m256i*)out, _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i*)index), lanes));
  return (unsigned)__builtin_popcount(bits);
}
#else
RV_INLINE unsigned pack_hits(uint32_t* out, const uint32_t* index, RvSphMask hit) {
  unsigned count = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (hit[i]) out[count++] = index[i];
  return count;
}
#endif

// As above, eight candidates at a time.
RV_INLINE unsigned search(const Candidates* c, const float x[3], uint32_t* out) {
  const RvRow x0 = rv_row_set(x[0]), x1 = rv_row_set(x[1]), x2 = rv_row_set(x[2]), one = rv_row_set(1);
  unsigned count = 0;
  for (uint32_t j = 0; j < c->count && count <= RV_SPH_MOST_LISTED; j += 8) {
    RvRow d0 = rv_row_load(c->x[0] + j) - x0;
    RvRow d1 = rv_row_load(c->x[1] + j) - x1;
    RvRow d2 = rv_row_load(c->x[2] + j) - x2;
    count += pack_hits(out + count, c->index + j, d0 * d0 + d1 * d1 + d2 * d2 < one);
  }
  return count;
}
#else
// The same, one candidate at a time.
static unsigned search(const Candidates* c, const float x[3], uint32_t* out) {
  unsigned count = 0;
  for (uint32_t j = 0; j < c->count && count <= RV_SPH_MOST_LISTED; ++j) {
    float d0 = c->x[0][j] - x[0];
    float d1 = c->x[1][j] - x[1];
    float d2 = c->x[2][j] - x[2];
    if (d0 * d0 + d1 * d1 + d2 * d2 < 1) out[count++] = c->index[j];
  }
  return count;
}
#endif

RvSphFound RV_KERNEL(rv_sph_find)(const RvSphFind* f, size_t begin, size_t end) {
  const RvSphSet* of = f->of;
  RvSphLists* lists = f->lists;
  RvSphFound found = {0};
  int64_t offset[ROWS];
  Walk walk;
  Candidates candidates;
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
  uint32_t group = (uint32_t)(begin / RV_SPH_GRAIN * (RV_SPH_TASK_INDICES / 8));
  size_t i = begin;
  for (size_t cell = low; i < end; ++cell) {
    collect(f, offset, of->key[cell], &walk, &candidates);
    size_t last = of->first[cell + 1] < end ? of->first[cell + 1] : end;
    for (; i < last; ++i) {
      uint32_t* out = lists->index + 8 * (size_t)group;
      const float x[3] = {of->x[0][i], of->x[1][i], of->x[2][i]};
      unsigned count = search(&candidates, x, out);
      bool full = candidates.left_out || count > RV_SPH_MOST_LISTED;
      if (count > RV_SPH_MOST_LISTED) count = RV_SPH_MOST_LISTED;
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
