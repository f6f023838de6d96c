// Where strands, film and bulk liquid meet on the grid and in exchange of volume (WH-18, WH-28 to 32, 35, 38 to 42;
// spec 1.2.8 to 1.2.11 with E42, E48, E50, E51). One object holds what a substep needs of the strands as seen from the
// grid; its calls stand in the order of the wet substep:
//
//   rv_couple_capture     particles near strands go to the film            (particles sorted)
//   rv_couple_drip        film above the carrying capacity becomes particles
//   rv_couple_sample      bulk at the strands: submersion w_FF, velocity, fibres' share, drag     (mass and momentum on
//   the grid)
//   ... strands and film step ...
//   rv_couple_react       exactly the drag's impulse goes to the faces; share and drag for the pressure; film to the
//   grid
//   ... pressure ...
//   rv_couple_pressure    pressure and what it drags along go back to strands and film
//
// From substep to substep all film moves with its strand, and so all kicks are given to the mass of the strand with all
// of its film; from sample to pressure the grid has the film's submerged part.
//
// Places of strands are blocks of unknowns as strand/strand.h has them; where the strands' origin is in the liquid's
// space is `offset`. Everything is deterministic: gathers by tile or by vertex in a fixed order, no atomics.
#ifndef RV_COUPLE_COUPLE_H
#define RV_COUPLE_COUPLE_H

#include "film/film.h"
#include "liquid/liquid.h"
#include "strand/strand.h"

typedef enum RvDragLaw {
  RV_DRAG_LITERAL,      // quadratic part 0.14289 rho r sqrt(d) |du| du (spec 1.2.10)
  RV_DRAG_FORCHHEIMER,  // 0.14289 rho r sqrt(pi d / phi) |du| du
} RvDragLaw;

// Arrays are [vertices] multipliers or NULL.
typedef struct RvCoupleSettings {
  double viscosity;  // Pa s, of the bulk, for the drag
  double density;    // kg/m3
  double tension;    // N/m
  double drag;       // multiplies the law; 0: none
  const double* drag_at;
  RvDragLaw law;
  double capture;  // 1/s: rate at which liquid within reach is taken up; 0: none
  const double* capture_at;
  double capacity;  // multiplies r_max's volume
  const double* capacity_at;
  double drip;  // 1/s: rate at which what is above the capacity leaves; 0: none
  const double* drip_at;
  double nominal;     // m3 of a particle of the bulk; drops are a quarter of it, never below a tenth
  double gravity[3];  // m/s2
  // E51: film under water moves with the bulk, on whose grid it is, and not with its strand (WH-35): light hair does
  // not plough through water with the mass of what is water too (check wet_sunk). Off, the strand carries all of its
  // film: where the liquid goes its own way.
  bool film_in_bulk;
  uint64_t count_key;  // hairs around a place are counted anew when this changes; 0: in every call
  bool bulk_fixed;     // the liquid is cached: it is read, never written
} RvCoupleSettings;

// The strands in a substep.
typedef struct RvCoupleStrands {
  const RvStrandModel* model;
  const RvFilmModel* film;
  RvFilmState* film_state;
  const double *q, *v;     // [unknowns] places and velocities now
  const double* v_before;  // [unknowns] of the substep before, for accelerations; may be v
  double dt_before;        // s between these; 0: no acceleration is known
  const double* v_step;    // [unknowns] for react: v as the strands' step left it, before the film's kicks; NULL: v
  // [unknowns] kg m/s for react and pressure: what the film's submerged part would have got if the strands' step had
  // carried it, as `v` says that it did; NULL: its velocity across the strand is that of the sample.
  const double* lag;
  const double* sunk;   // [vertices] with film_in_bulk: share of the film that the grid has; NULL: 1 - w_FF
  const double* hairs;  // [strands] that each stands for; NULL: 1
  double offset[3];     // m: the strands' zero in the liquid's space
} RvCoupleStrands;

typedef struct RvCoupleReport {
  size_t captured, dripped;                // particles touched, particles born
  double captured_volume, dripped_volume;  // m3
  double held_volume;                      // m3 above the capacity that is too little for a drop
} RvCoupleReport;

typedef struct RvCouple RvCouple;
RvCouple* rv_couple_new(void);
void rv_couple_free(RvCouple* couple);
// What lives only within a call is taken from `scratch`, which others may use in turn; it must outlive the coupling or
// be taken away. NULL: its own memory. From react to pressure some is the grid's (RvLiquidGrid.scratch), if it has one.
void rv_couple_set_scratch(RvCouple* couple, RvArena* scratch);

// Volume that the film may have where each vertex is, m3 (17), E50: counted over 2 r_max of arclength and the strands
// within r_max; [vertices], its vertex's part of it. Also the count of hairs, if `hairs` is not NULL.
RvResult rv_couple_capacity(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                            double* capacity, double* hairs, RvError* error);

// WH-31, 32 with E42: gradual in time (1 - exp(-rate dt) of what is near), limited by the capacity, exact in volume and
// momentum. Particles must be sorted; those used up have volume 0 and leave with the next sort. `under_too`: also
// where the strand is under water, by where the particles are now; else nothing is taken there. `kick` [unknowns]
// kg m/s is added to. What is left of a particle is never below a tenth of nominal unless it was.
RvResult rv_couple_capture(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           const RvLiquidGrid* grid_space, RvParticles* particles, double dt, bool under_too,
                           double* kick, RvCoupleReport* report, RvError* error);

// WH-28 to 30 with E50: tips first, then what is above the capacity. A drop leaves with the velocity of its liquid;
// what is too little for one stays. New particles stand behind the sorted ones with age 0 and row `row`. `random` and
// the vertex fix where within its part of the strand a drop starts.
RvResult rv_couple_drip(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                        const RvLiquidGrid* grid_space, RvParticles* particles, int64_t* next_id, int32_t row,
                        double dt, uint64_t random, double* kick, RvCoupleReport* report, RvError* error);

// What the bulk is at the strands. Arrays [vertices] but for velocity, drag [unknowns] (angles 0), drag_velocity
// [unknowns]; valid until the next call. `drag` (kg/s) and `drag_velocity` are what the strands' implicit step takes:
// the diagonal of the tensor; `force` [unknowns] N the rest of it at the velocities now, added to.
typedef struct RvCoupleSample {
  double* wet;                   // w_FF (WH-18): 1 in air, 0 under water, smooth
  double* share;                 // fibres' part phi of the space (WH-39), clamped to [1e-6, 0.4]
  double* velocity;              // of the bulk
  double *drag, *drag_velocity;  // with 1 / (1 + dt sum D / m_f) already (E48)
} RvCoupleSample;
RvResult rv_couple_sample(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                          const RvLiquidGrid* grid, double dt, double* force, const RvCoupleSample** out,
                          RvError* error);

// After the strands stepped to q (in `strands`), with the mean v of the ends of their steps, be it one or several, dt
// in all: the impulse that drag gave them, dt (drag (drag_velocity - v) + force), is taken from the faces it came from;
// momentum of the film's submerged part (WH-35); share, drag and target of the faces for the pressure: the velocity u
// of a face becomes u + s dt (g - grad p / rho), s = rho / (rho + dt D).
RvResult rv_couple_react(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                         RvLiquidGrid* grid, double dt, RvError* error);

// After the pressure: `force` [unknowns] N, the pressure on the strands' volume (-V_s grad p) and what drag takes over
// of the liquid's ((1 - s) of it), for the strands' next step, written anew (it is state); `kick` [unknowns] kg m/s and
// the film's speed get what the grid did to the film's submerged part. Momentum of all is exact.
RvResult rv_couple_pressure(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                            const RvLiquidGrid* grid, double dt, double* force, double* kick, RvError* error);

// The law of (19), dimensionless drag a length along and across a strand, phi clamped to [1e-6, 0.4].
void rv_couple_drag_law(double phi, double* along, double* across);
// r_max of (17), m.
double rv_couple_capacity_radius(double radius, double tension, double density, double acceleration, double hairs);

#endif
