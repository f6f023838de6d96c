// The memory budget of the process. The allocator counts what it hands out and refuses what would go beyond the limit,
// as if the system had no memory left; callers that know how much they will need ask first and so fail at once, with a
// reason. Memory of libraries (OpenVDB, TBB, Embree) is seen as resident memory of the process. The limit decides only
// whether a result is made, never what it is.
#ifndef RV_BASE_BUDGET_H
#define RV_BASE_BUDGET_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that this process may use: the smallest of the machine's memory, the limit of its control group and its address
// space (ulimit -v). SIZE_MAX if the system does not tell.
size_t rv_budget_machine(void);
// Bytes in use: those that the allocator handed out, or the resident memory if that is more.
size_t rv_budget_used(void);
// Bytes that may still be taken; SIZE_MAX without a limit.
size_t rv_budget_room(void);

// RV_LIMIT unless `bytes` fit into the room. The printf text says what needs them: "8000000 particles".
RvResult rv_budget_check(double bytes, RvError* error, const char* format, ...) RV_PRINTF(3, 4);

// For the allocator. True, and counts the bytes, if they fit; `large` compares with resident memory too.
bool rv_budget_take(size_t bytes, bool large);
// Takes back what was counted.
void rv_budget_give(size_t bytes);
// Bytes of the last allocation that was refused since the last call, 0 for none: out of memory was the budget's. *used
// (may be NULL) becomes the bytes that were in use then.
size_t rv_budget_refused(size_t* used);

#ifdef __cplusplus
}
#endif
#endif
