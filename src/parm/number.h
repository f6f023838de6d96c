// Numbers as text, with a point whatever locale the host has set.
#ifndef RV_PARM_NUMBER_H
#define RV_PARM_NUMBER_H

#include "rivulet/base.h"

enum { RV_NUMBER_BYTES = 40 };

// Reads a decimal number at `text`; *end is the first character after it. False if there is none or it is not
// finite.
bool rv_number_read(const char* text, const char** end, double* out);
// The shortest decimal that reads back to the same value; returns `buffer`.
const char* rv_number_write(double value, char buffer[RV_NUMBER_BYTES]);
// With at most `digits` significant digits.
const char* rv_number_round(double value, int digits, char buffer[RV_NUMBER_BYTES]);

#endif
