#ifndef RV_LIQUID_STRAIGHT_H
#define RV_LIQUID_STRAIGHT_H

#include "liquid/grid.h"

#define RV_STRAIGHT_LARGEST 0.25f

static inline float rv_liquid_straight_share(float square) {
  float share = 2 - square / RV_STRAIGHT_LARGEST;
  return share < 0 ? 0 : share > 1 ? 1 : share;
}

RvResult rv_liquid_straight_divergence(RvLiquidGrid* grid, double dt, RvError* error);

#endif
