// Parallel loops whose results do not depend on the number of threads: the chunks depend only on the count and the
// grain, and partial sums are added by a fixed tree.
#ifndef RV_BASE_PARALLEL_H
#define RV_BASE_PARALLEL_H

#include "rivulet/base.h"

// Works on the items [begin, end).
typedef void RvRangeFn(void* arg, size_t begin, size_t end);
// Returns the sum over the items [begin, end).
typedef double RvRangeSumFn(void* arg, size_t begin, size_t end);

// Starts the threads of the loops. Without it they start with the first loop, where TBB ends the process if one cannot
// be started; programs call it once, after rv_threads_set.
RvResult rv_threads_start(RvError* error);
// Calls fn over [0, count) in chunks of `grain` items (0 counts as 1; the last may be shorter). Chunks may run at the
// same time and in any order.
void rv_parallel_for(size_t count, size_t grain, RvRangeFn* fn, void* arg);
// Sum of fn over the same chunks, added pairwise by a tree that depends only on their number.
double rv_parallel_sum(size_t count, size_t grain, RvRangeSumFn* fn, void* arg);

#endif
