// Set-up of the wet solver from arrays, its step, and sums over its state.
#include "rig/wet.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

// Water at 25 degrees.
static const double DENSITY = 1000;      // kg/m3
static const double TENSION = 0.072;     // N/m
static const double VISCOSITY = 8.9e-4;  // Pa s
static const double ANGLE = RV_PI / 3;   // rad, contact angle on hair
static const double DRIP_RATE = 30;  // 1/s
// Below this tolerance of Newton the linear solve gets MAX_CG_EXACT iterations, else MAX_CG.
static const double EXACT_TOLERANCE = 1e-4;
enum { MAX_CG_EXACT = 1000, MAX_CG = 100 };
// Loosest relative residual of the linear solve.
static const double CG_TOLERANCE = 1e-3;
// m: cell of the liquid's model where there is no bulk; drops of the film take their size from it.
static const double DX_WITHOUT_BULK = 1e-3;
// Particles of a full cell.
enum { PARTICLES_A_CELL = 8 };

RvWetRigDef rv_rig_wet_water(RvContactRigDef hair) {
  RvWetRigDef d = {.hair = hair,
                   .clamped = 2,
                   .contact = rv_contact_defaults(),
                   .integrator = RV_EULER,
                   .strand_substeps = 1,
                   .niter = 8,
                   .tolerance = 1e-3};
  d.wet = (RvWetSettings){
      .liquid = {.density = DENSITY, .tension = TENSION, .consistency = VISCOSITY, .index = 1, .angle = ANGLE},
      .film = {.friction = 1, .most_substeps = 32},
      .couple = {.viscosity = VISCOSITY,
                 .density = DENSITY,
                 .tension = TENSION,
                 .drag = 1,
                 .capture = 1,
                 .capacity = 1,
                 .drip = DRIP_RATE,
                 .film_in_bulk = true},
      .cohesion = 1};
  rv_vec3_store64(d.wet.gravity, hair.gravity);
  rv_vec3_store64(d.wet.couple.gravity, hair.gravity);
  d.contact.acceleration = hair.gravity;
  return d;
}

// Host function of the solver: moves the targets of the clamped vertices to the end of a step of the strands.
static RvResult inputs(void* user, const RvWetSpan* span, RvError* error) {
  RvWetRig* rig = user;
  (void)error;
  if (span->medium == RV_WET_MEDIUM_STRANDS && rig->def.roots)
    rig->def.roots(rig, rig->time + span->share_to * rig->solver.frame_seconds);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- set-up

// Prescribes the positions of the first vertices of every strand, and the angles of the edges between them.
static void clamp(RvWetRig* rig) {
  RvStrandModel* m = rig->hair.model;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int i = 0; i < rig->def.clamped; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane)
        for (int c = 0; c < 4; ++c)
          if (c < 3 || i + 1 < rig->def.clamped) m->free[rv_strand_index(&m->batches[k], lane, i, c)] = 0;
}

// Makes the strand solver over the model, state and contacts of rig->hair; both share the targets.
static RvResult make_strands(RvWetRig* rig, RvError* error) {
  const RvWetRigDef* def = &rig->def;
  RvContactRig* h = &rig->hair;
  RvStrandSolver* s = &rig->strands;
  // A set of as many strands and vertices; the geometry is in the model already.
  RvStrandDef* defs = rv_alloc_zero(def->hair.count, sizeof *defs);
  RvResult result = defs ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; defs && k < def->hair.count; ++k)
    defs[k] = (RvStrandDef){.vertices = def->hair.vertices, .multiple = 1};
  if (!result) result = rv_strands_from_defs(defs, def->hair.count, &s->set, error);
  rv_free(defs);
  // Model, state and settings.
  s->model = h->model;
  s->state = h->state;
  s->settings = (RvStrandSettings){.substeps = 1,
                                   .maxsubsteps = 0,  // a step that does not converge is not halved
                                   .niter = def->niter,
                                   .max_cg = def->tolerance < EXACT_TOLERANCE ? MAX_CG_EXACT : MAX_CG,
                                   .tolerance = def->tolerance,
                                   .cg_tolerance = fmin(CG_TOLERANCE, def->tolerance),
                                   .integrator = def->integrator,
                                   .inertiascale = 1,
                                   .targettime = 1};
  rv_vec3_store64(s->settings.gravity, def->hair.gravity);
  if (!result) result = rv_strand_solver_init(s, error);
  if (result) return result;
  // Shared targets and contacts.
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
  // Liquid model; the nominal volume of a drop is that of a particle.
  bool bulk = def->liquid.dx > 0;
  RvLiquidModel model = bulk ? def->liquid : rv_liquid_model_default(DX_WITHOUT_BULK);
  rv_vec3_store64(model.gravity, def->hair.gravity);
  if (!(def->wet.couple.nominal > 0)) rig->def.wet.couple.nominal = model.dx * model.dx * model.dx / PARTICLES_A_CELL;
  // Strands, bulk, strand solver and film.
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
  // Drops have a row of their own, as in the nodes: what fills the tank has row 0, and is captured at any age.
  rig->wet.drip_row = 1;
  // Clamped roots, and the solver of all media.
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
  // Shared data are freed once, by rv_rig_contact_free or with the strand solver.
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
  // A frame of the rig is one substep.
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

// Adds the momentum of the film relative to its strands: the edges' film masses times their speeds, and drops at tips.
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
        double momentum_per_length = mass[edge] * f->speed[edge] / sqrt(length);
        for (int c = 0; c < 3; ++c) sum[c] += momentum_per_length * e[c];
      }
      for (size_t c = 0; c < 3; ++c) sum[c] += f->drop_momentum[(3 * k + c) * RV_LANES + (size_t)lane];
    }
  }
}

RvVec3 rv_rig_wet_hair_momentum(const RvWetRig* rig) {
  const RvStrandModel* m = rig->hair.model;
  const RvStrandState* s = rig->hair.state;
  const RvFilmState* f = &rig->wet.film_state;
  double density = rig->wet.film.liquid.density;
  double sum[3] = {0};
  // Hair, film, absorbed liquid and drops at the tips, with the velocity of their vertex.
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
  // Film relative to its strand.
  double* film_mass = rv_alloc(m->edges + 1, sizeof *film_mass);
  if (!film_mass) return rv_vec3(NAN, NAN, NAN);
  rv_film_edge_masses(&rig->wet.film, f, s->q, film_mass);
  add_flow(rig, film_mass, sum);
  rv_free(film_mass);
  return rv_vec3_load64(sum);
}

RvVec3 rv_rig_wet_momentum(const RvWetRig* rig) {
  return rv_add(rv_rig_wet_hair_momentum(rig), rv_rig_liquid_sums(&rig->pool, rv_vec3(0, 0, 0)).linear);
}
