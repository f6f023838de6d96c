// Parallel loops whose result does not depend on the number of workers: chunks are fixed by the count and the grain
// alone, and partial sums are added in the order of the chunks.
#ifndef RV_BASE_PARALLEL_H
#define RV_BASE_PARALLEL_H

#include "rivulet/base.h"

typedef void RvRangeFn(void* arg, size_t begin, size_t end);
typedef double RvRangeSumFn(void* arg, size_t begin, size_t end);

// Calls fn over [0, count) in chunks of `grain` (the last may be shorter). Chunks may run at once, in any order.
void rv_parallel_for(size_t count, size_t grain, RvRangeFn* fn, void* arg);
// Sum of fn over the same chunks: pairwise over the chunks, a fixed tree.
double rv_parallel_sum(size_t count, size_t grain, RvRangeSumFn* fn, void* arg);

#endif
