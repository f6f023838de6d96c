// Lists of neighbours, a task for every RV_SPH_GRAIN particles; see lists.h.
#include "sph/lists.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "sph/find_kernel.h"

typedef struct Job {
  RvSphFind find;
  bool single;
  // Whole numbers, whose sums do not depend on their order.
  atomic_size_t full, pairs;
} Job;

static void find_some(void* arg, size_t begin, size_t end) {
  Job* job = arg;
  RvSphFound found = job->single ? RV_KERNEL_CALL_SINGLE(rv_sph_find, (&job->find, begin, end))
                                 : RV_KERNEL_CALL(rv_sph_find, (&job->find, begin, end));
  atomic_fetch_add(&job->full, found.full);
  atomic_fetch_add(&job->pairs, found.pairs);
}

static RvResult find(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to,
                     RvArena* arena, bool single, RvError* error) {
  size_t tasks = (of->count + RV_SPH_GRAIN - 1) / RV_SPH_GRAIN;
  *lists = (RvSphLists){.count = of->count};
  lists->first = RV_TAKE(arena, uint32_t, of->count + 1);
  lists->groups = RV_TAKE(arena, uint16_t, of->count + 1);
  lists->index = RV_TAKE(arena, uint32_t, tasks * RV_SPH_TASK_INDICES + 1);
  if (!lists->first || !lists->groups || !lists->index)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the neighbours of %zu particles", of->count);
  Job job = {{of, to, lattice, lists}, single, 0, 0};
  rv_parallel_for(of->count, RV_SPH_GRAIN, find_some, &job);
  lists->full = atomic_load(&job.full);
  lists->pairs = atomic_load(&job.pairs);
  return RV_OK;
}

RvResult rv_sph_lists_find(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to,
                           RvArena* arena, RvError* error) {
  return find(lists, lattice, of, to, arena, false, error);
}

RvResult rv_sph_lists_find_single(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of,
                                  const RvSphSet* to, RvArena* arena, RvError* error) {
  return find(lists, lattice, of, to, arena, true, error);
}
