// Check ldlt: the batched banded solver on a problem with a closed form (WH-44).
//
// The second differences of a cantilever of n unit cells, clamped at 0 and loaded by 1 at the free end n: the energy
// is sum over i = 1..n-1 of (x[i-1] - 2 x[i] + x[i+1])^2 / 2 with x[-1] folded in by the clamp x[0] = 0, and the
// clamped slope adds (2 x[1])^2 / 4. Its minimum under a unit end load has bending moments m_i = n - i, so that
//   x[j] = sum_{i < j} (j - i) m_i w_i,  w_0 = 1/2, w_i = 1 otherwise.
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/ldlt.h"

enum { N = 40, BAND = 2 };

// Adds an entry to the band of all lanes.
static void add(double* a, int row, int column, double value) {
  if (row < 0 || column < 0 || row < column) return;  // the clamped unknown has no row; the upper half is implied
  for (int lane = 0; lane < RV_LANES; ++lane) a[(column * (BAND + 1) + row - column) * RV_LANES + lane] += value;
}

// Lane l has the load l + 1, so that lanes cannot be confused.
RvResult rv_check_ldlt(const RvCheckOut* out, RvError* error) {
  double* a = rv_alloc_zero(rv_ldlt_size(N, BAND), sizeof(double));
  double* x = rv_alloc_zero(N * RV_LANES, sizeof(double));
  if (!a || !x) {
    rv_free(a);
    rv_free(x);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  // Unknown k is x[k + 1]. The clamp's rotational spring has twice the stiffness: half a cell.
  add(a, 0, 0, 2);
  for (int i = 1; i < N; ++i) {
    const int at[3] = {i - 2, i - 1, i};
    const double c[3] = {1, -2, 1};
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q) add(a, at[p], at[q], c[p] * c[q]);
  }
  for (int lane = 0; lane < RV_LANES; ++lane) x[(N - 1) * RV_LANES + lane] = lane + 1;
  // Factorise, solve, compare with the closed form.
  unsigned bad = rv_ldlt_factor(a, N, BAND);
  rv_ldlt_solve(a, N, BAND, x);
  double worst = 0;
  for (int j = 1; j <= N; ++j) {
    double expected = 0;
    for (int i = 0; i < j; ++i) expected += (double)(j - i) * (N - i) * (i == 0 ? 0.5 : 1);
    for (int lane = 0; lane < RV_LANES; ++lane)
      worst = fmax(worst, fabs(x[(j - 1) * RV_LANES + lane] / (expected * (lane + 1)) - 1));
  }
  rv_check_emit(out, "bad_pivots", bad, 0, 0);
  // Condition number of about n^4 = 2.6e6 times the rounding unit 1.1e-16.
  rv_check_emit(out, "relative_error", worst, 0, 3e-10);
  rv_free(a);
  rv_free(x);
  return RV_OK;
}
