// Dense L D L^T by columns, without pivoting, then forward and backward substitution.
#include "rig/dense.h"

bool rv_rig_dense_solve(size_t n, double* a, double* x) {
  // L D L^T column by column; the lower half of `a` becomes L D. It ends at a pivot that is not positive.
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < j; ++k) {
      double l = a[j * n + k] / a[k * n + k];
      for (size_t i = j; i < n; ++i) a[i * n + j] -= l * a[i * n + k];
    }
    if (!(a[j * n + j] > 0)) return false;
  }
  // Forward substitution; a column divided by its pivot is L's.
  for (size_t j = 0; j < n; ++j) {
    x[j] /= a[j * n + j];
    for (size_t i = j + 1; i < n; ++i) x[i] -= a[i * n + j] * x[j];
  }
  // Backward substitution with L^T.
  for (size_t j = n; j-- > 0;)
    for (size_t i = j + 1; i < n; ++i) x[j] -= a[i * n + j] / a[j * n + j] * x[i];
  return true;
}
