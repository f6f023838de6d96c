// The interface solver between the inputs and the state of its node, on the scaffold. Particles are those of the liquid
// port; the method is rv_interface_substep in interface/solver.c.
#ifndef RV_NODE_SOLVER_INTERFACE_FRAME_H
#define RV_NODE_SOLVER_INTERFACE_FRAME_H

#include "interface/solver.h"
#include "interface/wishes.h"
#include "node/solver/interface_parms.h"
#include "node/solver/liquid_material.h"
#include "node/solver/liquid_port.h"
#include "node/solver/scaffold.h"

// A frame: RvSolver.data.
typedef struct RvInterfaceFrame {
  RvSolver* scaffold;
  RvCook* cook;
  RvWetParms parms;           // as those of the wet solver: at the frame
  RvLiquidMaterial material;  // that the particles bring
  RvLiquidPort liquid;
  RvInterfaceSolver solver;
  uint8_t* row_phase;     // phases of the rows; NULL: all are phase 0
  bool second;            // some rows are of the second liquid
  int32_t* row_body;      // bubbles of the rows; NULL: there are none
  int32_t* row_solid;     // bodies of the rows; NULL: there are none
  double* film;           // [bubbles + 1] m3 of each bubble
  double* film_before;    // [bubbles + 1] m3: the same at the start of the frame
  double* row_film;       // [rows] shares of film that sources give their bubbles; NULL: none blows
  RvColliderView view;    // solids of the frame
  RvSolidStep* steps;     // [solids] during the substep
  RvCollider* colliders;  // [solids] the same, as contacts see them
  RvArena* arena;
  double least_longest;  // s: the shortest substep that the method wanted
} RvInterfaceFrame;

extern const RvSolverMedia rv_interface_media;
double rv_interface_frame_longest(const RvSolver* solver);
RvResult rv_interface_frame_substep(RvSolver* solver, double dt, RvError* error);
extern const char* const rv_interface_node_stages[];

//---------------------------------------------------------------------------------------------- interface_model.c

// The model from the parameters of the node; what the particles' material brings takes the place of those of the first
// liquid.
RvResult rv_interface_frame_model(const RvInterfaceFrame* frame, const RvInterfaceParms* parms, RvInterfaceModel* out,
                                  RvError* error);
// Reads which phase and which body each row is of.
RvResult rv_interface_frame_phases(RvInterfaceFrame* frame, RvError* error);

//---------------------------------------------------------------------------------------------- interface_surface.c

// Numbers in an integer attribute of the points of a detail, 1 to `highest` or 0 for none: [points], to be freed, and
// their largest. NULL: there are none. `are` names what is numbered.
RvResult rv_interface_frame_numbers(const RvInterfaceFrame* frame, const RvDetail* points, const char* name,
                                    const char* are, int highest, int32_t** out, int* most, RvError* error);
// Reads the bubbles of the state and their film; those that pop leave the liquid.
RvResult rv_interface_frame_bubbles(RvInterfaceFrame* frame, RvError* error);
// Adds the film of gas that sources blew since the start of the frame.
void rv_interface_frame_blow(RvInterfaceFrame* frame);
// Writes what the surface of the liquid tells, the attributes layer and film, to a state.
RvResult rv_interface_frame_mark(RvInterfaceFrame* frame, RvDetail* state, RvError* error);

#endif
