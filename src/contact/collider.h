// Colliders in their own space: signed distances, velocities, curvatures, and their rigid motion during a step. Samples
// of grids take temporary memory from `scratch`.
#ifndef RV_CONTACT_COLLIDER_H
#define RV_CONTACT_COLLIDER_H

#include "contact/contact.h"

// Signed distances of n points (offset included), and their unit gradients if `normal` is not NULL; 0 where there is
// none.
RvResult rv_contact_collider_distance(const RvCollider* solid, RvArena* scratch, size_t n, const RvVec3* at,
                                      double* distance, RvVec3* normal, RvError* error);
// Velocities of the solid's deformation in its space at n points: 0 without a field, and where the surface is farther
// than `reach`.
RvResult rv_contact_collider_velocity(const RvCollider* solid, RvArena* scratch, size_t n, const RvVec3* at,
                                      double reach, RvVec3* velocity, RvError* error);
// Mean curvature at n points of the surface, 1/m, positive where the solid is convex.
RvResult rv_contact_collider_curvature(const RvCollider* solid, RvArena* scratch, size_t n, const RvVec3* at,
                                       double* curvature, RvError* error);
// Box of a grid's active voxels, enlarged by the motion of its velocity field.
typedef struct RvColliderBox {
  double lo[3], hi[3];
  bool empty;
} RvColliderBox;
RvColliderBox rv_contact_collider_box(const RvCollider* solid, double dt);
// False where a ball around a point cannot meet the solid.
bool rv_contact_collider_near(const RvCollider* solid, const RvColliderBox* box, RvVec3 at, double radius);

// Position and orientation of a solid's space.
typedef struct RvPose {
  RvVec3 position;
  RvQuat orientation;
} RvPose;
// The pose a time after the start of the step.
RvPose rv_contact_collider_pose(const RvCollider* solid, double time);
// From the solid's space to the world, and back.
static inline RvVec3 rv_contact_pose_out(const RvPose* p, RvVec3 y) {
  return rv_add(p->position, rv_quat_rotate(p->orientation, y));
}
static inline RvVec3 rv_contact_pose_in(const RvPose* p, RvVec3 x) {
  return rv_quat_rotate(rv_quat_conjugate(p->orientation), rv_sub(x, p->position));
}

// Refuses colliders whose numbers are not finite or whose grids have the wrong type.
RvResult rv_contact_collider_check(const RvCollider* solid, size_t index, RvError* error);

#endif
