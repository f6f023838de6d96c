// One batch of film within a step: the input, output and temporary arrays of its kernels, in lanes. Private to
// src/film.
//
// Volumes are at vertices, speeds at edges (a staggered grid along the strand). A vertex gives its liquid to its edges
// in the ratio of their lengths. So the mass of an edge is the mean line density of its ends times its length, and the
// mass flux through a vertex is interpolated from the fluxes through the middles of its edges: both mass balances hold
// exactly at once.
#ifndef RV_FILM_WORK_H
#define RV_FILM_WORK_H

#include "film/film.h"
#include "math/kernel.h"

// Geometry of a batch's strands at one moment.
typedef struct RvFilmShape {
  double* length;   // [edges] m
  double* tangent;  // [3 x edges]
  double* cell;     // [vertices] m, half the length of both edges
  double* share;    // [vertices] share of a vertex's film that belongs to the edge after it
  double* along;    // [3 x vertices] unit tangents
} RvFilmShape;

typedef struct RvFilmWork {
  int n;                         // vertices
  const double *v_before, *v;    // [unknowns] m/s, of the strands
  const double *radius, *hairs;  // [vertices] as in RvFilmModel
  const double *wet, *weight;    // [vertices] as in RvFilmStepDef, or NULL
  const double *suction, *free_area,
      *bundled;            // [vertices] as in RvFilmStepDef; NULL: no strand of the batch is in a bundle
  double *volume, *speed;  // state, as in RvFilmState
  double *drop, *drop_momentum;
  double* strain;                // [vertices]; NULL: a liquid without a shear modulus has none
  double *solids, *drop_solids;  // [vertices], of each lane; NULL: the liquid has none
  double* kick;                  // [unknowns] kg m/s
  double density, tension, dt, gravity[3];
  double flow_dt;           // s: part of the step that pressure and transport advance by
  RvFilmShape before, now;  // after rv_film_exchange the tangents of `before` are those of the middle of the step
  double* hold;             // [vertices] share b of the relative momentum that friction removes within a step
  double* stuck;            // [edges] the same, of an edge's film
  double* mass;             // [edges] kg
  double* flux;             // [edges + 1] m3 within a substep; the last one leaves the tip
  double* flow;             // [edges] flux over that of the mean of both ends: below 1 where the donor is empty
  double* carried;          // [3 x vertices] kg m/s: advected momentum in excess of m v
  double* own;              // [3 x vertices] m/s: velocity of the film during transport
  double *of_vertices, *of_edges;      // [3 x vertices] temporary numbers of the capillary pressure
  double* gain;                        // [edges] m/s that the exchange with the strands gives within the step
  double* gain_mass;                   // [edges] kg that it was found for
  double* hold_now;                    // [vertices] share that friction removes within flow_dt, of the present film
  double *free_speed, *braked;         // [edges] m/s without friction; share that the law of flow removes
  double* speed_before;                // [edges] m/s
  double *ratio_before, *ratio_after;  // [edges] length over that of the edge before, and of the one after
  double* spin;                        // [edges] kg m2/s, angular momentum about the tangent
  double* most;             // [vertices] m3: largest volume of the vertex within the step, with the drop at the tip
  double *upper, *upper2;   // [edges] upper diagonals of the eliminated matrix of the capillary pressure
  double* bundle_pressure;  // [vertices] Pa of the film in a bundle, over the tension: 1/m
  double* bundle_slope;     // [vertices] its slope by the volume that flows in, over the tension: 1/m4
  double* solved;           // [edges] its eliminated right-hand side; later the new strain or solids of the vertices
  double outflow[8] __attribute__((aligned(64)));  // m3 that left the tip, each lane
  double closed[8] __attribute__((aligned(64)));   // 1 where the tip holds its film, 0 where it drains, each lane
} RvFilmWork;

// m/s2: a tip drains freely where gravity and inertia pull its film off by more than this, a twentieth of gravity.
#define RV_FILM_DRAINS (0.05 * 9.81)
// kg: an edge with less film has speed 0. It is far below the mass at which a film evaporates as a whole (dry.c).
#define RV_FILM_NO_MASS 1e-40
// m3: a cell that holds less empties at once when it has outflow.
#define RV_FILM_TRACE 1e-24
// m: lower bound of edge lengths, so that collapsed edges give no division by zero.
#define RV_FILM_NO_LENGTH 1e-9
// Courant number of a substep of transport: below 1/2 the second-order upwind scheme is monotone.
#define RV_FILM_COURANT 0.45

// Number of doubles that a shape needs; sets its arrays into `memory` and returns the first double behind them.
// (area.c)
size_t rv_film_shape_size(int vertices);
double* rv_film_shape_place(RvFilmShape* shape, int vertices, double* memory);

// Temporary memory of a loop over batches: one piece for each of its tasks, from the arena or, with NULL, allocated.
// (step.c)
typedef struct RvFilmRooms {
  RvArena* arena;
  RvArenaMark mark;
  double* memory;
  size_t each;   // doubles of a task
  size_t grain;  // batches of a task
} RvFilmRooms;
bool rv_film_rooms_take(RvFilmRooms* rooms, RvArena* arena, const RvFilmModel* model, size_t least_grain,
                        size_t (*size)(int vertices));
static inline double* rv_film_room(const RvFilmRooms* rooms, size_t first_batch) {
  return rooms->memory + first_batch / rooms->grain * rooms->each;
}
void rv_film_rooms_release(RvFilmRooms* rooms);

// Share b of the relative momentum that friction removes within a step, at every vertex. That of a liquid with a law of
// flow depends on the speed, which gravity is added to: the strands' step must know it before it is made. (friction.c)
// `solids` of the vertices; NULL: none.
void rv_film_hold(const RvFilmModel* model, const RvFilmBatch* batch, const RvFilmStepDef* def, double dt,
                  const double* volume, const double* solids, const double* speed, const RvFilmShape* shape,
                  double* hold);
// The same of edges, from speeds that lack nothing but friction.
void rv_film_hold_edges(const RvFilmModel* model, const RvFilmBatch* batch, const RvFilmSettings* settings, double dt,
                        const double* volume, const double* solids, const double* speed, const RvFilmShape* shape,
                        double* hold);

// Lengths, tangents, cells and shares of n vertices at x (shape_kernel.c); the unit tangents of vertices alone.
RV_KERNEL_DECLARE(void, rv_film_shape, (int n, const double* x, const RvFilmShape* shape))
RV_KERNEL_DECLARE(void, rv_film_vertex_tangents, (int n, const double* x, double* along))
// The film's gain of momentum from gravity, inertia and friction; the first half of the turn to the new tangents, and
// the second half after transport (exchange_kernel.c).
RV_KERNEL_DECLARE(void, rv_film_exchange, (RvFilmWork * w))
RV_KERNEL_DECLARE(void, rv_film_settle, (const RvFilmWork* w))
// Takes the gain back from the speeds, or adds a part of it (exchange_kernel.c).
RV_KERNEL_DECLARE(void, rv_film_take_gain_back, (const RvFilmWork* w))
RV_KERNEL_DECLARE(void, rv_film_add_gain, (const RvFilmWork* w, double part))
// Slows film that has become thinner within the step (exchange_kernel.c).
RV_KERNEL_DECLARE(void, rv_film_slow_thinned, (const RvFilmWork* w))
// The speeds become what `braked` leaves of `free_speed`. (exchange_kernel.c)
RV_KERNEL_DECLARE(void, rv_film_brake, (const RvFilmWork* w))
// Capillary pressure (tension_kernel.c).
RV_KERNEL_DECLARE(void, rv_film_tension, (const RvFilmWork* w))
// Transport and its Courant number; angular momentum about the tangent before (sign 1) and after it (sign -1)
// (transport_kernel.c).
RV_KERNEL_DECLARE(double, rv_film_courant, (const RvFilmWork* w))
// Sets ratio_before and ratio_after, which stay the same in all substeps of transport.
RV_KERNEL_DECLARE(void, rv_film_ratios, (const RvFilmWork* w))
RV_KERNEL_DECLARE(void, rv_film_transport, (RvFilmWork * w, double dt, bool last))
RV_KERNEL_DECLARE(void, rv_film_spin, (const RvFilmWork* w, int sign))

// Refuses volumes, speeds, positions and velocities that are not finite, and negative volumes. (state.c)
RvResult rv_film_validate(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, RvError* error);

#endif
