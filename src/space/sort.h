// A parallel, stable sort of 64-bit keys with values; the result does not depend on the threads.
#ifndef RV_SPACE_SORT_H
#define RV_SPACE_SORT_H

#include "rivulet/base.h"

// Sorts keys that differ only in their low `bits`, and the values with them (NULL: none). The spare arrays have the
// same sizes and are overwritten.
void rv_sort_keys(uint64_t* keys, uint32_t* values, uint64_t* spare_keys, uint32_t* spare_values, size_t count,
                  int bits);
// Number of bits up to the highest set bit; 0 for 0.
int rv_sort_bits(uint64_t largest);

// Index of the first of the sorted keys that is not below `key`; `count` if all are.
static inline size_t rv_sort_first(const uint64_t* keys, size_t count, uint64_t key) {
  size_t lo = 0;
  size_t hi = count;
  while (lo < hi) {
    size_t middle = (lo + hi) / 2;
    if (keys[middle] < key)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

#endif
