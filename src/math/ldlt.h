// LDL^T of symmetric banded matrices, RV_LANES of equal size at once, one a lane (design section 6).
//
// Layout, 64-byte aligned: a[(j * (band + 1) + k) * RV_LANES + lane] = A(j + k, j), the lower band by columns; entries
// below the last row are not read. Vectors: x[j * RV_LANES + lane].
#ifndef RV_MATH_LDLT_H
#define RV_MATH_LDLT_H

#include <stddef.h>

enum { RV_LANES = 8, RV_BAND_MAX = 16 };

// Doubles of one batch's matrix.
static inline size_t rv_ldlt_size(int n, int band) {
  return (size_t)n * (size_t)(band + 1) * RV_LANES;
}

// In place: a becomes the unit lower factor with 1/d in its diagonal. Bit i of the result: lane i met a pivot that is
// not positive; that lane's numbers are then of no use, the others' are right.
unsigned rv_ldlt_factor(double* a, int n, int band);
// x = A^-1 x with the factor.
void rv_ldlt_solve(const double* a, int n, int band, double* x);

// The same source at one lane, for benchmarks: a[j * (band + 1) + k], x[j].
unsigned rv_ldlt_factor_single(double* a, int n, int band);
void rv_ldlt_solve_single(const double* a, int n, int band, double* x);

#endif
