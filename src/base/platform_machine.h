// Faults of a system's C library and compiler that change how we compute. Included by platform-free code for these macros.
#ifndef RV_BASE_PLATFORM_MACHINE_H
#define RV_BASE_PLATFORM_MACHINE_H

// The C library of Windows computes fma in significands of 64 bits and rounds twice. With the processor's own instruction
// compiled in it is not called.
#if defined(_WIN32) && !defined(__FMA__)
#define RV_PLATFORM_FMA_ROUNDS_TWICE 1
#else
#define RV_PLATFORM_FMA_ROUNDS_TWICE 0
#endif

// Whether there are kernels for AVX. Mingw's gcc aligns the stack to 16 bytes only and stores wider vectors there as if they
// were aligned (its bug 54412), so that they would crash.
#if defined(__x86_64__) && !defined(__MINGW32__)
#define RV_PLATFORM_HAS_AVX 1
#else
#define RV_PLATFORM_HAS_AVX 0
#endif

#endif
