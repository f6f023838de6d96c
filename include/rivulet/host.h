// What a studio program may give the library instead of the system's: its memory and its threads. Both belong to the
// process, not to one simulation: give them once, before any other call of Rivulet.
#ifndef RIVULET_HOST_H
#define RIVULET_HOST_H

#include <string.h>

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The part of a loop that one call of a task does: the indices [begin, end).
typedef void RvTaskFn(void* arg, size_t begin, size_t end);

// Begin with rv_host_services_default(). A function that stays NULL leaves that service to the library.
typedef struct RvHostServices {
  uint32_t size, version;  // set by rv_host_services_default, checked by rv_host_services_set
  void* user;              // handed to every function below
  // Memory of `bytes` > 0 bytes at a multiple of `alignment`, a power of two of 64 or more; NULL when there is none.
  // Called by any thread. `free_memory` gets what it gave, never NULL. Give both or neither.
  void* (*alloc)(void* user, size_t bytes, size_t alignment);
  void (*free_memory)(void* user, void* memory);
  // Calls fn(arg, begin, end) so that the ranges cover [0, count) once, each of at least `grain` indices but for the
  // last; returns when all calls have. They may run at once, in any order, and may call parallel_for themselves. The
  // result of a simulation does not depend on how the range is cut or on how many threads there are.
  void (*parallel_for)(void* user, size_t count, size_t grain, RvTaskFn* fn, void* arg);
  int workers;  // with parallel_for: threads that it has, 1 or more; loops are cut into that many parts
} RvHostServices;

// Services that are all the library's own: memory of the C library, threads of TBB.
static inline RvHostServices rv_host_services_default(void) {
  RvHostServices services;
  memset(&services, 0, sizeof services);
  services.size = (uint32_t)sizeof services;
  services.version = RV_VERSION_NUMBER;
  return services;
}

// Takes the services from now on; `services` is copied, NULL means rv_host_services_default(). It is not thread-safe:
// call it while no other thread is in the library. Another allocator is refused (RV_BAD_INPUT) once the library has
// taken memory, since that memory would go back to the wrong one; threads may be changed between two calls. OpenVDB and
// TBB take their own memory, and with parallel_for OpenVDB's loops run on the calling thread alone.
RV_API RvResult rv_host_services_set(const RvHostServices* services, RvError* error);

// Sets the bytes of memory that the process may use; 0: no limit, as at the start. What would go beyond it fails with
// RV_LIMIT or RV_NO_MEMORY. Results do not depend on it. It does not bind an allocator of the host.
RV_API void rv_memory_limit_set(size_t bytes);
// The limit in bytes; 0: none.
RV_API size_t rv_memory_limit(void);

#ifdef __cplusplus
}
#endif
#endif
