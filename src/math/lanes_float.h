// Eight floats at once, whatever the machine: a row of a tile. Only sums, products and shuffles, each of one rounding,
// so every instruction set gives the same bits. As math/lanes.h, these types must not cross into other files.
#ifndef RV_MATH_LANES_FLOAT_H
#define RV_MATH_LANES_FLOAT_H

#include "math/lanes.h"

typedef float RvRow __attribute__((vector_size(32)));
typedef float RvRowLoose __attribute__((vector_size(32), aligned(4)));
typedef double RvRowSum __attribute__((vector_size(64)));

RV_INLINE RvRow rv_row_load(const float* p) {
  return *(const RvRow*)p;
}
RV_INLINE RvRow rv_row_load_loose(const float* p) {
  return *(const RvRowLoose*)p;
}
RV_INLINE void rv_row_store(float* p, RvRow x) {
  *(RvRow*)p = x;
}
RV_INLINE RvRow rv_row_set(float x) {
  return x - (RvRow){0};
}
// x moved up by one lane, the last of `before` in front; and down, the first of `after` behind
RV_INLINE RvRow rv_row_before(RvRow before, RvRow x) {
  return __builtin_shufflevector(before, x, 7, 8, 9, 10, 11, 12, 13, 14);
}
RV_INLINE RvRow rv_row_after(RvRow x, RvRow after) {
  return __builtin_shufflevector(x, after, 1, 2, 3, 4, 5, 6, 7, 8);
}
RV_INLINE RvRowSum rv_row_wide(RvRow x) {
  return __builtin_convertvector(x, RvRowSum);
}
RV_INLINE double rv_row_total(RvRowSum s) {
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

#endif
