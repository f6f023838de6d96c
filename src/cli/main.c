#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "cli/cli.h"

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Large arrays go back to the system when they are freed. Without a word glibc puts ever larger ones among the small,
  // where the holes that they leave stay resident.
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
  // and smaller ones stay: what a step frees the next one takes again
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
  return rv_cli_main(argc, argv);
}
