// The shape of one strand: growth, curl, and points at equal distances along it.
//
// A strand is made in two steps. Its centre line leaves the skin between the comb direction and the normal (`lift`),
// bends towards the comb direction like a heavy fibre, and slides along the skin instead of entering it. Then the
// curl, a helix or a wave about that line in a twist-free frame, is walked with steps of one segment's length, so
// that all segments of a strand are equal and add up to its length.
#ifndef RV_NODE_GROOM_SHAPE_H
#define RV_NODE_GROOM_SHAPE_H

#include "mesh/skin_hull.h"

enum { RV_GROOM_NODES = 33 };  // of a centre line
enum { RV_GROOM_GUIDES = 4 };  // that a strand follows, at most

typedef struct RvGroomComb RvGroomComb;  // groom/comb.h

typedef struct RvGroomShape {
  uint64_t seed;
  int points;  // of a strand
  // Growth.
  double direction_random;  // deviation of single strands from the comb direction
  double lift;              // 1: along the normal; 0: flat along the skin
  double bend;              // share of the turn towards the comb direction that is done at the tip
  double bend_length;       // length over which a strand turns
  const RvSkinHull* hull;   // skin that strands avoid; NULL: none
  // Curl; radius 0 is straight.
  double curl_radius, curl_pitch;  // lengths
  double curl_random;              // relative deviation of both
  double curl_start, curl_blend;   // shares of the strand: without curl, and of growing curl
  bool wave;                       // plane wave instead of a helix
  double kinks;                    // share of the length over which the helix turns in the other sense
  double frizz, frizz_length;      // amplitude and wavelength of the irregular sway
  // Clumps.
  double tightness[RV_GROOM_NODES];  // share of the distance to the clump's centre line that is closed, root to tip
  double clump_twist;                // radians, root to tip
  double stray_frizz;                // extra frizz of strands without a clump
} RvGroomShape;

typedef struct RvGroomRoot {
  RvSkinFrame frame;  // position, normal and tangent
  double length;      // of the strand along the fibre
  uint64_t id;        // of its random numbers
  int32_t clump;      // -1: none
  bool stray;         // flies away: no clump, more frizz
  // Combing.
  RvVec3 direction;                     // comb direction at the root, unit
  double parted;                        // strength of the parting beside it, 0 to 1
  RvVec3 away;                          // direction away from that parting, unit
  const RvGroomComb* comb;              // NULL: no guides
  int nguide;                           // that it follows
  int32_t guide[RV_GROOM_GUIDES];       // their numbers
  double guide_share[RV_GROOM_GUIDES];  // and weights, sum 1
  double combed;                        // weight of the guides against its own growth, 0 to 1
} RvGroomRoot;

// A centre line: nodes at equal arc lengths.
typedef struct RvGroomLine {
  RvVec3 node[RV_GROOM_NODES];
  double length;
  RvVec3 across;  // tangent of the root, from which the phase of the curl is counted
} RvGroomLine;

// Length along the centre line over length along the fibre, for a curl of this radius and pitch.
double rv_groom_axial(const RvGroomShape* shape, double radius, double pitch);
// Grows the centre line of a strand.
void rv_groom_line(const RvGroomShape* shape, const RvGroomRoot* root, RvGroomLine* line);
// Points of a strand (xyz each), drawn towards the centre line of its clump (NULL: none).
void rv_groom_strand(const RvGroomShape* shape, const RvGroomRoot* root, const RvGroomLine* clump, float* points);
// Frames of a polyline, parallel-transported from the root: z along the strand, x from `first`; quaternions.
void rv_groom_orient(const float* points, int count, RvVec3 first, float* orient);

#endif
