// Strands with film on a bench, in still liquid on a grid or among particles, for the checks of the coupling.
#ifndef RV_RIG_COUPLE_H
#define RV_RIG_COUPLE_H

#include "couple/couple.h"
#include "math/vec.h"
#include "rig/pressure.h"

typedef struct RvCoupleRig {
  RvStrandModel* model;
  RvStrandState* state;
  RvFilmBatch* batches;
  RvFilmModel film;
  RvFilmState film_state;
  double* memory;  // of the arrays below and the film's
  double *force, *stored, *kick, *target, *film_hairs, *load;
  RvCouple* couple;
  RvCoupleSettings set;
  RvCoupleStrands strands;
  const RvCoupleSample* sample;
  RvPressureRig tank;
  bool fixed;    // strands do not move
  bool started;  // the fibres' share of the tank is known
} RvCoupleRig;

// A straight strand of n vertices from `from` to `to`, for rv_rig_couple_new.
typedef struct RvCoupleLine {
  double from[3], to[3], radius, density;
} RvCoupleLine;

RvResult rv_rig_couple_new(RvCoupleRig* rig, const RvCoupleLine* lines, size_t count, int vertices, double hairs,
                           RvError* error);
void rv_rig_couple_free(RvCoupleRig* rig);
// Film of that cross-section, m2, on all of it.
void rv_rig_couple_wet(RvCoupleRig* rig, double area);
// Capture at the rate of the settings everywhere, also where strands are under water.
RvResult rv_rig_couple_capture_submerged(RvCoupleRig* rig, const RvLiquidGrid* grid, RvParticles* particles, double dt,
                                         RvCoupleReport* report, RvError* error);
// One step of the strands with what the sample says, without and with weight.
RvResult rv_rig_couple_step(RvCoupleRig* rig, double dt, bool weight, RvError* error);
// Gives the kicks to the strands, and clears them.
void rv_rig_couple_kick(RvCoupleRig* rig);
// Film's mass goes with the strands, but for what is under water.
void rv_rig_couple_load(RvCoupleRig* rig, const double* wet);

// Momentum of strands, film and what waits in the stored force; film's volume.
RvVec3 rv_rig_couple_momentum(const RvCoupleRig* rig, double dt);
double rv_rig_couple_film(const RvCoupleRig* rig);
// Volumes that edge i of a strand has of its vertices' film.
void rv_rig_couple_shares(const RvCoupleRig* rig, const RvStrandBatch* batch, int lane, int i, double part[2]);
// Vertex i of the strand in a lane of the first batch.
size_t rv_rig_couple_vertex(const RvCoupleRig* rig, size_t strand, int i);
size_t rv_rig_couple_unknown(const RvCoupleRig* rig, size_t strand, int i, int c);

// Liquid at rest in a box of tiles, as far as `liquid` says, with channels as particles would fill them. It flows, but
// what it carries stays: no advection.
RvResult rv_rig_couple_tank(RvCoupleRig* rig, const int lo[3], const int hi[3], double dx, RvLiquidFn* liquid,
                            const void* user, RvError* error);
// A whole substep in the tank.
RvResult rv_rig_couple_substep(RvCoupleRig* rig, double dt, RvError* error);

#endif
