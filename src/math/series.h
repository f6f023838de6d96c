// Taylor coefficients of sine and cosine after their first terms, in powers of x^2, shared by scalars and lanes.
#ifndef RV_MATH_SERIES_H
#define RV_MATH_SERIES_H

enum { RV_SERIES_TERMS = 8 };  // the first omitted term is below 1e-19 of the sum for |x| <= pi/4

// sin x = x + x^3 (c0 + c1 x^2 + ...)
static const double rv_series_sin[RV_SERIES_TERMS] = {-1.0 / 6,
                                                      1.0 / 120,
                                                      -1.0 / 5040,
                                                      1.0 / 362880,
                                                      -1.0 / 39916800,
                                                      1.0 / 6227020800.0,
                                                      -1.0 / 1307674368000.0,
                                                      1.0 / 355687428096000.0};
// cos x = 1 - x^2 / 2 + x^4 (c0 + c1 x^2 + ...)
static const double rv_series_cos[RV_SERIES_TERMS] = {1.0 / 24,
                                                      -1.0 / 720,
                                                      1.0 / 40320,
                                                      -1.0 / 3628800,
                                                      1.0 / 479001600.0,
                                                      -1.0 / 87178291200.0,
                                                      1.0 / 20922789888000.0,
                                                      -1.0 / 6402373705728000.0};

#endif
