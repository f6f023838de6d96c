// One frame of strands, film and liquid between the inputs and the state of a node. The nodes strandsolver,
// liquidsolver, filmsolver and wetsolver are all this solver: each says which media and inputs it has and how its
// parameters become those of the wet solver. The method is rv_wet_substep in wet/solver.c.
#ifndef RV_NODE_SOLVER_WET_FRAME_H
#define RV_NODE_SOLVER_WET_FRAME_H

#include "node/solver/cached_port.h"

// What makes a node one of these solvers.
typedef struct RvWetNode {
  // The node's parameters as those of the wet solver, whose defaults are in *out.
  void (*translate)(const void* parms, RvWetParms* out);
  bool strands, liquid;  // media that it has; one that it has not is never in its state
  // indices of its inputs; -1: it has none
  int strand_input, liquid_input, collider_input, source_input, wind_input;
} RvWetNode;

// RvNodeType's start, step and split.
RvResult rv_wet_node_start(const RvWetNode* node, RvCook* cook, RvError* error);
RvResult rv_wet_node_step(const RvWetNode* node, RvCook* cook, RvError* error);
RvResult rv_wet_node_split(const RvWetNode* node, RvCook* cook, const RvState* state, RvError* error);

// Names of the timers of each node, as RvNodeType.stages: those of the stages that it has, in their order.
extern const char* const rv_strand_node_stages[];
extern const char* const rv_liquid_node_stages[];
extern const char* const rv_wet_node_stages[];

//---------------------------------------------------------------------------------------------- wet_state.c

#define RV_WET_FIELDS RV_STRAND_FIELDS("strands"), RV_LIQUID_FIELDS("liquid"), RV_WET_FILM_FIELDS("film")
enum { RV_WET_FIELD_COUNT = RV_FIELD_COUNT(RV_WET_FIELDS) };
extern const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT];
// RvNodeType.parts of solvers of both media.
extern const char* const rv_wet_parts[RV_STATE_PARTS];
// Output 2 of a state with both parts: the liquid, with the attributes and groups of the strands' primitives, which
// have no elements there, and with the attributes that both parts have first. Files of this output have always been so,
// and pipelines compare them byte by byte.
RvResult rv_wet_liquid_output(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error);

#endif
