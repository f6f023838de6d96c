// Numbers and text, whatever the locale of the host: the C library's strtod and printf follow it, these do not.
#ifndef RV_SHIM_NUMBER_H
#define RV_SHIM_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes read from the start of the text (0: not a number), correctly rounded to the type. Overflow gives infinity and
// underflow zero, as strtod does.
size_t rv_number_parse_f32(const char* text, size_t length, float* out);
size_t rv_number_parse_f64(const char* text, size_t length, double* out);

enum { RV_NUMBER_TEXT = 40 };
// The shortest text that reads back to the same bits; returns its length, and no 0 follows. Only finite numbers.
size_t rv_number_print_f32(char text[RV_NUMBER_TEXT], float value);
size_t rv_number_print_f64(char text[RV_NUMBER_TEXT], double value);

#ifdef __cplusplus
}
#endif
#endif
