// Conversion between Houdini's VDB primitives and RvGrid. Both share the voxels; nothing is copied.
#pragma once

#include "rivulet/vdb.h"

#ifdef __cplusplus
extern "C" {
#endif

// A GEO_PrimVDB as a grid; `name` is the value of its primitive attribute `name`.
RvResult rv_hdk_vdb_read(const void* prim, const char* name, RvGrid** out, RvError* error);
// Appends a VDB primitive to `gdp`, a GU_Detail. Houdini adds a point and a vertex for it.
RvResult rv_hdk_vdb_write(const RvGrid* grid, void* gdp, RvError* error);
// True for primitive attributes that Houdini derives from a grid's metadata; RvGrid keeps these in the grid.
bool rv_hdk_vdb_is_metadata(const char* attribute);

#ifdef __cplusplus
}
#endif
