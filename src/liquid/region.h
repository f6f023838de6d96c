// A region of space by its signed distance: where sources keep the liquid full, where sinks remove it, what a solid
// covers.
#ifndef RV_LIQUID_REGION_H
#define RV_LIQUID_REGION_H

#include "math/vec.h"
#include "rivulet/vdb.h"

// Signed distances (m, below 0 inside) of `count` points (m, xyz each); several workers call it at once. Far from the
// surface only the sign must be right. False: out of memory.
typedef bool RvRegionFn(const void* user, size_t count, const double* at, float* out);

typedef struct RvRegion {
  RvRegionFn* distance;
  const void* user;
  double lo[3], hi[3];  // nothing outside this box is inside
} RvRegion;

// A box of two corners, [0] the lower, which must outlive the region.
RvRegion rv_liquid_region_box(const double box[2][3]);
// A ball: centre and radius.
RvRegion rv_liquid_region_ball(const double ball[4]);

// Velocities (m/s, xyz each) at `count` points (m); several workers call it at once.
typedef void RvFieldFn(const void* user, size_t count, const double* at, float* out);

// A level set with a placement and a motion: world = to + turn * own. Its shape may change by a field, since
// `field_time`: what is at x was at x - field_time * velocity(x). All in its own space.
typedef struct RvPlacedGrid {
  const RvGrid* distance;  // m; NULL: there is nothing
  const RvGrid* velocity;  // m/s; or NULL
  RvFieldFn* motion;       // or a function, whose speeds are at most `fastest`; or NULL
  const void* user;
  double fastest;
  double field_time;  // s
  RvQuat turn;
  RvVec3 to;
  double thicken;  // m by which the surface is moved outward
} RvPlacedGrid;

// Velocities of the field alone, turned into the world. False: out of memory.
bool rv_liquid_placed_field(const RvPlacedGrid* placed, size_t count, const double* at, float* out);
// Signed distances at `count` places of the world. False: out of memory.
bool rv_liquid_placed_distance(const RvPlacedGrid* placed, size_t count, const double* at, float* out);
// The box in the world of its active voxels, `thicken` and the field's motion counted; false when it is empty. A level
// set that is negative outside of its band is infinite.
bool rv_liquid_placed_bounds(const RvPlacedGrid* placed, double lo[3], double hi[3]);
// The placed grid must outlive the region.
RvRegion rv_liquid_region_grid(const RvPlacedGrid* placed);

static inline bool rv_liquid_region_near(const RvRegion* r, const double at[3], double reach) {
  for (int a = 0; a < 3; ++a)
    if (!(at[a] >= r->lo[a] - reach && at[a] <= r->hi[a] + reach)) return false;
  return true;
}

#endif
