// The boundary between C and C++: the bodies of all functions called from C are enclosed by these macros, so that no
// exception reaches C.
#ifndef RV_SHIM_SHIM_H
#define RV_SHIM_SHIM_H

#include <exception>
#include <new>

#include "rivulet/base.h"

// Begins the body.
#define RV_SHIM_BEGIN try {
// Ends the body of a function with an error: exceptions become results.
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
#endif
