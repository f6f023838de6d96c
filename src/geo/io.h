// One function a file format. Houdini's are rv_detail_decode and rv_detail_encode of rivulet/geo.h.
#ifndef RV_GEO_IO_H
#define RV_GEO_IO_H

#include "rivulet/geo.h"

// VTK XML PolyData: free points as Verts, open polygons as Lines, closed ones as Polys; point, cell and field data for
// every attribute, groups as 0/1 arrays named group_<name>. What VTK cannot hold is told to the log by name.
RvResult rv_vtp_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);
// OpenVDB: all VDB primitives in one file; without any, the points as a points grid named "points" with v pscale id.
RvResult rv_vdb_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);
// Grids become VDB primitives, points grids become points.
RvResult rv_vdb_read(const char* path, RvDetail** out, const RvLog* log, RvError* error);
// Says by name which VDB primitives `format` does not hold.
void rv_geo_warn_grids(const RvDetail* detail, const char* format, const RvLog* log);

#endif
