// The water on the strands of the input, and the attributes that show hair and air.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "node/solver/continuum_frame.h"

typedef RvContinuumFrame Frame;

enum { STRANDS = 0 };                 // index of the input
static const double WATER = 1000;     // kg/m3
static const double MOST_LOAD = 1e3;  // mass of water over that of hair: more is no hair

//---------------------------------------------------------------------------------------------- water

// Mass of a film over that of its hair.
static double load_of_film(double height, double radius, double density) {
  double wider = 1 + height / radius;
  return WATER * (wider * wider - 1) / density;
}

// The load of a vertex; values that are no load count as 0 and are counted.
static double vertex_load(const RvStrandDef* d, int i, float value, bool film, double meters, size_t* bad) {
  double load = film ? load_of_film(value * meters, d->radius[i], d->density) : value;
  if (load >= 0 && load <= MOST_LOAD) return load;
  (*bad)++;
  return 0;
}

RvResult rv_continuum_read_water(Frame* f, RvError* error) {
  const RvStrandSet* set = &f->strands.solver.set;
  const RvDetail* in = rv_solver_input(f->cook, STRANDS);
  const RvChainModel* m = f->hair.continuum.model;
  float* values = NULL;
  bool fine = rv_strand_port_gather(set, in, "waterload", 1, &values), film = fine && !values;
  if (film) fine = rv_strand_port_gather(set, in, "filmheight", 1, &values);
  if (fine && !values) return RV_OK;
  f->water_load = fine ? rv_alloc_zero(m->links + 1, sizeof(double)) : NULL;
  if (!f->water_load) {
    rv_free(values);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the water on the strands");
  }
  size_t bad = 0;
  double meters = rv_cook_meters(f->cook);
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvChainBatch* b = &m->batches[k];
      const RvStrandDef* d = &set->defs[b->strand[lane]];
      const float* own = values + set->first[b->strand[lane]];
      size_t* count = lane < b->lanes ? &bad : &(size_t){0};
      double before = vertex_load(d, 0, own[0], film, meters, count);
      for (int i = 0; i < b->links; ++i) {
        double after = vertex_load(d, i + 1, own[i + 1], film, meters, count);
        f->water_load[rv_chain_link(b, lane, i, 1, 0)] = 0.5 * (before + after);
        before = after;
      }
    }
  rv_free(values);
  if (bad)
    rv_cook_warn(f->cook,
                 "%s of %zu points of the strands is below 0, above %g times the hair or no number: they are dry",
                 film ? "filmheight" : "waterload", bad, MOST_LOAD);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- what artists see

// Attributes of the water are those of the frame's input.
static RvResult pass_water(const Frame* f, RvDetail* out, RvError* error) {
  static const char* const names[] = {"waterload", "filmheight", "wetness"};
  const RvDetail* in = rv_solver_input(f->cook, STRANDS);
  for (size_t k = 0; in && k < sizeof names / sizeof *names; ++k) {
    const float* from = rv_detail_f32(in, RV_POINT, names[k], 1);
    if (!from || !rv_detail_f32(out, RV_POINT, names[k], 1)) continue;
    float* to = rv_detail_f32_write(out, RV_POINT, names[k], 1, error);
    if (!to) return rv_fail(error, RV_NO_MEMORY, "out of memory for %s", names[k]);
    memcpy(to, from, rv_detail_count(out, RV_POINT) * sizeof *to);
  }
  return RV_OK;
}

static double finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

// Gusts of the moment for a range of batches.
static void gust_batches(void* arg, size_t begin, size_t end) {
  const Frame* f = arg;
  const RvStrandSolver* s = &f->strands.solver;
  const float* own = s->air ? s->air : s->guide.wind;
  const double meters = s->set.metersperunit;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        size_t vertex = 3 * (size_t)(s->set.first[b->strand[lane]] + i);
        double x[3], v[3];
        // of the world, so that gusts do not depend on where the groom is
        for (int c = 0; c < 3; ++c) x[c] = s->state->q[rv_strand_index(b, lane, i, c)] + meters * s->set.origin[c];
        rv_turbulence_at(&f->gusts, x, v);
        for (size_t c = 0; c < 3; ++c)
          f->air[vertex + c] = (float)(v[c] + (own ? finite_or_zero(own[vertex + c]) : 0));
      }
  }
}

RvResult rv_continuum_gusts(Frame* f, const RvContinuumParms* p, double share, RvError* error) {
  enum { BATCHES_A_TASK = 16 };
  const RvStrandSolver* s = &f->strands.solver;
  f->hair.wind_at = NULL;
  f->gusty = p->turbulence > 0;
  if (!f->gusty) return RV_OK;
  if (!f->air) f->air = rv_alloc_zero(3 * s->set.vertices + 1, sizeof *f->air);
  if (!f->air) return rv_fail(error, RV_NO_MEMORY, "out of memory for the turbulence");
  RvTurbulenceDef def = {.speed = p->turbulence,
                         .scale = p->turbulencescale * rv_cook_meters(f->cook),
                         .wind = {f->now.wind[0], f->now.wind[1], f->now.wind[2]},
                         .seed = (uint64_t)p->turbulenceseed};
  // Seconds of the scene, which a resumed run has too.
  rv_turbulence_make(&def, (f->cook->time.frame - 1 + share) / f->cook->time.fps, &f->gusts);
  rv_parallel_for(s->model->nbatch, BATCHES_A_TASK, gust_batches, f);
  f->hair.wind_at = f->air;
  return RV_OK;
}

// Speed of the air at a vertex of the set, whose place is x, m/s.
static double air_speed(const Frame* f, size_t vertex, RvVec3 x) {
  const RvStrandSolver* s = &f->strands.solver;
  const float* at = f->hair.wind_at ? f->hair.wind_at : s->air ? s->air : s->guide.wind;
  double sum = 0, change[3] = {0}, place[3];
  rv_vec3_store64(place, x);
  if (f->hair.continuum.air_solved) rv_air_at(&f->hair.continuum.air, place, change);
  for (int c = 0; c < 3; ++c) {
    double v = s->settings.wind[c] + change[c] + (at ? finite_or_zero(at[3 * vertex + (size_t)c]) : 0);
    sum += v * v;
  }
  return sqrt(sum);
}

RvResult rv_continuum_look(Frame* f, RvDetail* out, RvError* error) {
  RvContinuum* c = &f->hair.continuum;
  const RvStrandSolver* s = &f->strands.solver;
  // Density of the places at the end of the frame. The law is not asked.
  RvMediumDef def = c->medium_def;
  def.law = (RvMediumLaw){.rest_density = 1, .packing_density = 2, .power = 1};
  def.water = NULL;
  RvResult result = pass_water(f, out, error);
  if (!result) result = rv_medium_place(&c->medium, &def, c->model, c->state->x, NULL, error);
  float* density = result ? NULL : rv_detail_f32_write(out, RV_POINT, "hairdensity", 1, error);
  float* air = density ? rv_detail_f32_write(out, RV_POINT, "airspeed", 1, error) : NULL;
  if (!air) return result ? result : error->code;
  // The predicted velocities are not needed any more: their memory takes the densities.
  rv_medium_density(&c->medium, c->model, c->state->x, c->velocity);
  for (size_t k = 0; k < c->model->nbatch; ++k)
    for (int lane = 0; lane < c->model->batches[k].lanes; ++lane) {
      const RvChainBatch* b = &c->model->batches[k];
      for (int i = 0; i <= b->links; ++i) {
        size_t vertex = (size_t)(s->set.first[b->strand[lane]] + i), point = (size_t)s->set.point[vertex];
        density[point] = (float)c->velocity[rv_chain_vertex(b, lane, i, 1, 0)];
        air[point] = (float)air_speed(f, vertex, rv_strand_vector(c->state->x, rv_chain_vertex(b, lane, i, 3, 0)));
      }
    }
  return RV_OK;
}
