// Check wet_momentum (WH-24, WH-26, WH-31, WH-40, WH-46): momentum and volume of strands, film and a ball of liquid
// without gravity, in whole wet substeps with every exchange on.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

enum { HAIRS = 24, POINTS = 12, STEPS = 80 };
static const double FLOAT_ROUNDING = 0x1p-24, ROUNDINGS = 3;  // roundings of the bulk's momentum that are let pass
static const double DX = 2e-3;      // m, cell of the liquid
static const double STEP = 1e-3;    // s
static const double RADIUS = 8e-3;  // m, of the ball
static const double FILM = 1e-4;    // m, height
// Exchanges that the check needs.
enum { MIN_CAPTURED = 100, MIN_DRIPPED = 20, MIN_BRIDGES = 10 };

// Strands with unequal edges; every other one starts in the ball.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double u = (double)vertex / (POINTS - 1), s = 0.024 * u * (0.6 + 0.4 * u);
  double a = 4e-3 * (2 * rv_random(3, strand, 0, 0) - 1), b = 4e-3 * (2 * rv_random(3, strand, 1, 0) - 1);
  return rv_vec3(a + (strand % 2 ? -0.012 : 0) + 0.2 * s, -0.012 + s, b + 3 * s * s);
}

typedef struct Sums {
  RvWetRig* rig;
  RvVec3 pressure;        // kg m/s: change of the faces' momentum by pressure and extrapolation, since the start
  float* liquid_mass[3];  // kg: mass of the faces without film
  size_t room;            // faces that liquid_mass has room for, along each axis
} Sums;

// Momentum of the grid's faces, by the mass of the liquid or by that of the film in it.
static RvVec3 face_momentum(const Sums* s, bool film) {
  const RvLiquidGrid* g = &s->rig->pool.liquid.grid;
  double sum[3] = {0};
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i) {
      double liquid = (double)s->liquid_mass[a][i];
      double mass = film ? (double)g->mass[a].data[i] - liquid : liquid;
      if (mass > 0) sum[a] += mass * (double)g->velocity[a].data[i];
    }
  return rv_vec3_load64(sum);
}

// Copies the mass of the faces before film is added to it.
static void copy_mass(Sums* s) {
  const RvLiquidGrid* g = &s->rig->pool.liquid.grid;
  size_t n = g->tiles.count * RV_TILE_CELLS;
  for (int a = 0; a < 3; ++a) {
    if (n > s->room) {
      rv_free(s->liquid_mass[a]);
      s->liquid_mass[a] = rv_alloc(n, sizeof(float));
    }
    memcpy(s->liquid_mass[a], g->mass[a].data, n * sizeof(float));
  }
  s->room = n > s->room ? n : s->room;
}

// Sum of a block of vectors over all vertices.
static RvVec3 total(const RvWetRig* rig, const double* block) {
  RvVec3 sum = {0, 0, 0};
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) sum = rv_add(sum, rv_rig_contact_get(&rig->hair, block, k, i));
  return sum;
}

// Sums the momentum that pressure and extrapolation add. Both do not conserve it: the pressure at a free surface that
// cuts cells has no reaction, and velocities beside the surface are extrapolated. Film leaves the faces before the
// extrapolation.
static bool watch(void* user, double time, const char* stage) {
  RvWetRig* rig = user;
  Sums* s = rig->def.hair.user;
  (void)time;
  if (strcmp(stage, "surface") == 0) copy_mass(s);
  if (strcmp(stage, "volume") == 0)
    s->pressure = rv_sub(s->pressure, rv_add(face_momentum(s, false), face_momentum(s, true)));
  if (strcmp(stage, "pressure") == 0) s->pressure = rv_add(s->pressure, face_momentum(s, true));
  if (strcmp(stage, "extrapolate") == 0) s->pressure = rv_add(s->pressure, face_momentum(s, false));
  return false;
}

// Sets up strands and a ball of liquid that move into each other.
static RvResult make(RvWetRig* rig, Sums* sums, bool film_in_bulk, RvError* error) {
  // Free strands, converged solves, and every exchange on.
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, sums);
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.clamped = 0;
  def.strand_substeps = 2;
  def.niter = 60;
  def.tolerance = 1e-11;
  def.liquid = rv_liquid_model_default(DX);
  def.wet.couple.film_in_bulk = film_in_bulk;
  def.wet.couple.capacity = 0.02;
  def.wet.film.absorption = 1;
  def.wet.film.saturation = 0.3;
  def.wet.film.viscous = true;
  def.wet.film.transverse = true;
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  // A ball of moving liquid: a filled box whose particles outside the ball have no volume.
  const double lo[3] = {-RADIUS, -RADIUS, -RADIUS}, hi[3] = {RADIUS, RADIUS, RADIUS};
  result = rv_rig_liquid_fill(&rig->pool, lo, hi, 0.3, error);
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i) {
    p->v[0][i] = -0.1f;
    p->v[2][i] = 0.05f;
    if (rv_length(rv_rig_liquid_at(&rig->pool, i)) > RADIUS) p->volume[i] = 0;
  }
  // Film, and velocities of the strands.
  rig->pool.liquid.cancelled = watch;
  rig->pool.liquid.cancel_user = rig;
  rv_rig_wet_film(rig, FILM);
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 v = rv_vec3(0.3 + 0.2 * rv_random(5, k, 0, 0), 0.1 * rv_random(5, k, 1, 0), 0.02 * i);
      rv_rig_contact_set(&rig->hair, rig->hair.state->v, k, i, v);
    }
  return result;
}

// Names of the figures: momentum without the work of pressure, with it, and volume.
typedef struct Names {
  const char *momentum, *whole, *volume, *captured, *dripped, *bridges, *film_off_tips;
} Names;

// Runs the scene; submerged film moves with its strand, or with the bulk.
static RvResult run(const RvCheckOut* out, const Names* names, bool film_in_bulk, RvError* error) {
  RvWetRig rig;
  Sums sums = {.rig = &rig};
  RvResult result = make(&rig, &sums, film_in_bulk, error);
  if (result) return result;
  RvVec3 start = rv_rig_wet_momentum(&rig);
  RvVec3 hair = rv_rig_wet_hair_momentum(&rig);
  RvVec3 given = {0, 0, 0};
  double volume = rv_rig_wet_volume(&rig);
  double exchanged = 0, worst = 0, raw = 0, drift = 0;
  double bulk = rv_rig_liquid_sums(&rig.pool, start).scale_linear;
  for (int k = 0; k < STEPS && !result; ++k) {
    // The impulse of the last pressure solve on the strands acts in this step.
    given = rv_add(given, total(&rig, rig.wet.feedback_impulse));
    result = rv_rig_wet_step(&rig, STEP, error);
    // Errors: relative to the momentum that the strands exchanged, and to that of the bulk.
    RvVec3 hair_now = rv_rig_wet_hair_momentum(&rig);
    exchanged += rv_length(rv_sub(hair_now, hair));
    hair = hair_now;
    RvVec3 off = rv_sub(rv_rig_wet_momentum(&rig), start);
    raw = fmax(raw, rv_length(off) / bulk);
    worst = fmax(worst, rv_length(rv_sub(off, rv_add(sums.pressure, given))) / exchanged);
    drift = fmax(drift, fabs(rv_rig_wet_volume(&rig) / volume - 1));
  }
  const RvCoupleReport* c = &rig.wet.report.couple;
  if (!result) {
    // Velocities of particles and faces are floats. Each step rounds them anew, and the errors add up as a random walk: to
    // one rounding (2^-24) of the bulk's momentum in the 80 steps. The strands exchange a sixteenth of that momentum.
    rv_check_emit(out, names->momentum, worst, 0, ROUNDINGS * FLOAT_ROUNDING * bulk / exchanged);
    rv_check_emit(out, names->whole, raw, 0, 0.01);
    rv_check_emit(out, names->volume, drift, 0, 1e-12);
    rv_check_emit(out, names->captured, c->captured > MIN_CAPTURED, 1, 0);
    rv_check_emit(out, names->dripped, c->dripped > MIN_DRIPPED, 1, 0);
    rv_check_emit(out, names->bridges, rig.contacts.stats.bridges > MIN_BRIDGES, 1, 0);
    rv_check_emit(out, names->film_off_tips, rig.wet.report.film.outflow > 0, 1, 0);
  }
  for (int a = 0; a < 3; ++a) rv_free(sums.liquid_mass[a]);
  rv_rig_wet_free(&rig);
  return result;
}

RvResult rv_check_wet_momentum(const RvCheckOut* out, RvError* error) {
  static const Names with_strand = {"momentum", "with_pressure", "volume",       "captured",
                                    "dripped",  "bridges",       "film_off_tips"};
  static const Names with_bulk = {"film_in_bulk",          "film_in_bulk_with_pressure", "film_in_bulk_volume",
                                  "film_in_bulk_captured", "film_in_bulk_dripped",       "film_in_bulk_bridges",
                                  "film_in_bulk_off_tips"};
  RvResult result = run(out, &with_strand, false, error);
  return result ? result : run(out, &with_bulk, true, error);
}
