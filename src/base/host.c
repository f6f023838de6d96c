// Services of the host: one set a process.
#include "base/host.h"

#include <stdatomic.h>

#include "base/result.h"

static RvHostServices current;
static atomic_size_t allocations;

const RvHostServices* rv_host_services(void) {
  return &current;
}

void rv_host_memory_taken(void) {
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

size_t rv_host_allocations(void) {
  return atomic_load_explicit(&allocations, memory_order_relaxed);
}

// The services must be whole, and their memory that of before once some was taken.
static RvResult check(const RvHostServices* services, RvError* error) {
  RvResult result = rv_struct_check("RvHostServices", "rv_host_services_default", services->size, services->version,
                                    sizeof *services, error);
  if (result) return result;
  if (!services->alloc != !services->free_memory)
    return rv_fail(error, RV_BAD_INPUT, "RvHostServices: give both alloc and free_memory, or neither");
  if (services->parallel_for && services->workers < 1)
    return rv_fail(error, RV_BAD_INPUT, "RvHostServices: workers is %d; with parallel_for it must be 1 or more",
                   services->workers);
  bool other_memory = services->alloc != current.alloc || services->free_memory != current.free_memory ||
                      (services->alloc && services->user != current.user);
  if (other_memory && rv_host_allocations())
    return rv_fail(error, RV_BAD_INPUT,
                   "RvHostServices: the library has taken memory already, and its allocator cannot be changed any "
                   "more: call rv_host_services_set before all other functions");
  return RV_OK;
}

RvResult rv_host_services_set(const RvHostServices* services, RvError* error) {
  const RvHostServices own = rv_host_services_default();
  if (!services) services = &own;
  RvResult result = check(services, error);
  if (!result) current = *services;
  return result;
}
