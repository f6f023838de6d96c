// Runs the parallel loops of libraries on the project's threads.
#ifndef RV_SHIM_ARENA_HPP
#define RV_SHIM_ARENA_HPP

#include <functional>

namespace rv {
// Runs fn in an arena of at most `workers` threads, including the caller. Exceptions of fn are passed on.
void tbb_arena_run(int workers, const std::function<void()>& fn);
}  // namespace rv

#endif
