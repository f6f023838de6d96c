// Lists of neighbours of a set: see search_lanes.h for the search itself.
#include "sph/find_kernel.h"

#include "sph/search_lanes.h"

RvSphFound RV_KERNEL(rv_sph_find)(const RvSphFind* f, size_t begin, size_t end) {
  const RvSphSet* of = f->of;
  RvSphLists* lists = f->lists;
  RvSphFound found = {0};
  int64_t offset[RV_SPH_ROWS];
  RvSphWalk walk;
  RvSphCandidates candidates;
  // Cell by cell, particle by particle.
  uint32_t group = (uint32_t)(begin / RV_SPH_GRAIN * (RV_SPH_TASK_INDICES / 8));
  size_t i = begin;
  for (size_t cell = rv_sph_walk_begin(f->lattice, of, f->to, begin, offset, &walk); i < end; ++cell) {
    rv_sph_collect(f->to, offset, of->key[cell], &walk, &candidates);
    size_t last = of->first[cell + 1] < end ? of->first[cell + 1] : end;
    for (; i < last; ++i) {
      uint32_t* out = lists->index + 8 * (size_t)group;
      const float x[3] = {of->x[0][i], of->x[1][i], of->x[2][i]};
      unsigned count = rv_sph_search(&candidates, x, RV_SPH_MOST_LISTED, out);
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
