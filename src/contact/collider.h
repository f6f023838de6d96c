// Solids in their own space: signed distances, and how their space moves during a step.
#ifndef RV_CONTACT_COLLIDER_H
#define RV_CONTACT_COLLIDER_H

#include "contact/contact.h"

// Signed distances of n points (offset included), and the unit slopes if `normal` is not NULL (0 where there is none).
RvResult rv_contact_collider_distance(const RvCollider* solid, size_t n, const RvVec3* at, double* distance,
                                      RvVec3* normal, RvError* error);
// Velocities of the solid's own motion in its space at n points: 0 without a field, and where its surface is farther
// than `reach`.
RvResult rv_contact_collider_velocity(const RvCollider* solid, size_t n, const RvVec3* at, double reach,
                                      RvVec3* velocity, RvError* error);
// Mean curvature at n points of the surface, 1/m: positive where the solid bulges.
RvResult rv_contact_collider_curvature(const RvCollider* solid, size_t n, const RvVec3* at, double* curvature,
                                       RvError* error);
// False where a ball round a point cannot meet the solid. The box is that of a grid's active voxels and
// of where its own velocity may carry them.
typedef struct RvColliderBox {
  double lo[3], hi[3];
  bool empty;
} RvColliderBox;
RvColliderBox rv_contact_collider_box(const RvCollider* solid, double dt);
bool rv_contact_collider_near(const RvCollider* solid, const RvColliderBox* box, RvVec3 at, double radius);

typedef struct RvPose {
  RvVec3 position;
  RvQuat orientation;
} RvPose;
RvPose rv_contact_collider_pose(const RvCollider* solid, double time);
static inline RvVec3 rv_contact_pose_out(const RvPose* p, RvVec3 y) {
  return rv_add(p->position, rv_quat_rotate(p->orientation, y));
}
static inline RvVec3 rv_contact_pose_in(const RvPose* p, RvVec3 x) {
  return rv_quat_rotate(rv_quat_conjugate(p->orientation), rv_sub(x, p->position));
}

RvResult rv_contact_collider_check(const RvCollider* solid, size_t index, RvError* error);

#endif
