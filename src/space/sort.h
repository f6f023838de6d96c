// Sorting by numbers, in parallel and stable; the order does not depend on the workers.
#ifndef RV_SPACE_SORT_H
#define RV_SPACE_SORT_H

#include "rivulet/base.h"

// Sorts keys, of which only the low `bits` differ, and the values with them (NULL: none). The spare arrays are room of
// the same sizes. False when out of memory.
bool rv_sort_keys(uint64_t* keys, uint32_t* values, uint64_t* spare_keys, uint32_t* spare_values, size_t count,
                  int bits);
// How many low bits a number uses.
int rv_sort_bits(uint64_t largest);

#endif
