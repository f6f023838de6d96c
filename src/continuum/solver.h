// Hair as a continuum, without a host: strands as chains, and the medium that they are part of (HC-1 to HC-22).
#ifndef RV_CONTINUUM_SOLVER_H
#define RV_CONTINUUM_SOLVER_H

#include "continuum/chain_loads.h"
#include "continuum/medium.h"

typedef struct RvContinuum {
  RvChainModel* model;
  RvChainState* state;
  RvMedium medium;
  // Set by the caller before a substep.
  double gravity[3];     // m/s2
  double implicitness;   // of RvChainStepDef
  RvChainLoadDef loads;  // dt and implicitness are filled in
  RvMediumDef medium_def;
  const double *base_x, *base_orient, *base_v, *base_spin;  // of RvChainStepDef; NULL: bases at rest
  // Work memory.
  RvChainLoads load;
  double* velocity;  // [vertices][3] predicted
  RvArena* scratch;
} RvContinuum;

// The solver takes over model and state. Without springs and pins `held` may be false, which saves memory.
RvResult rv_continuum_init(RvContinuum* c, RvChainModel* model, RvChainState* state, bool held, RvError* error);
void rv_continuum_free(RvContinuum* c);
// One substep.
RvResult rv_continuum_substep(RvContinuum* c, double dt, RvError* error);

#endif
