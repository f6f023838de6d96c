// Selects the variant of the LDL^T kernel for this machine.
#include "math/ldlt.h"

#include "math/kernel.h"

RV_KERNEL_DECLARE(unsigned, rv_ldlt_factor, (double*, int, int))
RV_KERNEL_DECLARE(void, rv_ldlt_solve, (const double*, int, int, double*))

unsigned rv_ldlt_factor(double* a, int n, int band) {
  return RV_KERNEL_CALL(rv_ldlt_factor, (a, n, band));
}

void rv_ldlt_solve(const double* a, int n, int band, double* x) {
  RV_KERNEL_CALL(rv_ldlt_solve, (a, n, band, x));
}

unsigned rv_ldlt_factor_single(double* a, int n, int band) {
  return RV_KERNEL_CALL_SINGLE(rv_ldlt_factor, (a, n, band));
}

void rv_ldlt_solve_single(const double* a, int n, int band, double* x) {
  RV_KERNEL_CALL_SINGLE(rv_ldlt_solve, (a, n, band, x));
}
