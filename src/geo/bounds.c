// Bounding box of a detail: its points and the active voxels of its VDBs.
// The points are split into parts that depend only on their number, and the parts are joined in order. So the result,
// even the sign of a zero, does not depend on the number of threads.
#include <math.h>

#include "base/parallel.h"
#include "geo/detail.h"
#include "geo/prim_vdb.h"

enum {
  PARTS = 64,       // parts at most, so that they fit on the stack
  GRAIN = 1 << 14,  // points of a part at least; enough work for one task
};

typedef struct Box {
  float lo[3], hi[3];
} Box;

// Work of the parallel loop.
typedef struct Bounds {
  const float* positions;  // xyz each
  size_t grain;            // points of a part
  Box part[PARTS];         // box of each part
} Bounds;

// Box of no points: any point that is added replaces both corners.
static const Box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

// Extends a box by a point. A NaN coordinate changes nothing.
static void add_point(Box* box, const float* p) {
  for (int c = 0; c < 3; ++c) {
    box->lo[c] = p[c] < box->lo[c] ? p[c] : box->lo[c];
    box->hi[c] = p[c] > box->hi[c] ? p[c] : box->hi[c];
  }
}

// Box of one part. The usual case has no test for each point: x - x is 0 for finite x and NaN otherwise.
static void bound_range(void* arg, size_t begin, size_t end) {
  Bounds* bounds = arg;
  Box box = EMPTY;
  float nonfinite_sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const float* p = bounds->positions + 3 * i;
    add_point(&box, p);
    // The sum becomes NaN as soon as one coordinate is not finite.
    nonfinite_sum += (p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]);
  }
  if (nonfinite_sum != 0) {
    // Rare case: compute the box again without the points that are not finite.
    box = EMPTY;
    for (size_t i = begin; i < end; ++i) {
      const float* p = bounds->positions + 3 * i;
      if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) add_point(&box, p);
    }
  }
  bounds->part[begin / bounds->grain] = box;
}

// Extends a box by another box.
static void extend_box(double lo[3], double hi[3], const double other_lo[3], const double other_hi[3]) {
  for (int c = 0; c < 3; ++c) {
    if (other_lo[c] < lo[c]) lo[c] = other_lo[c];
    if (other_hi[c] > hi[c]) hi[c] = other_hi[c];
  }
}

bool rv_detail_bounds(const RvDetail* detail, double lo[3], double hi[3]) {
  Bounds bounds = {.positions = rv_detail_f32(detail, RV_POINT, "P", 3), .grain = GRAIN};
  size_t count = bounds.positions ? detail->count[RV_POINT] : 0;
  if (count > (size_t)PARTS * GRAIN) bounds.grain = (count + PARTS - 1) / PARTS;
  // Points: boxes of the parts, then their union in order.
  rv_parallel_for(count, bounds.grain, bound_range, &bounds);
  for (int c = 0; c < 3; ++c) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
  for (size_t i = 0; i * bounds.grain < count; ++i) {
    double part_lo[3], part_hi[3];
    for (int c = 0; c < 3; ++c) {
      part_lo[c] = bounds.part[i].lo[c];
      part_hi[c] = bounds.part[i].hi[c];
    }
    extend_box(lo, hi, part_lo, part_hi);
  }
  // VDBs: the world boxes of their active voxels.
  for (size_t i = 0; i < detail->grids.count; ++i) {
    double grid_lo[3], grid_hi[3];
    if (rv_prim_grid_bounds(detail->grids.data[i].grid, grid_lo, grid_hi)) extend_box(lo, hi, grid_lo, grid_hi);
  }
  bool any = lo[0] <= hi[0];
  for (int c = 0; c < 3 && !any; ++c) lo[c] = hi[c] = 0;
  return any;
}
