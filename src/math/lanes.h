// SIMD lanes: one number from each of several strands. Batches are RV_W = 8 lanes wide in memory on every machine, so
// the layout and the bits do not depend on the instruction set. A kernel works on RV_V lanes at a time, as many as a
// register holds (8, 4 or 2), and loops over the parts of a batch. A kernel file is compiled once for each instruction
// set (see rv_add_kernel in CMakeLists.txt) and once more with RV_W = 1, the baseline of the benchmarks. Lane types
// must not appear in interfaces between files, because their size differs.
#ifndef RV_MATH_LANES_H
#define RV_MATH_LANES_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "math/scalar.h"

// Lanes of a batch in memory.
#ifndef RV_W
#define RV_W 8
#endif

// Lanes of a register.
#if RV_W == 1
#define RV_V 1
#elif defined(__AVX512F__)
#define RV_V 8
#elif defined(__AVX2__)
#define RV_V 4
#else
#define RV_V 2
#endif

#define RV_PASTE4(a, b, c, d) a##_##b##_w##c##d
#define RV_KERNEL_NAME(name, isa, width) RV_PASTE4(name, isa, width, )
// Name of a kernel's function for this instruction set, such as rv_ldlt_factor_avx2_w8.
#define RV_KERNEL(name) RV_KERNEL_NAME(name, RV_ISA, RV_W)

// Unrolls the following loop of constant length, so that arrays indexed by it stay in registers.
#if defined(__clang__)
#define RV_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RV_UNROLL _Pragma("GCC unroll 32")
#endif

#define RV_INLINE static inline __attribute__((always_inline))

// RV_V doubles, and a mask with all bits of a lane set or clear.
#if RV_V == 1
typedef double RvLanes;
typedef long long RvLaneMask;
#else
typedef double RvLanes __attribute__((vector_size(8 * RV_V)));
typedef long long RvLaneMask __attribute__((vector_size(8 * RV_V)));
#endif

// Loads from aligned memory.
RV_INLINE RvLanes rv_lanes_load(const double* p) {
  return *(const RvLanes*)p;
}

RV_INLINE void rv_lanes_store(double* p, RvLanes x) {
  *(RvLanes*)p = x;
}

// The same number in all lanes.
RV_INLINE RvLanes rv_lanes_set(double x) {
#if RV_V == 1
  return x;
#else
  return x - (RvLanes){0};
#endif
}

// a b + c with one rounding.
RV_INLINE RvLanes rv_lanes_fma(RvLanes a, RvLanes b, RvLanes c) {
#if RV_V == 8
  return (RvLanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif RV_V == 4
  return (RvLanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif RV_V == 2
  return (RvLanes){rv_fma(a[0], b[0], c[0]), rv_fma(a[1], b[1], c[1])};
#else
  return rv_fma(a, b, c);
#endif
}

// Mask of the lanes with x > 0.
RV_INLINE RvLaneMask rv_lanes_positive(RvLanes x) {
#if RV_V == 1
  return -(RvLaneMask)(x > 0);
#else
  return x > (RvLanes){0};
#endif
}

// `yes` in the lanes of the mask, `no` in the others.
RV_INLINE RvLanes rv_lanes_select(RvLaneMask mask, RvLanes yes, RvLanes no) {
#if RV_V == 1
  return mask ? yes : no;
#else
  return (RvLanes)((mask & (RvLaneMask)yes) | (~mask & (RvLaneMask)no));
#endif
}

// The mask as bits: bit i is set if lane i is.
RV_INLINE unsigned rv_lanes_bits(RvLaneMask mask) {
#if RV_V == 1
  return mask != 0;
#else
  unsigned bits = 0;
  for (int i = 0; i < RV_V; ++i) bits |= (mask[i] != 0 ? 1u : 0u) << i;
  return bits;
#endif
}

#endif
