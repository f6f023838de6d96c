// Cached liquid of a solver node (liquidmode cached): reads the particles or VDBs of the frame, and remembers by id
// what was captured of each particle, so that none wets twice as much as it holds.
#ifndef RV_NODE_SOLVER_CACHED_PORT_H
#define RV_NODE_SOLVER_CACHED_PORT_H

#include "node/solver/film_port.h"
#include "rivulet/vdb.h"

typedef struct RvCachedPort {
  RvWetCached cached;
  RvDetail* filled;  // particles of a cache that has only VDBs, which have no ids: each frame's are new
} RvCachedPort;

// Reads the frame's particles, less what was captured of them before.
RvResult rv_cached_port_begin(RvCachedPort* port, const RvLiquidPort* liquid, RvFilmPort* film, RvError* error);
// Remembers what was captured, which counts as a source, and what the film gave back, which counts as outflow.
RvResult rv_cached_port_end(RvCachedPort* port, RvFilmPort* film, RvError* error);
void rv_cached_port_free(RvCachedPort* port);

//---------------------------------------------------------------------------------------------- cached_vdb.c

// The level set `surface` of a cache without particles, else NULL.
RvGrid* rv_cached_port_surface(const RvDetail* input);
// Particles that fill it, `spacing` units of the scene apart, with the velocities of `vel`; input `index` of the cook.
RvResult rv_cached_port_fill(RvCook* cook, int index, double spacing, RvDetail** out, RvError* error);

#endif
