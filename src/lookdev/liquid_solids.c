// Solids of the lookdev liquid: walls and colliders, as planes near each particle (AH-7, AH-16).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "lookdev/liquid.h"
#include "math/scalar.h"

enum { GRAIN = 1024 };  // particles a task

// Adds a plane through the predicted place of particle i, at the signed distance d (m) with the normal n, and moves the
// place out of the margin. The offset of a plane is in metres until the lattice is known.
static void add_plane(const RvLookdevLiquid* l, size_t i, double d, RvVec3 n, RvVec3 velocity, double friction) {
  const RvLookdevLiquidWork* w = &l->work;
  RvLookdevPlanes* planes = &w->planes[i];
  if (!w->near[i]) planes->count = 0;
  w->near[i] = 1;
  if (planes->count == RV_LOOKDEV_PLANES) return;
  double* x = w->place + 3 * i;
  float* plane = planes->plane[planes->count];
  plane[0] = (float)n.x;
  plane[1] = (float)n.y;
  plane[2] = (float)n.z;
  rv_vec3_store(planes->velocity[planes->count], velocity);
  planes->friction[planes->count] = (float)friction;
  planes->offset[planes->count] = d - rv_dot(n, rv_vec3_load64(x));
  planes->count++;
  if (d < l->model.margin) rv_vec3_store64(x, rv_mad(rv_vec3_load64(x), l->model.margin - d, n));
}

// Walls of the box.
static void meet_walls(void* arg, size_t begin, size_t end) {
  const RvLookdevLiquid* l = arg;
  const RvLookdevSolids* s = &l->solids;
  for (size_t i = begin; i < end; ++i) {
    const double* x = l->work.place + 3 * i;
    for (int side = 0; side < 6; ++side) {
      int a = side / 2;
      double sign = side % 2 ? -1 : 1;
      double d = sign * (x[a] - (side % 2 ? s->high[a] : s->low[a]));
      if (s->open_sides >> side & 1 || !(d < l->model.support)) continue;
      add_plane(l, i, d, rv_vec3(a == 0 ? sign : 0, a == 1 ? sign : 0, a == 2 ? sign : 0), rv_vec3(0, 0, 0), 0);
    }
  }
}

// The particles that may be near one collider, with what is asked of it there.
typedef struct Near {
  size_t count;
  uint32_t* particle;
  RvVec3* at;        // in the solid's space
  double* distance;  // m
  RvVec3* normal;
  RvVec3* velocity;  // m/s, in the solid's space
} Near;

// Keeps those that are nearer than the support.
static void keep_near(Near* near, double support) {
  size_t kept = 0;
  for (size_t k = 0; k < near->count; ++k) {
    if (!(near->distance[k] < support)) continue;
    near->particle[kept] = near->particle[k];
    near->at[kept++] = near->at[k];
  }
  near->count = kept;
}

// Planes of one collider, where it is at the end of the substep.
static RvResult meet_collider(RvLookdevLiquid* l, const RvCollider* solid, Near* near, RvError* error) {
  RvLookdevLiquidWork* w = &l->work;
  double support = l->model.support;
  RvPose pose = rv_contact_collider_pose(solid, w->dt);
  RvColliderBox box = solid->shape == RV_COLLIDER_GRID ? rv_contact_collider_box(solid, w->dt) : (RvColliderBox){0};
  // Candidates by the box of the solid, or by their distance.
  RvMat3 turn = rv_quat_matrix(rv_quat_conjugate(pose.orientation));
  near->count = 0;
  for (size_t i = 0; i < l->particles->count; ++i) {
    RvVec3 at = rv_mat3_apply(turn, rv_sub(rv_vec3_load64(w->place + 3 * i), pose.position));
    if (!rv_contact_collider_near(solid, &box, at, support)) continue;
    near->particle[near->count] = (uint32_t)i;
    near->at[near->count++] = at;
  }
  // Distances in a grid, then normals and velocities of the few that are near.
  RvResult result = RV_OK;
  if (solid->shape == RV_COLLIDER_GRID) {
    result = rv_contact_collider_distance(solid, l->arena, near->count, near->at, near->distance, NULL, error);
    if (!result) keep_near(near, support);
  }
  if (!result)
    result = rv_contact_collider_distance(solid, l->arena, near->count, near->at, near->distance, near->normal, error);
  if (!result)
    result = rv_contact_collider_velocity(solid, l->arena, near->count, near->at, support, near->velocity, error);
  if (result) return result;
  for (size_t k = 0; k < near->count; ++k) {
    if (!(rv_dot(near->normal[k], near->normal[k]) > 0)) continue;
    // A field that deforms is that of grid_time ago: the surface has moved along its normal since.
    double moved = (solid->grid_time + w->dt) * rv_dot(near->velocity[k], near->normal[k]);
    RvVec3 world = rv_contact_pose_out(&pose, near->at[k]);
    RvVec3 velocity = rv_add(rv_quat_rotate(pose.orientation, near->velocity[k]),
                             rv_add(solid->linear, rv_cross(solid->angular, rv_sub(world, pose.position))));
    add_plane(l, near->particle[k], near->distance[k] - moved, rv_quat_rotate(pose.orientation, near->normal[k]),
              velocity, solid->friction);
  }
  return RV_OK;
}

RvResult rv_lookdev_liquid_meet_solids(RvLookdevLiquid* l, RvError* error) {
  RvLookdevLiquidWork* w = &l->work;
  size_t count = l->particles->count;
  w->planes = RV_TAKE(l->arena, RvLookdevPlanes, count + 1);
  w->near = RV_TAKE(l->arena, uint8_t, count + 1);
  RvArenaMark mark = rv_arena_mark(l->arena);
  Near near = {0,
               RV_TAKE(l->arena, uint32_t, count + 1),
               RV_TAKE(l->arena, RvVec3, count + 1),
               RV_TAKE(l->arena, double, count + 1),
               RV_TAKE(l->arena, RvVec3, count + 1),
               RV_TAKE(l->arena, RvVec3, count + 1)};
  if (!w->planes || !w->near || !near.particle || !near.at || !near.distance || !near.normal || !near.velocity)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the solids around %zu particles", count);
  memset(w->near, 0, count);
  if (l->solids.walls) rv_parallel_for(count, GRAIN, meet_walls, l);
  RvResult result = RV_OK;
  for (size_t k = 0; k < l->solids.ncollider && !result; ++k)
    result = meet_collider(l, &l->solids.colliders[k], &near, error);
  rv_arena_release(l->arena, mark);
  return result;
}
