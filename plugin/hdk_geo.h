// Geometry of Houdini to and from ours, in bulk. A `gdp` is a GU_Detail; only these wrappers know its class.
#pragma once

#include "rivulet/geo.h"

#ifdef __cplusplus
extern "C" {
#endif

// Points, polygons, curves, VDBs, attributes of all owners and groups, in the order of their indices. What has no place
// in a detail (packed and curved primitives, array and dictionary attributes) is left out and said so.
RvResult rv_hdk_geo_read(const void* gdp, RvDetail** out, const RvLog* log, RvError* error);
// Makes `gdp` equal to the detail. Where the topology is the same it stays, and only what differs is written; the data
// id of everything that changed is bumped.
RvResult rv_hdk_geo_write(const RvDetail* detail, void* gdp, RvError* error);

#ifdef __cplusplus
}
#endif
