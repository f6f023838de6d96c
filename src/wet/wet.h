// The coupled solver: strands, the film on them and the bulk liquid around them (spec 1.3). rv_wet_substep is the
// method; everything else of it stands in film/film.h, couple/couple.h, contact/contact.h, strand/strand.h,
// liquid/liquid.h.
//
// The order is that of the spec, begun at another place: the substep begins with particles that were moved, so that the
// grid the strands feel is made of them and needs no memory, and ends with their move.
#ifndef RV_WET_WET_H
#define RV_WET_WET_H

#include "contact/contact.h"
#include "couple/couple.h"

// The stages that are the coupling's own; those of strands and liquid have their own timers.
#define RV_WET_STAGES(X) \
  X(capture)             \
  X(drip)                \
  X(bulk)                \
  X(load)                \
  X(film)                \
  X(across)              \
  X(dry)                 \
  X(react)               \
  X(back)

typedef enum RvWetStage {
#define RV_WET_STAGE_ENUM(name) RV_WET_STAGE_##name,
  RV_WET_STAGES(RV_WET_STAGE_ENUM)
#undef RV_WET_STAGE_ENUM
      RV_WET_STAGE_COUNT
} RvWetStage;

typedef struct RvWetSettings {
  RvFilmSettings film;
  RvCoupleSettings couple;
  RvFilmLiquid liquid;
  double cohesion;  // multiplies the force of bridges; 0: none
  const double* cohesion_at;
  const double* angle_at;  // rad, contact angle where strands differ; NULL: the liquid's
  double gravity[3];
} RvWetSettings;

typedef struct RvWetReport {
  RvFilmReport film;
  RvCoupleReport couple;
  size_t wild;   // velocities that a strand did not take, being above RV_WET_MOST_KICK or no number
  double added;  // m3 of film that was painted on
  double seconds[RV_WET_STAGE_COUNT];
} RvWetReport;

typedef struct RvWet {
  RvWetSettings settings;
  // The media, the caller's. liquid NULL: there is no bulk, and nothing drips or is captured.
  RvStrandModel* strands;
  RvStrandState* state;
  const double* multiple;  // [strands] hairs that each stands for; NULL: 1
  RvLiquid* liquid;
  // Liquid that goes its own way (liquidmode cached), in the place of `liquid` as what strands are in and capture from;
  // drops are still particles of `liquid`. NULL: none.
  RvLiquid* cached;
  double offset[3];  // m: the strands' zero in the space of both
  double dt_before;  // s of the strands' last step; 0: none
  uint64_t random;   // counts the substeps: of where drops begin
  int32_t drip_row;  // row of drops among the particles
  // State.
  RvFilmState film_state;
  double* wet;   // [vertices] w_FF of the last substep
  double* pull;  // [unknowns] m/s2: acceleration of the strands as drops feel it, within RV_WET_DROP_TIME
  double* back;  // [unknowns] kg m/s: the bulk's pressure on strands, carried to the next substep (WH-42)
  // Of a substep.
  RvFilmModel film;
  RvFilmBatch* batches;
  RvCouple* couple;
  double dt;                    // s
  const RvCoupleSample* bulk;   // NULL: no bulk, or none near
  RvContactWet bridges;         // for RvContactDef.liquid
  double *hairs, *area;         // [vertices]
  double *load, *slide, *turn;  // as rv_film_load; slide for RvStrandStepDef.slide
  double *load_was, *turn_was;  // load and turn with all film when the last kick was taken
  bool weighed;
  double* rest;   // [unknowns] N: what of the drag is explicit
  double* mean;   // [unknowns] m/s that the strands' steps ended with, in the mean
  double* kick;   // [unknowns] kg m/s, to the strands at once
  double* force;  // N of the film, from rv_wet_load to rv_wet_forces: in the place of kick
  double* lag;    // [unknowns] kg m/s, as RvCoupleStrands; NULL without film_in_bulk
  double* sunk;   // [vertices] share of the film that the grid has (E51), 1 - w_FF where there is room for it
  double* moves;  // [vertices] the rest of it, which moves with its strand
  double* hangs;  // [vertices] share of the weight of that which no bulk bears
  RvFilmBridge* across;
  size_t across_capacity;
  double* memory;
  RvArena* scratch;    // room of the stages, which take turns; hand it to the strands' step and contacts too
  RvWetReport report;  // added to; clear it when you like
} RvWet;

// s: in this time a drop answers to what its strand does; sqrt(density r^3 / tension) of a drop of 2 mm. What shakes
// faster does not shake it off.
#define RV_WET_DROP_TIME 0.01
// s: in this time film under water comes to go with the bulk (E51). Without it the two would be one at the end of every
// substep, and hair that carries more film than it weighs would stop in as many substeps, however short they are.
#define RV_WET_SINK_TIME 3e-3
// m/s2: ten thousand g; nothing holds on to what is pulled so
#define RV_WET_MOST_PULL 1e5

// A wet solver of strands and bulk; the film is empty. Settings may be changed between substeps.
RvResult rv_wet_init(RvWet* wet, RvStrandModel* strands, RvStrandState* state, const double* multiple, RvLiquid* liquid,
                     const RvWetSettings* settings, RvError* error);
void rv_wet_free(RvWet* wet);

// How the strands step from `from` to `to`, in one step or several: before each rv_wet_load and rv_wet_forces, after it
// rv_wet_film.
typedef struct RvWetHooks {
  void* user;
  RvResult (*strands)(void* user, double from, double to, RvError* error);
  const RvLiquidHooks *liquid, *cached;  // whose flows call rv_wet_capture and rv_wet_drip
} RvWetHooks;

// One substep of all, from the liquid's time, or `from` without liquid.
RvResult rv_wet_substep(RvWet* wet, double from, double dt, const RvWetHooks* hooks, RvError* error);

// Its parts. Capture from sorted particles, and drops that join them; *any: some came or went.
RvResult rv_wet_capture(RvWet* wet, RvParticles* particles, double dt, bool* any, RvError* error);
RvResult rv_wet_drip(RvWet* wet, RvParticles* particles, int64_t* next_id, double dt, bool* any, RvError* error);
// What the bulk is at the strands.
RvResult rv_wet_bulk(RvWet* wet, double dt, RvError* error);
// Mass of the film, what of it slides, and bridges, for a step of dt.
RvResult rv_wet_load(RvWet* wet, double dt, RvError* error);
// Adds film, pressure and drag to the strands' own forces, all [unknowns].
void rv_wet_forces(const RvWet* wet, double* force, double* drag, double* drag_velocity);
// The film's own step, after the strands stepped by dt from x_before, v_before [unknowns]; `contacts` as they were in
// that step, for the flow across, or NULL.
RvResult rv_wet_film(RvWet* wet, double dt, const double* x_before, const double* v_before, const RvContacts* contacts,
                     RvError* error);
// Drag and film to the grid; pressure back from it.
RvResult rv_wet_react(RvWet* wet, double dt, RvError* error);
RvResult rv_wet_back(RvWet* wet, double dt, RvError* error);
// m/s that the film or the bulk can change a strand's velocity by at once: a last resort, as film pushes strands no
// faster than it is itself (check film_push), and is told of
#define RV_WET_MOST_KICK 1e3
// The thickest film that can be painted onto strands, m: three times the radius of the drop that one hair can hold.
#define RV_WET_MOST_FILM 0.003
// Film that grows by `rate` [vertices] m/s of height for dt, up to RV_WET_MOST_FILM.
void rv_wet_paint(RvWet* wet, const double* rate, double dt);

// Film and drops, and absorbed liquid, m3.
void rv_wet_volumes(const RvWet* wet, double* film, double* absorbed);

#endif
