#include "rig/film.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

static size_t vertex_at(int i, int lane) {
  return (size_t)(i * RV_LANES + lane);
}

static size_t unknown_at(int i, int c, int lane) {
  return (size_t)((4 * i + c) * RV_LANES + lane);
}

RvResult rv_rig_film_new(RvFilmRig* r, int n, int lanes, double length, double radius, RvError* error) {
  size_t v = (size_t)n * RV_LANES;
  *r = (RvFilmRig){.n = n, .lanes = lanes};
  r->batch = (RvFilmBatch){.vertices = n, .lanes = lanes};
  double* a = r->arrays = rv_alloc_zero(v * 40, sizeof(double));
  if (!a) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double** small[] = {&r->radius, &r->hairs, &r->hair_mass, &r->hair_turn,
                      &r->load,   &r->turn,  &r->mass,      &r->volume_before};
  double** large[] = {&r->x_before, &r->v_before, &r->x, &r->v, &r->force, &r->kick};
  for (size_t k = 0; k < sizeof small / sizeof *small; ++k) {
    *small[k] = a;
    a += v;
  }
  for (size_t k = 0; k < sizeof large / sizeof *large; ++k) {
    *large[k] = a;
    a += 4 * v;
  }
  r->slide = a;
  r->model = (RvFilmModel){.nbatch = 1,
                           .batches = &r->batch,
                           .unknowns = 4 * v,
                           .vertices = v,
                           .edges = v - RV_LANES,
                           .radius = r->radius,
                           .hairs = r->hairs,
                           .liquid = {.density = 1000, .consistency = 1e-3, .index = 1}};
  r->def = (RvFilmStepDef){.dt = 1e-3,
                           .x_before = r->x_before,
                           .v_before = r->v_before,
                           .x = r->x,
                           .v = r->v,
                           .settings = {.most_substeps = 64}};
  double edge = length / (n - 1);
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double cell = i == 0 || i + 1 == n ? 0.5 * edge : edge;
      r->radius[k] = radius;
      r->hairs[k] = 1;
      r->hair_mass[k] = 1300 * RV_PI * radius * radius * cell;
      if (i + 1 < n) r->hair_turn[k] = 0.5 * 1300 * RV_PI * pow(radius, 4) * edge;
      r->x[unknown_at(i, 0, lane)] = edge * i;
    }
  rv_rig_film_keep(r);
  if (rv_film_state_init(&r->state, &r->model)) return RV_OK;
  rv_rig_film_free(r);
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

void rv_rig_film_free(RvFilmRig* r) {
  rv_film_state_free(&r->state);
  rv_free(r->arrays);
  r->arrays = NULL;
}

double* rv_rig_film_x(RvFilmRig* r, int i, int lane) {
  return &r->x[unknown_at(i, 0, lane)];
}

double* rv_rig_film_v(RvFilmRig* r, int i, int lane) {
  return &r->v[unknown_at(i, 0, lane)];
}

static double length_of(const RvFilmRig* r, int j, int lane) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    double d = r->x[unknown_at(j + 1, c, lane)] - r->x[unknown_at(j, c, lane)];
    sum += d * d;
  }
  return sqrt(sum);
}

static double cell_of(const RvFilmRig* r, int i, int lane) {
  return 0.5 * ((i > 0 ? length_of(r, i - 1, lane) : 0) + (i + 1 < r->n ? length_of(r, i, lane) : 0));
}

double rv_rig_film_place(const RvFilmRig* r, int vertex) {
  double s = 0;
  for (int j = 0; j < vertex; ++j) s += length_of(r, j, 0);
  return s;
}

void rv_rig_film_set_height(RvFilmRig* r, int i, double height) {
  for (int lane = 0; lane < r->lanes; ++lane) {
    size_t k = vertex_at(i, lane);
    r->state.volume[k] = rv_film_area(height, r->radius[k]) * r->hairs[k] * cell_of(r, i, lane);
  }
}

double rv_rig_film_height(const RvFilmRig* r, int i) {
  size_t k = vertex_at(i, 0);
  return rv_film_height(r->state.volume[k] / (r->hairs[k] * cell_of(r, i, 0)), r->radius[k]);
}

void rv_rig_film_set_speed(RvFilmRig* r, int edge, double speed) {
  for (int lane = 0; lane < r->lanes; ++lane) r->state.speed[vertex_at(edge, lane)] = speed;
}

double rv_rig_film_speed(const RvFilmRig* r, int edge) {
  return r->state.speed[vertex_at(edge, 0)];
}

double rv_rig_film_volume(const RvFilmRig* r) {
  double film, absorbed;
  rv_film_volumes(&r->model, &r->state, &film, &absorbed);
  return film;
}

void rv_rig_film_keep(RvFilmRig* r) {
  memcpy(r->x_before, r->x, r->model.unknowns * sizeof(double));
  memcpy(r->v_before, r->v, r->model.unknowns * sizeof(double));
}

// Local rescaling of the strands' momentum (WH-26), added to the kick: for comparison with its transport.
static void rescale(RvFilmRig* r) {
  for (int i = 0; i < r->n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double lost = r->model.liquid.density * (r->volume_before[k] - r->state.volume[k]);
      for (int c = 0; c < 3; ++c) r->kick[unknown_at(i, c, lane)] += lost * r->v[unknown_at(i, c, lane)];
    }
}

RvResult rv_rig_film_film(RvFilmRig* r, RvError* error) {
  memcpy(r->volume_before, r->state.volume, r->model.vertices * sizeof(double));
  RvResult result = rv_film_step(&r->model, &r->state, &r->def, r->kick, &r->report, error);
  if (!result && r->local_rescaling) rescale(r);
  return result;
}

// (mass - e e^T) dv = p
static void solve(double mass, const double e[3], const double p[3], double dv[3]) {
  double ee = 0, ep = 0;
  for (int c = 0; c < 3; ++c) {
    ee += e[c] * e[c];
    ep += e[c] * p[c];
  }
  for (int c = 0; c < 3; ++c) dv[c] = (p[c] + e[c] * ep / (mass - ee)) / mass;
}

static void move_free(RvFilmRig* r, unsigned hold) {
  for (int i = 0; i < r->n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double mass = r->hair_mass[k] + r->load[k], e[3], p[3], dv[3];
      for (int c = 0; c < 3; ++c) {
        e[c] = hold >> c & 1 ? 0 : r->slide[(size_t)((3 * i + c) * RV_LANES + lane)];
        p[c] = hold >> c & 1 ? 0 : r->def.dt * (mass * r->def.gravity[c] + r->force[unknown_at(i, c, lane)]);
      }
      solve(mass, e, p, dv);
      for (int c = 0; c < 3; ++c) {
        size_t at = unknown_at(i, c, lane);
        r->v[at] += dv[c];
        r->x[at] += r->def.dt * r->v[at];
      }
    }
}

RvResult rv_rig_film_free_step(RvFilmRig* r, unsigned hold, RvError* error) {
  rv_rig_film_keep(r);
  memset(r->force, 0, r->model.unknowns * sizeof(double));
  rv_film_load(&r->model, &r->state, &r->def, r->load, r->slide, r->turn, r->force);
  move_free(r, hold);
  RvResult result = rv_rig_film_film(r, error);
  RvFilmStepDef now = r->def;
  now.x_before = r->x;
  now.v_before = r->v;
  if (!result) rv_film_load(&r->model, &r->state, &now, r->load, r->slide, r->turn, r->force);
  for (int i = 0; !result && i < r->n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double turns = i + 1 < r->n ? r->hair_turn[k] + r->turn[k] : 0;
      for (int c = 0; c < 3; ++c)
        if (!(hold >> c & 1))
          r->v[unknown_at(i, c, lane)] += r->kick[unknown_at(i, c, lane)] / (r->hair_mass[k] + r->load[k]);
      if (turns > 0) r->v[unknown_at(i, 3, lane)] += r->kick[unknown_at(i, 3, lane)] / turns;
    }
  return result;
}

void rv_rig_film_momentum(RvFilmRig* r, double p[3]) {
  rv_film_edge_masses(&r->model, &r->state, r->x, r->mass);
  double density = r->model.liquid.density;
  memset(p, 0, 3 * sizeof *p);
  for (int lane = 0; lane < r->lanes; ++lane)
    for (int i = 0; i < r->n; ++i) {
      size_t k = vertex_at(i, lane);
      double mass = r->hair_mass[k] + density * (r->state.volume[k] + r->state.absorbed[k]);
      if (i + 1 == r->n) mass += density * r->state.drop[lane];
      for (int c = 0; c < 3; ++c) {
        p[c] += mass * r->v[unknown_at(i, c, lane)];
        if (i + 1 < r->n)
          p[c] += r->mass[k] * r->state.speed[k] * (r->x[unknown_at(i + 1, c, lane)] - r->x[unknown_at(i, c, lane)]) /
                  length_of(r, i, lane);
        else
          p[c] += r->state.drop_momentum[c * RV_LANES + lane];
      }
    }
}

double rv_rig_film_centre(const RvFilmRig* r) {
  double sum = 0, all = 0, s = 0;
  for (int i = 0; i < r->n; ++i) {
    double volume = r->state.volume[vertex_at(i, 0)];
    sum += volume * s;
    all += volume;
    if (i + 1 < r->n) s += length_of(r, i, 0);
  }
  return all > 0 ? sum / all : 0;
}

void rv_rig_film_put_drop(RvFilmRig* r, double centre, double width, double height) {
  for (int i = 0; i < r->n; ++i) {
    double s = (rv_rig_film_place(r, i) - centre) / width;
    rv_rig_film_set_height(r, i, fabs(s) < 1 ? height * pow(cos(0.5 * RV_PI * s), 2) : 0);
  }
}

double rv_rig_film_strained(const RvFilmState* film, size_t vertices) {
  double sum = 0;
  for (size_t k = 0; k < vertices; ++k) sum += film->volume[k] * film->strain[k];
  return sum;
}
