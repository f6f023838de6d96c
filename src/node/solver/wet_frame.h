// Strands, film and liquid between the inputs and the state of a node, on the scaffold. The nodes strandsolver,
// liquidsolver, filmsolver and wetsolver are all this solver: each says which media and inputs it has and how its
// parameters become those of the wet solver. The method is rv_wet_substep in wet/solver.c.
#ifndef RV_NODE_SOLVER_WET_FRAME_H
#define RV_NODE_SOLVER_WET_FRAME_H

#include "node/solver/cached_port.h"
#include "node/solver/scaffold.h"

// What makes a node one of these solvers: RvSolverType.user.
typedef struct RvWetNode {
  // The node's parameters as those of the wet solver, whose defaults are in *out.
  void (*translate)(const void* parms, RvWetParms* out);
  bool strands, liquid;  // media that it has; one that it has not is never in its state
  // indices of its inputs; -1: it has none
  int strand_input, liquid_input, source_input, wind_input;
} RvWetNode;

// A frame of these solvers: RvSolver.data.
typedef struct RvWetFrame {
  const RvWetNode* node;
  RvSolver* scaffold;
  RvCook* cook;
  RvWetParms parms;                        // at the frame
  RvWetParms now;                          // at the moment that was asked for last
  bool has_strands, has_liquid, has_film;  // parts of the state
  RvStrandPort strands;
  RvLiquidPort liquid;
  RvFilmPort film;
  RvCachedPort cached;
  RvWetSolver solver;
  RvDetail *strand_state, *liquid_state;
} RvWetFrame;

extern const RvSolverMedia rv_wet_media;
// RvSolverType.advance.
RvResult rv_wet_advance(RvSolver* solver, RvError* error);

// The RvSolverType of a RvWetNode whose colliders are input `colliders`.
#define RV_WET_SOLVER(node, colliders)                                                                                \
  {                                                                                                                   \
    .data_bytes = sizeof(RvWetFrame), .collider_input = colliders, .advance = rv_wet_advance, .media = &rv_wet_media, \
    .user = &(node)                                                                                                   \
  }

// Names of the timers of each node, as RvNodeType.stages: those of the stages that it has, in their order.
extern const char* const rv_strand_node_stages[];
extern const char* const rv_liquid_node_stages[];
extern const char* const rv_wet_node_stages[];

//---------------------------------------------------------------------------------------------- wet_state.c

enum { RV_WET_FIELD_COUNT = RV_STRAND_FIELD_COUNT + RV_LIQUID_FIELD_COUNT + RV_WET_FILM_FIELD_COUNT + 1 };
extern const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT];

// The states of strands and liquid as one detail, and back. A part may be NULL.
RvResult rv_wet_state_join(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error);
RvResult rv_wet_state_part(const RvDetail* state, RvDetail** strands, RvDetail** liquid, RvError* error);

#endif
