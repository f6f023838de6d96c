// A parallel, stable radix sort of 32-bit keys that returns their order. What the keys belong to is not moved: the
// caller permutes it by the order.
#ifndef RV_SPACE_ORDER_H
#define RV_SPACE_ORDER_H

#include "rivulet/base.h"

// `keys` has 2 count numbers: the keys, all below `limit`, then room for the order; `spare` has the same size. *sorted
// becomes the one of both that has the result: the sorted keys, then the former index of each. `counters` has
// rv_order_counters(count) numbers.
void rv_order_sort(uint32_t* keys, uint32_t* spare, size_t count, uint64_t limit, uint32_t* counters,
                   uint32_t** sorted);
// Numbers of work memory that a sort of up to `count` keys needs.
size_t rv_order_counters(size_t count);

#endif
