// Rows of eight cells of a tile and of the tiles around it, for kernels that go through a vector over tiles: 512 floats
// a tile, with a tile of zeros behind the last for all that are absent.
#ifndef RV_LIQUID_ROWS_H
#define RV_LIQUID_ROWS_H

#include "math/lanes_float.h"
#include "space/tiles.h"

// A tile of a vector with its neighbours at -x, +x, -y, +y, -z, +z.
typedef struct RvAround {
  const float *own, *near[6];
} RvAround;

RV_INLINE RvAround rv_liquid_around(const int32_t (*near)[6], const float* x, size_t t) {
  RvAround a = {.own = x + t * RV_TILE_CELLS};
  for (int k = 0; k < 6; ++k) a.near[k] = x + (size_t)near[t][k] * RV_TILE_CELLS;
  return a;
}

// A slice of it: 64 cells of one z, with the slices beside it.
typedef struct RvSlice {
  const float *own, *left, *right, *down, *up, *back, *front;
} RvSlice;

RV_INLINE RvSlice rv_liquid_slice(const RvAround* a, int z) {
  int at = z * 64;
  return (RvSlice){a->own + at,
                   a->near[0] + at,
                   a->near[1] + at,
                   a->near[2] + at,
                   a->near[3] + at,
                   z > 0 ? a->own + at - 64 : a->near[4] + 448,
                   z < 7 ? a->own + at + 64 : a->near[5]};
}

// Row y of a slice, and the rows a cell further to each side.
RV_INLINE RvRow rv_liquid_slice_own(const RvSlice* s, int y) {
  return rv_row_load(s->own + y * 8);
}
RV_INLINE RvRow rv_liquid_slice_left(const RvSlice* s, int y) {
  return rv_row_before(rv_row_load(s->left + y * 8), rv_row_load(s->own + y * 8));
}
RV_INLINE RvRow rv_liquid_slice_right(const RvSlice* s, int y) {
  return rv_row_after(rv_row_load(s->own + y * 8), rv_row_load(s->right + y * 8));
}
RV_INLINE RvRow rv_liquid_slice_down(const RvSlice* s, int y) {
  return rv_row_load(y > 0 ? s->own + y * 8 - 8 : s->down + 56);
}
RV_INLINE RvRow rv_liquid_slice_up(const RvSlice* s, int y) {
  return rv_row_load(y < 7 ? s->own + y * 8 + 8 : s->up);
}
RV_INLINE RvRow rv_liquid_slice_back(const RvSlice* s, int y) {
  return rv_row_load(s->back + y * 8);
}
RV_INLINE RvRow rv_liquid_slice_front(const RvSlice* s, int y) {
  return rv_row_load(s->front + y * 8);
}

#endif
