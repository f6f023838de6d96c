#include "surface/parts.h"

RvResult rv_surface_webs(const RvSurfaceDef* def, const RvSurfaceFilm* film, double scale, float* share, RvParts* out,
                         RvError* error) {
  (void)def, (void)film, (void)scale, (void)share, (void)out, (void)error;
  return RV_OK;
}
