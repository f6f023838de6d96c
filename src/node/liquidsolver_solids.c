// The solids of a frame of liquid: the walls of the tank.
#include <math.h>

#include "node/liquidsolver.h"

RvResult rv_liquid_solids_begin(RvLiquidSolve* s, RvError* error) {
  const RvLiquidWalls* w = &s->walls;
  if (!w->on) return RV_OK;
  RvSolidShape shape = {.kind = RV_SHAPE_BOX, .inside_out = true, .friction = w->friction};
  for (int a = 0; a < 3; ++a) {
    if (!(w->high[a] > w->low[a]))
      return rv_fail(error, RV_BAD_INPUT, "wallsmax%c of %g is not above wallsmin%c of %g: a tank needs room", "xyz"[a],
                     w -> high[a], "xyz"[a], w -> low[a]);
    shape.center[a] = ((w->low[a] + w->high[a]) / 2 - s->globals.origin[a]) * s->units.meters;
    shape.size[a] = (w->high[a] - w->low[a]) / 2 * s->units.meters;
    if (w->open[2 * a]) shape.open_sides |= 1u << (2 * a);
    if (w->open[2 * a + 1]) shape.open_sides |= 2u << (2 * a);
  }
  s->shape = shape;
  return RV_OK;
}

void rv_liquid_solids_end(RvLiquidSolve* s) {
  (void)s;
}

bool rv_liquid_solids_at(void* user, RvLiquidSolids* solids, const RvLiquidGrid* grid, double time) {
  RvLiquidSolve* s = user;
  (void)time;
  if (!s->walls.on) return true;
  RvSolidShapes shapes = {1, &s->shape};
  return rv_liquid_solids_from_fn(solids, grid, rv_solid_shapes_distance, &shapes);
}
