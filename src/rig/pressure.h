// Liquid given by a distance function on tiles, without particles, for the checks and benchmarks of the pressure.
#ifndef RV_RIG_PRESSURE_H
#define RV_RIG_PRESSURE_H

#include "liquid/pressure.h"

typedef struct RvPressureRig {
  RvLiquidGrid grid;
  RvLiquidSolids solids;
  RvPressure* pressure;
} RvPressureRig;

// Signed distance to the liquid, below 0 in it, at a point.
typedef double RvLiquidFn(const void* user, const double x[3]);

// Builds the tiles from lo to hi (exclusive) that hold liquid or lie within 1.5 cells of it, or all of them. Beyond the
// box are closed walls. Velocity and pressure are 0.
RvResult rv_rig_pressure_build(RvPressureRig* rig, const int lo[3], const int hi[3], double dx, RvLiquidFn* liquid,
                               const void* user, bool all, RvError* error);
// Adds solids of simple shapes.
RvResult rv_rig_pressure_solids(RvPressureRig* rig, const RvSolidShape* shapes, size_t count, RvError* error);
// Adds a velocity to every face.
void rv_rig_pressure_add_velocity(RvPressureRig* rig, const double velocity[3]);
// The scenes of the benchmark, in a closed cube of side 1 that is n (of 8) cells wide: full; a pool with a flat
// surface; a splash with a ball in it; a wavy sheet three cells thick.
enum { RV_PRESSURE_SCENES = 4 };
extern const char* const rv_rig_pressure_scenes[RV_PRESSURE_SCENES];
RvResult rv_rig_pressure_scene(RvPressureRig* rig, int scene, int n, RvError* error);
// Sets velocities of a fall of 1 m/s and smooth vortices of 0.5 m/s, whatever they were.
void rv_rig_pressure_stir(RvPressureRig* rig);
// Centre of a cell.
void rv_rig_pressure_center(const RvPressureRig* rig, size_t tile, int cell, double x[3]);
// Largest |divergence - wanted divergence| dx over the liquid's cells, m/s, by a sum of its own over their faces;
// *speed gets the largest |velocity| of these faces.
double rv_rig_pressure_divergence(const RvPressureIn* in, double* speed);
void rv_rig_pressure_free(RvPressureRig* rig);

#endif
