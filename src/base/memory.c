// Memory allocation with alignment and huge pages, and growing arrays.
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/host.h"
#include "base/platform.h"

enum {
  ALIGNMENT = 64,    // bytes: a cache line and the widest vector
  LARGE = 2 << 20,   // bytes from which memory is put on huge pages: one of them on x86-64
  MIN_CAPACITY = 8,  // elements of a growing array
};

bool rv_mul_ok(size_t a, size_t b, size_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}

// A block of the C library, counted against the budget of the process.
static void* alloc_counted(size_t bytes) {
  bool large = bytes >= LARGE;
  if (!rv_budget_take(bytes, large)) return NULL;
  // With small pages, the page faults of the first touch of a large array take as long as copying it.
  void* memory = rv_platform_alloc(bytes, ALIGNMENT, large);
  // The block is a little larger than what was asked for.
  rv_budget_give(bytes - (memory ? rv_platform_block_bytes(memory) : 0));
  return memory;
}

void* rv_alloc(size_t count, size_t size) {
  size_t bytes;
  if (!rv_mul_ok(count, size, &bytes) || bytes > PTRDIFF_MAX - LARGE) return NULL;
  rv_host_memory_taken();
  const RvHostServices* host = rv_host_services();
  if (host->alloc) return host->alloc(host->user, bytes ? bytes : ALIGNMENT, ALIGNMENT);
  // The platform takes multiples of the alignment only.
  bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  return alloc_counted(bytes ? bytes : ALIGNMENT);
}

void* rv_alloc_zero(size_t count, size_t size) {
  void* memory = rv_alloc(count, size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

void* rv_realloc(void* memory, size_t old_bytes, size_t count, size_t size) {
  // Copy: the system's realloc does not keep the alignment.
  void* fresh = rv_alloc(count, size);
  if (!fresh) return NULL;
  size_t bytes = count * size;
  if (memory) memcpy(fresh, memory, old_bytes < bytes ? old_bytes : bytes);
  rv_free(memory);
  return fresh;
}

bool rv_renew(void* pointer, size_t count, size_t size) {
  void *fresh = rv_alloc(count, size), *old;
  if (!fresh) return false;
  // by memcpy, as the pointer may be of any type
  memcpy(&old, pointer, sizeof old);
  memcpy(pointer, &fresh, sizeof fresh);
  rv_free(old);
  return true;
}

void rv_free_all(void* const* memory, size_t count) {
  for (size_t i = 0; i < count; ++i) rv_free(memory[i]);
}

char* rv_strdup(const char* text) {
  size_t bytes = strlen(text) + 1;
  char* copy = rv_alloc(bytes, 1);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

char* rv_strf(const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  // Measure, then print.
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char* text = n < 0 ? NULL : rv_alloc((size_t)n + 1, 1);
  if (text) vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  return text;
}

void rv_free(void* memory) {
  const RvHostServices* host = rv_host_services();
  if (!memory) return;
  if (host->alloc) {
    host->free_memory(host->user, memory);
    return;
  }
  rv_budget_give(rv_platform_block_bytes(memory));
  rv_platform_free(memory);
}

bool rv_array_reserve_bytes(void** data, size_t* capacity, size_t count, size_t wanted, size_t element) {
  if (wanted <= *capacity) return true;
  // Grow by half at least, so that appending takes constant time on average.
  size_t grown = *capacity + *capacity / 2;
  if (grown < wanted) grown = wanted;
  if (grown < MIN_CAPACITY) grown = MIN_CAPACITY;
  void* fresh = rv_realloc(*data, count * element, grown, element);
  if (!fresh) return false;
  *data = fresh;
  *capacity = grown;
  return true;
}
