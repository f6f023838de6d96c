// The strand solver without a host: settings, model, state and scratch memory of the hair stage, and its stages.
//
// The driver (src/wet/solver.h) calls the stages in the order roots, carry, forces, [contacts], step, update for each
// part of a frame. Inputs arrive as data: the animated positions of all points at the end of the part (RvStrandSample)
// and the attributes that guide the strands (RvStrandGuide). Nothing here knows of nodes, files or cooks.
#ifndef RV_STRAND_SOLVER_H
#define RV_STRAND_SOLVER_H

#include "strand/carry.h"
#include "strand/forces.h"
#include "strand/io.h"

// What an artist sets, in SI units. Keyed values may change from substep to substep.
typedef struct RvStrandSettings {
  int substeps, maxsubsteps;  // minimum and maximum number of steps a frame
  int niter, max_cg;          // maximum iterations of Newton, and of the CG solve that couples strands in contact
  double cfl;                 // edge lengths that a root may move in a step
  double tolerance;           // Newton: residual relative to the first one
  double cg_tolerance;        // loosest relative residual of the coupled linear solve
  RvIntegrator integrator;
  RvStrandMaterial material;
  bool equilibrium;                            // the rest shape is chosen so that the start pose is in equilibrium
  double restangle, reststretch, reststiffen;  // bounds of that rest shape: rad, relative length, stiffness factor
  double gravity[3], wind[3];                  // m/s2, m/s
  double dragnormal, dragtangent;              // kg/(m s)
  double inertiascale;                         // share of the roots' common motion that the strands feel
  double targettime;                           // s: period of the springs to the goals
} RvStrandSettings;

// The animated strands at one moment, by point of the host's geometry.
typedef struct RvStrandSample {
  const float* P;
  const double* exact;  // replaces P where it was interpolated: far from the origin a float is too coarse
  const float* orient;  // a quaternion a point; NULL: none, or not known between frames
} RvStrandSample;

// Position of a point of a sample, in units of the scene.
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

// The solver's data, grouped by what they are: model, inputs, state, scratch memory, report.
typedef struct RvStrandSolver {
  RvStrandSettings settings;
  // model
  RvStrandSet set;
  RvStrandModel* model;
  bool animated;               // every vertex follows the input, not only roots and pins
  double *multiple, *stiffen;  // [strands] hairs that each stands for; factor by which the rest shape stiffened it
  double* root_director;       // [strands][3] the root's material director in the frame of the input's orient
  // inputs
  RvStrandGuide guide;
  float* air;  // [vertices][3] m/s, wind of the points and of a field together; NULL: guide.wind alone
  // state
  RvStrandState* state;
  RvStrandGlobals globals;
  double* target_before;  // [unknowns] the input at the start of the part
  // scratch memory
  RvForces forces;
  double *target, *target_velocity;  // [unknowns] the input at the end of the part, and its mean velocity
  RvStrandState* backup;             // the state at the start of the part
  RvStrandGlobals backup_globals;
  double* backup_target;  // [unknowns] target_before at the start of the part
  size_t backup_healed;
  double* memory;  // of all arrays above
  RvArena* scratch;
  // report of the frame
  int substeps, iterations, cg_iterations;  // iterations: the largest number of a step
  double residual;                          // largest of a step, relative
  size_t unconverged;                       // steps that Newton ended above its tolerance
  size_t healed;                            // strands whose step failed and that were restored
  RvStrandStats stats;                      // of the last step
} RvStrandSolver;

//---------------------------------------------------------------------------------------------- a solver

// Allocates the arrays of a solver whose set and model are filled. They are zero, but multiple and stiffen. A solver
// may come with `memory`, `backup` and an empty `scratch` of an earlier one with as many strands of each length: they
// are used again.
RvResult rv_strand_solver_init(RvStrandSolver* solver, RvError* error);
// Frees everything that a solver holds, its set, model and state included, and zeroes it.
void rv_strand_solver_free(RvStrandSolver* solver);
// Frees the arrays of a guide.
void rv_strand_guide_free(RvStrandGuide* guide);
// Marks the prescribed unknowns: the first edge of each strand with its angle, and the vertices that the guide pins;
// all vertices of animated strands.
void rv_strand_solver_fix(RvStrandSolver* solver);

//---------------------------------------------------------------------------------------------- stages

// roots: positions of the input as targets of all unknowns but the angles, and their mean velocities over a part of dt.
void rv_strand_solver_roots(RvStrandSolver* solver, const RvStrandSample* sample, double dt);
// carry: moves the state by the share of the roots' common motion that the strands do not feel (inertiascale), and sets
// the target angles of the roots.
RvResult rv_strand_solver_carry(RvStrandSolver* solver, const RvStrandSample* sample, double dt, RvError* error);
// forces: weight, air, the artist's forces and goals.
void rv_strand_solver_forces(RvStrandSolver* solver);
// The definition of these forces; the search for an equilibrium rest shape uses it too.
RvForceDef rv_strand_solver_force_def(const RvStrandSolver* solver);
// The definition of a step of dt seconds without contacts.
RvStrandStepDef rv_strand_solver_step_def(const RvStrandSolver* solver, double dt);
// strands: takes the step and counts its iterations.
RvResult rv_strand_solver_step(RvStrandSolver* solver, const RvStrandStepDef* step, RvError* error);
// update: adds the velocities of the carried frame, restores failed strands, and keeps dt and target for the next part.
void rv_strand_solver_update(RvStrandSolver* solver, double dt);
// Restores strands whose values are not finite, or too large, to the start of the part with zero velocity. Returns how
// many they are.
size_t rv_strand_solver_heal(RvStrandSolver* solver);

// Strands that are longer, or shorter, than they should be. Edges are compared with their rest length.
typedef struct RvStrandStretch {
  size_t count;   // strands with an edge beyond the bound
  size_t strand;  // the one with the worst edge
  double worst;   // length of that edge over its rest length
} RvStrandStretch;
// `bound`: length over rest length beyond which a strand counts: stretched above a bound over 1, squeezed below a bound
// under 1.
RvStrandStretch rv_strand_solver_stretch(const RvStrandSolver* solver, double bound);

//---------------------------------------------------------------------------------------------- parts of a frame

// Copies the state at the start of a part to the backup.
void rv_strand_solver_remember(RvStrandSolver* solver);
// Restores the state from the backup.
void rv_strand_solver_recall(RvStrandSolver* solver);
// Whether a part that did not converge may be repeated in two halves; `depth` counts the halvings so far.
bool rv_strand_solver_may_halve(const RvStrandSolver* solver, int depth);
// Whether the last step ended with too large a residual, or a strand had to be restored.
bool rv_strand_solver_failed(const RvStrandSolver* solver);
// Counts an accepted part in the report.
void rv_strand_solver_count_part(RvStrandSolver* solver);

//---------------------------------------------------------------------------------------------- roots.c

// Positions of a sample as targets, into `target` [unknowns].
void rv_strand_solver_targets(const RvStrandSolver* solver, const RvStrandSample* sample, double* target);
// At the start frame: expresses the roots' material directors in the frame of `orient` (a quaternion a point, or NULL).
void rv_strand_solver_root_directors(RvStrandSolver* solver, const float* orient);
// Number of substeps that the motion of the roots over a frame needs, from samples of its middle and end; `wanted` is
// that without maxsubsteps.
int rv_strand_solver_substeps(const RvStrandSolver* solver, const RvStrandSample* middle, const RvStrandSample* end,
                              double* wanted);
// Number of strands with a prescribed point whose position in P [points][3] is not a number; such a point keeps its
// position. *first receives the primitive of the first of them.
size_t rv_strand_solver_lost_roots(const RvStrandSolver* solver, const float* P, int32_t* first);
// Sets the velocities of prescribed vertices to those of the skin: v [points][3], units of the scene a second.
void rv_strand_solver_skin_velocity(RvStrandSolver* solver, const float* v);
// Copies every array of a state.
void rv_strand_state_copy(const RvStrandModel* model, const RvStrandState* from, RvStrandState* to);

#endif
