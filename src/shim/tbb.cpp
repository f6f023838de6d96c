// Parallel loops on TBB: a shared arena, division of a loop into parts, and the decision which loops are worth threads.
#include "shim/tbb.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/foreign.h"
#include "base/host.h"
#include "base/platform.h"
#include "shim/arena.hpp"
#include "shim/shim.h"

namespace {

// The arena of threads. It is rebuilt only when its size changes, which hosts do between cooks.
struct Pool {
  std::mutex lock;
  int workers = 0;
  std::unique_ptr<tbb::global_control> limit;
  std::shared_ptr<tbb::task_arena> arena;

  std::shared_ptr<tbb::task_arena> get(int wanted) {
    std::lock_guard<std::mutex> guard(lock);
    if (wanted != workers) {
      // More threads than TBB allows must be allowed explicitly; tests of reproducibility use 16. Fewer never set a limit:
      // it would hold for the whole process, and so for the host.
      if (size_t(wanted) > tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, wanted);
      else
        limit.reset();
      arena = std::make_shared<tbb::task_arena>(wanted);
      workers = wanted;
    }
    return arena;
  }
};

Pool& pool() {
  static Pool* one = new Pool;  // never destroyed: worker threads may outlive static destructors
  return *one;
}

}  // namespace

void rv::tbb_arena_run(int workers, const std::function<void()>& fn) {
  // An arena of one has no workers: the caller does it all. So it is where the host has threads of its own.
  if (workers <= 1 || rv_host_services()->parallel_for) {
    tbb::task_arena alone(1);
    alone.execute(fn);
    return;
  }
  pool().get(workers)->execute(fn);
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t MIN_PARALLEL_NS = 15000;  // a loop that takes less ends before another thread has woken up
constexpr size_t MAX_PARTS = 256;            // of a loop; one per thread
constexpr size_t GROUPS = 8;                 // groups of indices in which a part is processed
constexpr size_t SEEN_BITS = 9;              // log2 of the size of the table of loops

// Time per index of a loop when it last ran. It only decides which threads do the work and never affects results, so a
// collision of two loops in the table does no harm.
struct Seen {
  std::atomic<const void*> site;
  std::atomic<uint64_t> ns;
};
Seen seen[1 << SEEN_BITS];

// Table entry of a loop, by multiplicative hashing with the golden ratio.
Seen& seen_of(const void* site) {
  return seen[(reinterpret_cast<uintptr_t>(site) * 0x9e3779b97f4a7c15u) >> (64 - SEEN_BITS)];
}

// Records the time of a loop.
void remember(const void* site, Clock::duration spent, size_t count) {
  if (count == 0) return;
  Seen& s = seen_of(site);
  s.ns.store(uint64_t(std::chrono::nanoseconds(spent).count()) / count, std::memory_order_relaxed);
  s.site.store(site, std::memory_order_relaxed);
}

// True if the loop is known and not worth more than one thread.
bool is_small(const void* site, size_t count) {
  const Seen& s = seen_of(site);
  return s.site.load(std::memory_order_relaxed) == site &&
         s.ns.load(std::memory_order_relaxed) * count < MIN_PARALLEL_NS;
}

// A part of the indices. Each thread begins with its own part, which is the same in every loop over the same count, so
// that its data stay in its cache; then it helps the others. Aligned to a cache line against false sharing.
struct alignas(64) Part {
  std::atomic<size_t> next;  // index to process
  size_t end, step;          // end of the part, and indices of a group
};

// A loop in progress.
struct Work {
  Part part[MAX_PARTS];
  size_t parts;
  std::atomic<Clock::rep> spent{0};  // time of all threads
  void (*body)(void*, size_t);
  void* arg;

  Work(size_t workers, size_t count, void (*fn)(void*, size_t), void* with) : body(fn), arg(with) {
    parts = workers < MAX_PARTS ? workers : MAX_PARTS;
    for (size_t k = 0; k < parts; ++k) {
      size_t begin = count / parts * k + count % parts * k / parts;
      part[k].next = begin;
      part[k].end = count / parts * (k + 1) + count % parts * (k + 1) / parts;
      part[k].step = (part[k].end - begin) / GROUPS + 1;
    }
  }
  // Processes part `own`, then what is left of the others.
  void run(size_t own) {
    Clock::time_point start = Clock::now();
    for (size_t k = 0; k < parts; ++k) {
      Part& p = part[(own + k) % parts];
      while (p.next.load(std::memory_order_relaxed) < p.end) {
        size_t first = p.next.fetch_add(p.step);
        size_t last = first + p.step < p.end ? first + p.step : p.end;
        for (size_t i = first; i < last; ++i) body(arg, i);  // C code does not throw
      }
    }
    spent += (Clock::now() - start).count();
  }
};

// RvTaskFn: parts of the work on the host's threads. Each call helps with all parts, so that the host may cut the range
// as it likes.
extern "C" void run_host_parts(void* arg, size_t begin, size_t end) {
  Work* work = static_cast<Work*>(arg);
  for (size_t k = begin; k < end; ++k) work->run(k);
}

#if defined(__SANITIZE_THREAD__)

// Debian's TBB is not instrumented, so the thread sanitizer would report every loop as a race. In its builds plain
// threads run the parts, which it understands, so that what it reports is a fault of ours.
void run_parts(int, Work& work) {
  std::vector<std::thread> threads;
  for (size_t k = 1; k < work.parts; ++k) threads.emplace_back([&work, k] { work.run(k); });
  work.run(0);
  for (auto& thread : threads) thread.join();
}

#else

// Runs all parts in the arena.
void run_parts(int workers, Work& work) {
  try {
    auto arena = pool().get(workers);
    arena->execute([&] {
      tbb::parallel_for(
          size_t(0), work.parts,
          [&](size_t) {
            int own = tbb::this_task_arena::current_thread_index();
            work.run(own > 0 ? size_t(own) : 0);
          },
          tbb::simple_partitioner());
    });
  } catch (...) {
    // Out of memory for threads or tasks: the caller does what is left below, with the same result.
  }
  work.run(0);
}

#endif

}  // namespace

extern "C" void rv_tbb_run(int workers, size_t count, void (*body)(void*, size_t), void* arg, const void* site) {
  if (workers <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) body(arg, i);
    return;
  }
  if (is_small(site, count)) {
    Clock::time_point start = Clock::now();
    for (size_t i = 0; i < count; ++i) body(arg, i);
    remember(site, Clock::now() - start, count);
    return;
  }
  Work work(size_t(workers) < count ? size_t(workers) : count, count, body, arg);
  const RvHostServices* host = rv_host_services();
  if (host->parallel_for) {
    host->parallel_for(host->user, work.parts, 1, run_host_parts, &work);
    // what a host left undone is done here
    work.run(0);
  } else {
    run_parts(workers, work);
  }
  remember(site, Clock::duration(work.spent.load()), count);
}

namespace {

constexpr size_t WORKER_STACK = size_t(8) << 20;      // bytes: twice a worker's stack in TBB, for what it allocates
constexpr auto START_TIME = std::chrono::seconds(2);  // in which all workers have started

// Makes TBB start its workers: each task waits until all have begun, or for some time.
void start_workers(int workers) {
  std::atomic<int> begun{0};
  const Clock::time_point end = Clock::now() + START_TIME;
  pool().get(workers)->execute([&] {
    tbb::parallel_for(
        0, workers,
        [&](int) {
          ++begun;
          while (begun.load() < workers && Clock::now() < end) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
}

}  // namespace

extern "C" RvResult rv_tbb_start(int workers, RvError* error) {
  if (workers <= 1 || rv_host_services()->parallel_for) return RV_OK;
  RV_SHIM_BEGIN
  // As many threads as TBB will start, of twice the size: TBB itself does not survive a thread that cannot be started.
  int failure = rv_platform_try_threads(workers - 1, WORKER_STACK);
  if (failure)
    return rv_fail(error, RV_NO_MEMORY,
                   "cannot start %d threads: %s; ask for fewer with --threads, or raise the limits on memory and "
                   "processes (ulimit -v, ulimit -u)",
                   workers, strerror(failure));
  rv_foreign_enter("TBB");
  try {
    start_workers(workers);
  } catch (const std::exception& e) {
    rv_foreign_leave();
    return rv_fail(error, RV_NO_MEMORY, "out of memory: TBB cannot start %d threads (%s); ask for fewer with --threads",
                   workers, e.what());
  }
  rv_foreign_leave();
  return RV_OK;
  RV_SHIM_END(error)
}

extern "C" int rv_tbb_cores(void) {
  try {
    // of the arena in which the caller runs: a host may have limited it. (TBB 2020, which Houdini 19.5 to 20.5 have, knows
    // no tbb::info.)
    return tbb::this_task_arena::max_concurrency();
  } catch (...) {
    return 1;
  }
}
