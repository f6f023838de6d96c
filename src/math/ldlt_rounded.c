// Selects the variant of the kernel of rounded factors for this machine.
#include "math/ldlt_rounded.h"

#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_ldlt_round, (double*, int))
RV_KERNEL_DECLARE(void, rv_ldlt_solve_rounded, (const double*, int, double*))

void rv_ldlt_round(double* a, int n) {
  RV_KERNEL_CALL(rv_ldlt_round, (a, n));
}

void rv_ldlt_solve_rounded(const double* a, int n, double* x) {
  RV_KERNEL_CALL(rv_ldlt_solve_rounded, (a, n, x));
}
