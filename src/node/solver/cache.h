// What a solver node keeps between the frames of one cook (RvCook.cache): level sets of colliders and the model of the
// strands. It is disposable: each part has a key of everything that goes into it, and a frame whose key differs makes
// it anew, so a run that was resumed has the same bits (design section 5).
#ifndef RV_NODE_SOLVER_CACHE_H
#define RV_NODE_SOLVER_CACHE_H

#include "rivulet/node.h"

typedef struct RvGridCache RvGridCache;      // collider_cache.c
typedef struct RvStrandCache RvStrandCache;  // strand_cache.c

typedef struct RvSolverCache {
  RvGridCache* grids;      // NULL: nothing is kept yet
  RvStrandCache* strands;  // NULL: nothing is kept yet
} RvSolverCache;

// The cache of the node, made at the first call. NULL: the host has no place for one, or there is no memory; then
// nothing is kept.
RvSolverCache* rv_solver_cache(const RvCook* cook);
// RvNodeType.free_cache of solver nodes.
void rv_solver_free_cache(void* cache);

// Free each part of the cache; NULL is allowed.
void rv_grid_cache_free(RvGridCache* cache);
void rv_strand_cache_free(RvStrandCache* cache);

#endif
