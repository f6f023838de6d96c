#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
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

// The sine and cosine of the oracle. Its argument is reduced here, in long double: the C library of mingw calls the
// processor's fsin, whose pi of 66 bits is wrong by 73,184 ulp at 96,300.8. k has 17 bits, so that its products with
// the parts of pi / 2 are exact, and the reduced argument is right to 2^-100.
static double oracle(double x, bool cosine) {
  const long double high = 0x1.921fb544p0L, middle = 0x1.0b4611a6p-34L, low = 0x1.3198a2e037073p-69L;
  long double k = nearbyintl((long double)x / (high + middle));
  long double r = (((long double)x - k * high) - k * middle) - k * low;
  int quadrant = (int)((long long)k & 3) + cosine;
  long double value = quadrant & 1 ? cosl(r) : sinl(r);
  return (double)(quadrant & 2 ? -value : value);
}

// one ulp for libm and two for us
static void within_three_ulp(void** state) {
  (void)state;
  for (int i = 0; i < N; ++i) {
    double x = uniform(1, i, -20, 20);
    compare(rv_sin(x), oracle(x, false));
    compare(rv_cos(x), oracle(x, true));
    x = uniform(2, i, -1e5, 1e5);
    compare(rv_sin(x), oracle(x, false));
    compare(rv_cos(x), oracle(x, true));
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

// Every system, C library and processor gives the same bits: the number is the hash of what x86-64 Linux gives.
static void same_bits_on_every_system(void** state) {
  (void)state;
  uint64_t hash = 0;
  for (int i = 0; i < N; ++i) {
    double x = uniform(12, i, -1e5, 1e5), y = uniform(13, i, -40, 40), positive = uniform(14, i, 1e-6, 30);
    const double values[] = {rv_sin(x),
                             rv_cos(x),
                             rv_exp(y),
                             rv_log_e(positive),
                             rv_pow(positive, y),
                             rv_atan2(x, y),
                             rv_acos(y / 40),
                             rv_fma(x, y, positive),
                             rv_fma(x, y, -(x * y))};
    hash = rv_hash(values, sizeof values, hash);
  }
  if (hash != 0x13e8e42515bcb400) fail_msg("0x%016llx", (unsigned long long)hash);
}

// The oracle of the multiply-add: the processor's on Windows, whose C library rounds twice, else the C library's.
#if defined(_WIN32)
__attribute__((target("fma"))) static double fma_oracle(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#else
static double fma_oracle(double a, double b, double c) {
  return fma(a, b, c);
}
#endif

// the integers' multiply-add, which Windows uses
static void check_fma(double a, double b, double c) {
  double got = rv_fma_exact(a, b, c), expected = fma_oracle(a, b, c);
  if (isnan(expected) ? !isnan(got) : memcmp(&got, &expected, sizeof got) != 0)
    fail_msg("fma(%a, %a, %a) is %a, not %a", a, b, c, got, expected);
}

static double random_bits(uint64_t i, uint64_t k, int least, int most) {
  uint64_t bits = (uint64_t)(rv_random(15, i, k, 0) * 0x1p53);  // the lowest bit is the sign
  bits = bits >> 1 | bits << 63;
  int exponent = least + (int)(rv_random(16, i, k, 0) * (most - least + 1));
  bits |= (uint64_t)exponent << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void the_exact_fma_rounds_once(void** state) {
  (void)state;
  const double odd[] = {0,
                        -0.0,
                        1,
                        -1,
                        0x1p-1074,
                        -0x1p-1074,
                        0x1p-1022,
                        0x1.fffffffffffffp-1023,
                        0x1.fffffffffffffp1023,
                        -0x1.fffffffffffffp1023,
                        INFINITY,
                        -INFINITY,
                        NAN,
                        0x1p-537,
                        0x1.0000000000001p0,
                        0x1p-53};
  enum { ODD = sizeof odd / sizeof *odd };
  for (int i = 0; i < ODD * ODD * ODD; ++i) check_fma(odd[i % ODD], odd[i / ODD % ODD], odd[i / ODD / ODD]);
  // a product halfway between two numbers, and an addend far below that decides
  for (int sign = -1; sign <= 1; ++sign) {
    check_fma(0x1.0000000000001p0, 1.5, sign * 0x1p-127);
    check_fma(0x1.0000000000001p0, 1.5, sign * 0x1p-200);
  }
  for (uint64_t i = 0; i < N; ++i) {
    // all exponents; near ones; sums that cancel but for the rounding of the product; results that are subnormal
    check_fma(random_bits(i, 0, 0, 2046), random_bits(i, 1, 0, 2046), random_bits(i, 2, 0, 2046));
    double a = random_bits(i, 3, 1000, 1046), b = random_bits(i, 4, 1000, 1046);
    check_fma(a, b, random_bits(i, 5, 960, 1086));
    check_fma(a, b, -(a * b));
    check_fma(a, b, nextafter(-(a * b), 0));
    check_fma(a, b, 0x1p-53 * (a * b));
    check_fma(random_bits(i, 6, 480, 540), random_bits(i, 7, 480, 540), random_bits(i, 8, 0, 20));
  }
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

RV_TESTS(cmocka_unit_test(within_three_ulp), cmocka_unit_test(same_bits_on_every_system),
         cmocka_unit_test(the_exact_fma_rounds_once), cmocka_unit_test(acos_and_pow), cmocka_unit_test(edges),
         cmocka_unit_test(sums_lose_nothing))
