// Combing of a groom: guide curves that strands follow, and partings that they fall away from.
//
// A strand follows the guides that are rooted nearest to it: at every share of its length its direction is the mean of
// theirs, weighted by the inverse squared distance of the roots. Beside a parting strands leave the skin away from it,
// and fall into the comb direction as they bend.
#ifndef RV_NODE_GROOM_COMB_H
#define RV_NODE_GROOM_COMB_H

#include "mesh/nearest.h"
#include "node/groom/shape.h"
#include "rivulet/geo.h"

struct RvGroomComb {
  // Guides.
  size_t nguide;
  RvVec3* ways;          // [nguide][RV_GROOM_NODES - 1] directions between the nodes of a guide
  float* guide_boxes;    // [nguide][6] root as a box of zero size
  RvNearest guide_tree;  // of the roots
  double guide_weight;   // of the guides against the comb direction, 0 to 1
  double guide_reach;    // distance at which that has fallen to 1/e; 0: they act everywhere
  // Parting: segments of curves, or the plane x = plane_x on the upper side of the skin.
  size_t nsegment;
  RvVec3* segments;        // [nsegment][2]
  float* segment_boxes;    // [nsegment][6]
  RvNearest segment_tree;  // of the segments
  bool has_plane;
  double plane_x;
  double part_strength;  // 0 to 1
  double part_width;     // distance at which the parting has fallen to 1/e
};

// Reads the open curves of a detail as guides. `input` names it in errors.
RvResult rv_groom_comb_guides(RvGroomComb* comb, const RvDetail* curves, const char* input, RvError* error);
// Reads the open curves of a detail as partings.
RvResult rv_groom_comb_partings(RvGroomComb* comb, const RvDetail* curves, const char* input, RvError* error);
void rv_groom_comb_free(RvGroomComb* comb);
// Completes a root whose frame and comb direction are known: its guides, and the parting beside it.
void rv_groom_comb_root(const RvGroomComb* comb, RvGroomRoot* root);
// Whether a parting lies between two roots.
bool rv_groom_comb_parts(const RvGroomRoot* a, const RvGroomRoot* b);
// Direction of the root's guides between the nodes i - 1 and i of its centre line.
RvVec3 rv_groom_comb_way(const RvGroomRoot* root, int i);

#endif
