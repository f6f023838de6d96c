// TBB 2020.3's parallel_for, declarations only. Own text; not TBB.
#pragma once
#include "tbb/tbb_stddef.h"

namespace tbb {
class simple_partitioner {};
class auto_partitioner {};
template <typename Index, typename F>
void parallel_for(Index first, Index last, const F& f) {
  for (Index i = first; i < last; ++i) f(i);
}
template <typename Index, typename F>
void parallel_for(Index first, Index last, const F& f, const simple_partitioner&) {
  for (Index i = first; i < last; ++i) f(i);
}
}  // namespace tbb
