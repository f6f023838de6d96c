// A growing array of any type: RV_ARRAY(int) a = {0}; rv_array_push(&a, 3); rv_free(a.data);
#ifndef RV_BASE_ARRAY_H
#define RV_BASE_ARRAY_H

#include "base/memory.h"

#define RV_ARRAY(T)  \
  struct {           \
    T* data;         \
    size_t count;    \
    size_t capacity; \
  }

// False when out of memory; the array is then as it was.
bool rv_array_reserve_bytes(void** data, size_t* capacity, size_t count, size_t wanted, size_t element);

#define rv_array_reserve(a, wanted) \
  rv_array_reserve_bytes((void**)&(a)->data, &(a)->capacity, (a)->count, (wanted), sizeof *(a)->data)
#define rv_array_push(a, value) \
  (rv_array_reserve((a), (a)->count + 1) ? ((a)->data[(a)->count++] = (value), true) : false)
#define rv_array_resize(a, n) (rv_array_reserve((a), (n)) ? ((a)->count = (n), true) : false)
#define rv_array_free(a) (rv_free((a)->data), (a)->data = NULL, (a)->count = (a)->capacity = 0)

#endif
