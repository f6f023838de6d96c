// Sums over the neighbours of particles, eight at a time. All arrays are in the order of the sorted set, with one
// element more for the particle that fills up groups, and four numbers a particle where two dimensions are named.
//
// Lengths are in supports K = k h of the pair force. A displacement is that of the whole substep, so that a force of
// the acceleration a appears as dt^2 a / K, and the pressure p as the multiplier p dt^2 / (rho_0 K^2).
#ifndef RV_INTERFACE_SUMS_KERNEL_H
#define RV_INTERFACE_SUMS_KERNEL_H

#include "interface/pair.h"
#include "math/kernel.h"
#include "sph/lists.h"

enum {
  RV_INTERFACE_PHASES = 4,
  // Neighbours of a particle within h, at most: twice as many as at rest; and within k h.
  RV_INTERFACE_MOST_NEAR = 64,
  RV_INTERFACE_MOST_FAR = 240,
  // Indices of a task's lists: 33 neighbours at rest are five groups, so 42 a particle leave room for impacts, where
  // some have more; and what the last list and groups of the search write beyond.
  RV_INTERFACE_TASK_GROUPS = RV_SPH_GRAIN * 42 / 8,
  RV_INTERFACE_TASK_INDICES = 8 * RV_INTERFACE_TASK_GROUPS + RV_INTERFACE_MOST_NEAR + 32,
  // Groups of a task's lists within k h where these are kept: 92 neighbours at rest are twelve groups.
  RV_INTERFACE_TASK_FAR = RV_SPH_GRAIN * 16,
};

typedef struct RvInterfaceSums {
  const RvSphLattice* lattice;
  const RvSphSet* set;
  RvSphLists* lists;  // neighbours within h
  const float* at;    // [count + 1][4] places, and volumes over that of a whole particle
  RvPairForm form;
  int phases;
  const uint8_t* phase;                                       // [count + 1]
  const float* film;                                          // [count + 1] share of film; NULL: there are no bubbles
  const float* bubble;                                        // [count + 1] number of the bubble, 0 outside of all
  float film_gas, gas_gas, across;                            // as in interface/bubbles.h
  float pull[RV_INTERFACE_PHASES][RV_INTERFACE_PHASES];       // of the pair force, by phases of i and j
  float viscosity[RV_INTERFACE_PHASES][RV_INTERFACE_PHASES];  // of the viscous force
  float inverse_density[RV_INTERFACE_PHASES];                 // rho_0 / rho
  float ratio;                                                // k: h is 1 / k
  float value_factor;                                         // of the density kernel's values
  float slope_factor;                                         // of its slopes over the distance
  float relaxation;                                           // of the Jacobi steps
  // of the substep
  float* drift;       // [count + 1][4] displacement by the velocity at the start; and rho_0 / rho
  float* own;         // [count + 1][4] minus the gradient of the density by the particle's own place; the density
  float* solid;       // [count + 1][4] part of the gradient that solids have; density that their motion adds
  float* diagonal;    // [count + 1]
  float* free_move;   // [count + 1][4] displacement by the pair forces; from density on, by all but pressure
  float* move;        // [count + 1][4] displacement with pressure
  float* press;       // [count + 1][4] place; volume times multiplier
  float* press_next;  // the same after a step
  float* multiplier;  // [count + 1] volume times multiplier of the last step, before it was extrapolated
  // where phases differ much in density: how often a particle's motion is taken by pressures
  float* load;              // [count + 1]
  float* load_light;        // [count + 1] the load times rho_0 / rho
  float* inverse_diagonal;  // [count + 1]
  // where the pair force is summed again in every iteration
  RvSphLists far;      // neighbours within k h; without index: not kept
  float* pulled;       // [count + 1][4] the part of free_move that is the pair force's
  float* ahead;        // [count + 1][4] places at the end of the displacement, and volumes
  float lattice_step;  // step of the multipliers of PCISPH and of the explicit form
  float momentum;      // share of the last change by which a step is extrapolated
  float fall[3];       // displacement by gravity
} RvInterfaceSums;

// What a task of the search met.
typedef struct RvInterfaceFound {
  size_t full;         // particles whose lists are full
  size_t near, pairs;  // neighbours within h, and within k h
} RvInterfaceFound;

// What the density of some particles came to.
typedef struct RvInterfaceExcess {
  double sum;  // of the excess over the density at rest
  float largest;
} RvInterfaceExcess;

// neighbours: lists of the particles begin to end of one task within h, and the pair forces of those within k h,
// which are not kept.
RV_KERNEL_DECLARE(RvInterfaceFound, rv_interface_pairs, (const RvInterfaceSums* sums, size_t begin, size_t end))
// `free_move` with the pair forces at the places `ahead`.
RV_KERNEL_DECLARE(void, rv_interface_pull, (const RvInterfaceSums* sums, size_t begin, size_t end))
// `load`: what shares of the diagonals around a particle are its own motion.
RV_KERNEL_DECLARE(void, rv_interface_load, (const RvInterfaceSums* sums, size_t begin, size_t end))
// Raises diagonals to the sum of their parts by the loads of the particles that move in them.
RV_KERNEL_DECLARE(void, rv_interface_stiffen, (const RvInterfaceSums* sums, size_t begin, size_t end))
// density: `own` and `diagonal` of the liquid, and the free displacement with velocity, viscosity and gravity.
RV_KERNEL_DECLARE(void, rv_interface_density, (const RvInterfaceSums* sums, size_t begin, size_t end))
// `move`: the free displacement and that of the pressure.
RV_KERNEL_DECLARE(void, rv_interface_push, (const RvInterfaceSums* sums, size_t begin, size_t end))
// Densities at the end of the displacement, and one step of the multipliers, `press_next`.
RV_KERNEL_DECLARE(RvInterfaceExcess, rv_interface_predict, (const RvInterfaceSums* sums, size_t begin, size_t end))
// The same with the densities at the predicted places, and the step of a lattice: PCISPH.
RV_KERNEL_DECLARE(RvInterfaceExcess, rv_interface_correct, (const RvInterfaceSums* sums, size_t begin, size_t end))

#endif
