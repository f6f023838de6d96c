// Check wet_steps: the length of the step decides neither whether a force is felt nor how much film hair gets.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

//---------------------------------------------------------------------------------------------- two hairs with a bridge

static const double LENGTH = 0.047, RADIUS = 5e-5, FILM = 1.4e-5;

// In radii, at a vertex: they touch at the root, where the bridge begins that goes down between them. Films that touch
// along the whole length would engulf both, and what is engulfed does not cohere.
static double apart(int vertex) {
  return 2.9 + 1.6 * vertex / 41;
}

static RvVec3 hang(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(RADIUS * apart(vertex) * (double)strand, -LENGTH * vertex / 41, 0);
}

// How far the tips of two wet hairs came together within steps that move them by less than a thousandth of an edge
// each.
static RvResult approach(double tolerance, int iterations, double* way, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(2, 42, hang, NULL);
  hair.radius = RADIUS;
  hair.youngs = 3.4e8;
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.niter = iterations;
  def.tolerance = tolerance;
  def.wet.couple.drip = 0;
  RvWetRig rig;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  rv_rig_wet_film(&rig, FILM);
  for (int k = 0; k < 80 && !result; ++k) result = rv_rig_wet_step(&rig, 2e-5, error);
  *way = RADIUS * apart(41) - rv_distance(rv_rig_contact_get(&rig.hair, rig.hair.state->q, 0, 41),
                                          rv_rig_contact_get(&rig.hair, rig.hair.state->q, 1, 41));
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- a row that draws in

enum { ROW = 12 };

static RvVec3 row(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(5e-4 * (double)strand, -LENGTH * vertex / 41, 0);
}

// How far the outer tips of a wet row came together in 0.1 s.
static RvResult draw_in(double tolerance, int iterations, double* way, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(ROW, 42, row, NULL);
  hair.radius = RADIUS;
  hair.youngs = 3.4e8;
  hair.density = 1320;
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.niter = iterations;
  def.tolerance = tolerance;
  def.strand_substeps = 4;
  RvWetRig rig;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  rv_rig_wet_film(&rig, 3e-4);
  for (int k = 0; k < 25 && !result; ++k) result = rv_rig_wet_step(&rig, 4e-3, error);
  *way = 5e-4 * (ROW - 1) - rv_distance(rv_rig_contact_get(&rig.hair, rig.hair.state->q, 0, 41),
                                        rv_rig_contact_get(&rig.hair, rig.hair.state->q, ROW - 1, 41));
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- a slab that falls on
// fur

enum { ACROSS = 6 };
static const double SPACING = 6e-4, BOX = 0.01, CELL = 6.25e-4, FUR = 0.01;

static RvVec3 stand(void* user, size_t strand, int vertex) {
  (void)user;
  double x = ((double)(strand % ACROSS) - 0.5 * (ACROSS - 1)) * SPACING,
         z = ((double)(strand / ACROSS) - 0.5 * (ACROSS - 1)) * SPACING, s = FUR * vertex / 15;
  double a = 0.15 * (2 * rv_random(7, strand, 0, 0) - 1), b = 0.15 * (2 * rv_random(7, strand, 1, 0) - 1);
  return rv_vec3(x + a * s, s, z + b * s);
}

// m3 of film on fur through which a slab fell in steps of `dt`
static RvResult pour(double dt, double* film, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(ACROSS * ACROSS, 16, stand, NULL);
  hair.radius = 3.7e-5;
  hair.youngs = 3.9e9;
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.liquid = rv_liquid_model_default(CELL);
  def.wet.film.absorption = 0;
  def.strand_substeps = (int)(dt / 1e-3 + 0.5);
  RvWetRig rig;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  double low[3] = {-BOX / 2, 0, -BOX / 2}, high[3] = {BOX / 2, 0.04, BOX / 2};
  double from[3] = {low[0], FUR + 1e-3, low[2]}, to[3] = {high[0], FUR + 1e-3 + 4 * CELL, high[2]};
  rv_rig_liquid_tank(&rig.pool, low, high, 8);
  result = rv_rig_liquid_fill(&rig.pool, from, to, 0.1, error);
  for (int k = 0; k < (int)(0.04 / dt + 0.5) && !result; ++k) result = rv_rig_wet_step(&rig, dt, error);
  double absorbed;
  rv_wet_volumes(&rig.wet, film, &absorbed);
  rv_rig_wet_free(&rig);
  return result;
}

RvResult rv_check_wet_steps(const RvCheckOut* out, RvError* error) {
  double rough, exact, lags, drawn, film[3] = {0};
  RvResult result = approach(1e-2, 3, &rough, error);
  if (!result) result = approach(1e-7, 30, &exact, error);
  if (!result) result = draw_in(1e-2, 3, &lags, error);
  if (!result) result = draw_in(1e-5, 30, &drawn, error);
  for (int k = 0; k < 3 && !result; ++k) result = pour(4e-3 / (1 << k), &film[k], error);
  if (result) return result;
  rv_check_emit(out, "felt_in_short_steps", rough / exact, 1, 0.05);
  rv_check_emit(out, "row_draws_in", lags / drawn, 1, 0.05);
  rv_check_emit(out, "film_4ms_to_1ms", film[0] / film[2], 1, 0.15);
  rv_check_emit(out, "film_2ms_to_1ms", film[1] / film[2], 1, 0.15);
  return RV_OK;
}
