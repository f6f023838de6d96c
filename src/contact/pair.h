// Geometry of two edges that face each other: pure functions. Private to src/contact.
#ifndef RV_CONTACT_PAIR_H
#define RV_CONTACT_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "math/vec.h"

typedef struct RvClosest {
  double s, t;   // position along a and b, 0 to 1
  RvVec3 delta;  // from b to a
} RvClosest;

// Nearest points of the segments a and b.
RvClosest rv_contact_closest_points(RvVec3 a0, RvVec3 a1, RvVec3 b0, RvVec3 b1);

// Two edges, a the source, b the receiver. `before` and `after` are the normals of the planes that separate b from its
// neighbours: the mean of both tangents; at an end of the strand the edge's own.
typedef struct RvEdgePair {
  RvVec3 a[2], b[2], before, after;
} RvEdgePair;

typedef struct RvFacing {
  double u, v;    // position of the middle of the part of a that faces b, and of the point of b nearest to it
  double length;  // m, of that part; 0: none
  RvVec3 normal;  // from b to a
  double gap;     // m, normal . delta at u, v
} RvFacing;

// The part of a that lies between the planes of b and within `wide` of it, seen along the normal. Over all edges of a
// receiving strand these parts do not overlap and (except at folds) leave no gaps, so a contact that slides from one
// edge to the next neither jumps nor counts twice. `side`, if not 0, is the half space in which the normal must lie.
RvFacing rv_contact_facing(const RvEdgePair* pair, double wide, RvVec3 side);

// The same for eight pairs at a time, with the same bits. Unused lanes must hold valid indices.
enum { RV_PAIRS = 8 };
typedef struct RvPairIndex {
  uint32_t vertex[2][RV_PAIRS];  // first vertices of a and b
  uint32_t edge[2][RV_PAIRS];    // a and b
  uint32_t beside[2][RV_PAIRS];  // for rv_contact_facing_moved_lanes: vertices before and after b; at an end of the
                                 // strand b's own
} RvPairIndex;
// Arrays of vertices and edges. One vector more than there are must be readable.
typedef struct RvPairSource {
  const RvVec3 *x, *v, *plane;              // of the vertices
  const RvVec3* tangent;                    // of the edges: unit
  const double *edge_length, *edge_radius;  // m, of the edges
  double reach, dt;                         // d0 in sums of the radii
  RvVec3 acceleration;
} RvPairSource;
typedef struct RvClosestLanes {
  double s[RV_PAIRS], t[RV_PAIRS], delta[3][RV_PAIRS];
  double distance[RV_PAIRS];
} __attribute__((aligned(64))) RvClosestLanes;
typedef struct RvFacingLanes {
  double u[RV_PAIRS], v[RV_PAIRS], length[RV_PAIRS], gap[RV_PAIRS], normal[3][RV_PAIRS];
  double close[RV_PAIRS];  // m by which the gap may close in the step
} __attribute__((aligned(64))) RvFacingLanes;
void rv_contact_closest_lanes(const RvVec3* x, const RvPairIndex* index, RvClosestLanes* out);
// Without a given side.
void rv_contact_facing_lanes(const RvPairSource* from, const RvPairIndex* index, RvFacingLanes* out);
// After `time` [RV_PAIRS] s of free motion, on the side of the normal in `out`; where the time is negative, `out`
// stays.
void rv_contact_facing_moved_lanes(const RvPairSource* from, const RvPairIndex* index, const double* time,
                                   RvFacingLanes* out);

// Boxes by their corners, with room for RV_BOXES more behind the last.
enum { RV_BOXES = 16 };
typedef struct RvBoxes {
  float *lo[3], *hi[3];
} RvBoxes;
// Bit k of out[w]: box first + RV_BOXES w + k, which is before last, overlaps box i.
void rv_contact_boxes_meet(const RvBoxes* boxes, size_t i, size_t first, size_t last, uint32_t* out);

#endif
