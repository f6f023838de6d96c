// The film of a solver node: attributes of the strands that scale its laws, film at the start, its state, and what
// artists see of it.
#ifndef RV_NODE_SOLVER_FILM_PORT_H
#define RV_NODE_SOLVER_FILM_PORT_H

#include "node/solver/liquid_port.h"
#include "node/solver/strand_port.h"
#include "wet/solver.h"

#define RV_WET_FILM_FIELDS(part)                                                                      \
  RV_FIELD("rv_film", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "m3", "film", true,                     \
           "Film, absorbed liquid, reduced strain, and how far above water the point is."),           \
      RV_FIELD("rv_filmspeed", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m/s", "film", true,           \
               "Speed of the film along the edge after the point, relative to the strand."),          \
      RV_FIELD("rv_dropacceleration", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s2", "film", true, \
               "Acceleration of the strand as drops feel it."),                                       \
      RV_FIELD("rv_feedback", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "kg m/s", "feedback", true,   \
               "Impulse of the bulk's pressure on the strand."),                                      \
      RV_FIELD("rv_exchangeair", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "capture", true,         \
               "How far above water the point was at the last capture; below 0: not known."),        \
      RV_FIELD("rv_wetness", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "film", true,                \
               "Wetness, as it follows the film."),                                                   \
      RV_FIELD("rv_drop", RV_PRIM, RV_F64, 4, RV_TAG_NONE, part, "", "film", true,                    \
               "Volume that hangs at the tip, in m3, and its momentum relative to the tip."),         \
      RV_FIELD("rv_wetledger", RV_GLOBAL, RV_F64, 3, RV_TAG_NONE, part, "m3", "film", true,           \
               "Film at the start, painted or captured of a cache since, and evaporated."),           \
      RV_FIELD("rv_taken", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "capture", true,              \
               "Cached liquid: id and captured volume of each particle that is not whole.")
enum { RV_WET_FILM_FIELD_COUNT = 9 };

typedef struct RvFilmPort {
  RvCook* cook;
  const RvStrandPort* strands;
  RvWetFilm film;
  // [vertices] attributes of the strands that multiply the parameters of their names, or NULL
  double *cohesion, *drag, *capture, *capacity, *drip, *filmfriction, *drying;
  double* paint;                        // wetadd, m/s
  double* angle;                        // contactangle, rad
  double initial, sources, evaporated;  // m3, of the ledger
  double* captured;                     // cached liquid: pairs of id and volume that was captured of it, by id
  size_t ncaptured;
} RvFilmPort;

// Film at the start frame, from the strands' filmheight, into their state.
RvResult rv_film_port_start(RvCook* cook, const RvWetParms* parms, RvDetail* strands, RvError* error);
// Film for loaded strands and liquid, from the strands' state.
RvResult rv_film_port_begin(RvFilmPort* port, RvStrandPort* strands, RvLiquidPort* liquid, const RvWetParms* parms,
                            const RvDetail* state, RvError* error);
// Writes the film into the strands' state, and what artists see of it: filmheight filmradius dropradius filmv waterload
// wetness absorbed clumpid. dt: simulated seconds of the frame.
RvResult rv_film_port_end(RvFilmPort* port, const RvWetParms* parms, double dt, RvDetail* state, RvError* error);
// Adds the film to the ledger, and warns.
void rv_film_port_tell(const RvFilmPort* port);
void rv_film_port_free(RvFilmPort* port);

//---------------------------------------------------------------------------------------------- film_look.c

RvResult rv_film_port_look(RvFilmPort* port, const RvWetParms* parms, double dt, RvDetail* state, RvError* error);

#endif
