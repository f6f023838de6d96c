#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "math/scalar.h"
#include "support/rv_test.h"

enum { N = 200000 };

static double worst_ulp;

// distance in units in the last place of the expected value; libm is the oracle, itself within 1 ulp
static void compare(double got, double expected) {
  if (isnan(expected)) {
    assert_true(isnan(got));
    return;
  }
  double ulp = fmax(nextafter(fabs(expected), INFINITY) - fabs(expected), 0x1p-1074);
  worst_ulp = fmax(worst_ulp, fabs(got - expected) / ulp);
}

static double uniform(uint64_t stream, int i, double lo, double hi) {
  return lo + (hi - lo) * rv_random(11, stream, (uint64_t)i, 0);
}

// one ulp for libm and two for us
static void within_three_ulp(void** state) {
  (void)state;
  for (int i = 0; i < N; ++i) {
    double x = uniform(1, i, -20, 20);
    compare(rv_sin(x), sin(x));
    compare(rv_cos(x), cos(x));
    x = uniform(2, i, -1e5, 1e5);
    compare(rv_sin(x), sin(x));
    compare(rv_cos(x), cos(x));
    compare(rv_exp(uniform(3, i, -700, 700)), exp(uniform(3, i, -700, 700)));
    compare(rv_exp(uniform(3, i, -1, 1)), exp(uniform(3, i, -1, 1)));
    double big = ldexp(uniform(4, i, 1, 2), (int)uniform(5, i, -1000, 1000));
    compare(rv_log_e(big), log(big));
    compare(rv_log_e(uniform(6, i, 0.5, 2)), log(uniform(6, i, 0.5, 2)));
    compare(rv_atan2(uniform(7, i, -2, 2), uniform(8, i, -2, 2)), atan2(uniform(7, i, -2, 2), uniform(8, i, -2, 2)));
  }
  print_message("worst %g ulp\n", worst_ulp);
  assert_true(worst_ulp <= 3);
}

// near 1 and -1 acos has the square root's conditioning, so the error is absolute
static void acos_and_pow(void** state) {
  (void)state;
  for (int i = 0; i < N; ++i) {
    double x = uniform(9, i, -1, 1);
    CHECK_NEAR(rv_acos(x), acos(x), 1e-15);
    double base = exp(uniform(10, i, -20, 20)), y = uniform(11, i, -20, 20), expected = pow(base, y);
    CHECK_NEAR(rv_pow(base, y) / expected, 1, 4e-16 * (1 + fabs(y * log(base))));
  }
  assert_true(rv_pow(0, 2) == 0 && rv_pow(3, 0) == 1 && isnan(rv_pow(-1, 0.5)));
  CHECK_NEAR(rv_pow(2, 10), 1024, 1024 * 4e-16);
}

static void edges(void** state) {
  (void)state;
  assert_true(rv_sin(0) == 0 && rv_cos(0) == 1 && rv_exp(0) == 1 && rv_log_e(1) == 0);
  assert_true(isnan(rv_sin(INFINITY)) && isnan(rv_cos(NAN)) && isnan(rv_log_e(-1)) && isinf(rv_log_e(0)));
  assert_true(rv_exp(-800) == 0 && isinf(rv_exp(800)));
  CHECK_NEAR(rv_sin(RV_PI / 6), 0.5, 1.2e-16);
  CHECK_NEAR(rv_atan2(0.0, -1.0), RV_PI, 0);
  CHECK_NEAR(rv_atan2(-0.0, -1.0), -RV_PI, 0);
  CHECK_NEAR(rv_acos(1.5), 0, 0);
  assert_true(fabs(rv_sin(1e300)) <= 1);
}

// equal films of many vertices, which a plain sum takes for another amount by a thousand roundings
static void sums_lose_nothing(void** state) {
  (void)state;
  const double x = 5.6791e-11;
  const int n = 168000;
  RvSum sum = {0}, mixed = {0};
  double plain = 0;
  for (int i = 0; i < n; ++i) {
    rv_sum_add(&sum, x);
    plain += x;
  }
  CHECK_NEAR(rv_sum_total(&sum) / (n * x), 1, 3e-16);
  assert_true(fabs(plain / (n * x) - 1) > 1e-13);
  const double parts[] = {1, 1e100, 1, -1e100};
  for (int i = 0; i < 4; ++i) rv_sum_add(&mixed, parts[i]);
  CHECK_NEAR(rv_sum_total(&mixed), 2, 0);
}

RV_TESTS(cmocka_unit_test(within_three_ulp), cmocka_unit_test(acos_and_pow), cmocka_unit_test(edges),
         cmocka_unit_test(sums_lose_nothing))
