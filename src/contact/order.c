// The pairs in ascending order, each once: those of the broad phase and of bridges that are stretched.
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/store.h"

// longer runs of pairs of one source are sorted in another way
enum { SHORT = 48 };

static int ascending(const void* pa, const void* pb) {
  uint64_t a = *(const uint64_t*)pa, b = *(const uint64_t*)pb;
  return a < b ? -1 : a > b;
}

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

static void sort_sources(void* arg, size_t begin, size_t end) {
  RvContacts* c = arg;
  for (size_t e = begin; e < end; ++e)
    sort_run(c->spare_keys.data + c->pair_first[e], c->pair_first[e + 1] - c->pair_first[e]);
}

// all into the place of their sources
static void by_source(RvContacts* c) {
  uint32_t* first = c->pair_first;
  size_t n = c->pairs.count;
  memset(first, 0, (c->nedge + 2) * sizeof *first);
  for (size_t k = 0; k < n; ++k) first[(c->pairs.data[k] >> 32) + 2]++;
  for (size_t e = 0; e < c->nedge; ++e) first[e + 2] += first[e + 1];
  for (size_t k = 0; k < n; ++k) c->spare_keys.data[first[(c->pairs.data[k] >> 32) + 1]++] = c->pairs.data[k];
}

RvResult rv_contact_order(RvContacts* c, RvError* error) {
  size_t n = c->pairs.count, kept = 0;
  if (n > UINT32_MAX) return rv_fail(error, RV_LIMIT, "%zu pairs of edges are more than can be held", n);
  if (!rv_array_resize(&c->spare_keys, n))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pairs of edges", n);
  by_source(c);
  rv_parallel_for(c->nedge, 1024, sort_sources, c);
  for (size_t e = 0; e < c->nedge; ++e) {
    uint64_t last = 0;  // no pair has it: the receiver is the later edge
    for (size_t k = c->pair_first[e]; k < c->pair_first[e + 1]; ++k) {
      uint64_t key = c->spare_keys.data[k];
      if (key == last) continue;
      c->pairs.data[kept++] = last = key;
    }
  }
  c->pairs.count = kept;
  return RV_OK;
}
