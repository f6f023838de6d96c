// Quaternions of the roots of a batch, RV_LANES strands at once; see solver.c.
#ifndef RV_LOOKDEV_ROOT_KERNEL_H
#define RV_LOOKDEV_ROOT_KERNEL_H

#include "math/kernel.h"

typedef struct RvRootBatch {
  const double* quat;    // [4] rows of the first edges: x, y, z, w
  const double* target;  // [2][4] rows of the places of their vertices at the end of the substep
  double turn[4];        // the roots' common motion
  double* out;           // [4] rows
} RvRootBatch;

// The quaternions now, turned by the common motion and then onto the edges of the target by the shortest arcs. Bit i of
// the result is set where the edge of lane i has no shortest arc: it has no length, or points back.
RV_KERNEL_DECLARE(unsigned, rv_lookdev_root_frames, (const RvRootBatch*))

#endif
