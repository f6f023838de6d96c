// The medium's settings and memory.
#include "continuum/medium.h"

#include <math.h>

RvResult rv_medium_check(const RvMediumDef* def, RvError* error) {
  const RvMediumLaw* law = &def->law;
  if (!(def->smoothing > 0) || !isfinite(def->smoothing))
    return rv_fail(error, RV_BAD_INPUT, "smoothing is %g; it must be above 0", def->smoothing);
  if (!(law->rest_density > 0))
    return rv_fail(error, RV_BAD_INPUT, "restdensity is %g; it must be above 0", law->rest_density);
  if (!(law->packing_density > law->rest_density) || !isfinite(law->packing_density))
    return rv_fail(error, RV_BAD_INPUT, "packingdensity is %g; it must be above restdensity, %g", law->packing_density,
                   law->rest_density);
  if (!(law->power >= 1) || !isfinite(law->power))
    return rv_fail(error, RV_BAD_INPUT, "volumepower is %g; it must be 1 or more", law->power);
  if (!(law->stiffness >= 0) || !isfinite(law->stiffness))
    return rv_fail(error, RV_BAD_INPUT, "volumepressure is %g; it must not be below 0", law->stiffness);
  if (!(def->friction >= 0) || !isfinite(def->friction))
    return rv_fail(error, RV_BAD_INPUT, "hairfriction is %g; it must not be below 0", def->friction);
  return RV_OK;
}

void rv_medium_free(RvMedium* m) {
  rv_tiles_free(&m->tiles);
  rv_array_free(&m->keys);
  rv_array_free(&m->points);
  rv_array_free(&m->order);
  rv_array_free(&m->tile_first);
  rv_array_free(&m->occupied);
  rv_array_free(&m->nodes);
  rv_array_free(&m->sums);
  rv_array_free(&m->water);
  rv_array_free(&m->cells);
  rv_array_free(&m->changes);
}

RvResult rv_medium_place(RvMedium* m, const RvMediumDef* def, const RvChainModel* model, const double* x,
                         const double* v, RvError* error) {
  RvResult result = rv_medium_check(def, error);
  if (result) return result;
  m->def = *def;
  result = rv_medium_make_points(m, model, x, error);
  if (result) return result;
  if (!rv_array_resize(&m->water, def->water ? m->nodes.count : 0))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the hair medium");
  if (def->water) {
    rv_medium_scatter(m, def->water, NULL);
    rv_medium_keep_water(m);
  }
  rv_medium_scatter(m, model->mass, v);
  rv_medium_begin_nodes(m);
  return rv_medium_make_cells(m, error);
}
