// Selection of the instruction set of the kernels. All of them give the same bits; only the speed differs.
#ifndef RV_BASE_CPU_H
#define RV_BASE_CPU_H

typedef enum RvIsa { RV_ISA_BASE, RV_ISA_AVX2, RV_ISA_AVX512, RV_ISA_COUNT } RvIsa;

// The best instruction set of this machine, or a lesser one requested by rv_cpu_force or the environment variable
// RIVULET_ISA (base, avx2, avx512).
RvIsa rv_cpu_isa(void);
// Name of an instruction set, such as "avx2"; "none" for other numbers. Static.
const char* rv_cpu_isa_name(RvIsa isa);
// Forces an instruction set, for tests; 0 if this machine does not have it. RV_ISA_COUNT ends this.
int rv_cpu_force(RvIsa isa);

#endif
