// LDL^T factorisation of symmetric banded matrices: a batch of RV_LANES matrices of equal size, one per lane.
//
// Layout, aligned to 64 bytes: a[(j * (band + 1) + k) * RV_LANES + lane] = A(j + k, j), the lower band by columns;
// entries below the last row are not read. Vectors have x[j * RV_LANES + lane].
#ifndef RV_MATH_LDLT_H
#define RV_MATH_LDLT_H

#include <stddef.h>

enum {
  RV_LANES = 8,      // matrices of a batch
  RV_BAND_MAX = 16,  // subdiagonals of a matrix, at most
};

// Number of doubles of the matrices of one batch: n unknowns, `band` subdiagonals.
static inline size_t rv_ldlt_size(int n, int band) {
  return (size_t)n * (size_t)(band + 1) * RV_LANES;
}

// Factorises in place: `a` becomes the unit lower factor with 1/d on its diagonal. Bit i of the result is set if lane i
// has a pivot that is not positive: its factor is then meaningless, those of the other lanes are valid.
unsigned rv_ldlt_factor(double* a, int n, int band);
// Solves A x = b in place with the factor: x holds b before and the solution after.
void rv_ldlt_solve(const double* a, int n, int band, double* x);

// The same source compiled for one lane, for benchmarks: a[j * (band + 1) + k], x[j].
unsigned rv_ldlt_factor_single(double* a, int n, int band);
void rv_ldlt_solve_single(const double* a, int n, int band, double* x);

#endif
