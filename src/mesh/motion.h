// How a mesh that changes its shape moves between two moments: velocities of its surface.
#ifndef RV_MESH_MOTION_H
#define RV_MESH_MOTION_H

#include "mesh/mesh.h"
#include "mesh/nearest.h"

typedef struct RvMeshMotion {
  RvNearest tree;
  int32_t* triangles;  // three points each, counted from the first
  float* P;            // at the start, in units of the scene
  float* v;            // m/s
  double unit;         // metres
  double fastest;      // m/s
} RvMeshMotion;

// Of the points [first, last) of a mesh, whose triangles are those given. From P to `after` in dt; where `after` is
// NULL by `v`, in units of the scene a second, times `rate`. `from` is how much of the way is gone already.
typedef struct RvMeshMotionDef {
  size_t first, last;
  size_t ntriangle;
  const int32_t* triangles;
  const float *P, *after, *v;
  double unit, dt, rate, from;
} RvMeshMotionDef;

RvResult rv_mesh_motion_init(RvMeshMotion* motion, const RvMeshMotionDef* def, RvError* error);
void rv_mesh_motion_free(RvMeshMotion* motion);
// Velocities of the nearest places of the surface to n points (in metres); 0 where it is not within `reach`. `user` is
// the motion; a function of RvCollider.
void rv_mesh_motion_at(const void* user, size_t n, const RvVec3* at, double reach, RvVec3* velocity);

#endif
