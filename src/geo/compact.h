// Compact geometry for caches that are only rendered: less precise, and without what a renderer does not read.
#ifndef RV_GEO_COMPACT_H
#define RV_GEO_COMPACT_H

#include "rivulet/geo.h"

// Leaves out the rest shape, frames and solver values of strands (RV_COMPACT_DROPPED in compact.c), and rounds
// velocities and the values of films and shading to 16-bit floats. P and all attributes of other names stay as they
// are. RV_NO_MEMORY may leave some attributes converted.
RvResult rv_detail_compact(RvDetail* detail, RvError* error);
// Converts all 16-bit floats to 32 bits, without loss: nodes read 32 bits.
RvResult rv_detail_widen(RvDetail* detail, RvError* error);

#endif
