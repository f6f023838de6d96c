// Solids in the air around hair: what part of each face they close, and how fast they move there (air.h).
#include <math.h>

#include "base/parallel.h"
#include "continuum/air.h"

enum { CORNERS = RV_TILE_SIDE + 1, NODES = CORNERS * CORNERS * CORNERS };
static const double FAR = 1e9;  // m: distance where no solid is near

typedef struct Block {
  RvAir* a;
  double dt;
  RvColliderBox* box;  // [colliders]
  RvResult* result;    // [tiles]
} Block;

static RvVec3 corner_place(const RvAir* a, size_t t, int i) {
  const int32_t* c = a->hair.tiles.coord[t];
  return rv_scale(rv_vec3(RV_TILE_SIDE * c[0] + i % CORNERS, RV_TILE_SIDE * c[1] + i / CORNERS % CORNERS,
                          RV_TILE_SIDE * c[2] + i / (CORNERS * CORNERS)),
                  a->def.dx);
}

// Distances to the solids at the corners of a tile, and the nearest solid of each; -1: none is near.
static RvResult find_nearest(const Block* b, size_t t, RvArena* arena, double* distance, int* nearest) {
  const RvAir* a = b->a;
  const double reach = 0.5 * sqrt(3) * (RV_TILE_SIDE + 2) * a->def.dx;
  RvVec3 at[NODES], middle = rv_lerp(corner_place(a, t, 0), corner_place(a, t, NODES - 1), 0.5);
  double own[NODES];
  for (int i = 0; i < NODES; ++i) {
    distance[i] = FAR;
    nearest[i] = -1;
  }
  for (size_t k = 0; k < a->def.ncollider; ++k) {
    const RvCollider* solid = &a->def.colliders[k];
    RvPose pose = rv_contact_collider_pose(solid, b->dt);
    if (!rv_contact_collider_near(solid, &b->box[k], rv_contact_pose_in(&pose, middle), reach)) continue;
    for (int i = 0; i < NODES; ++i) at[i] = rv_contact_pose_in(&pose, corner_place(a, t, i));
    RvResult result = rv_contact_collider_distance(solid, arena, NODES, at, own, NULL, NULL);
    if (result) return result;
    for (int i = 0; i < NODES; ++i)
      if (own[i] < distance[i]) {
        distance[i] = own[i];
        nearest[i] = (int)k;
      }
  }
  return RV_OK;
}

// Velocity of a solid at a place, m/s.
static RvResult solid_velocity(const Block* b, int k, RvVec3 x, RvArena* arena, RvVec3* v) {
  const RvCollider* solid = &b->a->def.colliders[k];
  RvPose pose = rv_contact_collider_pose(solid, b->dt);
  RvVec3 in = rv_contact_pose_in(&pose, x), own;
  RvResult result = rv_contact_collider_velocity(solid, arena, 1, &in, 2 * b->a->def.dx, &own, NULL);
  *v = rv_add(rv_add(solid->linear, rv_cross(solid->angular, rv_sub(x, pose.position))),
              rv_quat_rotate(pose.orientation, own));
  return result;
}

// The face of an axis of a cell from the distances at its corners.
static RvResult set_face(const Block* b, size_t t, int axis, int c, const double* distance, const int* nearest,
                         RvArena* arena) {
  static const int step[3] = {1, CORNERS, CORNERS * CORNERS};
  RvAir* a = b->a;
  size_t at = t * RV_TILE_CELLS + (size_t)c;
  int first = ((c >> 6) * CORNERS + (c >> 3 & 7)) * CORNERS + (c & 7);
  int one = step[(axis + 1) % 3], two = step[(axis + 2) % 3];
  const int corner[4] = {first, first + one, first + one + two, first + two};
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = rv_liquid_solid_snap(distance[corner[i]], a->def.dx);
  float open = rv_liquid_solid_open_area(d);
  a->open[axis].data[at] = open;
  a->solid[axis].data[at] = 0;
  if (open >= 1) return RV_OK;
  a->blocked.data[t] = 1;
  int solid = -1;
  double least = FAR;
  for (int i = 0; i < 4; ++i)
    if (distance[corner[i]] < least) {
      least = distance[corner[i]];
      solid = nearest[corner[i]];
    }
  if (solid < 0) return RV_OK;
  RvVec3 v, x = rv_lerp(corner_place(a, t, corner[0]), corner_place(a, t, corner[2]), 0.5);
  RvResult result = solid_velocity(b, solid, x, arena, &v);
  a->solid[axis].data[at] = (float)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
  return result;
}

static RvResult block_tile(const Block* b, size_t t, RvArena* arena) {
  double distance[NODES];
  int nearest[NODES];
  RvArenaMark mark = rv_arena_mark(arena);
  RvResult result = find_nearest(b, t, arena, distance, nearest);
  for (int axis = 0; axis < 3; ++axis)
    for (int c = 0; c < RV_TILE_CELLS && !result; ++c)
      result = set_face(b, t, axis, c, distance, nearest, arena);
  rv_arena_release(arena, mark);
  return result;
}

static void block_tiles(void* arg, size_t begin, size_t end) {
  const Block* b = arg;
  RvArena* arena = rv_arena_new(0);
  for (size_t t = begin; t < end; ++t) b->result[t] = arena ? block_tile(b, t, arena) : RV_NO_MEMORY;
  rv_arena_free(arena);
}

RvResult rv_air_block(RvAir* a, double dt, RvError* error) {
  enum { TILES_A_TASK = 4 };
  size_t tiles = a->hair.tiles.count;
  for (size_t t = 0; t < tiles; ++t) a->blocked.data[t] = 0;
  if (!a->def.ncollider) return RV_OK;
  Block b = {a, dt, rv_alloc_zero(a->def.ncollider, sizeof *b.box), rv_alloc_zero(tiles + 1, sizeof *b.result)};
  RvResult result = b.box && b.result ? RV_OK : RV_NO_MEMORY;
  for (size_t k = 0; k < a->def.ncollider && !result; ++k)
    b.box[k] = rv_contact_collider_box(&a->def.colliders[k], dt);
  if (!result) rv_parallel_for(tiles, TILES_A_TASK, block_tiles, &b);
  for (size_t t = 0; t < tiles && !result; ++t) result = b.result[t];
  rv_free(b.box);
  rv_free(b.result);
  if (result == RV_NO_MEMORY) return rv_fail(error, result, "out of memory for the colliders in the air around the hair");
  return result ? rv_fail(error, result, "the colliders could not be sampled for the air around the hair") : RV_OK;
}
