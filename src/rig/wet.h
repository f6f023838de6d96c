// Wet strands for the checks and benchmarks: the wet solver that ships, set up from arrays and stepped one substep at a
// time.
#ifndef RV_RIG_WET_H
#define RV_RIG_WET_H

#include "rig/contact.h"
#include "rig/liquid.h"
#include "wet/solver.h"

typedef struct RvWetRig RvWetRig;

typedef struct RvWetRigDef {
  RvContactRigDef hair;
  int clamped;           // vertices at the root whose motion is prescribed
  RvLiquidModel liquid;  // model of the bulk; dx 0: no bulk
  RvWetSettings wet;
  RvContactDef contact;
  RvIntegrator integrator;
  int strand_substeps;  // substeps of strands and film in a step
  int niter;            // maximum Newton iterations
  double tolerance;     // of Newton, relative to the first residual
  // Moves the targets of the clamped vertices to a time, s; NULL: they stand still.
  void (*roots)(RvWetRig* rig, double time);
} RvWetRigDef;

struct RvWetRig {
  RvWetRigDef def;
  RvContactRig hair;         // model, state, contacts and targets of the strands
  RvLiquidRig pool;          // the bulk
  RvStrandSolver strands;    // borrows model, state and targets of `hair`
  RvContactSolver contacts;  // borrows the contacts of `hair`
  RvWetFilm wet;
  RvWetSolver solver;  // joins all of these
  double time;         // s, at the start of the substep
  double* start;       // [unknowns] initial positions of the strands
};

// Default definition: water on hair of rv_rig_contact_hair, every effect on, no bulk.
RvWetRigDef rv_rig_wet_water(RvContactRigDef hair);
// Makes a rig. It must stay at its address.
RvResult rv_rig_wet_new(RvWetRig* rig, const RvWetRigDef* def, RvError* error);
// Frees everything that a rig holds.
void rv_rig_wet_free(RvWetRig* rig);
// Sets the same height of film everywhere, m.
void rv_rig_wet_film(RvWetRig* rig, double height);
// One substep of dt seconds.
RvResult rv_rig_wet_step(RvWetRig* rig, double dt, RvError* error);
// Volume of all liquid, m3: bulk, film and absorbed.
double rv_rig_wet_volume(const RvWetRig* rig);
// Momentum of strands and film, kg m/s; NaN when out of memory.
RvVec3 rv_rig_wet_hair_momentum(const RvWetRig* rig);
// Momentum of strands, film and bulk, kg m/s.
RvVec3 rv_rig_wet_momentum(const RvWetRig* rig);

#endif
