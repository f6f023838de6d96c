// Entry point of rivulet(1): memory settings of glibc, then the commands.
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "cli/cli.h"

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Arrays above 2 MB are mapped, so that freeing returns them to the system. By default glibc raises this threshold as
  // it runs, and the holes of freed arrays stay resident.
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
  // Smaller arrays stay with the process: the next step reuses what a step frees.
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
  return rv_cli_main(argc, argv);
}
