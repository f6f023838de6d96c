// Densities and surface tensions of several materials on the grid (mixture.h).
//
// A face has the mean density of the particles around it, by the weights with which they give it their momentum. So a
// front between two liquids is as sharp as their velocity, and the pressure of layers at rest balances their weight
// exactly, as all faces of one height have one density. The surface of a cell has the mean tension of its materials.
#ifndef RV_LIQUID_MIXTURE_GRID_H
#define RV_LIQUID_MIXTURE_GRID_H

#include "liquid/transfer.h"

// Whether the materials differ in density, or in tension.
bool rv_liquid_mixture_weighed(const RvLiquidMaterials* materials);
bool rv_liquid_mixture_tense(const RvLiquidMaterials* materials);
// Mass and momentum of particles with the densities of their materials, and the grid's heavy from them: 0 at faces that
// no particle reaches. `density` is the model's.
RvResult rv_liquid_mixture_to_grid(RvLiquidGrid* grid, RvScatter* scatter, const RvParticles* particles,
                                   const RvLiquidMaterials* materials, double density, RvError* error);
// Sets heavy of the remaining faces from the shares of the materials in the cells beside them, part[count].
void rv_liquid_mixture_complete(RvLiquidGrid* grid, const RvLiquidMaterials* materials, const RvChannel* part,
                                double density);
// Scales the pressure of the grid's surface, which was found with `tension`, to the tensions of the materials there. A
// cell without liquid has the mean of those around it.
void rv_liquid_mixture_tension(RvLiquidGrid* grid, const RvLiquidMaterials* materials, const RvChannel* part,
                               double tension);

#endif
