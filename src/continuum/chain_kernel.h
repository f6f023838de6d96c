// What the kernels of the chains work on: one batch.
#ifndef RV_CONTINUUM_CHAIN_KERNEL_H
#define RV_CONTINUUM_CHAIN_KERNEL_H

#include <stdbool.h>

#include "math/kernel.h"

// Numbers of work memory a link and lane.
enum { RV_CHAIN_ROOM = 37 };

typedef struct RvChainWork {
  int links;
  // The caller steps the next batch after this one: its numbers, which follow those of this batch in all arrays, are
  // asked for while this one is computed.
  bool fetch_next;
  double dt, implicitness;  // s; 0: explicit
  double gravity[3];        // m/s2
  // of the model
  const double *length, *mass, *across, *axial, *stiffness, *damping, *rest;
  // of the state
  double *orient, *spin;                                            // [links][4], [links][3]
  const double *base_x, *base_orient, *base_v, *base_spin;          // [3], [4], [3], [3]
  const double *base_acceleration, *base_spin_rate;                 // [3] m/s2, rad/s2
  const double *force, *torque, *line_mass, *end_mass, *end_force;  // as in RvChainStepDef
  double* spin_rate;                                                // [links][3] rad/s2
  double *x, *v;                                                    // [links + 1][3]
  double* room;                                                     // [RV_CHAIN_ROOM * links]
} RvChainWork;

// Angular accelerations of the links (HC-11).
RV_KERNEL_DECLARE(void, rv_chain_accelerate, (const RvChainWork*))
// Turns the links by dt (spin + implicitness dt spin_rate) and adds dt spin_rate to the spins.
RV_KERNEL_DECLARE(void, rv_chain_advance, (const RvChainWork*))
// Vertices and their velocities from the base outwards (HC-10).
RV_KERNEL_DECLARE(void, rv_chain_place, (const RvChainWork*))
// Velocities v of the vertices with the spins after a step, in the places before it; base_v is that after it.
RV_KERNEL_DECLARE(void, rv_chain_predict, (const RvChainWork*))
// A stage of Runge and Kutta: adds `weight` times the rates of orientations and spins, taken at (orient, spin), to the
// sums, and puts start + `reach` times these rates to (orient, spin). Orientations, then spins, in start and sums.
RV_KERNEL_DECLARE(void, rv_chain_stage,
                  (const RvChainWork*, double weight, double reach, const double* start, double* sum))
// Divides the orientations by their length.
RV_KERNEL_DECLARE(void, rv_chain_normalize, (const RvChainWork*))

#endif
