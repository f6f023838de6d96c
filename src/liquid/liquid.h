// The liquid stage: APIC particles on sparse tiles (WH-33, 34, 36, 37, 43). rv_liquid_substep is the method; everything
// else of it stands in grid.h, transfer.h, stages.h, resample.h, pressure.h.
#ifndef RV_LIQUID_LIQUID_H
#define RV_LIQUID_LIQUID_H

#include "liquid/flows.h"
#include "liquid/pressure.h"
#include "liquid/resample.h"
#include "liquid/shear.h"
#include "liquid/solid_grids.h"
#include "liquid/stages.h"
#include "liquid/stokes.h"
#include "liquid/viscosity.h"
#include "liquid/wall_drops.h"

// Stages, in the order of the substep: timers, progress line, report and manual use these names.
#define RV_LIQUID_STAGES(X) \
  X(resample)               \
  X(sort)                   \
  X(sources)                \
  X(grid)                   \
  X(togrid)                 \
  X(solids)                 \
  X(surface)                \
  X(forces)                 \
  X(viscosity)              \
  X(volume)                 \
  X(pressure)               \
  X(extrapolate)            \
  X(fromgrid)               \
  X(collide)

typedef enum RvLiquidStage {
#define RV_LIQUID_STAGE_ENUM(name) RV_LIQUID_STAGE_##name,
  RV_LIQUID_STAGES(RV_LIQUID_STAGE_ENUM)
#undef RV_LIQUID_STAGE_ENUM
      RV_LIQUID_STAGE_COUNT
} RvLiquidStage;
extern const char* const rv_liquid_stage_names[RV_LIQUID_STAGE_COUNT + 1];  // NULL at the end

// Cells that a shear wave may go in a substep. The solve is stable for any number; beyond it the history stress, which
// particles carry, lags behind.
#define RV_LIQUID_SHEAR_CELLS 6.0

typedef struct RvLiquidModel {
  double dx;                           // m: side of a cell, twice the spacing of particles
  double origin[3];                    // world position of cell (0, 0, 0)
  double density;                      // kg/m^3
  double gravity[3];                   // m/s^2
  double viscosity;                    // Pa s; 0: none
  RvRheology law;                      // of a liquid that yields, thins or thickens; its consistency is the viscosity
  const RvLiquidMaterials* materials;  // several; law then has their bounds, and theirs of density
                                       // and tension are relative to those here; NULL: one
  bool split;                          // shear and pressure one after the other, not together
  bool stick;                          // a viscous liquid does not slip on solids
  double tension;                      // N/m at the surface; 0: none
  RvSessile sessile;  // drops on solids, smaller than the grid resolves; without tension there are none
  double cfl;         // cells that a particle may go a substep, at most 3
  double drift_time;  // s in which cells that are too full or too empty are brought back; 0: never
  int drift_every;    // substeps from one time that this is done to the next
  double tolerance;   // of the pressure; 0: its own
  double margin;      // cells that particles keep from solids
  double speed;       // m/s of what else moves, as solids and new particles: the CFL counts it too
  size_t most_tiles;  // refused above that many tiles, before memory is taken; 0: any
  RvResample resample;
  int resample_every;  // substeps; 0: never
} RvLiquidModel;

// What a substep meets besides the particles, as it is at the end of the substep. All of it is the caller's.
typedef struct RvLiquidInputs {
  const RvLiquidSolid* solids;  // level sets, each with its motion
  size_t nsolid;
  const RvSolidShapes* walls;  // of a tank; NULL: none
  RvSolidFn* solid;            // a solid as a function, in place of both; NULL: none
  const void* solid_user;
  RvLiquidFlows* flows;  // sources and sinks; NULL: none
} RvLiquidInputs;

typedef struct RvLiquidReport {
  RvPressureReport pressure;  // of the last substep
  int substeps, iterations;   // iterations: the most of a substep
  int outer;                  // outer iterations of the shear, the most of a substep
  double unbalanced;          // their residual, the largest of a substep
  int unconverged;            // substeps whose pressure or viscosity stopped short
  double seconds[RV_LIQUID_STAGE_COUNT];
  size_t collided;
  size_t caught;      // particles among solids without a way out, at the end of the last substep
  size_t inside;      // of these, particles that are deep within a solid
  int hurried;        // times that fewer substeps were allowed than the CFL wants: fast particles lag behind
  int shear_hurried;  // times that they are fewer than shear waves want
  RvResampled resampled;
  RvParticlesLost lost;
} RvLiquidReport;

typedef struct RvLiquid {
  RvLiquidModel model;
  RvLiquidInputs inputs;  // of the substep
  RvParticles particles;
  int64_t next_id;
  int64_t steps;   // substeps since the frame began
  double time;     // s, end of the last substep
  bool exchanged;  // particles came or went since the sort, and must be sorted before the grid is built
  // Asked between stages: true ends the substep with RV_CANCELLED. NULL: never.
  bool (*cancelled)(void* user, double time, const char* stage);
  void* cancel_user;
  // rebuilt in every substep
  RvLiquidGrid grid;
  RvLiquidSolids solids;
  RvScatter scatter;
  RvPressure* pressure;
  RvChannel increment;     // of the pressure, by what viscosity changed
  RvViscosity* viscosity;  // made when it is needed
  RvShear* shear;          // made when it is needed: the law is more than a viscosity
  RvWallDrops drops;       // on solids
  RvStokes* stokes;        // made when it is needed
  RvLiquidReport report;   // added to; clear it when you like
} RvLiquid;

RvLiquidModel rv_liquid_model_default(double dx);
// False when out of memory.
bool rv_liquid_init(RvLiquid* liquid, const RvLiquidModel* model);
void rv_liquid_free(RvLiquid* liquid);
// What lives only within a stage, or from the forces to the end of a move, is taken from `scratch`, which others may
// use in turn: all that they take between rv_liquid_project and rv_liquid_move they give back before. It must outlive
// the liquid or be taken away: NULL, the liquid's own memory.
void rv_liquid_set_scratch(RvLiquid* liquid, RvArena* scratch);
// Bytes of the grid and the solves; those of the particles are rv_liquid_particles_bytes.
size_t rv_liquid_grid_memory(const RvLiquid* liquid);

// The longest substep that the CFL allows now, for velocities as they are and the gain of gravity.
double rv_liquid_longest(const RvLiquid* liquid);
// One substep of `dt`. The particles are moved; sort them (or step again) before their cells are asked for. On failure
// the liquid is not what it was: start again from a state.
RvResult rv_liquid_substep(RvLiquid* liquid, double dt, RvError* error);
// Its four parts, between which a coupled solver does its own stages.
// arrange: particles resampled and sorted, so that film and bulk may exchange volume (set `exchanged` if they did).
RvResult rv_liquid_arrange(RvLiquid* liquid, RvError* error);
// gather: sources and sinks, then a grid of the particles with solids and surface.
RvResult rv_liquid_gather(RvLiquid* liquid, double dt, RvError* error);
// project: forces, viscosity, volume correction and pressure; velocities are free of divergence afterwards.
RvResult rv_liquid_project(RvLiquid* liquid, double dt, RvError* error);
// move: particles take the grid's velocities, move and collide.
RvResult rv_liquid_move(RvLiquid* liquid, double dt, RvError* error);
// Its sources and sinks alone: marks what sinks take; new particles of dt.
RvResult rv_liquid_take(RvLiquid* liquid, RvError* error);
RvResult rv_liquid_give(RvLiquid* liquid, double dt, RvError* error);
// The next substep of what is left of a frame, of which it is taken away; see rv_liquid_advance.
double rv_liquid_next(RvLiquid* liquid, double* left, int taken, int least, int most);
// Substeps of equal length over `dt`, at least `least` and at most `most`, as many as the CFL wants; the count adapts
// after each. From the first one on nothing depends on what came before but the particles: the pressure starts from
// zero.
RvResult rv_liquid_advance(RvLiquid* liquid, double dt, int least, int most, RvError* error);

#endif
