// Vector kernels of pcg_flip's solvers, in lanes. All solvers share them, so that none has better code than another.
#include "math/lanes.h"
#include "math/ldlt.h"

void RV_KERNEL(rv_bench_flip_multiply)(const double* a, int n, const double* x, double* y);
void RV_KERNEL(rv_bench_flip_mix)(int count, const double* a, double s, double* b, double* copy);
void RV_KERNEL(rv_bench_flip_scale)(int count, const double* a, const double* by, double* out);
void RV_KERNEL(rv_bench_flip_advance)(int count, double s, const double* p, const double* ap, double* x, double* r);
void RV_KERNEL(rv_bench_flip_pull)(int edges, int pairs, const unsigned* other, const double* pull, const double* value,
                                   const double* mine, double* force);

enum { BAND = 10 };  // RV_ROD_BAND

// Column and row of a symmetric band: returns the row's sum and adds the column's part to y.
RV_INLINE RvLanes column_times(const double* column, const double* x, double* y, RvLanes mine, RvLanes sum, int rows) {
  RV_UNROLL
  for (int q = 1; q <= rows; ++q) {
    const RvLanes entry = rv_lanes_load(column + q * RV_W);
    sum = rv_lanes_fma(entry, rv_lanes_load(x + q * RV_W), sum);
    rv_lanes_store(y + q * RV_W, rv_lanes_fma(entry, mine, rv_lanes_load(y + q * RV_W)));
  }
  return sum;
}

// y = A x, with A as in math/ldlt.h before it is factored.
void RV_KERNEL(rv_bench_flip_multiply)(const double* a, int n, const double* x, double* y) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    for (int j = 0; j < n; ++j) rv_lanes_store(y + j * RV_W + lane, rv_lanes_set(0));
    for (int j = 0; j < n; ++j) {
      const double* column = a + (ptrdiff_t)j * (BAND + 1) * RV_W + lane;
      const double* from = x + j * RV_W + lane;
      double* to = y + j * RV_W + lane;
      const RvLanes mine = rv_lanes_load(from);
      const RvLanes sum = rv_lanes_fma(rv_lanes_load(column), mine, rv_lanes_load(to));
      rv_lanes_store(to, n - 1 - j >= BAND ? column_times(column, from, to, mine, sum, BAND)
                                           : column_times(column, from, to, mine, sum, n - 1 - j));
    }
  }
}

// b = a + s b, and a copy of it if `copy` is not NULL.
void RV_KERNEL(rv_bench_flip_mix)(int count, const double* a, double s, double* b, double* copy) {
  for (int k = 0; k < count; k += RV_V) {
    const RvLanes sum = rv_lanes_fma(rv_lanes_set(s), rv_lanes_load(b + k), rv_lanes_load(a + k));
    rv_lanes_store(b + k, sum);
    if (copy) rv_lanes_store(copy + k, sum);
  }
}

// out = a times by, entry by entry.
void RV_KERNEL(rv_bench_flip_scale)(int count, const double* a, const double* by, double* out) {
  for (int k = 0; k < count; k += RV_V) rv_lanes_store(out + k, rv_lanes_load(a + k) * rv_lanes_load(by + k));
}

// x += s p, r -= s ap.
void RV_KERNEL(rv_bench_flip_advance)(int count, double s, const double* p, const double* ap, double* x, double* r) {
  for (int k = 0; k < count; k += RV_V) {
    rv_lanes_store(x + k, rv_lanes_fma(rv_lanes_set(s), rv_lanes_load(p + k), rv_lanes_load(x + k)));
    rv_lanes_store(r + k, rv_lanes_fma(rv_lanes_set(-s), rv_lanes_load(ap + k), rv_lanes_load(r + k)));
  }
}

// Forces of the bridges at the middles of one strand's edges: the sum over its pairs of pull (pull . (mine - value of
// the other)). All arrays are [3][edges], `edges` a multiple of 8; the lanes here are edges.
void RV_KERNEL(rv_bench_flip_pull)(int edges, int pairs, const unsigned* other, const double* pull, const double* value,
                                   const double* mine, double* force) {
  for (int k = 0; k < edges; k += RV_V) {
    RvLanes sum[3] = {rv_lanes_set(0), rv_lanes_set(0), rv_lanes_set(0)}, own[3];
    for (int c = 0; c < 3; ++c) own[c] = rv_lanes_load(mine + c * edges + k);
    for (int p = 0; p < pairs; ++p) {
      const double* to = value + (ptrdiff_t)other[p] * 3 * edges + k;
      const double* n = pull + (ptrdiff_t)p * 3 * edges + k;
      RvLanes d = rv_lanes_set(0);
      for (int c = 0; c < 3; ++c)
        d = rv_lanes_fma(rv_lanes_load(n + c * edges), own[c] - rv_lanes_load(to + c * edges), d);
      for (int c = 0; c < 3; ++c) sum[c] = rv_lanes_fma(d, rv_lanes_load(n + c * edges), sum[c]);
    }
    for (int c = 0; c < 3; ++c) rv_lanes_store(force + c * edges + k, sum[c]);
  }
}
