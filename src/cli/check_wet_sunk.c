// Check wet_sunk: film under water is water (E51): it goes with the bulk and not with its hair.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "cli/check_list.h"
#include "cli/wet_rig.h"

enum { HAIRS = 24, POINTS = 12 };
static const double DX = 2e-3, RADIUS = 8e-3, SPEED = 0.5, TIME = 0.032, SETTLED = 8e-3;

// in the middle of a ball of liquid that rests, without weight
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double u = (double)vertex / (POINTS - 1), s = 0.012 * u * (0.6 + 0.4 * u);
  double a = 2e-3 * (2 * rv_random(3, strand, 0, 0) - 1), b = 2e-3 * (2 * rv_random(3, strand, 1, 0) - 1);
  return rv_vec3(a, -0.006 + s, b);
}

static RvResult make(RvWetRig* rig, double film, RvIntegrator integrator, RvError* error) {
  RvContactRigDef hair = rv_contact_rig_hair(HAIRS, POINTS, place, NULL);
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRigDef def = rv_wet_rig_water(hair);
  def.clamped = 0, def.niter = 60, def.tolerance = 1e-9, def.integrator = integrator;
  def.liquid = rv_liquid_model_default(DX);
  def.wet.couple.capture = 0, def.wet.couple.drip = 0, def.wet.film.absorption = 0;
  RvResult result = rv_wet_rig_new(rig, &def, error);
  if (result) return result;
  const double lo[3] = {-RADIUS, -RADIUS, -RADIUS}, hi[3] = {RADIUS, RADIUS, RADIUS};
  result = rv_liquid_rig_fill(&rig->pool, lo, hi, 0.3, error);
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i)
    if (rv_length(rv_liquid_rig_at(&rig->pool, i)) > RADIUS) p->volume[i] = 0;
  rv_wet_rig_film(rig, film);
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 v = rv_vec3(0.6 + 0.4 * rv_random(5, k, 0, 0), 0.2 * rv_random(5, k, 1, 0), 0.04 * i);
      rv_contact_rig_set(&rig->hair, rig->hair.state->v, k, i, rv_scale(v, SPEED));
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
      RvVec3 v = rv_contact_rig_get(&rig->hair, rig->hair.state->v, k, i);
      most = fmax(most, rv_length(rv_sub(v, rv_contact_rig_get(&rig->hair, rig->wet.bulk->velocity, k, i))));
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
    result = rv_wet_rig_step(&rig, dt, error);
    if (result) break;
    double energy = rv_contact_rig_kinetic(&rig.hair) + rv_contact_rig_elastic(&rig.hair) + liquid_energy(&rig);
    if (k == 0) first = energy;
    most->rise = fmax(most->rise, (energy - before) / first);
    if (k > 0 && k * dt >= SETTLED) most->slip = fmax(most->slip, slip(&rig) / SPEED);
    before = energy;
  }
  rv_wet_rig_free(&rig);
  return result;
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
  return result;
}
