// Particles of the surface, layer by layer from outside (VI-15, VI-16, spec 5.2).
//
// The cover vector of a particle is the sum of the directions from its neighbours within R1 to it; it points to where
// neighbours are missing. A particle is inside where a neighbour within R2 lies in the scan cone around that vector;
// else it is of the surface. A layer is what is found when all layers before it are taken away. A particle that has no
// neighbours is of the surface, one whose cover vector is 0 is inside.
#ifndef RV_INTERFACE_LAYERS_H
#define RV_INTERFACE_LAYERS_H

#include "base/arena.h"

enum { RV_INTERFACE_MOST_LAYERS = 255 };

typedef struct RvInterfaceLayers {
  size_t count;
  const double* place;  // [count][3] m
  const int32_t* body;  // [count] only particles of one body cover each other; NULL: all are of one
  double spacing;       // m
  int most;             // layers that are looked for, up to RV_INTERFACE_MOST_LAYERS
  uint8_t* layer;       // [count] result: 1 is the outermost; 0: deeper than `most`
} RvInterfaceLayers;

// Finds the layers. The result does not depend on the order of the particles, but for sums of rounded numbers.
RvResult rv_interface_find_layers(const RvInterfaceLayers* layers, RvArena* arena, RvError* error);

#endif
