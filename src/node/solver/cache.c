#include "node/solver/cache.h"

#include "base/memory.h"

RvSolverCache* rv_solver_cache(const RvCook* cook) {
  // A host without a place for it, as in a test, keeps nothing.
  void** cache = cook->cache;
  if (cache && !*cache) *cache = rv_alloc_zero(1, sizeof(RvSolverCache));
  return cache ? *cache : NULL;
}

void rv_solver_free_cache(void* cache) {
  RvSolverCache* parts = cache;
  if (!parts) return;
  rv_grid_cache_free(parts->grids);
  rv_strand_cache_free(parts->strands);
  rv_free(parts);
}
