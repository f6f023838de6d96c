// The nearest of many things by a tree of boxes: linear memory, O(n log n) to build, equal distances go to
// the lower index, so the answer does not depend on the order of the tree.
#ifndef RV_MESH_NEAREST_H
#define RV_MESH_NEAREST_H

#include "math/vec.h"
#include "rivulet/base.h"

typedef struct RvNearestNode {
  float lo[3], hi[3];
  int32_t first, count;  // of a leaf's items; count 0: an inner node, whose children are first and first + 1
} RvNearestNode;

typedef struct RvNearest {
  RvNearestNode* nodes;
  int32_t* items;
  size_t count;
} RvNearest;

// Square of the distance from p to thing `item`.
typedef double RvNearestFn(const void* arg, size_t item, RvVec3 p);

// `boxes`: lo xyz, hi xyz of each thing, finite.
RvResult rv_nearest_init(RvNearest* tree, size_t count, const float* boxes, RvError* error);
void rv_nearest_free(RvNearest* tree);
// Index of the nearest thing other than `skip` (SIZE_MAX: none skipped); SIZE_MAX when there is none.
size_t rv_nearest_find(const RvNearest* tree, RvVec3 p, size_t skip, RvNearestFn* distance2, const void* arg);
// The same of things no farther than the root of *limit2, which becomes the square of the distance found.
size_t rv_nearest_within(const RvNearest* tree, RvVec3 p, size_t skip, RvNearestFn* distance2, const void* arg,
                         double* limit2);
// The `most` nearest things, nearest first, and the squares of their distances. Returns how many there are.
size_t rv_nearest_many(const RvNearest* tree, RvVec3 p, size_t most, RvNearestFn* distance2, const void* arg,
                       size_t* items, double* squares);
// Square of the distance from p to the triangle a b c.
double rv_nearest_triangle2(RvVec3 p, RvVec3 a, RvVec3 b, RvVec3 c);

#endif
