// TBB 2020.3's task_arena, declarations only. Own text; not TBB.
#pragma once
#include <utility>

#include "tbb/tbb_stddef.h"

namespace tbb {
// Its constructors take no constraints and no priority, which oneTBB added.
class task_arena {
 public:
  static const int automatic = -1;
  static const int not_initialized = -2;
  task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1);
  ~task_arena();
  void initialize();
  void terminate();
  bool is_active() const;
  int max_concurrency() const;
  template <typename F>
  auto execute(F& f) -> decltype(f()) {
    return f();
  }
  template <typename F>
  auto execute(const F& f) -> decltype(f()) {
    return f();
  }
};
namespace this_task_arena {
int current_thread_index();
int max_concurrency();
}  // namespace this_task_arena
}  // namespace tbb
