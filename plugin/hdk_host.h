// Time, interrupt and surroundings of a cook in Houdini.
#pragma once

#include "rivulet/job.h"

#ifdef __cplusplus
#include <exception>
extern "C" {
#endif

// Frames and seconds. Rounding makes no frame fractional, and rv_hdk_frame(rv_hdk_time(frame)) is the frame to the bit.
double rv_hdk_frame(double time);
double rv_hdk_time(double frame);

// A job and what it needs around it; the first member of what job.user points to.
typedef struct RvHdkCook {
  RvJob job;   // `input`, `parms`, `message` and `cache` are the caller's to fill
  void* boss;  // an UT_AutoInterrupt
  char folder[1024];
} RvHdkCook;
// `time` is Houdini's, of the result.
void rv_hdk_begin(RvHdkCook* cook, const RvNodeType* type, const char* node, double time, void* boss);

#ifdef __cplusplus
}
// No exception leaves a wrapper.
#define RV_HDK_BEGIN try {
#define RV_HDK_END(error)                           \
  }                                                 \
  catch (const std::exception& e) {                 \
    return rv_fail(error, RV_SHIM, "%s", e.what()); \
  }
#endif
