// Numbers as text, with a decimal point whatever locale the host has set.
#ifndef RV_PARM_NUMBER_H
#define RV_PARM_NUMBER_H

#include "rivulet/base.h"

enum { RV_NUMBER_BYTES = 40 };  // of a written number with its ending zero

// Reads a decimal number at `text`; *end is the first character after it. False if there is none or it is not
// finite.
bool rv_number_read(const char* text, const char** end, double* out);
// Writes the shortest decimal that reads back to the same value; returns `buffer`.
const char* rv_number_write(double value, char buffer[RV_NUMBER_BYTES]);
// Writes a number with at most `digits` significant digits; returns `buffer`.
const char* rv_number_round(double value, int digits, char buffer[RV_NUMBER_BYTES]);

#endif
