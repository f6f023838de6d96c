// Liquid and pores of the lookdev solver between inputs and state: particles are those of the liquid port, pores belong
// to the strands.
#ifndef RV_NODE_SOLVER_LOOKDEV_LIQUID_H
#define RV_NODE_SOLVER_LOOKDEV_LIQUID_H

#include "lookdev/pore_hair.h"
#include "node/solver/liquid_material.h"
#include "node/solver/liquid_port.h"
#include "node/solver/lookdev_parms.h"
#include "node/solver/strand_port.h"

// Rows of the pores' state fields, on the strands.
#define RV_LOOKDEV_PORE_FIELDS(part)                                              \
  RV_FIELD("rv_held", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m3", "move", true, \
           "Liquid that the pore of the edge after the point holds, of all hairs of the strand.")

typedef struct RvLookdevLiquidPort {
  RvCook* cook;
  RvLiquidPort liquid;
  RvLiquidMaterial material;  // that the particles bring
  RvLookdevWater water;
  double* paint;  // [vertices] m/s: wetadd, or NULL
  bool present;   // the state has liquid
} RvLookdevLiquidPort;

// Whether the inputs of the node can make anything wet.
bool rv_lookdev_liquid_wanted(const RvCook* cook, int strand_input, int liquid_input, int source_input);
// Prepares the port for the inputs of these indices.
void rv_lookdev_liquid_port_init(RvLookdevLiquidPort* port, RvCook* cook, int liquid_input, int source_input,
                                 RvColliders* solids);
// The state of the start frame: a new detail of liquid, and rows of the strands' state.
RvResult rv_lookdev_liquid_port_start(RvLookdevLiquidPort* port, const RvWetParms* parms, const RvStrandSet* set,
                                      RvDetail* strands, RvDetail** liquid, RvError* error);
// Loads the state; the strands are loaded. Rows of the strands' state are taken over, until the end writes them.
RvResult rv_lookdev_liquid_port_begin(RvLookdevLiquidPort* port, RvStrandPort* strands, const RvWetParms* parms,
                                      const RvLookdevParms* own, RvDetail* strand_state, const RvDetail* liquid_state,
                                      RvError* error);
// Inputs and settings of a part of the frame, in simulated seconds from the frame before.
RvResult rv_lookdev_liquid_port_inputs(RvLookdevLiquidPort* port, const RvWetParms* parms, const RvLookdevParms* own,
                                       double from, double to, RvError* error);
// Writes the state: rows of the strands, and a new detail of liquid.
RvResult rv_lookdev_liquid_port_end(RvLookdevLiquidPort* port, RvDetail* strands, RvDetail** liquid, RvError* error);
// The same of a frame that is frozen.
RvResult rv_lookdev_liquid_port_freeze(const RvDetail* before, RvDetail** liquid, RvError* error);
// Counts and warnings of the frame.
void rv_lookdev_liquid_port_tell(RvLookdevLiquidPort* port);
void rv_lookdev_liquid_port_free(RvLookdevLiquidPort* port);

#endif
