// OpenVDB's own conversion of particles to a level set, the baseline of a benchmark.
#ifndef RV_SHIM_BASELINE_H
#define RV_SHIM_BASELINE_H

#include "rivulet/vdb.h"

#ifdef __cplusplus
extern "C" {
#endif

// Calls ParticlesToLevelSet::rasterizeSpheres. *dropped is the number of spheres that it left out because of their
// size. The caller releases *out by rv_grid_release.
RvResult rv_vdb_particles_baseline(double voxel_size, size_t count, const float* centres, float radius, size_t* dropped,
                                   RvGrid** out, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
