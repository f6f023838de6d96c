// The handler of failed assertions.
#include "base/assert.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(RvAssertFn*) current;  // NULL: the default

void rv_assert_set(RvAssertFn* handler) {
  atomic_store(&current, handler);
}

void rv_assert_failed(const char* expression, const char* file, int line) {
  RvAssertFn* handler = atomic_load(&current);
  if (handler) {
    handler(expression, file, line);
    return;
  }
#ifndef NDEBUG
  __builtin_trap();
#endif
}
