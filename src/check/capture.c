// Check capture_swept: a strand takes of drops what its section sweeps, whatever the size of the particles that they
// are made of; a strand in the middle of bulk takes nothing, and its film goes back (WH-18, WH-31, E74, E77).
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "rig/couple.h"
#include "rig/liquid.h"

enum { MAX_LINES = 16, VERTICES = 11 };
static const double RADIUS = 5e-5;   // of a hair, m
static const double SPEED = 2;       // of the drops, m/s
static const double STEP = 1e-3;     // s
static const double GAP = 4e-4;      // between strands, m
static const double HEIGHT = 0.01;   // of the strands, m
static const double LENGTH = 0.02;   // m
static const double SPARSE = 0.05;  // fill of the space with drops: far from bulk

// Level strands side by side.
static RvResult row(RvCoupleRig* rig, int across, RvError* error) {
  RvCoupleLine lines[MAX_LINES];
  for (int i = 0; i < across; ++i) {
    double z = 0.01 + GAP * (i - 0.5 * (across - 1));
    lines[i] = (RvCoupleLine){.from = {0, HEIGHT, z}, .to = {LENGTH, HEIGHT, z}, .radius = RADIUS, .density = 1300};
  }
  return rv_rig_couple_new(rig, lines, (size_t)across, VERTICES, 1, error);
}

// Liquid around the strands, old enough to be captured, of cells dx, with `fill` of its volume, falling at SPEED.
static RvResult surround(RvCoupleRig* rig, RvLiquidRig* bulk, double dx, double fill, RvError* error) {
  const double lo[3] = {-0.01, HEIGHT - 0.01, 0}, hi[3] = {LENGTH + 0.01, HEIGHT + 0.01, 0.02};
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvParticles* p = &bulk->liquid.particles;
  rig->set.nominal = fill * dx * dx * dx / 8;
  RvResult result = rv_rig_liquid_new(bulk, &model, error);
  if (!result) result = rv_rig_liquid_fill(bulk, lo, hi, 0.8, error);
  for (size_t i = 0; i < p->count && !result; ++i) {
    p->age[i] = 1;
    p->volume[i] = rig->set.nominal;
    p->v[1][i] = (float)-SPEED;
  }
  return result ? result : rv_liquid_particles_sort(p, &bulk->liquid.report.lost, error);
}

// Volume that strands take of drops in a step, over 2 r (u + pull) dt L times the fill: pull the speed at which tension
// draws a drop of r_max in.
static RvResult sweep(int across, double dx, double* ratio, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvResult result = row(&rig, across, error);
  if (result) return result;
  result = surround(&rig, &bulk, dx, SPARSE, error);
  // no bound by the capacity: its law is another check's
  rig.set.capacity = 100;
  // what w_FF was before is not known, so nothing is drawn out of bulk
  if (!result)
    result = rv_couple_capture(rig.couple, &rig.strands, &rig.set, &bulk.liquid.grid, &bulk.liquid.particles, STEP, 1,
                               rig.kick, &report, error);
  // the acceleration of (17) is g with the floor of 0.05 g that the capacity adds in squares (couple/capacity.c)
  double hairs = 1;
  double drop = rv_couple_capacity_radius(RADIUS, 0.072, 1000, 9.81 * sqrt(1 + 0.05 * 0.05), hairs);
  double pull = sqrt(0.072 / (1000 * drop));
  *ratio = report.captured_volume / (across * 2 * RADIUS * (SPEED + pull) * STEP * LENGTH * SPARSE);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

// Film in the middle of bulk: what is taken, over the capacity, and what goes back in a step, over the film.
static RvResult submerge(double* taken, double* returned, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvResult result = row(&rig, 1, error);
  if (result) return result;
  result = surround(&rig, &bulk, 5e-4, 1, error);
  rv_rig_couple_set_film(&rig, 1e-8);
  double film = rv_rig_couple_film(&rig);
  if (!result) result = rv_rig_couple_capture(&rig, &bulk.liquid.grid, &bulk.liquid.particles, STEP, 1, &report, error);
  *taken = report.captured_volume / film;
  *returned = report.returned_volume / film;
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

// One strand and a row, in fine and coarse drops; then a submerged strand.
RvResult rv_check_capture_swept(const RvCheckOut* out, RvError* error) {
  double fine, coarse, several, taken, returned;
  RvResult result = sweep(1, 5e-4, &fine, error);
  if (!result) result = sweep(1, 1e-3, &coarse, error);
  if (!result) result = sweep(MAX_LINES, 5e-4, &several, error);
  if (!result) result = submerge(&taken, &returned, error);
  if (result) return result;
  // the kernel holds some 120 and 60 particles of the strand's length, those of a row 2,000, jittered by 0.8
  rv_check_emit(out, "fine_drops", fine, 1, 0.05);
  rv_check_emit(out, "coarse_drops", coarse, 1, 0.08);
  rv_check_emit(out, "row_of_16", several, 1, 0.03);
  rv_check_emit(out, "submerged_takes", taken, 0, 0);
  // 1 - exp(-dt / 3 ms)
  rv_check_emit(out, "submerged_returns", returned / (1 - exp(-STEP / 3e-3)), 1, 1e-9);
  return RV_OK;
}
