// Solids of the lookdev liquid: planes near each particle, where solids are at the end of the substep (AH-7, AH-16).
#include "lookdev/liquid.h"

RvResult rv_lookdev_liquid_meet_solids(RvLookdevLiquid* l, RvError* error) {
  RvLookdevLiquidWork* w = &l->work;
  size_t count = l->particles->count;
  w->planes = RV_TAKE(l->arena, RvLookdevPlanes, count + 1);
  w->near = RV_TAKE(l->arena, uint8_t, count + 1);
  if (!w->planes || !w->near)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the solids around %zu particles", count);
  RvPlaneSearch search = {.solids = &l->solids,
                          .time = w->dt,
                          .reach = l->model.support,
                          .margin = l->model.margin,
                          .count = count,
                          .place = w->place,
                          .planes = w->planes,
                          .near = w->near,
                          .buried = &l->report.buried};
  l->report.buried = 0;
  return rv_contact_planes_find(&search, l->arena, error);
}
