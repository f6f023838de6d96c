// Checks of capture: what film and bulk exchange is conserved, whatever the frame of reference (WH-31, WH-32); a strand
// takes of drops what its section sweeps, whatever the size of the particles that they are made of; a strand in the
// middle of bulk takes nothing, and its film goes back (WH-18, WH-31, E74, E77).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "check/random_strands.h"
#include "rig/couple.h"
#include "rig/film.h"
#include "rig/liquid.h"

enum { MAX_LINES = 16, VERTICES = 11 };
static const double RADIUS = 5e-5;  // of a hair, m
static const double SPEED = 2;      // of the drops, m/s
static const double STEP = 1e-3;    // s
static const double GAP = 4e-4;     // between strands, m
static const double HEIGHT = 0.01;  // of the strands, m
static const double LENGTH = 0.02;  // m
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

//---------------------------------------------------------------------------------------------- balances

static const double CAPTURE_DX = 2e-3;  // m, cell of the liquid

// Half of the box is empty, and the liquid so viscous that strands draw thick films out of it: some strands gain film
// and others lose theirs. All is moved by some cells and has a common velocity.
static RvResult half_full_scene(RvCoupleRig* rig, RvLiquidRig* bulk, RvVec3 cells, RvVec3 boost, RvError* error) {
  RvResult result = rv_check_random_scene(rig, bulk, CAPTURE_DX, error);
  if (result) return result;
  rv_check_clear_spare(rig);
  rig->set.viscosity = 0.1;
  RvParticles* p = &bulk->liquid.particles;
  const double move[3] = {cells.x, cells.y, cells.z}, more[3] = {boost.x, boost.y, boost.z};
  for (size_t i = 0; i < p->count; ++i) {
    if (rv_rig_liquid_at(bulk, i).y > 0.016) p->volume[i] = 0;
    for (int a = 0; a < 3; ++a) {
      p->x[a][i] += (float)move[a];
      p->v[a][i] += (float)more[a];
    }
  }
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < RV_CHECK_RANDOM_VERTICES; ++i)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(&rig->model->batches[b], lane, i, c);
          rig->state->q[at] += move[c] * CAPTURE_DX;
          rig->state->v[at] += more[c];
        }
  for (size_t i = 0; i < rig->model->vertices; ++i) rig->film_state.strain[i] = 0.2 + rv_random(5, i, 0, 0);
  return rv_liquid_particles_sort(p, &bulk->liquid.report.lost, error);
}

// A call of capture, and how much film went back by its strain, m3: what is captured is unstrained and leaves volume
// times strain as it is; what goes back takes its own away.
static RvResult capture_once(RvCoupleRig* rig, RvLiquidRig* bulk, uint64_t random, RvCoupleReport* report,
                             double* returned, RvError* error) {
  const RvFilmState* film = &rig->film_state;
  size_t n = rig->model->vertices;
  double* before = rv_alloc(2 * n, sizeof *before);
  if (!before) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memcpy(before, film->volume, n * sizeof *before);
  memcpy(before + n, film->strain, n * sizeof *before);
  RvResult result =
      rv_rig_couple_capture(rig, &bulk->liquid.grid, &bulk->liquid.particles, 2e-3, random, report, error);
  for (size_t i = 0; i < n; ++i)
    if (before[i] > 0) *returned += before[i] - film->volume[i] * film->strain[i] / before[n + i];
  rv_free(before);
  return result;
}

// Largest volume by which a vertex's film is above its capacity, over that of a nominal particle.
static RvResult find_excess(RvCoupleRig* rig, double* excess, RvError* error) {
  double* capacity = rv_alloc(rig->model->vertices, sizeof *capacity);
  if (!capacity) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_couple_capacity(rig->couple, &rig->strands, &rig->set, capacity, NULL, error);
  for (size_t i = 0; i < rig->model->vertices && !result; ++i)
    *excess = fmax(*excess, (rig->film_state.volume[i] - capacity[i]) / rig->set.nominal);
  rv_free(capacity);
  return result;
}

// Largest difference of a vertex's film in a scene that is moved by parts of a cell and has a common velocity, over the
// thickest. One call: what follows differs with the particles.
static RvResult compare_moved(double* difference, RvError* error) {
  RvCoupleRig rig[2];
  RvLiquidRig bulk[2];
  RvCoupleReport report = {0};
  RvResult result = RV_OK;
  double returned = 0, largest = 0;
  int made = 0;
  for (; made < 2 && !result; ++made) {
    RvVec3 zero = rv_vec3(0, 0, 0), cells = rv_vec3(0.3, 0.6, 0.45), boost = rv_vec3(1, -2, 0.5);
    result = half_full_scene(&rig[made], &bulk[made], made ? cells : zero, made ? boost : zero, error);
    if (!result) result = capture_once(&rig[made], &bulk[made], 0, &report, &returned, error);
  }
  for (size_t i = 0; i < rig[0].model->vertices && !result; ++i) {
    double one = rig[0].film_state.volume[i], other = rig[1].film_state.volume[i];
    *difference = fmax(*difference, fabs(one - other));
    largest = fmax(largest, one);
  }
  *difference /= largest;
  for (int k = 0; k < made; ++k) {
    rv_rig_couple_free(&rig[k]);
    rv_rig_liquid_free(&bulk[k]);
  }
  return result;
}

// Eight calls of capture in the half full scene (WH-31, WH-32).
RvResult rv_check_capture(const RvCheckOut* out, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvResult result = half_full_scene(&rig, &bulk, rv_vec3(0, 0, 0), rv_vec3(0, 0, 0), error);
  if (result) return result;
  RvParticles* p = &bulk.liquid.particles;
  double volume = rv_liquid_particles_volume(p), film = rv_rig_couple_film(&rig);
  double smallest = 1, returned = 0, excess = 0, moved = 0;
  RvVec3 before = rv_rig_couple_momentum(&rig, 0), bulk_before = rv_check_bulk_momentum(&bulk);
  for (uint64_t i = 0; i < 8 && !result; ++i) result = capture_once(&rig, &bulk, i, &report, &returned, error);
  // What strands and film gained against what the particles lost; vertices above their capacity.
  RvVec3 gain = rv_sub(rv_rig_couple_momentum(&rig, 0), before),
         lost = rv_sub(bulk_before, rv_check_bulk_momentum(&bulk));
  if (!result) result = find_excess(&rig, &excess, error);
  if (!result) result = compare_moved(&moved, error);
  for (size_t i = 0; i < p->count; ++i)
    if (p->volume[i] > 0) smallest = fmin(smallest, p->volume[i] / rig.set.nominal);
  double left = rv_liquid_particles_volume(p), exchanged = report.captured_volume + report.returned_volume;
  rv_check_emit(out, "volume", (left + rv_rig_couple_film(&rig)) / (volume + film) - 1, 0, 1e-12);
  // The report and the particles agree; something was captured, and something returned.
  rv_check_emit(out, "reported", (report.captured_volume - report.returned_volume - (volume - left)) / exchanged, 0,
                1e-9);
  rv_check_emit(out, "momentum", rv_check_relative_size(rv_sub(gain, lost), lost), 0, 1e-6);
  rv_check_emit(out, "strain", returned / report.returned_volume, 1, 1e-9);
  rv_check_emit(out, "captured", report.captured_volume > 0.1 * film, 1, 0);
  rv_check_emit(out, "returned", report.returned_volume > 0.1 * film, 1, 0);
  // A particle too small to be divided, a tenth of the nominal volume, is captured as a whole.
  rv_check_emit(out, "above_capacity", excess, 0, 0.1);
  // No crumbs: a particle is used up or keeps a tenth of the nominal volume.
  rv_check_emit(out, "smallest_left", fmin(smallest, 0.1), 0.1, 1e-12);
  rv_check_emit(out, "moved", moved, 0, 1e-3);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}
