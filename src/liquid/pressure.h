// The pressure projection of the liquid: gives the velocity its wanted divergence (WH-36, spec 1.2.11, E48).
//
// The equation of each cell whose centre lies in the liquid (distance < 0) and that has an open face is
//
//   sum over the faces of a cell  +- F_f = divergence dx,    F = open (share u + (1 - share) fibre) + (1 - open) solid
//   u = s u* + (1 - s) drag_target - s dt / density grad p,  s = share density / (share density + dt drag)
//
// with the density of the face (Liu, Fedkiw, Kang 2000, of which the mean of both cells is taken here), and with p =
// `surface` at the free surface. `open` is the open fraction of the face's area, so cut cells are as accurate
// as their areas (Batty, Bertails, Bridson 2007; Ng, Min, Gibou 2009). The free surface lies at the fraction theta =
// d_i / (d_i - d_j) between the centres of a liquid and an air cell with distances d_i and d_j, and p falls linearly to
// its surface value there (ghost fluid, second order; Gibou, Fedkiw, Cheng, Kang 2002). theta is at least
// RV_PRESSURE_THETA; nearer surfaces are moved there, an error of at most 0.01 dx.
//
// A face to an absent tile is a closed wall at rest, so there must be tiles one cell beyond the liquid. The pressure of
// liquid that reaches no air is defined up to a constant: the one with mean 0 is taken. A net flow into such a body has
// no solution; it is spread evenly over its cells and reported.
//
// The solver is conjugate gradients, preconditioned by one V-cycle of multigrid on the tiles (liquid/multigrid.h).
// Vectors are float except p itself, which is summed in double and differenced before it is rounded, so that the
// velocities have the accuracy of floats however deep the liquid is; sums are double, in a fixed order. The result has
// the same bits for any number of workers and any instruction set.
#ifndef RV_LIQUID_PRESSURE_H
#define RV_LIQUID_PRESSURE_H

#include "base/arena.h"
#include "liquid/grid.h"
#include "liquid/solids.h"

#define RV_PRESSURE_THETA 0.01

// Preconditioner; Jacobi and Cholesky are baselines of the benchmark.
typedef enum RvPressureMethod { RV_PRESSURE_MULTIGRID, RV_PRESSURE_JACOBI, RV_PRESSURE_CHOLESKY } RvPressureMethod;

// Channels of `tiles`; faces have one an axis, stored with the cell above them. Where NULL is allowed, it means the
// default that is given.
typedef struct RvPressureIn {
  const RvTiles* tiles;
  double dx;              // m
  double dt;              // s
  double density;         // kg/m^3
  float* velocity[3];     // m/s; changed where the face touches liquid and is open; else the solid's where it is closed
  float* valid[3];        // set to 1 where the face touches liquid, left alone elsewhere; NULL: not wanted
  const float* open[3];   // 0..1; NULL: 1
  const float* solid[3];  // m/s, read where open < 1; NULL: 0
  const float* share[3];  // (0, 1]; NULL: 1
  const float* fibre[3];  // m/s, read where share < 1; NULL: 0
  const float* heavy[3];  // the face's density over `density`; NULL: 1
  const float* mobility[3];     // more factors of the acceleration that a pressure difference gives the face; NULL: 1
  const float* drag[3];         // kg/(m^3 s), >= 0; NULL: 0
  const float* drag_target[3];  // m/s; needed with drag
  bool drag_done;         // velocity already includes the drag, from a solve before: drag only scales the effect of the
                          // pressure
  const float* distance;  // m, below 0 in the liquid
  bool dry_centres;  // the pressure falls to that of the surface at the centres of dry cells, not at the distance 0
  const float* divergence;  // 1/s; NULL: 0
  const float* surface;     // Pa: pressure at the free surface, read at both cells beside it; NULL: 0
  float* pressure;          // Pa; 0 outside of the liquid
  bool warm;                // pressure holds a first guess
} RvPressureIn;

typedef struct RvPressureOptions {
  double tolerance;    // of the residual against that of p = 0, both as roots of sums of squares; 0: 1e-6
  double divergence;   // and no cell's divergence may exceed this part of (largest speed before) / dx; 0: 3e-7, so
                       // that it is below 1e-6 of the speed after the solve even if that is a third; < 0: any
  int max_iterations;  // 0: 200
  RvPressureMethod method;
} RvPressureOptions;

typedef struct RvPressureReport {
  int iterations, levels;
  bool converged;              // else the last of max_iterations was taken: a warning, not an error
  size_t cells, tiles, plain;  // liquid cells, tiles that hold some, and those of them that need no coefficients
  size_t closed;               // bodies of liquid that reach no air
  double incompatible;         // m^3/s of net flow into them that has no solution, sum of absolute values
  double residual;             // relative, as `tolerance`
  double worst;                // largest remaining divergence, over (largest speed before) / dx
  double traffic;              // bytes that the iterations read and wrote, each vector once a pass, without caches
} RvPressureReport;

// Memory of the solver, kept from solve to solve: it grows at the head of a solve and never inside.
typedef struct RvPressure RvPressure;
RvPressure* rv_liquid_pressure_new(void);
// Takes memory from an arena that others use in turn; NULL: from the solver's own again.
void rv_liquid_pressure_set_scratch(RvPressure* pressure, RvArena* scratch);
void rv_liquid_pressure_free(RvPressure* pressure);
size_t rv_liquid_pressure_bytes(const RvPressure* pressure);

// Options and report may be NULL. On failure (no memory, bad numbers) nothing has changed.
RvResult rv_liquid_pressure_solve(RvPressure* pressure, const RvPressureIn* in, const RvPressureOptions* options,
                                  RvPressureReport* report, RvError* error);

// The input made of a grid and its solids (NULL: none); with drag and share where the grid has them.
RvPressureIn rv_liquid_pressure_of_grid(RvLiquidGrid* grid, const RvLiquidSolids* solids, double density, double dt);

// Force (N) of the pressure on the solids: sum over liquid cells of p dx^2 times the closed area that faces each axis,
// which is consistent with what the solve takes from the liquid; cells count by `weight` (NULL: 1), which picks a body.
void rv_liquid_pressure_force(const RvPressureIn* in, const float* weight, double force[3]);

#endif
