// The liquid on strands: a film of its own speed along each strand (WH-19 to WH-27, spec 1.2.6 with E43, E49, E51).
//
// The module does not depend on strands: it gets their batches, positions and velocities as blocks of lanes, in the
// layout of strand/strand.h. A vertex holds the film's volume on all hairs that the strand stands for; an edge holds
// the speed of the film relative to the strand, positive from root to tip. Volumes change by fluxes through the middles
// of edges, so their sum changes only by outflow at the tip. All arrays of vertices, edges and lanes have RV_LANES
// numbers for each of them.
//
// Momentum exchange with the strand. The strand carries the film's inertia across its tangent t, and along t only the
// share b of it that friction holds within a step: its inertia is m_s + m_film (1 - (1 - b) t t^T). rv_film_load hands
// this to the strands' step; after it rv_film_step integrates the film's remaining momentum along t from the motion
// that the strands made. So total momentum is exact for every ratio of masses (E43).
#ifndef RV_FILM_FILM_H
#define RV_FILM_FILM_H

#include "base/arena.h"
#include "rivulet/base.h"

typedef struct RvFilmFlow RvFilmFlow;  // flow_law.h

// A liquid. Water has no shear modulus, no yield stress and flow index 1, with consistency as its viscosity (spec 2.2).
// Yield and consistency are those of simple shear: stress = yield + consistency rate^index.
typedef struct RvFilmLiquid {
  double density;          // kg/m3
  double tension;          // N/m
  double consistency;      // Pa s^index
  double index;            // flow index; 1: Newtonian
  double yield;            // Pa
  double modulus;          // Pa, shear
  double angle;            // rad, contact angle on strands
  double solids;           // share of its volume that stays when it dries (solids.h); 0: none
  const RvFilmFlow* flow;  // of the index; NULL: the friction is that of a plain viscosity
} RvFilmLiquid;

// Strands of equal vertex count, RV_LANES side by side.
typedef struct RvFilmBatch {
  int vertices;               // of each strand
  int lanes;                  // lanes used; the others repeat the last strand and hold no liquid
  size_t at;                  // first of its unknowns: 4 numbers a vertex: x, y, z, angle
  size_t vertex_at, edge_at;  // first of its vertices and edges
} RvFilmBatch;

// Constant while stepping; pointers are the caller's.
typedef struct RvFilmModel {
  size_t nbatch;
  const RvFilmBatch* batches;
  size_t unknowns, vertices, edges;  // numbers in the blocks of all batches
  const double* radius;              // [vertices] m
  const double* hairs;               // [vertices] hairs that the strand stands for
  RvFilmLiquid liquid;
} RvFilmModel;

typedef struct RvFilmState {
  double* volume;         // [vertices] m3
  double* absorbed;       // [vertices] m3 inside the fibre: it does not flow
  double* speed;          // [edges] m/s along the edge, relative to the strand
  double* strain;         // [vertices] reduced strain c of shear-dependent liquids, advected with them; 0 for water
  double* solids;         // [vertices] share of solids, carried along; NULL: the liquid has none
  double* drop_solids;    // [nbatch x RV_LANES] that of the pendant drop; NULL as well
  double* drop;           // [nbatch x RV_LANES] m3 of the pendant drop at the tip
  double* drop_momentum;  // [nbatch x 3 x RV_LANES] kg m/s of that drop relative to the tip
} RvFilmState;

// The artist's settings. Arrays are [vertices] multipliers of the number before them, or NULL.
typedef struct RvFilmSettings {
  double friction;  // 1/s: damping of the flow along the strand, added to that of its viscosity
  const double* friction_at;
  bool viscous;       // viscous drag of the liquid on the fibre (SD-9 with slip); it dominates in thin films
  double slip;        // m, slip length
  double absorption;  // 1/s: rate at which film soaks into a dry fibre
  double saturation;  // largest volume of liquid that a volume of fibre absorbs
  double drying;      // m/s: evaporation speed of a surface; the film dries first, then the absorbed liquid
  const double* drying_at;
  bool transverse;         // capillary flow between neighbouring strands (WH-27)
  const double* angle_at;  // rad, contact angles in place of the liquid's; each strand takes its mean
  int most_substeps;       // largest number of substeps of transport in a step
} RvFilmSettings;

// All zeros, but the solids those of the liquid; false: no memory.
bool rv_film_state_init(RvFilmState* state, const RvFilmModel* model);
void rv_film_state_free(RvFilmState* state);
// Adds unstrained liquid with a share of solids to a vertex; volume times strain is conserved (SD-8).
static inline void rv_film_gain(RvFilmState* state, size_t vertex, double volume, double solids) {
  double before = state->volume[vertex], after = before + volume;
  if (volume > 0) state->strain[vertex] *= before / after;
  if (volume > 0 && state->solids) state->solids[vertex] += volume / after * (solids - state->solids[vertex]);
  state->volume[vertex] = after;
}

// Cross-section of the film on one hair, m2, and its height, m (spec E14).
double rv_film_height(double area, double radius);
double rv_film_area(double height, double radius);
// Share of its speed, m/s, that the liquid's own viscosity takes from a film of that height within dt, without slip.
double rv_film_stopped_share(const RvFilmLiquid* liquid, double height, double radius, double dt, double speed);
// Area of the film at every vertex, for the lengths that the edges have at x [unknowns].
void rv_film_areas(const RvFilmModel* model, const RvFilmState* state, const double* x, double* area);
// Volumes of all strands, m3: film with its drops, and absorbed liquid. The order of the sums is fixed.
void rv_film_volumes(const RvFilmModel* model, const RvFilmState* state, double* film, double* absorbed);

// Mass of the film of every edge, [edges] kg: a vertex gives its liquid to its edges in the ratio of their lengths. The
// film's momentum relative to the strand is mass times speed along the edge, so an impulse changes the speed by
// impulse / mass.
void rv_film_edge_masses(const RvFilmModel* model, const RvFilmState* state, const double* x, double* mass);

// Unit tangents of vertices, [3 x vertices]: the normalised mean of both edges'. Strands and film use the same ones.
void rv_film_tangents(const RvFilmModel* model, const double* x, double* tangent);

typedef struct RvFilmStepDef {
  double dt;
  double gravity[3];                  // m/s2
  const double *x_before, *v_before;  // [unknowns] m, m/s: the strands before their step
  const double *x, *v;                // and after it
  const double* wet;     // [vertices] w_FF: share of the film that moves with the strand (not with the bulk); NULL: 1
  const double* weight;  // [vertices] share of that film's weight that no surrounding bulk supports; NULL: 1
  // Bundles of strands (WH-20, E74), [vertices]; NULL: none. `suction` Pa is that of a bundle without liquid,
  // `free_area` m2 the space between its hairs that liquid can fill, for each hair: 0 under water and without suction;
  // `bundled` says how much of the film has no surface of its own around its hair, 0 to 1.
  const double *suction, *free_area, *bundled;
  RvFilmSettings settings;
  RvArena* scratch;  // temporary memory of the calls, released when they return; NULL: their own
} RvFilmStepDef;

// The film's contribution to the strands' step (WH-5, E43, E51). Any output may be NULL, slide and force only together.
//   load  [vertices] kg that moves with each vertex, drop and absorbed liquid included
//   slide [3 x vertices] a vector e along the tangent; e . e, kg, is the mass that does not move with it along the
//   tangent force [unknowns] N, added to: less the weight that the strand does not support, and the friction of the
//   flow turn  [edges] kg m2, moment of inertia about the tangent
RvResult rv_film_load(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, double* load,
                      double* slide, double* turn, double* force, RvError* error);

typedef struct RvFilmReport {
  double outflow;     // m3 that flowed off tips into drops
  double evaporated;  // m3
  int substeps;       // largest number of a batch
  size_t limited;     // batches that needed more than most_substeps: their film moves less than it should
} RvFilmReport;

// The film's step, after that of the strands: capillary pressure (semi-implicit), gravity, inertia and friction along
// the strand; then transport of volume, of world momentum (E43) and of angular momentum about the tangent (WH-25).
// `kick` [unknowns] kg m/s (angles: kg m2/s) is overwritten with the impulse on the strands: v += kick / (their mass
// with the load that the film has now); those of angles assume that the strands took `turn`. Reports are added to.
RvResult rv_film_step(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                      RvFilmReport* report, RvError* error);

// Absorption of film by the fibre, and evaporation of both (promise: dry, wet, dry returns the groom). Liquid that
// soaks in stops; its momentum is added to `kick` (may be NULL). Uses the positions def->x.
void rv_film_dry(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                 RvFilmReport* report);

// A liquid bridge between two strands, for the flow across them.
typedef struct RvFilmBridge {
  uint32_t vertex[2];  // lower vertices (block index) of the two edges
  double t[2];         // position on each edge, 0..1 to the next vertex
  double distance;     // m between the surfaces of the hairs
  double length;       // m of strand that it stands for
} RvFilmBridge;
// Capillary flow between neighbouring strands (WH-27): antisymmetric, keeps volumes positive, exact in volume.
RvResult rv_film_across(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def,
                        const RvFilmBridge* bridges, size_t count, double* kick, RvError* error);

#endif
