// Cooks one node for a host that has its own graph, such as Houdini. The host supplies the node's values and inputs,
// also at other frames; the functions apply the rules by which a solver starts and steps. The headless host (scene.h)
// does not use this header.
#ifndef RIVULET_JOB_H
#define RIVULET_JOB_H

#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

// One cook of one node.
typedef struct RvJob {
  const RvNodeType* type;
  const char* node;  // its name, for messages and $OS
  RvTime time;       // of the result
  double step;       // solvers: frames per step
  const char* hip;   // $HIP
  const char* out;   // $OUT
  void** cache;      // disposable data of the node; the host keeps it and frees it by type->free_cache
  void* user;        // passed to the callbacks
  // True stops the cook with RV_CANCELLED. `fraction` is the progress from 0 to 1.
  bool (*cancelled)(void* user, double fraction, const char* stage);  // may be NULL
  void (*message)(void* user, RvLevel level, const char* text);       // may be NULL
  // Input `index` at a frame. The job takes ownership of *out; NULL: not connected. It is called for other frames than
  // `time` only if `samples`, except for a solver's start frame.
  RvResult (*input)(void* user, size_t index, double frame, RvDetail** out, RvError* error);
  // The values at a frame. The job takes ownership of *out. It is called for other frames only if `animates`.
  RvResult (*parms)(void* user, double frame, RvParms** out, RvError* error);
  bool samples;   // `input` can give other frames
  bool animates;  // `parms` can give other frames
} RvJob;

// The functions below return the result of the node's function, or RV_CANCELLED. The host adds the node's name to the
// error. On success the caller frees *out by rv_detail_free, on failure it is NULL. `error` may be NULL.

// Cooks an output of a node that is not a solver. Nothing is written to disk.
RV_API RvResult rv_job_cook(const RvJob* job, size_t output, RvDetail** out, RvError* error);
// Computes the state of a solver at the job's frame. `before` is the state of the previous step; if it is NULL or is
// not a state, the solver starts at its start frame and makes the first step from there if the job's frame is one step
// later; at a later frame this is RV_BAD_INPUT. `seed` returns the initial state, whatever the frame.
RV_API RvResult rv_job_step(const RvJob* job, const RvDetail* before, bool seed, RvDetail** out, RvError* error);
// Makes another output of a solver from its state. RV_BAD_INPUT and similar codes if `state` is not a state of the
// type.
RV_API RvResult rv_job_split(const RvJob* job, const RvDetail* state, size_t output, RvDetail** out, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
