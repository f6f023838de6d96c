// Eight particles at a time, whatever the machine. Products and sums of one rounding each, so every path gives the same
// bits; weights are float, all that must balance is double.
#include "couple/capture_kernel.h"

#include "math/lanes_float.h"

void RV_KERNEL(rv_capture_weigh)(const RvCaptureTile* tile, const RvCapturePiece* p, const float r[2]);
void RV_KERNEL(rv_capture_ask)(const RvCaptureTile* tile, const RvCapturePiece* p, double sums[RV_CAPTURE_SUMS]);
void RV_KERNEL(rv_capture_give)(const RvCaptureTile* tile, const RvCapturePiece* p, const double s[2]);

typedef int32_t Mask __attribute__((vector_size(32)));
typedef double SumLoose __attribute__((vector_size(64), aligned(8), may_alias));

// Where eight can be read at once: what is not asked for has no weight, and nothing is added to it.
typedef struct Reach {
  size_t i, n;      // `n` particles from i on
  bool all, tiles;  // eight are there at all, and in this tile: of what other tiles may be writing nothing is read
} Reach;

RV_INLINE Reach reach_of(const RvCaptureTile* tile, size_t i, size_t last) {
  size_t n = last - i < 8 ? last - i : 8;
  return (Reach){i, n, i + 8 <= tile->count, i + 8 <= tile->cell[RV_TILE_CELLS]};
}

RV_INLINE RvRow load(const float* p, Reach r) {
  if (__builtin_expect(r.all, 1)) return rv_row_load_loose(p + r.i);
  RvRow x = {0};
  for (size_t k = 0; k < r.n; ++k) x[k] = p[r.i + k];
  return x;
}

RV_INLINE RvRow load_own(const float* p, Reach r) {
  if (__builtin_expect(r.tiles, 1)) return rv_row_load_loose(p + r.i);
  RvRow x = {0};
  for (size_t k = 0; k < r.n; ++k) x[k] = p[r.i + k];
  return x;
}

RV_INLINE RvRowSum load_sum(const double* p, Reach r) {
  if (__builtin_expect(r.tiles, 1)) return *(const SumLoose*)(p + r.i);
  RvRowSum x = {0};
  for (size_t k = 0; k < r.n; ++k) x[k] = p[r.i + k];
  return x;
}

RV_INLINE void store(float* p, Reach r, RvRow x) {
  if (__builtin_expect(r.tiles, 1))
    *(RvRowLoose*)(p + r.i) = x;
  else
    for (size_t k = 0; k < r.n; ++k) p[r.i + k] = x[k];
}

RV_INLINE void store_sum(double* p, Reach r, RvRowSum x) {
  if (__builtin_expect(r.tiles, 1))
    *(SumLoose*)(p + r.i) = x;
  else
    for (size_t k = 0; k < r.n; ++k) p[r.i + k] = x[k];
}

RV_INLINE RvRow only(Mask m, RvRow x) {
  return (RvRow)((Mask)x & m);
}

RV_INLINE RvRow larger(RvRow a, RvRow b) {
  Mask m = a > b;
  return (RvRow)(((Mask)a & m) | ((Mask)b & ~m));
}

RV_INLINE bool any(Mask m) {
#if defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#else
  int32_t all = 0;
  for (int k = 0; k < 8; ++k) all |= m[k];
  return all != 0;
#endif
}

// Place along the edge and weight (1 - d^2 / reach^2)^2 of some particles; false: all weights are 0.
RV_INLINE bool weigh(const RvCaptureTile* tile, const RvCapturePiece* p, Reach r, RvRow* t, RvRow* w) {
  const RvRow zero = {0}, one = rv_row_set(1);
  const Mask lane = {0, 1, 2, 3, 4, 5, 6, 7};
  RvRow x = load(tile->x[0], r) - p->a[0], y = load(tile->x[1], r) - p->a[1], z = load(tile->x[2], r) - p->a[2];
  RvRow at = (x * p->d[0] + y * p->d[1] + z * p->d[2]) * p->inverse;
  at = larger(at, zero);
  at = -larger(-at, -one);
  x -= at * p->d[0], y -= at * p->d[1], z -= at * p->d[2];
  RvRow near = one - (x * x + y * y + z * z) * p->near;
  Mask in = (near > zero) & (at >= rv_row_set(p->from)) & (lane < (int32_t)r.n);
  if (p->to < 1) in &= at < rv_row_set(p->to);
  if (!any(in)) return false;
  *t = at, *w = only(in, near * near);
  return true;
}

// from the box of the piece to a cell along an axis
RV_INLINE float gap(const RvCapturePiece* p, int axis, int cell) {
  float below = p->low[axis] - (float)(cell + 1), above = (float)cell - p->high[axis];
  float far = below > above ? below : above;
  return far > 0 ? far : 0;
}

RV_INLINE int within(float x) {
  return x > 0 ? x < RV_TILE_SIDE - 1 ? (int)x : RV_TILE_SIDE - 1 : 0;
}

// Particles of the rows of cells within reach of the piece's box; those of a row stand one after the other.
typedef struct Rows {
  int count;
  uint32_t first[RV_TILE_SIDE * RV_TILE_SIDE], last[RV_TILE_SIDE * RV_TILE_SIDE];
} Rows;

RV_INLINE void find_rows(const RvCaptureTile* tile, const RvCapturePiece* p, Rows* rows) {
  float square = p->reach * p->reach;
  uint64_t left = tile->rows & rv_capture_rows(p->lo[1], p->hi[1], p->lo[2], p->hi[2]);
  for (rows->count = 0; left; left &= left - 1) {
    int row = __builtin_ctzll(left);
    float dy = gap(p, 1, row & 7), dz = gap(p, 2, row >> 3), rest = square - (dy * dy + dz * dz);
    if (!(rest > 0)) continue;
    // cells along x beyond which all is out of reach; the margin is more than any rounding
    float wide = __builtin_sqrtf(rest) + 1e-3f;
    const uint32_t* cell = tile->cell + 8 * row;
    uint32_t first = cell[within(p->low[0] - wide)], last = cell[within(p->high[0] + wide) + 1];
    rows->first[rows->count] = first, rows->last[rows->count] = last;
    rows->count += first < last;
  }
}

void RV_KERNEL(rv_capture_weigh)(const RvCaptureTile* tile, const RvCapturePiece* p, const float r[2]) {
  const RvRow from = rv_row_set(r[0]), slope = rv_row_set(r[1] - r[0]);
  Rows rows;
  find_rows(tile, p, &rows);
  for (int row = 0; row < rows.count; ++row)
    for (size_t i = rows.first[row], last = rows.last[row]; i < last; i += 8) {
      Reach at = reach_of(tile, i, last);
      RvRow t, w;
      if (!weigh(tile, p, at, &t, &w)) continue;
      RvRowSum sum = load_sum(tile->weight, at) + rv_row_wide(w);
      RvRow rate = load_own(tile->rate, at) + w * (from + t * slope);
      RvRow nearest = larger(w, load_own(tile->nearest, at));
      store_sum(tile->weight, at, sum), store(tile->rate, at, rate), store(tile->nearest, at, nearest);
    }
}

void RV_KERNEL(rv_capture_ask)(const RvCaptureTile* tile, const RvCapturePiece* p, double sums[RV_CAPTURE_SUMS]) {
  RvRowSum sum[RV_CAPTURE_SUMS] = {{0}};
  Rows rows;
  find_rows(tile, p, &rows);
  for (int row = 0; row < rows.count; ++row)
    for (size_t i = rows.first[row], last = rows.last[row]; i < last; i += 8) {
      Reach at = reach_of(tile, i, last);
      RvRow t, w;
      if (!weigh(tile, p, at, &t, &w)) continue;
      RvRowSum volume = rv_row_wide(w) * load_sum(tile->each, at);
      RvRowSum upper = volume * rv_row_wide(t), lower = volume - upper;
      sum[0] += lower, sum[4] += upper;
      RV_UNROLL for (int a = 0; a < 3; ++a) {
        // a particle out of reach may be no number
        RvRowSum v = rv_row_wide(only(w > (RvRow){0}, load(tile->v[a], at)));
        sum[1 + a] += lower * v, sum[5 + a] += upper * v;
      }
    }
  for (int k = 0; k < RV_CAPTURE_SUMS; ++k) sums[k] = rv_row_total(sum[k]);
}

void RV_KERNEL(rv_capture_give)(const RvCaptureTile* tile, const RvCapturePiece* p, const double s[2]) {
  const float refuses = s[0] < 1 || s[1] < 1;
  Rows rows;
  find_rows(tile, p, &rows);
  for (int row = 0; row < rows.count; ++row)
    for (size_t i = rows.first[row], last = rows.last[row]; i < last; i += 8) {
      Reach at = reach_of(tile, i, last);
      RvRow t, w;
      if (!weigh(tile, p, at, &t, &w)) continue;
      RvRowSum wide = rv_row_wide(w), upper = wide * rv_row_wide(t);
      RvRowSum sum = load_sum(tile->given, at) + ((wide - upper) * s[0] + upper * s[1]);
      RvRow refused = larger(w * refuses, load_own(tile->refused, at));
      store_sum(tile->given, at, sum), store(tile->refused, at, refused);
    }
}
