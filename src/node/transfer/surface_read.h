// What of a detail is liquid: particles, and films on strands.
#ifndef RV_NODE_TRANSFER_SURFACE_READ_H
#define RV_NODE_TRANSFER_SURFACE_READ_H

#include "rivulet/node.h"
#include "surface/surface.h"

typedef struct RvSurfaceRead {
  double particlesep;  // 0: from the particles
  double hairradius;   // m, of strands that do not tell theirs
} RvSurfaceRead;

typedef struct RvSurfaceInput {
  RvSurfaceParticles particles;
  RvSurfaceFilm film;
  uint8_t* loose;     // [points of the detail] 1: a particle
  double separation;  // of the particles, by their volume
  double outer;       // mean outer radius of films
  size_t empty;       // particles without volume
} RvSurfaceInput;

// Free in any case.
RvResult rv_surface_read(const RvCook* cook, const RvDetail* detail, const RvSurfaceRead* how, RvSurfaceInput* out,
                         RvError* error);
void rv_surface_input_free(RvSurfaceInput* input);

#endif
