// A sparse direct solver of the flip's matrix, the third baseline of pcg_flip: up-looking LDL^T in the order of a
// nested dissection of the cross-section.
#ifndef RV_BENCH_DIRECT_H
#define RV_BENCH_DIRECT_H

#include "bench/flip.h"

typedef struct RvDirect {
  size_t n, entries;  // unknowns; entries of the factor
  double flops;       // of the factorisation
  double cpu;         // s, of ordering, analysis, factorisation and solve
  bool solved;        // false: the factor would take more than was allowed
} RvDirect;

// x = A^-1 right, in the order of the flip's vectors, unless the factor needs more flops or entries than these.
RvResult rv_bench_direct_solve(const RvFlip* flip, double most_flops, size_t most_entries, double* x, RvDirect* out,
                               RvError* error);

#endif
