// The reserve of memory, and the handler of operator new that frees it.
#include "shim/reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

// Room for the small allocations of a call into OpenVDB: nodes, tasks and lists. Its pages are never touched, so it
// takes address space but no memory.
constexpr size_t RESERVE_BYTES = size_t(16) << 20;

std::atomic<void*> reserve{nullptr};
std::atomic<bool> wanted{false};

// Handler of operator new: frees the reserve and lets the allocation be tried again; the second time it fails.
void on_failure() {
  void* block = reserve.exchange(nullptr);
  if (!block) throw std::bad_alloc();
  std::free(block);
}

}  // namespace

bool rv_reserve_renew(void) {
  if (!wanted.load() || reserve.load()) return true;
  void* block = std::malloc(RESERVE_BYTES);
  if (!block) return false;
  // Another thread may have been faster.
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, block)) std::free(block);
  return true;
}

RvResult rv_reserve_begin(RvError* error) {
  wanted = true;
  if (!rv_reserve_renew()) return rv_fail(error, RV_NO_MEMORY, "out of memory at the start of the program");
  std::set_new_handler(on_failure);
  return RV_OK;
}
