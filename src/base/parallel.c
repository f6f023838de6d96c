// Parallel loops and sums over fixed chunks, run by TBB.
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

#include "base/host.h"
#include "shim/tbb.h"

enum {
  MOST_PARTIALS = 256,  // partial sums on the stack: a sum of more chunks is one of two parts
  MAX_WORKERS = 256,
};

static _Atomic int wanted_workers;  // 0: one per core

void rv_threads_set(int workers) {
  atomic_store(&wanted_workers, workers < 0 ? 0 : workers > MAX_WORKERS ? MAX_WORKERS : workers);
}

int rv_threads(void) {
  int workers = atomic_load(&wanted_workers);
  const RvHostServices* host = rv_host_services();
  if (host->parallel_for) return workers > 0 && workers < host->workers ? workers : host->workers;
  return workers > 0 ? workers : rv_tbb_cores();
}

RvResult rv_threads_start(RvError* error) {
  return rv_tbb_start(rv_threads(), error);
}

// A loop in progress: of `fn`, or of `sum` with its partial sums.
typedef struct Loop {
  size_t count, grain;
  RvRangeFn* fn;
  RvRangeSumFn* sum;  // NULL: the loop is no sum
  void* arg;
  size_t first;     // chunk of the first partial sum
  double* partial;  // one per chunk from `first` on
} Loop;

// Runs one chunk.
static void run_chunk(void* arg, size_t index) {
  const Loop* loop = arg;
  size_t chunk = loop->first + index;
  // The last chunk may be shorter; the comparison cannot overflow.
  size_t begin = chunk * loop->grain;
  size_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
  if (loop->sum)
    loop->partial[index] = loop->sum(loop->arg, begin, end);
  else
    loop->fn(loop->arg, begin, end);
}

// Runs all chunks. The shim identifies a loop by the function that it calls; memcpy converts the function pointer.
static void run(Loop* loop, size_t chunks) {
  const void* site;
  if (loop->sum)
    memcpy(&site, &loop->sum, sizeof site);
  else
    memcpy(&site, &loop->fn, sizeof site);
  rv_tbb_run(rv_threads(), chunks, run_chunk, loop, site);
}

// Number of chunks, the last of which may be shorter.
static size_t chunk_count(size_t count, size_t grain) {
  return count / grain + (count % grain != 0);
}

void rv_parallel_for(size_t count, size_t grain, RvRangeFn* fn, void* arg) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  Loop loop = {.count = count, .grain = grain, .fn = fn, .arg = arg};
  run(&loop, chunk_count(count, grain));
}

// Pairwise sum of n numbers: the tree depends only on n.
static double pairwise(const double* v, size_t n) {
  if (n <= 2) return n == 2 ? v[0] + v[1] : n == 1 ? v[0] : 0;
  size_t half = n / 2;
  return pairwise(v, half) + pairwise(v + half, n - half);
}

// Sum of n chunks from `first` on. It splits where `pairwise` would, so that the tree is one of all chunks, and partial
// sums need no memory however many chunks there are.
static double sum_chunks(const Loop* loop, size_t first, size_t n) {
  if (n > MOST_PARTIALS) {
    double left = sum_chunks(loop, first, n / 2);
    return left + sum_chunks(loop, first + n / 2, n - n / 2);
  }
  double partial[MOST_PARTIALS];
  Loop part = *loop;
  part.first = first;
  part.partial = partial;
  run(&part, n);
  return pairwise(partial, n);
}

double rv_parallel_sum(size_t count, size_t grain, RvRangeSumFn* fn, void* arg) {
  if (count == 0) return 0;
  if (grain == 0) grain = 1;
  Loop loop = {.count = count, .grain = grain, .sum = fn, .arg = arg};
  return sum_chunks(&loop, 0, chunk_count(count, grain));
}
