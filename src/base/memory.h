// Memory allocation. Sizes are products checked for overflow, and failure is a result, not a crash. All memory is freed
// by rv_free.
#ifndef RV_BASE_MEMORY_H
#define RV_BASE_MEMORY_H

#include "rivulet/base.h"

// count x size bytes, aligned to 64 bytes and not cleared; NULL on overflow or out of memory. A count of 0 gives a
// valid pointer.
void* rv_alloc(size_t count, size_t size);
// The same, cleared to zero.
void* rv_alloc_zero(size_t count, size_t size);
// Resizes memory of rv_alloc; its first `old_bytes` are kept as far as they fit. On failure it returns NULL and the old
// memory stays valid. `memory` may be NULL.
void* rv_realloc(void* memory, size_t old_bytes, size_t count, size_t size);
// Replaces the memory that `pointer` (the address of a pointer) points to by `count` elements that are not cleared. On
// failure it returns false and the old memory stays.
bool rv_renew(void* pointer, size_t count, size_t size);
// Frees several: RV_FREE_ALL(a->x, a->v); NULL is allowed.
void rv_free_all(void* const* memory, size_t count);
#define RV_FREE_ALL(...) rv_free_all((void*[]){__VA_ARGS__}, sizeof((void*[]){__VA_ARGS__}) / sizeof(void*))
// A copy of a text; NULL: out of memory.
char* rv_strdup(const char* text);
// printf into new memory; NULL: out of memory.
char* rv_strf(const char* format, ...) RV_PRINTF(1, 2);
// Sets *out = a * b; false if the product overflows.
bool rv_mul_ok(size_t a, size_t b, size_t* out);

#endif
