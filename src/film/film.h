// The liquid on strands: a film of its own speed along each strand (WH-19 to WH-27, spec 1.2.6 with E43, E49, E51).
//
// Film knows no strands: it gets their batches, places and velocities as blocks of lanes, laid out as strand/strand.h
// says. A vertex holds a volume, which is that of all hairs the strand stands for; an edge holds the speed of the film
// relative to the strand, positive from root to tip. Volumes move by fluxes through the middles of edges, so their sum
// changes only by what flows off the tip. All arrays of vertices, edges and lanes have RV_LANES numbers a place.
//
// What the film shares with its strand. The strand carries the film across itself, and along itself only what friction
// holds: its inertia is m_s + m_film (1 - (1 - b) t t^T) with b the share that friction holds within a step.
// rv_film_load says so before the strands step, rv_film_step takes up after it, from what the strands did, what is left
// for the film: so momentum is exact whatever the masses (E43).
#ifndef RV_FILM_FILM_H
#define RV_FILM_FILM_H

#include "rivulet/base.h"

// A liquid. Water has no shear modulus, no yield stress and flow index 1, with consistency as its viscosity (spec 2.2).
typedef struct RvFilmLiquid {
  double density;      // kg/m3
  double tension;      // N/m
  double consistency;  // Pa s^index
  double index;        // flow index; 1: Newtonian
  double yield;        // Pa
  double modulus;      // Pa, shear
  double angle;        // rad, contact angle on strands
} RvFilmLiquid;

typedef struct RvFilmBatch {
  int vertices, lanes;  // lanes used; the others repeat the last one and hold nothing
  size_t at;            // of 4 numbers a vertex: x, y, z, angle
  size_t vertex_at, edge_at;
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
  double* absorbed;       // [vertices] m3, in the fibre: it does not flow
  double* speed;          // [edges] m/s along the edge, relative to the strand
  double* strain;         // [vertices] reduced strain c of shear-dependent liquids, which goes with them; 0 for water
  double* drop;           // [nbatch x RV_LANES] m3 that flowed off the tip and hangs there
  double* drop_momentum;  // [nbatch x 3 x RV_LANES] kg m/s relative to the tip
} RvFilmState;

// What an artist may set, the arrays [vertices] or NULL (then the number alone holds, else they multiply it).
typedef struct RvFilmSettings {
  double friction;  // 1/s: what slows the film along the strand, besides its viscosity
  const double* friction_at;
  bool viscous;       // the drag of the liquid's own viscosity on the fibre (SD-9 with slip): for thin films it is all
  double slip;        // m, slip length
  double absorption;  // 1/s at which film goes into a dry fibre
  double saturation;  // m3 of liquid that a m3 of fibre takes in at most
  double drying;      // m/s at which a surface evaporates: film first, then what is absorbed
  const double* drying_at;
  bool transverse;         // capillary flow across neighbours (WH-27)
  const double* angle_at;  // rad, in the place of the liquid's contact angle; each strand takes its mean
  bool rescale;            // the seed's local rescaling in place of transport (WH-26): a comparison only
  int most_substeps;       // of transport, a step
} RvFilmSettings;

bool rv_film_state_init(RvFilmState* state, const RvFilmModel* model);  // all zeros; false: no memory
void rv_film_state_free(RvFilmState* state);
// Liquid that is not strained comes to a vertex: volume times strain stays (SD-8).
static inline void rv_film_gain(RvFilmState* state, size_t vertex, double volume) {
  double before = state->volume[vertex], after = before + volume;
  if (volume > 0) state->strain[vertex] *= before / after;
  state->volume[vertex] = after;
}

// Cross-section of the film on one hair, m2, and its height, m (spec E14).
double rv_film_height(double area, double radius);
double rv_film_area(double height, double radius);
// Area of the film at every vertex, for the lengths that the edges have at x [unknowns].
void rv_film_areas(const RvFilmModel* model, const RvFilmState* state, const double* x, double* area);
// Sum over all strands: film and drops, and what is absorbed. Double sums in a fixed order.
void rv_film_volumes(const RvFilmModel* model, const RvFilmState* state, double* film, double* absorbed);

// Mass of the film of every edge, [edges] kg: a vertex gives its liquid to its edges in the ratio of their lengths. The
// film's momentum relative to the strand is this times speed, along the edge; who adds to speeds must divide by it.
void rv_film_edge_masses(const RvFilmModel* model, const RvFilmState* state, const double* x, double* mass);

// Unit tangents of vertices, [3 x vertices]: half of both edges'. Both sides of the coupling use these.
void rv_film_tangents(const RvFilmModel* model, const double* x, double* tangent);

typedef struct RvFilmStepDef {
  double dt;
  double gravity[3];
  const double *x_before, *v_before;  // [unknowns] of the strands, before and after their step
  const double *x, *v;
  const double* wet;  // [vertices] w_FF: share of the film that moves with the strand, the rest with the bulk; NULL: 1
  const double* weight;  // [vertices] share of that film's weight which no bulk around it bears; NULL: 1
  const double* push;    // [edges] m/s2 along the edge from outside, as the bulk's pressure (WH-41); NULL: none
  RvFilmSettings settings;
} RvFilmStepDef;

// What the strands' step must know of the film (WH-5, E43, E51): `load` [vertices] kg that moves with each vertex, drop
// and absorbed liquid included, of which `slide` [3 x vertices], a vector e along the tangent with e . e in kg, is what
// the step does not carry along the tangent, and `force` [unknowns] N, which is added to: weight that the strand does
// not hold, friction of the film that flows. `turn` [edges] kg m2: inertia about the tangent. Any may be NULL, slide
// and force only both.
void rv_film_load(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, double* load,
                  double* slide, double* turn, double* force);

typedef struct RvFilmReport {
  double outflow;     // m3 that came off tips into drops
  double evaporated;  // m3
  int substeps;       // most of a batch
  size_t limited;     // batches that wanted more than most_substeps: their film lags behind
} RvFilmReport;

// After the strands stepped. Film: pressure of its tension (semi-implicit), gravity, inertia and friction along the
// strand; transport of volume and of world momentum (E43), of turning (WH-25). `kick` [unknowns] kg m/s (angles: kg m2
// /s) is filled with what the strands gain by it: v += kick / (their mass with the load that the film has now); those
// of angles are meant for strands that took `turn`. Reports are added to.
RvResult rv_film_step(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                      RvFilmReport* report, RvError* error);

// Film into fibre, and both into air (promise: dry, wet, dry returns the groom). Counted where it happens. What soaks
// in stops, and its momentum is added to `kick` (may be NULL). Places are def->x.
void rv_film_dry(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                 RvFilmReport* report);

// Capillary flow between neighbouring strands (WH-27): pairs of vertices with the weights of where the nearer point of
// the other strand is, whatever its edges' lengths. Antisymmetric, positive, exact in volume.
typedef struct RvFilmBridge {
  uint32_t vertex[2];  // lower vertices (block index) of the two edges
  double t[2];         // where on each edge, 0..1 to the next vertex
  double distance;     // m between the surfaces of the hairs
  double length;       // m of strand that it stands for
} RvFilmBridge;
RvResult rv_film_across(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def,
                        const RvFilmBridge* bridges, size_t count, double* kick, RvError* error);

#endif
