// TBB 2020.3's global_control, declarations only. Own text; not TBB.
#pragma once
#include "tbb/tbb_stddef.h"

namespace tbb {
class global_control {
 public:
  enum parameter { max_allowed_parallelism, thread_stack_size, parameter_max };
  global_control(parameter p, size_t value);
  ~global_control();
  static size_t active_value(parameter p);
};
}  // namespace tbb
