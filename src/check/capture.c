// Check capture_reach: the rate of capture depends on the distance to the nearest strand, not on the number of strands
// around a particle (WH-31); a submerged strand captures nothing (WH-18).
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "rig/couple.h"
#include "rig/liquid.h"

enum { MAX_LINES = 64, VERTICES = 11 };
static const double RADIUS = 5e-5;  // of a hair, m
static const double G = 9.81;       // m/s2
static const double DX = 5e-4;      // cell, m
static const double RATE = 30;      // capture rate, 1/s
static const double STEP = 2e-3;    // s
static const double GAP = 1.5e-4;   // between strands, three radii, m
static const double HEIGHT = 0.01;  // of the uppermost strands, m

// Level strands of 2 cm, `across` of them side by side in each layer.
static RvResult sheet(RvCoupleRig* rig, int across, int layers, RvError* error) {
  RvCoupleLine lines[MAX_LINES];
  for (int i = 0; i < across * layers; ++i) {
    double y = HEIGHT - GAP * (i / across), z = 0.01 + GAP * (i % across - 0.5 * (across - 1));
    lines[i] = (RvCoupleLine){.from = {0, y, z}, .to = {0.02, y, z}, .radius = RADIUS, .density = 1300};
  }
  return rv_rig_couple_new(rig, lines, (size_t)(across * layers), VERTICES, 1, error);
}

// WH-31: a particle loses 1 - exp(-rate fade dt), fade = (1 - d^2 / R^2)^2, d the distance to the nearest strand, R
// that of (17) for one strand plus half a particle.
static double part_taken(RvVec3 x, int across, double reach) {
  double nearest_square = INFINITY;
  for (int i = 0; i < across; ++i) {
    double z = 0.01 + GAP * (i - 0.5 * (across - 1));
    nearest_square = fmin(nearest_square, (x.y - HEIGHT) * (x.y - HEIGHT) + (x.z - z) * (x.z - z));
  }
  double fade_root = fmax(1 - nearest_square / (reach * reach), 0);
  return 1 - exp(-RATE * fade_root * fade_root * STEP);
}

// Liquid in a box, old enough to be captured, and strands that capture it at RATE.
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

// Volume captured in a step from a slab above the strands' middle, over that of the law.
static RvResult take(int across, int layers, double* ratio, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const double lo[3] = {0.005, HEIGHT + 2e-4, 0.0065};
  const double hi[3] = {0.015, HEIGHT + 3e-3, 0.0135};
  RvResult result = sheet(&rig, across, layers, error);
  if (result) return result;
  result = fill(&rig, &bulk, lo, hi, error);
  RvParticles* p = &bulk.liquid.particles;
  // r_max of (17) for one fibre plus the radius of a particle. The acceleration is g with the floor of 0.05 g that the
  // capacity adds in squares (couple/capacity.c).
  double reach = rv_couple_capacity_radius(RADIUS, 0.072, 1000, G * sqrt(1 + 0.05 * 0.05), 1) + 0.62 * DX / 2;
  double sum = 0;
  for (size_t i = 0; i < p->count && !result; ++i)
    sum += p->volume[i] * part_taken(rv_rig_liquid_at(&bulk, i), across, reach);
  if (!result) result = rv_rig_couple_capture_submerged(&rig, &bulk.liquid.grid, p, STEP, &report, error);
  *ratio = report.captured_volume / sum;
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

// Volume that a strand captures in a step, relative to its capacity, in the middle of liquid ten times as wide as its
// reach; `submerged_too` switches the rule for submerged strands off.
static RvResult take_under_water(bool submerged_too, double* part, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  const double lo[3] = {-0.005, HEIGHT - 0.005, 0.005};
  const double hi[3] = {0.025, HEIGHT + 0.005, 0.015};
  RvResult result = sheet(&rig, 1, 1, error);
  if (result) return result;
  result = fill(&rig, &bulk, lo, hi, error);
  RvParticles* p = &bulk.liquid.particles;
  double capacity[VERTICES * RV_LANES];
  double room = 0;
  if (!result) result = rv_couple_capacity(rig.couple, &rig.strands, &rig.set, capacity, NULL, error);
  for (int i = 0; i < VERTICES && !result; ++i) room += capacity[i * RV_LANES];
  if (!result)
    result = submerged_too ? rv_rig_couple_capture_submerged(&rig, &bulk.liquid.grid, p, STEP, &report, error)
                           : rv_couple_capture(rig.couple, &rig.strands, &rig.set, &bulk.liquid.grid, p, STEP, rig.kick,
                                               &report, error);
  *part = report.captured_volume / room;
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

// One strand, a row and four rows against the law; then a submerged strand, with and without its rule.
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
