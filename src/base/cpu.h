// Which instruction set the kernels use. Every path gives the same bits; only the speed differs.
#ifndef RV_BASE_CPU_H
#define RV_BASE_CPU_H

typedef enum RvIsa { RV_ISA_BASE, RV_ISA_AVX2, RV_ISA_AVX512, RV_ISA_COUNT } RvIsa;

// The best of this machine, or a lesser one asked for by rv_cpu_force or the environment variable RIVULET_ISA
// (base, avx2, avx512).
RvIsa rv_cpu_isa(void);
const char* rv_cpu_isa_name(RvIsa isa);
// Forces a path for tests; false if this machine lacks it. RV_ISA_COUNT undoes it.
int rv_cpu_force(RvIsa isa);

#endif
