// Readers and writers of the other file formats, one function each. Houdini's formats are rv_detail_decode and
// rv_detail_encode of rivulet/geo.h.
// All return RV_OK or an error that names the file; `log` (may be NULL) receives warnings about what a format cannot
// represent.
#ifndef RV_GEO_IO_H
#define RV_GEO_IO_H

#include "rivulet/geo.h"

// VTK XML PolyData: points without primitives as Verts, open polygons as Lines, closed ones as Polys; every attribute
// as point, cell or field data, groups as 0/1 arrays named group_<name>. A warning names each attribute or group that
// VTK cannot represent.
RvResult rv_vtp_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);
// OpenVDB: all VDB primitives in one file. A detail of points only becomes a points grid named "points" with those
// attributes that OpenVDB points support. Polygons without a VDB are RV_BAD_INPUT.
RvResult rv_vdb_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);
// Reads an OpenVDB file: grids become VDB primitives, points grids become points. The caller frees *out, which is NULL
// on failure.
RvResult rv_vdb_read(const char* path, RvDetail** out, const RvLog* log, RvError* error);
// Warns for each VDB primitive that it was not written, as `format` cannot contain grids.
void rv_geo_warn_grids(const RvDetail* detail, const char* format, const RvLog* log);

#endif
