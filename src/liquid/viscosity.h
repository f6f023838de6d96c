// Implicit viscosity of the liquid, optional, before the pressure solve.
//
// It solves the variational form of Batty and Bridson (2008) for all three components at once: the velocity that
// minimises
//
//   sum over faces of m density (u - u*)^2 / 2  +  dt sum over stress points of w viscosity D(u) : D(u)
//
// with D = (grad u + grad u^T) / 2, its diagonal at the centres of cells and its other components at the midpoints of
// edges; m and w are the liquid fractions around each (by the distance, 0..1). So the surface is free of traction,
// rigid motions are unchanged, and linear and angular momentum are conserved, which Laplacians by component do not do.
// Backward Euler in time is stable for any step. Second order inside; at the surface as accurate as the weights.
//
// At closed faces (open < 1/2) the velocity is the solid's. Where `stick` is set the liquid's tangential velocity goes
// to the solid's (no slip), else no stress acts across (free slip). Faces in absent tiles are closed, at rest and slip.
//
// The solver is conjugate gradients scaled by the diagonal, in float with double sums; the same bits for any number of
// workers and any instruction set. Iterations grow with the root of viscosity dt / (density dx^2).
#ifndef RV_LIQUID_VISCOSITY_H
#define RV_LIQUID_VISCOSITY_H

#include "liquid/grid.h"
#include "liquid/solids.h"

typedef struct RvViscosityIn {
  const RvTiles* tiles;
  double dx, dt, density;   // m, s, kg/m^3
  double viscosity;         // Pa s
  const float* field;       // cells: factors of it; NULL: 1
  const float* history[6];  // Pa, cells: a stress that is there before, which `field` multiplies as well (xx, yy, zz,
                            // yz, xz, xy); NULL: none
  const float*
      before[3];  // m/s: the velocity that inertia has, if `velocity` is only the first guess; NULL: `velocity`
  const float* inertia[3];  // factors of the mass of faces; NULL: 1
  float* velocity[3];       // m/s; changed where there is liquid
  const float* open[3];     // NULL: all 1
  const float* solid[3];    // m/s, read at closed faces; NULL: 0
  const float* distance;    // m, below 0 in the liquid
  bool stick;               // no slip at solids
} RvViscosityIn;

typedef struct RvViscosityReport {
  int iterations;
  bool converged;
  double residual;  // relative
} RvViscosityReport;

typedef struct RvViscosity RvViscosity;
RvViscosity* rv_liquid_viscosity_new(void);
void rv_liquid_viscosity_free(RvViscosity* viscosity);
size_t rv_liquid_viscosity_bytes(const RvViscosity* viscosity);

// Tolerance of the residual, 0: 1e-5; at most `most` iterations, 0: 500. On failure nothing has changed.
RvResult rv_liquid_viscosity_solve(RvViscosity* viscosity, const RvViscosityIn* in, double tolerance, int most,
                                   RvViscosityReport* report, RvError* error);
// The input made of a grid and its solids (NULL: none).
RvViscosityIn rv_liquid_viscosity_of_grid(RvLiquidGrid* grid, const RvLiquidSolids* solids, double density,
                                          double viscosity, double dt);

#endif
