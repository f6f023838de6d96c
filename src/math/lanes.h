// Several numbers at once, one of each of several strands. Batches are RV_W = 8 wide in memory whatever the machine, so
// the layout and the bits do not depend on it; a kernel works on RV_V of them at a time, as many as a register holds
// (8, 4 or 2), and loops over the parts of a batch. A kernel file is compiled once for each instruction set (see
// rv_add_kernel in CMakeLists.txt) and once more with RV_W = 1, the baseline of the benchmarks. These types must not
// cross into other files.
#ifndef RV_MATH_LANES_H
#define RV_MATH_LANES_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "math/scalar.h"

#ifndef RV_W
#define RV_W 8
#endif

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
// the name of a kernel's function in this path, such as rv_ldlt_factor_avx2_w8
#define RV_KERNEL(name) RV_KERNEL_NAME(name, RV_ISA, RV_W)

// before a loop of a constant length whose body must keep its arrays in registers
#if defined(__clang__)
#define RV_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RV_UNROLL _Pragma("GCC unroll 32")
#endif

#define RV_INLINE static inline __attribute__((always_inline))

#if RV_V == 1
typedef double RvLanes;
typedef long long RvLaneMask;
#else
typedef double RvLanes __attribute__((vector_size(8 * RV_V)));
typedef long long RvLaneMask __attribute__((vector_size(8 * RV_V)));
#endif

RV_INLINE RvLanes rv_lanes_load(const double* p) {
  return *(const RvLanes*)p;
}

RV_INLINE void rv_lanes_store(double* p, RvLanes x) {
  *(RvLanes*)p = x;
}

RV_INLINE RvLanes rv_lanes_set(double x) {
#if RV_V == 1
  return x;
#else
  return x - (RvLanes){0};
#endif
}

// a b + c, one rounding
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

// all bits of a lane set where it holds
RV_INLINE RvLaneMask rv_lanes_positive(RvLanes x) {
#if RV_V == 1
  return -(RvLaneMask)(x > 0);
#else
  return x > (RvLanes){0};
#endif
}

RV_INLINE RvLanes rv_lanes_select(RvLaneMask mask, RvLanes yes, RvLanes no) {
#if RV_V == 1
  return mask ? yes : no;
#else
  return (RvLanes)((mask & (RvLaneMask)yes) | (~mask & (RvLaneMask)no));
#endif
}

// bit i: lane i of the mask is set
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
