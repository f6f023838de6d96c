// A growing array of any type: RV_ARRAY(int) a = {0}; rv_array_push(&a, 3); rv_array_free(&a);
#ifndef RV_BASE_ARRAY_H
#define RV_BASE_ARRAY_H

#include "base/memory.h"

// Type of an array of T; {0} is an empty one.
#define RV_ARRAY(T)  \
  struct {           \
    T* data;         \
    size_t count;    \
    size_t capacity; \
  }

// Ensures room for `wanted` elements of `element` bytes; the first `count` are kept. False: out of memory, the array is
// unchanged.
bool rv_array_reserve_bytes(void** data, size_t* capacity, size_t count, size_t wanted, size_t element);

// Ensures room for `wanted` elements. False: out of memory.
#define rv_array_reserve(a, wanted) \
  rv_array_reserve_bytes((void**)&(a)->data, &(a)->capacity, (a)->count, (wanted), sizeof *(a)->data)
// Appends an element. False: out of memory.
#define rv_array_push(a, value) \
  (rv_array_reserve((a), (a)->count + 1) ? ((a)->data[(a)->count++] = (value), true) : false)
// Changes the count; new elements are not initialised. False: out of memory.
#define rv_array_resize(a, n) (rv_array_reserve((a), (n)) ? ((a)->count = (n), true) : false)
// Frees the elements; the array becomes empty.
#define rv_array_free(a) (rv_free((a)->data), (a)->data = NULL, (a)->count = (a)->capacity = 0)

#endif
