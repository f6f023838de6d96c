// Clumps of a groom: their centre lines, and the clump of each root.
#ifndef RV_NODE_GROOM_CLUMP_H
#define RV_NODE_GROOM_CLUMP_H

#include "mesh/nearest.h"
#include "node/groom/shape.h"

typedef struct RvGroomClumps {
  size_t count;
  RvGroomRoot* roots;  // [count]
  RvGroomLine* lines;  // [count] centre lines
  float* boxes;        // [count][6] root as a box of zero size
  RvNearest tree;      // of the roots
} RvGroomClumps;

// Grows the centre line of each clump from its root, like a strand. Takes the array of roots.
RvResult rv_groom_clumps_init(RvGroomClumps* clumps, const RvGroomShape* shape, size_t count, RvGroomRoot* roots,
                              RvError* error);
void rv_groom_clumps_free(RvGroomClumps* clumps);
// The clump with the nearest root, or with `second` the one after it if there is one. -1 without clumps, and if a
// parting lies between.
int32_t rv_groom_clump_of(const RvGroomClumps* clumps, const RvGroomRoot* root, bool second);

#endif
