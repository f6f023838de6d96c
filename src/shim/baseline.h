// OpenVDB's own way from particles to a level set, for benchmarks to compare with.
#ifndef RV_SHIM_BASELINE_H
#define RV_SHIM_BASELINE_H

#include "rivulet/vdb.h"

#ifdef __cplusplus
extern "C" {
#endif

// ParticlesToLevelSet::rasterizeSpheres; how many spheres it dropped as too small goes to *dropped.
RvResult rv_vdb_particles_baseline(double voxel_size, size_t count, const float* centres, float radius, size_t* dropped,
                                   RvGrid** out, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
