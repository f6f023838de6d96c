// The C++ boundary: every body stands between these two, so that no exception crosses into C.
#ifndef RV_SHIM_SHIM_H
#define RV_SHIM_SHIM_H

#include <exception>
#include <new>

#include "rivulet/base.h"

#define RV_SHIM_BEGIN try {
#define RV_SHIM_END(error)                                \
  }                                                       \
  catch (const std::bad_alloc&) {                         \
    return rv_fail(error, RV_NO_MEMORY, "out of memory"); \
  }                                                       \
  catch (const std::exception& e) {                       \
    return rv_fail(error, RV_SHIM, "%s", e.what());       \
  }                                                       \
  catch (...) {                                           \
    return rv_fail(error, RV_SHIM, "unknown exception");  \
  }
// For functions without an error to fill.
#define RV_SHIM_END_VALUE(value) \
  }                              \
  catch (...) {                  \
    return value;                \
  }

#endif
