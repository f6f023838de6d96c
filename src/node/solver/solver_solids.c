// The solids of a solver on the scaffold, as contacts see them: relative to the scene's origin, without an offset.
#include <math.h>

#include "base/memory.h"
#include "node/solver/scaffold.h"

RvResult rv_solver_begin_solids(RvSolver* s, RvError* error) {
  // a frozen frame meets nothing
  if (!(s->timescale > 0)) return RV_OK;
  // Level sets as the input has them; of bare meshes what the collider node would make of them.
  RvResult result = rv_collider_view_begin(&s->view, &s->colliders, &(RvColliderNeeds){0}, error);
  if (result || !s->view.count) return result;
  s->steps = rv_alloc_zero(s->view.count, sizeof *s->steps);
  s->solid_steps = rv_alloc_zero(s->view.count, sizeof *s->solid_steps);
  if (!s->steps || !s->solid_steps) return rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  s->solids = s->solid_steps;
  s->nsolid = s->view.count;
  return RV_OK;
}

RvResult rv_solver_move_solids(RvSolver* s, double from, double to, double dt, RvError* error) {
  if (!s->nsolid) return RV_OK;
  RvResult result = rv_collider_view_step(&s->view, from, to, dt, s->steps, error);
  if (!result) rv_solver_solids(&s->view, s->steps, rv_vec3(0, 0, 0), 0, dt, s->solid_steps);
  return result;
}

void rv_solver_end_solids(RvSolver* s) {
  rv_collider_view_end(&s->view);
  rv_free(s->steps);
  rv_free(s->solid_steps);
}

RvResult rv_solver_distance(const RvSolver* s, const double x[3], double* distance, RvVec3* normal, RvVec3* velocity,
                            RvError* error) {
  RvResult result = RV_OK;
  *distance = INFINITY;
  *normal = *velocity = rv_vec3(0, 0, 0);
  for (size_t i = 0; i < s->nsolid && !result; ++i) {
    const RvCollider* solid = &s->solids[i];
    RvPose pose = rv_contact_collider_pose(solid, 0);
    // The place in the solid's own space, at the start of the substep.
    RvVec3 world = rv_vec3_load64(x), local = rv_contact_pose_in(&pose, world), slope;
    double d;
    result = rv_contact_collider_distance(solid, s->scratch, 1, &local, &d, &slope, error);
    if (result || !(d < *distance)) continue;
    *distance = d;
    *normal = rv_quat_rotate(pose.orientation, slope);
    // The velocity of the rigid motion at the place.
    *velocity = rv_add(solid->linear, rv_cross(solid->angular, rv_sub(world, pose.position)));
  }
  return result;
}
