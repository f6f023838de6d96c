// The stages of a substep between the transfers: surface of the liquid, volume correction, extrapolation of velocity
// into air, collisions of particles with solids.
#ifndef RV_LIQUID_STAGES_H
#define RV_LIQUID_STAGES_H

#include "liquid/grid.h"
#include "liquid/particles.h"
#include "liquid/pressure.h"
#include "liquid/solids.h"
#include "liquid/transfer.h"

// Where the liquid is. First `fill` is divided by the open share of its weights, so that a full cell at a wall has 1
// too. Then `distance`: a flat surface that goes through the support of a cell's weights gives a fill that is a known
// function of its distance, (1 - s)^2 / 2 for s = 0..1 cells outside and its mirror image inside; its inverse places
// the surface such that the volume is the particles' own. Cells with particles that are next to no cell half full are
// drops and films of their own: liquid. So are holes with liquid on all six sides. `solids` may be NULL.
RvResult rv_liquid_surface(RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvParticles* particles,
                           const RvScatter* scatter, RvError* error);

// The distance again in some tiles whose fill has changed.
void rv_liquid_surface_again(RvLiquidGrid* grid, const RvParticles* particles, const RvScatter* scatter,
                             const uint32_t* tiles, size_t count);

// Volume correction: where cells hold more or less than they should, `shift` is the smallest displacement (the gradient
// of a potential) that spreads or gathers the particles. rv_liquid_from_grid moves them by it without changing their
// velocity, so it adds no momentum and no energy (after Kugelstadt, Longva, Thuerey, Bender 2019, "Implicit density
// projection for volume conserving liquids"). Cells with liquid on all sides should have a fill of 1; at the surface
// only a clear excess counts. `relax` is the part that is corrected now. `flow_share`: 1 in cells that hold below their
// yield stress, whose particles keep their places, as it is flow that crowds them (RvShear.share); NULL: all flow.
RvResult rv_liquid_drift(RvLiquidGrid* grid, const RvLiquidSolids* solids, RvPressure* pressure, double relax,
                         const float* flow_share, RvError* error);

// `valid` = 1 on the faces that touch a liquid cell, 0 elsewhere.
void rv_liquid_mark_valid(RvLiquidGrid* grid);

// Velocity of the faces that are not valid. Those with mass keep their own momentum and take the change that forces and
// pressure made to the faces next to them, so that spray near a surface stays spray and little momentum is lost;
// without such faces near, they keep what they have. All others, up to RV_LIQUID_BAND faces away, get the velocity of
// those: each layer takes the mean of the known faces next to it, so the field is constant along the normal of a flat
// surface (WH-37). `solids` may be NULL.
void rv_liquid_extrapolate(RvLiquidGrid* grid, const RvLiquidSolids* solids);
// Extrapolates any three face channels from the faces that are valid; `room` and `field` are exchanged.
void rv_liquid_spread_faces(const RvLiquidGrid* grid, RvChannel* field, RvChannel* room);

typedef struct RvCollide {
  double margin;  // cells that particles keep from solids
  double dt;      // s of the move
  double speed;   // m/s: largest of the solids
} RvCollide;
typedef struct RvCollided {
  size_t moved;   // particles in contact
  size_t caught;  // solids on all sides: still a twentieth of a cell inside, and moving with them
  size_t inside;  // of these, deeper than a cell: within a solid, not between two
} RvCollided;

// Stores the positions of the particles before they are moved, in the room of the sort: a move, rv_liquid_collide and
// the sort must follow. The caller releases what was taken from their scratch. False when out of memory.
bool rv_liquid_remember_places(RvParticles* particles);
// Moves particles out of solids (WH-43). A path that enters a solid is led along its surface, on the side that it
// came from and relative to the moving solid, so that nothing passes a sheet one cell thick however fast it is. Then
// the particle is moved to `margin` cells outside along the gradient of the distance. The velocity into the solid,
// relative to its own, is removed, and part of that along it by Coulomb's law. Before the sort that follows a move.
RvCollided rv_liquid_collide(const RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvScatter* scatter,
                             RvParticles* particles, const RvCollide* how);

// Largest velocity of a particle along an axis, m/s; infinite when a velocity is not a number.
double rv_liquid_speed(const RvParticles* particles);

#endif
