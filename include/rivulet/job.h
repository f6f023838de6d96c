// One cook of one node for a host that has a graph of its own, such as Houdini: the node's values, its inputs also at
// other frames, and the rules by which a solver starts and goes on. The headless host has its own, with a cache.
#ifndef RIVULET_JOB_H
#define RIVULET_JOB_H

#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RvJob {
  const RvNodeType* type;
  const char* node;  // its name, for messages and $OS
  RvTime time;       // of the result
  double step;       // frames in a step of a solver
  const char* hip;   // $HIP
  const char* out;   // $OUT
  void** cache;      // disposable data of the node
  void* user;
  bool (*cancelled)(void* user, double fraction, const char* stage);  // may be NULL
  void (*message)(void* user, RvLevel level, const char* text);       // may be NULL
  // A detail that becomes the job's; NULL where nothing is wired. Asked at other frames only if `samples`, but for a
  // solver's start frame.
  RvResult (*input)(void* user, size_t index, double frame, RvDetail** out, RvError* error);
  // The values of a frame, which become the job's. Asked at other frames only if `animates`.
  RvResult (*parms)(void* user, double frame, RvParms** out, RvError* error);
  bool samples, animates;
} RvJob;

// An output of a node that is no solver. Nothing is written to disk. The caller frees *out, here and below.
RV_API RvResult rv_job_cook(const RvJob* job, size_t output, RvDetail** out, RvError* error);
// The state of a solver at the job's frame. `before` is that of the step before; if it is NULL or holds no state, the
// solver starts at its start frame, and goes the first step from there if the job's frame is that of one. With `seed`
// it stays at the start, whatever the frame.
RV_API RvResult rv_job_step(const RvJob* job, const RvDetail* before, bool seed, RvDetail** out, RvError* error);
// Another output of a solver, from its state.
RV_API RvResult rv_job_split(const RvJob* job, const RvDetail* state, size_t output, RvDetail** out, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
