// The order of many small numbers: a stable radix sort of 32-bit keys in few wide passes, in parallel. What is to be
// sorted stays where it is; the caller moves it by the order.
#ifndef RV_SPACE_ORDER_H
#define RV_SPACE_ORDER_H

#include "rivulet/base.h"

// `keys` is 2 count numbers: the keys, then room for the order; `spare` is as large. The keys are below `limit`.
// Afterwards *sorted points to whichever of both holds the result: count sorted keys, then for each where it was. False
// when out of memory.
bool rv_order_sort(uint32_t* keys, uint32_t* spare, size_t count, uint64_t limit, uint32_t** sorted);

#endif
