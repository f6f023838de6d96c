// Check ldlt: the batched banded solver on a problem with a closed form (WH-44).
//
// The second differences of a cantilever of n unit cells, clamped at 0: the energy is sum over i = 1..n-1 of
// (x[i-1] - 2 x[i] + x[i+1])^2 / 2 with x[-1] folded in by the clamp x[0] = 0, and the clamped slope adds (2 x[1])^2
// / 4. Its minimum under a load has the bending moments of statics: m_i = n - i for a unit load at the free end n, and
// m_i = (n - i) (n - i + 1) / 2 for a unit load at each of the points 1 to n, so that
//   x[j] = sum_{i < j} (j - i) m_i w_i,  w_0 = 1/2, w_i = 1 otherwise.
// The load at the end alone leaves the forward substitution nothing to do; the other one needs every row of it.
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/ldlt.h"

// Unknowns; bands of the beam itself and of a rod, for which the solver has code of its own.
enum { N = 40, BEAM_BAND = 2, ROD_BAND = 10 };

// Condition number of about n^4 = 2.6e6 times the rounding unit 1.1e-16.
static const double TOLERANCE = 3e-10;

// Adds an entry to the band of all lanes.
static void add(double* a, int band, int row, int column, double value) {
  if (row < 0 || column < 0 || row < column) return;  // the clamped unknown has no row; the upper half is implied
  for (int lane = 0; lane < RV_LANES; ++lane) a[(column * (band + 1) + row - column) * RV_LANES + lane] += value;
}

// Unknown k is x[k + 1]. The clamp's rotational spring has twice the stiffness: half a cell.
static void assemble(double* a, int band) {
  add(a, band, 0, 0, 2);
  for (int i = 1; i < N; ++i) {
    const int at[3] = {i - 2, i - 1, i};
    const double c[3] = {1, -2, 1};
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q) add(a, band, at[p], at[q], c[p] * c[q]);
  }
}

// Largest relative error against the closed form. Lane l has the load l + 1, so that lanes cannot be confused.
static double deviation(const double* x, bool spread) {
  double worst = 0;
  for (int j = 1; j <= N; ++j) {
    double expected = 0;
    for (int i = 0; i < j; ++i) {
      double moment = spread ? 0.5 * (N - i) * (N - i + 1) : N - i;
      expected += (double)(j - i) * moment * (i == 0 ? 0.5 : 1);
    }
    for (int lane = 0; lane < RV_LANES; ++lane)
      worst = fmax(worst, fabs(x[(j - 1) * RV_LANES + lane] / (expected * (lane + 1)) - 1));
  }
  return worst;
}

// Factorises the beam's matrix in a band and solves for a load at the end, or at every point.
static RvResult solve(int band, bool spread, double* worst, unsigned* bad, RvError* error) {
  double* a = rv_alloc_zero(rv_ldlt_size(N, band), sizeof(double));
  double* x = rv_alloc_zero(N * RV_LANES, sizeof(double));
  RvResult result = a && x ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    assemble(a, band);
    for (int j = spread ? 0 : N - 1; j < N; ++j)
      for (int lane = 0; lane < RV_LANES; ++lane) x[j * RV_LANES + lane] = lane + 1;
    *bad |= rv_ldlt_factor(a, N, band);
    rv_ldlt_solve(a, N, band, x);
    *worst = deviation(x, spread);
  }
  rv_free(a);
  rv_free(x);
  return result;
}

RvResult rv_check_ldlt(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char* name;
    int band;
    bool spread;
  } cases[] = {{"end_load", BEAM_BAND, false},
               {"spread_load", BEAM_BAND, true},
               {"rod_band_end_load", ROD_BAND, false},
               {"rod_band_spread_load", ROD_BAND, true}};
  unsigned bad = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    double worst = 0;
    RvResult result = solve(cases[k].band, cases[k].spread, &worst, &bad, error);
    if (result) return result;
    rv_check_emit(out, cases[k].name, worst, 0, TOLERANCE);
  }
  rv_check_emit(out, "bad_pivots", bad, 0, 0);
  return RV_OK;
}
