// Variables in texts.
#ifndef RV_PARM_VARS_H
#define RV_PARM_VARS_H

#include "rivulet/parm.h"

// True if the text changes with the frame: it contains $F, $F1..$F9, $FF or $T, with or without braces.
bool rv_vars_animated(const char* text);

#endif
