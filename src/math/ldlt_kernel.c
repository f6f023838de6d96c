// Batched banded LDL^T factorisation and solve, RV_V lanes at a time. The factorisation is left-looking: column j is
// accumulated in registers from the `band` columns before it and stored once, so each multiply-add loads one number and
// stores none. A column takes band (band + 1) / 2 multiply-adds.
#include "math/lanes.h"
#include "math/ldlt.h"

unsigned RV_KERNEL(rv_ldlt_factor)(double* a, int n, int band);
void RV_KERNEL(rv_ldlt_solve)(const double* a, int n, int band, double* x);

// A column in progress.
typedef struct Column {
  RvLanes sum[RV_BAND_MAX + 1];  // A(j + q, j) minus the products of the earlier columns, q = 0..rows
} Column;

// Pivots of the last columns, in a ring buffer.
typedef struct Pivots {
  RvLanes d[RV_BAND_MAX];
} Pivots;

// Subtracts from column j the product with column j - k, whose entries k..k+rows belong to the rows j..j+rows.
RV_INLINE void subtract(Column* c, const double* a, const Pivots* pivots, int j, int k, int band, int rows) {
  const double* earlier = a + (ptrdiff_t)(j - k) * (band + 1) * RV_W;
  const RvLanes scaled = -(rv_lanes_load(earlier + k * RV_W) * pivots->d[(j - k) % RV_BAND_MAX]);
  RV_UNROLL
  for (int q = 0; q <= rows; ++q) c->sum[q] = rv_lanes_fma(scaled, rv_lanes_load(earlier + (k + q) * RV_W), c->sum[q]);
}

// Divides a column by its pivot and stores it. A pivot that is not positive is replaced by 1, so that its lane stays
// finite; the result is the mask of such lanes.
RV_INLINE RvLaneMask finish(Column* c, double* column, Pivots* pivots, int j, int rows) {
  const RvLaneMask good = rv_lanes_positive(c->sum[0]);
  const RvLanes d = rv_lanes_select(good, c->sum[0], rv_lanes_set(1));
  const RvLanes inverse = rv_lanes_set(1) / d;
  pivots->d[j % RV_BAND_MAX] = d;
  rv_lanes_store(column, inverse);
  RV_UNROLL
  for (int q = 1; q <= rows; ++q) rv_lanes_store(column + q * RV_W, c->sum[q] * inverse);
  return ~good;
}

// Computes column j from the `earlier` columns before it; it has `rows` entries below the diagonal. The arguments are
// compile-time constants in the calls that matter, except for the first and last columns.
RV_INLINE RvLaneMask factor_column(double* a, Pivots* pivots, int j, int band, int earlier, int rows) {
  double* column = a + (ptrdiff_t)j * (band + 1) * RV_W;
  Column c = {0};
  RV_UNROLL
  for (int q = 0; q <= rows; ++q) c.sum[q] = rv_lanes_load(column + q * RV_W);
  RV_UNROLL
  for (int k = earlier; k >= 1; --k) subtract(&c, a, pivots, j, k, band, band - k < rows ? band - k : rows);
  return finish(&c, column, pivots, j, rows);
}

// Factorises RV_V lanes; returns the bits of the lanes with a pivot that is not positive.
RV_INLINE unsigned factor(double* a, int n, int band) {
  Pivots pivots = {0};
  RvLaneMask bad = {0};
  for (int j = 0; j < n; ++j) {
    if (j >= band && j + band < n)
      bad |= factor_column(a, &pivots, j, band, band, band);
    else
      bad |= factor_column(a, &pivots, j, band, j < band ? j : band, n - 1 - j < band ? n - 1 - j : band);
  }
  return rv_lanes_bits(bad);
}

// Row j of the forward substitution L y = x. This and backward_entry are used where the end of the matrix shortens the
// columns, or the band is not a compile-time constant. Their order of operations is that of the windows below, so that
// the bits do not depend on which of them is used.
RV_INLINE RvLanes forward_entry(const double* a, int band, int j, int earlier, const double* x) {
  RvLanes sum = rv_lanes_load(x + j * RV_W);
  for (int k = earlier; k >= 1; --k) {
    const RvLanes l = rv_lanes_load(a + ((ptrdiff_t)(j - k) * (band + 1) + k) * RV_W);
    sum = rv_lanes_fma(-rv_lanes_load(x + (j - k) * RV_W), l, sum);
  }
  return sum;
}

// Row j of the back substitution D L^T z = y: a dot product in two chains, the nearest row last because it was computed
// last.
RV_INLINE RvLanes backward_entry(const double* column, int rows, const double* x) {
  RvLanes even = rv_lanes_load(x) * rv_lanes_load(column);
  RvLanes odd = rv_lanes_set(0);
  for (int q = rows; q >= 1; --q) {
    const RvLanes l = -rv_lanes_load(column + q * RV_W);
    const RvLanes y = rv_lanes_load(x + q * RV_W);
    if (q & 1)
      odd = rv_lanes_fma(l, y, odd);
    else
      even = rv_lanes_fma(l, y, even);
  }
  return even + odd;
}

// Solves with any band.
RV_INLINE void solve(const double* a, int n, int band, double* x) {
  for (int j = 0; j < n; ++j) rv_lanes_store(x + j * RV_W, forward_entry(a, band, j, j < band ? j : band, x));
  for (int j = n - 1; j >= 0; --j)
    rv_lanes_store(x + j * RV_W, backward_entry(a + (ptrdiff_t)j * (band + 1) * RV_W,
                                                n - 1 - j < band ? n - 1 - j : band, x + j * RV_W));
}

enum { RV_BAND_ROD = 10 };  // band of an elastic rod: a bend couples 11 unknowns (spec 1.2.1)

// The rows that a column modifies (forward) or reads (backward) stay in registers from column to column.
typedef struct Window {
  RvLanes row[RV_BAND_ROD];
} Window;

// Forward substitution with the band of a rod, n > RV_BAND_ROD.
RV_INLINE void forward_rod(const double* a, int n, double* x) {
  Window w;
  RV_UNROLL
  for (int q = 0; q < RV_BAND_ROD; ++q) w.row[q] = rv_lanes_load(x + q * RV_W);
  for (int j = 0; j + RV_BAND_ROD < n; ++j) {
    const double* column = a + (ptrdiff_t)j * (RV_BAND_ROD + 1) * RV_W;
    const RvLanes minus = -w.row[0];
    rv_lanes_store(x + j * RV_W, w.row[0]);
    RV_UNROLL
    for (int q = 1; q < RV_BAND_ROD; ++q)
      w.row[q - 1] = rv_lanes_fma(minus, rv_lanes_load(column + q * RV_W), w.row[q]);
    w.row[RV_BAND_ROD - 1] =
        rv_lanes_fma(minus, rv_lanes_load(column + RV_BAND_ROD * RV_W), rv_lanes_load(x + (j + RV_BAND_ROD) * RV_W));
  }
  // The last rows, to which all columns before them have been applied.
  for (int q = 0; q < RV_BAND_ROD; ++q) rv_lanes_store(x + (n - RV_BAND_ROD + q) * RV_W, w.row[q]);
  for (int j = n - RV_BAND_ROD; j < n; ++j) {
    const RvLanes minus = -rv_lanes_load(x + j * RV_W);
    for (int q = 1; q < n - j; ++q) {
      double* row = x + (j + q) * RV_W;
      const RvLanes l = rv_lanes_load(a + ((ptrdiff_t)j * (RV_BAND_ROD + 1) + q) * RV_W);
      rv_lanes_store(row, rv_lanes_fma(minus, l, rv_lanes_load(row)));
    }
  }
}

// Back substitution with the band of a rod, n > RV_BAND_ROD.
RV_INLINE void backward_rod(const double* a, int n, double* x) {
  // The last rows, which end at the end of the matrix.
  Window w;
  for (int j = n - 1; j >= n - RV_BAND_ROD; --j)
    rv_lanes_store(x + j * RV_W, backward_entry(a + (ptrdiff_t)j * (RV_BAND_ROD + 1) * RV_W, n - 1 - j, x + j * RV_W));
  RV_UNROLL
  for (int q = 0; q < RV_BAND_ROD; ++q) w.row[q] = rv_lanes_load(x + (n - RV_BAND_ROD + q) * RV_W);
  // All rows above, with the next ten results in the window.
  for (int j = n - 1 - RV_BAND_ROD; j >= 0; --j) {
    const double* column = a + (ptrdiff_t)j * (RV_BAND_ROD + 1) * RV_W;
    RvLanes even = rv_lanes_load(x + j * RV_W) * rv_lanes_load(column);
    RvLanes odd = rv_lanes_set(0);
    RV_UNROLL
    for (int q = RV_BAND_ROD; q >= 2; q -= 2) {
      even = rv_lanes_fma(-rv_lanes_load(column + q * RV_W), w.row[q - 1], even);
      odd = rv_lanes_fma(-rv_lanes_load(column + (q - 1) * RV_W), w.row[q - 2], odd);
    }
    RV_UNROLL
    for (int q = RV_BAND_ROD - 1; q >= 1; --q) w.row[q] = w.row[q - 1];
    w.row[0] = even + odd;
    rv_lanes_store(x + j * RV_W, w.row[0]);
  }
}

// The constant band of rods lets the compiler unroll the loops.
unsigned RV_KERNEL(rv_ldlt_factor)(double* a, int n, int band) {
  unsigned bad = 0;
  for (int lane = 0; lane < RV_W; lane += RV_V)
    bad |= (band == RV_BAND_ROD ? factor(a + lane, n, RV_BAND_ROD) : factor(a + lane, n, band)) << lane;
  return bad;
}

void RV_KERNEL(rv_ldlt_solve)(const double* a, int n, int band, double* x) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    if (band == RV_BAND_ROD && n > RV_BAND_ROD) {
      forward_rod(a + lane, n, x + lane);
      backward_rod(a + lane, n, x + lane);
    } else {
      solve(a + lane, n, band, x + lane);
    }
  }
}
