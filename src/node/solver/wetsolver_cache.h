// Liquid that goes its own way (liquidmode cached): particles of another solver, which strands are in and capture from.
#ifndef RV_NODE_SOLVER_WETSOLVER_CACHE_H
#define RV_NODE_SOLVER_WETSOLVER_CACHE_H

#include "node/solver/wetsolver.h"
#include "rivulet/vdb.h"

typedef struct RvWetCache {
  RvLiquid liquid;
  RvLiquidHooks hooks;
  RvWetSolve* whole;
  RvParticles frame;  // as they are at the frame, whole
  double* volume;     // [frame] what is left of each
  double* before;     // [frame] at the start of this one
  bool begun;
  RvDetail* filled;  // particles of a cache that has only VDBs, which have no ids: each frame's are new
} RvWetCache;

// Reads the frame's particles, less what was captured of them before.
RvResult rv_wetcache_open(RvWetCache* cache, RvWetSolve* solve, RvError* error);
// Remembers what was captured, which counts as a source.
RvResult rv_wetcache_close(RvWetCache* cache, RvWetSolve* solve, RvError* error);
void rv_wetcache_free(RvWetCache* cache);

//---------------------------------------------------------------------------------------------- wetsolver_vdb.c

// The level set `surface` of a cache without particles, else NULL.
RvGrid* rv_wetcache_surface(const RvDetail* input);
// Particles that fill it, `spacing` units of the scene apart, with the velocities of `vel`.
RvResult rv_wetcache_fill(RvCook* cook, const RvDetail* input, double spacing, RvDetail** out, RvError* error);

#endif
