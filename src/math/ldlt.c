// Chooses the kernel's path.
#include "math/ldlt.h"

#include "base/cpu.h"

#define RV_ISAS(X) X(base) X(avx2) X(avx512)

#define DECLARE(isa)                                               \
  unsigned rv_ldlt_factor_##isa##_w8(double*, int, int);           \
  void rv_ldlt_solve_##isa##_w8(const double*, int, int, double*); \
  unsigned rv_ldlt_factor_##isa##_w1(double*, int, int);           \
  void rv_ldlt_solve_##isa##_w1(const double*, int, int, double*);
#if defined(__x86_64__)
RV_ISAS(DECLARE)
#define PICK(name, ...)                  \
  switch (rv_cpu_isa()) {                \
    case RV_ISA_AVX512:                  \
      return name##_avx512##__VA_ARGS__; \
    case RV_ISA_AVX2:                    \
      return name##_avx2##__VA_ARGS__;   \
    default:                             \
      return name##_base##__VA_ARGS__;   \
  }
#else
DECLARE(base)
#define PICK(name, ...) return name##_base##__VA_ARGS__;
#endif

unsigned rv_ldlt_factor(double* a, int n, int band) {
  PICK(rv_ldlt_factor, _w8(a, n, band))
}

void rv_ldlt_solve(const double* a, int n, int band, double* x) {
  PICK(rv_ldlt_solve, _w8(a, n, band, x))
}

unsigned rv_ldlt_factor_single(double* a, int n, int band) {
  PICK(rv_ldlt_factor, _w1(a, n, band))
}

void rv_ldlt_solve_single(const double* a, int n, int band, double* x) {
  PICK(rv_ldlt_solve, _w1(a, n, band, x))
}
