// Points sorted into cubic cells, to find those near a place.
#ifndef RV_SURFACE_NEARBY_H
#define RV_SURFACE_NEARBY_H

#include "rivulet/base.h"

typedef struct RvNearby {
  size_t count, ncell;
  double lo[3], size, inverse;
  uint32_t* order;  // [count] points by cell, and by number within
  uint64_t* key;    // [ncell] ascending
  uint32_t* first;  // [ncell + 1] into order
  uint32_t* slot;   // open addressing: cell + 1, 0 free
  size_t slots;
} RvNearby;

// Cells of `size`, or larger where the points lie too far apart for that. All numbers must be finite. False: no memory.
bool rv_surface_nearby_build(RvNearby* n, size_t count, const double* x, double size);
void rv_surface_nearby_free(RvNearby* n);
// Index of a cell, or SIZE_MAX.
size_t rv_surface_nearby_find(const RvNearby* n, int64_t i, int64_t j, int64_t k);

static inline int64_t rv_surface_nearby_cell(const RvNearby* n, double x, int axis) {
  double c = (x - n->lo[axis]) * n->inverse;
  return (int64_t)(c < 0 ? c - 1 : c);  // below the least only by little, and then there is nothing
}

#endif
