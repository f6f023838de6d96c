// Geometry of two edges that face each other: pure functions.
#ifndef RV_CONTACT_PAIR_H
#define RV_CONTACT_PAIR_H

#include "math/vec.h"

typedef struct RvClosest {
  double s, t;   // along a and b, in 0 to 1
  RvVec3 delta;  // from b to a
} RvClosest;

// Nearest points of the segments a and b.
RvClosest rv_closest_points(RvVec3 a0, RvVec3 a1, RvVec3 b0, RvVec3 b1);

// Two edges, a the source, b the receiver; `before` and `after` are directions to which the planes that part b from its
// neighbours stand upright (halfway between the tangents; at an end of the strand the edge's own).
typedef struct RvEdgePair {
  RvVec3 a[2], b[2], before, after;
} RvEdgePair;

typedef struct RvFacing {
  double u, v;    // the middle of the part of a that faces b, and the point of b nearest to it
  double length;  // of that part, m; 0: none
  RvVec3 normal;  // from b to a
  double gap;     // normal . delta at u, v
} RvFacing;

// The part of a that lies between the planes of b and within `wide` of it, seen along the normal. Over all receivers
// of a strand these parts do not overlap and (but for folds) leave nothing out, so a contact that slides from one edge
// to the next neither jumps nor counts twice. `side`, if not 0, is the half space in which the normal must lie.
RvFacing rv_facing(const RvEdgePair* pair, double wide, RvVec3 side);

#endif
