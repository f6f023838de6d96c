// Check wet_energy: strands that bridges draw together and that tear them apart again gain nothing by it, with either
// integrator.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

enum { HAIRS = 6, POINTS = 16, STEPS = 160 };
static const double LENGTH = 0.03, GAP = 3e-4;

static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double x = (double)(strand % 3) * GAP, z = (double)(strand / 3) * GAP;
  return rv_vec3(x, -LENGTH * vertex / (POINTS - 1), z);
}

// Motion of strands and film, J; masses are those of the last load, which has all of the film.
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

// Energy of the links of the last step at q: 0 where hairs are apart, below it where liquid holds them.
static double joined(const RvWetRig* rig, const double* q, double* lanes) {
  const RvOperator* op = rv_contacts_operator(rig->hair.contacts);
  return rig->contacts.stats.links + rig->contacts.stats.touches > 0 ? op->energy(op->user, q, lanes) : 0;
}

// of strands and film
static double weight(const RvWetRig* rig, const double* q) {
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
  const char* step[2];  // names of lines, with Euler and BDF2
  const char* whole[2];
  const char *formed, *broken;
  double gravity, cohesion, speed;
  bool runs;  // film without tension and friction; else it is held
} Case;

typedef struct Sums {
  double* x;  // where the step began
  double *mass, *lanes;
  double start, before, scale;  // energy without bridges: at the start, a step before; the motion at the start
  double step, whole;           // the most that energy rose: in a step, above the start
  size_t bridges, formed, broken;
} Sums;

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
  rv_rig_wet_film(rig, 3e-5);
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 2; i < POINTS; ++i) {
      double u = (double)i / (POINTS - 1);
      RvVec3 v = rv_vec3(rv_random(9, k, 0, 0) - 0.5, 0, rv_random(9, k, 1, 0) - 0.5);
      rv_rig_contact_set(&rig->hair, rig->hair.state->v, k, i, rv_scale(v, c->speed * u * u));
    }
  return RV_OK;
}

static void look(const RvWetRig* rig, int k, Sums* s) {
  double old = joined(rig, s->x, s->lanes), now = joined(rig, rig->hair.state->q, s->lanes);
  double moves = kinetic(rig, s->mass),
         free = moves + rv_rig_contact_elastic(&rig->hair) + weight(rig, rig->hair.state->q);
  if (k == 0) {
    s->start = free;
    s->scale = moves;
  }
  if (k > 0) {
    s->step = fmax(s->step, free + now - s->before - old);
    s->whole = fmax(s->whole, free + now - s->start);
  }
  s->formed += rig->contacts.stats.bridges > s->bridges;
  s->broken += rig->contacts.stats.bridges < s->bridges;
  s->before = free;
  s->bridges = rig->contacts.stats.bridges;
}

static RvResult run(const RvCheckOut* out, const Case* c, RvIntegrator integrator, RvError* error) {
  RvWetRig rig;
  Sums s = {.step = -INFINITY, .whole = -INFINITY};
  RvResult result = make(&rig, c, integrator, error);
  if (result) return result;
  s.mass = rv_alloc(rig.hair.model->edges + 1, sizeof *s.mass);
  s.lanes = rv_alloc_zero(rig.hair.model->nbatch * RV_LANES, sizeof *s.lanes);
  s.x = rv_alloc(rig.hair.model->unknowns, sizeof *s.x);
  if (!s.mass || !s.lanes || !s.x) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int k = 0; k < STEPS && !result; ++k) {
    memcpy(s.x, rig.hair.state->q, rig.hair.model->unknowns * sizeof *s.x);
    result = rv_rig_wet_step(&rig, 1e-3, error);
    if (!result) look(&rig, k, &s);
  }
  if (!result) {
    rv_check_emit(out, c->step[integrator], fmax(s.step, 0) / s.scale, 0, 1e-6);
    rv_check_emit(out, c->whole[integrator], fmax(s.whole, 0) / s.scale, 0, 1e-6);
    if (c->formed) rv_check_emit(out, c->formed, s.formed > 5, 1, 0);
    if (c->broken) rv_check_emit(out, c->broken, s.broken > 5, 1, 0);
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
       "floating_formed",
       NULL,
       0,
       1,
       0.3,
       false},
      {{"hanging_step", "hanging_step_bdf2"},
       {"hanging", "hanging_bdf2"},
       "hanging_formed",
       NULL,
       -9.81,
       1,
       0.3,
       false},
      {{"whipped_step", "whipped_step_bdf2"},
       {"whipped", "whipped_bdf2"},
       "whipped_formed",
       "whipped_broken",
       0,
       0.01,
       2,
       false},
      {{"running_step", "running_step_bdf2"}, {"running", "running_bdf2"}, NULL, NULL, -9.81, 0, 0.3, true}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    result = run(out, &cases[k], RV_EULER, error);
    if (!result) result = run(out, &cases[k], RV_BDF2, error);
  }
  return result;
}
