// Check wet_energy (WH-10, WH-11, WH-26, WH-44): forming and breaking bridges gives strands no energy, with either
// integrator.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

enum { HAIRS = 6, POINTS = 16, STEPS = 160 };
static const double LENGTH = 0.03;  // m
static const double GAP = 3e-4;     // m, between hairs
static const double FILM = 3e-5;    // m, height
static const double STEP = 1e-3;    // s
enum { MIN_CHANGES = 5 };           // steps in which bridges form, or break, that the check needs

// Two rows of three straight hanging hairs.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double x = (double)(strand % 3) * GAP, z = (double)(strand / 3) * GAP;
  return rv_vec3(x, -LENGTH * vertex / (POINTS - 1), z);
}

// Kinetic energy of strands and film, J. The strands' masses include all of the film; `mass` is room for the film's.
static double kinetic(const RvWetRig* rig, double* mass) {
  const RvStrandModel* m = rig->hair.model;
  const RvStrandState* s = rig->hair.state;
  const RvFilmState* f = &rig->wet.film_state;
  double sum = rv_rig_contact_kinetic(&rig->hair);
  rv_film_edge_masses(&rig->wet.film, f, s->q, mass);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int j = 0; j + 1 < b->vertices; ++j) {
        size_t edge = b->edge_at + (size_t)j * RV_LANES + (size_t)lane, at = rv_strand_index(b, lane, j, 0);
        double e = 0, along = 0;
        for (size_t c = 0; c < 3; ++c) {
          double d = s->q[at + (4 + c) * RV_LANES] - s->q[at + c * RV_LANES];
          e += d * d;
          along += 0.5 * d * (s->v[at + (4 + c) * RV_LANES] + s->v[at + c * RV_LANES]);
        }
        double u = f->speed[edge];
        sum += mass[edge] * (u * along / sqrt(e) + 0.5 * u * u);
      }
  }
  return sum;
}

// Energy of the links of the last step at q, J: 0 where hairs are apart, negative where bridges bind them.
static double link_energy(const RvWetRig* rig, const double* q, double* lanes) {
  const RvOperator* op = rv_contacts_operator(rig->hair.contacts);
  return rig->contacts.stats.links + rig->contacts.stats.touches > 0 ? op->energy(op->user, q, lanes) : 0;
}

// Potential energy of strands and film in gravity, J.
static double potential(const RvWetRig* rig, const double* q) {
  const RvStrandModel* m = rig->hair.model;
  double sum = 0, g[3];
  rv_vec3_store64(g, rig->def.hair.gravity);
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < POINTS; ++i)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(&m->batches[k], lane, i, c);
          sum -= m->mass[at] * g[c] * q[at];
        }
  return sum;
}

typedef struct Case {
  const char* step[2];                // names of the figures, with Euler and BDF2: rise in a step
  const char* whole[2];               // rise above the start
  const char *formed[2], *broken[2];  // names, or NULL
  double gravity;                     // m/s2
  double cohesion;                    // factor of the bridges' force
  double speed;                       // m/s, scale of the initial velocities
  bool runs;                          // the film runs without tension and friction; else friction fixes it
} Case;

typedef struct Sums {
  double* x;              // [unknowns] at the start of the step
  double *mass, *lanes;   // scratch
  double start, before;   // J, energy without bridges: at the start, one step before
  double scale;           // J, kinetic energy at the start
  double step, whole;     // J, largest rise of the energy: in a step, above the start
  size_t bridges;         // one step before
  size_t formed, broken;  // steps in which their number rose, fell
} Sums;

// Sets up undamped wet hair with random velocities that grow towards the tips.
static RvResult make(RvWetRig* rig, const Case* c, RvIntegrator integrator, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, NULL);
  hair.gravity = rv_vec3(0, c->gravity, 0);
  hair.viscosity = 0;
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.integrator = integrator;
  def.niter = 60;
  def.tolerance = 1e-9;
  def.contact.friction = 0;
  def.wet.film.absorption = 0;
  def.wet.film.friction = c->runs ? 0 : 1e6;
  def.wet.cohesion = c->cohesion;
  if (c->runs) def.wet.liquid.tension = 0;
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  rv_rig_wet_film(rig, FILM);
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 2; i < POINTS; ++i) {
      double u = (double)i / (POINTS - 1);
      RvVec3 v = rv_vec3(rv_random(9, k, 0, 0) - 0.5, 0, rv_random(9, k, 1, 0) - 0.5);
      rv_rig_contact_set(&rig->hair, rig->hair.state->v, k, i, rv_scale(v, c->speed * u * u));
    }
  return RV_OK;
}

// Energies after step k, and their rises. A rise in a step is measured with that step's links at both ends.
static void measure(const RvWetRig* rig, int k, Sums* s) {
  double links_before = link_energy(rig, s->x, s->lanes);
  double links = link_energy(rig, rig->hair.state->q, s->lanes);
  double motion = kinetic(rig, s->mass);
  double free = motion + rv_rig_contact_elastic(&rig->hair) + potential(rig, rig->hair.state->q);
  if (k == 0) {
    s->start = free;
    s->scale = motion;
  }
  if (k > 0) {
    s->step = fmax(s->step, free + links - s->before - links_before);
    s->whole = fmax(s->whole, free + links - s->start);
  }
  s->formed += rig->contacts.stats.bridges > s->bridges;
  s->broken += rig->contacts.stats.bridges < s->bridges;
  s->before = free;
  s->bridges = rig->contacts.stats.bridges;
}

// One case with one integrator.
static RvResult run(const RvCheckOut* out, const Case* c, RvIntegrator integrator, RvError* error) {
  RvWetRig rig;
  Sums s = {.step = -INFINITY, .whole = -INFINITY};
  RvResult result = make(&rig, c, integrator, error);
  if (result) return result;
  s.mass = rv_alloc(rig.hair.model->edges + 1, sizeof *s.mass);
  s.lanes = rv_alloc_zero(rig.hair.model->nbatch * RV_LANES, sizeof *s.lanes);
  s.x = rv_alloc(rig.hair.model->unknowns, sizeof *s.x);
  if (!s.mass || !s.lanes || !s.x) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  // The steps.
  for (int k = 0; k < STEPS && !result; ++k) {
    memcpy(s.x, rig.hair.state->q, rig.hair.model->unknowns * sizeof *s.x);
    result = rv_rig_wet_step(&rig, STEP, error);
    if (!result) measure(&rig, k, &s);
  }
  // Figures relative to the initial kinetic energy.
  if (!result) {
    rv_check_emit(out, c->step[integrator], fmax(s.step, 0) / s.scale, 0, 1e-6);
    rv_check_emit(out, c->whole[integrator], fmax(s.whole, 0) / s.scale, 0, 1e-6);
    if (c->formed[0]) rv_check_emit(out, c->formed[integrator], s.formed > MIN_CHANGES, 1, 0);
    if (c->broken[0]) rv_check_emit(out, c->broken[integrator], s.broken > MIN_CHANGES, 1, 0);
  }
  rv_free(s.mass);
  rv_free(s.lanes);
  rv_free(s.x);
  rv_rig_wet_free(&rig);
  return result;
}

RvResult rv_check_wet_energy(const RvCheckOut* out, RvError* error) {
  static const Case cases[] = {
      {{"floating_step", "floating_step_bdf2"},
       {"floating", "floating_bdf2"},
       {"floating_formed", "floating_formed_bdf2"},
       {NULL},
       0,
       1,
       0.3,
       false},
      {{"hanging_step", "hanging_step_bdf2"},
       {"hanging", "hanging_bdf2"},
       {"hanging_formed", "hanging_formed_bdf2"},
       {NULL},
       -9.81,
       1,
       0.3,
       false},
      {{"whipped_step", "whipped_step_bdf2"},
       {"whipped", "whipped_bdf2"},
       {"whipped_formed", "whipped_formed_bdf2"},
       {"whipped_broken", "whipped_broken_bdf2"},
       0,
       0.01,
       2,
       false},
      {{"running_step", "running_step_bdf2"}, {"running", "running_bdf2"}, {NULL}, {NULL}, -9.81, 0, 0.3, true}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    result = run(out, &cases[k], RV_EULER, error);
    if (!result) result = run(out, &cases[k], RV_BDF2, error);
  }
  return result;
}
