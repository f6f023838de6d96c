// Position-based liquid and pores beside the rods: what rv_lookdev_substep does with them.
//
// The strands are an RvStrandSolver in lanes, places relative to its origin; pores and liquid have points in the order
// of the strands' vertices and metres of the liquid. Sources, sinks and the particles are those of an RvLiquid, of
// which only these parts are used.
#ifndef RV_LOOKDEV_PORE_HAIR_H
#define RV_LOOKDEV_PORE_HAIR_H

#include "liquid/liquid.h"
#include "lookdev/pore.h"
#include "strand/solver.h"

typedef struct RvLookdevWater {
  RvStrandSolver* strands;  // borrowed
  RvLiquid* bulk;           // borrowed: particles, sources, sinks
  double offset[3];         // m: place in the liquid's metres less that in the strands'
  int32_t drip_row;         // row of particles that drip
  RvLookdevLiquid liquid;
  RvPores pores;
  RvArena* arena;
  // [vertices] of the strands, in their order
  uint32_t* at;     // index of the first coordinate in the lanes
  uint32_t* batch;  // of its strand
  double *x, *v, *mass, *area, *radius, *force;
  const double* paint;  // [vertices] m/s by which film is painted; borrowed, NULL: none
  // wet mass and stiffness of the rods, in lanes; those of dry batches are the dry ones
  bool* wet;              // [batches] whether a strand of the batch was wet when they were found
  double* wet_mass;       // [unknowns]
  double* wet_bend;       // [vertices][6]
  bool weighed;           // wet_mass and wet_bend are there
  RvCollider* colliders;  // in the liquid's metres
  size_t ncollider;
} RvLookdevWater;

// `strands`, `bulk`, `offset` are there. Free with the function below.
RvResult rv_lookdev_water_init(RvLookdevWater* water, const RvLookdevLiquidModel* liquid, const RvPoreModel* pores,
                               RvError* error);
void rv_lookdev_water_free(RvLookdevWater* water);
// Solids of the substep, those of the strands.
RvResult rv_lookdev_water_solids(RvLookdevWater* water, const RvCollider* colliders, size_t count, RvError* error);

// sources: film that is painted, what sinks take and sources give.
RvResult rv_lookdev_water_flow(RvLookdevWater* water, double dt, RvError* error);
// neighbours: liquid and pores are predicted and sorted, and find each other.
RvResult rv_lookdev_water_find(RvLookdevWater* water, double dt, RvError* error);
// pores: forces of liquid and wet hair on the strands. `claim` is called for each batch before its forces are added.
RvResult rv_lookdev_water_pull(RvLookdevWater* water, void (*claim)(void* user, size_t batch), void* user,
                               double* force, RvError* error);
// density: the liquid's constraint.
RvResult rv_lookdev_water_project(RvLookdevWater* water, RvError* error);
// soak: adhesion, liquid that hair takes up, gives back and dries, and the move of the particles.
RvResult rv_lookdev_water_move(RvLookdevWater* water, double dt, RvError* error);
// Masses and compliances of wet hair in wet_mass and wet_bend, from the dry ones, which do not change.
void rv_lookdev_water_weigh(RvLookdevWater* water, const double* bend);

#endif
