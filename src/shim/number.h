// Conversion of numbers from and to text, independent of the locale of the host, unlike strtod and printf.
#ifndef RV_SHIM_NUMBER_H
#define RV_SHIM_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads a number at the start of the text, correctly rounded to the type. Returns the number of bytes read; 0 if it is
// not a number. As with strtod, overflow gives infinity and underflow zero.
size_t rv_number_parse_f32(const char* text, size_t length, float* out);
size_t rv_number_parse_f64(const char* text, size_t length, double* out);

enum { RV_NUMBER_TEXT = 40 };  // bytes of a number as text
// Writes the shortest text that reads back to the same bits, without an ending zero, and returns its length. The number
// must be finite.
size_t rv_number_print_f32(char text[RV_NUMBER_TEXT], float value);
size_t rv_number_print_f64(char text[RV_NUMBER_TEXT], double value);

#ifdef __cplusplus
}
#endif
#endif
