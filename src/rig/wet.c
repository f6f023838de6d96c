#include "rig/wet.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
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

//---------------------------------------------------------------------------------------------- stages

static void weigh_batches(void* arg, size_t begin, size_t end) {
  RvWetRig* rig = arg;
  const RvStrandModel* m = rig->hair.model;
  double g[3];
  rv_vec3_store64(g, rig->def.hair.gravity);
  for (size_t k = begin; k < end; ++k)
    for (int i = 0; i < rig->hair.n; ++i)
      for (int c = 0; c < 4; ++c)
        for (int lane = 0; lane < RV_LANES; ++lane) {
          size_t at = rv_strand_index(&m->batches[k], lane, i, c);
          rig->hair.force[at] = c < 3 ? g[c] * m->mass[at] : 0;
          rig->drag[at] = rig->drag_velocity[at] = 0;
        }
}

static void set_forces(RvWetRig* rig) {
  rv_parallel_for(rig->hair.model->nbatch, 16, weigh_batches, rig);
  rv_wet_forces(&rig->wet, rig->hair.force, rig->drag, rig->drag_velocity);
}

static void remember_most(RvWetRig* rig, const RvStrandStats* stats) {
  rig->stats.iterations = stats->iterations > rig->stats.iterations ? stats->iterations : rig->stats.iterations;
  rig->stats.residual = fmax(rig->stats.residual, stats->residual);
  if (stats->cg_iterations > rig->stats.cg_iterations) rig->stats.cg_iterations = stats->cg_iterations;
  rig->solves++;
}

static RvResult strand_step(RvWetRig* rig, double dt, RvError* error) {
  RvContactRig* h = &rig->hair;
  RvContactDef contact = rig->def.contact;
  RvStrandStats stats;
  RvResult result = rv_wet_load(&rig->wet, dt, error);
  if (result) return result;
  set_forces(rig);
  contact.liquid = &rig->wet.bridges;
  contact.scratch = rig->wet.scratch;
  RvStrandStepDef step = {.dt = dt,
                          .dt_before = rig->dt_before,
                          .integrator = rig->def.integrator,
                          .max_iterations = rig->def.niter,
                          .tolerance = rig->def.tolerance,
                          .accept_predicted = true,
                          .force = h->force,
                          .target = h->target,
                          .drag = rig->drag,
                          .drag_velocity = rig->drag_velocity,
                          .slide = rig->wet.slide,
                          .max_cg = rig->def.tolerance < 1e-4 ? 1000 : 100,
                          .cg_tolerance = fmin(1e-3, rig->def.tolerance),
                          .scratch = rig->wet.scratch};
  rv_contacts_predict(h->model, h->state, &step, h->velocity);
  result = rv_contacts_find(h->contacts, h->state->q, h->velocity, dt, &contact, &rig->found, error);
  if (rig->found.links + rig->found.touches > 0) step.couple = rv_contacts_operator(h->contacts);
  if (!result) result = rv_strand_step(h->model, h->state, &step, &stats, error);
  if (result) return result;
  rv_contacts_accept(h->contacts, h->state->q);
  rig->dt_before = rig->wet.dt_before = dt;
  remember_most(rig, &stats);
  // the state knows where the step began until the film kicks it
  return rv_wet_film(&rig->wet, dt, h->state->q_before, h->state->v_before, h->contacts, error);
}

static RvResult strands(void* user, double from, double to, RvError* error) {
  RvWetRig* rig = user;
  int count = rig->def.strand_substeps;
  RvResult result = RV_OK;
  for (int i = 0; i < count && !result; ++i) {
    if (rig->def.roots) rig->def.roots(rig, from + (to - from) * (i + 1) / count);
    result = strand_step(rig, (to - from) / count, error);
  }
  return result;
}

static RvResult flow(void* user, RvParticles* particles, int64_t* next_id, double from, double to, bool* any,
                     RvError* error) {
  // the user of the liquid's hooks is the pool within the rig
  RvWetRig* rig = (RvWetRig*)((char*)user - offsetof(RvWetRig, pool));
  RvResult result = rv_wet_capture(&rig->wet, particles, to - from, any, error);
  return result ? result : rv_wet_drip(&rig->wet, particles, next_id, to - from, any, error);
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

RvResult rv_rig_wet_new(RvWetRig* rig, const RvWetRigDef* def, RvError* error) {
  *rig = (RvWetRig){.def = *def};
  RvLiquidModel model = def->liquid.dx > 0 ? def->liquid : rv_liquid_model_default(1e-3);
  rv_vec3_store64(model.gravity, def->hair.gravity);
  RvResult result = rv_rig_contact_new(&rig->hair, &def->hair, error);
  if (!result) result = rv_rig_liquid_new(&rig->pool, &model, error);
  if (!result && !(def->wet.couple.nominal > 0)) rig->def.wet.couple.nominal = model.dx * model.dx * model.dx / 8;
  if (!result)
    result = rv_wet_init(&rig->wet, rig->hair.model, rig->hair.state, NULL,
                         def->liquid.dx > 0 ? &rig->pool.liquid : NULL, &rig->def.wet, error);
  size_t n = result ? 0 : rig->hair.model->unknowns;
  double** arrays[] = {&rig->drag, &rig->drag_velocity, &rig->start};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays && !result; ++i)
    if (!(*arrays[i] = rv_alloc_zero(n, sizeof(double)))) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result) {
    rv_rig_wet_free(rig);
    return result;
  }
  memcpy(rig->start, rig->hair.state->q, n * sizeof(double));
  clamp(rig);
  rig->liquid_hooks = rig->pool.hooks;
  rig->liquid_hooks.user = &rig->pool;
  rig->liquid_hooks.flow = flow;
  rig->hooks = (RvWetHooks){.user = rig, .strands = strands, .liquid = &rig->liquid_hooks};
  return RV_OK;
}

void rv_rig_wet_free(RvWetRig* rig) {
  rv_wet_free(&rig->wet);
  rv_rig_liquid_free(&rig->pool);
  rv_rig_contact_free(&rig->hair);
  rv_free(rig->drag);
  rv_free(rig->drag_velocity);
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
  RvResult result = rv_wet_substep(&rig->wet, rig->time, dt, &rig->hooks, error);
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
