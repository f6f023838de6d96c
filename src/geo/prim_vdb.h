// The operations on grids that a detail needs for its VDB primitives.
#ifndef RV_GEO_PRIM_VDB_H
#define RV_GEO_PRIM_VDB_H

#include "rivulet/geo.h"

// Adds a reference to the grid.
void rv_prim_grid_retain(RvGrid* grid);
// Removes a reference; the last one frees the grid.
void rv_prim_grid_release(RvGrid* grid);
// Name of the grid, "" if it has none. Borrowed.
const char* rv_prim_grid_name(const RvGrid* grid);
// Bytes of memory of the grid.
size_t rv_prim_grid_bytes(const RvGrid* grid);
// Hash of the grid's content; 0: out of memory.
uint64_t rv_prim_grid_hash(const RvGrid* grid);
// World box of the active voxels. False when there are none.
bool rv_prim_grid_bounds(const RvGrid* grid, double lo[3], double hi[3]);

#endif
