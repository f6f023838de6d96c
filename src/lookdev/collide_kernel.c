// The way of a vertex relative to every solid, over the lanes of a batch (collide_kernel.h).
#include "lookdev/collide_kernel.h"

#include "math/lanes_math.h"

unsigned RV_KERNEL(rv_lookdev_near)(const RvNearBatch* b);

RV_INLINE RvLanes3 set3(const double x[3]) {
  return (RvLanes3){rv_lanes_set(x[0]), rv_lanes_set(x[1]), rv_lanes_set(x[2])};
}

// Largest speed relative to the solids, m/s.
RV_INLINE RvLanes relative_speed(const RvNearBatch* b, RvLanes3 x, RvLanes3 v) {
  RvLanes most = rv_lanes_set(0);
  for (size_t k = 0; k < b->nsolid; ++k) {
    const RvNearSolid* s = &b->solids[k];
    RvLanes3 arm = rv_lanes3_sub(x, set3(s->position));
    RvLanes3 carried = rv_lanes3_add(set3(s->linear), rv_lanes3_cross(set3(s->angular), arm));
    RvLanes3 slip = rv_lanes3_sub(v, carried);
    RvLanes speed = rv_lanes_sqrt(rv_lanes3_dot(slip, slip)) + rv_lanes_set(s->fastest);
    most = rv_lanes_max(most, speed);
  }
  return most;
}

// Lanes from `lane` on; adds their bits to the rows.
RV_INLINE unsigned near_lanes(const RvNearBatch* b, int lane) {
  const RvLanes least = rv_lanes_set(b->least), bound = rv_lanes_set(b->least_clearance);
  RvLanes arc = rv_lanes_set(0);
  unsigned count = 0;
  for (int i = 1; i < b->vertices; ++i) {
    const ptrdiff_t row = (ptrdiff_t)i * RV_W + lane;
    arc += rv_lanes_load(b->length + row - RV_W);
    RvLanes3 x = rv_lanes3_load(b->x + (ptrdiff_t)(4 * i) * RV_W + lane);
    RvLanes3 v = rv_lanes3_load(b->v + (ptrdiff_t)(4 * i) * RV_W + lane);
    RvLanes way = rv_lanes_set(b->dt) * relative_speed(b, x, v);
    RvLanes left = rv_lanes_load(b->clearance + row) - way;
    // Numbers that are not finite are tested.
    RvLaneMask near = ~rv_lanes_positive((left - way) - least) | rv_lanes_positive(rv_lanes_load(b->press + row));
    near &= rv_lanes_positive(rv_lanes_load(b->free + (ptrdiff_t)(4 * i) * RV_W + lane));
    near &= ~rv_lanes_positive(rv_lanes_set(b->rootfree) - arc);
    rv_lanes_store(b->clearance + row, rv_lanes_select(rv_lanes_positive(left - bound), left, bound));
    unsigned bits = rv_lanes_bits(near);
    if (bits) rv_lanes_store(b->way + row, way);
    b->candidate[i] = (uint8_t)(b->candidate[i] | bits << lane);
    count += (unsigned)__builtin_popcount(bits);
  }
  return count;
}

unsigned RV_KERNEL(rv_lookdev_near)(const RvNearBatch* b) {
  unsigned count = 0;
  for (int i = 0; i < b->vertices; ++i) b->candidate[i] = 0;
  for (int lane = 0; lane < RV_W; lane += RV_V) count += near_lanes(b, lane);
  return count;
}
