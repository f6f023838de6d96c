// Ramps as text: keys separated by commas, each "position value interpolation" ("0 0 linear, 1 1 smooth");
// the interpolation may be left out and is linear then.
#ifndef RV_PARM_RAMP_H
#define RV_PARM_RAMP_H

#include "parm/text.h"
#include "rivulet/parm.h"

// Name of an interpolation or extension, such as "linear"; NULL if it is out of range.
const char* rv_interp_name(RvInterp interp);
const char* rv_extend_name(RvExtend extend);
// The interpolation or extension named by the first `length` characters of `word`. False if there is none.
bool rv_interp_find(const char* word, size_t length, RvInterp* out);
bool rv_extend_find(const char* word, size_t length, RvExtend* out);

// Reads and checks a ramp; *out is unchanged on failure.
RvResult rv_ramp_parse(const char* text, RvRamp* out, RvError* error);
// Checks for 1 to RV_RAMP_MAX_KEYS finite keys with increasing positions in [0, 1].
RvResult rv_ramp_check(const RvRamp* ramp, RvError* error);
// Appends a ramp as text that rv_ramp_parse reads back.
void rv_ramp_write(const RvRamp* ramp, RvText* text);

#endif
