// The lookdev solver without a host: coily hair as Cosserat rods that collide with solids and keep the volume of their
// groom, in real time (spec chapter 6). rv_lookdev_substep is the method and the only text of it.
//
// Strands are an RvStrandSolver: its model, places, velocities and inputs. This solver has their quaternions.
#ifndef RV_LOOKDEV_SOLVER_H
#define RV_LOOKDEV_SOLVER_H

#include "contact/collider.h"
#include "lookdev/pore_hair.h"
#include "lookdev/rod.h"
#include "lookdev/volume.h"

// The stages in their order.
#define RV_LOOKDEV_STAGES(X) \
  X(sources)                 \
  X(roots)                   \
  X(carry)                   \
  X(hairforces)              \
  X(neighbours)              \
  X(pores)                   \
  X(volume)                  \
  X(contacts)                \
  X(rods)                    \
  X(update)                  \
  X(density)                 \
  X(move)

typedef enum RvLookdevStage {
#define RV_LOOKDEV_STAGE_ENUM(name) RV_LOOKDEV_STAGE_##name,
  RV_LOOKDEV_STAGES(RV_LOOKDEV_STAGE_ENUM)
#undef RV_LOOKDEV_STAGE_ENUM
      RV_LOOKDEV_STAGE_COUNT
} RvLookdevStage;

typedef struct RvLookdevSettings {
  RvRodSolve rodsolve;
  int iterations;
  double relaxation;  // of the sweeps
  double rootfree;    // m at the root that solids do not touch
  RvVolumeSettings volume;
} RvLookdevSettings;

// A vertex that touches a solid, for a substep: the plane normal . x = offset, and its stiffness.
typedef struct RvTouch {
  double normal[3], offset, stiffness;
} RvTouch;

typedef struct RvLookdevSolver {
  RvLookdevSettings settings;
  // Media and solids; the caller's.
  RvStrandSolver* strands;
  const RvCollider* colliders;
  size_t ncollider;
  RvLookdevWater* water;  // liquid and pores; NULL: none
  // Model and state of the rods.
  RvCosseratModel model;
  RvCosseratState state;
  double* press;         // [vertices] N: force of a solid on the vertex in the last substep, a part of the state
  double* clearance;     // [vertices] m: no solid is nearer, a part of the state
  double* rest_density;  // [vertices] kg/m3: the groom's, a part of the state; 0: not known
  // Work memory.
  uint32_t* root_point;  // [batches][lanes][2] points of the input of the first edges
  double* root;          // [batches][4] quaternions of the first edges at the end of the substep
  double* force;         // [unknowns] N
  double* stiffness;     // [vertices][6] N/m
  double* air;           // [unknowns] m/s; NULL: no wind of the points
  double* way;           // [vertices] m: relative to the solids in the substep, in rows with candidates
  uint8_t* candidate;    // [vertices / 8] bit i: the vertex of lane i is tested against solids in this substep
  RvTouch* touch;        // [vertices] stiffness 0: none
  bool *busy, *stiff;    // [batches] forces are not 0, and stiffness
  bool* touched;         // [batches] a vertex touches
  RvVolume volume;
  // Report of the frame.
  int substeps;
  size_t failed;    // strands that were held in a substep
  size_t touching;  // vertices on solids at the end
  size_t inside;    // vertices inside a solid at the first substep
  double seconds[RV_LOOKDEV_STAGE_COUNT];
  bool cpu_time;  // for benchmarks: seconds are CPU time of all threads
} RvLookdevSolver;

// Allocates model, state and work memory for the strands, which are there. Free with the function below.
RvResult rv_lookdev_init(RvLookdevSolver* solver, RvError* error);
void rv_lookdev_free(RvLookdevSolver* solver);
// The start frame: frames, rest shape and elasticity of the strands' start pose. With `equilibrium` of the strands'
// settings the pose is at rest under gravity. *capped: strands that reach `restangle` and so sag.
RvResult rv_lookdev_start(RvLookdevSolver* solver, size_t* capped, RvError* error);
// Elasticity after the rest shape was loaded.
void rv_lookdev_loaded(RvLookdevSolver* solver);
// One substep of dt seconds to the inputs `sample` at its end.
RvResult rv_lookdev_substep(RvLookdevSolver* solver, const RvStrandSample* sample, double dt, RvError* error);

//---------------------------------------------------------------------------------------------- collide.c

// contacts: finds the vertices that solids hold in this substep, with normal stiffness and friction.
RvResult rv_lookdev_contacts(RvLookdevSolver* solver, double dt, RvError* error);
// Forces of the solids after the solve.
void rv_lookdev_press(RvLookdevSolver* solver);
// The block of a batch in `force`, cleared at the first call of a substep; and that in `stiffness`.
void rv_lookdev_claim(RvLookdevSolver* solver, size_t batch);
void rv_lookdev_claim_stiffness(RvLookdevSolver* solver, size_t batch);

#endif
