// Solids of the liquid from level sets that are placed anywhere and move (WH-43).
#ifndef RV_LIQUID_SOLID_GRIDS_H
#define RV_LIQUID_SOLID_GRIDS_H

#include "liquid/region.h"
#include "liquid/solids.h"

typedef struct RvLiquidSolid {
  RvPlacedGrid placed;                      // at the end of the substep
  double center[3], linear[3], angular[3];  // rigid motion: of the center, m/s, and about it, rad/s; the field is added
  double friction;
} RvLiquidSolid;

// Least half thickness of a solid, in cells. With 0.5 some corner next to each of its points lies inside; the
// additional 0.2 closes the openings and separates its two sides.
#define RV_SOLID_HALF 0.7

// Largest depth of the level set's inside, m: half of the thickness at its thickest place; 0: it has no inside.
double rv_liquid_solid_depth(const RvGrid* distance);
// How much (m) a solid must be thickened so that the grid resolves it: liquid would pass a plate that is thinner than a
// cell and lies between the corners. 0 for solids that are thicker somewhere.
double rv_liquid_solid_thicken(const RvGrid* distance, double dx);

// Fills all channels from solids and walls: the union of all, at each place the velocity and the friction of the one
// that is nearest. At most 65534 of them; `walls` may be NULL. Only tiles within RV_LIQUID_BAND cells of a solid are
// filled. False: out of memory.
bool rv_liquid_solids_from_grids(RvLiquidSolids* solids, const RvLiquidGrid* grid, const RvLiquidSolid* list,
                                 size_t count, const RvSolidShapes* walls);

// The union of the solids as a region; both must outlive it. Made of `list` with `count` of them, and walls or NULL.
typedef struct RvSolidUnion {
  const RvLiquidSolid* list;
  size_t count;
  const RvSolidShapes* walls;
} RvSolidUnion;
RvRegion rv_liquid_region_solids(const RvSolidUnion* solids);

#endif
