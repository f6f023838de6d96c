// Strands as batches of lanes: the model (constant while stepping), the state (all that changes) and the step.
//
// Strands of equal vertex count are taken RV_LANES at a time in the order (count, Morton code of the root, id); a last
// batch that is not full repeats its last strand in the spare lanes, whose results are dropped. Arrays of a batch are
// in one block each, at `at` (unknowns), `vertex_at` and `edge_at` (in numbers; see rod.h for the layout).
#ifndef RV_STRAND_STRAND_H
#define RV_STRAND_STRAND_H

#include "base/arena.h"
#include "math/operator.h"
#include "math/vec.h"
#include "rivulet/base.h"
#include "strand/rod.h"

typedef struct RvStrandBatch {
  int vertices;               // of each strand
  int lanes;                  // lanes in use, 1 to RV_LANES
  int32_t strand[RV_LANES];   // index of the input strand in each lane (spare ones repeat)
  size_t at;                  // begin of its unknowns, 4 n numbers a lane: x, y, z, angle of each vertex
  size_t vertex_at, edge_at;  // begin of its vertices and edges, n and n - 1 numbers a lane
  bool pinned;                // some vertex beyond the root is fixed
} RvStrandBatch;

// One input strand.
typedef struct RvStrandDef {
  int vertices;
  const double* x;                           // [n][3] m, the start pose
  const double* rest;                        // [n][3] natural shape; NULL: the start pose
  const double* director;                    // [3] a direction to align the first frame with; NULL: any
  const double* radius;                      // [n] m
  double density, youngs, shear, viscosity;  // kg/m3, Pa, Pa, Pa s
  double ellipse;                            // ratio of the half axes of the section, 1 a circle
  const double* stiffness;                   // [n] multiplier; NULL: 1
  const double *heavier, *damper;            // [n] multipliers of density and viscosity; NULL: 1
  const double* length;                      // [n - 1] m, natural, of mass and stiffness; NULL: of the natural shape
  double multiple;                           // number of hairs it represents: mass and stiffness scale with it
  int64_t id;
} RvStrandDef;

typedef struct RvStrandModel {
  size_t nstrand, nbatch, nvertex;
  RvStrandBatch* batches;
  size_t unknowns, vertices, edges;  // numbers in the blocks of all batches
  // rest shape and elasticity, per lane
  double *rest_length, *rest_curvature, *rest_twist;  // m, 1 (integrated), rad
  double *stretch, *bend, *torsion;                   // EA / l (N/m), EI / l (2) and GJ / l (N m)
  double *damp_stretch, *damp_bend, *damp_torsion;    // the same with viscosities: stiffness times seconds
  double* mass;                                       // [unknowns] kg, and kg m^2 of the angles; with the load
  double* hair_mass;                                  // [vertices] kg, without it
  double* hair_turn;                                  // [edges] kg m2: moment of inertia of the angles, without it
  double* free;                                       // [unknowns] 1, or 0 where the value is given
  double* radius;                                     // [vertices] m
} RvStrandModel;

typedef struct RvStrandState {
  double *q, *v;                // [unknowns] m and rad, m/s and rad/s
  double *q_before, *v_before;  // of the step before, for BDF2
  double *tangent, *director;   // [edges x 3] reference frames
  double* reference_twist;      // [vertices]
  bool has_before;              // there was a step before
} RvStrandState;

typedef enum RvIntegrator { RV_EULER, RV_BDF2 } RvIntegrator;

typedef struct RvStrandStepDef {
  double dt;         // s
  double dt_before;  // s, of the step that made q_before; BDF2 needs it equal
  RvIntegrator integrator;
  int max_iterations;     // Newton
  double tolerance;       // of the Newton decrement, relative to the first
  bool accept_predicted;  // with a coupling: end without another assembly where the predicted residual is small enough
  const double* force;    // [unknowns] N, at the start; NULL: none
  const double* target;   // [unknowns] values of the fixed unknowns at the end of the step
  // Implicit, each [unknowns] or NULL: drag (v - drag_velocity) in kg/s, and springs to a place in N/m.
  const double *drag, *drag_velocity, *spring, *spring_target;
  // [3 x vertices] along the tangents, in roots of kg, or NULL: the part of the load that slides along the strand (spec
  // E43), so that a vertex has the inertia mass - slide slide^T.
  const double* slide;
  const RvOperator* couple;   // contacts, bridges and solids; NULL: none
  int max_cg;                 // iterations of the global solve
  double cg_tolerance;        // smallest forcing term of its preconditioned residual
  double early_cg_tolerance;  // largest forcing term, with which early solves stop; 0: 0.25
  RvArena* scratch;           // memory of the step, given back at its end; NULL: its own
} RvStrandStepDef;

typedef struct RvStrandStats {
  int iterations;       // largest of any batch
  double residual;      // largest at the end: Newton decrement relative to the first
  double first;         // root of the sum of squares of the lanes' first decrements, of a batch
  int64_t indefinite;   // batches whose full Hessian was replaced in some lane
  int64_t searches;     // trial steps that the line search shortened
  int64_t unconverged;  // batches that reached max_iterations above the tolerance
  int cg_iterations;    // of the last global solve
  int64_t solves;       // of free steps: linear systems of strands times their vertices
} RvStrandStats;

RvResult rv_strand_model_new(const RvStrandDef* strands, size_t count, RvStrandModel** out, RvError* error);
void rv_strand_model_free(RvStrandModel* model);
// Whether a model that was made of strands like these, in other places, has its batches in the order of these. Then it
// is the model of these too.
bool rv_strand_model_in_order(const RvStrandModel* model, const RvStrandDef* strands);
// The effective mass (WH-5): that of the hair and `load` [vertices] kg, the share w_FF of the liquid on it that moves
// with it (none under water). It has inertia and weight; it does not rotate with the fibre. NULL: dry.
void rv_strand_set_load(RvStrandModel* model, const double* load);
// The moment of inertia about the tangents: `turn` [edges] kg m2 of film that rotates with the fibre (WH-25). NULL:
// dry.
void rv_strand_set_turn(RvStrandModel* model, const double* turn);
// Changes the velocities of a batch by dv [unknowns of all], as by an impulse. The last step is changed to that of
// strands that always had this velocity, so that BDF2 with steps of `dt` continues without a delayed response.
void rv_strand_kick_batch(const RvStrandModel* model, RvStrandState* state, const RvStrandBatch* batch, double dt,
                          const double* dv);
// The start: positions from the definitions, at rest, frames without twist. Fills the rest strains of the model.
RvResult rv_strand_state_new(RvStrandModel* model, const RvStrandDef* strands, RvStrandState** out, RvError* error);
// A state of zeros, to be filled by the caller.
RvStrandState* rv_strand_state_alloc(const RvStrandModel* model);
void rv_strand_state_free(RvStrandState* state);

// One implicit step: Newton on the incremental potential (WH-44). Without a coupling every batch is solved on its own;
// with one, the linear systems are solved by CG with the strands' own factors as preconditioner (WH-45).
RvResult rv_strand_step(const RvStrandModel* model, RvStrandState* state, const RvStrandStepDef* def,
                        RvStrandStats* stats, RvError* error);

// Index of component c of a vertex of a lane in the blocks.
static inline size_t rv_strand_index(const RvStrandBatch* batch, int lane, int vertex, int component) {
  return batch->at + (size_t)(4 * vertex + component) * RV_LANES + (size_t)lane;
}
// The vector whose components are one lane of three consecutive rows.
static inline RvVec3 rv_strand_vector(const double* blocks, size_t at) {
  return rv_vec3(blocks[at], blocks[at + RV_LANES], blocks[at + 2 * RV_LANES]);
}
static inline void rv_strand_set_vector(double* blocks, size_t at, RvVec3 v) {
  blocks[at] = v.x;
  blocks[at + RV_LANES] = v.y;
  blocks[at + 2 * RV_LANES] = v.z;
}
// The rods of a batch with the model's elasticity alone, without the viscous twins, in the state's reference frames.
static inline RvRodBatch rv_strand_elastic_rods(const RvStrandModel* m, const RvStrandState* s,
                                                const RvStrandBatch* b) {
  return (RvRodBatch){.vertices = b->vertices,
                      .tangent = s->tangent + 3 * b->edge_at,
                      .director = s->director + 3 * b->edge_at,
                      .reference_twist = s->reference_twist + b->vertex_at,
                      .length = m->rest_length + b->edge_at,
                      .stretch = m->stretch + b->edge_at,
                      .curvature = m->rest_curvature + 4 * b->vertex_at,
                      .bend = m->bend + 2 * b->vertex_at,
                      .twist = m->rest_twist + b->vertex_at,
                      .torsion = m->torsion + b->vertex_at};
}

#endif
