// Straight paths (WH-33, WH-36). In a substep a particle goes straight, x' = x + dt v, with the velocity that it then
// keeps. So the move conserves linear and angular momentum exactly and is the same in every frame that moves evenly. A
// path that is curved by the field, with a velocity that is not, would lose (omega dt)^2 / 2 of the spin in a substep,
// and a field that rests for the substep while the liquid moves on would lead paths astray by dt^2 U . grad u / 2.
//
// A straight move through a field of slope G changes volumes by det(1 + dt G) = 1 + dt tr G + dt^2 II(G) + ..., where
// II is the second principal invariant. The projection therefore leaves the divergence -dt II(G), as constraints on
// places instead of velocities have it (SHAKE: Ryckaert, Ciccotti, Berendsen 1977).
//
// `straight` is the share s of the straight path in a cell; the rest is the path through the field (transfer.h). It
// falls to 0 where dt |G| is large, as the next terms of the determinant count there, and next to solids, along which
// a straight path does not lead. Paths that differ from straight ones by (1 - s) dt^2 (u . grad) u / 2 need the
// divergence -s dt II(G) + dt grad s . (u . grad) u / 2.
#ifndef RV_LIQUID_STRAIGHT_H
#define RV_LIQUID_STRAIGHT_H

#include "liquid/grid.h"
#include "liquid/solids.h"

// `straight` and `divergence` of the grid for a substep, from its velocity before the pressure. `solids` may be NULL.
// `turning`: `room` is then what rv_liquid_turn needs, and must stay until then.
RvResult rv_liquid_go_straight(RvLiquidGrid* grid, const RvLiquidSolids* solids, double dt, bool turning,
                               RvError* error);
// Adds sign s dt (u . grad) u / 2 to the velocity of the grid. The velocity of straight paths is that of the flow half
// a substep later, at the middle of the path. With sign -1 it becomes the flow's own at the place, which viscosity acts
// on: else a straight path beside a wall that turns would be a shear to it.
void rv_liquid_turn(RvLiquidGrid* grid, int sign);

#endif
