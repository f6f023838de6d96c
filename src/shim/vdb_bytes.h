// Grids of a VDB file that is already in memory, and how much is in them.
#ifndef RV_SHIM_VDB_BYTES_H
#define RV_SHIM_VDB_BYTES_H

#include "rivulet/vdb.h"

#ifdef __cplusplus
extern "C" {
#endif

// As rv_grid_read_file, from bytes, some of which may be changed. `name` stands for the file in errors.
RvResult rv_grid_read_bytes(const char* name, void* bytes, size_t size, RvGrid*** grids, size_t* count,
                            const RvLog* log, RvError* error);
// Number of points of a points grid, before anything is allocated for them.
RvResult rv_grid_points_count(const RvGrid* grid, size_t* count, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
