// Neighbour search: points sorted into cubic cells that are found by a hash table.
#ifndef RV_SURFACE_NEARBY_H
#define RV_SURFACE_NEARBY_H

#include "rivulet/base.h"

typedef struct RvNearby {
  size_t count, ncell;   // points; cells that contain points
  double lo[3];          // least coordinates
  double size, inverse;  // of a cell, and its reciprocal
  uint32_t* order;       // [count] points by cell, and by number within a cell
  uint64_t* key;         // [ncell] packed cell coordinates, ascending
  uint32_t* first;       // [ncell + 1] into order
  uint32_t* slot;        // hash table with open addressing: cell + 1, 0 free
  size_t slots;          // of the hash table, a power of two
} RvNearby;

// Cells of `size`, or larger where the points lie too far apart for that. All numbers must be finite. False: out of
// memory.
bool rv_surface_nearby_build(RvNearby* n, size_t count, const double* x, double size);
void rv_surface_nearby_free(RvNearby* n);
// Index of a cell, or SIZE_MAX if it contains no points.
size_t rv_surface_nearby_find(const RvNearby* n, int64_t i, int64_t j, int64_t k);

// Cell coordinate of x along an axis.
static inline int64_t rv_surface_nearby_cell(const RvNearby* n, double x, int axis) {
  double c = (x - n->lo[axis]) * n->inverse;
  return (int64_t)(c < 0 ? c - 1 : c);  // rounds down; cells below 0 contain no points
}

#endif
