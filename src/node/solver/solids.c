#include "node/solver/solids.h"

// Pose of a rigid solid at the start of the part, and the rates that lead to its end. Both motions are maps from the
// grid's space.
static void set_motion(RvCollider* c, const RvRigid* a, const RvRigid* b, RvVec3 origin, double dt) {
  RvVec3 from = rv_sub(rv_rigid_apply(a, rv_vec3(0, 0, 0)), origin);
  RvVec3 to = rv_sub(rv_rigid_apply(b, rv_vec3(0, 0, 0)), origin);
  // The contact solver moves the solid itself from here.
  c->position = from;
  c->orientation = a->turn;
  c->linear = rv_scale(rv_sub(to, from), 1 / dt);
  c->angular = rv_rigid_turning(a, b, dt);
}

void rv_solver_solids(const RvColliderView* solids, const RvSolidStep* steps, RvVec3 origin, double offset, double dt,
                      RvCollider* out) {
  for (size_t i = 0; i < solids->count; ++i) {
    const RvSolidStep* step = &steps[i];
    // Solids that do not move as one stand still here: a velocity field or the motion of a mesh moves their surface.
    out[i] = (RvCollider){.shape = RV_COLLIDER_GRID,
                          .distance = step->distance,
                          .orientation = rv_quat_identity(),
                          .position = rv_neg(origin),
                          .offset = offset,
                          .velocity = step->velocity,
                          .grid_time = step->field_time,
                          .angle = step->solid->angle,
                          .friction = step->solid->friction >= 0 ? step->solid->friction : 0};
    if (step->solid->rigid) set_motion(&out[i], &step->from, &step->to, origin, dt);
    if (!step->motion) continue;
    out[i].motion = rv_mesh_motion_at;
    out[i].motion_user = step->motion;
    out[i].fastest = step->motion->fastest;
  }
}
