// Check capture_reach: how much a strand takes of liquid near by goes by the distance of the nearest, not by how many
// stand around it.
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "rig/couple.h"
#include "rig/liquid.h"

enum { MOST = 64 };
static const double RADIUS = 5e-5, G = 9.81, DX = 5e-4, RATE = 30, STEP = 2e-3, GAP = 1.5e-4, HEIGHT = 0.01;

// level strands of 2 cm, `across` of them side by side in each of some layers
static RvResult sheet(RvCoupleRig* rig, int across, int layers, RvError* error) {
  RvCoupleLine lines[MOST];
  for (int i = 0; i < across * layers; ++i) {
    double y = HEIGHT - GAP * (i / across), z = 0.01 + GAP * (i % across - 0.5 * (across - 1));
    lines[i] = (RvCoupleLine){.from = {0, y, z}, .to = {0.02, y, z}, .radius = RADIUS, .density = 1300};
  }
  return rv_rig_couple_new(rig, lines, (size_t)(across * layers), 11, 1, error);
}

// WH-31: 1 - exp(-rate fade dt) of a particle, fade = (1 - d^2 / R^2)^2, R that of (17) for one strand and half of a
// particle, d to the nearest strand
static double part_taken(RvVec3 x, int across, double reach) {
  double near = INFINITY;
  for (int i = 0; i < across; ++i) {
    double z = 0.01 + GAP * (i - 0.5 * (across - 1));
    near = fmin(near, (x.y - HEIGHT) * (x.y - HEIGHT) + (x.z - z) * (x.z - z));
  }
  double left = fmax(1 - near / (reach * reach), 0);
  return 1 - exp(-RATE * left * left * STEP);
}

// liquid in a box that may be taken, by strands that take it at RATE
static RvResult fill(RvCoupleRig* rig, RvLiquidRig* bulk, const double lo[3], const double hi[3], RvError* error) {
  RvLiquidModel model = rv_liquid_model_default(DX);
  RvParticles* p = &bulk->liquid.particles;
  rig->set.nominal = DX * DX * DX / 8;
  rig->set.capture = RATE;
  RvResult result = rv_rig_liquid_new(bulk, &model, error);
  if (!result) result = rv_rig_liquid_fill(bulk, lo, hi, 0.8, error);
  for (size_t i = 0; i < p->count && !result; ++i) p->age[i] = 1;
  return result ? result : rv_liquid_particles_sort(p, &bulk->liquid.report.lost, error);
}

// what is taken in a step of a slab above the strands' middle, over what the law says
static RvResult take(int across, int layers, double* ratio, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const double lo[3] = {0.005, HEIGHT + 2e-4, 0.0065}, hi[3] = {0.015, HEIGHT + 3e-3, 0.0135};
  RvResult result = sheet(&rig, across, layers, error);
  if (result) return result;
  result = fill(&rig, &bulk, lo, hi, error);
  RvParticles* p = &bulk.liquid.particles;
  double reach = rv_couple_capacity_radius(RADIUS, 0.072, 1000, G * sqrt(1 + 0.05 * 0.05), 1) + 0.62 * DX / 2, sum = 0;
  for (size_t i = 0; i < p->count && !result; ++i)
    sum += p->volume[i] * part_taken(rv_rig_liquid_at(&bulk, i), across, reach);
  if (!result) result = rv_rig_couple_capture_submerged(&rig, &bulk.liquid.grid, p, STEP, &report, error);
  *ratio = report.captured_volume / sum;
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

// what a strand takes in a step in the middle of liquid that is ten times as wide as its reach, of its capacity
static RvResult take_under_water(bool submerged_too, double* part, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const double lo[3] = {-0.005, HEIGHT - 0.005, 0.005}, hi[3] = {0.025, HEIGHT + 0.005, 0.015};
  RvResult result = sheet(&rig, 1, 1, error);
  if (result) return result;
  result = fill(&rig, &bulk, lo, hi, error);
  RvParticles* p = &bulk.liquid.particles;
  double capacity[11 * RV_LANES], room = 0;
  if (!result) result = rv_couple_capacity(rig.couple, &rig.strands, &rig.set, capacity, NULL, error);
  for (int i = 0; i < 11 && !result; ++i) room += capacity[i * RV_LANES];
  if (!result)
    result = submerged_too ? rv_rig_couple_capture_submerged(&rig, &bulk.liquid.grid, p, STEP, &report, error)
                           : rv_couple_capture(rig.couple, &rig.strands, &rig.set, &bulk.liquid.grid, p, STEP, rig.kick,
                                               &report, error);
  *part = report.captured_volume / room;
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

RvResult rv_check_capture_reach(const RvCheckOut* out, RvError* error) {
  double one, row, mat, under, taken;
  RvResult result = take(1, 1, &one, error);
  if (!result) result = take(16, 1, &row, error);
  if (!result) result = take(16, 4, &mat, error);
  if (!result) result = take_under_water(false, &under, error);
  if (!result) result = take_under_water(true, &taken, error);
  if (result) return result;
  rv_check_emit(out, "one", one, 1, 1e-3);
  rv_check_emit(out, "row_of_16", row, 1, 1e-3);
  rv_check_emit(out, "four_rows_of_16", mat, 1, 1e-3);
  rv_check_emit(out, "under_water", under, 0, 0);
  rv_check_emit(out, "were_it_not", taken > 0.01, 1, 0);
  return RV_OK;
}
