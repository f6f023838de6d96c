// Geometry of Houdini to and from ours, in bulk. A `gdp` is a GU_Detail; only these wrappers know its class.
#pragma once

#include "rivulet/geo.h"

#ifdef __cplusplus
extern "C" {
#endif

// What has no place in a detail (packed and curved primitives, array attributes) is left out, and said so.
RvResult rv_hdk_geo_read(const void* gdp, RvDetail** out, const RvLog* log, RvError* error);
// Makes `gdp` equal to the detail: only what differs is written, and its data ids are bumped.
RvResult rv_hdk_geo_write(const RvDetail* detail, void* gdp, RvError* error);

#ifdef __cplusplus
}
#endif
