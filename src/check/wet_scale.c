// Check wet_scale (WH-28, WH-29, WH-30, E50): the film that a bundle retains, its drip rate and its clumps converge
// with the cell of the liquid and the number of vertices.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

typedef struct Bundle {
  int side;       // hairs along a side
  int points;     // vertices of a hair
  double gap;     // m, between tufts
  double length;  // m, of a hair
  double dx;      // m, cell of the liquid
} Bundle;

// A square of tufts of four hairs, displaced at random.
static RvVec3 place(void* user, size_t strand, int vertex) {
  const Bundle* b = user;
  size_t i = strand % (size_t)b->side, j = strand / (size_t)b->side;
  double x = b->gap * ((double)(i / 2) + 0.2 * (double)(i % 2) + 0.1 * (rv_random(8, strand, 0, 0) - 0.5));
  double z = b->gap * ((double)(j / 2) + 0.2 * (double)(j % 2) + 0.1 * (rv_random(8, strand, 1, 0) - 0.5));
  return rv_vec3(x, -b->length * vertex / (b->points - 1), z);
}

typedef struct Figures {
  double film;    // m3, retained
  double rate;    // m3/s, dripped and not captured again
  double clumps;  // groups of strands
} Figures;

// Net volume that has dripped so far, m3.
static double dripped_volume(const RvWetRig* rig) {
  return rig->wet.report.couple.dripped_volume - rig->wet.report.couple.captured_volume;
}

// Removes drops far below the tips.
static void remove_fallen(RvWetRig* rig, double length) {
  static const double FALL = 0.01;  // m
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i)
    if (rv_rig_liquid_at(&rig->pool, i).y < -length - FALL) p->volume[i] = 0;
}

// Means over the second half of a run in which film is added evenly.
static RvResult run(Bundle* b, Figures* f, RvError* error) {
  const double dt = 4e-3;             // s
  const double seconds = 0.8;         // of the run
  const double feed = 3e-4;           // m/s of film height
  const double film_at_start = 1e-4;  // m, height
  // The bundle, with rough solves as in a shot.
  RvWetRig rig;
  size_t count = (size_t)(b->side * b->side);
  RvWetRigDef def = rv_rig_wet_water(rv_rig_contact_hair(count, b->points, place, b));
  def.liquid = rv_liquid_model_default(b->dx);
  def.wet.film.absorption = 0;
  def.wet.film.viscous = true;
  def.niter = 4;
  def.tolerance = 1e-2;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  const RvStrandModel* m = rig.hair.model;
  double* paint = rv_alloc(m->vertices, sizeof *paint);
  int32_t* clump = rv_alloc(m->vertices + 1, sizeof *clump);
  if (!paint || !clump) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; k < m->vertices && !result; ++k) paint[k] = feed;
  rv_rig_wet_film(&rig, film_at_start);
  // The steps; figures are summed over the second half.
  int steps = (int)(seconds / dt + 0.5);
  int half = steps / 2;
  int samples = 0;
  double dripped = 0, film_sum = 0, clumps = 0;
  for (int k = 0; k < steps && !result; ++k) {
    if (k == half) dripped = dripped_volume(&rig);
    result = rv_wet_paint(&rig.wet, paint, dt, error);
    if (!result) result = rv_rig_wet_step(&rig, dt, error);
    remove_fallen(&rig, b->length);
    if (k < half) continue;
    double film, absorbed;
    rv_wet_volumes(&rig.wet, &film, &absorbed);
    film_sum += film;
    clumps += (double)rv_contacts_clumps(rig.hair.contacts, clump);
    ++samples;
  }
  dripped = dripped_volume(&rig) - dripped;
  *f = (Figures){film_sum / samples, dripped / (dt * (steps - half)), clumps / samples};
  rv_free(paint);
  rv_free(clump);
  rv_rig_wet_free(&rig);
  return result;
}

// The first bundle is the base; the others have a half and a quarter of its cell, and twice its vertices.
RvResult rv_check_wet_scale(const RvCheckOut* out, RvError* error) {
  static const char* const names[4][3] = {
      {0},
      {"held_at_half_dx", "rate_at_half_dx", "clumps_at_half_dx"},
      {"held_at_quarter_dx", "rate_at_quarter_dx", "clumps_at_quarter_dx"},
      {"held_twice_the_vertices", "rate_twice_the_vertices", "clumps_twice_the_vertices"}};
  Bundle bundles[4] = {
      {6, 12, 9e-4, 0.03, 2e-3}, {6, 12, 9e-4, 0.03, 1e-3}, {6, 12, 9e-4, 0.03, 5e-4}, {6, 23, 9e-4, 0.03, 2e-3}};
  Figures f[4];
  for (int k = 0; k < 4; ++k) {
    RvResult result = run(&bundles[k], &f[k], error);
    if (result) return result;
    if (k == 0) {
      rv_check_emit(out, "clumps_of_nine_tufts", f[0].clumps, 9, 3);
      continue;
    }
    rv_check_emit(out, names[k][0], f[k].film / f[0].film, 1, 0.1);
    rv_check_emit(out, names[k][1], f[k].rate / f[0].rate, 1, 0.1);
    rv_check_emit(out, names[k][2], f[k].clumps / f[0].clumps, 1, 0.1);
  }
  return RV_OK;
}
