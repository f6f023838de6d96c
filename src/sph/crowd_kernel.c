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

// The way of a task through the cells of its particles.
typedef struct Cells {
  int64_t offset[RV_SPH_ROWS];
  RvSphWalk walk;
  Runs runs;       // candidates of the cell at hand
  size_t next;     // cell
  size_t i, last;  // particle at hand, and the end of those of its cell and task
} Cells;

RV_INLINE void begin_cells(const RvSphCrowdFind* f, size_t begin, Cells* c) {
  c->next = rv_sph_walk_begin(f->lattice, f->of, f->to, begin, c->offset, &c->walk);
  c->i = begin;
}

// Goes to the next cell; false after the last of the task.
RV_INLINE bool next_cell(const RvSphCrowdFind* f, size_t end, Cells* c) {
  if (c->i >= end) return false;
  for (int row = 0; row < RV_SPH_ROWS; ++row) {
    uint64_t key = (uint64_t)((int64_t)f->of->key[c->next] + c->offset[row]);
    RvSphRun run = rv_sph_run_of_row(f->to, key, &c->walk.cell[row]);
    c->runs.begin[row] = f->to->first[run.begin];
    c->runs.end[row] = f->to->first[run.end];
  }
  ++c->next;
  size_t last = f->of->first[c->next];
  c->last = last < end ? last : end;
  return true;
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
  Cells c;
  begin_cells(f, begin, &c);
  while (next_cell(f, end, &c))
    for (; c.i < c.last; ++c.i) {
      const float x[3] = {of->x[0][c.i], of->x[1][c.i], of->x[2][c.i]};
      RvSphRow sum = rv_sph_set(0);
      RvSphMask number = (RvSphMask)sum;
      for (int row = 0; row < RV_SPH_ROWS; ++row)
        for (uint32_t j = c.runs.begin[row]; j < c.runs.end[row]; j += RV_W) {
          Near near = near_of(f->to, j, c.runs.end[row], x);
          if (f->sum) sum += rv_sph_where(near.hit, rv_sph_poly6(near.square));
          number += near.hit;
        }
      f->count[c.i] = number_of(number);
      if (f->sum) f->sum[c.i] = rv_sph_total(sum);
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
  Cells c;
  begin_cells(f, begin, &c);
  while (next_cell(f, end, &c))
    for (; c.i < c.last; ++c.i) {
      uint32_t* out = f->lists->index + 8 * (size_t)f->lists->first[c.i];
      list_near(f, c.i, &c.runs, false, f->count[c.i], out);
    }
}

RvSphFound RV_KERNEL(rv_sph_find_thinned)(const RvSphCrowdFind* f, size_t begin, size_t end) {
  RvSphLists* lists = f->lists;
  RvSphFound found = {0};
  uint32_t group = (uint32_t)(begin / RV_SPH_GRAIN * (RV_SPH_TASK_INDICES / 8));
  Cells c;
  begin_cells(f, begin, &c);
  while (next_cell(f, end, &c))
    for (; c.i < c.last; ++c.i) {
      uint32_t count = list_near(f, c.i, &c.runs, true, RV_SPH_MOST_LISTED, lists->index + 8 * (size_t)group);
      found.full += count > RV_SPH_MOST_LISTED;
      if (count > RV_SPH_MOST_LISTED) count = RV_SPH_MOST_LISTED;
      lists->first[c.i] = group;
      lists->groups[c.i] = (uint16_t)((count + 7) / 8);
      group += lists->groups[c.i];
      found.pairs += count;
    }
  return found;
}
