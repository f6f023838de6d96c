// Strands with film in liquid at rest on a grid, or among particles, for the checks of the coupling (WH-28 to WH-42).
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
  double* memory;      // block of the arrays below and the film's
  double* force;       // [unknowns] of this step, N
  double* stored;      // [unknowns] force of the last pressure, for the next step, N
  double* kick;        // [unknowns] impulses that are not applied yet, N s
  double* target;      // [unknowns] positions of fixed unknowns
  double* film_hairs;  // [vertices] hairs that a strand stands for
  double* load;        // [vertices] mass of the film that moves with the strand, kg
  RvCouple* couple;
  RvCoupleSettings set;
  RvCoupleStrands strands;
  const RvCoupleSample* sample;
  RvPressureRig tank;
  bool fixed;    // strands do not move
  bool started;  // a substep was done: the faces' mass is less the fibres' share
} RvCoupleRig;

// A straight strand, for rv_rig_couple_new; m and kg/m3.
typedef struct RvCoupleLine {
  double from[3], to[3], radius, density;
} RvCoupleLine;

RvResult rv_rig_couple_new(RvCoupleRig* rig, const RvCoupleLine* lines, size_t count, int vertices, double hairs,
                           RvError* error);
void rv_rig_couple_free(RvCoupleRig* rig);
// Puts film of that cross-section (m2) on all strands.
void rv_rig_couple_set_film(RvCoupleRig* rig, double area);
// Capture as if all strands had been under water just before.
RvResult rv_rig_couple_capture(RvCoupleRig* rig, const RvLiquidGrid* grid, RvParticles* particles, double dt,
                               uint64_t random, RvCoupleReport* report, RvError* error);
// One step of the strands with the sampled drag, without or with their weight.
RvResult rv_rig_couple_step(RvCoupleRig* rig, double dt, bool weight, RvError* error);
// Applies the impulses to the strands and clears them.
void rv_rig_couple_apply_kick(RvCoupleRig* rig);
// Adds the film's mass to the strands; `wet` is w_FF of each vertex, the film's share above water (WH-18), NULL for 1.
void rv_rig_couple_load(RvCoupleRig* rig, const double* wet);

// Momentum of strands and film, with pending impulses and the stored force times dt (kg m/s); the film's volume (m3).
RvVec3 rv_rig_couple_momentum(const RvCoupleRig* rig, double dt);
double rv_rig_couple_film(const RvCoupleRig* rig);
// Volumes that edge i of a strand has of the film of its two vertices, m3.
void rv_rig_couple_shares(const RvCoupleRig* rig, const RvStrandBatch* batch, int lane, int i, double part[2]);
// Index of vertex i of a strand, and of its unknown c (0 to 2 coordinates, 3 angle).
size_t rv_rig_couple_vertex(const RvCoupleRig* rig, size_t strand, int i);
size_t rv_rig_couple_unknown(const RvCoupleRig* rig, size_t strand, int i, int c);

// Liquid at rest in a box of tiles where `liquid` is negative, with the channels that particles would fill. Velocities
// change, but nothing is advected.
RvResult rv_rig_couple_tank(RvCoupleRig* rig, const int lo[3], const int hi[3], double dx, RvLiquidFn* liquid,
                            const void* user, RvError* error);
// One substep of strands and liquid in the tank.
RvResult rv_rig_couple_substep(RvCoupleRig* rig, double dt, RvError* error);

#endif
