// Position-based liquid for lookdev (AH-12 to AH-16, spec 6.2 with E37, E38, E62, E63).
//
// The density constraint C = rho / rho0 - 1 <= 0 is one-sided: particles are pushed apart, never together. It is solved
// by Jacobi steps on the multipliers of all particles. Multipliers accumulate over the steps of a substep and are
// clamped at 0 as a whole, not step by step, so that a step may take back what the last one pushed too far (E69); they
// start from those of the substep before, as pressures, so that a column at rest keeps the pressure it has found.
//
// Viscosity, cohesion and curvature are accelerations of physical size, so that the look does not change with the
// number of substeps (E62): viscosity is XSPH with the rate 6 nu / <r^2>, whose limit is the viscous term of the flow,
// and cohesion has the coefficient that gives the surface tension sigma (spec 5.2, E67).
//
// Solids are fields: their share of a particle's surroundings enters the density (sph/half.h), and a particle does not
// come nearer to a surface than `margin`.
//
// Places are those of RvParticles. Of its affine vectors, which this liquid does not have, c[RV_LOOKDEV_PRESSURE] is
// the multiplier over dt^2 and c[RV_LOOKDEV_HOLD] the time that pores hold the particle (pore.h).
#ifndef RV_LOOKDEV_LIQUID_H
#define RV_LOOKDEV_LIQUID_H

#include "contact/collider.h"
#include "liquid/particles.h"
#include "lookdev/liquid_kernel.h"

// Largest growth of gravity on liquid that hair holds, c[RV_LOOKDEV_HOLD].
#define RV_LOOKDEV_MOST_HOLD 4.0

enum { RV_LOOKDEV_PRESSURE = 0, RV_LOOKDEV_HOLD = 1 };  // numbers of RvParticles.c

typedef struct RvLookdevLiquidModel {
  double dx;          // m: side of a cell of the particles' places
  double spacing;     // m between particles at rest
  double support;     // m, of all kernels
  double density;     // kg/m3
  double gravity[3];  // m/s2
  double viscosity;   // Pa s
  double smoothing;   // 1/s: rate at which velocities of neighbours become equal, beside viscosity
  double tension;     // N/m
  double curvature;   // of the curvature force, relative to cohesion
  double tolerance;   // mean excess of density at which the iterations end
  int iterations;     // at most
  double relaxation;  // added to the diagonal, as a share of that at rest (AH-12)
  double over;        // over-relaxation of the Jacobi steps
  double warm;        // share of the last substep's pressure with which a substep begins
  double adhesion;    // m/s2 by which solids attract the liquid
  double margin;      // m that particles keep from solids
} RvLookdevLiquidModel;

// Walls of a box, and colliders.
typedef RvContactSolids RvLookdevSolids;

// Stages of a substep, in their order.
#define RV_LOOKDEV_LIQUID_STAGES(X) \
  X(predict)                        \
  X(solids)                         \
  X(sort)                           \
  X(neighbours)                     \
  X(density)                        \
  X(forces)                         \
  X(move)

typedef enum RvLookdevLiquidStage {
#define RV_LOOKDEV_LIQUID_STAGE_ENUM(name) RV_LOOKDEV_LIQUID_STAGE_##name,
  RV_LOOKDEV_LIQUID_STAGES(RV_LOOKDEV_LIQUID_STAGE_ENUM)
#undef RV_LOOKDEV_LIQUID_STAGE_ENUM
      RV_LOOKDEV_LIQUID_STAGE_COUNT
} RvLookdevLiquidStage;

typedef struct RvLookdevLiquidReport {
  int substeps;
  int iterations;          // in all substeps together
  int most_iterations;     // of a substep
  int unconverged;         // substeps that ended above the tolerance
  int limited;             // substeps whose viscosity was limited
  double excess;           // mean excess of density of the last substep; before the iteration if there is only one
  double largest;          // largest of the last substep
  size_t calmed;           // particles whose gain by an impact was limited, summed over substeps
  double calmed_momentum;  // kg m/s that this took away, summed
  size_t buried;           // particles deep in solids in the last substep
  size_t full;             // particles with more neighbours than a list holds, summed over substeps
  size_t pairs;            // neighbours in the last substep
  double seconds[RV_LOOKDEV_LIQUID_STAGE_COUNT];
} RvLookdevLiquidReport;

// What a substep works on; arrays are of the arena and live until the end of the substep.
typedef struct RvLookdevLiquidWork {
  RvArenaMark mark;
  double dt;
  double warm;              // share of the last pressure with which the substep begins
  double* place;            // [count][3] m: predicted, in the order of the particles
  float* weight;            // [count] shares of a full particle's mass
  RvLookdevPlanes* planes;  // [count] in the order of the particles
  uint8_t* near;            // [count] whether there are some
  RvSphLattice lattice;
  RvSphSet set;
  RvSphLists lists;
  RvLookdevSums sums;
  float* start;  // [count][4] places at the begin of the iterations, sorted
} RvLookdevLiquidWork;

typedef struct RvLookdevLiquid {
  RvLookdevLiquidModel model;
  RvParticles* particles;  // borrowed
  RvLookdevSolids solids;
  RvSphHalf half;                            // of poly6
  RvSphHalf adhesive;                        // of adhesion, relative to its largest pull
  double cohesion_moment;                    // fourth moment of the kernel
  RvArena* arena;                            // borrowed; nothing is kept in it between substeps
  RvLookdevLiquidWork work;
  RvLookdevLiquidReport report;
  // for benchmarks
  bool single;    // one lane
  bool cpu_time;  // seconds of the report are CPU time of all threads
} RvLookdevLiquid;

// Water of a spacing, with the support of two spacings.
RvLookdevLiquidModel rv_lookdev_liquid_defaults(double spacing);
void rv_lookdev_liquid_init(RvLookdevLiquid* liquid, const RvLookdevLiquidModel* model, RvParticles* particles,
                            RvArena* arena);

// A substep of the liquid alone.
RvResult rv_lookdev_liquid_substep(RvLookdevLiquid* liquid, double dt, RvError* error);
// Its parts, between which pores do their own. On failure the substep is over, and its memory given back.
// predict: gravity, places at the end of the substep, and solids.
RvResult rv_lookdev_liquid_predict(RvLookdevLiquid* liquid, double dt, RvError* error);
// arrange: sorts the particles and finds their neighbours. The lattice also covers the places of `others`, or NULL.
RvResult rv_lookdev_liquid_arrange(RvLookdevLiquid* liquid, const double* others, size_t nother, RvError* error);
// project: the density constraint, and velocities from the displacements.
RvResult rv_lookdev_liquid_project(RvLookdevLiquid* liquid, RvError* error);
// move: forces, then places and velocities of the particles.
RvResult rv_lookdev_liquid_move(RvLookdevLiquid* liquid, RvError* error);
// The clock of the report, s.
double rv_lookdev_liquid_clock(const RvLookdevLiquid* liquid);
// Ends a substep early.
void rv_lookdev_liquid_end(RvLookdevLiquid* liquid);

// The longest substep that the speeds and the surface tension allow, s.
double rv_lookdev_liquid_longest(const RvLookdevLiquid* liquid);

// liquid_solids.c: pushes the predicted places out of solids, and keeps the planes of their surfaces.
RvResult rv_lookdev_liquid_meet_solids(RvLookdevLiquid* liquid, RvError* error);

#endif
