// Wet strands for the checks and benchmarks: the solver that ships, made from arrays, one substep at a time.
#ifndef RV_RIG_WET_H
#define RV_RIG_WET_H

#include "rig/contact.h"
#include "rig/liquid.h"
#include "wet/solver.h"

typedef struct RvWetRig RvWetRig;

typedef struct RvWetRigDef {
  RvContactRigDef hair;
  int clamped;           // vertices at the root that are held
  RvLiquidModel liquid;  // of the bulk; dx 0: none
  RvWetSettings wet;
  RvContactDef contact;
  RvIntegrator integrator;
  int strand_substeps, niter;
  double tolerance;
  // Moves the targets of what is held to a time; NULL: they stand still.
  void (*roots)(RvWetRig* rig, double time);
} RvWetRigDef;

struct RvWetRig {
  RvWetRigDef def;
  RvContactRig hair;  // model, state, contacts and targets of the strands
  RvLiquidRig pool;
  RvStrandSolver strands;
  RvContactSolver contacts;
  RvWetFilm wet;
  RvWetSolver solver;  // of all of these
  double time;         // s at the start of the substep
  double* start;       // [unknowns] where the strands began
};

// Water on hair of rv_rig_contact_hair, everything on, no bulk: change what you like.
RvWetRigDef rv_rig_wet_water(RvContactRigDef hair);
RvResult rv_rig_wet_new(RvWetRig* rig, const RvWetRigDef* def, RvError* error);
void rv_rig_wet_free(RvWetRig* rig);
// The same height of film everywhere, m.
void rv_rig_wet_film(RvWetRig* rig, double height);
RvResult rv_rig_wet_step(RvWetRig* rig, double dt, RvError* error);
// All liquid, m3: bulk, film and absorbed.
double rv_rig_wet_volume(const RvWetRig* rig);
// Momentum of strands and film; of these and the bulk.
RvVec3 rv_rig_wet_hair_momentum(const RvWetRig* rig);
RvVec3 rv_rig_wet_momentum(const RvWetRig* rig);

#endif
