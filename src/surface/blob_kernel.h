// Sum of particle kernels over a block, in SIMD lanes.
#ifndef RV_SURFACE_BLOB_KERNEL_H
#define RV_SURFACE_BLOB_KERNEL_H

#include "math/kernel.h"
#include "rivulet/base.h"

// A kernel in voxels of a block's span: amount * (1 - d m d)^3 within its box.
typedef struct RvBlobLocal {
  float x[3], m[6], reach[3], amount;  // as in RvBlob
  int lo[3], hi[3];                    // box in voxels of the span, both ends included
  uint32_t along;                      // cells along z that the box meets, one bit each
} RvBlobLocal;

RV_KERNEL_DECLARE(void, rv_surface_blob_add, (float* share, const uint32_t* columns, const RvBlobLocal* local))

#endif
