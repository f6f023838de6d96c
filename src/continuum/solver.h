// Hair as a continuum, without a host: strands as chains, and the medium that they are part of (HC-1 to HC-22).
// rv_continuum_substep is the method; hair.h has the strands of a groom, whose roots move.
#ifndef RV_CONTINUUM_SOLVER_H
#define RV_CONTINUUM_SOLVER_H

#include "continuum/air.h"
#include "continuum/chain_loads.h"
#include "continuum/medium_pairs.h"
#include "continuum/solids.h"
#include "continuum/wet.h"

// The stages in their order; `roots` and `update` are those of hair.h.
#define RV_CONTINUUM_STAGES(X) \
  X(roots)                     \
  X(wetness)                   \
  X(loads)                     \
  X(air)                       \
  X(medium)                    \
  X(contacts)                  \
  X(chains)                    \
  X(update)

typedef enum RvContinuumStage {
#define RV_CONTINUUM_STAGE_ENUM(name) RV_CONTINUUM_STAGE_##name,
  RV_CONTINUUM_STAGES(RV_CONTINUUM_STAGE_ENUM)
#undef RV_CONTINUUM_STAGE_ENUM
      RV_CONTINUUM_STAGE_COUNT
} RvContinuumStage;

typedef struct RvContinuum {
  RvChainModel* model;  // of dry hair
  RvChainState* state;
  RvMedium medium;
  RvMediumPairs pairs;  // the medium as particles
  RvAir air;
  // Set by the caller before a substep.
  double gravity[3];             // m/s2
  double implicitness;           // of RvChainStepDef
  RvChainIntegrator integrator;  // with Runge and Kutta's, loads are those of the start of the step
  RvChainLoadDef loads;          // dt and implicitness are filled in
  RvMediumDef medium_def;
  bool air_solved;  // the air is that of `air`, by air_def, whose drags and wind, and colliders where there are solids,
                    // are filled in; else it is the wind of the loads
  RvAirDef air_def;
  RvWetHair wet;
  RvChainSolids solids;                                     // without colliders: none. Its init is the caller's
  const double *base_x, *base_orient, *base_v, *base_spin;  // of RvChainStepDef; NULL: bases at rest
  // Work memory.
  RvChainModel now;  // the model with the water on it; its arrays are those of `model` or of `wet`
  RvChainLoads load;
  double* velocity;  // [vertices][3] predicted
  double* place;     // places and velocities of the vertices and spins of the links before the step, for solved air
  RvArena* scratch;
  // Report.
  double seconds[RV_CONTINUUM_STAGE_COUNT];
} RvContinuum;

// The solver takes over model and state, also where it fails. Without springs, pins and solids `held` may be false,
// which saves memory.
RvResult rv_continuum_init(RvContinuum* c, RvChainModel* model, RvChainState* state, bool held, RvError* error);
void rv_continuum_free(RvContinuum* c);
// One substep.
RvResult rv_continuum_substep(RvContinuum* c, double dt, RvError* error);

#endif
