// Calls of kernels: declares the variants of a kernel for each instruction set and selects one at run time (see
// math/lanes.h, base/cpu.h).
//
//   RV_KERNEL_DECLARE(void, rv_strand_rod_energy, (const RvRodBatch*, const double*, double*))
//   RV_KERNEL_CALL(rv_strand_rod_energy, (rod, q, energy));
#ifndef RV_MATH_KERNEL_H
#define RV_MATH_KERNEL_H

#include "base/cpu.h"
#include "base/platform_machine.h"

// RV_KERNEL_DECLARE declares all variants of a kernel; RV_KERNEL_PICK calls the one for this machine.
#if RV_PLATFORM_HAS_AVX
#define RV_KERNEL_DECLARE(type, name, arguments) \
  type name##_base_w8 arguments;                 \
  type name##_avx2_w8 arguments;                 \
  type name##_avx512_w8 arguments;               \
  type name##_base_w1 arguments;                 \
  type name##_avx2_w1 arguments;                 \
  type name##_avx512_w1 arguments;
#define RV_KERNEL_PICK(name, width, arguments)                     \
  (rv_cpu_isa() == RV_ISA_AVX512 ? name##_avx512_##width arguments \
   : rv_cpu_isa() == RV_ISA_AVX2 ? name##_avx2_##width arguments   \
                                 : name##_base_##width arguments)
#else
#define RV_KERNEL_DECLARE(type, name, arguments) \
  type name##_base_w8 arguments;                 \
  type name##_base_w1 arguments;
#define RV_KERNEL_PICK(name, width, arguments) (name##_base_##width arguments)
#endif

// Calls a kernel on batches of 8 lanes.
#define RV_KERNEL_CALL(name, arguments) RV_KERNEL_PICK(name, w8, arguments)
// Calls the same source compiled for one lane, the baseline of the benchmarks.
#define RV_KERNEL_CALL_SINGLE(name, arguments) RV_KERNEL_PICK(name, w1, arguments)

#endif
