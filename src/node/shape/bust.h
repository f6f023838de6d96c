// The shape of a bust: head, face, ears, neck and shoulders as one smooth distance function, and where hair grows on
// it.
//
// Lengths are in metres for a head of RV_BUST_HEAD from chin to crown; the face looks along +Z, Y is up, and the origin
// is between the ears. Parts are ellipsoids and tapered capsules that blend into each other.
#ifndef RV_NODE_SHAPE_BUST_H
#define RV_NODE_SHAPE_BUST_H

#include <stdbool.h>

#include "math/vec.h"

#define RV_BUST_HEAD 0.235  // m, chin to crown

enum { RV_BUST_MAX_PARTS = 32 };

typedef struct RvBust {
  double base;     // m, height of the flat base; below the chin
  double falloff;  // m over which the hairline thins out
  struct {
    RvVec3 centre;
    double radius;
  } around[RV_BUST_MAX_PARTS];  // spheres around the parts
} RvBust;

// A bust that ends at the height `base` and whose hairline is `falloff` wide.
void rv_bust_init(RvBust* bust, double base, double falloff);

// About the distance from the surface, below 0 inside. `bust` is an RvBust.
double rv_bust_distance(const void* bust, RvVec3 place);
// Density of hair at a place of the surface, 0 to 1.
double rv_bust_density(const RvBust* bust, RvVec3 place);
// The box that the bust fits into.
void rv_bust_bounds(const RvBust* bust, RvVec3* low, RvVec3* high);

#endif
