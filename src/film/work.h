// One batch of film within a step: what its kernels read, write and need as room. All arrays are the batch's own, in
// lanes.
//
// Volumes stand at vertices, speeds at edges. A vertex gives its liquid to its edges in the ratio of their lengths, so
// the mass of an edge is half of the line density at both of its ends times its length, and the flux of mass through
// the vertex between two edges is the flux through their middles, interpolated: both balances hold exactly at once.
#ifndef RV_FILM_WORK_H
#define RV_FILM_WORK_H

#include "film/film.h"
#include "math/kernel.h"

// Of the strands at one moment.
typedef struct RvFilmShape {
  double* length;   // [edges] m
  double* tangent;  // [3 x edges]
  double* cell;     // [vertices] m, half of both edges
  double* share;    // [vertices] of a vertex's film that belongs to the edge after it
  double* along;    // [3 x vertices] unit tangents
} RvFilmShape;

typedef struct RvFilmWork {
  int n;                         // vertices
  const double *v_before, *v;    // [unknowns]
  const double *radius, *hairs;  // [vertices]
  const double *wet, *weight;    // [vertices] or NULL
  const double* push;            // [edges] or NULL
  double *volume, *speed, *kick, *drop, *drop_momentum;
  double* strain;  // [vertices]; NULL: a liquid without a shear modulus has none
  double density, tension, dt, gravity[3];
  RvFilmShape before, now;  // after rv_film_exchange the directions of `before` are those of the middle of the step
  double* hold;             // [vertices] share b of the relative momentum that friction takes within a step
  double* stuck;            // [edges] the same, of an edge's film
  double* mass;             // [edges] kg
  double* flux;             // [edges + 1] m3 within a substep; the last is what leaves the tip
  double* flow;             // [edges] flux over that of the mean of both ends: below 1 where the giving end is empty
  double *carried, *own;    // [3 x vertices] momentum in excess of m v, and the velocity of the film, while it is moved
  double* spin;             // [edges] kg m2/s
  double* most;             // [vertices] m3: the most that a vertex held within the step, with the drop at the tip
  double *upper, *upper2, *solved;                 // [edges] of the tension's elimination; then room
  double outflow[8] __attribute__((aligned(64)));  // m3 of each lane
} RvFilmWork;

// Below this an edge holds nothing that could have a speed, kg: far below what evaporates as a whole (dry.c).
#define RV_FILM_NO_MASS 1e-40
// m3: a cell that holds less gives all of it when it gives.
#define RV_FILM_TRACE 1e-24
// Lengths are at least this, m: edges that have collapsed stay numbers.
#define RV_FILM_NO_LENGTH 1e-9
// Share of a cell that may leave it within a substep of transport. Below 1/2 upwinding with slopes is monotone.
#define RV_FILM_COURANT 0.45

// Doubles of the room of a shape and of the whole work, and where they stand in it.
size_t rv_film_shape_size(int vertices);
double* rv_film_shape_place(RvFilmShape* shape, int vertices, double* room);

// Height and rate of friction at every vertex (friction.c), then the share b of a step.
void rv_film_hold(const RvFilmModel* model, const RvFilmBatch* batch, const RvFilmSettings* settings, double dt,
                  const double* volume, const double* speed, const RvFilmShape* shape, double* hold);

RV_KERNEL_DECLARE(void, rv_film_shape, (int n, const double* x, const RvFilmShape* shape))
RV_KERNEL_DECLARE(void, rv_film_exchange, (const RvFilmWork* w))
RV_KERNEL_DECLARE(void, rv_film_settle, (const RvFilmWork* w))
RV_KERNEL_DECLARE(void, rv_film_tension, (const RvFilmWork* w))
RV_KERNEL_DECLARE(double, rv_film_courant, (const RvFilmWork* w))
RV_KERNEL_DECLARE(void, rv_film_transport, (RvFilmWork * w, double dt, bool last))
RV_KERNEL_DECLARE(void, rv_film_spin, (const RvFilmWork* w, int sign))

// Volumes, speeds, places, velocities: no numbers, or volumes below 0.
RvResult rv_film_look(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, RvError* error);

#endif
