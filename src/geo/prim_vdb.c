// Grids of VDB primitives: thin calls into rivulet/vdb.h.
#include "geo/prim_vdb.h"

void rv_prim_grid_retain(RvGrid* grid) {
  rv_grid_retain(grid);
}

void rv_prim_grid_release(RvGrid* grid) {
  rv_grid_release(grid);
}

const char* rv_prim_grid_name(const RvGrid* grid) {
  const char* name = rv_grid_name(grid);
  return name ? name : "";
}

size_t rv_prim_grid_bytes(const RvGrid* grid) {
  return rv_grid_bytes(grid);
}

uint64_t rv_prim_grid_hash(const RvGrid* grid) {
  return rv_grid_hash(grid);
}

bool rv_prim_grid_bounds(const RvGrid* grid, double lo[3], double hi[3]) {
  int32_t index_lo[3], index_hi[3];
  return rv_grid_bounds(grid, index_lo, index_hi, lo, hi);
}
