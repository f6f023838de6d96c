// What a detail asks of the grids of its VDB primitives.
#ifndef RV_GEO_PRIM_VDB_H
#define RV_GEO_PRIM_VDB_H

#include "rivulet/geo.h"

void rv_prim_grid_retain(RvGrid* grid);
void rv_prim_grid_release(RvGrid* grid);
const char* rv_prim_grid_name(const RvGrid* grid);
size_t rv_prim_grid_bytes(const RvGrid* grid);
uint64_t rv_prim_grid_hash(const RvGrid* grid);
bool rv_prim_grid_bounds(const RvGrid* grid, double lo[3], double hi[3]);

#endif
