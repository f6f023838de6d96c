// Sorts the pairs of a source and removes duplicates.
#include <stdlib.h>

#include "contact/store.h"

enum { SHORT = 48 };  // runs up to this length are sorted by insertion, longer ones by qsort

static int ascending(const void* pa, const void* pb) {
  uint64_t a = *(const uint64_t*)pa, b = *(const uint64_t*)pb;
  return a < b ? -1 : a > b;
}

// Sorts keys in ascending order.
static void sort_run(uint64_t* keys, size_t n) {
  if (n > SHORT) {
    qsort(keys, n, sizeof *keys, ascending);
    return;
  }
  for (size_t i = 1; i < n; ++i) {
    uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

size_t rv_contact_order(uint64_t* keys, size_t n) {
  size_t kept = 0;
  sort_run(keys, n);
  for (size_t k = 0; k < n; ++k)
    if (kept == 0 || keys[k] != keys[kept - 1]) keys[kept++] = keys[k];
  return kept;
}
