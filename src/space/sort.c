// Radix sort, least significant digit first. In each pass every chunk counts its digits; prefix sums over (digit,
// chunk) give the positions.
#include "space/sort.h"

#include <string.h>

#include "base/parallel.h"

enum {
  DIGIT = 8,  // bits
  BUCKETS = 1 << DIGIT,
  MAX_CHUNKS = 64,   // of the input, each with its own counters
  MIN_CHUNK = 4096,  // keys of a chunk, at least
};

// One pass over a digit.
typedef struct Pass {
  const uint64_t* from;
  const uint32_t* from_value;
  uint64_t* to;
  uint32_t* to_value;     // NULL: keys only
  size_t count, grain;    // keys, and keys of a chunk
  int shift;              // lowest bit of the digit
  size_t (*at)[BUCKETS];  // [chunks] counters, then next positions
} Pass;

// The keys of a chunk.
typedef struct Range {
  size_t first, last;
} Range;

static Range keys_of(const Pass* p, size_t chunk) {
  size_t first = chunk * p->grain;
  return (Range){first, first + p->grain < p->count ? first + p->grain : p->count};
}

// Counts the digits of a range of chunks.
static void count_digits(void* arg, size_t begin, size_t end) {
  Pass* p = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    Range r = keys_of(p, chunk);
    size_t* at = p->at[chunk];
    memset(at, 0, BUCKETS * sizeof *at);
    for (size_t i = r.first; i < r.last; ++i) at[p->from[i] >> p->shift & (BUCKETS - 1)]++;
  }
}

// Moves the keys of a range of chunks to their positions.
static void scatter(void* arg, size_t begin, size_t end) {
  Pass* p = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    Range r = keys_of(p, chunk);
    size_t* at = p->at[chunk];
    for (size_t i = r.first; i < r.last; ++i) {
      size_t to = at[p->from[i] >> p->shift & (BUCKETS - 1)]++;
      p->to[to] = p->from[i];
      if (p->to_value) p->to_value[to] = p->from_value[i];
    }
  }
}

int rv_sort_bits(uint64_t largest) {
  int bits = 0;
  while (bits < 64 && largest >> bits) bits++;
  return bits;
}

void rv_sort_keys(uint64_t* keys, uint32_t* values, uint64_t* spare_keys, uint32_t* spare_values, size_t count,
                  int bits) {
  size_t grain = (count + MAX_CHUNKS - 1) / MAX_CHUNKS;
  if (grain < MIN_CHUNK) grain = MIN_CHUNK;
  size_t chunks = (count + grain - 1) / grain;
  // 128 KiB on the stack: a sort allocates nothing.
  size_t at[MAX_CHUNKS][BUCKETS];
  Pass p = {keys, values, spare_keys, values ? spare_values : NULL, count, grain, 0, at};
  if (count < 2 || bits == 0) return;
  for (; p.shift < bits; p.shift += DIGIT) {
    rv_parallel_for(chunks, 1, count_digits, &p);
    // Exclusive prefix sums by digit, then chunk.
    size_t sum = 0;
    for (int digit = 0; digit < BUCKETS; ++digit)
      for (size_t chunk = 0; chunk < chunks; ++chunk) {
        size_t n = p.at[chunk][digit];
        p.at[chunk][digit] = sum;
        sum += n;
      }
    rv_parallel_for(chunks, 1, scatter, &p);
    // Swap input and output.
    uint64_t* to = p.to;
    uint32_t* to_value = p.to_value;
    p.to = (uint64_t*)p.from;
    p.to_value = (uint32_t*)p.from_value;
    p.from = to;
    p.from_value = to_value;
  }
  // The result belongs into the caller's arrays.
  if (p.from != keys) {
    memcpy(keys, p.from, count * sizeof *keys);
    if (values) memcpy(values, p.from_value, count * sizeof *values);
  }
}
