// The strand solver without a host: settings, model, state and work of the hair stage, and its stages one by one.
//
// Whoever drives it (src/wet/solver.h) calls the stages in the order roots, carry, forces, [contacts], step, update for
// each part of a frame. Inputs arrive as data: the animated places of all points at the end of the part
// (RvStrandSample) and the attributes that guide the strands (RvStrandGuide). Nothing here knows of nodes, files or
// cooks.
#ifndef RV_STRAND_SOLVER_H
#define RV_STRAND_SOLVER_H

#include "strand/carry.h"
#include "strand/forces.h"
#include "strand/io.h"

// What an artist sets, in SI units. Keyed values may change from substep to substep.
typedef struct RvStrandSettings {
  int substeps, maxsubsteps;  // fewest and most steps a frame
  int niter, max_cg;          // most iterations of Newton, and of the linear solve that joins strands in contact
  double cfl;                 // edge lengths that a root may move in a step
  double tolerance;           // Newton: residual relative to the first one
  double cg_tolerance;        // the least that is asked of the joint linear solve
  RvIntegrator integrator;
  RvStrandMaterial material;
  bool equilibrium;                            // the rest shape balances the start pose
  double restangle, reststretch, reststiffen;  // rad, share, times: bounds of that rest shape
  double gravity[3], wind[3];                  // m/s2, m/s
  double dragnormal, dragtangent;              // kg/(m s)
  double inertiascale;                         // share of the roots' common motion that the strands feel
  double targettime;                           // s: period of the springs to the goals
} RvStrandSettings;

// The animated strands at one moment, by point of the host's geometry.
typedef struct RvStrandSample {
  const float* P;
  const double* exact;  // in place of P where it was interpolated: far from the origin a float is too coarse
  const float* orient;  // quaternions a point; NULL: none, or not known between frames
} RvStrandSample;

static inline void rv_strand_sample_point(const RvStrandSample* sample, size_t point, double out[3]) {
  for (size_t c = 0; c < 3; ++c) out[c] = sample->exact ? sample->exact[3 * point + c] : sample->P[3 * point + c];
}

// Attributes of a frame that guide the strands, by vertex of the set; each may be NULL.
typedef struct RvStrandGuide {
  float* wind;      // [vertices][3] m/s
  float* force;     // [vertices][3] N a hair
  float* goal;      // [vertices] weight of the springs to the animation
  uint8_t* pinned;  // [vertices] 1: the vertex follows the animation
} RvStrandGuide;

typedef struct RvStrandSolver {
  RvStrandSettings settings;
  // model
  RvStrandSet set;
  RvStrandModel* model;
  bool animated;               // every vertex follows the input, not only roots and pins
  double *multiple, *stiffen;  // [strands] hairs that each stands for; how much the rest shape stiffened it
  double* root_director;       // [strands][3] the root's material director in the frame of the input's orient
  // inputs
  RvStrandGuide guide;
  float* air;  // [vertices][3] m/s, wind of the points and of a field together; NULL: guide.wind alone
  // state
  RvStrandState* state;
  RvStrandGlobals globals;
  double* target_before;  // [unknowns] the input at the start of the part
  // work
  RvForces forces;
  double *target, *target_velocity;  // [unknowns] the input at the end of the part, and its mean velocity
  RvStrandState* backup;             // the state at the start of the part
  RvStrandGlobals backup_globals;
  double* backup_target;
  size_t backup_healed;
  double* memory;
  RvArena* scratch;
  // what the frame came to
  int substeps, iterations, cg_iterations;  // iterations: the most of a step
  double residual;
  size_t unconverged;   // steps that Newton ended above its tolerance
  size_t healed;        // strands that a step lost and that were put back
  RvStrandStats stats;  // of the last step
} RvStrandSolver;

//---------------------------------------------------------------------------------------------- a solver

// Arrays of a solver whose set and model are there; the target before is where the state stands.
RvResult rv_strand_solver_init(RvStrandSolver* solver, RvError* error);
void rv_strand_solver_free(RvStrandSolver* solver);
void rv_strand_guide_free(RvStrandGuide* guide);
// Fixes the first edge of each strand with its angle, and what the guide pins; all vertices of animated strands.
void rv_strand_solver_fix(RvStrandSolver* solver);

//---------------------------------------------------------------------------------------------- stages (roots.c,
//solver.c)

// roots: places of the input as targets of all unknowns but the angles, and their velocities over a part of dt.
void rv_strand_solver_roots(RvStrandSolver* solver, const RvStrandSample* sample, double dt);
// carry: the share of the roots' common motion that the strands do not feel is done for them; the roots' frames turn.
RvResult rv_strand_solver_carry(RvStrandSolver* solver, const RvStrandSample* sample, double dt, RvError* error);
// forces: weight, air, the artist's forces and goals.
void rv_strand_solver_forces(RvStrandSolver* solver);
// The same as a definition, for who balances a rest shape with it.
RvForceDef rv_strand_solver_force_def(const RvStrandSolver* solver);
// strands: the step of Newton that the definition asks for, without contacts.
RvStrandStepDef rv_strand_solver_step_def(const RvStrandSolver* solver, double dt);
RvResult rv_strand_solver_step(RvStrandSolver* solver, const RvStrandStepDef* step, RvError* error);
// update: velocities of the carried frame, lost strands, and what the next part needs to know of this one.
void rv_strand_solver_update(RvStrandSolver* solver, double dt);
// Strands that a step lost (numbers that are none, or too large) go back to the start of the part, at rest.
size_t rv_strand_solver_heal(RvStrandSolver* solver);

//---------------------------------------------------------------------------------------------- parts of a frame

// Remembers the state at the start of a part, and puts it back.
void rv_strand_solver_remember(RvStrandSolver* solver);
void rv_strand_solver_recall(RvStrandSolver* solver);
// Whether a part that did not converge may be done again in two halves; `depth` counts the halvings so far.
bool rv_strand_solver_may_halve(const RvStrandSolver* solver, int depth);
// Whether the step just taken left too large a residual, or lost a strand.
bool rv_strand_solver_failed(const RvStrandSolver* solver);
// Counts a part that is taken as it is.
void rv_strand_solver_count_part(RvStrandSolver* solver);

//---------------------------------------------------------------------------------------------- roots.c

// Targets of the places of a sample, into `target` [unknowns].
void rv_strand_solver_targets(const RvStrandSolver* solver, const RvStrandSample* sample, double* target);
// At the start frame: the roots' directors in the frame of `orient` (quaternions a point, or NULL).
void rv_strand_solver_root_directors(RvStrandSolver* solver, const float* orient);
// How many substeps the motion of the roots over a frame needs, from samples of its middle and end.
int rv_strand_solver_substeps(const RvStrandSolver* solver, const RvStrandSample* middle, const RvStrandSample* end);
// How many strands have a prescribed point whose place in P [points][3] is not a number: it stays where it was. *first
// is the primitive of the first of them.
size_t rv_strand_solver_lost_roots(const RvStrandSolver* solver, const float* P, int32_t* first);
// Velocities of prescribed vertices become those of the skin: v [points][3], units of the scene a second.
void rv_strand_solver_skin_velocity(RvStrandSolver* solver, const float* v);
// Copies every array of a state.
void rv_strand_state_copy(const RvStrandModel* model, const RvStrandState* from, RvStrandState* to);

#endif
