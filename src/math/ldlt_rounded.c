// Selects the variant of the kernel of rounded factors for this machine.
#include "math/ldlt_rounded.h"

#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_ldlt_round, (const double*, int, double*))
RV_KERNEL_DECLARE(void, rv_ldlt_solve_rounded, (const double*, int, double*))

void rv_ldlt_round(const double* a, int n, double* rounded) {
  RV_KERNEL_CALL(rv_ldlt_round, (a, n, rounded));
}

void rv_ldlt_solve_rounded(const double* a, int n, double* x) {
  RV_KERNEL_CALL(rv_ldlt_solve_rounded, (a, n, x));
}
