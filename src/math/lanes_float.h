// Rows of eight floats, one row of a tile, on every machine. Only sums, products and shuffles are used, each with one
// rounding, so every instruction set gives the same bits. As in math/lanes.h, these types must not appear in interfaces
// between files.
#ifndef RV_MATH_LANES_FLOAT_H
#define RV_MATH_LANES_FLOAT_H

#include "math/lanes.h"

typedef float RvRow __attribute__((vector_size(32)));                   // 8 floats, aligned
typedef float RvRowLoose __attribute__((vector_size(32), aligned(4)));  // 8 floats, not aligned
typedef double RvRowSum __attribute__((vector_size(64)));               // 8 doubles, for sums

// Loads from aligned memory.
RV_INLINE RvRow rv_row_load(const float* p) {
  return *(const RvRow*)p;
}
// Loads from any address.
RV_INLINE RvRow rv_row_load_loose(const float* p) {
  return *(const RvRowLoose*)p;
}
RV_INLINE void rv_row_store(float* p, RvRow x) {
  *(RvRow*)p = x;
}
// The same number in all lanes.
RV_INLINE RvRow rv_row_set(float x) {
  return x - (RvRow){0};
}
// Lower neighbours: x shifted up by one lane, with the last lane of `before` in front.
RV_INLINE RvRow rv_row_before(RvRow before, RvRow x) {
  return __builtin_shufflevector(before, x, 7, 8, 9, 10, 11, 12, 13, 14);
}
// Upper neighbours: x shifted down by one lane, with the first lane of `after` at the end.
RV_INLINE RvRow rv_row_after(RvRow x, RvRow after) {
  return __builtin_shufflevector(x, after, 1, 2, 3, 4, 5, 6, 7, 8);
}
// Conversion to double.
RV_INLINE RvRowSum rv_row_wide(RvRow x) {
  return __builtin_convertvector(x, RvRowSum);
}
// Sum of the lanes by a fixed tree.
RV_INLINE double rv_row_total(RvRowSum s) {
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

#endif
