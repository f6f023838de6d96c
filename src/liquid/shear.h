// Shear of a liquid that yields, on the grid (SD-30, SD-31): what its particles remember meets the velocity.
//
// In a substep the stress of a cell goes from that of its particles' elastic strain, S = modulus dev b, to
//
//   share (S + 2 modulus dt D(u)),   share = s / s* of the law (rheology.h) at the norm s* of what it multiplies.
//
// For a given share this is the viscosity solve (viscosity.h) with the viscosity share modulus dt and the history
// stress share S. The share depends on the velocity, so both are found in turn, in outer iterations that begin with the
// velocity before the shear (Picard). A liquid without a shear modulus has no history: its viscosity is that of the
// law at the rate of its cells.
//
// Several materials (mixture.h): cells have the law of their mixture. The solve's viscosity is then that of the largest
// modulus, `share` the cell's own in its units, and the history is divided by the cell's modulus over the largest.
//
// The strain of a particle is then advanced by the law itself, in the velocity gradient that the cells around it have.
// Cells know of walls that the liquid sticks to and of air; APIC's affine vectors, which are made of extrapolated
// velocities there, do not. No particle is touched inside the solves.
#ifndef RV_LIQUID_SHEAR_H
#define RV_LIQUID_SHEAR_H

#include "liquid/mixture.h"
#include "liquid/transfer.h"
#include "liquid/viscosity.h"

// Largest relative change of a share that ends the outer iterations.
#define RV_SHEAR_TOLERANCE 1e-3

typedef struct RvShear {
  RvRheology law;                            // of several materials their bounds
  RvFlowTable* table;                        // of the law's index
  const RvLiquidMaterials* mixed;            // several materials, the caller's; NULL: the law holds for all
  RvFlowTable* tables;                       // [RV_LIQUID_MOST_MATERIALS] of their indices
  RvChannel part[RV_LIQUID_MOST_MATERIALS];  // cells: shares of the materials
  RvChannel flows;                           // cells of several materials: as `share`, below 1 where they flow
  RvChannel stress[RV_STRAINS];  // Pa, cells: mean over the particles of modulus dev b; not used without a modulus
  RvChannel share;               // cells: factor of the viscosity; after the advance, 1 where there is liquid
  RvChannel gradient[9];         // 1/s, cells: of the velocity after the step; not used without a modulus
  RvChannel before[3];           // faces: velocity before the shear, m/s
  double* change;                // of each tile: the largest relative change of a share
  size_t change_capacity;        // tiles
} RvShear;

// Whether a law is more than a plain viscosity.
bool rv_liquid_shear_needed(const RvRheology* law);
// NULL when out of memory.
RvShear* rv_liquid_shear_new(void);
void rv_liquid_shear_free(RvShear* shear);
size_t rv_liquid_shear_bytes(const RvShear* shear);
// Whether some liquid thickens when it is sheared: the shares then answer to errors of the velocity many times over.
bool rv_liquid_shear_thickens(const RvShear* shear);
// The law of the next substep, or those of several materials (`mixed`, else NULL). RV_BAD_INPUT: there is none such.
RvResult rv_liquid_shear_set_law(RvShear* shear, const RvRheology* law, const RvLiquidMaterials* mixed, RvError* error);
// [cells] 1 where the liquid does not flow, after the shares were found.
const float* rv_liquid_shear_flows(const RvShear* shear);

// Stress of cells from the particles, after rv_liquid_to_grid with the same scatter.
RvResult rv_liquid_shear_gather(RvShear* shear, const RvLiquidGrid* grid, const RvScatter* scatter,
                                const RvParticles* particles, RvError* error);
// Sets viscosity, factors and history of a viscosity solve for a substep of dt; the shares are 1.
RvResult rv_liquid_shear_begin(RvShear* shear, RvViscosityIn* in, double dt, RvError* error);
// The shares for the velocity at hand. Returns the largest relative change.
double rv_liquid_shear_share(RvShear* shear, const RvViscosityIn* in, double dt);
// Changes the velocity of the grid by the shear of dt. `in` is that of the viscosity solve; its viscosity, factors and
// history are set here. `outer`: iterations that were needed.
RvResult rv_liquid_shear_solve(RvShear* shear, RvViscosity* viscosity, RvViscosityIn in, double dt,
                               RvViscosityReport* report, int* outer, RvError* error);
// Advances the strain of all particles by dt, in the velocity gradient of the cells around them, before they are moved.
// `in` is that of the viscosity solve.
RvResult rv_liquid_shear_advance(RvShear* shear, RvViscosityIn in, const RvScatter* scatter, RvParticles* particles,
                                 double dt, RvError* error);

#endif
