#include "shim/tbb.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "shim/arena.hpp"

namespace {

// One arena of the wanted size. It is rebuilt only when the size changes, which hosts do between cooks.
struct Pool {
  std::mutex lock;
  int workers = 0;
  std::unique_ptr<tbb::global_control> limit;
  std::shared_ptr<tbb::task_arena> arena;

  std::shared_ptr<tbb::task_arena> get(int wanted) {
    std::lock_guard<std::mutex> guard(lock);
    if (wanted != workers) {
      // more workers than cores must be allowed explicitly: the tests of "same bits" ask for 16
      if (wanted > tbb::info::default_concurrency())
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
  // an arena of one has no workers: the caller does it all
  if (workers <= 1) {
    tbb::task_arena alone(1);
    alone.execute(fn);
    return;
  }
  pool().get(workers)->execute(fn);
}

#if defined(__SANITIZE_THREAD__)

// Debian's TBB is not instrumented, so that the thread sanitizer sees none of its hand-overs and calls every loop a
// race. In its builds plain threads run the chunks, which it understands, and what it reports is then ours.
extern "C" void rv_tbb_run(int workers, size_t count, void (*body)(void*, size_t), void* arg) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) body(arg, i);
  };
  std::vector<std::thread> threads;
  for (int k = 1; k < workers && size_t(k) < count; ++k) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
}

#else

extern "C" void rv_tbb_run(int workers, size_t count, void (*body)(void*, size_t), void* arg) {
  std::vector<unsigned char> done;
  if (workers > 1 && count > 1) {
    try {
      done.resize(count);
      auto arena = pool().get(workers);
      arena->execute([&] {
        tbb::parallel_for(
            size_t(0), count,
            [&](size_t i) {
              body(arg, i);  // C, and does not throw
              done[i] = 1;
            },
            tbb::simple_partitioner());
      });
      return;
    } catch (...) {
      // no memory for threads or tasks: what was not done is done here, and the result is the same
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (i >= done.size() || !done[i]) body(arg, i);
}

#endif

extern "C" int rv_tbb_cores(void) {
  try {
    return tbb::info::default_concurrency();
  } catch (...) {
    return 1;
  }
}
