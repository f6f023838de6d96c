// Coupling of strands, film and bulk liquid: exchange of volume, and of momentum on the grid (WH-18, WH-28 to 32, 35,
// 38 to 42; spec 1.2.8 to 1.2.11 with E42, E48, E50, E51). Its calls in the order of the wet substep:
//
//   rv_couple_capture     particles near strands join the film (particles are sorted)
//   rv_couple_drip        film above the carrying capacity becomes particles
//   rv_couple_sample      bulk at the strands: submersion w_FF, velocity, volume fraction of fibres, drag
//                         (mass and momentum are on the grid)
//   ... strands and film step ...
//   rv_couple_react       the reaction of the drag goes to the faces; volume fraction and drag for the pressure solve;
//                         submerged film joins the grid
//   ... pressure ...
//   rv_couple_pressure    the pressure and the drag of its change of velocity act on strands and film
//
// Between substeps all film moves with its strand, so kicks are for the mass of the strand with all of its film. From
// sample to pressure the submerged part of the film belongs to the grid.
//
// Positions are blocks of unknowns as in strand/strand.h, relative to the strands' origin; `offset` is that origin in
// the liquid's space. All sums are gathers by tile or by vertex in a fixed order, without atomics.
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
  double viscosity;        // Pa s, of the bulk, for the drag
  double density;          // kg/m3
  double tension;          // N/m
  double solids;           // share of solids at which the yield stress holds (film/solids.h); 0: none
  double added_solids;     // share of solids of captured liquid
  double yield;            // Pa: below it the liquid does not flow, and strands hold more of it
  double index;            // of flow; the viscosity is then the consistency, Pa s^index. 0 counts as 1
  double angle;            // rad, contact angle on strands
  const double* angle_at;  // rad, in its place; NULL: none
  double drag;             // multiplies the drag law; 0: no drag
  const double* drag_at;
  RvDragLaw law;
  double capture;  // multiplies the film that a strand draws out of the bulk and the drops that it catches; 0: none
  const double* capture_at;
  double capacity;  // multiplies the volume of (17)
  const double* capacity_at;
  double drip;  // 1/s: rate at which film above the capacity leaves; 0: none
  const double* drip_at;
  double nominal;            // m3 of a particle of the bulk: larger drops become several
  double gravity[3];         // m/s2
  int32_t drip_row;          // row of drops of strands among the particles: they are not captured at once
  const uint8_t* drop_kind;  // [rows] RvDropKind; NULL: drip_row alone is drops
  // E51: submerged film moves with the bulk on the grid, not with its strand (WH-35). So light hair under water does
  // not have the inertia of its film (check wet_sunk). Off: the strand carries all of its film, as with cached liquid.
  bool film_in_bulk;
  uint64_t count_key;  // neighbouring hairs are counted and their distances measured again when this changes; 0: in
                       // every call
  bool bulk_fixed;     // the liquid is cached: it is read, never written
} RvCoupleSettings;

// The strands in a call.
typedef struct RvCoupleStrands {
  const RvStrandModel* model;
  const RvFilmModel* film;
  RvFilmState* film_state;
  const double *q, *v;     // [unknowns] positions and velocities now
  const double* v_before;  // [unknowns] m/s, of the substep before, for accelerations; may be v
  double dt_before;        // s from v_before to v; 0: no acceleration is known
  const double* v_step;    // [unknowns] for react: v at the end of the strands' step, before the film's kicks; NULL: v
  // [unknowns] kg m/s for react and pressure: momentum that `v` ascribes to the submerged film as if the strands' step
  // had carried it; it is subtracted. NULL: its velocity across the strand is that of the sample.
  const double* lag;
  const double* film_share_in_bulk;  // [vertices] with film_in_bulk: share of the film on the grid; NULL: 1 - w_FF
  const double* hairs;               // [strands] hairs that each stands for; NULL: 1
  double* air;  // [vertices] for capture: w_FF of the call before, below 0: not known; set by the call. NULL: not known
  double offset[3];  // m: the strands' origin in the liquid's space
  // Positions are packed again when this changes, or in every call where it is 0: the caller changes it with model,
  // hairs, q and offset. Velocities are always read.
  uint64_t pose_key;
} RvCoupleStrands;

typedef struct RvCoupleReport {
  size_t captured;         // particles that gave liquid
  size_t dripped;          // new particles
  double captured_volume;  // m3
  double returned_volume;  // m3 of submerged film that went back to particles
  double dripped_volume;   // m3
  double retained_volume;  // m3 above the capacity that is too little for a drop
  double film_gain;        // m3 that the film gained in the last capture, less what it returned
  double* particle_loss;   // [particles] m3 that each gave in the last capture, less what it got; NULL: not wanted
} RvCoupleReport;

typedef struct RvCouple RvCouple;
RvCouple* rv_couple_new(void);
void rv_couple_free(RvCouple* couple);
// Temporary memory of the calls is taken from `scratch`, which others may use between calls; it must outlive the
// coupling or be reset by NULL, the coupling's own arena. From react to pressure some memory is taken from
// RvLiquidGrid.scratch, if the grid has one.
void rv_couple_set_scratch(RvCouple* couple, RvArena* scratch);

// Carrying capacity of each vertex [vertices], m3 (17), E50: the vertex's part of the volume that the hairs within
// r_max carry over 2 r_max of arc length. Also the hair count N, if `hairs` is not NULL.
RvResult rv_couple_capacity(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                            double* capacity, double* hairs, RvError* error);

// Bundles (WH-20, E74): `free_area` [vertices] m2 of space between the hairs that belongs to each hair, and
// `bundle_share` [vertices] chi, which is 1 where hairs stand so close that capillarity holds a column of two capillary
// lengths or more between them, and 0 for hairs that stand alone. The suction of a bundle that is not full is
// chi 2 pi r tension cos(angle) / free_area.
RvResult rv_couple_spacing(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           double* free_area, double* bundle_share, RvError* error);

// Strands that pierce the surface of the bulk.
typedef struct RvCoupleMeniscus {
  const RvCoupleStrands* strands;
  const RvCoupleSettings* settings;
  const double* under_water;  // [vertices] share under water, 0 to 1
  double cohesion;            // multiplies the force; 0: none
  const double* cohesion_at;  // [vertices] multiplies it too; NULL: 1
} RvCoupleMeniscus;
// Lateral capillary forces between them, as springs for the strands' step (meniscus.c).
RvResult rv_couple_meniscus(RvCouple* couple, const RvCoupleMeniscus* def, RvError* error);
void rv_couple_meniscus_clear(RvCouple* couple);
// The springs as a term of RvStrandStepDef.couple; NULL: there are none. Valid until the next call of either.
const RvOperator* rv_couple_meniscus_operator(RvCouple* couple);
// x K1(x), the modified Bessel function of their law.
double rv_couple_bessel_k1(double x);

// WH-31, 32 with E42, E74, E77: liquid passes between the particles around the strands and their film. A strand that
// comes out of the bulk draws film with it, drops that it meets join the film, and submerged film goes back to the
// particles; limited by the capacity, exact in volume and momentum, independent of the size of particles and the length
// of steps. Submersion is by the present positions of the particles, which must be sorted; those used up have volume 0
// and are removed by the next sort. `kick` [unknowns] kg m/s is added to. `random` decides about particles that are too
// small to be divided: the remainder of a particle is never below a tenth of nominal unless the particle was.
RvResult rv_couple_capture(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           const RvLiquidGrid* grid_space, RvParticles* particles, double dt, uint64_t random,
                           double* kick, RvCoupleReport* report, RvError* error);

// WH-28 to 30 with E50: dripping of pendant drops at tips, then of film above the capacity. A drop has a physical size,
// and leaves with the velocity of its liquid; too little liquid for a drop stays. New particles are appended behind the
// sorted ones with age 0 and row `row`. `random` and the vertex determine where within its part of the strand a drop
// starts.
RvResult rv_couple_drip(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                        const RvLiquidGrid* grid_space, RvParticles* particles, int64_t* next_id, int32_t row,
                        double dt, uint64_t random, double* kick, RvCoupleReport* report, RvError* error);

// The bulk at the strands; valid until the next call.
typedef struct RvCoupleSample {
  double* wet;          // [vertices] w_FF (WH-18): 1 in air, 0 under water, smooth
  double* under_water;  // [vertices] share of the liquid around, 0 to 1: half of it at the surface of a pool
  double* share;        // [vertices] volume fraction phi of fibres (WH-39, E75), clamped to [1e-6, 0.4]
  double* velocity;     // [unknowns] m/s, of the bulk; angles 0
  double* drag;         // [unknowns] kg/s, diagonal of the drag tensor, with the factor 1 / (1 + dt sum D / m_f) (E48)
  double* drag_velocity;  // [unknowns] m/s, the velocity that the drag pulls to
} RvCoupleSample;
// Samples the bulk. The strands' implicit step takes `drag` and `drag_velocity`; the off-diagonal drag at the present
// velocities is added to `force` [unknowns] N.
RvResult rv_couple_sample(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                          const RvLiquidGrid* grid, double dt, double* force, const RvCoupleSample** out,
                          RvError* error);

// Reaction on the liquid, after the strands stepped to q in one or several steps of dt in all, v their mean end
// velocity:
//   - the drag's impulse on the strands, dt (drag (drag_velocity - v) + force), is subtracted from the faces it came
//   from;
//   - submerged film adds its mass and momentum to the faces (WH-35);
//   - volume fraction, drag and drag target of the faces are set for the pressure solve, where the velocity u of a face
//     becomes u + s dt (g - grad p / rho), s = rho / (rho + dt D);
//   - `fill` becomes the share of the liquid in what fibres leave of a cell, for the volume correction. The surface has
//     then to be found again in the crowded tiles (rv_liquid_surface_again).
RvResult rv_couple_react(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                         RvLiquidGrid* grid, double dt, RvError* error);

// The grid's tiles where fibres take up so much that the surface is to be found again; valid until the next sample.
size_t rv_couple_crowded_tiles(const RvCouple* couple, const uint32_t** tiles);

// After the pressure solve. `force` [unknowns] N is overwritten, for the strands' next step (it is state): the pressure
// on the strands' volume (-V_s grad p), and the share 1 - s of the liquid's acceleration that the drag hands over.
// `kick` [unknowns] kg m/s and the film's speed get the grid's change of the submerged film. Total momentum is exact.
RvResult rv_couple_pressure(RvCouple* couple, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                            const RvLiquidGrid* grid, double dt, double* force, double* kick, RvError* error);

// The drag law (19): dimensionless drag per length along and across a strand, phi clamped to [1e-6, 0.4].
void rv_couple_drag_law(double phi, double* along, double* across);
// Renaud's drag coefficient (13.80) of a liquid of one flow index.
typedef struct RvRenaud {
  double index;
  double x, turn, k, beta;  // X, 6 X b, k and beta of spec 2.2.6
} RvRenaud;
RvRenaud rv_couple_renaud(double index);
// C_d; `areas`: surface over projected area, 4 of a ball, pi of a cylinder that moves across.
double rv_couple_renaud_coefficient(const RvRenaud* renaud, double areas, double reynolds);
// Di Felice's exponent (13.79) of the liquid's share of the space.
double rv_couple_voidage_power(double reynolds);
// Drag of one hair for its length and speed, kg/(m s), at `speed` m/s, phi clamped as above. `renaud`: of the liquid's
// index; NULL: a plain liquid, (19).
void rv_couple_drag(const RvCoupleSettings* settings, const RvRenaud* renaud, double phi, double radius, double speed,
                    double* along, double* across);
// r_max of (17), m.
double rv_couple_capacity_radius(double radius, double tension, double density, double acceleration, double hairs);
// The same of a liquid that yields, from that of its tension.
double rv_couple_yield_radius(double capillary, double radius, double yield, double density, double acceleration,
                              double hairs);
// Volume at which a drop falls from the tip of a fibre, m3 (Tate's law): half of what (17) holds between two ends.
double rv_couple_tate_volume(double radius, double tension, double density, double acceleration);

// Height of the film that a strand draws out of a bath at `speed`, m (withdraw.c).
double rv_couple_withdrawn_height(double radius, double speed, const RvCoupleSettings* settings);

#endif
