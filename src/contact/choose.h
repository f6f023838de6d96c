// Minimum, maximum and clamp lane by lane, with the comparisons of rv_min, rv_max and rv_clamp: the same bits. For
// kernels.
#ifndef RV_CONTACT_CHOOSE_H
#define RV_CONTACT_CHOOSE_H

#include "math/lanes_math.h"

#if RV_V == 1
#define MASK(condition) (-(RvLaneMask)(condition))
#else
#define MASK(condition) (condition)
#endif

RV_INLINE RvLanes lesser(RvLanes a, RvLanes b) {
  return rv_lanes_select(MASK(a < b), a, b);
}

RV_INLINE RvLanes greater(RvLanes a, RvLanes b) {
  return rv_lanes_select(MASK(a > b), a, b);
}

RV_INLINE RvLanes clamp(RvLanes x, RvLanes lo, RvLanes hi) {
  return rv_lanes_select(MASK(x < lo), lo, rv_lanes_select(MASK(x > hi), hi, x));
}

#endif
