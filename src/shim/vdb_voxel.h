// The smallest voxel of a VDB, in units of the scene. OpenVDB refuses transforms with a determinant below 3e-15, which
// is a cube of 1.442e-5.
#ifndef RV_SHIM_VDB_VOXEL_H
#define RV_SHIM_VDB_VOXEL_H

#define RV_VDB_LEAST_VOXEL 1.5e-5

#endif
