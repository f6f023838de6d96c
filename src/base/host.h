// The services that a host gave: memory.c and the shim of TBB ask here.
#ifndef RV_BASE_HOST_H
#define RV_BASE_HOST_H

#include "rivulet/host.h"

#ifdef __cplusplus
extern "C" {
#endif

// Those in use; functions that are NULL are the library's own.
const RvHostServices* rv_host_services(void);
// Called by the allocator before it takes memory: from the first call on it stays the one that it is.
void rv_host_memory_taken(void);
// How often it was called: the allocations of the process so far.
size_t rv_host_allocations(void);

#ifdef __cplusplus
}
#endif
#endif
