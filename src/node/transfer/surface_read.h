// Reads the liquid of a detail: particles, films on strands and the drops at their tips.
#ifndef RV_NODE_TRANSFER_SURFACE_READ_H
#define RV_NODE_TRANSFER_SURFACE_READ_H

#include "rivulet/node.h"
#include "surface/surface.h"

typedef struct RvSurfaceRead {
  double particlesep;  // particle separation, units of the scene; 0: estimated
  double hairradius;   // units of the scene, for strands without a radius attribute
} RvSurfaceRead;

typedef struct RvSurfaceInput {
  RvSurfaceParticles particles;
  RvSurfaceFilm film;
  uint8_t* loose;     // [points of the detail] 1: a particle, used by no primitive
  double separation;  // of the particles, units of the scene
  double outer;       // mean outer radius of wet strands
  size_t empty;       // particles without volume, left out
  double drops;       // volume of the pendant drops, which are the last of the particles
} RvSurfaceInput;

// Reads particles and films. Free the result in any case.
RvResult rv_surface_read(const RvCook* cook, const RvDetail* detail, const RvSurfaceRead* how, RvSurfaceInput* out,
                         RvError* error);
// A tank, units of the scene.
typedef struct RvSurfaceWalls {
  double lo[3], hi[3];
} RvSurfaceWalls;
// Adds images of the particles near the walls behind them (surface_walls.c).
RvResult rv_surface_mirror(RvSurfaceInput* input, const RvSurfaceWalls* walls, double smoothing, RvError* error);
void rv_surface_input_free(RvSurfaceInput* input);

#endif
