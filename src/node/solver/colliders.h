// The solids that a collider input gives to a solver, and their motion within a frame.
//
// A solid is a level set named `collision`, as the collider node makes it. Its motion comes from the mesh that precedes
// it in the same detail, or from a VDB `collisionvel` that follows it. Input that did not pass a collider node is
// accepted too: the VDB pair `surface` and `vel`, and bare meshes.
#ifndef RV_NODE_SOLVER_COLLIDERS_H
#define RV_NODE_SOLVER_COLLIDERS_H

#include "math/rigid.h"
#include "mesh/mesh.h"
#include "mesh/motion.h"
#include "node/solver/solver.h"

// One solid at the previous frame, and how it moves to the current one.
typedef struct RvSolid {
  RvGrid *distance, *velocity;  // level set, m; velocity field, m per simulated second, or NULL
  RvRigid motion;               // rigid motion of the mesh from the previous frame, in metres
  // Deviation from a uniform motion at the middle of the frame: translation (m), and rotation as axis times angle
  // (rad).
  RvVec3 ahead, ahead_turn;
  bool rigid;                    // the mesh moves rigidly, or stands still
  bool uneven;                   // no parabola fits the motion: the pose is sampled at every substep
  bool mesh;                     // the solid has a mesh
  bool whole;                    // the mesh is known at whole frames only: its points move on straight lines in between
  bool turned;                   // the level set was inside out, and its sign was changed
  double friction;               // Coulomb coefficient
  double angle;                  // rad, contact angle of liquid
  size_t first, last;            // points of the mesh: [first, last)
  size_t first_prim, last_prim;  // faces of the mesh: [first_prim, last_prim)
} RvSolid;

// The input that solids are read from.
typedef struct RvCollidersDef {
  RvCook* cook;
  int input;         // index; -1: none
  double unit;       // m: length of a unit of the scene
  double timescale;  // simulated seconds per second of the scene
} RvCollidersDef;

// All solids of the input during a frame, read once for all media. Level sets are those of the input; a bare mesh has
// none here.
typedef struct RvColliders {
  RvCollidersDef def;
  bool begun;       // the frame's solids are read
  RvSolid* solids;  // [count] at the previous frame
  size_t count;
  const RvDetail *before, *now;  // the input at the previous and the current frame; borrowed
  double begin_seconds;          // that reading the solids took, views included; for the report alone
} RvColliders;

// What a medium needs of level sets.
typedef struct RvColliderNeeds {
  double voxel;  // m: voxel of level sets made from bare meshes; 0: a hundredth of the mesh's longest side
  double band;   // m: level sets with a band below two thirds of this are rebuilt with this one; 0: never
} RvColliderNeeds;

// The solids as one medium sees them. A level set that serves it is the shared one, with the motion that was found for
// it; where there is none, or its band is too narrow, the medium has its own.
typedef struct RvColliderView {
  RvColliders* of;
  RvColliderNeeds needs;
  RvSolid* solids;  // [count] at the previous frame
  size_t count;
  RvGrid** sampled;       // [count] level sets of the current part of the frame, where a mesh deforms
  RvMeshMotion* motions;  // [count] motions of its points
} RvColliderView;

// One solid during a part of the frame. World and grid coordinates are in metres.
typedef struct RvSolidStep {
  const RvSolid* solid;
  const RvGrid* distance;      // level set; borrowed until the next part
  const RvGrid* velocity;      // velocity field of a level set without a mesh, else NULL
  const RvMeshMotion* motion;  // motion of a deforming mesh, else NULL
  double field_time;           // simulated seconds from the moment of the level set to the start of the part
  RvRigid from, to;            // transforms from grid to world at both ends; the identity, unless the solid is rigid
} RvSolidStep;

// Reads the solids of the frame and their motion, at the first call. An input without a level set or faces gives none,
// with a warning. Where the number of solids changes, those of the current frame hold for the whole frame.
RvResult rv_colliders_begin(RvColliders* colliders, RvError* error);
// Releases everything; `def` stays. Views end before.
void rv_colliders_end(RvColliders* colliders);
// Finds out how a solid moves from the previous frame to the current one: rigidly, or deforming (solid_motion.c).
RvResult rv_solid_begin(const RvColliders* colliders, RvSolid* solid, RvError* error);
// Transform of a rigid solid from the previous frame to a share of the current one.
RvResult rv_solid_pose(const RvColliders* colliders, const RvSolid* solid, double share, RvRigid* out, RvError* error);

//---------------------------------------------------------------------------------------------- views

// Begins a medium's view of the frame's solids, which are read if they are not yet. Zero `view` before.
RvResult rv_collider_view_begin(RvColliderView* view, RvColliders* colliders, const RvColliderNeeds* needs,
                                RvError* error);
// The solids during the part of the frame between the shares `from` and `to`, which takes `dt` simulated seconds, into
// `steps` [count]. Releases what the part before borrowed.
RvResult rv_collider_view_step(RvColliderView* view, double from, double to, double dt, RvSolidStep* steps,
                               RvError* error);
// Releases the level sets and motions of the current part.
void rv_collider_view_release(RvColliderView* view);
// Releases everything and zeroes `view`.
void rv_collider_view_end(RvColliderView* view);

//---------------------------------------------------------------------------------------------- collider_cache.c

// The level set of a mesh of which `solid` has the points: what the node keeps of it, or made and kept.
RvResult rv_collider_cache_grid(const RvCook* cook, const RvMesh* mesh, const RvMeshFacts* facts, const RvSolid* solid,
                                const RvMeshGrid* want, RvGrid** out, RvError* error);

#endif
