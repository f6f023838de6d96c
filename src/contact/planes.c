// Walls and colliders as planes near each place; see planes.h.
#include "contact/planes.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/scalar.h"

enum { GRAIN = 1024 };  // particles a task

// Adds a plane through the predicted place of particle i, at the signed distance d (m) with the normal n, and moves the
// place out of the margin. The offset of a plane is in metres until the lattice is known.
static void add_plane(const RvPlaneSearch* w, size_t i, double d, RvVec3 n, RvVec3 velocity, double friction,
                      double angle) {
  RvContactPlanes* planes = &w->planes[i];
  if (!w->near[i]) planes->count = 0;
  w->near[i] = 1;
  if (planes->count == RV_CONTACT_PLANES) return;
  double* x = w->place + 3 * i;
  float* plane = planes->plane[planes->count];
  plane[0] = (float)n.x;
  plane[1] = (float)n.y;
  plane[2] = (float)n.z;
  rv_vec3_store(planes->velocity[planes->count], velocity);
  planes->friction[planes->count] = (float)friction;
  planes->angle[planes->count] = (float)angle;
  planes->offset[planes->count] = d - rv_dot(n, rv_vec3_load64(x));
  planes->count++;
  if (d < w->margin) rv_vec3_store64(x, rv_mad(rv_vec3_load64(x), w->margin - d, n));
}

// Walls of the box.
static void meet_walls(void* arg, size_t begin, size_t end) {
  const RvPlaneSearch* w = arg;
  const RvContactSolids* s = w->solids;
  for (size_t i = begin; i < end; ++i) {
    const double* x = w->place + 3 * i;
    for (int side = 0; side < 6; ++side) {
      int a = side / 2;
      double sign = side % 2 ? -1 : 1;
      double d = sign * (x[a] - (side % 2 ? s->high[a] : s->low[a]));
      if (s->open_sides >> side & 1 || !(d < w->reach)) continue;
      add_plane(w, i, d, rv_vec3(a == 0 ? sign : 0, a == 1 ? sign : 0, a == 2 ? sign : 0), rv_vec3(0, 0, 0), 0,
                s->wall_angle);
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

// What finding the candidates of a collider needs.
typedef struct Select {
  const RvPlaneSearch* w;
  const RvCollider* solid;
  const RvPose* pose;
  RvColliderBox box;
  RvMat3 turn;
  Near* near;
  uint32_t* kept;  // [tasks] candidates of each task, which begin at its first particle
} Select;

// Candidates by the box of the solid, or by their distance.
static void select_some(void* arg, size_t begin, size_t end) {
  const Select* s = arg;
  size_t n = begin;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 at = rv_mat3_apply(s->turn, rv_sub(rv_vec3_load64(s->w->place + 3 * i), s->pose->position));
    if (!rv_contact_collider_near(s->solid, &s->box, at, s->w->reach)) continue;
    s->near->particle[n] = (uint32_t)i;
    s->near->at[n++] = at;
  }
  s->kept[begin / GRAIN] = (uint32_t)(n - begin);
}

// All candidates of a collider, in the order of the particles.
static RvResult select_near(Select* s, RvArena* arena, RvError* error) {
  size_t count = s->w->count;
  Near* near = s->near;
  RvArenaMark mark = rv_arena_mark(arena);
  s->kept = RV_TAKE(arena, uint32_t, count / GRAIN + 1);
  if (!s->kept) return rv_fail(error, RV_NO_MEMORY, "out of memory for the solids around %zu particles", count);
  rv_parallel_for(count, GRAIN, select_some, s);
  near->count = 0;
  for (size_t begin = 0; begin < count; begin += GRAIN) {
    size_t kept = s->kept[begin / GRAIN];
    memmove(near->particle + near->count, near->particle + begin, kept * sizeof *near->particle);
    memmove(near->at + near->count, near->at + begin, kept * sizeof *near->at);
    near->count += kept;
  }
  rv_arena_release(arena, mark);
  return RV_OK;
}

// Planes of some of the candidates; how many are in the solid without a surface near.
static double add_planes(void* arg, size_t begin, size_t end) {
  const Select* s = arg;
  const Near* near = s->near;
  const RvCollider* solid = s->solid;
  const RvPose* pose = s->pose;
  size_t buried = 0;
  for (size_t k = begin; k < end; ++k) {
    if (!(rv_dot(near->normal[k], near->normal[k]) > 0)) {
      buried += near->distance[k] < 0;
      continue;
    }
    // A field that deforms is that of grid_time ago: the surface has moved along its normal since.
    double moved = (solid->grid_time + s->w->time) * rv_dot(near->velocity[k], near->normal[k]);
    RvVec3 world = rv_contact_pose_out(pose, near->at[k]);
    RvVec3 velocity = rv_add(rv_quat_rotate(pose->orientation, near->velocity[k]),
                             rv_add(solid->linear, rv_cross(solid->angular, rv_sub(world, pose->position))));
    add_plane(s->w, near->particle[k], near->distance[k] - moved, rv_quat_rotate(pose->orientation, near->normal[k]),
              velocity, solid->friction, solid->angle);
  }
  return (double)buried;
}

// Planes of one collider.
static RvResult meet_collider(const RvPlaneSearch* w, const RvCollider* solid, Near* near, RvArena* arena,
                              RvError* error) {
  double support = w->reach;
  RvPose pose = rv_contact_collider_pose(solid, w->time);
  RvColliderBox box = solid->shape == RV_COLLIDER_GRID ? rv_contact_collider_box(solid, w->time) : (RvColliderBox){0};
  Select s = {w, solid, &pose, box, rv_quat_matrix(rv_quat_conjugate(pose.orientation)), near, NULL};
  RvResult result = select_near(&s, arena, error);
  // Distances in a grid, then normals and velocities of the few that are near.
  if (!result && solid->shape == RV_COLLIDER_GRID) {
    result = rv_contact_collider_distance(solid, arena, near->count, near->at, near->distance, NULL, error);
    if (!result) keep_near(near, support);
  }
  if (!result)
    result = rv_contact_collider_distance(solid, arena, near->count, near->at, near->distance, near->normal, error);
  if (!result)
    result = rv_contact_collider_velocity(solid, arena, near->count, near->at, support, near->velocity, error);
  if (result) return result;
  // Whole numbers, whose sum is exact.
  double buried = rv_parallel_sum(near->count, GRAIN, add_planes, &s);
  if (w->buried) *w->buried += (size_t)buried;
  return RV_OK;
}

RvResult rv_contact_planes_find(const RvPlaneSearch* w, RvArena* arena, RvError* error) {
  size_t count = w->count;
  RvArenaMark mark = rv_arena_mark(arena);
  Near near = {0,
               RV_TAKE(arena, uint32_t, count + 1),
               RV_TAKE(arena, RvVec3, count + 1),
               RV_TAKE(arena, double, count + 1),
               RV_TAKE(arena, RvVec3, count + 1),
               RV_TAKE(arena, RvVec3, count + 1)};
  if (!near.particle || !near.at || !near.distance || !near.normal || !near.velocity)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the solids around %zu particles", count);
  memset(w->near, 0, count);
  if (w->solids->walls) rv_parallel_for(count, GRAIN, meet_walls, (void*)w);
  RvResult result = RV_OK;
  for (size_t k = 0; k < w->solids->ncollider && !result; ++k)
    result = meet_collider(w, &w->solids->colliders[k], &near, arena, error);
  rv_arena_release(arena, mark);
  return result;
}
