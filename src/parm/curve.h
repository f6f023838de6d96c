// Interpolation between keys, shared by channels and ramps.
#ifndef RV_PARM_CURVE_H
#define RV_PARM_CURVE_H

#include "math/scalar.h"

// Slope at a key between two segments of lengths h0, h1 and slopes d0, d1: 0 at extrema and next to equal values,
// else the weighted harmonic mean, which is at most three times the smaller slope, so that the cubic through
// the keys is monotone between them (F. Fritsch and J. Butland, "A method for constructing local monotone
// piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5, 1984).
static inline double rv_curve_slope(double h0, double d0, double h1, double d1) {
  if (!(d0 * d1 > 0)) return 0;
  double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

// Cubic Hermite at t in [0, 1] of a segment of length h from (y0, slope m0) to (y1, m1), kept between y0 and
// y1 against rounding.
static inline double rv_curve_hermite(double t, double h, double y0, double m0, double y1, double m1) {
  double s = 1 - t;
  double y = s * s * ((1 + 2 * t) * y0 + t * h * m0) + t * t * ((1 + 2 * s) * y1 - s * h * m1);
  return y0 < y1 ? rv_clamp(y, y0, y1) : rv_clamp(y, y1, y0);
}

// Straight line at t in [0, 1] from y0 to y1, kept between them against rounding.
static inline double rv_curve_line(double t, double y0, double y1) {
  double y = (1 - t) * y0 + t * y1;
  return y0 < y1 ? rv_clamp(y, y0, y1) : rv_clamp(y, y1, y0);
}

#endif
