// Check wet_steps (WH-18, WH-31, WH-44): the motion of strands does not depend on Newton's tolerance, nor the film they
// get on the length of the step.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

//---------------------------------------------------------------------------------------------- two hairs with a bridge

enum { POINTS = 42, TIP = POINTS - 1 };  // vertices of a hair, index of the last
static const double LENGTH = 0.047;      // m
static const double RADIUS = 5e-5;       // m
static const double FILM = 1.4e-5;       // m, height
static const double YOUNGS = 3.4e8;      // Pa

// Distance of the hairs at a vertex, in radii. They touch at the root, where the bridge begins that closes downwards.
// Films that touch along the whole length would engulf both hairs, and engulfed hairs have no cohesion.
static double hair_distance(int vertex) {
  return 2.9 + 1.6 * vertex / TIP;
}

static RvVec3 hang(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(RADIUS * hair_distance(vertex) * (double)strand, -LENGTH * vertex / TIP, 0);
}

// Approach of the tips of two wet hairs, m, in steps that move them by less than a thousandth of an edge each.
static RvResult approach(double tolerance, int iterations, double* displacement, RvError* error) {
  enum { STEPS = 80 };
  static const double STEP = 2e-5;  // s
  RvContactRigDef hair = rv_rig_contact_hair(2, POINTS, hang, NULL);
  hair.radius = RADIUS;
  hair.youngs = YOUNGS;
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.niter = iterations;
  def.tolerance = tolerance;
  def.wet.couple.drip = 0;
  RvWetRig rig;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  rv_rig_wet_film(&rig, FILM);
  for (int k = 0; k < STEPS && !result; ++k) result = rv_rig_wet_step(&rig, STEP, error);
  *displacement = RADIUS * hair_distance(TIP) - rv_distance(rv_rig_contact_get(&rig.hair, rig.hair.state->q, 0, TIP),
                                                            rv_rig_contact_get(&rig.hair, rig.hair.state->q, 1, TIP));
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- a row that draws in

enum { ROW = 12 };                       // hairs
static const double ROW_SPACING = 5e-4;  // m
static const double ROW_FILM = 2e-4;     // m, height: most of it hangs at the tips in the end

static RvVec3 row(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(ROW_SPACING * (double)strand, -LENGTH * vertex / TIP, 0);
}

// Approach of the outer tips of a wet row in 0.1 s, m.
static RvResult draw_in(double friction, double tolerance, int iterations, double* displacement, RvError* error) {
  enum { STEPS = 25 };
  static const double STEP = 4e-3;  // s
  RvContactRigDef hair = rv_rig_contact_hair(ROW, POINTS, row, NULL);
  hair.radius = RADIUS;
  hair.youngs = YOUNGS;
  hair.density = 1320;
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.niter = iterations;
  def.tolerance = tolerance;
  def.strand_substeps = 4;
  def.contact.friction = friction;
  RvWetRig rig;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  rv_rig_wet_film(&rig, ROW_FILM);
  for (int k = 0; k < STEPS && !result; ++k) result = rv_rig_wet_step(&rig, STEP, error);
  *displacement = ROW_SPACING * (ROW - 1) - rv_distance(rv_rig_contact_get(&rig.hair, rig.hair.state->q, 0, TIP),
                                                        rv_rig_contact_get(&rig.hair, rig.hair.state->q, ROW - 1, TIP));
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- a slab falls on fur

enum { ACROSS = 6, FUR_POINTS = 16 };    // hairs along a side, vertices of a hair
enum { FURS = 3, FIRST_FUR = 7 };        // furs of random directions, seed of the first
static const double SPACING = 6e-4;      // m, between hairs
static const double BOX = 0.01;          // m, side of the tank
static const double TANK_TOP = 0.04;     // m
static const double CELL = 6.25e-4;      // m
static const double FUR = 0.01;          // m, length of a hair
static const double LEAN = 0.15;         // largest slope of a hair along x and z
static const double CLEARANCE = 1e-3;    // m, of the slab above the fur
static const double SLAB_LAYERS = 4;     // cells, depth of the slab
static const double POUR_TIME = 0.06;    // s, at most
static const double PASSED = 4.5e-3;     // m, of the slab's centre where the film is measured: the upper half is out
static const double STRAND_STEP = 1e-3;  // s: substep of strands and film

// Standing fur that leans at random.
static RvVec3 stand(void* user, size_t strand, int vertex) {
  const uint64_t seed = *(const uint64_t*)user;
  double x = ((double)(strand % ACROSS) - 0.5 * (ACROSS - 1)) * SPACING;
  double z = ((double)(strand / ACROSS) - 0.5 * (ACROSS - 1)) * SPACING;
  double s = FUR * vertex / (FUR_POINTS - 1);
  double a = LEAN * (2 * rv_random(seed, strand, 0, 0) - 1);
  double b = LEAN * (2 * rv_random(seed, strand, 1, 0) - 1);
  return rv_vec3(x + a * s, s, z + b * s);
}

// Volume of film, m3, on a fur when a slab of liquid has fallen to PASSED in steps of dt seconds. A longer step lets it
// fall sooner by half of it, so film is compared at equal heights. A step begins with capture, so its film belongs to
// the height before it.
static RvResult pour_on(uint64_t seed, double dt, double* film, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(ACROSS * ACROSS, FUR_POINTS, stand, &seed);
  hair.radius = 3.7e-5;
  hair.youngs = 3.9e9;
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.liquid = rv_liquid_model_default(CELL);
  def.wet.film.absorption = 0;
  def.strand_substeps = (int)(dt / STRAND_STEP + 0.5);
  RvWetRig rig;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  // The tank and the slab.
  double low[3] = {-BOX / 2, 0, -BOX / 2}, high[3] = {BOX / 2, TANK_TOP, BOX / 2};
  double from[3] = {low[0], FUR + CLEARANCE, low[2]};
  double to[3] = {high[0], FUR + CLEARANCE + SLAB_LAYERS * CELL, high[2]};
  rv_rig_liquid_tank(&rig.pool, low, high, 8);
  result = rv_rig_liquid_fill(&rig.pool, from, to, 0.1, error);
  double height = INFINITY, after = 0;
  *film = 0;
  for (int k = 0; k < (int)(POUR_TIME / dt + 0.5) && height > PASSED && !result; ++k) {
    double height_before = height, film_before = after, absorbed;
    height = rv_rig_liquid_sums(&rig.pool, rv_vec3(0, 0, 0)).center.y;
    result = rv_rig_wet_step(&rig, dt, error);
    rv_wet_volumes(&rig.wet, &after, &absorbed);
    if (height <= PASSED) *film = after + (film_before - after) * (PASSED - height) / (height_before - height);
  }
  rv_rig_wet_free(&rig);
  return result;
}

// Mean of some furs: a single one varies by a tenth with the noise of its particles.
static RvResult pour(double dt, double* film, RvError* error) {
  RvResult result = RV_OK;
  *film = 0;
  for (uint64_t k = 0; k < FURS && !result; ++k) {
    double own = 0;
    result = pour_on(FIRST_FUR + k, dt, &own, error);
    *film += own / FURS;
  }
  return result;
}

RvResult rv_check_wet_steps(const RvCheckOut* out, RvError* error) {
  // Two hairs and a row, with a rough and a converged solve; the slab with three steps.
  double approach_rough, approach_converged;
  double row_rough, row_converged, rubbing_usual, rubbing_converged;
  double film[3] = {0};
  RvResult result = approach(1e-2, 3, &approach_rough, error);
  if (!result) result = approach(1e-7, 30, &approach_converged, error);
  if (!result) result = draw_in(0, 1e-2, 3, &row_rough, error);
  if (!result) result = draw_in(0, 1e-5, 30, &row_converged, error);
  if (!result) result = draw_in(0.3, 1e-3, 8, &rubbing_usual, error);
  if (!result) result = draw_in(0.3, 1e-5, 30, &rubbing_converged, error);
  for (int k = 0; k < 3 && !result; ++k) result = pour(4e-3 / (1 << k), &film[k], error);
  if (result) return result;
  rv_check_emit(out, "felt_in_short_steps", approach_rough / approach_converged, 1, 0.05);
  rv_check_emit(out, "row_draws_in", row_rough / row_converged, 1, 0.05);
  rv_check_emit(out, "row_with_friction", rubbing_usual / rubbing_converged, 1, 0.05);
  rv_check_emit(out, "film_4ms_to_1ms", film[0] / film[2], 1, 0.15);
  rv_check_emit(out, "film_2ms_to_1ms", film[1] / film[2], 1, 0.15);
  return RV_OK;
}
