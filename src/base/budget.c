// The memory budget: a limit, a count, and what the system says.
#include "base/budget.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "rivulet/host.h"

static const double GIB = 0x1p30;  // bytes

// Without a limit all of it may be used.
static atomic_size_t limit = SIZE_MAX;
static atomic_size_t taken;
static atomic_size_t refused, used_then;  // of the last refusal: its bytes, and those in use

void rv_memory_limit_set(size_t bytes) {
  atomic_store_explicit(&limit, bytes ? bytes : SIZE_MAX, memory_order_relaxed);
}

size_t rv_memory_limit(void) {
  size_t bytes = atomic_load_explicit(&limit, memory_order_relaxed);
  return bytes == SIZE_MAX ? 0 : bytes;
}

size_t rv_budget_machine(void) {
  return rv_platform_allowed_memory();
}

//---------------------------------------------------------------------------------------------- the count

size_t rv_budget_used(void) {
  size_t counted = atomic_load_explicit(&taken, memory_order_relaxed), seen = rv_platform_resident();
  return counted > seen ? counted : seen;
}

size_t rv_budget_room(void) {
  size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
  if (most == SIZE_MAX) return SIZE_MAX;
  size_t used = rv_budget_used();
  return used < most ? most - used : 0;
}

RvResult rv_budget_check(double bytes, RvError* error, const char* format, ...) {
  size_t room = rv_budget_room();
  if (room == SIZE_MAX || bytes <= (double)room) return RV_OK;
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return rv_fail(error, RV_LIMIT,
                 "%s: this needs about %.3g GiB of memory, and %.3g GiB are left of the limit of %.3g GiB; make it "
                 "smaller, or raise --max-memory",
                 what, bytes / GIB, (double)room / GIB, (double)rv_memory_limit() / GIB);
}

bool rv_budget_take(size_t bytes, bool large) {
  size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
  size_t before = atomic_fetch_add_explicit(&taken, bytes, memory_order_relaxed);
  if (most == SIZE_MAX) return true;
  bool fits = before <= most && bytes <= most - before;
  if (fits && large) {
    size_t seen = rv_platform_resident();
    fits = seen <= most && bytes <= most - seen;
  }
  if (fits) return true;
  rv_budget_give(bytes);
  atomic_store_explicit(&refused, bytes, memory_order_relaxed);
  atomic_store_explicit(&used_then, rv_budget_used(), memory_order_relaxed);
  return false;
}

void rv_budget_give(size_t bytes) {
  atomic_fetch_sub_explicit(&taken, bytes, memory_order_relaxed);
}

size_t rv_budget_refused(size_t* used) {
  if (used) *used = atomic_load_explicit(&used_then, memory_order_relaxed);
  return atomic_exchange_explicit(&refused, 0, memory_order_relaxed);
}
