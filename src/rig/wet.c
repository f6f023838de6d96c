#include "rig/wet.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

RvWetRigDef rv_rig_wet_water(RvContactRigDef hair) {
  RvWetRigDef d = {.hair = hair,
                   .clamped = 2,
                   .contact = rv_contact_defaults(),
                   .integrator = RV_EULER,
                   .strand_substeps = 1,
                   .niter = 8,
                   .tolerance = 1e-3};
  d.wet = (RvWetSettings){
      .liquid = {.density = 1000, .tension = 0.072, .consistency = 8.9e-4, .index = 1, .angle = RV_PI / 3},
      .film = {.friction = 1, .most_substeps = 32},
      .couple = {.viscosity = 8.9e-4,
                 .density = 1000,
                 .tension = 0.072,
                 .drag = 1,
                 .capture = 30,
                 .capacity = 1,
                 .drip = 30,
                 .film_in_bulk = true},
      .cohesion = 1};
  rv_vec3_store64(d.wet.gravity, hair.gravity);
  rv_vec3_store64(d.wet.couple.gravity, hair.gravity);
  d.contact.acceleration = hair.gravity;
  return d;
}

// Inputs of a step of the strands: the targets of what is held, at its end.
static RvResult inputs(void* user, const RvWetSpan* span, RvError* error) {
  RvWetRig* rig = user;
  (void)error;
  if (span->medium == RV_WET_MEDIUM_STRANDS && rig->def.roots)
    rig->def.roots(rig, rig->time + span->share_to * rig->solver.frame_seconds);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- making

static void clamp(RvWetRig* rig) {
  RvStrandModel* m = rig->hair.model;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int i = 0; i < rig->def.clamped; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane)
        for (int c = 0; c < 4; ++c)
          if (c < 3 || i + 1 < rig->def.clamped) m->free[rv_strand_index(&m->batches[k], lane, i, c)] = 0;
}

// The strand solver over the rig's own model, state and contacts; its targets are the rig's.
static RvResult make_strands(RvWetRig* rig, RvError* error) {
  const RvWetRigDef* def = &rig->def;
  RvContactRig* h = &rig->hair;
  RvStrandSolver* s = &rig->strands;
  RvStrandDef* defs = rv_alloc_zero(def->hair.count, sizeof *defs);
  RvResult result = defs ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; defs && k < def->hair.count; ++k)
    defs[k] = (RvStrandDef){.vertices = def->hair.vertices, .multiple = 1};
  if (!result) result = rv_strands_from_defs(defs, def->hair.count, &s->set, error);
  rv_free(defs);
  s->model = h->model;
  s->state = h->state;
  s->settings = (RvStrandSettings){.substeps = 1,
                                   .maxsubsteps = 0,  // a step that does not converge is not halved
                                   .niter = def->niter,
                                   .max_cg = def->tolerance < 1e-4 ? 1000 : 100,
                                   .tolerance = def->tolerance,
                                   .cg_tolerance = fmin(1e-3, def->tolerance),
                                   .integrator = def->integrator,
                                   .inertiascale = 1,
                                   .targettime = 1};
  rv_vec3_store64(s->settings.gravity, def->hair.gravity);
  if (!result) result = rv_strand_solver_init(s, error);
  if (result) return result;
  memcpy(s->target, h->target, h->model->unknowns * sizeof(double));
  rv_free(h->target);
  h->target = s->target;
  rig->contacts = (RvContactSolver){.def = def->contact,
                                    .contacts = h->contacts,
                                    .colliders = def->contact.colliders,
                                    .ncollider = def->contact.ncollider,
                                    .velocity = h->velocity};
  return RV_OK;
}

RvResult rv_rig_wet_new(RvWetRig* rig, const RvWetRigDef* def, RvError* error) {
  *rig = (RvWetRig){.def = *def};
  bool bulk = def->liquid.dx > 0;
  RvLiquidModel model = bulk ? def->liquid : rv_liquid_model_default(1e-3);
  rv_vec3_store64(model.gravity, def->hair.gravity);
  if (!(def->wet.couple.nominal > 0)) rig->def.wet.couple.nominal = model.dx * model.dx * model.dx / 8;
  RvResult result = rv_rig_contact_new(&rig->hair, &def->hair, error);
  if (!result) result = rv_rig_liquid_new(&rig->pool, &model, error);
  if (!result) result = make_strands(rig, error);
  if (!result)
    result = rv_wet_film_init(&rig->wet, rig->hair.model, rig->hair.state, NULL, bulk ? &rig->pool.liquid : NULL,
                              &rig->def.wet, error);
  if (!result && !(rig->start = rv_alloc_zero(rig->hair.model->unknowns, sizeof(double))))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result) {
    rv_rig_wet_free(rig);
    return result;
  }
  memcpy(rig->start, rig->hair.state->q, rig->hair.model->unknowns * sizeof(double));
  clamp(rig);
  rig->solver = (RvWetSolver){.host = {rig, inputs, NULL},
                              .strands = &rig->strands,
                              .contacts = &rig->contacts,
                              .liquid = bulk ? &rig->pool.liquid : NULL,
                              .film = &rig->wet,
                              .strand_substeps = def->strand_substeps};
  return RV_OK;
}

void rv_rig_wet_free(RvWetRig* rig) {
  rv_wet_film_free(&rig->wet);
  rv_rig_liquid_free(&rig->pool);
  // what both have is the rig's
  if (rig->hair.target == rig->strands.target) rig->hair.target = NULL;
  rig->contacts.contacts = NULL;
  rig->contacts.velocity = NULL;
  rig->strands.model = NULL;
  rig->strands.state = NULL;
  rv_contact_solver_free(&rig->contacts);
  rv_strand_solver_free(&rig->strands);
  rv_rig_contact_free(&rig->hair);
  rv_free(rig->start);
}

void rv_rig_wet_film(RvWetRig* rig, double height) {
  const RvStrandModel* m = rig->hair.model;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        double length = 0;
        for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j)
          length += 0.5 * m->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
        rig->wet.film_state.volume[at] = rv_film_area(height, m->radius[at]) * length;
      }
  }
}

RvResult rv_rig_wet_step(RvWetRig* rig, double dt, RvError* error) {
  // a frame of the rig is one substep
  RvWetSpan span = {.to = dt, .share_to = 1, .dt = dt};
  rig->solver.frame_seconds = dt;
  RvResult result = rv_wet_substep(&rig->solver, &span, error);
  rig->time += dt;
  return result;
}

double rv_rig_wet_volume(const RvWetRig* rig) {
  double film, absorbed;
  rv_wet_volumes(&rig->wet, &film, &absorbed);
  return film + absorbed + rv_liquid_particles_volume(&rig->pool.liquid.particles);
}

// Momentum of the film relative to its strands, by the masses that the film's speeds are those of.
static void add_flow(const RvWetRig* rig, const double* mass, double sum[3]) {
  const RvStrandModel* m = rig->hair.model;
  const RvStrandState* s = rig->hair.state;
  const RvFilmState* f = &rig->wet.film_state;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      for (int j = 0; j + 1 < b->vertices; ++j) {
        size_t edge = b->edge_at + (size_t)j * RV_LANES + (size_t)lane, at = rv_strand_index(b, lane, j, 0);
        double e[3], length = 0;
        for (size_t c = 0; c < 3; ++c) {
          e[c] = s->q[at + (4 + c) * RV_LANES] - s->q[at + c * RV_LANES];
          length += e[c] * e[c];
        }
        double flow = mass[edge] * f->speed[edge] / sqrt(length);
        for (int c = 0; c < 3; ++c) sum[c] += flow * e[c];
      }
      for (size_t c = 0; c < 3; ++c) sum[c] += f->drop_momentum[(3 * k + c) * RV_LANES + (size_t)lane];
    }
  }
}

RvVec3 rv_rig_wet_hair_momentum(const RvWetRig* rig) {
  const RvStrandModel* m = rig->hair.model;
  const RvStrandState* s = rig->hair.state;
  const RvFilmState* f = &rig->wet.film_state;
  double density = rig->wet.film.liquid.density, sum[3] = {0};
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        size_t at = rv_strand_index(b, lane, i, 0), vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        double mass = m->hair_mass[vertex] + density * (f->volume[vertex] + f->absorbed[vertex]);
        if (i + 1 == b->vertices) mass += density * f->drop[k * RV_LANES + (size_t)lane];
        for (size_t c = 0; c < 3; ++c) sum[c] += mass * s->v[at + c * RV_LANES];
      }
  }
  double* mass = rv_alloc(m->edges + 1, sizeof *mass);
  if (!mass) return rv_vec3(NAN, NAN, NAN);
  rv_film_edge_masses(&rig->wet.film, f, s->q, mass);
  add_flow(rig, mass, sum);
  rv_free(mass);
  return rv_vec3_load64(sum);
}

RvVec3 rv_rig_wet_momentum(const RvWetRig* rig) {
  return rv_add(rv_rig_wet_hair_momentum(rig), rv_rig_liquid_sums(&rig->pool, rv_vec3(0, 0, 0)).linear);
}
