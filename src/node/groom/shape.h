// The shape of one strand: where it grows, how it curls, and its points at equal distances along it.
//
// A strand is made in two steps. Its centre line leaves the skin between the comb direction and the normal
// (`lift`), turns towards the comb direction as a heavy fibre does, and slides along the skin instead of
// entering it. Then the curl, a helix or a wave about that line in a frame without twist, is walked with a
// compass of one segment's length, so that all segments of a strand are equal and add up to its length.
#ifndef RV_NODE_GROOM_SHAPE_H
#define RV_NODE_GROOM_SHAPE_H

#include "mesh/skin_hull.h"

enum { RV_GROOM_NODES = 33 };

typedef struct RvGroomShape {
  uint64_t seed;
  int points;
  // growth
  RvVec3 direction;  // unit
  double direction_random, lift, bend, bend_length;
  const RvSkinHull* hull;  // NULL: none
  // curl; radius 0 is straight
  double curl_radius, curl_pitch, curl_random, curl_start, curl_blend;
  bool wave;     // in a plane, not a helix
  double kinks;  // share of the length over which the helix turns the other way round
  double frizz, frizz_length;
  // clumps: how far points go to the clump's centre line, at each node from root to tip
  double tightness[RV_GROOM_NODES];
  double clump_twist;  // radians, root to tip
  double stray_frizz;  // of strands that belong to no clump
} RvGroomShape;

typedef struct RvGroomRoot {
  RvSkinFrame frame;
  double length;
  uint64_t id;
  int32_t clump;  // -1: none
  bool stray;
} RvGroomRoot;

// A centre line: nodes at equal arc lengths.
typedef struct RvGroomLine {
  RvVec3 node[RV_GROOM_NODES];
  double length;
  RvVec3 across;  // from where the curl's phase counts: the root's tangent
} RvGroomLine;

// Length along the centre line over length along the fibre, for a curl of that radius.
double rv_groom_axial(const RvGroomShape* shape, double radius, double pitch);
void rv_groom_line(const RvGroomShape* shape, const RvGroomRoot* root, RvGroomLine* line);
// The strand's points (xyz each), drawn to the clump's line if there is one (NULL: none).
void rv_groom_strand(const RvGroomShape* shape, const RvGroomRoot* root, const RvGroomLine* clump, float* points);
// Frames of a polyline, parallel-transported from the root: z along the strand, x from `first`; quaternions.
void rv_groom_orient(const float* points, int count, RvVec3 first, float* orient);

#endif
