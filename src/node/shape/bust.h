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

// Which parts a bust has: all, the head without neck, or neck and shoulders without the head.
typedef enum RvBustPart { RV_BUST_WHOLE, RV_BUST_HEAD_ONLY, RV_BUST_BODY_ONLY } RvBustPart;

typedef struct RvBust {
  double base;      // m, height of the flat base; below the chin
  RvBustPart part;  // which parts it has
  double falloff;  // m over which the hairline thins out
  struct {
    RvVec3 centre;
    double radius;
  } around[RV_BUST_MAX_PARTS];  // spheres around the parts
} RvBust;

// A bust that ends at the height `base` and whose hairline is `falloff` wide.
void rv_bust_init(RvBust* bust, double base, double falloff, RvBustPart part);
// Place of the joint between neck and head, about which the head turns; and how far a place turns with the head, from 0
// at the shoulders to 1 at the head. In between, the neck twists.
RvVec3 rv_bust_joint(void);
double rv_bust_turning(RvVec3 place);

// About the distance from the surface, below 0 inside. `bust` is an RvBust.
double rv_bust_distance(const void* bust, RvVec3 place);
// Density of hair at a place of the surface, 0 to 1.
double rv_bust_density(const RvBust* bust, RvVec3 place);
// The box that the bust fits into.
void rv_bust_bounds(const RvBust* bust, RvVec3* low, RvVec3* high);

#endif
