// How the two ends of an edge share the impulse that its film gives to the strand. For kernels.
#ifndef RV_FILM_PARTS_H
#define RV_FILM_PARTS_H

#include "film/work.h"
#include "math/lanes_math.h"

// Share of the lower end: half, which conserves angular momentum, unless one end holds less than a fifth of the edge's
// film. Then the share falls linearly to 0 with the film there: otherwise a bare hair beside a drop would take half of
// the drop's impulse (E43: heavy drops). The slope 2.5 makes it reach one half at one fifth.
RV_INLINE RvLanes rv_film_lower_part(RvLanes below, RvLanes above) {
  const RvLanes sum = below + above, one = rv_lanes_set(1), half = rv_lanes_set(0.5), steep = rv_lanes_set(2.5);
  const RvLaneMask any = rv_lanes_positive(sum - rv_lanes_set(RV_FILM_NO_MASS));
  const RvLanes part = rv_lanes_select(any, below / rv_lanes_select(any, sum, one), half);
  const RvLanes low = steep * part, high = one - steep * (one - part);
  const RvLanes least = rv_lanes_select(rv_lanes_positive(half - low), low, half);
  return rv_lanes_max(least, high);
}

#endif
