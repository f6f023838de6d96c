// The solids that an input of colliders gives a solver, and their motion within a frame. A solid is a level set named
// collision, as the node collider makes it, with the mesh before it in the same detail, whose points tell its motion,
// or with a VDB collisionvel behind it. A solver of liquid also takes what no collider node has seen: the pair surface
// and vel, and bare meshes.
#ifndef RV_NODE_SOLVER_COLLIDERS_H
#define RV_NODE_SOLVER_COLLIDERS_H

#include "math/rigid.h"
#include "mesh/motion.h"
#include "node/solver/solver.h"

typedef struct RvSolid {
  RvGrid *distance, *velocity;  // in metres and simulated seconds
  RvRigid motion;               // of the mesh, from the frame before, in metres of the scene
  RvVec3 ahead, ahead_turn;     // of an even motion, in the middle of the frame: metres, and axis times angle
  bool rigid;                   // the mesh moves as one, or stands still
  bool uneven;                  // so unevenly that it is sampled at every substep
  bool mesh;                    // there is one
  bool whole;                   // the mesh is known at whole frames only, and goes straight between them
  bool turned;                  // it was inside out
  double friction;
  double angle;                  // rad, contact angle of liquid
  size_t first, last;            // points of the mesh
  size_t first_prim, last_prim;  // its faces
} RvSolid;

typedef struct RvCollidersDef {
  RvCook* cook;
  int input;         // index; -1: none
  double unit;       // metres of a unit of the scene
  double timescale;  // simulated seconds a second of the scene
  double voxel;      // m: of level sets made of bare meshes; 0: a hundredth of the mesh's longest side
  bool keep;         // level sets made of meshes are kept in the node's cache for frames with the same mesh
  double band;       // m: level sets that know distances less than two thirds as far are made anew so; 0: as they are
} RvCollidersDef;

typedef struct RvColliders {
  RvCollidersDef def;
  RvSolid* solids;  // at the frame before
  size_t count;
  const RvDetail *before, *now;  // the input at both frames; borrowed
  double begin_seconds;          // that reading them took, for the report alone
  RvGrid** sampled;              // grids and motions of a part of the frame
  RvMeshMotion* motions;
} RvColliders;

// A solid through a part of the frame. World and grid are in metres of the scene.
typedef struct RvSolidStep {
  const RvSolid* solid;
  const RvGrid* distance;      // borrowed until the next part
  const RvGrid* velocity;      // of a level set that moves by its field, else NULL
  const RvMeshMotion* motion;  // of a mesh that changes its shape, else NULL
  double field_time;           // simulated seconds from the moment of the level set to the beginning of the part
  RvRigid from, to;            // from the grid's space to the world at both ends; still, unless it is rigid
} RvSolidStep;

// RvNodeType.free_cache of a node that keeps level sets.
void rv_colliders_free_cache(void* cache);

// Reads the solids of the frame. None, with a warning, where the input has no level set. One that comes or goes is
// there, or not, for the whole frame. Zero `colliders` before.
RvResult rv_colliders_begin(RvColliders* colliders, const RvCollidersDef* def, RvError* error);
// All solids from `from` to `to` of the frame, shares of it, `dt` simulated seconds; room for `count` of them. What the
// part before had is released.
RvResult rv_colliders_step(RvColliders* colliders, double from, double to, double dt, RvSolidStep* steps,
                           RvError* error);
// How a solid goes from the frame before to this one: as one, or changing its shape.
RvResult rv_solid_begin(const RvColliders* colliders, RvSolid* solid, RvError* error);
// The pose of one that moves as one, at a share of the frame, from that of the frame before.
RvResult rv_solid_pose(const RvColliders* colliders, const RvSolid* solid, double share, RvRigid* out, RvError* error);
void rv_colliders_release(RvColliders* colliders);
void rv_colliders_end(RvColliders* colliders);

#endif
