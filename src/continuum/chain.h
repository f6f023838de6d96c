// Strands as serial chains of rigid links with spherical joints: no stretch, three unknowns a link (HC-9 to HC-13).
//
// Link i runs from vertex i, its joint, to vertex i + 1. Its body axes are two directors of the section and, third, its
// direction. The state of a link is its orientation and its angular velocity, both of the world; positions follow from
// the base, which moves with the skin. Joint 0 holds the first link to the base and has half a link's length, so that
// it is twice as stiff.
//
// The relative turn of a joint from its rest (a quaternion with scalar w and vector e, in the axes of the outer link)
// has the potential 2 e.K e, and so the torque -2 (w K e + (K e) x e) on the outer link (E71).
//
// Strands of equal link count are taken RV_LANES at a time, as in strand/strand.h. Arrays of a batch with k numbers a
// link are at k * at, [(i * k + c) * RV_LANES + lane]; arrays of its vertices at k * vertex_at; arrays of its bases are
// [batches][k][RV_LANES].
#ifndef RV_CONTINUUM_CHAIN_H
#define RV_CONTINUUM_CHAIN_H

#include "base/arena.h"
#include "math/ldlt.h"
#include "math/vec.h"
#include "rivulet/base.h"
#include "strand/strand.h"

typedef struct RvChainBatch {
  int links;                 // of each strand
  int lanes;                 // lanes in use, 1 to RV_LANES; the others repeat the last strand
  int32_t strand[RV_LANES];  // index of the input strand in each lane
  size_t at, vertex_at;      // begin of its links and vertices, in numbers of arrays with one number each
} RvChainBatch;

typedef struct RvChainModel {
  size_t nstrand, nbatch, nlink;  // nlink: of all strands, without spare lanes
  RvChainBatch* batches;
  size_t links, vertices;  // numbers in arrays with one number a link or vertex
  int longest;             // links of the longest strand
  // a link
  double* length;          // m
  double* mass;            // kg
  double *across, *axial;  // kg m2: moments of inertia about the joint, across and along the link
  // a joint
  double* stiffness;  // [3] N m: bending about both directors, torsion
  double* damping;    // [3] N m s
  double* rest;       // [4] turn from the axes of the inner link (the base) to those of the outer one, at rest
} RvChainModel;

typedef struct RvChainState {
  double *orient, *spin;         // [links][4] and [links][3] rad/s
  double *base_x, *base_orient;  // [batches][3] m, [batches][4]
  double *base_v, *base_spin;    // [batches][3] m/s, rad/s
  double *x, *v;                 // [vertices][3] m, m/s: follow from the others
} RvChainState;

typedef enum RvChainIntegrator {
  RV_CHAIN_IMPLICIT,  // joints, tension and added masses at the end of the step
  RV_CHAIN_RK4,       // explicit, fourth order
} RvChainIntegrator;

typedef struct RvChainStepDef {
  double dt;  // s
  RvChainIntegrator integrator;
  // Part of the step at whose end implicit terms are taken: 1 is implicit Euler, 1/2 the midpoint rule.
  double implicitness;
  double gravity[3];  // m/s2; it enters as acceleration of the base (HC-13)
  // The bases at the end of the step, as in the state; NULL: they stay where they are.
  const double *base_x, *base_orient, *base_v, *base_spin;
  const double *force, *torque;  // [links][3] N, and N m about the joint; NULL: none
  // Implicit forces: mass that has inertia but no weight. A force f - c v enters as f - c v at the start in `force` and
  // as the mass implicitness * dt * c, a spring -k x with the rate implicitness * dt * k for c.
  const double* line_mass;  // [links] kg, spread along the link; NULL: none
  const double* end_mass;   // [links][6] kg, xx xy xz yy yz zz at its outer vertex; NULL: none
  // [links][3] N: force of the same springs at the outer vertex; NULL: none. Most of it goes into `end_mass`, so that
  // it is no tension of the link, as one in `force` is.
  const double* end_force;
  RvArena* scratch;
} RvChainStepDef;

// The model of strands whose vertices are those of the definitions; two vertices are enough.
RvResult rv_chain_model_new(const RvStrandDef* strands, size_t count, RvChainModel** out, RvError* error);
void rv_chain_model_free(RvChainModel* model);
// The start: the pose of the definitions, at rest. Links keep the length of the model.
RvResult rv_chain_state_new(const RvChainModel* model, const RvStrandDef* strands, RvChainState** out, RvError* error);
RvChainState* rv_chain_state_alloc(const RvChainModel* model);
void rv_chain_state_copy(const RvChainModel* model, const RvChainState* from, RvChainState* to);
void rv_chain_state_free(RvChainState* state);
// Body axes of the links of a shape x [vertices][3] of a strand without twist: the root's director, transported along
// the strand.
void rv_chain_frames(const RvStrandDef* strand, const double* x, RvQuat* frames);
// Computes x and v.
void rv_chain_place(const RvChainModel* model, RvChainState* state);
// The longest step at which Runge and Kutta's method is stable, s: that of the fastest turn of a link on its joints.
double rv_chain_explicit_step(const RvChainModel* model);
// One step of all strands (HC-11, HC-19).
RvResult rv_chain_step(const RvChainModel* model, RvChainState* state, const RvChainStepDef* def, RvError* error);
// The angular accelerations [links][3] of the state as it is: what one step of `def` changes the spins by, over dt.
RvResult rv_chain_accelerate(const RvChainModel* model, const RvChainState* state, const RvChainStepDef* def,
                             double* spin_rate, RvError* error);
// The velocities [vertices][3] that one implicit step would end with, in the places of its start.
RvResult rv_chain_predict(const RvChainModel* model, const RvChainState* state, const RvChainStepDef* def,
                          double* velocity, RvError* error);

// Index of component c of `size` of a link or vertex of a lane, and of a base.
static inline size_t rv_chain_link(const RvChainBatch* b, int lane, int link, int size, int c) {
  return (size_t)size * b->at + (size_t)(size * link + c) * RV_LANES + (size_t)lane;
}
static inline size_t rv_chain_vertex(const RvChainBatch* b, int lane, int vertex, int size, int c) {
  return (size_t)size * b->vertex_at + (size_t)(size * vertex + c) * RV_LANES + (size_t)lane;
}
static inline size_t rv_chain_base(size_t batch, int lane, int size, int c) {
  return ((size_t)size * batch + (size_t)c) * RV_LANES + (size_t)lane;
}
static inline RvQuat rv_chain_quat(const double* blocks, size_t at) {
  return (RvQuat){blocks[at], blocks[at + RV_LANES], blocks[at + 2 * RV_LANES], blocks[at + 3 * RV_LANES]};
}
static inline void rv_chain_set_quat(double* blocks, size_t at, RvQuat q) {
  blocks[at] = q.x;
  blocks[at + RV_LANES] = q.y;
  blocks[at + 2 * RV_LANES] = q.z;
  blocks[at + 3 * RV_LANES] = q.w;
}

#endif
