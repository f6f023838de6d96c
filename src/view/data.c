// False-colour views: the attributes that can be shown, and their values in the unit of the legend.
#include <math.h>
#include <string.h>

#include "view/view_scene.h"

// name, legend title, legend unit, attribute, factor to the legend unit, in units of the scene, vector length,
// identifier
static const RvViewData VIEWS[] = {
    {"wetness", "wetness", "", "wetness", 1, false, false, false},
    {"age", "age", "s", "age", 1, false, false, false},
    {"film", "film height", "mm", "filmheight", 1000, true, false, false},  // metres to millimetres
    {"clump", "clump", "", "clumpid", 1, false, false, true},
    {"speed", "speed", "m/s", "v", 1, true, true, false},
    {"density", "hair density", "kg/m3", "hairdensity", 1, false, false, false},
    {"air", "air speed", "m/s", "airspeed", 1, false, false, false},
};

const RvViewData* rv_view_data(const char* name) {
  for (size_t i = 0; name && i < sizeof VIEWS / sizeof *VIEWS; ++i)
    if (strcmp(name, VIEWS[i].name) == 0) return &VIEWS[i];
  return NULL;
}

const RvAttrib* rv_view_data_attrib(const RvDetail* detail, const RvViewOptions* options) {
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  if (options->pass != RV_VIEW_DATA || !options->view) return NULL;
  return rv_view_attrib(detail, options->view->attribute, options->view->length ? 3 : 1, owners, 4);
}

double rv_view_data_value(const RvViewOptions* options, const RvAttrib* attrib, size_t element) {
  double x = rv_attrib_get(attrib, element, 0);
  if (options->view->length) {
    double y = rv_attrib_get(attrib, element, 1), z = rv_attrib_get(attrib, element, 2);
    x = sqrt(x * x + y * y + z * z);
  }
  x *= options->view->scale * (options->view->metric ? options->meters : 1);
  return isfinite(x) ? x : NAN;
}
