// The check of a definition struct that came from outside.
#ifndef RV_BASE_RESULT_H
#define RV_BASE_RESULT_H

#include "rivulet/base.h"

// A struct that begins with its size and the version of the header must have been filled by the function `fill`, with a
// header of this library, and have `expected` bytes. The error names the struct.
RvResult rv_struct_check(const char* name, const char* fill, uint32_t size, uint32_t version, size_t expected,
                         RvError* error);

#endif
