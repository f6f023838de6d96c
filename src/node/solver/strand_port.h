// The strands of a solver node: between its input curves, wind and colliders on one side and the strand solver on the
// other. Reads the groom at the start frame, loads the state, gives roots, wind and solids for every step, and saves.
#ifndef RV_NODE_SOLVER_STRAND_PORT_H
#define RV_NODE_SOLVER_STRAND_PORT_H

#include "contact/solver.h"
#include "node/solver/colliders.h"
#include "node/solver/sampler.h"
#include "node/solver/solids.h"
#include "node/solver/wet_parms.h"

typedef struct RvStrandPort {
  RvCook* cook;
  int input, wind_input;      // indices of the node's inputs; -1: it has none
  RvColliders* frame_solids;  // of all media; borrowed
  double timescale;           // simulated seconds a second of the scene
  double thickness;           // m, added to solids
  bool solids_only;           // the solver has no contacts of its own: it only needs the solids
  bool inextensible;          // rest lengths are those of the start pose
  RvStrandSolver solver;
  RvContactSolver contacts;
  RvPointSampler sampler;
  RvColliderView solids;
  RvSolidStep* steps;     // of the solids, in this step
  RvCollider* colliders;  // the same as the contacts see them
  RvGrid* wind;           // borrowed; NULL: none
  double* wind_places;    // [vertices][3] room, in units of the scene
  size_t bad_wind;        // vertices where it was not a number in the last step
  double steps_wanted;    // by the motion of the roots in this frame, without maxsubsteps
  uint64_t model_key;     // of the strands and their model in the node's cache; 0: they are not kept
} RvStrandPort;

// Parameters in SI units.
RvStrandSettings rv_strand_port_settings(const RvWetParms* parms, double meters);
// The state of the start frame, a new detail.
RvResult rv_strand_port_start(RvStrandPort* port, const RvWetParms* parms, RvDetail** out, RvError* error);
// Loads `state` of the frame before, which is changed where an artist edited it, and reads the inputs of the frame.
RvResult rv_strand_port_begin(RvStrandPort* port, const RvWetParms* parms, RvDetail* state, RvError* error);
// Fewest substeps that the motion of the roots allows.
RvResult rv_strand_port_substeps(RvStrandPort* port, int* count, RvError* error);
// Inputs of a step: settings, wind, solids, and the places at its end.
RvResult rv_strand_port_inputs(RvStrandPort* port, const RvWetParms* parms, double share_from, double share_to,
                               double dt, RvStrandSample* sample, RvError* error);
// Writes the state of the frame.
RvResult rv_strand_port_end(RvStrandPort* port, RvDetail* state, RvError* error);
// Nothing moves, and nothing is forgotten.
RvResult rv_strand_port_freeze(RvDetail* state, RvError* error);
// Warns of strands that the start pose squeezes, since they lengthen in the first step. At the start frame.
void rv_strand_port_tell_squeezed(const RvStrandPort* port);
// Counts and warnings of the frame.
void rv_strand_port_tell(const RvStrandPort* port);
void rv_strand_port_free(RvStrandPort* port);
// A numeric attribute of points, else of primitives, by vertex of the set; NULL in *out where there is none. False: no
// memory.
bool rv_strand_port_gather(const RvStrandSet* set, const RvDetail* detail, const char* name, int size, float** out);

//---------------------------------------------------------------------------------------------- strand_cache.c

// The strands of a state and their model: those that the node kept of the frame before, or made anew. The state's
// globals are loaded before.
RvResult rv_strand_port_model(RvStrandPort* port, const RvDetail* state, RvError* error);
// Moves them, and the solver's memory, to the node's cache, for the next frame.
void rv_strand_port_keep(RvStrandPort* port);

//---------------------------------------------------------------------------------------------- strand_contacts.c

// Contacts of the state into the solver, whose solids are there; and back.
RvResult rv_strand_port_load_contacts(RvStrandPort* port, const RvDetail* state, RvError* error);
RvResult rv_strand_port_save_contacts(RvStrandPort* port, RvDetail* state, RvError* error);

#endif
