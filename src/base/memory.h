// Checked memory: sizes are products that may overflow, and failure is a result, not a crash.
#ifndef RV_BASE_MEMORY_H
#define RV_BASE_MEMORY_H

#include "rivulet/base.h"

// count x size bytes, 64-byte aligned, NULL on overflow or when there is none. A count of 0 gives a valid pointer.
void* rv_alloc(size_t count, size_t size);
void* rv_alloc_zero(size_t count, size_t size);
// As realloc for memory of rv_alloc; `old_bytes` are kept. On failure the old memory stays.
void* rv_realloc(void* memory, size_t old_bytes, size_t count, size_t size);
char* rv_strdup(const char* text);
// printf into new memory; NULL when there is none. Free with rv_free.
char* rv_strf(const char* format, ...) RV_PRINTF(1, 2);
// True, and *out = a * b, if the product fits.
bool rv_mul_ok(size_t a, size_t b, size_t* out);

#endif
