// The film of a solver node: attributes of the strands that scale its laws, film at the start, its state, and what
// artists see of it.
#ifndef RV_NODE_SOLVER_FILM_PORT_H
#define RV_NODE_SOLVER_FILM_PORT_H

#include "node/solver/liquid_port.h"
#include "node/solver/strand_port.h"
#include "wet/solver.h"

typedef struct RvFilmPort {
  RvCook* cook;
  const RvStrandPort* strands;
  RvWetFilm film;
  // [vertices] attributes of the strands that multiply the parameters of their names, or NULL
  double *cohesion, *drag, *capture, *capacity, *drip, *filmfriction, *drying;
  double* paint;                                  // wetadd, m/s
  double* angle;                                  // contactangle, rad
  double initial, sources, evaporated, returned;  // m3, of the ledger: the four numbers of rv_wetledger, in order
  RvStateList captured;  // cached liquid: pairs of id and volume that was captured of it, by id
} RvFilmPort;

// Beyond these no state of ours comes: m3 at a vertex (a film of RV_WET_MAX_FILM on 10 m of ten thousand hairs), m/s,
// N or kg m/s, and the reduced strain.
#define RV_FILM_MOST_VOLUME 100.0
#define RV_FILM_MOST_SPEED 1e4
#define RV_FILM_MOST_FORCE 1e6
#define RV_FILM_MOST_STRAIN 1e30
#define RV_FILM_WITHIN(bound) .least = -(bound), .most = bound

// Where a row's numbers are: `width` rows of lanes a vertex, edge or strand of an array of the film.
#define RV_FILM_LANES(m, where, width) RV_AT(RvFilmPort, film.m), RV_IN_LANES(where, width, 0)

// Rows of the film's state fields. Arrays of unknowns have a fourth row of lanes, the angle, in which the film has no
// part.
#define RV_WET_FILM_FIELDS(part)                                                                                      \
  RV_FIELD_AT("rv_film", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m3", "film", "Film.",                               \
              RV_FILM_LANES(film_state.volume, RV_LAYOUT_VERTEX_LANES, 1), .most = RV_FILM_MOST_VOLUME),              \
      RV_FIELD_AT("rv_absorbed", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m3", "film", "Absorbed liquid.",            \
                  RV_FILM_LANES(film_state.absorbed, RV_LAYOUT_VERTEX_LANES, 1), .most = RV_FILM_MOST_VOLUME),        \
      RV_FIELD_AT("rv_filmstrain", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "film", "Reduced strain of the film.", \
                  RV_FILM_LANES(film_state.strain, RV_LAYOUT_VERTEX_LANES, 1), RV_FILM_WITHIN(RV_FILM_MOST_STRAIN)),  \
      RV_FIELD_AT("rv_filmsolids", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "film",                                \
                  "Share of solids of the film; only of a liquid with solids.",                                       \
                  RV_FILM_LANES(film_state.solids, RV_LAYOUT_VERTEX_LANES, 1), .most = 1, .optional = true),          \
      RV_FIELD_AT("rv_dropsolids", RV_PRIM, RV_F64, 1, RV_TAG_NONE, part, "", "film",                                 \
                  "Share of solids of the drop at the tip; only of a liquid with solids.",                            \
                  RV_FILM_LANES(film_state.drop_solids, RV_LAYOUT_STRAND_LANES, 1), .most = 1, .optional = true),     \
      RV_FIELD_AT("rv_airshare", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "film",                                  \
                  "How far above water the point is: 1 in air, 0 under water.",                                       \
                  RV_FILM_LANES(air_share, RV_LAYOUT_VERTEX_LANES, 1), .most = 1),                                    \
      RV_FIELD_AT("rv_exchangeair", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "capture",                            \
                  "How far above water the point was at the last capture; below 0: not known.",                       \
                  RV_FILM_LANES(exchange_air, RV_LAYOUT_VERTEX_LANES, 1), RV_FILM_WITHIN(1)),                         \
      RV_FIELD_AT("rv_filmspeed", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m/s", "film",                              \
                  "Speed of the film along the edge after the point, relative to the strand.",                        \
                  RV_FILM_LANES(film_state.speed, RV_LAYOUT_EDGE_LANES, 1), RV_FILM_WITHIN(RV_FILM_MOST_SPEED)),      \
      RV_FIELD_AT("rv_dropacceleration", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s2", "film",                    \
                  "Acceleration of the strand as drops feel it.",                                                     \
                  RV_FILM_LANES(drop_acceleration, RV_LAYOUT_VERTEX_LANES, 4), RV_FILM_WITHIN(RV_FILM_MOST_FORCE)),   \
      RV_FIELD_AT("rv_feedback", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "kg m/s", "feedback",                      \
                  "Impulse of the bulk's pressure on the strand.",                                                    \
                  RV_FILM_LANES(feedback_impulse, RV_LAYOUT_VERTEX_LANES, 4), RV_FILM_WITHIN(RV_FILM_MOST_FORCE)),    \
      RV_FIELD("rv_wetness", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "", "film", true,                                \
               "Wetness, as it follows the film."),                                                                   \
      RV_FIELD_AT("rv_drop", RV_PRIM, RV_F64, 1, RV_TAG_NONE, part, "m3", "film", "Volume that hangs at the tip.",    \
                  RV_FILM_LANES(film_state.drop, RV_LAYOUT_STRAND_LANES, 1), .most = RV_FILM_MOST_VOLUME),            \
      RV_FIELD_AT("rv_dropmomentum", RV_PRIM, RV_F64, 3, RV_TAG_VECTOR, part, "kg m/s", "film",                       \
                  "Momentum of that volume relative to the tip.",                                                     \
                  RV_FILM_LANES(film_state.drop_momentum, RV_LAYOUT_STRAND_LANES, 3),                                 \
                  RV_FILM_WITHIN(RV_FILM_MOST_FORCE)),                                                                \
      RV_FIELD_AT("rv_wetledger", RV_GLOBAL, RV_F64, 4, RV_TAG_NONE, part, "m3", "film",                              \
                  "Film at the start, painted or captured of a cache since, evaporated, given back to a cache.",      \
                  RV_AT(RvFilmPort, initial), .layout = RV_LAYOUT_NUMBERS),                                           \
      RV_FIELD_AT("rv_taken", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "capture",                                 \
                  "Cached liquid: id and captured volume of each particle that is not whole.",                        \
                  RV_AT(RvFilmPort, captured), .layout = RV_LAYOUT_LIST)
enum { RV_WET_FILM_FIELD_COUNT = RV_FIELD_COUNT(RV_WET_FILM_FIELDS("")) };
extern const RvFieldDef rv_wet_film_fields[RV_WET_FILM_FIELD_COUNT];

// Brings filmheight of the points within what a film can be; those that were not are counted in a warning.
RvResult rv_film_port_check_height(RvCook* cook, RvDetail* strands, RvError* error);
// Film at the start frame, from the strands' filmheight, into their state.
RvResult rv_film_port_start(RvCook* cook, const RvWetParms* parms, RvDetail* strands, RvError* error);
// Film for loaded strands and liquid, from the strands' state. Film of strands that are no longer simulated is taken
// out of the state and counted.
RvResult rv_film_port_begin(RvFilmPort* port, RvStrandPort* strands, RvLiquidPort* liquid, const RvWetParms* parms,
                            RvDetail* state, RvError* error);
// Writes the film into the strands' state, and what artists see of it: filmheight filmradius dropradius filmv waterload
// wetness absorbed clumpid, and of a liquid with solids solids coating. dt: simulated seconds of the frame.
RvResult rv_film_port_end(RvFilmPort* port, const RvWetParms* parms, double dt, RvDetail* state, RvError* error);
// Adds the film to the ledger, and warns.
void rv_film_port_tell(const RvFilmPort* port);
void rv_film_port_free(RvFilmPort* port);

//---------------------------------------------------------------------------------------------- film_guides.c

// Adds the viewport guides to an output: Cd by wetness, pscale by filmradius. `hair_radius`, in the scene's units, is
// that of strands without one.
RvResult rv_film_port_guides(double hair_radius, RvDetail* strands, RvError* error);

//---------------------------------------------------------------------------------------------- film_look.c

// The same attributes on strands of the start frame, which no frame has written yet: those that are missing are zero,
// the tube is the hair itself, and every strand is a clump of its own.
RvResult rv_film_port_look_dry(const RvCook* cook, const RvWetParms* parms, RvDetail* strands, RvError* error);
RvResult rv_film_port_look(RvFilmPort* port, const RvWetParms* parms, double dt, RvDetail* state, RvError* error);

#endif
