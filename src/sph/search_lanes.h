// Search of neighbours for kernel files: squared distances of eight candidates at a time; those within the support are
// packed into a list. Candidates are the particles in the nine rows of three cells around a particle; they are copied
// side by side once for all particles of a cell.
#ifndef RV_SPH_SEARCH_LANES_H
#define RV_SPH_SEARCH_LANES_H

#include "sph/lanes.h"
#include "sph/lists.h"

enum { RV_SPH_ROWS = 9 };
// Candidates of a cell, at most: three times as many as liquid at rest has at a support of 2.8 spacings. More means
// particles in one place, whose lists are full.
enum { RV_SPH_MOST_CANDIDATES = 2048 };

// The candidates of a cell side by side, so that all its particles run through them alike.
typedef struct RvSphCandidates {
  float x[3][RV_SPH_MOST_CANDIDATES + RV_SPH_SPARE];
  uint32_t index[RV_SPH_MOST_CANDIDATES + RV_SPH_SPARE];
  uint32_t count;
  bool left_out;  // there are more
} RvSphCandidates __attribute__((aligned(64)));

// The rows around a cell: the first of their cells that may be a candidate, which ascends from cell to cell.
typedef struct RvSphWalk {
  size_t cell[RV_SPH_ROWS];
} RvSphWalk;

// Offsets of the rows in numbers of cells, of their first cell.
RV_INLINE void rv_sph_row_offsets(const RvSphLattice* l, int64_t offset[RV_SPH_ROWS]) {
  for (int row = 0; row < RV_SPH_ROWS; ++row)
    offset[row] = (row / 3 - 1) * (int64_t)l->wide_high + (row % 3 - 1) * (int64_t)l->wide - 1;
}

// Index of the first cell whose number is not below `key`.
RV_INLINE size_t rv_sph_first_cell(const RvSphSet* set, uint64_t key) {
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
RV_INLINE void rv_sph_copy_group(float* to, const float* from) {
  *(RvRowLoose*)to = *(const RvRowLoose*)from;
}

// Eight indices side by side.
typedef uint32_t RvSphIndices __attribute__((vector_size(32), aligned(4)));

// Adds a run of particles.
RV_INLINE void rv_sph_add_run(const RvSphSet* to, uint32_t begin, uint32_t end, RvSphCandidates* c) {
  uint32_t room = RV_SPH_MOST_CANDIDATES - c->count;
  c->left_out = c->left_out || end - begin > room;
  uint32_t count = end - begin < room ? end - begin : room;
  // Runs are short, so they are copied in whole groups: what is beyond the end belongs to the next run, or is room.
  RvSphIndices index = (RvSphIndices){0, 1, 2, 3, 4, 5, 6, 7} + begin;
  for (uint32_t k = 0; k < count; k += RV_SPH_LANES) {
    for (int a = 0; a < 3; ++a) rv_sph_copy_group(c->x[a] + c->count + k, to->x[a] + begin + k);
    *(RvSphIndices*)(c->index + c->count + k) = index;
    index += RV_SPH_LANES;
  }
  c->count += count;
}

// The cells of a row that may have neighbours: from `begin` to before `end`.
typedef struct RvSphRun {
  size_t begin, end;
} RvSphRun;

// Cells `from` to from + 2 of a row; the walk goes on from the last cell to the first of them.
RV_INLINE RvSphRun rv_sph_run_of_row(const RvSphSet* to, uint64_t from, size_t* walk) {
  // The last cell has a number above all, so that the walk ends there.
  size_t begin = *walk;
  while (to->key[begin] < from) ++begin;
  *walk = begin;
  // At most three cells follow, without branches.
  size_t end = begin;
  for (int k = 0; k < 3; ++k) end += to->key[end] <= from + 2;
  return (RvSphRun){begin, end};
}

// Candidates of a cell: the particles of its nine rows. The rows' walks go on from the last cell.
RV_INLINE void rv_sph_collect(const RvSphSet* to, const int64_t offset[RV_SPH_ROWS], uint64_t key, RvSphWalk* walk,
                              RvSphCandidates* c) {
  c->count = 0;
  c->left_out = false;
  for (int row = 0; row < RV_SPH_ROWS; ++row) {
    RvSphRun run = rv_sph_run_of_row(to, (uint64_t)((int64_t)key + offset[row]), &walk->cell[row]);
    if (run.end > run.begin) rv_sph_add_run(to, to->first[run.begin], to->first[run.end], c);
  }
  // A last group is filled up with places far away.
  RvRow far = rv_row_set(to->x[0][to->count]);
  for (int a = 0; a < 3; ++a)
    for (uint32_t k = 0; k < RV_SPH_SPARE; k += RV_SPH_LANES) *(RvRowLoose*)(c->x[a] + c->count + k) = far;
}

// Packs the indices of a group's hits at `out`, which has room for eight; their number.
#if RV_W == 1
RV_INLINE unsigned rv_sph_pack_hits(uint32_t* out, const uint32_t* index, RvSphMask hit) {
  out[0] = index[0];
  return hit ? 1 : 0;
}
#elif defined(__AVX512F__) && defined(__AVX512VL__)
RV_INLINE unsigned rv_sph_pack_hits(uint32_t* out, const uint32_t* index, RvSphMask hit) {
  __mmask8 bits = (__mmask8)_mm256_movemask_ps((__m256)hit);
  _mm256_storeu_si256((__m256i*)out, _mm256_maskz_compress_epi32(bits, _mm256_loadu_si256((const __m256i*)index)));
  return (unsigned)__builtin_popcount(bits);
}
#elif defined(__AVX2__)
// For every set of lanes their numbers, packed, a byte each.
#define RV_SPH_BIT(b, i) ((b) >> (i)&1u)
#define RV_SPH_BELOW1(b) RV_SPH_BIT(b, 0)
#define RV_SPH_BELOW2(b) (RV_SPH_BELOW1(b) + RV_SPH_BIT(b, 1))
#define RV_SPH_BELOW3(b) (RV_SPH_BELOW2(b) + RV_SPH_BIT(b, 2))
#define RV_SPH_BELOW4(b) (RV_SPH_BELOW3(b) + RV_SPH_BIT(b, 3))
#define RV_SPH_BELOW5(b) (RV_SPH_BELOW4(b) + RV_SPH_BIT(b, 4))
#define RV_SPH_BELOW6(b) (RV_SPH_BELOW5(b) + RV_SPH_BIT(b, 5))
#define RV_SPH_BELOW7(b) (RV_SPH_BELOW6(b) + RV_SPH_BIT(b, 6))
#define RV_SPH_LANE(b, i) (RV_SPH_BIT(b, i) ? (uint64_t)(i) << 8 * RV_SPH_BELOW##i(b) : 0)
#define RV_SPH_PACK1(b)                                                                               \
  RV_SPH_LANE(b, 1) | RV_SPH_LANE(b, 2) | RV_SPH_LANE(b, 3) | RV_SPH_LANE(b, 4) | RV_SPH_LANE(b, 5) | \
      RV_SPH_LANE(b, 6) | RV_SPH_LANE(b, 7),
#define RV_SPH_PACK4(b) RV_SPH_PACK1(b) RV_SPH_PACK1((b) + 1u) RV_SPH_PACK1((b) + 2u) RV_SPH_PACK1((b) + 3u)
#define RV_SPH_PACK16(b) RV_SPH_PACK4(b) RV_SPH_PACK4((b) + 4u) RV_SPH_PACK4((b) + 8u) RV_SPH_PACK4((b) + 12u)
#define RV_SPH_PACK64(b) RV_SPH_PACK16(b) RV_SPH_PACK16((b) + 16u) RV_SPH_PACK16((b) + 32u) RV_SPH_PACK16((b) + 48u)
static const uint64_t rv_sph_packed_lanes[256] = {RV_SPH_PACK64(0u) RV_SPH_PACK64(64u) RV_SPH_PACK64(128u)
                                                      RV_SPH_PACK64(192u)};

RV_INLINE unsigned rv_sph_pack_hits(uint32_t* out, const uint32_t* index, RvSphMask hit) {
  unsigned bits = (unsigned)_mm256_movemask_ps((__m256)hit);
  __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)rv_sph_packed_lanes[bits]));
  _mm256_storeu_si256((__m256i*)out, _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i*)index), lanes));
  return (unsigned)__builtin_popcount(bits);
}
#else
RV_INLINE unsigned rv_sph_pack_hits(uint32_t* out, const uint32_t* index, RvSphMask hit) {
  unsigned count = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (hit[i]) out[count++] = index[i];
  return count;
}
#endif

#if RV_W == 8 && defined(__AVX512F__)
// The list of a particle at x; the number of neighbours, above RV_SPH_MOST_LISTED if there may be more. Groups are
// written whole, beyond the end of the list. Sixteen candidates at a time give the same list as eight.
RV_INLINE unsigned rv_sph_search(const RvSphCandidates* c, const float x[3], unsigned most, uint32_t* out) {
  const __m512 x0 = _mm512_set1_ps(x[0]), x1 = _mm512_set1_ps(x[1]), x2 = _mm512_set1_ps(x[2]);
  const __m512 one = _mm512_set1_ps(1);
  unsigned count = 0;
  for (uint32_t j = 0; j < c->count && count <= most; j += 16) {
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
// As above, eight candidates at a time.
RV_INLINE unsigned rv_sph_search(const RvSphCandidates* c, const float x[3], unsigned most, uint32_t* out) {
  const RvRow x0 = rv_row_set(x[0]), x1 = rv_row_set(x[1]), x2 = rv_row_set(x[2]), one = rv_row_set(1);
  unsigned count = 0;
  for (uint32_t j = 0; j < c->count && count <= most; j += 8) {
    RvRow d0 = rv_row_load(c->x[0] + j) - x0;
    RvRow d1 = rv_row_load(c->x[1] + j) - x1;
    RvRow d2 = rv_row_load(c->x[2] + j) - x2;
    count += rv_sph_pack_hits(out + count, c->index + j, d0 * d0 + d1 * d1 + d2 * d2 < one);
  }
  return count;
}
#else
// The same, one candidate at a time.
RV_INLINE unsigned rv_sph_search(const RvSphCandidates* c, const float x[3], unsigned most, uint32_t* out) {
  unsigned count = 0;
  for (uint32_t j = 0; j < c->count && count <= most; ++j) {
    float d0 = c->x[0][j] - x[0];
    float d1 = c->x[1][j] - x[1];
    float d2 = c->x[2][j] - x[2];
    if (d0 * d0 + d1 * d1 + d2 * d2 < 1) out[count++] = c->index[j];
  }
  return count;
}
#endif

// Offsets, and walks that begin at the cell of the particle `begin`; the index of that cell, the last one that begins
// at or before it.
RV_INLINE size_t rv_sph_walk_begin(const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to, size_t begin,
                                   int64_t offset[RV_SPH_ROWS], RvSphWalk* walk) {
  size_t low = 0;
  size_t high = of->cells;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (of->first[middle] <= begin)
      low = middle;
    else
      high = middle;
  }
  rv_sph_row_offsets(lattice, offset);
  for (int row = 0; row < RV_SPH_ROWS; ++row)
    walk->cell[row] = rv_sph_first_cell(to, (uint64_t)((int64_t)of->key[low] + offset[row]));
  return low;
}

#endif
