// Lists of neighbours in crowds; see crowd.h.
#include "sph/crowd.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "sph/crowd_kernel.h"

static RvResult no_memory(size_t count, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the neighbours of %zu particles", count);
}

//---------------------------------------------------------------------------------------------- numbers

static void measure_some(void* arg, size_t begin, size_t end) {
  RV_KERNEL_CALL(rv_sph_crowd, (arg, begin, end));
}

RvResult rv_sph_crowd_measure(const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to, uint32_t** number,
                              float** sum, RvArena* arena, RvError* error) {
  *number = RV_TAKE(arena, uint32_t, of->count + 1);
  *sum = RV_TAKE(arena, float, of->count + 1);
  if (!*number || !*sum) return no_memory(of->count, error);
  RvSphCrowdFind find = {.of = of, .to = to, .lattice = lattice, .count = *number, .sum = *sum};
  rv_parallel_for(of->count, RV_SPH_GRAIN, measure_some, &find);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- complete lists

static void find_all_some(void* arg, size_t begin, size_t end) {
  RV_KERNEL_CALL(rv_sph_find_all, (arg, begin, end));
}

RvResult rv_sph_lists_find_all(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to,
                               RvArena* arena, RvError* error) {
  RvSphCrowdFind find = {.of = of, .to = to, .lattice = lattice, .lists = lists};
  find.count = RV_TAKE(arena, uint32_t, of->count + 1);
  if (!find.count) return no_memory(of->count, error);
  rv_parallel_for(of->count, RV_SPH_GRAIN, measure_some, &find);
  *lists = (RvSphLists){.count = of->count};
  lists->first = RV_TAKE(arena, uint32_t, of->count + 1);
  lists->groups = RV_TAKE(arena, uint16_t, of->count + 1);
  if (!lists->first || !lists->groups) return no_memory(of->count, error);
  uint32_t group = 0;
  for (size_t i = 0; i < of->count; ++i) {
    lists->full += find.count[i] > RV_SPH_MOST_CROWD;
    if (find.count[i] > RV_SPH_MOST_CROWD) find.count[i] = RV_SPH_MOST_CROWD;
    lists->first[i] = group;
    lists->groups[i] = (uint16_t)((find.count[i] + 7) / 8);
    lists->pairs += find.count[i];
    group += lists->groups[i];
  }
  lists->index = RV_TAKE(arena, uint32_t, 8 * (size_t)group + 1);
  if (!lists->index) return no_memory(of->count, error);
  rv_parallel_for(of->count, RV_SPH_GRAIN, find_all_some, &find);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- thinned lists

float rv_sph_thin_of(uint32_t neighbours) {
  float thin = (float)neighbours / RV_SPH_THINNED;
  return neighbours > RV_SPH_MOST_LISTED ? thin : 1;
}

// A random number from a name: the finaliser of MurmurHash3.
static uint32_t key_of(uint32_t name) {
  name ^= name >> 16;
  name *= 0x85EBCA6Bu;
  name ^= name >> 13;
  name *= 0xC2B2AE35u;
  return name ^ name >> 16;
}

typedef struct Thinned {
  RvSphCrowdFind find;
  const uint32_t* name;
  const float* thin;
  uint32_t *key, *limit;
  // Whole numbers, whose sums do not depend on their order.
  atomic_size_t full, pairs;
} Thinned;

static void key_some(void* arg, size_t begin, size_t end) {
  const Thinned* job = arg;
  const double HASHES = 0x1p32;
  for (size_t i = begin; i < end; ++i) {
    job->key[i] = key_of(job->name[i]);
    job->limit[i] = job->thin[i] > 1 ? (uint32_t)(HASHES / (double)job->thin[i]) : UINT32_MAX;
  }
}

static void find_thinned_some(void* arg, size_t begin, size_t end) {
  Thinned* job = arg;
  RvSphFound found = RV_KERNEL_CALL(rv_sph_find_thinned, (&job->find, begin, end));
  atomic_fetch_add(&job->full, found.full);
  atomic_fetch_add(&job->pairs, found.pairs);
}

RvResult rv_sph_lists_find_thinned(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* set,
                                   const uint32_t* name, const float* thin, RvArena* arena, RvError* error) {
  size_t count = set->count;
  size_t tasks = (count + RV_SPH_GRAIN - 1) / RV_SPH_GRAIN;
  *lists = (RvSphLists){.count = count};
  lists->first = RV_TAKE(arena, uint32_t, count + 1);
  lists->groups = RV_TAKE(arena, uint16_t, count + 1);
  lists->index = RV_TAKE(arena, uint32_t, tasks * RV_SPH_TASK_INDICES + 1);
  Thinned job = {.find = {.of = set, .to = set, .lattice = lattice, .lists = lists}, .name = name, .thin = thin};
  job.key = RV_TAKE(arena, uint32_t, count + RV_SPH_SPARE);
  job.limit = RV_TAKE(arena, uint32_t, count + RV_SPH_SPARE);
  if (!lists->first || !lists->groups || !lists->index || !job.key || !job.limit) return no_memory(count, error);
  for (size_t i = count; i < count + RV_SPH_SPARE; ++i) {
    job.key[i] = 0;
    job.limit[i] = 0;
  }
  job.find.key = job.key;
  job.find.limit = job.limit;
  rv_parallel_for(count, RV_SPH_GRAIN, key_some, &job);
  rv_parallel_for(count, RV_SPH_GRAIN, find_thinned_some, &job);
  lists->full = atomic_load(&job.full);
  lists->pairs = atomic_load(&job.pairs);
  return RV_OK;
}
