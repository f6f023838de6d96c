// Rounds a factor and solves with it (ldlt_rounded.h). The order of operations is that of ldlt_kernel.c.
#include "math/lanes.h"
#include "math/ldlt_rounded.h"

void RV_KERNEL(rv_ldlt_round)(const double* a, int n, double* out);
void RV_KERNEL(rv_ldlt_solve_rounded)(const double* a, int n, double* x);

enum {
  BAND = RV_BAND_ROUNDED,
  COLUMN = (BAND + 1) * RV_W,              // doubles of a column of the factor
  ROUNDED_COLUMN = RV_W + BAND * RV_W / 2  // doubles of a rounded one: 1/d of each lane, then rows of floats
};
#if RV_W == 1
typedef float Floats;
#else
typedef float Floats __attribute__((vector_size(4 * RV_V), may_alias));
#endif

// Row q > 0 of a rounded column.
RV_INLINE RvLanes load_row(const double* column, int q, int lane) {
  const float* row = (const float*)(column + RV_W) + (q - 1) * RV_W + lane;
#if RV_V == 1
  return *row;
#else
  return __builtin_convertvector(*(const Floats*)row, RvLanes);
#endif
}

// Rounds row q of a column: all lanes are read before any is written, as both may share memory.
RV_INLINE void round_row(const double* column, double* rounded, int q) {
  RvLanes lanes[RV_W / RV_V];
  float* row = (float*)(rounded + RV_W) + (q - 1) * RV_W;
  RV_UNROLL
  for (int k = 0; k < RV_W / RV_V; ++k) lanes[k] = rv_lanes_load(column + q * RV_W + k * RV_V);
  RV_UNROLL
  for (int k = 0; k < RV_W / RV_V; ++k) {
#if RV_V == 1
    row[k] = (float)lanes[k];
#else
    *(Floats*)(row + k * RV_V) = __builtin_convertvector(lanes[k], Floats);
#endif
  }
}

// In place, a rounded column ends before the next column that is still to be read.
void RV_KERNEL(rv_ldlt_round)(const double* a, int n, double* out) {
  for (int j = 0; j < n; ++j) {
    const double* column = a + (ptrdiff_t)j * COLUMN;
    double* rounded = out + (ptrdiff_t)j * ROUNDED_COLUMN;
    for (int lane = 0; lane < RV_W; lane += RV_V) rv_lanes_store(rounded + lane, rv_lanes_load(column + lane));
    RV_UNROLL
    for (int q = 1; q <= BAND; ++q) round_row(column, rounded, q);
  }
}

// The rows that a column modifies (forward) or reads (backward) stay in registers from column to column.
typedef struct Window {
  RvLanes row[BAND];
} Window;

RV_INLINE void forward(const double* a, int n, int lane, double* x) {
  Window w;
  RV_UNROLL
  for (int q = 0; q < BAND; ++q) w.row[q] = rv_lanes_load(x + q * RV_W);
  for (int j = 0; j + BAND < n; ++j) {
    const double* column = a + (ptrdiff_t)j * ROUNDED_COLUMN;
    const RvLanes minus = -w.row[0];
    rv_lanes_store(x + j * RV_W, w.row[0]);
    RV_UNROLL
    for (int q = 1; q < BAND; ++q) w.row[q - 1] = rv_lanes_fma(minus, load_row(column, q, lane), w.row[q]);
    w.row[BAND - 1] = rv_lanes_fma(minus, load_row(column, BAND, lane), rv_lanes_load(x + (j + BAND) * RV_W));
  }
  // the last rows, to which all columns before them have been applied
  for (int q = 0; q < BAND; ++q) rv_lanes_store(x + (n - BAND + q) * RV_W, w.row[q]);
  for (int j = n - BAND; j < n; ++j) {
    const double* column = a + (ptrdiff_t)j * ROUNDED_COLUMN;
    const RvLanes minus = -rv_lanes_load(x + j * RV_W);
    for (int q = 1; q < n - j; ++q) {
      double* row = x + (j + q) * RV_W;
      rv_lanes_store(row, rv_lanes_fma(minus, load_row(column, q, lane), rv_lanes_load(row)));
    }
  }
}

RV_INLINE void backward(const double* a, int n, int lane, double* x) {
  // the last rows, which end at the end of the matrix
  for (int j = n - 1; j >= n - BAND; --j) {
    const double* column = a + (ptrdiff_t)j * ROUNDED_COLUMN;
    RvLanes sum = rv_lanes_load(x + j * RV_W) * rv_lanes_load(column + lane);
    for (int q = n - 1 - j; q >= 1; --q)
      sum = rv_lanes_fma(-load_row(column, q, lane), rv_lanes_load(x + (j + q) * RV_W), sum);
    rv_lanes_store(x + j * RV_W, sum);
  }
  Window w;
  RV_UNROLL
  for (int q = 0; q < BAND; ++q) w.row[q] = rv_lanes_load(x + (n - BAND + q) * RV_W);
  // all rows above, with the next ten results in the window; two chains, the nearest row last
  for (int j = n - 1 - BAND; j >= 0; --j) {
    const double* column = a + (ptrdiff_t)j * ROUNDED_COLUMN;
    RvLanes even = rv_lanes_load(x + j * RV_W) * rv_lanes_load(column + lane);
    RvLanes odd = rv_lanes_set(0);
    RV_UNROLL
    for (int q = BAND; q >= 2; q -= 2) {
      even = rv_lanes_fma(-load_row(column, q, lane), w.row[q - 1], even);
      odd = rv_lanes_fma(-load_row(column, q - 1, lane), w.row[q - 2], odd);
    }
    RV_UNROLL
    for (int q = BAND - 1; q >= 1; --q) w.row[q] = w.row[q - 1];
    w.row[0] = even + odd;
    rv_lanes_store(x + j * RV_W, w.row[0]);
  }
}

void RV_KERNEL(rv_ldlt_solve_rounded)(const double* a, int n, double* x) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    forward(a, n, lane, x + lane);
    backward(a, n, lane, x + lane);
  }
}
