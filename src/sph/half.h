// Solids as fields (AH-7, AH-16): what a half space of liquid or of solid behind a plane adds to a sum over particles.
//
// Particles that stand for a solid would have to be clamped there and searched for. A particle sees of a solid only the
// plane of its surface at the signed distance d, and the integral of a kernel over the half space behind that plane is
// a function of d / support alone: a table.
#ifndef RV_SPH_HALF_H
#define RV_SPH_HALF_H

#include "sph/kernels.h"

enum { RV_SPH_HALF_PARTS = 256 };  // of the table, from -1 to 1

typedef struct RvSphHalf {
  float share[RV_SPH_HALF_PARTS + 2];  // integral of w over the half space; 1 deep inside for normalised kernels
  float slope[RV_SPH_HALF_PARTS + 2];  // its derivative by d / support: at or below 0 for kernels above 0
  float pull[RV_SPH_HALF_PARTS + 2];   // integral of w times the cosine to the normal: a force towards the solid
} RvSphHalf;

// The table of a kernel, by quadrature.
void rv_sph_half_init(RvSphHalf* half, RvSphKernel kernel);

// What a half space at the signed distance d, in supports, adds.
typedef struct RvSphHalfSums {
  float share, slope, pull;
} RvSphHalfSums;

static inline RvSphHalfSums rv_sph_half_at(const RvSphHalf* half, float d) {
  float y = (d + 1) * (RV_SPH_HALF_PARTS / 2);
  y = y > 0 ? y : 0;
  y = y < RV_SPH_HALF_PARTS ? y : RV_SPH_HALF_PARTS;
  int i = (int)y;
  float w = y - (float)i;
  return (RvSphHalfSums){half->share[i] + (half->share[i + 1] - half->share[i]) * w,
                         half->slope[i] + (half->slope[i + 1] - half->slope[i]) * w,
                         half->pull[i] + (half->pull[i + 1] - half->pull[i]) * w};
}

#endif
