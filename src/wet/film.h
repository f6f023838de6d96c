// The film on the strands within the coupled solver: what it weighs, how it flows, and what it exchanges with strands
// and bulk (spec 1.3). The method that calls these stages is rv_wet_substep (wet/solver.h); the laws stand in
// film/film.h, couple/couple.h and contact/contact.h.
#ifndef RV_WET_FILM_H
#define RV_WET_FILM_H

#include "contact/contact.h"
#include "couple/couple.h"

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
  size_t refused;  // velocity changes that a strand did not take: above RV_WET_MAX_KICK, or not a number
  double added;    // m3 of film that was painted on
} RvWetReport;

typedef struct RvWetFilm {
  RvWetSettings settings;
  // The media, the caller's. liquid NULL: there is no bulk, and nothing drips or is captured.
  RvStrandModel* strands;
  RvStrandState* state;
  const double* multiple;  // [strands] hairs that each stands for; NULL: 1
  RvLiquid* liquid;
  // Liquid that goes its own way (liquidmode cached): what strands are in and capture from, in the place of `liquid`;
  // drops are still particles of `liquid`. NULL: none.
  RvLiquid* cached;
  double offset[3];          // m: the strands' origin in the space of both
  double dt_before;          // s of the strands' last step; 0: none
  uint64_t drop_seed;        // counts the substeps: of the random places where drops begin
  int32_t drip_row;          // row of drops among the particles
  const uint8_t* drop_kind;  // [rows] RvDropKind of the particles of `liquid`; NULL: drip_row alone is drops
  // State.
  RvFilmState film_state;
  double* air_share;          // [vertices] w_FF (WH-18): 1 in air, 0 under water
  double* exchange_air;       // [vertices] w_FF when liquid was exchanged last; below 0: not known
  double* drop_acceleration;  // [unknowns] m/s2: of the strands as drops feel it, smoothed over RV_WET_DROP_TIME
  double* feedback_impulse;   // [unknowns] kg m/s: of the bulk's pressure, felt in the next substep (WH-42)
  // Work of a substep.
  uint64_t pose_key;  // changes when the strands move: the coupling packs their places anew
  RvFilmModel film;
  RvFilmFlow* flow;  // law of the film's flow; NULL: a plain viscosity
  RvFilmBatch* batches;
  RvCouple* couple;
  double dt;                          // s
  const RvCoupleSample* bulk;         // at the strands; NULL: no bulk, or none near
  RvContactWet bridges;               // for the search of contacts
  double *hairs, *area;               // [vertices] hairs of the strand; m2 of the film's section
  double *load, *slide, *turn;        // as rv_film_load; `slide` goes to RvStrandStepDef.slide
  double *load_before, *turn_before;  // load and turn with all film when the last impulse was taken
  bool weighed;                       // load_before and turn_before are known
  double *free_area, *bundle_share;   // [vertices] m2, chi: as rv_couple_spacing
  // [vertices] Pa, m2: as RvFilmStepDef.suction, free_area and bundled
  double *suction, *bundle_area, *bundled;
  double* explicit_drag;             // [unknowns] N: what of the bulk's drag is explicit
  double* mean_velocity;             // [unknowns] m/s: mean of the ends of the strands' steps
  double* impulse;                   // [unknowns] kg m/s, given to the strands at once
  double* force;                     // [unknowns] N: of the film on the strands, for their next step
  double* film_lag;                  // [unknowns] kg m/s, as RvCoupleStrands.lag; NULL without film_in_bulk
  double* film_share_in_bulk;        // [vertices] share of the film that is on the grid (E51)
  double* film_share_on_strand;      // [vertices] the rest of it, which moves with its strand
  double* unsupported_weight_share;  // [vertices] share of that film's weight that no bulk bears
  RvFilmBridge* across;              // bridges for the flow across strands
  size_t across_capacity;
  double* memory;
  RvOperatorSum joined;  // contacts and menisci
  RvArena* scratch;      // room of the stages, which take turns; strands' step and contacts use it too
  RvWetReport report;    // added to
} RvWetFilm;

// s: in this time a drop answers to what its strand does; sqrt(density r^3 / tension) of a drop of 2 mm. What shakes
// faster does not shake it off.
#define RV_WET_DROP_TIME 0.01
// s: in this time film under water comes to move with the bulk (E51). Without it the two would be one at the end of
// every substep, and hair that carries more film than it weighs would stop within a few substeps, however short they
// are.
#define RV_WET_SINK_TIME 3e-3
// m/s2: ten thousand g. No film stays on a strand that accelerates faster.
#define RV_WET_MAX_ACCELERATION 1e5
// m/s that film or bulk can change a strand's velocity by at once. A last resort, as film pushes strands no faster than
// it is itself (check film_push); it is counted and warned of.
#define RV_WET_MAX_KICK 1e3
// m: the thickest film that can be painted onto strands, three times the radius of the drop that one hair can hold.
#define RV_WET_MAX_FILM 0.003

// Film for strands and bulk; it is empty. Settings may be changed between substeps.
RvResult rv_wet_film_init(RvWetFilm* wet, RvStrandModel* strands, RvStrandState* state, const double* multiple,
                          RvLiquid* liquid, const RvWetSettings* settings, RvError* error);
void rv_wet_film_free(RvWetFilm* wet);

//---------------------------------------------------------------------------------------------- exchange.c

// capture: sorted particles within reach go to the film (WH-31, 32). *any is set if some did.
RvResult rv_wet_capture(RvWetFilm* wet, RvParticles* particles, double dt, bool* any, RvError* error);
// drip: film above the carrying capacity becomes particles of `liquid` (WH-28 to 30). *any is set if some did.
RvResult rv_wet_drip(RvWetFilm* wet, double dt, bool* any, RvError* error);

//---------------------------------------------------------------------------------------------- bulk.c

// sample: submersion, drag and velocity of the bulk at the strands (WH-18, 38, 39, E51).
RvResult rv_wet_sample(RvWetFilm* wet, double dt, RvError* error);
// react: the drag's impulse and the submerged film go to the grid (WH-35, 40).
RvResult rv_wet_react(RvWetFilm* wet, double dt, RvError* error);
// feedback: the bulk's pressure goes back to strands and film (WH-42).
RvResult rv_wet_feedback(RvWetFilm* wet, double dt, RvError* error);

//---------------------------------------------------------------------------------------------- bundle.c

// bundle: the space between the hairs of bundles, and its suction (WH-20, E74).
RvResult rv_wet_bundle(RvWetFilm* wet, RvError* error);

// meniscus: strands that pierce the bulk's surface attract each other (meniscus.c of the coupling).
RvResult rv_wet_meniscus(RvWetFilm* wet, RvError* error);
// s: longest substep in which the strands that leave the bulk feel their menisci; from the state alone.
double rv_wet_longest(const RvWetFilm* wet);
// The coupling of the strands' step, `contacts` or NULL, and the menisci.
const RvOperator* rv_wet_join_menisci(RvWetFilm* wet, const RvOperator* contacts);

//---------------------------------------------------------------------------------------------- film.c

// The strands stand elsewhere than when it was called last: the coupling packs their places anew.
static inline void rv_wet_begin_pose(RvWetFilm* wet) {
  wet->pose_key++;
}
// The first substep: the mass with all film, before anything changes it.
RvResult rv_wet_weigh(RvWetFilm* wet, double dt, RvError* error);
// loads: mass of the film on the strands, what of it slides, its force, and its section for the bridges.
RvResult rv_wet_loads(RvWetFilm* wet, double dt, RvError* error);
// Adds film, feedback and drag to the strands' own forces, each [unknowns].
void rv_wet_add_forces(const RvWetFilm* wet, double* force, double* drag, double* drag_velocity);
// Film grows by `rate` [vertices] m/s of height for dt, up to RV_WET_MAX_FILM.
RvResult rv_wet_paint(RvWetFilm* wet, const double* rate, double dt, RvError* error);
// film, across, dry: the film's own step after the strands stepped by dt from x_before, v_before [unknowns]. It flows
// along its strand; across bridges to other strands (`contacts` as they were in that step, or NULL); then it soaks in,
// dries and hands its momentum to the strands.
RvResult rv_wet_flow(RvWetFilm* wet, double dt, const double* x_before, const double* v_before, RvError* error);
RvResult rv_wet_across(RvWetFilm* wet, double dt, const double* x_before, const double* v_before,
                       const RvContacts* contacts, RvError* error);
RvResult rv_wet_dry(RvWetFilm* wet, double dt, const double* x_before, const double* v_before, RvError* error);

// Film with drops, and absorbed liquid, m3.
void rv_wet_volumes(const RvWetFilm* wet, double* film, double* absorbed);

#endif
