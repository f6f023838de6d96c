// Velocities on the surface of a deforming mesh between two times.
#ifndef RV_MESH_MOTION_H
#define RV_MESH_MOTION_H

#include "mesh/mesh.h"
#include "mesh/nearest.h"

typedef struct RvMeshMotion {
  RvNearest tree;      // of the triangles
  int32_t* triangles;  // three points each, counted from RvMeshMotionDef.first
  float* P;            // positions, in units of the scene
  float* v;            // velocities of the points, m/s
  double unit;         // metres per unit of the scene
  double fastest;      // largest speed of a point, m/s
} RvMeshMotion;

// The motion of the points [first, last) of a mesh with the given triangles. Pointers are borrowed for the call.
typedef struct RvMeshMotionDef {
  size_t first, last;
  size_t ntriangle;
  const int32_t* triangles;  // three points of the whole mesh each
  const float* P;            // positions at the beginning
  const float* after;        // positions after `dt`; NULL: the velocities are v * rate
  const float* v;            // velocities in units of the scene per second; NULL: 0
  double unit;               // metres per unit of the scene
  double dt;                 // seconds
  double rate;               // factor of `v` that gives m/s
  double from;               // fraction of the motion from P to `after` at which the positions are taken, 0 to 1
} RvMeshMotionDef;

// Builds the motion and its search tree. Free it by rv_mesh_motion_free.
RvResult rv_mesh_motion_init(RvMeshMotion* motion, const RvMeshMotionDef* def, RvError* error);
// Frees the arrays and clears the struct.
void rv_mesh_motion_free(RvMeshMotion* motion);
// Velocities of the surface at the points nearest to n positions (in metres); 0 if it is farther than `reach` metres.
// `user` is an RvMeshMotion: this is a callback of RvCollider.
void rv_mesh_motion_at(const void* user, size_t n, const RvVec3* at, double reach, RvVec3* velocity);

#endif
