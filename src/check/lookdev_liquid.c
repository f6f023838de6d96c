// Check of position-based liquid: how fast viscosity damps a shear flow (AH-14).
#include <math.h>

#include "check/check.h"
#include "math/scalar.h"
#include "rig/lookdev_liquid.h"

// Rate at which a shear flow v_x = U cos(pi y / high) of a block of liquid at rest decays in a substep, over that of
// the Navier-Stokes equation, nu (pi / high)^2: by the particles that have all their neighbours.
static RvResult shear(double spacing, double viscosity, double dt, double* ratio, RvError* error) {
  const double high = 0.1, wide = 0.03, speed = 1e-4;
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(spacing);
  RvLookdevLiquidRig rig;
  model.gravity[1] = 0;
  model.tension = 0;
  model.smoothing = 0;
  model.viscosity = viscosity;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  const double low[3] = {0, 0, 0};
  const double up[3] = {wide, high, wide};
  result = rv_rig_lookdev_liquid_fill(&rig, low, up, 0, error);
  RvParticles* p = &rig.particles;
  const double k = RV_PI / high;
  for (size_t i = 0; i < p->count && !result; ++i)
    p->v[0][i] = (float)(speed * cos(k * rv_rig_lookdev_liquid_at(&rig, i).y));
  if (!result) result = rv_rig_lookdev_liquid_frame(&rig, dt, 1, error);
  double moved = 0;
  double left = 0;
  for (size_t i = 0; i < p->count && !result; ++i) {
    RvVec3 x = rv_rig_lookdev_liquid_at(&rig, i);
    double edge = rv_min(rv_min(x.x, wide - x.x), rv_min(x.z, wide - x.z));
    edge = rv_min(edge, rv_min(x.y, high - x.y));
    if (edge < model.support) continue;
    double mode = cos(k * x.y);
    moved += mode * mode * speed;
    left += mode * (double)p->v[0][i];
  }
  *ratio = (1 - left / moved) / (viscosity / model.density * k * k * dt);
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

RvResult rv_check_lookdev_shear(const RvCheckOut* out, RvError* error) {
  double ratio[3] = {0};
  RvResult result = shear(0.005, 0.1, 1.0 / 120, &ratio[0], error);
  if (!result) result = shear(0.005, 0.05, 1.0 / 240, &ratio[1], error);
  if (!result) result = shear(0.0025, 0.02, 1.0 / 240, &ratio[2], error);
  if (result) return result;
  rv_check_emit(out, "decay", ratio[0], 1, 0.01);
  rv_check_emit(out, "half_substep", ratio[1], 1, 0.01);
  rv_check_emit(out, "half_spacing", ratio[2], 1, 0.01);
  return RV_OK;
}
