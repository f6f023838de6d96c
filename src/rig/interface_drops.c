// Drops that tension and contact angles are measured on; see interface_drops.h.
#include "rig/interface_drops.h"

#include <math.h>
#include <stdio.h>

#include "math/scalar.h"
#include "rig/interface.h"
#include "rig/scene.h"

static const double FPS = 24;

//---------------------------------------------------------------------------------------------- a drop oscillates

enum { REST = 9, SAMPLES = 40 };  // frames until it is stretched, and of the oscillation

RvResult rv_rig_drop_swing(const RvDropSwing* d, RvDropPeriod* out, RvError* error) {
  const double spacing = 1e-3, density = 1000;
  const double R = d->radius * spacing;
  const double omega = sqrt(8 * d->tension / (density * R * R * R));
  // Two periods in all frames.
  const double dt = 2 * 2 * RV_PI / omega / SAMPLES;
  const double calm = 0.1 * density * sqrt(d->tension * R / density);
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": %.17g, \"rows\": 49, \"cols\": 72}},"
           "\"fill\": {\"type\": \"fill\", \"inputs\": [\"ball\"], \"parms\": {\"particlesep\": %g}},"
           "\"rest\": {\"type\": \"interfacesolver\", \"inputs\": [\"fill\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"surfacetension\": %g, \"viscosity\": %.17g, \"pairforce\": \"%s\", \"timescale\": %.17g}},"
           "\"pull\": {\"type\": \"transform\", \"inputs\": [\"rest\"], \"parms\": {\"sy\": 1.2, \"sx\": %.17g,"
           "  \"sz\": %.17g}},"
           "\"still\": {\"type\": \"attribute\", \"inputs\": [\"pull\"], \"parms\": {\"name\": \"v\", \"size\": 3,"
           "  \"class\": \"point\", \"value\": [0, 0, 0, 0]}},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"still\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"surfacetension\": %g, \"viscosity\": %.17g, \"pairforce\": \"%s\", \"timescale\": %.17g,"
           "  \"substeps\": %d, \"startframe\": %d}}",
           R, spacing, d->tension, calm, d->form, 3 * dt * FPS, 1 / sqrt(1.2), 1 / sqrt(1.2), d->tension, d->viscosity,
           d->form, dt * FPS, d->substeps, REST);
  RvSceneRig rig;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  double stretch[SAMPLES];
  double radius = R;
  for (int k = 0; k < SAMPLES && !result; ++k) {
    RvDetail* now = NULL;
    RvDropFigures drop;
    result = rv_rig_scene_cook(&rig, "s:liquid", REST + k, &now, error);
    if (!result) result = rv_rig_drop_measure(now, &drop, error);
    stretch[k] = result ? 0 : drop.stretch;
    if (!result && !k) radius = cbrt(3 * (double)drop.count / (4 * RV_PI)) * spacing;
    rv_detail_free(now);
  }
  rv_rig_scene_close(&rig);
  if (result) return result;
  RvOscillation fit = rv_rig_fit_oscillation(stretch, SAMPLES, dt, omega, 0.1 * omega);
  double rayleigh = sqrt(8 * d->tension / (density * radius * radius * radius));
  *out = (RvDropPeriod){.period = rayleigh / fit.omega,
                        .decay = fit.decay,
                        .lamb = 5 * d->viscosity / density / (radius * radius),
                        .residual = fit.residual};
  return RV_OK;
}

RvResult rv_rig_drop_factor(RvPairForm form, const double* radii, int count, RvDropFactor* out, RvError* error) {
  static const char* const names[RV_PAIR_FORMS] = {
      [RV_PAIR_COSINE] = "cosine",
      [RV_PAIR_TWO_KERNELS] = "twokernels",
      [RV_PAIR_SPLINE] = "spline",
  };
  double sum = 0;
  double squares = 0;
  for (int k = 0; k < count; ++k) {
    const RvDropSwing drop = {radii[k], 0.072, 5e-3, names[form], 1};
    RvDropPeriod now;
    RvResult result = rv_rig_drop_swing(&drop, &now, error);
    if (result) return result;
    // Tension goes with the square of the frequency.
    double tension = 1 / (now.period * now.period);
    sum += tension / count;
    squares += tension * tension / count;
  }
  *out = (RvDropFactor){sum * rv_pair_measured(form), sqrt(rv_max(squares - sum * sum, 0)) / sum};
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- a drop on a plane

// Contact angle, degrees, of a cap of `count` particles and the height h (m) of its top: with r = h / R = 1 - cos, the
// volume is pi h^3 (3 / r - 1) / 3.
static double cap_angle(size_t count, double spacing, double height) {
  double volume = (double)count * spacing * spacing * spacing;
  double r = 3 / (3 * volume / (RV_PI * height * height * height) + 1);
  return acos(rv_max(1 - r, -1)) * 180 / RV_PI;
}

RvResult rv_rig_cap_angle(double angle, const RvCapBlock* block, double* measured, RvError* error) {
  enum { LAST = 21 };
  const double spacing = 1e-3;
  char nodes[1500];
  snprintf(nodes, sizeof nodes,
           "\"box\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"t\": [0, %g, 0], \"particlesep\": %g}},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"box\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"viscosity\": %g, \"walls\": true, \"wallsmin\": [-0.1, 0, -0.1], \"wallsmax\": [0.1, 0.2, 0.1],"
           "  \"contactangle\": %g}}",
           block->across * spacing, block->high * spacing, block->across * spacing, block->high * spacing / 2, spacing,
           block->viscosity, angle);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:liquid", LAST, &now, error);
  const float* P = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
  double top = 0;
  for (size_t i = 0; P && i < rv_detail_count(now, RV_POINT); ++i) top = rv_max(top, (double)P[3 * i + 1]);
  // The surface is half a spacing above the highest particle.
  if (!result) *measured = cap_angle(rv_detail_count(now, RV_POINT), spacing, top + 0.5 * spacing);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}
