// Interfaces without a host: liquids whose particles attract and repel each other in pairs (spec chapter 5).
// rv_interface_substep is the method and the only text of it.
//
// Density is constant: an implicit solve in the manner of DFSPH (E69). The density of a particle is a number density,
// the sum of the volumes around it, so that phases of different mass meet without a gap. Its excess at the end of the
// substep, predicted by the displacements, is brought below `tolerance` by Jacobi steps on one multiplier a particle.
// The multiplier as a whole stays at or above 0, not its changes, and begins with that of the last substep.
//
// The pair force has the support K = k h, the density kernel h. Pairs within K are summed where they are found; the
// lists keep those within h, which every iteration needs.
//
// Places are those of RvParticles. Of its affine vectors, which this liquid does not have, c[RV_INTERFACE_PRESSURE] is
// the pressure.
#ifndef RV_INTERFACE_SOLVER_H
#define RV_INTERFACE_SOLVER_H

#include "contact/planes.h"
#include "interface/bodies.h"
#include "interface/bubbles.h"
#include "interface/sums_kernel.h"
#include "liquid/liquid.h"
#include "sph/half.h"

enum { RV_INTERFACE_PRESSURE = 0 };  // numbers of RvParticles.c

// The support h of the density in spacings: 33 neighbours.
#define RV_INTERFACE_SPACINGS 2.0

// How the pressure is found (VI-11).
typedef enum RvInterfaceMethod {
  RV_INTERFACE_IMPLICIT,  // constant density (E69)
  RV_INTERFACE_PCISPH,    // as the seed prints it
  RV_INTERFACE_EXPLICIT   // proportional to the excess of density before the substep
} RvInterfaceMethod;

typedef struct RvInterfacePhase {
  double density;    // kg/m3
  double viscosity;  // Pa s
} RvInterfacePhase;

typedef struct RvInterfaceModel {
  double dx;       // m: side of a cell of the particles' places
  double spacing;  // m between particles at rest
  double ratio;    // k: the support of the pair force over that of the density
  RvPairForm form;
  int phases;
  RvInterfacePhase phase[RV_INTERFACE_PHASES];
  double coefficient[RV_INTERFACE_PHASES][RV_INTERFACE_PHASES];  // N/m^6 of the pair force, attraction above 0
  double tension;                                                // N/m: the largest, which bounds the substep
  double gravity[3];                                             // m/s2
  double tolerance;                                              // mean excess of density at which the iterations end
  int iterations;                                                // at most
  double relaxation;                                             // of the Jacobi steps
  RvInterfaceMethod method;
  bool pair_updates;    // pair forces are summed again in every iteration
  double second_angle;  // rad: contact angle of phase 1 on all solids; below 0: that of the solids
} RvInterfaceModel;

// Stages of a substep, in their order.
#define RV_INTERFACE_STAGES(X) \
  X(sources)                   \
  X(solids)                    \
  X(sort)                      \
  X(film)                      \
  X(pairs)                     \
  X(density)                   \
  X(pressure)                  \
  X(move)

typedef enum RvInterfaceStage {
#define RV_INTERFACE_STAGE_ENUM(name) RV_INTERFACE_STAGE_##name,
  RV_INTERFACE_STAGES(RV_INTERFACE_STAGE_ENUM)
#undef RV_INTERFACE_STAGE_ENUM
      RV_INTERFACE_STAGE_COUNT
} RvInterfaceStage;

typedef struct RvInterfaceReport {
  int substeps;
  int iterations;       // in all substeps together
  int most_iterations;  // of a substep
  int unconverged;      // substeps that ended above the tolerance
  double excess;        // largest mean excess of density at the end of a substep
  double largest;       // largest excess of a particle in the last substep
  size_t buried;        // particles deep in solids in the last substep
  size_t overfull;      // bubbles with more film than surface, in the last substep
  size_t full;          // particles with more neighbours than a list holds, summed over substeps
  size_t near, pairs;   // neighbours within h and within k h in the last substep
  size_t bytes;         // of the work memory
  double seconds[RV_INTERFACE_STAGE_COUNT];
} RvInterfaceReport;

// What a substep works on; arrays are of the arena and live until the end of the substep.
typedef struct RvInterfaceWork {
  double dt;
  double* place;            // [count][3] m, in the order of the particles
  float* weight;            // [count] volumes over that of a whole particle
  RvContactPlanes* planes;  // [count] in the order of the particles; NULL: no solids
  uint8_t* near;            // [count] whether there are some
  RvSphLattice lattice;
  RvSphSet set;
  RvSphLists lists;
  RvInterfaceSums sums;
  RvInterfaceBodyWork bodies;
} RvInterfaceWork;

typedef struct RvInterfaceSolver {
  RvInterfaceModel model;
  RvLiquid* bulk;            // particles, sources and sinks; borrowed
  const uint8_t* row_phase;  // phases of the particles' rows; NULL: all are phase 0
  RvInterfaceBubbles bubbles;
  RvInterfaceBodies bodies;
  RvArena* arena;          // borrowed; nothing is kept in it between substeps
  RvContactSolids solids;  // in the metres of the particles
  RvSphHalf half, pull;    // of the density and of the pair force
  RvInterfaceWork work;
  RvInterfaceReport report;
  // for benchmarks
  bool single;    // one lane
  bool cpu_time;  // seconds of the report are CPU time of all threads
} RvInterfaceSolver;

// Water of a spacing, one phase, with the coefficient of its tension.
RvInterfaceModel rv_interface_defaults(double spacing);
// Sets model and tables of a solver whose other members are given.
void rv_interface_init(RvInterfaceSolver* solver, const RvInterfaceModel* model);
// The support of the pair force, m.
double rv_interface_support(const RvInterfaceModel* model);
// The longest substep that tension, speeds and viscosity allow, s.
double rv_interface_longest(const RvInterfaceSolver* solver);
RvResult rv_interface_substep(RvInterfaceSolver* solver, double dt, RvError* error);

// Calls a kernel of the sums at the lanes of the solver.
#define RV_INTERFACE_CALL(solver, name, arguments) \
  ((solver)->single ? RV_KERNEL_CALL_SINGLE(name, arguments) : RV_KERNEL_CALL(name, arguments))

//---------------------------------------------------------------------------------------------- pressure.c

// pressure: the multipliers, and the displacements that they make.
RvResult rv_interface_solve_pressure(RvInterfaceSolver* solver, RvError* error);

//---------------------------------------------------------------------------------------------- bodies.c

// Members, masses and inertias of the bodies; nothing without bodies, as the others.
RvResult rv_interface_gather_bodies(RvInterfaceSolver* solver, RvError* error);
// Leaves out of densities what the particles of a body add to each other beyond that at rest.
void rv_interface_relieve_bodies(RvInterfaceSolver* solver);
// Makes the displacements of bodies rigid, with the same momentum and angular momentum.
void rv_interface_project_bodies(RvInterfaceSolver* solver);
// Keeps bodies out of solids, with friction, by impulses on the whole body.
void rv_interface_hold_bodies(RvInterfaceSolver* solver);
// Moves and turns the bodies by their last projection.
void rv_interface_turn_bodies(RvInterfaceSolver* solver);

//---------------------------------------------------------------------------------------------- solids.c

// Contact angles that were measured, and the angles whose coefficients by Young and Dupre make them; degrees, rising.
typedef struct RvSolidAngle {
  double measured, used;
} RvSolidAngle;
const RvSolidAngle* rv_interface_angles(int* count);
// The angle (rad) whose coefficient by Young and Dupre makes a contact angle (rad), by measured caps.
double rv_interface_used_angle(double angle);
// Coefficient between a solid and a phase that meets it at the contact angle (rad), N/m^6 (VI-7, E34).
double rv_interface_adhesion(const RvInterfaceModel* model, int phase, double angle);
// Planes of the solids near the particles; places inside of solids are moved out.
RvResult rv_interface_meet_solids(RvInterfaceSolver* solver, RvError* error);
// What solids add to density and force of particle k of the sorted set.
void rv_interface_feel_solids(const RvInterfaceSolver* solver, size_t k);
// Friction, and keeps its displacement out of solids.
void rv_interface_hold(const RvInterfaceSolver* solver, size_t k);

#endif
