// Searches in crowds, eight candidates at a time: see crowd.h.
#include "sph/crowd_kernel.h"

#include "sph/search_lanes.h"

#if RV_W == 1
typedef uint32_t Keys;
#else
typedef uint32_t Keys __attribute__((vector_size(32)));
#endif

// An odd number by which the hash of a pair is spread: 2^32 over the golden ratio.
#define SPREAD 0x9E3779B1u

// The candidates of a cell: a run of particles in each of the nine rows.
typedef struct Runs {
  uint32_t begin[RV_SPH_ROWS], end[RV_SPH_ROWS];
} Runs;

RV_INLINE void find_runs(const RvSphSet* to, const int64_t offset[RV_SPH_ROWS], uint64_t key, RvSphWalk* walk,
                         Runs* runs) {
  for (int row = 0; row < RV_SPH_ROWS; ++row) {
    RvSphRun run = rv_sph_run_of_row(to, (uint64_t)((int64_t)key + offset[row]), &walk->cell[row]);
    runs->begin[row] = to->first[run.begin];
    runs->end[row] = to->first[run.end];
  }
}

// Candidates from j on: squares of their distances, and which of them are neighbours.
typedef struct Near {
  RvSphRow square;
  RvSphMask hit;
} Near;

RV_INLINE Near near_of(const RvSphSet* to, uint32_t j, uint32_t end, const float x[3]) {
#if RV_W == 1
  float d0 = to->x[0][j] - x[0];
  float d1 = to->x[1][j] - x[1];
  float d2 = to->x[2][j] - x[2];
  float square = d0 * d0 + d1 * d1 + d2 * d2;
  (void)end;
  return (Near){square, square < 1};
#else
  RvSphRow d0 = rv_row_load_loose(to->x[0] + j) - rv_row_set(x[0]);
  RvSphRow d1 = rv_row_load_loose(to->x[1] + j) - rv_row_set(x[1]);
  RvSphRow d2 = rv_row_load_loose(to->x[2] + j) - rv_row_set(x[2]);
  RvSphRow square = d0 * d0 + d1 * d1 + d2 * d2;
  Keys lane = (Keys){0, 1, 2, 3, 4, 5, 6, 7};
  RvSphMask inside = (RvSphMask)(lane < (Keys){0} + (end - j));
  return (Near){square, (RvSphMask)(square < rv_row_set(1)) & inside};
#endif
}

RV_INLINE Keys load_keys(const uint32_t* from) {
#if RV_W == 1
  return *from;
#else
  return (Keys) * (const RvSphIndices*)from;
#endif
}

RV_INLINE Keys set_keys(uint32_t x) {
#if RV_W == 1
  return x;
#else
  return (Keys){0} + x;
#endif
}

// Which of the candidates from j on the hash of the pair selects. It is the same for both of a pair, and 0 for a
// particle with itself.
RV_INLINE RvSphMask selected(const RvSphCrowdFind* f, size_t i, uint32_t j) {
  Keys hash = (load_keys(f->key + j) ^ set_keys(f->key[i])) * set_keys(SPREAD);
  return (RvSphMask)(hash <= set_keys(f->limit[i])) & (RvSphMask)(hash <= load_keys(f->limit + j));
}

// Eight numbers from j on.
RV_INLINE void count_up(uint32_t out[8], uint32_t j) {
  for (uint32_t k = 0; k < 8; ++k) out[k] = j + k;
}

// Number of lanes whose mask is set.
RV_INLINE uint32_t number_of(RvSphMask sum) {
#if RV_W == 1
  return (uint32_t)sum;
#else
  return (uint32_t) - (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])));
#endif
}

void RV_KERNEL(rv_sph_crowd)(const RvSphCrowdFind* f, size_t begin, size_t end) {
  const RvSphSet* of = f->of;
  int64_t offset[RV_SPH_ROWS];
  RvSphWalk walk;
  Runs runs;
  size_t i = begin;
  for (size_t cell = rv_sph_walk_begin(f->lattice, of, f->to, begin, offset, &walk); i < end; ++cell) {
    find_runs(f->to, offset, of->key[cell], &walk, &runs);
    size_t last = of->first[cell + 1] < end ? of->first[cell + 1] : end;
    for (; i < last; ++i) {
      const float x[3] = {of->x[0][i], of->x[1][i], of->x[2][i]};
      RvSphRow sum = rv_sph_set(0);
      RvSphMask number = (RvSphMask)sum;
      for (int row = 0; row < RV_SPH_ROWS; ++row)
        for (uint32_t j = runs.begin[row]; j < runs.end[row]; j += RV_W) {
          Near near = near_of(f->to, j, runs.end[row], x);
          sum += rv_sph_where(near.hit, rv_sph_poly6(near.square));
          number += near.hit;
        }
      f->count[i] = number_of(number);
      f->sum[i] = rv_sph_total(sum);
    }
  }
}

// Neighbours of particle i, at most `most`, of those that the keys select; groups are written whole. Their number,
// above `most` if some were left out.
RV_INLINE uint32_t list_near(const RvSphCrowdFind* f, size_t i, const Runs* runs, bool thinned, uint32_t most,
                             uint32_t* out) {
  const RvSphSet* of = f->of;
  const float x[3] = {of->x[0][i], of->x[1][i], of->x[2][i]};
  uint32_t count = 0;
  for (int row = 0; row < RV_SPH_ROWS; ++row)
    for (uint32_t j = runs->begin[row]; j < runs->end[row] && count <= most; j += RV_W) {
      RvSphMask hit = near_of(f->to, j, runs->end[row], x).hit;
      if (thinned) hit &= selected(f, i, j);
      uint32_t index[8], packed[8];
      count_up(index, j);
      unsigned hits = rv_sph_pack_hits(packed, index, hit);
      for (unsigned k = 0; k < hits && count + k < most; ++k) out[count + k] = packed[k];
      count += hits;
    }
  uint32_t listed = count < most ? count : most;
  for (uint32_t k = listed; k % 8; ++k) out[k] = (uint32_t)f->to->count;
  return count;
}

void RV_KERNEL(rv_sph_find_all)(const RvSphCrowdFind* f, size_t begin, size_t end) {
  const RvSphSet* of = f->of;
  int64_t offset[RV_SPH_ROWS];
  RvSphWalk walk;
  Runs runs;
  size_t i = begin;
  for (size_t cell = rv_sph_walk_begin(f->lattice, of, f->to, begin, offset, &walk); i < end; ++cell) {
    find_runs(f->to, offset, of->key[cell], &walk, &runs);
    size_t last = of->first[cell + 1] < end ? of->first[cell + 1] : end;
    for (; i < last; ++i) list_near(f, i, &runs, false, f->count[i], f->lists->index + 8 * (size_t)f->lists->first[i]);
  }
}

RvSphFound RV_KERNEL(rv_sph_find_thinned)(const RvSphCrowdFind* f, size_t begin, size_t end) {
  const RvSphSet* of = f->of;
  RvSphLists* lists = f->lists;
  RvSphFound found = {0};
  int64_t offset[RV_SPH_ROWS];
  RvSphWalk walk;
  Runs runs;
  uint32_t group = (uint32_t)(begin / RV_SPH_GRAIN * (RV_SPH_TASK_INDICES / 8));
  size_t i = begin;
  for (size_t cell = rv_sph_walk_begin(f->lattice, of, f->to, begin, offset, &walk); i < end; ++cell) {
    find_runs(f->to, offset, of->key[cell], &walk, &runs);
    size_t last = of->first[cell + 1] < end ? of->first[cell + 1] : end;
    for (; i < last; ++i) {
      uint32_t count = list_near(f, i, &runs, true, RV_SPH_MOST_LISTED, lists->index + 8 * (size_t)group);
      found.full += count > RV_SPH_MOST_LISTED;
      if (count > RV_SPH_MOST_LISTED) count = RV_SPH_MOST_LISTED;
      lists->first[i] = group;
      lists->groups[i] = (uint16_t)((count + 7) / 8);
      group += lists->groups[i];
      found.pairs += count;
    }
  }
  return found;
}
