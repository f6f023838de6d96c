// Parallel tasks of TBB with a C interface.
#ifndef RV_SHIM_TBB_H
#define RV_SHIM_TBB_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs body(arg, i) for i in [0, count) on at most `workers` threads. `site` identifies the loop: one that took very
// little time before is run by the caller alone.
void rv_tbb_run(int workers, size_t count, void (*body)(void* arg, size_t index), void* arg, const void* site);
// Starts `workers` threads (the caller is one of them), so that a lack of memory or of threads is an error here and not
// the end of the process in the middle of a loop.
RvResult rv_tbb_start(int workers, RvError* error);
// Number of cores that the process may use, at least 1.
int rv_tbb_cores(void);

#ifdef __cplusplus
}
#endif
#endif
