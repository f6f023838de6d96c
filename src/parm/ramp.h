// Ramps as text: keys separated by commas, each "position value interpolation" ("0 0 linear, 1 1 smooth");
// the interpolation may be left out and is linear then.
#ifndef RV_PARM_RAMP_H
#define RV_PARM_RAMP_H

#include "parm/text.h"
#include "rivulet/parm.h"

// The names of RvInterp and RvExtend; NULL if out of range. The search is false if there is no such word.
const char* rv_interp_name(RvInterp interp);
const char* rv_extend_name(RvExtend extend);
bool rv_interp_find(const char* word, size_t length, RvInterp* out);
bool rv_extend_find(const char* word, size_t length, RvExtend* out);

RvResult rv_ramp_parse(const char* text, RvRamp* out, RvError* error);
// 1 to RV_RAMP_MAX_KEYS keys, finite, their positions in [0, 1] and increasing.
RvResult rv_ramp_check(const RvRamp* ramp, RvError* error);
void rv_ramp_write(const RvRamp* ramp, RvText* text);

#endif
