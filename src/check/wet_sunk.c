// Check wet_sunk (WH-5, WH-31, WH-35, E77): film under water goes back to the bulk, and its hair moves as bare hair
// does.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/wet.h"

enum { HAIRS = 24, POINTS = 12 };
static const double DX = 2e-3;        // m, cell of the liquid
static const double RADIUS = 8e-3;    // m, of the ball of liquid
static const double SPEED = 0.5;      // m/s, scale of the hairs' velocities
static const double TIME = 0.032;     // s
static const double SETTLED = 0.016;  // s: from then on the thickest film weighs less than its hair; slip is measured
static const double DENSITY = 1000;   // kg/m3, of the liquid

// Hairs in the middle of a ball of liquid at rest, without gravity.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double u = (double)vertex / (POINTS - 1), s = 0.012 * u * (0.6 + 0.4 * u);
  double a = 2e-3 * (2 * rv_random(3, strand, 0, 0) - 1), b = 2e-3 * (2 * rv_random(3, strand, 1, 0) - 1);
  return rv_vec3(a, -0.006 + s, b);
}

// Sets up hairs in the ball, with converged solves and without capture and dripping. `free`: without drag, cohesion and
// contacts either.
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
  // The ball: a filled box whose particles outside the ball have no volume.
  const double lo[3] = {-RADIUS, -RADIUS, -RADIUS}, hi[3] = {RADIUS, RADIUS, RADIUS};
  result = rv_rig_liquid_fill(&rig->pool, lo, hi, 0.3, error);
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i)
    if (rv_length(rv_rig_liquid_at(&rig->pool, i)) > RADIUS) p->volume[i] = 0;
  rv_rig_wet_film(rig, film);
  return result;
}

// Hairs that start with random velocities.
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

// Kinetic energy of the bulk, J.
static double liquid_energy(const RvWetRig* rig) {
  const RvParticles* p = &rig->pool.liquid.particles;
  double sum = 0;
  for (size_t i = 0; i < p->count; ++i)
    for (int a = 0; a < 3; ++a) sum += 0.5 * DENSITY * p->volume[i] * (double)p->v[a][i] * (double)p->v[a][i];
  return sum;
}

// Largest speed of a vertex relative to the liquid around it, m/s.
static double slip(const RvWetRig* rig) {
  double largest = 0;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 v = rv_rig_contact_get(&rig->hair, rig->hair.state->v, k, i);
      largest = fmax(largest, rv_length(rv_sub(v, rv_rig_contact_get(&rig->hair, rig->wet.bulk->velocity, k, i))));
    }
  return largest;
}

static double film_volume(const RvWetRig* rig) {
  double film, absorbed;
  rv_wet_volumes(&rig->wet, &film, &absorbed);
  return film;
}

typedef struct Largest {
  double rise;    // of the energy in a step, over the energy after the first
  double slip;    // after SETTLED, over SPEED
  double film;    // that is left at SETTLED, of that at the start
  double volume;  // relative change of the volume of film and bulk
} Largest;

// Runs hairs with film of a height in steps of dt seconds.
static RvResult run(double film, double dt, RvIntegrator integrator, Largest* largest, RvError* error) {
  RvWetRig rig;
  RvResult result = make(&rig, film, integrator, error);
  if (result) return result;
  double before = INFINITY, first = 0, film_first = film_volume(&rig), volume = rv_rig_wet_volume(&rig);
  for (int k = 0; k * dt < TIME && !result; ++k) {
    result = rv_rig_wet_step(&rig, dt, error);
    if (result) break;
    double energy = rv_rig_contact_kinetic(&rig.hair) + rv_rig_contact_elastic(&rig.hair) + liquid_energy(&rig);
    if (k == 0) first = energy;
    largest->rise = fmax(largest->rise, (energy - before) / first);
    if ((k + 1) * dt >= SETTLED) {
      largest->slip = fmax(largest->slip, slip(&rig) / SPEED);
      if (film_first > 0) largest->film = fmax(largest->film, film_volume(&rig) / film_first);
    }
    largest->volume = fmax(largest->volume, fabs(rv_rig_wet_volume(&rig) / volume - 1));
    before = energy;
  }
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- steps

// Pairs of hairs at the same position that move in opposite directions, so slowly that they stay there; the liquid
// stays at rest.
static RvVec3 place_pairs(void* user, size_t strand, int vertex) {
  return place(user, strand / 2, vertex);
}

// Sign of a strand's velocity.
static double side(size_t strand) {
  return strand % 2 ? -1 : 1;
}

typedef struct Mixed {
  double speed, film;                    // shares that are left after MIX_TIME
  double speed_expected, film_expected;  // and their theory
} Mixed;

// Hairs that only their film slows down. In each step the share 1 - e^(-dt / RV_WET_SINK_TIME) of the film goes back
// with its own velocity, which does not change that of the hair; then what is left gives that share of its momentum.
static RvResult mix(double dt, Mixed* m, RvError* error) {
  static const double MIX_TIME = 4e-3;  // s
  static const double SLOW = 0.01;      // m/s
  static const double FILM = 2.56e-4;   // m, height
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place_pairs, NULL);
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRig rig;
  RvResult result = make_rig(&rig, hair, true, RV_EULER, FILM, error);
  if (result) return result;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i)
      rv_rig_contact_set(&rig.hair, rig.hair.state->v, k, i, rv_vec3(SLOW * side(k), 0, 0));
  // Mass of film and of hair, kg/m.
  double film = rv_film_area(FILM, hair.radius) * DENSITY;
  double bare = RV_PI * hair.radius * hair.radius * hair.density;
  double first = film_volume(&rig);
  int steps = (int)(MIX_TIME / dt + 0.5);
  for (int k = 0; k < steps && !result; ++k) result = rv_rig_wet_step(&rig, dt, error);
  *m = (Mixed){.film = film_volume(&rig) / first, .speed_expected = 1, .film_expected = 1};
  for (size_t k = 0; k < HAIRS && !result; ++k)
    m->speed += side(k) * rv_rig_contact_get(&rig.hair, rig.hair.state->v, k, POINTS / 2).x / SLOW / HAIRS;
  for (int k = 0; k < steps; ++k) {
    double left = rv_exp(-dt / RV_WET_SINK_TIME);
    m->film_expected *= left;
    double mass = film * m->film_expected;
    m->speed_expected *= 1 - mass / (mass + bare) * (1 - left);
  }
  rv_rig_wet_free(&rig);
  return result;
}

// Mixing in 1, 4 and 16 steps.
static RvResult emit_mixing(const RvCheckOut* out, RvError* error) {
  Mixed m[3];
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = mix(4e-3 / (1 << 2 * k), &m[k], error);
  if (result) return result;
  rv_check_emit(out, "mixed_in_one_step", m[0].speed / m[0].speed_expected, 1, 1e-3);
  rv_check_emit(out, "mixed_in_four", m[1].speed / m[1].speed_expected, 1, 1e-3);
  rv_check_emit(out, "mixed_in_sixteen", m[2].speed / m[2].speed_expected, 1, 1e-3);
  rv_check_emit(out, "returned_in_one_step", m[0].film / m[0].film_expected, 1, 1e-6);
  rv_check_emit(out, "returned_in_four", m[1].film / m[1].film_expected, 1, 1e-6);
  rv_check_emit(out, "returned_in_sixteen", m[2].film / m[2].film_expected, 1, 1e-6);
  return RV_OK;
}

RvResult rv_check_wet_sunk(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *slip, *rise, *left;
    double film;
  } films[] = {{"bare", "bare_energy", "bare_left", 0},
               {"thin_film", "thin_film_energy", "thin_film_left", 1.6e-5},
               {"film", "film_energy", "film_left", 6.4e-5},
               {"thick_film", "thick_film_energy", "thick_film_left", 2.56e-4},
               {"drops", "drops_energy", "drops_left", 4e-4}};
  double volume = 0;
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof films / sizeof *films && !result; ++k) {
    // Two steps with two integrators.
    Largest largest = {0};
    for (int i = 0; i < 4 && !result; ++i)
      result = run(films[k].film, i & 1 ? 4e-3 : 1e-3, i & 2 ? RV_BDF2 : RV_EULER, &largest, error);
    if (result) return result;
    rv_check_emit(out, films[k].slip, largest.slip, 0, 0.1);
    rv_check_emit(out, films[k].rise, largest.rise, 0, 1e-6);
    rv_check_emit(out, films[k].left, largest.film, 0, 0.01);
    volume = fmax(volume, largest.volume);
  }
  rv_check_emit(out, "volume", volume, 0, 1e-12);
  return result ? result : emit_mixing(out, error);
}
