// Time, interrupt, folders and units of a cook in Houdini.
#include "hdk_host.h"

#include <CH/CH_Manager.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

double rv_hdk_frame(double time) {
  double frame = CHgetManager()->getSample(time);
  double whole = std::round(frame);
  return std::fabs(frame - whole) < RV_HDK_FRAME_ROUNDING ? whole : frame;
}

double rv_hdk_time(double frame) {
  double time = (frame - 1) / CHgetManager()->getSamplesPerSec();
  // the neighbouring doubles too: one of the three converts back to exactly this frame
  for (double t : {time, std::nextafter(time, -1e9), std::nextafter(time, 1e9)})
    if (rv_hdk_frame(t) == frame) return t;
  return time;
}

// Callback of the job: shows the progress and asks for Escape.
static bool cancelled(void* user, double fraction, const char*) {
  RvHdkBoss* boss = static_cast<RvHdkBoss*>(static_cast<RvHdkCook*>(user)->boss);
  if (!boss->stopped && boss->interrupt.wasInterrupted((int)(100 * fraction))) boss->stopped = true;
  return boss->stopped;
}

void rv_hdk_begin(RvHdkCook* cook, const RvNodeType* type, const char* node, double time, void* boss) {
  // surroundings: the folder of the .hip file, scene units, frame and rate
  const char *hip = getenv("HIP"), *meters = getenv("RIVULET_METERS_PER_UNIT");
  double frame = rv_hdk_frame(time), fps = CHgetManager()->getSamplesPerSec();
  RvJob& job = cook->job;
  job.type = type;
  job.node = node;
  job.time = {frame, fps, (frame - 1) / fps, meters && atof(meters) > 0 ? atof(meters) : 1};
  job.step = 1;
  job.hip = hip ? hip : ".";
  snprintf(cook->folder, sizeof cook->folder, "%s/geo", job.hip);
  job.out = cook->folder;
  job.user = cook;
  cook->boss = boss;
  job.cancelled = cancelled;
  // RIVULET_WHOLE_FRAMES: inputs are read at the cook's own frame only, for networks that cannot cook at others
  job.samples = !getenv("RIVULET_WHOLE_FRAMES");
}
