// Elementary functions: argument reduction in double-double precision and Taylor series, without libm's own versions.
#include "math/scalar.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/series.h"

// pi/2 in three parts and log 2 in two (Cody and Waite): the first parts end in zero bits, so that small multiples of
// them are exact.
#define HALF_PI_HI 0x1.921fb54400000p+0
#define HALF_PI_MID 0x1.0b4611a600000p-34
#define HALF_PI_LO 0x1.3198a2e037073p-69
#define PI_LOST 0x1.1a62633145c07p-53  // pi minus its double
#define LOG2_HI 0x1.62e42fefa0000p-1
#define LOG2_LO 0x1.cf79abc9e3b3ap-40

static const double huge_angle = 1e9;       // above this, angles are first reduced by fmod
static const double max_exponent = 709.8;   // exp overflows above
static const double min_exponent = -745.2;  // exp underflows to 0 below

// c[0] + c[1] x + ... by Horner's rule.
static double polynomial(const double* c, int count, double x) {
  double sum = c[count - 1];
  for (int i = count - 2; i >= 0; --i) sum = rv_fma(sum, x, c[i]);
  return sum;
}

// Taylor series for |r| <= pi/4; the first omitted term is below 1e-19 of the sum.
static double sin_small(double r) {
  double z = r * r;
  return rv_fma(r * z, polynomial(rv_series_sin, RV_SERIES_TERMS, z), r);
}

static double cos_small(double r) {
  double z = r * r;
  return 1 + rv_fma(z * z, polynomial(rv_series_cos, RV_SERIES_TERMS, z), -0.5 * z);
}

// Argument reduction: x minus the nearest multiple of pi/2, and that multiple modulo 4. *tail is the rounding error of
// the result.
static double reduce(double x, int* quadrant, double* tail) {
  // At such angles the spacing of doubles makes the result meaningless, but it must still be the same everywhere: fmod
  // is exact.
  if (fabs(x) > huge_angle) x = fmod(x, 2 * RV_PI);
  double k = nearbyint(x * (2 / RV_PI));
  *quadrant = (int)((long long)k & 3);
  double r = rv_fma(-k, HALF_PI_HI, x);
  double t = rv_fma(-k, HALF_PI_MID, r);
  *tail = rv_fma(-k, HALF_PI_MID, r - t) - k * HALF_PI_LO;
  return t;
}

// sin(x + shift pi/2).
static double sin_quadrant(double x, int shift) {
  if (!isfinite(x)) return NAN;
  int quadrant;
  double tail;
  double r = reduce(x, &quadrant, &tail);
  quadrant = (quadrant + shift) & 3;
  // The tail enters in first order: sin(r + t) = sin r + t cos r.
  double value = quadrant & 1 ? rv_fma(-r, tail, cos_small(r)) : rv_fma(1 - 0.5 * r * r, tail, sin_small(r));
  return quadrant & 2 ? -value : value;
}

double rv_sin(double x) {
  return sin_quadrant(x, 0);
}

double rv_cos(double x) {
  return sin_quadrant(x, 1);
}

double rv_exp(double x) {
  static const double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,          1.0 / 120,
                             1.0 / 720,     1.0 / 5040,     1.0 / 40320,       1.0 / 362880,
                             1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600.0, 1.0 / 6227020800.0};
  if (isnan(x)) return x;
  if (x > max_exponent) return INFINITY;
  if (x < min_exponent) return 0;
  // x = k log 2 + r + tail
  double k = nearbyint(x * (1 / 0.693147180559945309417));  // the divisor is log 2
  double hi = rv_fma(-k, LOG2_HI, x);
  double lo = k * LOG2_LO;
  double r = hi - lo;
  double tail = (hi - r) - lo;
  // exp(r + tail) = 1 + (r + r^2 p + tail (1 + r))
  double sum = r + rv_fma(r * r, polynomial(c, sizeof c / sizeof *c, r), tail * (1 + r));
  return ldexp(1 + sum, (int)k);
}

// log x as a rounded value and its rounding error, which rv_pow needs.
static double log_parts(double x, double* lost) {
  static const double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                             2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  // x = m 2^exponent with m in [sqrt(1/2), sqrt(2))
  const double sqrt_half = 0.70710678118654752;
  int exponent;
  double m = frexp(x, &exponent);
  if (m < sqrt_half) {
    m *= 2;
    exponent--;
  }
  // log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  double f = m - 1, d = m + 1, s = f / d;
  // s_lost is the rounding error of the division and the sum, so that s + s_lost has twice the precision.
  double s_lost = (rv_fma(-s, d, f) - s * ((m - (d - 1)))) / d;
  // Leading part and everything below it.
  double z = s * s;
  double series = s * z * polynomial(c, sizeof c / sizeof *c, z);
  double k = exponent;
  double big = rv_fma(k, LOG2_HI, 2 * s);
  double small = (rv_fma(k, LOG2_HI, -big) + 2 * s) + (series + 2 * s_lost + k * LOG2_LO);
  double sum = big + small;
  *lost = (big - sum) + small;
  return sum;
}

double rv_log_e(double x) {
  if (isnan(x) || x < 0) return NAN;
  if (x == 0) return -INFINITY;
  if (isinf(x)) return x;
  double lost;
  return log_parts(x, &lost);
}

double rv_pow(double x, double y) {
  if (y == 0) return 1;
  if (x == 0) return y > 0 ? 0 : INFINITY;
  if (!(x > 0) || isinf(x) || !isfinite(y)) return isnan(x) || isnan(y) || x < 0 ? NAN : rv_exp(y * rv_log_e(x));
  // x^y = exp(y log x), with the rounding error of the product in first order.
  double lost;
  double l = log_parts(x, &lost);
  double product = y * l;
  double tail = rv_fma(y, l, -product) + y * lost;
  double value = rv_exp(product);
  return isfinite(value) ? rv_fma(value, tail, value) : value;
}

// atan on [0, 1] as a leading value and a small correction: atan x = atan c + atan((x - c) / (1 + x c)), where c is the
// nearest multiple of 1/4. `hi` and `lo` are atan c and its rounding error.
static double atan_unit(double x, double* correction) {
  static const double hi[] = {0.0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                              0x1.921fb54442d18p-1};
  static const double lo[] = {0.0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56, 0x1.2419a87f2a458p-56,
                              0x1.1a62633145c07p-55};
  static const double c[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19};
  // Reduce by the nearest quarter and take the series.
  int k = (int)(4 * x + 0.5);
  double t = k ? (x - 0.25 * k) / rv_fma(x, 0.25 * k, 1) : x;
  double z = t * t;
  double small = rv_fma(t * z, polynomial(c, sizeof c / sizeof *c, z), lo[k]);
  if (k == 0) {
    *correction = small;
    return t;
  }
  *correction = small + t;
  return hi[k];
}

double rv_atan2(double y, double x) {
  if (isnan(x) || isnan(y)) return NAN;
  // First octant.
  double ax = fabs(x), ay = fabs(y);
  double hi, correction = 0;
  if (ax == 0 && ay == 0)
    hi = 0;
  else if (isinf(ax) && isinf(ay))
    hi = RV_PI / 4;
  else
    hi = atan_unit(ay <= ax ? ay / ax : ax / ay, &correction);
  if (ay > ax) {
    // Reflect at the diagonal; the rounding error of pi/2 - hi goes to the correction.
    double turned = RV_PI / 2 - hi;
    correction = ((RV_PI / 2 - turned) - hi) - correction + PI_LOST / 2;
    hi = turned;
  }
  if (signbit(x)) {
    // Reflect at the y axis.
    double turned = RV_PI - hi;
    correction = ((RV_PI - turned) - hi) - correction + PI_LOST;
    hi = turned;
  }
  return copysign(hi + correction, y);
}

double rv_acos(double x) {
  x = rv_clamp(x, -1, 1);
  return rv_atan2(sqrt((1 - x) * (1 + x)), x);
}

// A first guess by a third of the exponent's bits, then Halley's iteration.
double rv_root3(double x) {
  uint64_t bits;
  if (!(x > 1e-300 && x < 1e300)) return 0;  // normal numbers, whose cubes do not overflow
  memcpy(&bits, &x, sizeof bits);
  bits = bits / 3 + 0x2a9f7893782da1ce;  // restores the exponent's bias: two thirds of it
  double y;
  memcpy(&y, &bits, sizeof y);
  // each iteration triples the number of right digits
  for (int k = 0; k < 3; ++k) {
    double cube = y * y * y;
    y *= (cube + 2 * x) / (2 * cube + x);
  }
  return y;
}
