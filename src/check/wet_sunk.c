// Check wet_sunk: film under water is water (E51): it goes with the bulk and not with its hair.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/wet.h"

enum { HAIRS = 24, POINTS = 12 };
static const double DX = 2e-3, RADIUS = 8e-3, SPEED = 0.5, TIME = 0.032, SETTLED = 8e-3;

// in the middle of a ball of liquid that rests, without weight
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double u = (double)vertex / (POINTS - 1), s = 0.012 * u * (0.6 + 0.4 * u);
  double a = 2e-3 * (2 * rv_random(3, strand, 0, 0) - 1), b = 2e-3 * (2 * rv_random(3, strand, 1, 0) - 1);
  return rv_vec3(a, -0.006 + s, b);
}

// `free`: nothing else acts on the hairs
static RvResult make_rig(RvWetRig* rig, RvContactRigDef hair, bool free, RvIntegrator integrator, double film,
                         RvError* error) {
  RvWetRigDef def = rv_rig_wet_water(hair);
  if (free) {
    def.wet.couple.drag = 0;
    def.wet.cohesion = 0;
    def.contact.strands = false;
  }
  def.clamped = 0;
  def.niter = 60;
  def.tolerance = 1e-9;
  def.integrator = integrator;
  def.liquid = rv_liquid_model_default(DX);
  def.wet.couple.capture = 0;
  def.wet.couple.drip = 0;
  def.wet.film.absorption = 0;
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  const double lo[3] = {-RADIUS, -RADIUS, -RADIUS}, hi[3] = {RADIUS, RADIUS, RADIUS};
  result = rv_rig_liquid_fill(&rig->pool, lo, hi, 0.3, error);
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i)
    if (rv_length(rv_rig_liquid_at(&rig->pool, i)) > RADIUS) p->volume[i] = 0;
  rv_rig_wet_film(rig, film);
  return result;
}

static RvResult make(RvWetRig* rig, double film, RvIntegrator integrator, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, NULL);
  hair.gravity = rv_vec3(0, 0, 0);
  RvResult result = make_rig(rig, hair, false, integrator, film, error);
  if (result) return result;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 v = rv_vec3(0.6 + 0.4 * rv_random(5, k, 0, 0), 0.2 * rv_random(5, k, 1, 0), 0.04 * i);
      rv_rig_contact_set(&rig->hair, rig->hair.state->v, k, i, rv_scale(v, SPEED));
    }
  return result;
}

static double liquid_energy(const RvWetRig* rig) {
  const RvParticles* p = &rig->pool.liquid.particles;
  double sum = 0;
  for (size_t i = 0; i < p->count; ++i)
    for (int a = 0; a < 3; ++a) sum += 500 * p->volume[i] * (double)p->v[a][i] * (double)p->v[a][i];
  return sum;
}

// how fast strands go through the liquid that they are in
static double slip(const RvWetRig* rig) {
  double most = 0;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 v = rv_rig_contact_get(&rig->hair, rig->hair.state->v, k, i);
      most = fmax(most, rv_length(rv_sub(v, rv_rig_contact_get(&rig->hair, rig->wet.bulk->velocity, k, i))));
    }
  return most;
}

typedef struct Most {
  double rise;  // of the energy in a step, over the first
  double slip;  // after SETTLED, over the first speed
} Most;

static RvResult run(double film, double dt, RvIntegrator integrator, Most* most, RvError* error) {
  RvWetRig rig;
  RvResult result = make(&rig, film, integrator, error);
  if (result) return result;
  double before = INFINITY, first = 0;
  for (int k = 0; k * dt < TIME && !result; ++k) {
    result = rv_rig_wet_step(&rig, dt, error);
    if (result) break;
    double energy = rv_rig_contact_kinetic(&rig.hair) + rv_rig_contact_elastic(&rig.hair) + liquid_energy(&rig);
    if (k == 0) first = energy;
    most->rise = fmax(most->rise, (energy - before) / first);
    if (k > 0 && k * dt >= SETTLED) most->slip = fmax(most->slip, slip(&rig) / SPEED);
    before = energy;
  }
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- steps

// Pairs of hairs at one place that go to opposite sides, so slowly that they stay there: the liquid rests.
static RvVec3 place_pairs(void* user, size_t strand, int vertex) {
  return place(user, strand / 2, vertex);
}

static double side(size_t strand) {
  return strand % 2 ? -1 : 1;
}

// What is left of their speed after TOGETHER with nothing to stop them but the film that mixes with the liquid, and
// what should be: in each step a film of so much of the mass gives up a part 1 - e^(-dt / RV_WET_SINK_TIME) of it.
static RvResult mix(double dt, double* left, double* expected, RvError* error) {
  static const double TOGETHER = 4e-3, SLOW = 0.01, FILM = 2.56e-4;
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place_pairs, NULL);
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRig rig;
  RvResult result = make_rig(&rig, hair, true, RV_EULER, FILM, error);
  if (result) return result;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i)
      rv_rig_contact_set(&rig.hair, rig.hair.state->v, k, i, rv_vec3(SLOW * side(k), 0, 0));
  double film = rv_film_area(FILM, hair.radius) * 1000, bare = RV_PI * hair.radius * hair.radius * hair.density;
  int steps = (int)(TOGETHER / dt + 0.5);
  for (int k = 0; k < steps && !result; ++k) result = rv_rig_wet_step(&rig, dt, error);
  *left = 0;
  *expected = 1;
  for (size_t k = 0; k < HAIRS && !result; ++k)
    *left += side(k) * rv_rig_contact_get(&rig.hair, rig.hair.state->v, k, POINTS / 2).x / SLOW / HAIRS;
  for (int k = 0; k < steps; ++k) *expected *= 1 - film / (film + bare) * (1 - rv_exp(-dt / RV_WET_SINK_TIME));
  rv_rig_wet_free(&rig);
  return result;
}

static RvResult emit_mixing(const RvCheckOut* out, RvError* error) {
  double left[3] = {0}, expected[3];
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = mix(4e-3 / (1 << 2 * k), &left[k], &expected[k], error);
  if (result) return result;
  rv_check_emit(out, "mixed_in_one_step", left[0] / expected[0], 1, 1e-3);
  rv_check_emit(out, "mixed_in_four", left[1] / expected[1], 1, 1e-3);
  rv_check_emit(out, "mixed_in_sixteen", left[2] / expected[2], 1, 1e-3);
  rv_check_emit(out, "sixteen_to_one", left[2] / left[0], 1, 0.05);
  return RV_OK;
}

RvResult rv_check_wet_sunk(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *slip, *rise;
    double film;
  } films[] = {{"bare", "bare_energy", 0},
               {"thin_film", "thin_film_energy", 1.6e-5},
               {"film", "film_energy", 6.4e-5},
               {"thick_film", "thick_film_energy", 2.56e-4},
               {"drops", "drops_energy", 4e-4}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof films / sizeof *films && !result; ++k) {
    Most most = {0};
    for (int i = 0; i < 4 && !result; ++i)
      result = run(films[k].film, i & 1 ? 4e-3 : 1e-3, i & 2 ? RV_BDF2 : RV_EULER, &most, error);
    if (result) return result;
    rv_check_emit(out, films[k].slip, most.slip, 0, 0.1);
    rv_check_emit(out, films[k].rise, most.rise, 0, 1e-6);
  }
  return result ? result : emit_mixing(out, error);
}
