// The animated points of an input between two frames: asked of the host at fractional frames, or, where it has whole
// frames only, interpolated: the rigid part as a rotation, the rest with continuous velocity. The samples of the frame
// before are part of the state (rv_sample).
#ifndef RV_NODE_SOLVER_SAMPLER_H
#define RV_NODE_SOLVER_SAMPLER_H

#include "math/rigid.h"
#include "node/solver/solver.h"
#include "strand/solver.h"

typedef struct RvPointSampler {
  RvCook* cook;
  int input;  // index
  size_t npoint;
  const float* before;   // rv_sample of the state: [npoint][6] place and velocity (a frame) at the frame before
  const float* now;      // [npoint][3] P at the frame
  bool whole_frames;     // the host has no input between frames
  bool first;            // nothing was stepped before
  RvRigid rigid;         // of all points, from the frame before; used with whole frames
  double* interpolated;  // [npoint][3] room: far from the origin a float between frames is too coarse
} RvPointSampler;

// `state` is of the frame before. The topology of the input must be that of the state.
RvResult rv_sampler_begin(RvPointSampler* sampler, RvCook* cook, int input, const RvDetail* state, RvError* error);
// At a share of the frame, above 0 to 1.
RvResult rv_sampler_at(RvPointSampler* sampler, double share, RvStrandSample* out, RvError* error);
// Writes rv_sample of the frame into `state`.
RvResult rv_sampler_keep(const RvPointSampler* sampler, RvDetail* state, RvError* error);
// Velocity of the input's points in units of the scene a second: its v, or its motion from half a frame before to half
// a frame after, or, with whole frames, the slope that the interpolation ends with. rv_free it; NULL with `error`
// filled.
float* rv_sampler_velocity(RvPointSampler* sampler, RvError* error);
void rv_sampler_end(RvPointSampler* sampler);

#endif
