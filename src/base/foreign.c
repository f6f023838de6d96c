// Counts the open calls into libraries of others.
#include "base/foreign.h"

#include <stdatomic.h>

static atomic_int open_calls;
static const char* _Atomic entered;  // the library of the last call

void rv_foreign_enter(const char* library) {
  atomic_store(&entered, library);
  atomic_fetch_add(&open_calls, 1);
}

void rv_foreign_leave(void) {
  atomic_fetch_sub(&open_calls, 1);
}

const char* rv_foreign_library(void) {
  return atomic_load(&open_calls) > 0 ? atomic_load(&entered) : NULL;
}
