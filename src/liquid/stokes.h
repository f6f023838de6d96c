// Pressure and shear of a viscous liquid together (SD-31, SD-32): one velocity that has the wanted divergence and whose
// inertia, shear stress and pressure balance. The order one after the other leaves half of a step's shear unbalanced,
// so that a liquid that should stand creeps, and a thread that is pressed along its axis does not buckle.
//
// Both act by the same liquid fractions w of cells, m of faces (Larionov, Batty, Bridson 2017, "Variational Stokes"):
//
//   m density (u - u*) = dt (div (w stress) - grad (w p)),   div u = wanted where w > 0,
//
// so that their sum has no traction at the free surface. With P = w p the pressure's part is the pressure solve with
// the mobility 1 / m of faces and P = 0 in the cells without liquid.
//
// Outer iterations of Cahouet and Chabard (1988): a viscosity solve with the P at hand gives a velocity u with the
// excess divergence e, a pressure solve takes it out by the potential phi, and
//
//   P += phi - 2 w viscosity e,
//
// which is the inverse of the Schur complement of a liquid without boundaries: its first term is exact where inertia
// counts, its second where viscosity does. At free corners it is up to three times too large, so that the iterations
// are accelerated (Anderson 1965): about nine reach a residual of 1e-5. The shares of a liquid that yields (shear.h)
// follow in the same iterations. The residual is the root mean square of the velocity that the last phi took away, over
// that of the impulse of P.
#ifndef RV_LIQUID_STOKES_H
#define RV_LIQUID_STOKES_H

#include "liquid/pressure.h"
#include "liquid/shear.h"

typedef struct RvStokes RvStokes;
// NULL when out of memory.
RvStokes* rv_liquid_stokes_new(void);
void rv_liquid_stokes_free(RvStokes* stokes);
size_t rv_liquid_stokes_bytes(const RvStokes* stokes);

typedef struct RvStokesIn {
  RvLiquidGrid* grid;            // its velocity is u* on entry, without drag
  const RvLiquidSolids* solids;  // NULL: none
  RvPressure* pressure;
  RvViscosity* viscosity;
  RvShear* shear;  // NULL: a plain viscosity
  RvViscosityIn of_viscosity;
  double tension;  // N/m
  double dt;       // s
  bool warm;       // the grid's pressure is a first guess
} RvStokesIn;

typedef struct RvStokesReport {
  RvPressureReport pressure;  // of the last pressure solve
  int outer;                  // outer iterations
  int iterations;             // of the viscosity, all together
  double residual;
  bool converged;
} RvStokesReport;

// Changes the velocity and the pressure of the grid.
RvResult rv_liquid_stokes_solve(RvStokes* stokes, const RvStokesIn* in, RvStokesReport* report, RvError* error);

#endif
