// Checks of the lookdev liquid: how long hair holds a drop (AH-22), and what the limit of impacts takes.
#include <math.h>

#include "check/check.h"
#include "math/scalar.h"
#include "rig/lookdev_pore.h"

static const double FRAME = 1.0 / 30;  // s
#define SPACING 0.005                  // m, of the liquid

//---------------------------------------------------------------------------------------------- hold

// A bundle of hair with one particle in its middle, which neither adhesion nor uptake changes.
static RvResult begin(RvPoreRig* rig, double dripping, double drag, RvError* error) {
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(SPACING);
  RvPoreModel model = rv_pore_defaults();
  model.adhesion = 0;
  model.uptake = 0;
  model.drag = drag;
  model.dripping = dripping;
  RvResult result = rv_rig_pore_new(rig, &liquid, &model, 6, 0.004, 19, 0.09, 70, error);
  return result ? result : rv_rig_lookdev_liquid_add(&rig->bulk, rv_vec3(0.001, -0.04, 0.001), error);
}

// Growth of the weight of a particle that hair holds for a third of a second, over what AH-22 gives: the rate times the
// density times the time. A single particle has the density of its own kernel.
static RvResult hold(double dripping, int substeps, double* ratio, RvError* error) {
  enum { FRAMES = 10 };
  RvPoreRig rig;
  RvResult result = begin(&rig, dripping, 1e5, error);
  if (result) return result;
  for (int f = 0; f < FRAMES && !result; ++f) result = rv_rig_pore_frame(&rig, FRAME, substeps, error);
  const RvLookdevLiquidModel* m = &rig.bulk.liquid.model;
  double density = rv_sph_value(RV_SPH_POLY6, 0, m->support) * SPACING * SPACING * SPACING /
                   rv_sph_lattice_share(RV_SPH_POLY6, SPACING, m->support);
  if (!result) *ratio = (double)rig.bulk.particles.c[RV_LOOKDEV_HOLD][0] / (density * FRAMES * FRAME);
  rv_rig_pore_free(&rig);
  return result;
}

// Acceleration of a particle with a growth of 2 in a substep, over that of free fall.
static RvResult weight(double* ratio, RvError* error) {
  RvPoreRig rig;
  RvResult result = begin(&rig, 1, 0, error);
  if (result) return result;
  double dt = FRAME / 5;
  rig.bulk.particles.c[RV_LOOKDEV_HOLD][0] = 2;
  result = rv_rig_pore_frame(&rig, dt, 1, error);
  if (!result) *ratio = (double)rig.bulk.particles.v[1][0] / (dt * rig.bulk.liquid.model.gravity[1]);
  rv_rig_pore_free(&rig);
  return result;
}

RvResult rv_check_lookdev_hold(const RvCheckOut* out, RvError* error) {
  double once = 0;
  double twice = 0;
  double fine = 0;
  double heavy = 0;
  RvResult result = hold(1, 5, &once, error);
  if (!result) result = hold(2, 5, &twice, error);
  if (!result) result = hold(1, 20, &fine, error);
  if (!result) result = weight(&heavy, error);
  if (result) return result;
  rv_check_emit(out, "growth", once, 1, 1e-4);
  rv_check_emit(out, "growth_twice", twice, 2, 2e-4);
  rv_check_emit(out, "growth_substeps", fine, 1, 1e-4);
  rv_check_emit(out, "weight", heavy, 3, 1e-4);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- impact

typedef struct Impact {
  double lost;  // change of the momentum, over what it was
  double told;  // what the limit of impacts reports, the same
} Impact;

// A block without weight that meets a second one at rest with 2 m/s.
static RvResult collide(int substeps, Impact* out, RvError* error) {
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(SPACING);
  RvLookdevLiquidRig rig;
  model.gravity[1] = 0;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  const double low[2][3] = {{0, 0, 0}, {0, 0.055, 0}};
  const double high[2][3] = {{0.05, 0.05, 0.05}, {0.05, 0.105, 0.05}};
  for (int k = 0; k < 2 && !result; ++k) result = rv_rig_lookdev_liquid_fill(&rig, low[k], high[k], 0.1, error);
  double before = 0;
  for (size_t i = 0; i < rig.particles.count && !result; ++i) {
    bool upper = rv_rig_lookdev_liquid_at(&rig, i).y > 0.0525;
    rig.particles.v[1][i] = upper ? -2 : 0;
    before += (double)rig.particles.v[1][i];
  }
  for (int f = 0; f < 4 && !result; ++f) result = rv_rig_lookdev_liquid_frame(&rig, FRAME, substeps, error);
  double after = 0;
  for (size_t i = 0; i < rig.particles.count && !result; ++i) after += (double)rig.particles.v[1][i];
  double mass = model.density * SPACING * SPACING * SPACING;
  *out = (Impact){fabs(after - before) / fabs(before), rig.liquid.report.calmed_momentum / (mass * fabs(before))};
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

RvResult rv_check_lookdev_impact(const RvCheckOut* out, RvError* error) {
  Impact coarse = {0};
  Impact fine = {0};
  RvResult result = collide(3, &coarse, error);
  if (!result) result = collide(24, &fine, error);
  if (result) return result;
  rv_check_emit(out, "limit_acts", coarse.told > 0, 1, 0);
  rv_check_emit(out, "beyond_what_is_told", rv_max(coarse.lost - coarse.told, 0), 0, 1e-6);
  rv_check_emit(out, "fine_beyond_what_is_told", rv_max(fine.lost - fine.told, 0), 0, 1e-6);
  rv_check_emit(out, "substeps_take_less", fine.told < 0.5 * coarse.told, 1, 0);
  return RV_OK;
}
