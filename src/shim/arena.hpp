// For libraries with loops of their own: run them on the project's workers.
#ifndef RV_SHIM_ARENA_HPP
#define RV_SHIM_ARENA_HPP

#include <functional>

namespace rv {
// Runs fn in an arena of at most `workers` threads, the caller among them. Exceptions of fn come through.
void tbb_arena_run(int workers, const std::function<void()>& fn);
}  // namespace rv

#endif
