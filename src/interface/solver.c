// The method of interfaces: rv_interface_substep and its stages; see solver.h.
#include "interface/solver.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/timer.h"
#include "math/scalar.h"

enum { GRAIN = 1024 };  // particles a task of the simple loops

static const double SPACINGS = RV_INTERFACE_SPACINGS;
// Factor of Wendland's kernel, and that of its slope over the distance.
static const double WENDLAND = 21 / (2 * RV_PI);
static const double WENDLAND_SLOPE = 20;
// The viscous force of central pairs is nu laplace v with the factor 2 (d + 2) in d = 3 dimensions (Monaghan 1992).
static const double VISCOUS = 10;
// Bounds of a substep: of the time of capillary waves sqrt(rho s^3 / sigma), of h over the speed, and of h^2 / nu.
static const double CAPILLARY = 0.32;
static const double CFL = 0.4;
static const double VISCOUS_SHARE = 0.01;
// Longest substep of each method over that of the implicit one, as seen on a cube that becomes round: beyond it PCISPH
// and the explicit form throw particles off.
static const double METHOD_SHARE[] = {
    [RV_INTERFACE_IMPLICIT] = 1, [RV_INTERFACE_PCISPH] = 0.5, [RV_INTERFACE_EXPLICIT] = 0.1};

RvInterfaceModel rv_interface_defaults(double spacing) {
  RvInterfaceModel m = {.dx = SPACINGS * spacing,
                        .spacing = spacing,
                        .ratio = 1.4,
                        .form = RV_PAIR_SPLINE,
                        .phases = 1,
                        .phase = {{1000, 1e-3}},
                        .tension = 0.072,
                        .gravity = {0, -9.81, 0},
                        .tolerance = 1e-3,
                        .iterations = 100,
                        .relaxation = 0.3,
                        .second_angle = -1};
  m.coefficient[0][0] = rv_pair_coefficient(m.form, m.tension, rv_interface_support(&m));
  return m;
}

double rv_interface_support(const RvInterfaceModel* m) {
  return SPACINGS * m->ratio * m->spacing;
}

void rv_interface_init(RvInterfaceSolver* s, const RvInterfaceModel* model) {
  s->model = *model;
  rv_sph_half_init(&s->half, RV_SPH_WENDLAND);
  rv_sph_half_init(&s->pull, rv_pair_kernel(model->form));
}

static double clock_of(const RvInterfaceSolver* s) {
  return s->cpu_time ? rv_clock_cpu() : rv_clock_wall();
}

//---------------------------------------------------------------------------------------------- sources

// sources: what sinks take and sources give. Sources that fill count the particles of cells, so these are sorted.
static RvResult sources(RvInterfaceSolver* s, double dt, RvError* error) {
  RvLiquid* l = s->bulk;
  const RvLiquidFlows* flows = l->inputs.flows;
  if (!flows || !(flows->any || flows->killing || flows->open_sides || flows->life)) return RV_OK;
  RvResult result = rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
  if (!result) result = rv_liquid_take(l, error);
  if (!result) result = rv_liquid_give(l, dt, error);
  return result ? result : rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
}

//---------------------------------------------------------------------------------------------- sort

// Places and volumes, in the order of the particles.
static void place_some(void* arg, size_t begin, size_t end) {
  RvInterfaceSolver* s = arg;
  RvInterfaceWork* w = &s->work;
  const RvParticles* p = &s->bulk->particles;
  double full = s->model.spacing * s->model.spacing * s->model.spacing;
  for (size_t i = begin; i < end; ++i) {
    double cell[3];
    rv_liquid_particles_place(p, i, cell);
    for (size_t a = 0; a < 3; ++a) w->place[3 * i + a] = cell[a] * s->model.dx;
    w->weight[i] = (float)(p->volume[i] / full);
  }
}

// Arrays of the pair forces that are summed again: lists within k h, their sums, and places ahead.
static bool take_far(RvInterfaceSolver* s) {
  RvInterfaceSums* m = &s->work.sums;
  size_t count = s->work.set.count + 1;
  size_t tasks = (count + RV_SPH_GRAIN - 1) / RV_SPH_GRAIN;
  m->far = (RvSphLists){0};
  if (!s->model.pair_updates || s->model.method == RV_INTERFACE_EXPLICIT) return true;
  m->far.first = RV_TAKE(s->arena, uint32_t, count);
  m->far.groups = RV_TAKE(s->arena, uint16_t, count);
  m->far.index = RV_TAKE(s->arena, uint32_t, tasks * 8 * RV_INTERFACE_TASK_FAR);
  m->pulled = RV_TAKE(s->arena, float, 4 * count);
  m->ahead = RV_TAKE(s->arena, float, 4 * count);
  return m->far.first && m->far.groups && m->far.index && m->pulled && m->ahead;
}

// Arrays of the sums. The particle that fills up groups has no volume and does not move.
static bool take_sums(RvInterfaceSolver* s) {
  RvInterfaceWork* w = &s->work;
  RvInterfaceSums* m = &w->sums;
  size_t count = w->set.count + 1;
  size_t tasks = (count + RV_SPH_GRAIN - 1) / RV_SPH_GRAIN;
  float** quads[] = {&m->drift, &m->own, &m->solid, &m->free_move, &m->move, &m->press, &m->press_next};
  bool fine = true;
  for (size_t k = 0; k < sizeof quads / sizeof *quads; ++k) {
    *quads[k] = RV_TAKE(s->arena, float, 4 * count);
    fine = fine && *quads[k];
    if (fine) memset(*quads[k] + 4 * (count - 1), 0, 4 * sizeof(float));
  }
  m->diagonal = RV_TAKE(s->arena, float, count);
  m->multiplier = RV_TAKE(s->arena, float, count);
  uint8_t* phase = RV_TAKE(s->arena, uint8_t, count);
  w->lists = (RvSphLists){.count = w->set.count};
  w->lists.first = RV_TAKE(s->arena, uint32_t, count);
  w->lists.groups = RV_TAKE(s->arena, uint16_t, count);
  w->lists.index = RV_TAKE(s->arena, uint32_t, tasks * RV_INTERFACE_TASK_INDICES + 1);
  fine = fine && m->diagonal && m->multiplier && phase && w->lists.first && w->lists.groups && w->lists.index;
  if (!fine || !take_far(s)) return false;
  m->lattice = &w->lattice;
  m->set = &w->set;
  m->lists = &w->lists;
  m->at = w->set.at;
  m->phase = phase;
  phase[count - 1] = 0;
  // Far away, as in the set.
  memcpy(m->press + 4 * (count - 1), m->at + 4 * (count - 1), 4 * sizeof(float));
  memcpy(m->press_next + 4 * (count - 1), m->at + 4 * (count - 1), 4 * sizeof(float));
  return true;
}

// Factors of the sums.
static void set_factors(RvInterfaceSolver* s) {
  const RvInterfaceModel* m = &s->model;
  RvInterfaceSums* sums = &s->work.sums;
  double support = rv_interface_support(m);
  double dt = s->work.dt;
  double volume = m->spacing * m->spacing * m->spacing;
  // Density: relative to that of a cubic lattice, whose sum of the kernel is not quite 1.
  double cell = 1 / (SPACINGS * SPACINGS * SPACINGS);
  double rest = rv_sph_lattice_share(RV_SPH_WENDLAND, 1, SPACINGS);
  sums->ratio = (float)m->ratio;
  sums->value_factor = (float)(WENDLAND * cell / rest);
  sums->slope_factor = (float)(WENDLAND_SLOPE * m->ratio * m->ratio * WENDLAND * cell / rest);
  sums->relaxation = (float)m->relaxation;
  for (int a = 0; a < 3; ++a) sums->fall[a] = (float)(dt * dt * m->gravity[a] / support);
  sums->form = m->form;
  sums->phases = m->phases;
  for (int i = 0; i < m->phases; ++i) {
    const RvInterfacePhase* a = &m->phase[i];
    sums->inverse_density[i] = (float)(m->phase[0].density / a->density);
    for (int j = 0; j < m->phases; ++j) {
      const RvInterfacePhase* b = &m->phase[j];
      sums->pull[i][j] = (float)(dt * dt * m->coefficient[i][j] * volume / (a->density * support));
      // Between phases the harmonic mean, so that the stress is continuous.
      double both = a->viscosity + b->viscosity;
      double viscosity = both > 0 ? 2 * a->viscosity * b->viscosity / both : 0;
      sums->viscosity[i][j] = (float)(VISCOUS * dt * viscosity / (a->density * support * support));
    }
  }
}

// Velocities as displacements and pressures as multipliers, in the new order.
static void arrange_some(void* arg, size_t begin, size_t end) {
  RvInterfaceSolver* s = arg;
  const RvInterfaceWork* w = &s->work;
  const RvInterfaceSums* m = &w->sums;
  const RvParticles* p = &s->bulk->particles;
  double support = w->lattice.support;
  double step = w->dt / support;
  double unit = step * step / s->model.phase[0].density;
  for (size_t k = begin; k < end; ++k) {
    size_t i = w->set.from[k];
    uint8_t phase = s->row_phase ? s->row_phase[p->row[i]] : 0;
    ((uint8_t*)m->phase)[k] = phase;
    for (size_t a = 0; a < 3; ++a) m->drift[4 * k + a] = (float)(step * (double)p->v[a][i]);
    m->drift[4 * k + 3] = m->inverse_density[phase];
    memset(m->solid + 4 * k, 0, 4 * sizeof(float));
    memset(m->own + 4 * k, 0, 4 * sizeof(float));
    memcpy(m->press + 4 * k, m->at + 4 * k, 3 * sizeof(float));
    m->press[4 * k + 3] = (float)(unit * (double)p->c[RV_INTERFACE_PRESSURE][i] * (double)m->at[4 * k + 3]);
    m->multiplier[k] = m->press[4 * k + 3];
  }
}

// solids: places of the particles, and the planes of solids near them.
static RvResult solids(RvInterfaceSolver* s, double dt, RvError* error) {
  RvInterfaceWork* w = &s->work;
  size_t count = s->bulk->particles.count;
  *w = (RvInterfaceWork){.dt = dt};
  w->place = RV_TAKE(s->arena, double, 3 * count + 1);
  w->weight = RV_TAKE(s->arena, float, count + 1);
  if (!w->place || !w->weight) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  rv_parallel_for(count, GRAIN, place_some, s);
  return rv_interface_meet_solids(s, error);
}

// sort: particles by cells as wide as the support of the pair force, with what the sums need of them.
static RvResult sort(RvInterfaceSolver* s, RvError* error) {
  RvInterfaceWork* w = &s->work;
  size_t count = s->bulk->particles.count;
  const double* places[] = {w->place};
  RvResult result = rv_sph_lattice_fit(&w->lattice, rv_interface_support(&s->model), 1, places, &count, error);
  if (!result) result = rv_sph_set_sort(&w->set, &w->lattice, w->place, w->weight, count, s->arena, error);
  if (!result && !take_sums(s)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  if (result) return result;
  set_factors(s);
  rv_parallel_for(count, GRAIN, arrange_some, s);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- film

// film: the surfaces of bubbles, and the shares of film in their particles (VI-14).
static RvResult film(RvInterfaceSolver* s, RvError* error) {
  const RvInterfaceBubbles* b = &s->bubbles;
  RvInterfaceWork* w = &s->work;
  RvInterfaceSums* m = &w->sums;
  const RvParticles* p = &s->bulk->particles;
  if (!b->row_body || !p->count) return RV_OK;
  int32_t* body = RV_TAKE(s->arena, int32_t, p->count);
  uint8_t* layer = RV_TAKE(s->arena, uint8_t, p->count);
  double* share = RV_TAKE(s->arena, double, p->count);
  float* sorted = RV_TAKE(s->arena, float, p->count + 1);
  float* number = RV_TAKE(s->arena, float, p->count + 1);
  if (!body || !layer || !share || !sorted || !number)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the film of %zu particles", p->count);
  for (size_t i = 0; i < p->count; ++i) body[i] = b->row_body[p->row[i]];
  RvInterfaceLayers layers = {p->count, w->place, body, s->model.spacing, 1, layer};
  RvInterfaceFilm shares = {p->count, body, p->volume, layer, b->count, b->film, share, 0};
  RvResult result = rv_interface_find_layers(&layers, s->arena, error);
  if (!result) result = rv_interface_share_film(&shares, s->arena, error);
  if (result) return result;
  for (size_t k = 0; k < p->count; ++k) {
    sorted[k] = (float)share[w->set.from[k]];
    number[k] = (float)body[w->set.from[k]];
  }
  sorted[p->count] = 0;
  number[p->count] = 0;
  m->film = sorted;
  m->bubble = number;
  m->film_gas = (float)b->film_gas;
  m->gas_gas = (float)b->gas_gas;
  m->across = (float)b->across;
  s->report.overfull = shares.overfull;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- pairs

typedef struct Found {
  RvInterfaceSolver* s;
  // Whole numbers, whose sums do not depend on their order.
  atomic_size_t full, near, pairs;
} Found;

static void pairs_some(void* arg, size_t begin, size_t end) {
  Found* f = arg;
  RvInterfaceFound found = RV_INTERFACE_CALL(f->s, rv_interface_pairs, (&f->s->work.sums, begin, end));
  atomic_fetch_add(&f->full, found.full);
  atomic_fetch_add(&f->near, found.near);
  atomic_fetch_add(&f->pairs, found.pairs);
}

// pairs: neighbours, and the pair forces (VI-1 to VI-4).
static RvResult pairs(RvInterfaceSolver* s) {
  Found f = {s, 0, 0, 0};
  rv_parallel_for(s->work.set.count, RV_SPH_GRAIN, pairs_some, &f);
  s->report.full += atomic_load(&f.full);
  s->report.near = atomic_load(&f.near);
  s->report.pairs = atomic_load(&f.pairs);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- density

// Densities, and the displacement by all but pressure.
static void density_some(void* arg, size_t begin, size_t end) {
  RvInterfaceSolver* s = arg;
  for (size_t k = begin; k < end; ++k) rv_interface_feel_solids(s, k);
  RV_INTERFACE_CALL(s, rv_interface_density, (&s->work.sums, begin, end));
}

static RvResult density(RvInterfaceSolver* s, RvError* error) {
  RvResult result = rv_interface_gather_bodies(s, error);
  rv_parallel_for(s->work.set.count, RV_SPH_GRAIN, density_some, s);
  if (!result) rv_interface_relieve_bodies(s);
  return result;
}

//---------------------------------------------------------------------------------------------- move

// New places, velocities, pressures and ages of the particles.
static void move_some(void* arg, size_t begin, size_t end) {
  RvInterfaceSolver* s = arg;
  const RvInterfaceWork* w = &s->work;
  const RvInterfaceSums* m = &w->sums;
  RvParticles* p = &s->bulk->particles;
  double support = w->lattice.support;
  double speed = support / w->dt;
  double unit = speed * speed * s->model.phase[0].density;
  for (size_t k = begin; k < end; ++k) {
    size_t i = w->set.from[k];
    double cell[3];
    rv_liquid_particles_place(p, i, cell);
    bool rigid = s->bodies.row_body && s->bodies.row_body[p->row[i]];
    for (size_t a = 0; a < 3 && !rigid; ++a) {
      double path = (double)m->move[4 * k + a];
      // Solids may have moved the place before.
      double before = w->place[3 * i + a] / s->model.dx - cell[a];
      p->x[a][i] = (float)((double)p->x[a][i] + (before + path * support / s->model.dx));
      p->v[a][i] = (float)(path * speed);
    }
    p->c[RV_INTERFACE_PRESSURE][i] = (float)((double)m->press[4 * k + 3] / (double)m->at[4 * k + 3] * unit);
    p->age[i] += (float)w->dt;
  }
}

static void hold_some(void* arg, size_t begin, size_t end) {
  const RvInterfaceSolver* s = arg;
  for (size_t k = begin; k < end; ++k) rv_interface_hold(s, k);
}

static RvResult move(RvInterfaceSolver* s) {
  rv_parallel_for(s->work.set.count, GRAIN, hold_some, s);
  rv_interface_hold_bodies(s);
  rv_parallel_for(s->work.set.count, GRAIN, move_some, s);
  rv_interface_turn_bodies(s);
  s->report.substeps++;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the method

#define STAGE(name, call)                                                \
  if (!result) {                                                         \
    double start = clock_of(s);                                          \
    result = call;                                                       \
    s->report.seconds[RV_INTERFACE_STAGE_##name] += clock_of(s) - start; \
  }

RvResult rv_interface_substep(RvInterfaceSolver* s, double dt, RvError* error) {
  RvResult result = RV_OK;
  RvArenaMark mark = rv_arena_mark(s->arena);
  STAGE(sources, sources(s, dt, error))
  STAGE(solids, solids(s, dt, error))
  STAGE(sort, sort(s, error))
  STAGE(film, film(s, error))
  STAGE(pairs, pairs(s))
  STAGE(density, density(s, error))
  STAGE(pressure, rv_interface_solve_pressure(s, error))
  STAGE(move, move(s))
  rv_arena_release(s->arena, mark);
  return result;
}

//---------------------------------------------------------------------------------------------- length of a substep

double rv_interface_longest(const RvInterfaceSolver* s) {
  const RvInterfaceModel* m = &s->model;
  const RvParticles* p = &s->bulk->particles;
  double h = SPACINGS * m->spacing;
  float fastest = 0;
  for (size_t i = 0; i < p->count; ++i) {
    float square = p->v[0][i] * p->v[0][i] + p->v[1][i] * p->v[1][i] + p->v[2][i] * p->v[2][i];
    fastest = square > fastest ? square : fastest;
  }
  double longest = fastest > 0 ? CFL * h / sqrt((double)fastest) : INFINITY;
  for (int i = 0; i < m->phases; ++i) {
    const RvInterfacePhase* a = &m->phase[i];
    double volume = m->spacing * m->spacing * m->spacing;
    if (m->tension > 0) longest = rv_min(longest, CAPILLARY * sqrt(a->density * volume / m->tension));
    if (a->viscosity > 0) longest = rv_min(longest, VISCOUS_SHARE * h * h * a->density / a->viscosity);
  }
  return METHOD_SHARE[m->method] * longest;
}
