// Checks of the liquid's whole step: blob (WH-34, WH-36), liquid_volume (WH-33, WH-46).
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/liquid.h"

// One substep of the longest stable step, at most `longest`; *dt gets it.
static RvResult step_for(RvLiquidRig* rig, double longest, double* dt, RvError* error) {
  *dt = fmin(rv_liquid_longest(&rig->liquid), longest);
  return rv_liquid_substep(&rig->liquid, *dt, error);
}

//---------------------------------------------------------------------------------------------- blob

// A free block of liquid that moves, rotates and is stretched (WH-34, WH-36).
RvResult rv_check_blob(const RvCheckOut* out, RvError* error) {
  // No solids; half a second without gravity.
  const double dx = 0.01, low[3] = {0, 0, 0}, high[3] = {0.16, 0.1, 0.12};
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(dx);
  for (int a = 0; a < 3; ++a) model.gravity[a] = 0;
  RvResult result = rv_rig_liquid_new(&rig, &model, error);
  if (!result) result = rv_rig_liquid_fill(&rig, low, high, 0.6, error);
  RvParticles* p = &rig.liquid.particles;
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_sub(rv_rig_liquid_at(&rig, i), rv_vec3(0.08, 0.05, 0.06));
    RvVec3 v = rv_add(rv_vec3(0.5, -0.2, 0.3), rv_cross(rv_vec3(2, 6, -3), x));
    v = rv_add(v, rv_vec3(3 * x.x, -3 * x.y, 0));
    p->v[0][i] = (float)v.x;
    p->v[1][i] = (float)v.y;
    p->v[2][i] = (float)v.z;
  }
  // Sums before and after; the centre must have moved by the mean velocity times the time.
  RvVec3 zero = {0, 0, 0};
  RvLiquidSums before = rv_rig_liquid_sums(&rig, zero);
  double dt, time = 0;
  while (time < 0.5 && !result) {
    result = step_for(&rig, 1.0 / 96, &dt, error);
    time += dt;
  }
  RvLiquidSums after = rv_rig_liquid_sums(&rig, zero);
  RvVec3 path_error = rv_mad(rv_sub(after.center, before.center), -time / (before.volume * 1000), before.linear);
  if (!result) {
    rv_check_emit(out, "linear_momentum", rv_distance(after.linear, before.linear) / rv_length(before.linear), 0, 1e-3);
    rv_check_emit(out, "angular_momentum", rv_distance(after.angular, before.angular) / rv_length(before.angular), 0,
                  1e-2);
    // Paths are straight: the centre errs by no more than the momentum.
    rv_check_emit(out, "center", rv_length(path_error) / (rv_length(before.linear) * time / (before.volume * 1000)), 0,
                  1e-3);
    rv_check_emit(out, "volume", after.volume / before.volume - 1, 0, 1e-12);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- sloshing

// A tank a metre long and four cells wide whose surface is a cosine of that amplitude.
static RvResult make_wave(RvLiquidRig* rig, int cells, double depth, double amplitude, RvError* error) {
  double dx = 1.0 / cells;
  double low[3] = {0, 0, 0};
  double high[3] = {1, 2, 4 * dx};
  double top[3] = {1, depth, 4 * dx};
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_rig_liquid_new(rig, &model, error);
  rv_rig_liquid_tank(rig, low, high, 8);
  if (!result) result = rv_rig_liquid_fill(rig, low, top, 0, error);
  if (result) return result;
  // Each column is stretched with its particles, volume included.
  RvParticles flat = rig->liquid.particles;
  rig->liquid.particles = (RvParticles){0};
  for (size_t i = 0; i < flat.count && !result; ++i) {
    double cell[3], s;
    rv_liquid_particles_place(&flat, i, cell);
    s = 1 + amplitude / depth * cos(RV_PI * cell[0] * dx);
    cell[1] *= s;
    size_t at = rv_liquid_particles_add(&rig->liquid.particles, cell);
    if (at == SIZE_MAX) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (result) break;
    rig->liquid.particles.volume[at] = flat.volume[i] * s;
    rig->liquid.particles.id[at] = flat.id[i];
  }
  rv_liquid_particles_free(&flat);
  return result;
}

//---------------------------------------------------------------------------------------------- volume

// Volume within the level set, by where it cuts the cells, m3.
static double occupied(const RvLiquidGrid* g) {
  double sum = 0;
  for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i)
    if (g->fill.data[i] > 0) sum += rv_clamp(0.5 - (double)g->distance.data[i] / g->dx, 0, 1);
  return sum * g->dx * g->dx * g->dx;
}

// 20 s of sloshing: means of the enclosed volume over the first and the last 2 s (WH-33, WH-46).
RvResult rv_check_liquid_volume(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_wave(&rig, 16, 0.5, 0.12, error);
  double volume = rv_liquid_particles_volume(&rig.liquid.particles);
  double dt, early = 0, late = 0;
  int early_count = 0, late_count = 0;
  for (double t = 0; t < 20 && !result; t += dt) {
    result = step_for(&rig, 1.0 / 60, &dt, error);
    if (t < 2) {
      early += occupied(&rig.liquid.grid);
      early_count++;
    }
    if (t > 18) {
      late += occupied(&rig.liquid.grid);
      late_count++;
    }
  }
  if (!result) {
    // Drift of the volume within the level set.
    rv_check_emit(out, "occupied", late / late_count / (early / early_count) - 1, 0, 0.01);
    rv_check_emit(out, "particles", rv_liquid_particles_volume(&rig.liquid.particles) / volume - 1, 0, 1e-12);
  }
  rv_rig_liquid_free(&rig);
  return result;
}
