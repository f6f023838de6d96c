// Conversion of geometry between Houdini's GU_Detail (`gdp`) and RvDetail, whole attributes at a time.
#pragma once

#include "rivulet/geo.h"

#ifdef __cplusplus
extern "C" {
#endif

// A GU_Detail as a new detail, as the headless host reads the file that Houdini would save of it: packed geometry is
// unpacked, NURBS and Bezier curves are sampled. Array attributes are left out, with a warning in `log`.
RvResult rv_hdk_geo_read(const void* gdp, RvDetail** out, const RvLog* log, RvError* error);
// Makes `gdp` equal to the detail. It writes only what differs and bumps the data ids of that, so the viewport updates.
RvResult rv_hdk_geo_write(const RvDetail* detail, void* gdp, RvError* error);

#ifdef __cplusplus
}
#endif
