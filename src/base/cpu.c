// Detection of the instruction set.
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform_machine.h"

static const char* const names[RV_ISA_COUNT] = {"base", "avx2", "avx512"};
static _Atomic int forced = RV_ISA_COUNT;  // by rv_cpu_force; RV_ISA_COUNT: none

// The best instruction set for which there are kernels.
static RvIsa best(void) {
#if RV_PLATFORM_HAS_AVX
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma"))
    return RV_ISA_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return RV_ISA_AVX2;
#endif
  return RV_ISA_BASE;
}

// The one named by RIVULET_ISA if this machine has it, else the best.
static RvIsa from_environment(void) {
  RvIsa top = best();
  const char* wanted = getenv("RIVULET_ISA");
  for (int i = 0; wanted && i <= (int)top; ++i)
    if (strcmp(wanted, names[i]) == 0) return (RvIsa)i;
  return top;
}

RvIsa rv_cpu_isa(void) {
  static _Atomic int chosen = -1;
  int isa = atomic_load(&forced);
  if (isa != RV_ISA_COUNT) return (RvIsa)isa;
  isa = atomic_load(&chosen);
  if (isa < 0) {
    isa = (int)from_environment();
    atomic_store(&chosen, isa);
  }
  return (RvIsa)isa;
}

const char* rv_cpu_isa_name(RvIsa isa) {
  return (unsigned)isa < RV_ISA_COUNT ? names[isa] : "none";
}

int rv_cpu_force(RvIsa isa) {
  if (isa != RV_ISA_COUNT && isa > best()) return 0;
  atomic_store(&forced, (int)isa);
  return 1;
}
