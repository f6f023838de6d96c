// The animated points of an input between two frames. A host with fractional frames is asked for them. For a host with
// whole frames they are interpolated: the rigid part of the motion as a rotation, the deformation by cubics with
// continuous velocity. The samples of the previous frame are part of the state (rv_sample).
#ifndef RV_NODE_SOLVER_SAMPLER_H
#define RV_NODE_SOLVER_SAMPLER_H

#include "math/rigid.h"
#include "node/solver/solver.h"
#include "strand/solver.h"

typedef struct RvPointSampler {
  RvCook* cook;
  int input;  // index
  size_t npoint;
  const float* before;   // rv_sample of the state: [npoint][6] position and slope (units a frame) at the previous frame
  const float* now;      // [npoint][3] P at the current frame
  bool whole_frames;     // the host has no input between frames
  bool first;            // no step was taken yet: the slopes are not known
  RvRigid rigid;         // best rigid motion of all points since the previous frame; used with whole frames
  double* interpolated;  // [npoint][3] result; doubles, as far from the origin floats are too coarse
} RvPointSampler;

// Begins a frame. `state` is that of the previous frame, and the input must have its topology.
RvResult rv_sampler_begin(RvPointSampler* sampler, RvCook* cook, int input, const RvDetail* state, RvError* error);
// The points at a share of the frame, in (0, 1]. The sample is valid until the next call.
RvResult rv_sampler_at(RvPointSampler* sampler, double share, RvStrandSample* out, RvError* error);
// Writes rv_sample of the current frame into `state`.
RvResult rv_sampler_keep(const RvPointSampler* sampler, RvDetail* state, RvError* error);
// Velocity of the input's points in units of the scene a second: the attribute v; else the central difference over half
// a frame to each side; else, with whole frames, the slope at the end of the interpolation. The caller frees it with
// rv_free. NULL: it failed, and `error` is filled.
float* rv_sampler_velocity(RvPointSampler* sampler, RvError* error);
// Frees what the sampler allocated.
void rv_sampler_end(RvPointSampler* sampler);

#endif
