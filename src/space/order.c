// Radix sort, least significant digit first. In each pass every chunk counts its digits; prefix sums over (digit,
// chunk) give the positions, so the order does not depend on the threads.
#include "space/order.h"

#include <string.h>

#include "base/parallel.h"
#include "space/sort.h"

enum {
  MAX_DIGIT = 11,  // bits of a digit: wide digits make few passes, and 8 KiB of counters fit into the first-level cache
  MAX_CHUNKS = 64,   // of the input, each with its own counters
  MIN_CHUNK = 8192,  // keys of a chunk, at least
};

// One pass over a digit.
typedef struct Pass {
  const uint32_t* from;  // keys, then order
  uint32_t* to;
  size_t count, grain;  // keys, and keys of a chunk
  int shift, digit;     // lowest bit and number of bits of the digit
  bool first;           // there is no order yet: it is that of the input
  uint32_t* at;         // counters, then next positions, by chunk and digit
} Pass;

// Counts the digits of a range of chunks.
static void count_digits(void* arg, size_t begin, size_t end) {
  const Pass* p = arg;
  uint32_t buckets = 1u << p->digit;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t low = chunk * p->grain;
    size_t high = low + p->grain < p->count ? low + p->grain : p->count;
    uint32_t* at = p->at + chunk * buckets;
    memset(at, 0, buckets * sizeof *at);
    for (size_t i = low; i < high; ++i) at[p->from[i] >> p->shift & (buckets - 1)]++;
  }
}

// Moves the keys of a range of chunks to their positions.
static void scatter(void* arg, size_t begin, size_t end) {
  const Pass* p = arg;
  uint32_t buckets = 1u << p->digit;
  const uint32_t* order = p->from + p->count;
  uint32_t* to_order = p->to + p->count;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t low = chunk * p->grain;
    size_t high = low + p->grain < p->count ? low + p->grain : p->count;
    uint32_t* at = p->at + chunk * buckets;
    for (size_t i = low; i < high; ++i) {
      uint32_t key = p->from[i];
      uint32_t to = at[key >> p->shift & (buckets - 1)]++;
      p->to[to] = key;
      to_order[to] = p->first ? (uint32_t)i : order[i];
    }
  }
}

// Keys of a chunk.
static size_t grain_of(size_t count) {
  size_t grain = (count + MAX_CHUNKS - 1) / MAX_CHUNKS;
  return grain < MIN_CHUNK ? MIN_CHUNK : grain;
}

size_t rv_order_counters(size_t count) {
  size_t chunks = (count + MIN_CHUNK - 1) / MIN_CHUNK;
  return (chunks < MAX_CHUNKS ? chunks : MAX_CHUNKS) << MAX_DIGIT;
}

void rv_order_sort(uint32_t* keys, uint32_t* spare, size_t count, uint64_t limit, uint32_t* counters,
                   uint32_t** sorted) {
  // Digits of equal width, and chunks.
  int bits = limit > 1 ? rv_sort_bits(limit - 1) : 1;
  int passes = (bits + MAX_DIGIT - 1) / MAX_DIGIT;
  size_t grain = grain_of(count);
  size_t chunks = (count + grain - 1) / grain;
  Pass p = {keys, spare, count, grain, 0, (bits + passes - 1) / passes, true, counters};
  size_t buckets = (size_t)1 << p.digit;
  for (int pass = 0; pass < passes; ++pass, p.shift += p.digit, p.first = false) {
    rv_parallel_for(chunks, 1, count_digits, &p);
    // Exclusive prefix sums by digit, then chunk.
    uint32_t sum = 0;
    for (size_t bucket = 0; bucket < buckets; ++bucket)
      for (size_t chunk = 0; chunk < chunks; ++chunk) {
        uint32_t* at = &p.at[chunk * buckets + bucket];
        uint32_t n = *at;
        *at = sum;
        sum += n;
      }
    rv_parallel_for(chunks, 1, scatter, &p);
    // Swap input and output.
    uint32_t* done = p.to;
    p.to = (uint32_t*)p.from;
    p.from = done;
  }
  *sorted = (uint32_t*)p.from;
}
