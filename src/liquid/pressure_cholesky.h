// Modified incomplete Cholesky without fill, MIC(0) (Gustafsson 1978; with the safety of Bridson 2008, tau 0.97 and
// sigma 0.25): the strongest usual preconditioner of one level, kept as a baseline. Cells are eliminated in the order
// of tiles and, in a tile, of cells; as tiles are in Morton order, what a cell needs of its lower neighbours always
// comes before it. Tiles whose lower neighbours are done run at once.
#ifndef RV_LIQUID_PRESSURE_CHOLESKY_H
#define RV_LIQUID_PRESSURE_CHOLESKY_H

#include "liquid/multigrid.h"

typedef struct RvCholesky {
  const RvMgLevel* level;
  float* pivot;    // 1 / the pivot of each cell, 0 where dry
  int32_t* order;  // tiles by wave
  size_t* wave;    // first of each wave in `order`
  size_t waves;
} RvCholesky;

// Memory is of the arena; false when there is none.
bool rv_liquid_cholesky_build(RvCholesky* cholesky, const RvMgLevel* level, RvArena* arena);
// z = (L L^T)^-1 r; returns r . z
double rv_liquid_cholesky_solve(const RvCholesky* cholesky, const float* r, float* z);

#endif
