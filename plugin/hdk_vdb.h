// VDB primitives of Houdini to and from our grids: the voxels are shared, never copied.
#pragma once

#include "rivulet/vdb.h"

#ifdef __cplusplus
extern "C" {
#endif

// `prim` is a GEO_PrimVDB; `name` is its attribute of that name.
RvResult rv_hdk_vdb_read(const void* prim, const char* name, RvGrid** out, RvError* error);
// Appends a primitive to `gdp`, a GU_Detail. Houdini adds a point and a vertex to it.
RvResult rv_hdk_vdb_write(const RvGrid* grid, void* gdp, RvError* error);
// Primitive attributes that Houdini makes of a grid's metadata, which we keep in the grid.
bool rv_hdk_vdb_is_metadata(const char* attribute);

#ifdef __cplusplus
}
#endif
