#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

#include "base/host.h"
#include "base/memory.h"
#include "shim/tbb.h"

enum { STACK_PARTIALS = 256 };

static _Atomic int wanted_workers;  // 0: one a core

void rv_threads_set(int workers) {
  atomic_store(&wanted_workers, workers < 0 ? 0 : workers > 256 ? 256 : workers);
}

int rv_threads(void) {
  int workers = atomic_load(&wanted_workers);
  const RvHostServices* host = rv_host_services();
  if (host->parallel_for) return workers > 0 && workers < host->workers ? workers : host->workers;
  return workers > 0 ? workers : rv_tbb_cores();
}

typedef struct Loop {
  size_t count, grain;
  RvRangeFn* fn;
  RvRangeSumFn* sum;
  void* arg;
  double* partial;
} Loop;

static void run_chunk(void* arg, size_t chunk) {
  const Loop* loop = arg;
  size_t begin = chunk * loop->grain;
  size_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
  if (loop->sum)
    loop->partial[chunk] = loop->sum(loop->arg, begin, end);
  else
    loop->fn(loop->arg, begin, end);
}

// its loops are known by the function that they call
static void run(Loop* loop, size_t chunks) {
  const void* site;
  if (loop->sum)
    memcpy(&site, &loop->sum, sizeof site);
  else
    memcpy(&site, &loop->fn, sizeof site);
  rv_tbb_run(rv_threads(), chunks, run_chunk, loop, site);
}

static size_t chunk_count(size_t count, size_t grain) {
  return count / grain + (count % grain != 0);
}

void rv_parallel_for(size_t count, size_t grain, RvRangeFn* fn, void* arg) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  Loop loop = {.count = count, .grain = grain, .fn = fn, .arg = arg};
  run(&loop, chunk_count(count, grain));
}

// sum of n numbers by halves: the tree depends on n alone
static double pairwise(const double* v, size_t n) {
  if (n <= 2) return n == 2 ? v[0] + v[1] : n == 1 ? v[0] : 0;
  size_t half = n / 2;
  return pairwise(v, half) + pairwise(v + half, n - half);
}

// without memory for the partials: the same tree, one chunk at a time
static double pairwise_serial(const Loop* loop, size_t first, size_t n) {
  if (n == 0) return 0;
  if (n == 1) {
    size_t begin = first * loop->grain;
    size_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
    return loop->sum(loop->arg, begin, end);
  }
  size_t half = n / 2;
  double left = pairwise_serial(loop, first, half);
  return left + pairwise_serial(loop, first + half, n - half);
}

double rv_parallel_sum(size_t count, size_t grain, RvRangeSumFn* fn, void* arg) {
  if (count == 0) return 0;
  if (grain == 0) grain = 1;
  size_t chunks = chunk_count(count, grain);
  double small[STACK_PARTIALS];
  double* partial = chunks <= STACK_PARTIALS ? small : rv_alloc(chunks, sizeof(double));
  Loop loop = {.count = count, .grain = grain, .sum = fn, .arg = arg, .partial = partial};
  if (!partial) return pairwise_serial(&loop, 0, chunks);
  run(&loop, chunks);
  double total = pairwise(partial, chunks);
  if (partial != small) rv_free(partial);
  return total;
}
