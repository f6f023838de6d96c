// Nearest-item search by a bounding volume hierarchy of axis-aligned boxes. It takes linear memory and O(n log n) time
// to build. Of items at equal distance the lowest index is found, so the answer does not depend on the tree.
#ifndef RV_MESH_NEAREST_H
#define RV_MESH_NEAREST_H

#include "math/vec.h"
#include "rivulet/base.h"

typedef struct RvNearestNode {
  float lo[3], hi[3];    // box
  int32_t first, count;  // range of a leaf in RvNearest.items; count 0: an inner node with children first and first + 1
} RvNearestNode;

typedef struct RvNearest {
  RvNearestNode* nodes;  // the root first
  int32_t* items;        // indices of all items, in the order of the leaves
  size_t count;          // of the items
} RvNearest;

// Squared distance from p to an item.
typedef double RvNearestFn(const void* arg, size_t item, RvVec3 p);

// Builds the tree. `boxes` has lo xyz, hi xyz of each item, all finite; it is not needed afterwards. Free the tree by
// rv_nearest_free.
RvResult rv_nearest_init(RvNearest* tree, size_t count, const float* boxes, RvError* error);
// Frees the tree and clears the struct.
void rv_nearest_free(RvNearest* tree);
// Index of the nearest item other than `skip` (SIZE_MAX: none is skipped); SIZE_MAX if there is none.
size_t rv_nearest_find(const RvNearest* tree, RvVec3 p, size_t skip, RvNearestFn* distance2, const void* arg);
// The same among items no farther than the square root of *limit2, which becomes the squared distance of the item
// found.
size_t rv_nearest_within(const RvNearest* tree, RvVec3 p, size_t skip, RvNearestFn* distance2, const void* arg,
                         double* limit2);
// The up to `capacity` nearest items, nearest first, and their squared distances. Returns their number.
size_t rv_nearest_many(const RvNearest* tree, RvVec3 p, size_t capacity, RvNearestFn* distance2, const void* arg,
                       size_t* items, double* squares);
// Squared distance from p to the triangle a b c, which may be degenerate.
double rv_nearest_triangle2(RvVec3 p, RvVec3 a, RvVec3 b, RvVec3 c);

#endif
