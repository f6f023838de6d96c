// Strands, film and liquid between the inputs and the state of a node, on the scaffold. The nodes strandsolver,
// liquidsolver, filmsolver and wetsolver are all this solver: each says which media and inputs it has and how its
// parameters become those of the wet solver. The method is rv_wet_substep in wet/solver.c.
#ifndef RV_NODE_SOLVER_WET_FRAME_H
#define RV_NODE_SOLVER_WET_FRAME_H

#include "node/solver/cached_port.h"
#include "node/solver/liquid_material.h"
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
  RvLiquidMaterial material;               // that the particles bring
  RvWetParms parms;                        // at the frame
  RvWetParms now;                          // at the moment that was asked for last
  bool has_strands, has_liquid, has_film;  // parts of the state
  RvStrandPort strands;
  RvLiquidPort liquid;
  RvFilmPort film;
  RvCachedPort cached;
  RvWetSolver solver;
  RvState state;                          // copy of the state before; the strands' part becomes that of the frame
  RvDetail *strand_state, *liquid_state;  // its parts; NULL: absent
} RvWetFrame;

extern const RvSolverMedia rv_wet_media;
// The node's own parameters as those of the wet solver, in metres: its defaults, what both have by token, and the
// node's translation.
RvWetParms rv_wet_parms_of(const RvWetNode* node, const RvCook* cook, const void* own);
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

#define RV_WET_FIELDS RV_STRAND_FIELDS("strands"), RV_LIQUID_FIELDS("liquid"), RV_WET_FILM_FIELDS("film")
enum { RV_WET_FIELD_COUNT = RV_FIELD_COUNT(RV_WET_FIELDS) };
extern const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT];
// RvNodeType.parts of solvers of both media.
extern const char* const rv_wet_parts[RV_STATE_PARTS];
// Output 2 of a state with both parts: the liquid, with the attributes and groups of the strands' primitives, which
// have no elements there, and with the attributes that both parts have first. It keeps the attributes and their order
// that this output always had.
RvResult rv_wet_liquid_output(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error);

#endif
