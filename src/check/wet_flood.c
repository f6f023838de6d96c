// Check wet_flood: film that outweighs its hair by far, and is filled up again and again, does not throw it about.
//
// What is painted on is at rest, so that all that moves has fallen, by a length at most: it is as fast as sqrt(2 g L),
// and gives a vertex that turns it back twice that. Between the fillings it has time to run off, which leaves bare hair
// behind it.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/film.h"
#include "rig/wet.h"

enum { HAIRS = 6, POINTS = 20 };
static const double LENGTH = 0.08, HEIGHT = 3e-3, TIME = 0.3, PULSE = 0.1;

// hanging, and crooked by a fifth of an edge
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double s = LENGTH * vertex / (POINTS - 1), rough = vertex > 1 ? 0.2 * LENGTH / (POINTS - 1) : 0;
  double x = 2 * rv_random(4, strand, (uint64_t)vertex, 0) - 1, z = 2 * rv_random(4, strand, (uint64_t)vertex, 1) - 1;
  return rv_vec3(8e-3 * (double)(strand % 3) + rough * x, -s, 8e-3 * (double)(strand / 3) + rough * z);
}

// the largest speed of each vertex so far, over sqrt(2 g L)
static void note_speeds(const RvWetRig* rig, double most[HAIRS][POINTS]) {
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i)
      most[k][i] = fmax(most[k][i],
                        rv_length(rv_rig_contact_get(&rig->hair, rig->hair.state->v, k, i)) / sqrt(2 * 9.81 * LENGTH));
}

// kg m/s of film along its strands
static double running(const RvWetRig* rig, double* mass) {
  double sum = 0;
  rv_film_edge_masses(&rig->wet.film, &rig->wet.film_state, rig->hair.state->q, mass);
  for (size_t k = 0; k < rig->hair.model->edges; ++k) sum += mass[k] * rig->wet.film_state.speed[k];
  return sum;
}

// all of it as much, which water does not feel; returns m3
static double strain_film(RvWetRig* rig) {
  RvFilmState* film = &rig->wet.film_state;
  for (size_t k = 0; k < rig->hair.model->vertices; ++k) film->strain[k] = 0.5;
  return rv_rig_film_strained(film, rig->hair.model->vertices);
}

typedef struct Flood {
  double most[HAIRS][POINTS], fastest, mean;  // largest speeds of vertices: the largest, and their mean
  double painted;                             // largest change of momentum along strands by painting, relative
  double strain;                              // and of the sum of volume times strain
  size_t wild, dripped;
} Flood;

// drops are done with once they are below the tips
static void forget(RvWetRig* rig) {
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i)
    if (rv_rig_liquid_at(&rig->pool, i).y < -LENGTH - 0.05) p->volume[i] = 0;
}

static RvResult run(double dt, Flood* f, RvError* error) {
  RvWetRig rig;
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, NULL);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.liquid = rv_liquid_model_default(4e-3);
  def.wet.film.viscous = true;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  double* paint = rv_alloc(rig.hair.model->vertices, sizeof *paint);
  double* mass = rv_alloc(rig.hair.model->edges, sizeof *mass);
  if (!paint || !mass) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; !result && k < rig.hair.model->vertices; ++k) paint[k] = HEIGHT / dt;
  const RvFilmState* film = &rig.wet.film_state;
  for (int k = 0; k * dt < TIME && !result; ++k) {
    double before = running(&rig, mass);
    bool fills = k * dt - PULSE * floor(k * dt / PULSE + 1e-6) < 0.5 * dt;
    double strained = strain_film(&rig);
    if (fills) result = rv_wet_paint(&rig.wet, paint, dt, error);
    if (strained > 0)
      f->strain = fmax(f->strain, fabs(rv_rig_film_strained(film, rig.hair.model->vertices) / strained - 1));
    if (fills && before != 0) f->painted = fmax(f->painted, fabs(running(&rig, mass) / before - 1));
    if (!result) result = rv_rig_wet_step(&rig, dt, error);
    note_speeds(&rig, f->most);
    forget(&rig);
  }
  for (size_t k = 0; k < HAIRS * POINTS; ++k) {
    double own = f->most[k / POINTS][k % POINTS];
    f->fastest = fmax(f->fastest, own);
    f->mean += own / (HAIRS * POINTS);
  }
  f->wild += rig.wet.report.refused;
  f->dripped += rig.wet.report.couple.dripped;
  rv_free(paint);
  rv_free(mass);
  rv_rig_wet_free(&rig);
  return result;
}

RvResult rv_check_wet_flood(const RvCheckOut* out, RvError* error) {
  Flood coarse = {0}, fine = {0};
  RvResult result = run(4e-3, &coarse, error);
  if (!result) result = run(2e-3, &fine, error);
  if (result) return result;
  rv_check_emit(out, "refused", (double)(coarse.wild + fine.wild), 0, 0);
  rv_check_emit(out, "fastest", fmax(coarse.fastest, fine.fastest), 0, 2);
  rv_check_emit(out, "half_the_step", fine.mean / coarse.mean, 1, 0.25);
  rv_check_emit(out, "painting_gives_no_momentum", fmax(coarse.painted, fine.painted), 0, 1e-12);
  rv_check_emit(out, "painting_gives_no_strain", fmax(coarse.strain, fine.strain), 0, 1e-12);
  rv_check_emit(out, "dripped", coarse.dripped > 100 && fine.dripped > 100, 1, 0);
  return RV_OK;
}
