// The rig of the film: one batch of straight strands with film, whose vertices move as a check says or as free masses.
#include "rig/film.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

static const double HAIR_DENSITY = 1300;  // kg/m3, keratin

// Index of a vertex (or edge) and of its unknown c in the arrays of lanes.
static size_t vertex_at(int i, int lane) {
  return (size_t)(i * RV_LANES + lane);
}

static size_t unknown_at(int i, int c, int lane) {
  return (size_t)((4 * i + c) * RV_LANES + lane);
}

// Allocates the arrays and divides the block among them. False: out of memory.
static bool make_arrays(RvFilmRig* r, size_t v) {
  double** per_vertex[] = {&r->radius, &r->hairs, &r->hair_mass, &r->hair_turn,
                           &r->load,   &r->turn,  &r->mass,      &r->volume_before};
  double** per_unknown[] = {&r->x_before, &r->v_before, &r->x, &r->v, &r->force, &r->kick};
  // 8 arrays a vertex, 6 arrays of 4 numbers a vertex, `slide` with 3: 35 of 40 are used.
  r->arrays = rv_alloc_zero(v * 40, sizeof(double));
  double* a = r->arrays;
  if (!a) return false;
  for (size_t k = 0; k < sizeof per_vertex / sizeof *per_vertex; ++k) {
    *per_vertex[k] = a;
    a += v;
  }
  for (size_t k = 0; k < sizeof per_unknown / sizeof *per_unknown; ++k) {
    *per_unknown[k] = a;
    a += 4 * v;
  }
  r->slide = a;
  return true;
}

// Arrays of one batch, straight strands of hair with equal edges, and a step of 1 ms without friction and gravity.
RvResult rv_rig_film_new(RvFilmRig* r, int n, int lanes, double length, double radius, RvError* error) {
  size_t v = (size_t)n * RV_LANES;
  *r = (RvFilmRig){.n = n, .lanes = lanes};
  r->batch = (RvFilmBatch){.vertices = n, .lanes = lanes};
  if (!make_arrays(r, v)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Water, and a step of 1 ms.
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
  // Positions, and hair's mass and moment of inertia about its axis, 1/2 rho pi r^4 a length.
  double edge = length / (n - 1);
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double cell = i == 0 || i + 1 == n ? 0.5 * edge : edge;
      r->radius[k] = radius;
      r->hairs[k] = 1;
      r->hair_mass[k] = HAIR_DENSITY * RV_PI * radius * radius * cell;
      if (i + 1 < n) r->hair_turn[k] = 0.5 * HAIR_DENSITY * RV_PI * pow(radius, 4) * edge;
      r->x[unknown_at(i, 0, lane)] = edge * i;
    }
  rv_rig_film_save_before(r);
  if (rv_film_state_init(&r->state, &r->model)) return RV_OK;
  rv_rig_film_free(r);
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

void rv_rig_film_free(RvFilmRig* r) {
  rv_film_state_free(&r->state);
  rv_free(r->arrays);
  r->arrays = NULL;
}

// The strands' positions after the step.
double* rv_rig_film_x(RvFilmRig* r, int i, int lane) {
  return &r->x[unknown_at(i, 0, lane)];
}

double* rv_rig_film_v(RvFilmRig* r, int i, int lane) {
  return &r->v[unknown_at(i, 0, lane)];
}

// Length of edge j.
static double edge_length(const RvFilmRig* r, int j, int lane) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    double d = r->x[unknown_at(j + 1, c, lane)] - r->x[unknown_at(j, c, lane)];
    sum += d * d;
  }
  return sqrt(sum);
}

// Length of strand that belongs to vertex i: half of each edge that meets it.
static double cell_length(const RvFilmRig* r, int i, int lane) {
  return 0.5 * ((i > 0 ? edge_length(r, i - 1, lane) : 0) + (i + 1 < r->n ? edge_length(r, i, lane) : 0));
}

// Sum of the edges before the vertex.
double rv_rig_film_arclength(const RvFilmRig* r, int vertex) {
  double s = 0;
  for (int j = 0; j < vertex; ++j) s += edge_length(r, j, 0);
  return s;
}

// Cross-section of the film's annulus times the hairs times the length of the vertex' cell.
void rv_rig_film_set_height(RvFilmRig* r, int i, double height) {
  for (int lane = 0; lane < r->lanes; ++lane) {
    size_t k = vertex_at(i, lane);
    r->state.volume[k] = rv_film_area(height, r->radius[k]) * r->hairs[k] * cell_length(r, i, lane);
  }
}

double rv_rig_film_height(const RvFilmRig* r, int i) {
  size_t k = vertex_at(i, 0);
  return rv_film_height(r->state.volume[k] / (r->hairs[k] * cell_length(r, i, 0)), r->radius[k]);
}

void rv_rig_film_set_speed(RvFilmRig* r, int edge, double speed) {
  for (int lane = 0; lane < r->lanes; ++lane) r->state.speed[vertex_at(edge, lane)] = speed;
}

double rv_rig_film_speed(const RvFilmRig* r, int edge) {
  return r->state.speed[vertex_at(edge, 0)];
}

// Drops at the tips count as film.
double rv_rig_film_volume(const RvFilmRig* r) {
  double film, absorbed;
  rv_film_volumes(&r->model, &r->state, &film, &absorbed);
  return film;
}

void rv_rig_film_save_before(RvFilmRig* r) {
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

RvResult rv_rig_film_step(RvFilmRig* r, RvError* error) {
  memcpy(r->volume_before, r->state.volume, r->model.vertices * sizeof(double));
  RvResult result = rv_film_step(&r->model, &r->state, &r->def, r->kick, &r->report, error);
  if (!result && r->local_rescaling) rescale(r);
  return result;
}

// Solves (mass - e e^T) dv = p by Sherman and Morrison: e is the film's part of the inertia along its edge.
static void solve_rank_one(double mass, const double e[3], const double p[3], double dv[3]) {
  double ee = 0, ep = 0;
  for (int c = 0; c < 3; ++c) {
    ee += e[c] * e[c];
    ep += e[c] * p[c];
  }
  for (int c = 0; c < 3; ++c) dv[c] = (p[c] + e[c] * ep / (mass - ee)) / mass;
}

// One explicit step of every vertex as a mass with its load, under gravity and the film's force.
static void move_free_vertices(RvFilmRig* r, unsigned fixed_axes) {
  for (int i = 0; i < r->n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double mass = r->hair_mass[k] + r->load[k];
      double e[3], p[3], dv[3];
      for (int c = 0; c < 3; ++c) {
        e[c] = fixed_axes >> c & 1 ? 0 : r->slide[(size_t)((3 * i + c) * RV_LANES + lane)];
        p[c] = fixed_axes >> c & 1 ? 0 : r->def.dt * (mass * r->def.gravity[c] + r->force[unknown_at(i, c, lane)]);
      }
      solve_rank_one(mass, e, p, dv);
      for (int c = 0; c < 3; ++c) {
        size_t at = unknown_at(i, c, lane);
        r->v[at] += dv[c];
        r->x[at] += r->def.dt * r->v[at];
      }
    }
}

// Load, motion of the vertices, the film's step, then its impulses, as the wet solver exchanges them (WH-24 to WH-26).
RvResult rv_rig_film_free_step(RvFilmRig* r, unsigned fixed_axes, RvError* error) {
  rv_rig_film_save_before(r);
  memset(r->force, 0, r->model.unknowns * sizeof(double));
  // The film's load and force at the start of the step move the vertices.
  RvResult result =
      rv_film_load(&r->model, &r->state, &r->def, r->load, r->slide, r->turn, r->force, error);
  if (result) return result;
  move_free_vertices(r, fixed_axes);
  result = rv_rig_film_step(r, error);
  // The impulses change velocities by the mass after the film's step.
  RvFilmStepDef now = r->def;
  now.x_before = r->x;
  now.v_before = r->v;
  if (!result)
    result = rv_film_load(&r->model, &r->state, &now, r->load, r->slide, r->turn, r->force, error);
  for (int i = 0; !result && i < r->n; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = vertex_at(i, lane);
      double inertia = i + 1 < r->n ? r->hair_turn[k] + r->turn[k] : 0;
      for (int c = 0; c < 3; ++c)
        if (!(fixed_axes >> c & 1))
          r->v[unknown_at(i, c, lane)] += r->kick[unknown_at(i, c, lane)] / (r->hair_mass[k] + r->load[k]);
      if (inertia > 0) r->v[unknown_at(i, 3, lane)] += r->kick[unknown_at(i, 3, lane)] / inertia;
    }
  return result;
}

// A vertex moves with its hair, film and absorbed liquid; film has its speed along the edge beside that; the tip has
// the drop.
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
                  edge_length(r, i, lane);
        else
          p[c] += r->state.drop_momentum[c * RV_LANES + lane];
      }
    }
}

// Weighted by volume.
double rv_rig_film_centre(const RvFilmRig* r) {
  double sum = 0, all = 0, s = 0;
  for (int i = 0; i < r->n; ++i) {
    double volume = r->state.volume[vertex_at(i, 0)];
    sum += volume * s;
    all += volume;
    if (i + 1 < r->n) s += edge_length(r, i, 0);
  }
  return all > 0 ? sum / all : 0;
}

// cos^2 of a quarter wave to each side.
void rv_rig_film_put_drop(RvFilmRig* r, double centre, double width, double height) {
  for (int i = 0; i < r->n; ++i) {
    double s = (rv_rig_film_arclength(r, i) - centre) / width;
    rv_rig_film_set_height(r, i, fabs(s) < 1 ? height * pow(cos(0.5 * RV_PI * s), 2) : 0);
  }
}

double rv_rig_film_strained(const RvFilmState* film, size_t vertices) {
  double sum = 0;
  for (size_t k = 0; k < vertices; ++k) sum += film->volume[k] * film->strain[k];
  return sum;
}
