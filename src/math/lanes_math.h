// Elementary functions and 3-vectors on lanes, for kernel files. The series of sine and cosine are those of
// math/scalar.c.
#ifndef RV_MATH_LANES_MATH_H
#define RV_MATH_LANES_MATH_H

#include "math/lanes.h"
#include "math/series.h"

// One 3-vector per lane. In memory the components of a batch follow each other: RV_W x, RV_W y, RV_W z.
typedef struct RvLanes3 {
  RvLanes x, y, z;
} RvLanes3;

RV_INLINE RvLanes3 rv_lanes3_load(const double* p) {
  return (RvLanes3){rv_lanes_load(p), rv_lanes_load(p + RV_W), rv_lanes_load(p + 2 * RV_W)};
}
RV_INLINE void rv_lanes3_store(double* p, RvLanes3 a) {
  rv_lanes_store(p, a.x);
  rv_lanes_store(p + RV_W, a.y);
  rv_lanes_store(p + 2 * RV_W, a.z);
}
RV_INLINE RvLanes3 rv_lanes3_add(RvLanes3 a, RvLanes3 b) {
  return (RvLanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}
RV_INLINE RvLanes3 rv_lanes3_sub(RvLanes3 a, RvLanes3 b) {
  return (RvLanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}
RV_INLINE RvLanes3 rv_lanes3_scale(RvLanes3 a, RvLanes s) {
  return (RvLanes3){a.x * s, a.y * s, a.z * s};
}
// a + s b
RV_INLINE RvLanes3 rv_lanes3_mad(RvLanes3 a, RvLanes s, RvLanes3 b) {
  return (RvLanes3){rv_lanes_fma(s, b.x, a.x), rv_lanes_fma(s, b.y, a.y), rv_lanes_fma(s, b.z, a.z)};
}
RV_INLINE RvLanes rv_lanes3_dot(RvLanes3 a, RvLanes3 b) {
  return rv_lanes_fma(a.x, b.x, rv_lanes_fma(a.y, b.y, a.z * b.z));
}
RV_INLINE RvLanes3 rv_lanes3_cross(RvLanes3 a, RvLanes3 b) {
  return (RvLanes3){rv_lanes_fma(a.y, b.z, -(a.z * b.y)), rv_lanes_fma(a.z, b.x, -(a.x * b.z)),
                    rv_lanes_fma(a.x, b.y, -(a.y * b.x))};
}

// Square root, correctly rounded by every instruction set.
RV_INLINE RvLanes rv_lanes_sqrt(RvLanes x) {
#if RV_V == 8
  return (RvLanes)_mm512_sqrt_pd((__m512d)x);
#elif RV_V == 4
  return (RvLanes)_mm256_sqrt_pd((__m256d)x);
#elif RV_V == 2
  return (RvLanes){__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#else
  return __builtin_sqrt(x);
#endif
}

// Maximum; b if the lanes are equal.
RV_INLINE RvLanes rv_lanes_max(RvLanes a, RvLanes b) {
  return rv_lanes_select(rv_lanes_positive(a - b), a, b);
}

RV_INLINE RvLanes rv_lanes_abs(RvLanes a) {
  return rv_lanes_max(a, -a);
}

// Nearest integer for |x| < 2^51. Adding and subtracting 1.5 * 2^52 rounds in the default rounding mode.
RV_INLINE RvLanes rv_lanes_round(RvLanes x) {
  const RvLanes big = rv_lanes_set(0x1.8p52);
  RvLanes shifted = x + big;
  return shifted - big;
}

// c[0] + c[1] x + ... by Horner's rule.
RV_INLINE RvLanes rv_lanes_polynomial(const double* c, int count, RvLanes x) {
  RvLanes sum = rv_lanes_set(c[count - 1]);
  RV_UNROLL
  for (int i = count - 2; i >= 0; --i) sum = rv_lanes_fma(sum, x, rv_lanes_set(c[i]));
  return sum;
}

// Sine and cosine for |x| < 1e5: Cody-Waite reduction by pi/2 in two parts, then Taylor series on |r| <= pi/4.
RV_INLINE void rv_lanes_sincos(RvLanes x, RvLanes* sine, RvLanes* cosine) {
  // Subtract the nearest multiple k of pi/2; the two constants are its leading and trailing bits.
  const RvLanes k = rv_lanes_round(x * rv_lanes_set(2 / RV_PI));
  RvLanes r = rv_lanes_fma(-k, rv_lanes_set(0x1.921fb54400000p+0), x);
  r = rv_lanes_fma(-k, rv_lanes_set(0x1.0b4611a626331p-34), r);
  // Series.
  const RvLanes z = r * r;
  const RvLanes sr = rv_lanes_fma(r * z, rv_lanes_polynomial(rv_series_sin, RV_SERIES_TERMS, z), r);
  const RvLanes cr = rv_lanes_set(1) + rv_lanes_fma(z * z, rv_lanes_polynomial(rv_series_cos, RV_SERIES_TERMS, z),
                                                    rv_lanes_set(-0.5) * z);
  // Quadrant q = k mod 4, in {-2, -1, 0, 1, 2}.
  const RvLanes q = k - rv_lanes_set(4) * rv_lanes_round(k * rv_lanes_set(0.25));
  const RvLanes odd = rv_lanes_abs(q) - rv_lanes_set(0.5);
  const RvLanes one = rv_lanes_set(1.5) - rv_lanes_abs(q);
  const RvLaneMask swap = rv_lanes_positive(odd) & rv_lanes_positive(one);
  const RvLaneMask half = rv_lanes_positive(-one);                            // q = +-2
  const RvLaneMask minus = rv_lanes_positive(-q - rv_lanes_set(0.5)) & swap;  // q = -1
  RvLanes a = rv_lanes_select(swap, cr, sr);
  RvLanes b = rv_lanes_select(swap, sr, cr);
  // q = 1: sin = c, cos = -s. q = -1: sin = -c, cos = s. q = +-2: both change sign.
  *sine = rv_lanes_select(half | minus, -a, a);
  *cosine = rv_lanes_select(half | (swap & ~minus), -b, b);
}

// Angle in any quadrant, within a few units in the last place; (0, 0) gives 0. The angle is halved twice by h = t / (1
// + sqrt(1 + t^2)), then taken from the Taylor series of atan.
RV_INLINE RvLanes rv_lanes_atan2(RvLanes y, RvLanes x) {
  static const double c[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11, 1.0 / 13,
                             -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25};
  // Tangent t in [0, 1] of the angle to the nearer axis.
  const RvLanes ax = rv_lanes_abs(x), ay = rv_lanes_abs(y), one = rv_lanes_set(1);
  const RvLaneMask steep = rv_lanes_positive(ay - ax);
  const RvLanes num = rv_lanes_select(steep, ax, ay), den = rv_lanes_select(steep, ay, ax);
  const RvLanes t = num / rv_lanes_select(rv_lanes_positive(den), den, one);
  // Tangent of a quarter of the angle, and the angle.
  RvLanes h = t / (one + rv_lanes_sqrt(rv_lanes_fma(t, t, one)));
  h = h / (one + rv_lanes_sqrt(rv_lanes_fma(h, h, one)));
  const RvLanes z = h * h;
  RvLanes angle = rv_lanes_set(4) * rv_lanes_fma(h * z, rv_lanes_polynomial(c, sizeof c / sizeof *c, z), h);
  // Quadrant.
  angle = rv_lanes_select(steep, rv_lanes_set(RV_PI / 2) - angle, angle);
  angle = rv_lanes_select(rv_lanes_positive(-x), rv_lanes_set(RV_PI) - angle, angle);
  return rv_lanes_select(rv_lanes_positive(-y), -angle, angle);
}

#endif
