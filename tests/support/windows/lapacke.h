// The two functions of LAPACK that test_math_ldlt compares with, for systems without the library: Cholesky's factor of
// a symmetric band, column by column as in a textbook, and the solution with it. The lower band is stored by columns.
#ifndef RV_TEST_LAPACKE_H
#define RV_TEST_LAPACKE_H

#include <math.h>

enum { LAPACK_COL_MAJOR = 102 };

static inline int LAPACKE_dpbtrf(int layout, char half, int n, int band, double* a, int rows) {
  (void)layout;
  (void)half;
  for (int j = 0; j < n; ++j) {
    double* column = a + j * rows;
    if (!(column[0] > 0)) return j + 1;
    column[0] = sqrt(column[0]);
    for (int k = 1; k <= band && j + k < n; ++k) column[k] /= column[0];
    // the columns that this one reaches
    for (int k = 1; k <= band && j + k < n; ++k)
      for (int m = k; m <= band && j + m < n; ++m) a[(j + k) * rows + m - k] -= column[k] * column[m];
  }
  return 0;
}

static inline int LAPACKE_dpbtrs(int layout, char half, int n, int band, int count, const double* a, int rows,
                                 double* x, int stride) {
  (void)layout;
  (void)half;
  (void)count;
  (void)stride;
  for (int j = 0; j < n; ++j) {
    x[j] /= a[j * rows];
    for (int k = 1; k <= band && j + k < n; ++k) x[j + k] -= a[j * rows + k] * x[j];
  }
  for (int j = n - 1; j >= 0; --j) {
    for (int k = 1; k <= band && j + k < n; ++k) x[j] -= a[j * rows + k] * x[j + k];
    x[j] /= a[j * rows];
  }
  return 0;
}

#endif
