// A single Cosserat rod of the lookdev solver, for checks and benchmarks: built and stepped by hand.
#ifndef RV_RIG_ROD_H
#define RV_RIG_ROD_H

#include "lookdev/rod.h"
#include "rig/strand.h"

typedef struct RvRodRig {
  RvRig strand;  // mass, places, velocities and prescribed unknowns
  RvCosseratModel model;
  RvCosseratState state;
  double* root;  // [4] rows of lanes
  RvArena* scratch;
  RvRodStepDef step;  // its dt, solve, iterations and forces are the caller's
} RvRodRig;

// The strand of `def` at rest in its natural shape, or its pose; direct solve with one iteration, no forces.
RvResult rv_rig_rod_new(RvRodRig* rig, const RvRigDef* def, RvError* error);
void rv_rig_rod_free(RvRodRig* rig);
// One substep of dt seconds.
RvResult rv_rig_rod_step(RvRodRig* rig, double dt, RvError* error);
// Rest shape so that the pose is in equilibrium under gravity (rv_cosserat_balance).
void rv_rig_rod_balance(RvRodRig* rig);
// Largest relative difference of an edge from its rest length.
double rv_rig_rod_stretch(const RvRodRig* rig);

#endif
