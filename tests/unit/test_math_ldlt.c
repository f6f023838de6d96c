// The oracle is LAPACK's banded Cholesky (dpbtrf, dpbtrs), one lane at a time.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/rng.h"
#include "math/ldlt_rounded.h"
#include "support/rv_test.h"

enum { MAX_N = 120 };

// random symmetric band, made positive by a dominant diagonal of random size
static double entry(uint64_t lane, int row, int column, int band) {
  int lo = row < column ? row : column, hi = row < column ? column : row;
  if (hi - lo > band) return 0;
  double x = rv_random(5, lane, (uint64_t)(lo * MAX_N + hi), 0) - 0.5;
  return hi == lo ? 0.6 * band + 0.1 + fabs(x) : x;
}

static void fill(double* a, double* x, int n, int band, double unread) {
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int j = 0; j < n; ++j) {
      x[j * RV_LANES + lane] = rv_random(6, (uint64_t)lane, (uint64_t)j, 0);
      for (int k = 0; k <= band; ++k)
        a[((size_t)j * (size_t)(band + 1) + (size_t)k) * RV_LANES + (size_t)lane] =
            j + k < n ? entry((uint64_t)lane, j + k, j, band) : unread;
    }
}

// backward stable both, condition below 100: a few hundred roundings apart at most
static void agrees_with_lapack(void** state) {
  (void)state;
  const int bands[] = {0, 1, 3, 7, 10, 16}, sizes[] = {1, 2, 5, 11, 12, 40, MAX_N};
  for (size_t bi = 0; bi < 6; ++bi)
    for (size_t ni = 0; ni < 7; ++ni) {
      int band = bands[bi], n = sizes[ni];
      double* a = rv_alloc(rv_ldlt_size(n, band), sizeof(double));
      double* x = rv_alloc((size_t)n * RV_LANES, sizeof(double));
      fill(a, x, n, band, NAN);  // what stands below the last row must not matter
      assert_int_equal(rv_ldlt_factor(a, n, band), 0);
      rv_ldlt_solve(a, n, band, x);
      for (int lane = 0; lane < RV_LANES; ++lane) {
        double ab[MAX_N * 17], b[MAX_N];
        for (int j = 0; j < n; ++j) {
          b[j] = rv_random(6, (uint64_t)lane, (uint64_t)j, 0);
          for (int k = 0; k <= band; ++k)
            ab[j * (band + 1) + k] = j + k < n ? entry((uint64_t)lane, j + k, j, band) : 0;
        }
        assert_int_equal(LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', n, band, ab, band + 1), 0);
        assert_int_equal(LAPACKE_dpbtrs(LAPACK_COL_MAJOR, 'L', n, band, 1, ab, band + 1, b, n), 0);
        for (int j = 0; j < n; ++j) CHECK_NEAR(x[j * RV_LANES + lane], b[j], 1e-13 * (1 + fabs(b[j])));
      }
      rv_free(a);
      rv_free(x);
    }
}

// every path, and the single-lane baseline, to the bit
static void same_bits_on_every_path(void** state) {
  (void)state;
  enum { BAND = 10, N = 63 };
  size_t doubles = rv_ldlt_size(N, BAND);
  double *a = rv_alloc(doubles, 8), *x = rv_alloc(N * RV_LANES, 8), *a0 = rv_alloc(doubles, 8),
         *x0 = rv_alloc(N * RV_LANES, 8);
  int paths = 0;
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    fill(a, x, N, BAND, 0);
    rv_ldlt_factor(a, N, BAND);
    rv_ldlt_solve(a, N, BAND, x);
    if (paths++ == 0) {
      memcpy(a0, a, doubles * 8);
      memcpy(x0, x, N * RV_LANES * 8);
    }
    for (int j = 0; j < N; ++j)  // the rows that exist
      for (int k = 0; k <= BAND && j + k < N; ++k)
        assert_memory_equal(a + (j * (BAND + 1) + k) * RV_LANES, a0 + (j * (BAND + 1) + k) * RV_LANES, 8 * RV_LANES);
    assert_memory_equal(x, x0, N * RV_LANES * 8);
    double single[N * (BAND + 1)], y[N];
    for (int j = 0; j < N; ++j) {
      y[j] = rv_random(6, 3, (uint64_t)j, 0);
      for (int k = 0; k <= BAND; ++k) single[j * (BAND + 1) + k] = j + k < N ? entry(3, j + k, j, BAND) : 0;
    }
    assert_int_equal(rv_ldlt_factor_single(single, N, BAND), 0);
    rv_ldlt_solve_single(single, N, BAND, y);
    for (int j = 0; j < N; ++j) assert_memory_equal(&y[j], &x0[j * RV_LANES + 3], 8);
  }
  rv_cpu_force(RV_ISA_COUNT);
  print_message("%d paths\n", paths);
  assert_true(paths >= 1);
  rv_free(a);
  rv_free(x);
  rv_free(a0);
  rv_free(x0);
}

static void bad_pivots_are_told_by_lane(void** state) {
  (void)state;
  enum { BAND = 3, N = 20 };
  double *a = rv_alloc(rv_ldlt_size(N, BAND), 8), *x = rv_alloc(N * RV_LANES, 8), *good = rv_alloc(N * RV_LANES, 8);
  fill(a, good, N, BAND, 0);
  rv_ldlt_factor(a, N, BAND);
  rv_ldlt_solve(a, N, BAND, good);
  fill(a, x, N, BAND, 0);
  a[(7 * (BAND + 1)) * RV_LANES + 2] = -5;    // indefinite
  a[(19 * (BAND + 1)) * RV_LANES + 5] = NAN;  // broken in its last row
  assert_int_equal(rv_ldlt_factor(a, N, BAND), 1u << 2 | 1u << 5);
  rv_ldlt_solve(a, N, BAND, x);
  for (int j = 0; j < N; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane)
      if (lane != 2 && lane != 5) assert_memory_equal(&x[j * RV_LANES + lane], &good[j * RV_LANES + lane], 8);
  rv_free(a);
  rv_free(x);
  rv_free(good);
}

// A free chain of masses 1 and springs of a stiffness for each lane, as the stretching of a strand: every fourth
// unknown is joined to the next.
static double stiffness_of(int lane) {
  return pow(10, 1.25 * lane);
}
static void fill_chain(double* a, double* x, int n) {
  for (int j = 0; j < n; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const double k = stiffness_of(lane);
      const int springs = (j >= 4) + (j + 4 < n);
      for (int q = 0; q <= RV_BAND_ROUNDED; ++q)
        a[(j * (RV_BAND_ROUNDED + 1) + q) * RV_LANES + lane] = q == 0 ? 1 + springs * k : q == 4 && j + 4 < n ? -k : 0;
      x[j * RV_LANES + lane] = 1;
    }
}

// All masses move alike under equal forces, whatever the springs. Rounding the matrix itself would change this motion
// in proportion to the stiffness; rounding its factor, with its root. The bits are those of every path.
static void rounded_factor_keeps_soft_motions(void** state) {
  (void)state;
  enum { N = 159 };
  double *a = rv_alloc(rv_ldlt_size(N, RV_BAND_ROUNDED), 8), *x = rv_alloc(N * RV_LANES, 8);
  double* first = rv_alloc(N * RV_LANES, 8);
  int paths = 0;
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    fill_chain(a, x, N);
    assert_int_equal(rv_ldlt_factor(a, N, RV_BAND_ROUNDED), 0);
    rv_ldlt_round(a, N, a);
    rv_ldlt_solve_rounded(a, N, x);
    if (paths++ == 0) memcpy(first, x, N * RV_LANES * 8);
    assert_memory_equal(x, first, N * RV_LANES * 8);
  }
  rv_cpu_force(RV_ISA_COUNT);
  for (int lane = 0; lane < RV_LANES; ++lane) {
    double largest = 0;
    for (int j = 0; j < N; ++j) largest = fmax(largest, fabs(x[j * RV_LANES + lane] - 1));
    const double bound = 2 * RV_ROUNDING * sqrt(1 + 2 * stiffness_of(lane));
    print_message("stiffness %.1e: off by %.1e of at most %.1e\n", stiffness_of(lane), largest, bound);
    assert_true(largest <= bound);
  }
  rv_free(a);
  rv_free(x);
  rv_free(first);
}

// Solves of a factor that is hardly changed by rounding: that of the rounded factor is as exact as floats are.
static void rounded_factor_agrees(void** state) {
  (void)state;
  const int sizes[] = {11, 12, 40, MAX_N};
  for (size_t ni = 0; ni < 4; ++ni) {
    const int n = sizes[ni], band = RV_BAND_ROUNDED;
    double *a = rv_alloc(rv_ldlt_size(n, band), 8), *x = rv_alloc((size_t)n * RV_LANES, 8);
    double* exact = rv_alloc((size_t)n * RV_LANES, 8);
    fill(a, x, n, band, NAN);
    memcpy(exact, x, (size_t)n * RV_LANES * 8);
    rv_ldlt_factor(a, n, band);
    rv_ldlt_solve(a, n, band, exact);
    rv_ldlt_round(a, n, a);
    rv_ldlt_solve_rounded(a, n, x);
    for (int j = 0; j < n * RV_LANES; ++j) CHECK_NEAR(x[j], exact[j], 10 * RV_ROUNDING);
    rv_free(a);
    rv_free(x);
    rv_free(exact);
  }
}

RV_TESTS(cmocka_unit_test(agrees_with_lapack), cmocka_unit_test(same_bits_on_every_path),
         cmocka_unit_test(bad_pivots_are_told_by_lane), cmocka_unit_test(rounded_factor_keeps_soft_motions),
         cmocka_unit_test(rounded_factor_agrees))
