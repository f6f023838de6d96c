#include "math/scalar.h"

#include <math.h>

#include "math/series.h"

// pi/2 and log 2 in two parts each: the first has few enough bits that small multiples of it are exact
#define HALF_PI_HI 0x1.921fb54400000p+0
#define HALF_PI_MID 0x1.0b4611a600000p-34
#define HALF_PI_LO 0x1.3198a2e037073p-69
#define PI_LOST 0x1.1a62633145c07p-53  // pi less its double
#define LOG2_HI 0x1.62e42fefa0000p-1
#define LOG2_LO 0x1.cf79abc9e3b3ap-40

// c[0] + c[1] x + ... by Horner's rule
static double polynomial(const double* c, int count, double x) {
  double sum = c[count - 1];
  for (int i = count - 2; i >= 0; --i) sum = rv_fma(sum, x, c[i]);
  return sum;
}

// Taylor on |r| <= pi/4: the first term left out is below 1e-19 of the sum
static double sin_small(double r) {
  double z = r * r;
  return rv_fma(r * z, polynomial(rv_series_sin, RV_SERIES_TERMS, z), r);
}

static double cos_small(double r) {
  double z = r * r;
  return 1 + rv_fma(z * z, polynomial(rv_series_cos, RV_SERIES_TERMS, z), -0.5 * z);
}

// x less the nearest multiple of pi/2, and that multiple modulo 4; *tail is what the remainder's rounding lost
static double reduce(double x, int* quadrant, double* tail) {
  // far out a double's own spacing exceeds any meaning; fmod is exact, so the bits still agree everywhere
  if (fabs(x) > 1e9) x = fmod(x, 2 * RV_PI);
  double k = nearbyint(x * (2 / RV_PI));
  *quadrant = (int)((long long)k & 3);
  double r = rv_fma(-k, HALF_PI_HI, x), t = rv_fma(-k, HALF_PI_MID, r);
  *tail = rv_fma(-k, HALF_PI_MID, r - t) - k * HALF_PI_LO;
  return t;
}

static double sin_quadrant(double x, int shift) {
  if (!isfinite(x)) return NAN;
  int quadrant;
  double tail, r = reduce(x, &quadrant, &tail);
  quadrant = (quadrant + shift) & 3;
  // first order in the tail: sin(r + t) = sin r + t cos r
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
  if (x > 709.8) return INFINITY;
  if (x < -745.2) return 0;
  double k = nearbyint(x * (1 / 0.693147180559945309417));
  double hi = rv_fma(-k, LOG2_HI, x), lo = k * LOG2_LO, r = hi - lo;
  double tail = (hi - r) - lo;
  // exp(r + tail) = 1 + (r + r^2 p + tail (1 + r))
  double sum = r + rv_fma(r * r, polynomial(c, 12, r), tail * (1 + r));
  return ldexp(1 + sum, (int)k);
}

// log x as a rounded value and what the rounding lost, for pow
static double log_parts(double x, double* lost) {
  static const double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                             2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  int exponent;
  double m = frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    exponent--;
  }
  // log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  double f = m - 1, d = m + 1, s = f / d;
  // the division's and the sum's rounding, so that s + s_lost is good to twice the digits
  double s_lost = (rv_fma(-s, d, f) - s * ((m - (d - 1)))) / d;
  double z = s * s, series = s * z * polynomial(c, 10, z);
  double k = exponent, big = rv_fma(k, LOG2_HI, 2 * s);
  double rest = (rv_fma(k, LOG2_HI, -big) + 2 * s) + (series + 2 * s_lost + k * LOG2_LO);
  double sum = big + rest;
  *lost = (big - sum) + rest;
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
  double lost, l = log_parts(x, &lost);
  double product = y * l, tail = rv_fma(y, l, -product) + y * lost;
  double value = rv_exp(product);
  return isfinite(value) ? rv_fma(value, tail, value) : value;
}

// atan on [0, 1] as a value and a small rest: atan x = atan c + atan((x - c) / (1 + x c)) with c the nearest quarter
static double atan_unit(double x, double* rest) {
  static const double hi[] = {0.0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                              0x1.921fb54442d18p-1};
  static const double lo[] = {0.0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56, 0x1.2419a87f2a458p-56,
                              0x1.1a62633145c07p-55};
  static const double c[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19};
  int k = (int)(4 * x + 0.5);
  double t = k ? (x - 0.25 * k) / rv_fma(x, 0.25 * k, 1) : x, z = t * t;
  double small = rv_fma(t * z, polynomial(c, 9, z), lo[k]);
  if (k == 0) {
    *rest = small;
    return t;
  }
  *rest = small + t;
  return hi[k];
}

double rv_atan2(double y, double x) {
  if (isnan(x) || isnan(y)) return NAN;
  double ax = fabs(x), ay = fabs(y), hi, rest = 0;
  if (ax == 0 && ay == 0)
    hi = 0;
  else if (isinf(ax) && isinf(ay))
    hi = RV_PI / 4;
  else
    hi = atan_unit(ay <= ax ? ay / ax : ax / ay, &rest);
  if (ay > ax) {
    // pi/2 - hi is exact to its own last place; what it lost goes to the rest
    double turned = RV_PI / 2 - hi;
    rest = ((RV_PI / 2 - turned) - hi) - rest + PI_LOST / 2;
    hi = turned;
  }
  if (signbit(x)) {
    double turned = RV_PI - hi;
    rest = ((RV_PI - turned) - hi) - rest + PI_LOST;
    hi = turned;
  }
  return copysign(hi + rest, y);
}

double rv_acos(double x) {
  x = rv_clamp(x, -1, 1);
  return rv_atan2(sqrt((1 - x) * (1 + x)), x);
}
