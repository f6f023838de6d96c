// The parts of the nodes wetsolver and filmsolver: one frame of strands, film and liquid between inputs and state. Both
// are made of the strand solver and the liquid solver, each of which sees a cook of its own.
#ifndef RV_NODE_SOLVER_WETSOLVER_H
#define RV_NODE_SOLVER_WETSOLVER_H

#include "node/solver/liquidsolver.h"
#include "node/solver/strandsolver_contact.h"
#include "node/solver/wetsolver_parms.h"
#include "wet/wet.h"

enum { RV_WET_INPUT_STRANDS, RV_WET_INPUT_LIQUID, RV_WET_INPUT_COLLIDERS, RV_WET_INPUT_SOURCES, RV_WET_INPUT_WIND };

// A solver that is made of two others: how its own parameters become those of the wet solver.
typedef void RvWetTranslate(const void* parms, RvWetParms* out);

// One of the two, with its view of the inputs and parameters.
typedef struct RvWetPart {
  RvCook cook;
  RvHost host;
  RvStats stats;
  const RvDetail* input[3];
  const size_t* ports;  // which of the whole's inputs these are
  struct RvWetSolve* whole;
  union {
    RvStrandParms strands;
    RvLiquidParms liquid;
  } parms;
} RvWetPart;

typedef struct RvWetSolve {
  RvCook* cook;
  RvWetTranslate* translate;
  RvWetParms parms;
  void* room;  // for the node's own parameters at another time
  RvWetPart strand_part, liquid_part;
  bool has_strands, has_liquid, has_film;  // parts of the state
  // a frame
  RvStrandSolve strands;
  RvStrandSampler sampler;
  RvStrandContacts contacts;
  RvLiquidSolve liquid;
  RvWet wet;
  RvWetHooks hooks;
  RvLiquidHooks liquid_hooks;
  double *cohesion, *drag, *capture, *capacity, *drip, *filmfriction, *drying, *paint, *angle;  // [vertices] or NULL
  RvDetail *strand_state, *liquid_state;
  double film_initial, film_sources, film_evaporated;  // m3, of the ledger
  double* taken;                                       // cached liquid: pairs of id and volume that was captured of it
  size_t ntaken;
} RvWetSolve;

//---------------------------------------------------------------------------------------------- wetsolver_parts.c

// Sets up the two views of a cook. RV_FAIL without memory.
RvResult rv_wetsolve_init(RvWetSolve* solve, RvCook* cook, RvWetTranslate* translate, RvError* error);
void rv_wetsolve_free(RvWetSolve* solve);
// The parameters at a share of the frame.
RvResult rv_wetsolve_parms_at(RvWetSolve* solve, double frame, RvWetParms* out, RvError* error);

//---------------------------------------------------------------------------------------------- wetsolver_state.c

#define RV_WET_FILM_FIELDS(part)                                                                                        \
  {"rv_film", RV_POINT, RV_F64, 4,    RV_TAG_NONE,                                                                      \
   part,      "m3",     "film", true, "Film, absorbed liquid, reduced strain, and how far above water the point is."},  \
      {"rv_filmspeed", RV_POINT,                                                                                        \
       RV_F64,         1,                                                                                               \
       RV_TAG_NONE,    part,                                                                                            \
       "m/s",          "film",                                                                                          \
       true,           "Speed of the film along the edge after the point, relative to the strand."},                    \
      {"rv_pull", RV_POINT, RV_F64, 3,    RV_TAG_VECTOR,                                                                \
       part,      "m/s2",   "film", true, "Acceleration of the strand as drops feel it."},                              \
      {"rv_back", RV_POINT, RV_F64, 3,    RV_TAG_VECTOR,                                                                \
       part,      "kg m/s", "back", true, "Impulse of the bulk's pressure on the strand."},                             \
      {"rv_wetness", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "film", true, "Wetness, as it follows the film."},     \
      {"rv_drop", RV_PRIM, RV_F64, 4,    RV_TAG_NONE,                                                                   \
       part,      "",      "film", true, "Volume that hangs at the tip, in m3, and its momentum relative to the tip."}, \
      {"rv_wetledger", RV_GLOBAL,                                                                                       \
       RV_F64,         3,                                                                                               \
       RV_TAG_NONE,    part,                                                                                            \
       "m3",           "film",                                                                                          \
       true,           "Film at the start, painted or captured of a cache since, and evaporated."},                     \
  {                                                                                                                     \
    "rv_taken", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "capture", true,                                           \
        "Cached liquid: id and captured volume of each particle that is not whole."                                     \
  }
enum { RV_WET_FILM_FIELD_COUNT = 8, RV_WET_FIELD_COUNT = RV_STRAND_FIELD_COUNT + RV_LIQUID_FIELD_COUNT + 8 + 1 };
extern const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT];

// The state of the two parts in one, and back. A part may be NULL.
RvResult rv_wetsolve_join(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error);
RvResult rv_wetsolve_part(const RvDetail* state, RvDetail** strands, RvDetail** liquid, RvError* error);
// Film at the start frame, from the strands' filmheight; and to and from the strands' state.
RvResult rv_wetsolve_film_start(RvWetSolve* solve, RvDetail* strands, RvError* error);
RvResult rv_wetsolve_film_load(RvWetSolve* solve, const RvDetail* strands, RvError* error);
RvResult rv_wetsolve_film_save(RvWetSolve* solve, RvDetail* strands, RvError* error);

//---------------------------------------------------------------------------------------------- wetsolver_look.c

// What artists see of the film: filmheight filmradius filmv waterload wetness absorbed clumpid.
RvResult rv_wetsolve_look(RvWetSolve* solve, RvDetail* strands, double dt, RvError* error);

//---------------------------------------------------------------------------------------------- wetsolver_solve.c

// The node's start, step and split.
RvResult rv_wetsolve_start(RvCook* cook, RvWetTranslate* translate, RvError* error);
RvResult rv_wetsolve_step(RvCook* cook, RvWetTranslate* translate, RvError* error);
RvResult rv_wetsolve_split(RvCook* cook, const RvDetail* state, bool keepstate, RvError* error);
// Names of the timers.
extern const char* const rv_wetsolve_stages[];

#endif
