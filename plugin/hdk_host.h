// What a cook in Houdini needs from the application: time, interrupt, folders and units.
#pragma once

#include "rivulet/job.h"

#ifdef __cplusplus
#include <UT/UT_Interrupt.h>

#include <atomic>
#include <exception>
extern "C" {
#endif

// A time within this many frames of a whole frame is that frame; Houdini's times carry rounding errors.
#define RV_HDK_FRAME_ROUNDING 1e-6
// Conversion between Houdini's time in seconds and the frame; rv_hdk_frame(rv_hdk_time(frame)) == frame, bit for bit.
double rv_hdk_frame(double time);
double rv_hdk_time(double frame);

// A job and the data that it points to. job.user points to this struct, or to one derived from it.
typedef struct RvHdkCook {
  RvJob job;          // rv_hdk_begin fills all but `input`, `parms`, `message` and `cache`
  void* boss;         // an RvHdkBoss: asks whether the artist pressed Escape
  char folder[1024];  // $OUT: the folder geo beside the .hip file
} RvHdkCook;
// Fills a job for a cook at `time`, Houdini's seconds.
void rv_hdk_begin(RvHdkCook* cook, const RvNodeType* type, const char* node, double time, void* boss);

#ifdef __cplusplus
}
// An operation that Escape ends. Houdini may tell of the key once and to one thread only, so the answer is kept for all;
// any thread may ask, as OpenVDB's tools do in Houdini.
struct RvHdkBoss {
  explicit RvHdkBoss(const char* operation) : interrupt(operation) {}
  UT_AutoInterrupt interrupt;
  std::atomic<bool> stopped{false};
};
// Around the body of every wrapper: an exception of the HDK becomes an RvError.
#define RV_HDK_BEGIN try {
#define RV_HDK_END(error)                           \
  }                                                 \
  catch (const std::exception& e) {                 \
    return rv_fail(error, RV_SHIM, "%s", e.what()); \
  }
#endif
