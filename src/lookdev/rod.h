// Cosserat rods by positions and quaternions (AH-3 to AH-6, spec 6.2 with E35, E36, E40), RV_LANES strands at once.
//
// A strand of n vertices has n - 1 edges, each with a unit quaternion q whose third director is the edge's direction.
// Two constraints hold it together, each with a multiplier and a compliance (XPBD):
//
//   stretch-shear  of edge j    C = x_{j+1} - x_j - l d3(q_j)                compliance l / EA          force, N
//   bend-twist     of vertex i  C = 2 (Im(conj(q_{i-1}) q_i) - s Im R0)      compliance of the fibre    moment, N m
//
// A substep is one step of implicit Euler. With the multipliers as unknowns its equations are linear but for the
// directors, so an iteration linearises at the last quaternions and solves all multipliers of a strand at once
// (rod_direct_kernel.c). Quaternions are linearised at the start of the substep, not at a position that has fallen
// freely, so an equilibrium is a fixed point for any length of step and any number of iterations.
//
// The tension of an edge resists its rotation. This geometric stiffness joins the rotational inertia of the edge;
// without it hair under tension is unstable at long steps (Tournier et al. 2015).
#ifndef RV_LOOKDEV_ROD_H
#define RV_LOOKDEV_ROD_H

#include "base/arena.h"
#include "strand/solver.h"

// How the constraints of a strand are solved.
typedef enum RvRodSolve {
  RV_ROD_DIRECT,  // all multipliers at once
  RV_ROD_SWEEPS,  // red-black Gauss-Seidel with over-relaxation (AH-9, AH-10), to compare
} RvRodSolve;

// Rest shape and elasticity. Arrays have the layout of the strands' batches: rows of RV_LANES numbers, `k` rows a
// vertex or edge.
typedef struct RvCosseratModel {
  double* length;   // [edges] m, rest
  double* stretch;  // [edges] m/N, compliance l / EA
  double* rest;     // [vertices][4] rotation from the edge before to that after at rest, R0: x, y, z, w
  double* bend;     // [vertices][6] 1/(N m): compliance of bending and twisting, symmetric: xx xy xz yy yz zz
  double* delay;    // [vertices] s: viscosity over stiffness of bending and twisting
  double* hairs;    // [batches] hairs that a strand stands for, one row a batch
} RvCosseratModel;

// What a substep needs of the one before, beside positions and velocities, which are RvStrandState's q and v.
typedef struct RvCosseratState {
  double* quat;     // [edges][4] x, y, z, w
  double* spin;     // [edges][3] rad/s in the frame of the edge: 2 tan(turn / 2) / dt
  double* tension;  // [edges] N, of the last solve; geometric stiffness
} RvCosseratState;

// Forces on the vertices of a substep. Arrays may be NULL; they have the rows of the batches.
typedef struct RvRodForces {
  double gravity[3];               // m/s2
  double dragnormal, dragtangent;  // kg/(m s)
  double wind[3];                  // m/s, everywhere
  const double* air;               // [vertices][4] m/s, besides
  const double* force;             // [vertices][4] N
  const double* stiffness;         // [vertices][6] N/m, implicit: -stiffness (x - x_before); symmetric
  const bool* busy;                // [batches] whether the blocks of force count; NULL: all
  const bool* stiff;               // [batches] and those of stiffness
} RvRodForces;

typedef struct RvRodStepDef {
  double dt;
  int iterations;
  RvRodSolve solve;
  double relaxation;     // of the sweeps, 1 to 2
  const double* target;  // [unknowns] places of prescribed vertices
  const double* root;    // [batches][4] quaternion of the first edge, rows of lanes
  RvRodForces forces;
} RvRodStepDef;

//---------------------------------------------------------------------------------------------- model and state

// A quaternion in the rows of a block, whose first number is at `at`, and back.
static inline RvQuat rv_rod_load_quat(const double* blocks, size_t at) {
  return (RvQuat){blocks[at], blocks[at + RV_LANES], blocks[at + 2 * RV_LANES], blocks[at + 3 * RV_LANES]};
}
static inline void rv_rod_store_quat(double* blocks, size_t at, RvQuat q) {
  blocks[at] = q.x;
  blocks[at + RV_LANES] = q.y;
  blocks[at + 2 * RV_LANES] = q.z;
  blocks[at + 3 * RV_LANES] = q.w;
}

// Allocates the arrays for the strands of a model; false: out of memory. Free with the function below.
bool rv_cosserat_alloc(const RvStrandModel* strands, RvCosseratModel* model, RvCosseratState* state);
void rv_cosserat_free(RvCosseratModel* model, RvCosseratState* state);
// Lengths, compliances and delays from the strands' model, whose rest lengths are natural; `multiple` [strands].
// Compliances are those of the rest rotations, which must be there: a chain of turns is softer than the fibre it
// samples, by an amount that depends on the turn.
void rv_cosserat_elasticity(const RvStrandModel* strands, const double* multiple, RvCosseratModel* model);
// Quaternions of the strands' material frames: directors of the state turned by their angles. The quaternion of an edge
// is on the side of that before it. Edges have no spin and no tension.
void rv_cosserat_frames(const RvStrandModel* strands, const RvStrandState* state, RvCosseratState* out);
// Rest rotations as those of the quaternions: the pose has no moments.
void rv_cosserat_rest_from_pose(const RvStrandModel* strands, const RvCosseratState* state, RvCosseratModel* model);
// Rest rotations of the natural shape, or of the pose where a strand has none: frames without twist along it.
void rv_cosserat_rest_from_defs(const RvStrandModel* strands, const RvStrandDef* defs, RvCosseratModel* model);

typedef struct RvCosseratBalance {
  size_t capped;  // strands whose rest shape reached the largest turn, and so will move
} RvCosseratBalance;
// Rest lengths and rotations that make the pose an equilibrium under `force` [unknowns], with the first edge clamped:
// a clamped strand is statically determinate, so one sweep from the tip gives forces and moments. `max_turn`: rad at a
// vertex. Sets tensions, and turns quaternions by the shear of the forces.
void rv_cosserat_balance(const RvStrandModel* strands, const RvStrandState* pose, const double* force, double max_turn,
                         RvCosseratModel* model, RvCosseratState* state, RvCosseratBalance* report);
// Strands that turn by more than a quarter of a round at a vertex at rest.
size_t rv_cosserat_coarse(const RvStrandModel* strands, const RvCosseratModel* model);

//---------------------------------------------------------------------------------------------- a substep

// One substep of all strands: positions and velocities of `strands_state`, and `state`. Returns in *failed how many
// strands were held because a number was not finite.
RvResult rv_cosserat_step(const RvStrandModel* strands, RvStrandState* strands_state, const RvCosseratModel* model,
                          RvCosseratState* state, const RvRodStepDef* def, RvArena* scratch, size_t* failed,
                          RvError* error);

//---------------------------------------------------------------------------------------------- kernels

// One batch of a substep, pointers to its blocks.
typedef struct RvCosseratBatch {
  int vertices;
  double dt;
  int iterations;
  double relaxation;
  double *x, *v;                   // [n][4]
  double *quat, *spin, *tension;   // [n - 1][4], [n - 1][3], [n - 1]
  const double *mass, *free;       // [n][4]
  const double *target, *root;     // [n][4], [4]
  const double *length, *stretch;  // [n - 1]
  const double *rest, *bend, *delay, *hairs;
  const double *air, *force, *stiffness;  // or NULL
  double gravity[3], wind[3];
  double dragnormal, dragtangent;
} RvCosseratBatch;

// Doubles of work memory for n vertices.
size_t rv_cosserat_room(int vertices);
// A substep of a batch; bit i of the result is set where lane i was held. `single`: the same source for one lane.
unsigned rv_cosserat_direct(const RvCosseratBatch* batch, double* room);
unsigned rv_cosserat_sweeps(const RvCosseratBatch* batch, double* room);
unsigned rv_cosserat_direct_single(const RvCosseratBatch* batch, double* room);

#endif
