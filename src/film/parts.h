// How the two ends of an edge share what its film pushes aside. For kernels.
#ifndef RV_FILM_PARTS_H
#define RV_FILM_PARTS_H

#include "film/work.h"
#include "math/lanes_math.h"

// Half each, which keeps angular momentum, unless one end has less than a fifth of the edge's film: then by what they
// hold, or a bare hair beside a drop would take half of the drop's push and fly off (E43: heavy drops).
RV_INLINE RvLanes rv_film_lower_part(RvLanes below, RvLanes above) {
  const RvLanes sum = below + above, one = rv_lanes_set(1), half = rv_lanes_set(0.5), steep = rv_lanes_set(2.5);
  const RvLaneMask any = rv_lanes_positive(sum - rv_lanes_set(RV_FILM_NO_MASS));
  const RvLanes part = rv_lanes_select(any, below / rv_lanes_select(any, sum, one), half);
  const RvLanes low = steep * part, high = one - steep * (one - part);
  const RvLanes least = rv_lanes_select(rv_lanes_positive(half - low), low, half);
  return rv_lanes_max(least, high);
}

#endif
