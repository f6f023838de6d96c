// Check wet_flood (WH-20, WH-24, WH-26, WH-31): film far heavier than its hair, added repeatedly, keeps the hair's
// speed bounded.
//
// Painted film is at rest relative to the hair, so every speed comes from falling by at most the length L: film reaches
// sqrt(2 g L), and a vertex that reverses it gets at most twice that. Between two fillings the film runs off and leaves
// bare hair.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/film.h"
#include "rig/wet.h"

enum { HAIRS = 6, POINTS = 20 };
static const double LENGTH = 0.08;   // m
static const double SPACING = 8e-3;  // m, between hairs
static const double HEIGHT = 3e-3;   // m, of film that a filling adds
static const double TIME = 0.3;      // s
static const double PULSE = 0.1;     // s, between two fillings
static const double DX = 4e-3;       // m, cell of the liquid
static const double GRAVITY = 9.81;  // m/s2
static const double FALL = 0.05;     // m: drops so far below the tips are removed
enum { MIN_DRIPPED = 100 };          // drops that the check needs

// Hanging hair, crooked at random by a fifth of an edge.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double s = LENGTH * vertex / (POINTS - 1), rough = vertex > 1 ? 0.2 * LENGTH / (POINTS - 1) : 0;
  double x = 2 * rv_random(4, strand, (uint64_t)vertex, 0) - 1, z = 2 * rv_random(4, strand, (uint64_t)vertex, 1) - 1;
  return rv_vec3(SPACING * (double)(strand % 3) + rough * x, -s, SPACING * (double)(strand / 3) + rough * z);
}

// Updates the largest speed of each vertex so far, over sqrt(2 g L).
static void update_speeds(const RvWetRig* rig, double largest[HAIRS][POINTS]) {
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      double speed = rv_length(rv_rig_contact_get(&rig->hair, rig->hair.state->v, k, i));
      largest[k][i] = fmax(largest[k][i], speed / sqrt(2 * GRAVITY * LENGTH));
    }
}

// Momentum of the film along its strands, kg m/s.
static double film_momentum(const RvWetRig* rig, double* mass) {
  double sum = 0;
  rv_film_edge_masses(&rig->wet.film, &rig->wet.film_state, rig->hair.state->q, mass);
  for (size_t k = 0; k < rig->hair.model->edges; ++k) sum += mass[k] * rig->wet.film_state.speed[k];
  return sum;
}

// Sets the strain of all film to the same value, which has no effect on water; returns the sum of volume times strain,
// m3.
static double strain_film(RvWetRig* rig) {
  RvFilmState* film = &rig->wet.film_state;
  for (size_t k = 0; k < rig->hair.model->vertices; ++k) film->strain[k] = 0.5;
  return rv_rig_film_strained(film, rig->hair.model->vertices);
}

typedef struct Flood {
  double largest[HAIRS][POINTS];  // largest speed of each vertex, over sqrt(2 g L)
  double fastest, mean;           // of these the largest, and the mean
  double painted;                 // largest relative change of the film's momentum by painting
  double strain;                  // largest relative change of the sum of volume times strain by painting
  size_t refused;                 // velocity changes that strands did not take
  size_t dripped;                 // drops
} Flood;

// Removes drops far below the tips.
static void remove_fallen(RvWetRig* rig) {
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i)
    if (rv_rig_liquid_at(&rig->pool, i).y < -LENGTH - FALL) p->volume[i] = 0;
}

// Runs the scene in steps of dt seconds.
static RvResult run(double dt, Flood* f, RvError* error) {
  RvWetRig rig;
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, NULL);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.liquid = rv_liquid_model_default(DX);
  def.wet.film.viscous = true;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  double* paint = rv_alloc(rig.hair.model->vertices, sizeof *paint);
  double* mass = rv_alloc(rig.hair.model->edges, sizeof *mass);
  if (!paint || !mass) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; !result && k < rig.hair.model->vertices; ++k) paint[k] = HEIGHT / dt;
  // The steps; at the first of each pulse film is painted on, which must change neither momentum nor strain.
  const RvFilmState* film = &rig.wet.film_state;
  for (int k = 0; k * dt < TIME && !result; ++k) {
    double before = film_momentum(&rig, mass);
    bool fills = k * dt - PULSE * floor(k * dt / PULSE + 1e-6) < 0.5 * dt;
    double strained = strain_film(&rig);
    if (fills) result = rv_wet_paint(&rig.wet, paint, dt, error);
    if (strained > 0)
      f->strain = fmax(f->strain, fabs(rv_rig_film_strained(film, rig.hair.model->vertices) / strained - 1));
    if (fills && before != 0) f->painted = fmax(f->painted, fabs(film_momentum(&rig, mass) / before - 1));
    if (!result) result = rv_rig_wet_step(&rig, dt, error);
    update_speeds(&rig, f->largest);
    remove_fallen(&rig);
  }
  // Figures of the whole run.
  for (size_t k = 0; k < HAIRS * POINTS; ++k) {
    double own = f->largest[k / POINTS][k % POINTS];
    f->fastest = fmax(f->fastest, own);
    f->mean += own / (HAIRS * POINTS);
  }
  f->refused += rig.wet.report.refused;
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
  rv_check_emit(out, "refused", (double)(coarse.refused + fine.refused), 0, 0);
  rv_check_emit(out, "fastest", fmax(coarse.fastest, fine.fastest), 0, 2);
  rv_check_emit(out, "half_the_step", fine.mean / coarse.mean, 1, 0.25);
  rv_check_emit(out, "painting_gives_no_momentum", fmax(coarse.painted, fine.painted), 0, 1e-12);
  rv_check_emit(out, "painting_gives_no_strain", fmax(coarse.strain, fine.strain), 0, 1e-12);
  rv_check_emit(out, "dripped", coarse.dripped > MIN_DRIPPED && fine.dripped > MIN_DRIPPED, 1, 0);
  return RV_OK;
}
