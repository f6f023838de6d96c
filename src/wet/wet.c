#include "wet/wet.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "math/scalar.h"
#include "wet/kick.h"

//---------------------------------------------------------------------------------------------- making

static void set_batches(RvWet* w) {
  const RvStrandModel* m = w->strands;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    w->batches[k] = (RvFilmBatch){b->vertices, b->lanes, b->at, b->vertex_at, b->edge_at};
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane)
        w->hairs[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane] = w->multiple ? w->multiple[b->strand[lane]] : 1;
  }
}

// all arrays of doubles in one block
static bool take_memory(RvWet* w) {
  const RvStrandModel* m = w->strands;
  const struct {
    double** array;
    size_t count;
  } arrays[] = {
      {&w->wet, m->vertices},       {&w->back, m->unknowns}, {&w->pull, m->unknowns},     {&w->hairs, m->vertices},
      {&w->area, m->vertices},      {&w->load, m->vertices}, {&w->load_was, m->vertices}, {&w->turn_was, m->edges},
      {&w->slide, 3 * m->vertices}, {&w->turn, m->edges},    {&w->rest, m->unknowns},     {&w->mean, m->unknowns},
      {&w->kick, m->unknowns},      {&w->sunk, m->vertices}, {&w->moves, m->vertices},    {&w->hangs, m->vertices}};
  size_t total = 0, n = sizeof arrays / sizeof *arrays;
  for (size_t i = 0; i < n; ++i) total += arrays[i].count;
  if (!(w->memory = rv_alloc_zero(total, sizeof(double)))) return false;
  double* next = w->memory;
  for (size_t i = 0; i < n; ++i) {
    *arrays[i].array = next;
    next += arrays[i].count;
  }
  for (size_t i = 0; i < m->vertices; ++i) w->wet[i] = w->moves[i] = w->hangs[i] = 1;
  w->force = w->kick;
  return (w->batches = rv_alloc_zero(m->nbatch + 1, sizeof *w->batches)) && (w->couple = rv_couple_new()) &&
         (w->scratch = rv_arena_new(0));
}

RvResult rv_wet_init(RvWet* w, RvStrandModel* strands, RvStrandState* state, const double* multiple, RvLiquid* liquid,
                     const RvWetSettings* settings, RvError* error) {
  *w = (RvWet){.settings = *settings, .strands = strands, .state = state, .multiple = multiple, .liquid = liquid};
  bool fine = take_memory(w);
  if (fine) {
    rv_couple_set_scratch(w->couple, w->scratch);
    if (liquid) rv_liquid_set_scratch(liquid, w->scratch);
    set_batches(w);
    w->film = (RvFilmModel){.nbatch = strands->nbatch,
                            .batches = w->batches,
                            .unknowns = strands->unknowns,
                            .vertices = strands->vertices,
                            .edges = strands->edges,
                            .radius = strands->radius,
                            .hairs = w->hairs,
                            .liquid = settings->liquid};
    fine = rv_film_state_init(&w->film_state, &w->film);
  }
  if (fine) return RV_OK;
  rv_wet_free(w);
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", strands->nstrand);
}

void rv_wet_free(RvWet* w) {
  if (w->liquid) rv_liquid_set_scratch(w->liquid, NULL);
  rv_film_state_free(&w->film_state);
  rv_couple_free(w->couple);
  rv_arena_free(w->scratch);
  rv_free(w->batches);
  rv_free(w->memory);
  rv_free(w->across);
  rv_free(w->lag);
  *w = (RvWet){0};
}

void rv_wet_volumes(const RvWet* w, double* film, double* absorbed) {
  rv_film_volumes(&w->film, &w->film_state, film, absorbed);
}

//---------------------------------------------------------------------------------------------- shared by the stages

static RvCoupleStrands strands_of(RvWet* w) {
  const RvStrandState* s = w->state;
  RvCoupleStrands c = {
      .model = w->strands, .film = &w->film, .film_state = &w->film_state, .q = s->q, .v = s->v, .hairs = w->multiple};
  memcpy(c.offset, w->offset, sizeof c.offset);
  return c;
}

typedef struct Then {
  const RvWet* wet;
  double* v;
} Then;

static void look_back(void* arg, size_t begin, size_t end) {
  const Then* t = arg;
  for (size_t k = begin; k < end; ++k) t->v[k] = t->wet->state->v[k] - t->wet->pull[k];
}

enum { GRAIN = 8192 };

// The velocities of a second ago at the acceleration `pull`; from the scratch.
static RvResult feel_back(RvWet* w, RvCoupleStrands* strands, RvError* error) {
  size_t n = w->strands->unknowns;
  Then then = {w, RV_TAKE(w->scratch, double, n)};
  if (!then.v) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", w->strands->nstrand);
  rv_parallel_for(n, GRAIN, look_back, &then);
  strands->v_before = then.v;
  strands->dt_before = 1;
  return RV_OK;
}

// hairs around a place are counted in every fourth substep
static RvCoupleSettings couple_settings(const RvWet* w) {
  RvCoupleSettings s = w->settings.couple;
  s.count_key = w->random / 4 + 1;
  return s;
}

static void clear(double* a, size_t count) {
  memset(a, 0, count * sizeof *a);
}

//---------------------------------------------------------------------------------------------- stages

// what came to the film or left it changes the strands' velocities
static void settle(RvWet* w, double dt) {
  RvFilmStepDef def = rv_wet_film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
  rv_wet_take_kick(w, &def);
}

// Liquid that comes to a strand does not turn yet: what turned before now turns with it (WH-25). `before` is the
// inertia of the film that was there.
static void slow_turning(RvWet* w, const double* before) {
  const RvStrandModel* m = w->strands;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int j = 0; j + 1 < b->vertices; ++j)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t edge = b->edge_at + (size_t)j * RV_LANES + (size_t)lane, at = rv_strand_index(b, lane, j, 3);
        double gain = w->turn[edge] - before[edge];
        if (gain > 0) w->kick[at] -= gain * w->state->v[at];
      }
  }
}

static void turn_now(RvWet* w, double dt, double* turn) {
  RvFilmStepDef def = rv_wet_film_def(w, dt, w->state->q, w->state->v);
  rv_film_load(&w->film, &w->film_state, &def, NULL, NULL, turn, NULL);
}

RvResult rv_wet_capture(RvWet* w, RvParticles* particles, double dt, bool* any, RvError* error) {
  RvCoupleReport* report = &w->report.couple;
  size_t before = report->captured;
  if (!(w->settings.couple.capture > 0) || !particles->count || !w->strands->nstrand) return RV_OK;
  double start = rv_clock_wall();
  RvArenaMark mark = rv_arena_mark(w->scratch);
  RvCoupleStrands strands = strands_of(w);
  RvResult result = feel_back(w, &strands, error);
  double* turn = result ? NULL : RV_TAKE(w->scratch, double, w->strands->edges);
  if (!result && !turn) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
  clear(w->kick, w->strands->unknowns);
  if (!result) turn_now(w, dt, turn);
  // of cached liquid too, less is left then: its keeper remembers
  RvCoupleSettings settings = couple_settings(w);
  settings.bulk_fixed = false;
  if (!result)
    result = rv_couple_capture(w->couple, &strands, &settings, &w->liquid->grid, particles, dt, w->kick, report, error);
  bool some = !result && report->captured != before;
  if (some) {
    turn_now(w, dt, w->turn);
    slow_turning(w, turn);
    settle(w, dt);
  }
  rv_arena_release(w->scratch, mark);
  *any |= some;
  w->report.seconds[RV_WET_STAGE_capture] += rv_clock_wall() - start;
  return result;
}

RvResult rv_wet_drip(RvWet* w, RvParticles* particles, int64_t* next_id, double dt, bool* any, RvError* error) {
  RvCoupleReport* report = &w->report.couple;
  size_t before = report->dripped;
  if (!(w->settings.couple.drip > 0) || !w->strands->nstrand) return RV_OK;
  double start = rv_clock_wall();
  RvArenaMark mark = rv_arena_mark(w->scratch);
  RvCoupleStrands strands = strands_of(w);
  RvResult result = feel_back(w, &strands, error);
  clear(w->kick, w->strands->unknowns);
  RvCoupleSettings settings = couple_settings(w);
  if (!result)
    result = rv_couple_drip(w->couple, &strands, &settings, &w->liquid->grid, particles, next_id, w->drip_row, dt,
                            w->random++, w->kick, report, error);
  rv_arena_release(w->scratch, mark);
  bool some = !result && report->dripped != before;
  if (some) settle(w, dt);
  *any |= some;
  w->report.seconds[RV_WET_STAGE_drip] += rv_clock_wall() - start;
  return result;
}

// E51: film under water is the bulk's, as much of it as there is room for: around a hair of which the fibres around are
// the share phi of the space that is pi r^2 / phi. More would be in one place with it, and heavier than the pressure
// knows: what is beyond stays with its strand, its weight borne. So does for this substep what is still to mix with the
// bulk: of what is under water a part 1 - e^(-dt / RV_WET_SINK_TIME) goes to the grid and comes back with its velocity,
// whatever the number of substeps.
static void sink_film(RvWet* w) {
  const RvStrandModel* m = w->strands;
  const double mix = 1 - rv_exp(-w->dt / RV_WET_SINK_TIME);
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  for (size_t i = 0; i < m->vertices; ++i) {
    double share = w->bulk ? w->bulk->share[i] : 1e-6, room = RV_PI * m->radius[i] * m->radius[i] * (1 - share);
    double part = mix * (share * w->area[i] > room ? room / (share * w->area[i]) : 1);
    w->sunk[i] = (1 - w->wet[i]) * part;
    w->moves[i] = 1 - w->sunk[i];
    w->hangs[i] = w->moves[i] > 0 ? w->wet[i] / w->moves[i] : 1;
  }
}

RvResult rv_wet_bulk(RvWet* w, double dt, RvError* error) {
  RvCoupleStrands strands = strands_of(w);
  size_t vertices = w->strands->vertices;
  clear(w->rest, w->strands->unknowns);
  clear(w->mean, w->strands->unknowns);
  if (w->settings.couple.film_in_bulk && !w->lag && !(w->lag = rv_alloc(w->strands->unknowns + 1, sizeof(double))))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", w->strands->nstrand);
  if (w->lag) clear(w->lag, w->strands->unknowns);
  w->bulk = NULL;
  w->dt = dt;
  for (size_t i = 0; i < vertices; ++i) {
    w->wet[i] = w->moves[i] = w->hangs[i] = 1;
    w->sunk[i] = 0;
  }
  const RvLiquid* bulk = w->cached ? w->cached : w->liquid;
  if (!bulk || !bulk->particles.count || !w->strands->nstrand) return RV_OK;
  RvResult result =
      rv_couple_sample(w->couple, &strands, &w->settings.couple, &bulk->grid, dt, w->rest, &w->bulk, error);
  if (!result && w->bulk) {
    memcpy(w->wet, w->bulk->wet, vertices * sizeof(double));
    sink_film(w);
  }
  return result;
}

RvResult rv_wet_load(RvWet* w, double dt, RvError* error) {
  (void)error;
  const RvWetSettings* s = &w->settings;
  double start = rv_clock_wall();
  RvFilmStepDef def = rv_wet_film_def(w, dt, w->state->q, w->state->v);
  rv_wet_load_now(w, &def);
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  w->bridges = (RvContactWet){.tension = s->liquid.tension,
                              .angle = s->liquid.angle,
                              .angle_at = s->angle_at,
                              .cohesion = s->cohesion,
                              .area = w->area,
                              .wet = w->wet,
                              .stronger = s->cohesion_at};
  w->report.seconds[RV_WET_STAGE_load] += rv_clock_wall() - start;
  return RV_OK;
}

typedef struct Forces {
  const RvWet* wet;
  double *force, *drag, *velocity;
} Forces;

static void add_forces(void* arg, size_t begin, size_t end) {
  const Forces* f = arg;
  const RvWet* w = f->wet;
  const RvCoupleSample* b = w->bulk;
  for (size_t k = begin; k < end; ++k) f->force[k] += w->force[k] + w->back[k] / w->dt + w->rest[k];
  for (size_t k = begin; b && k < end; ++k) {
    if (!(b->drag[k] > 0)) continue;
    double sum = f->drag[k] + b->drag[k];
    f->velocity[k] = (f->drag[k] * f->velocity[k] + b->drag[k] * b->drag_velocity[k]) / sum;
    f->drag[k] = sum;
  }
}

void rv_wet_forces(const RvWet* w, double* force, double* drag, double* drag_velocity) {
  Forces f = {w, force, drag, drag_velocity};
  rv_parallel_for(w->strands->unknowns, GRAIN, add_forces, &f);
}

// What the strands' step did, for others.
typedef struct Done {
  RvWet* wet;
  double dt, follow;
  const double* v_before;
  double* along;  // [3 x vertices] tangents; NULL: the lag is not asked for
} Done;

static void feel_pull(const Done* d, size_t begin, size_t end) {
  RvWet* w = d->wet;
  for (size_t k = begin; k < end; ++k) {
    double a = (w->state->v[k] - d->v_before[k]) / d->dt;
    // what is no number is no pull: the strand will be put back
    a = isfinite(a) ? rv_clamp(a, -RV_WET_MOST_PULL, RV_WET_MOST_PULL) : 0;
    w->pull[k] += d->follow * (a - w->pull[k]);
  }
}

// A step of the strands carries of the film under water nothing across (E51), though it counts as moving with them:
// how much too much that is, the grid must know.
static void count_lag(const Done* d, const RvStrandBatch* b) {
  RvWet* w = d->wet;
  for (int i = 0; i < b->vertices; ++i)
    for (int lane = 0; lane < b->lanes; ++lane) {
      size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane, at = rv_strand_index(b, lane, i, 0);
      double mass = w->sunk[vertex] * w->film.liquid.density * w->film_state.volume[vertex], slides = 0;
      const double* t = &d->along[3 * b->vertex_at + (size_t)(3 * i) * RV_LANES + (size_t)lane];
      if (!(mass > 0)) continue;
      for (size_t c = 0; c < 3; ++c)
        slides += t[c * RV_LANES] * (w->state->v[at + c * RV_LANES] - d->v_before[at + c * RV_LANES]);
      for (size_t c = 0; c < 3; ++c)
        w->lag[at + c * RV_LANES] +=
            mass * (w->state->v[at + c * RV_LANES] - d->v_before[at + c * RV_LANES] - slides * t[c * RV_LANES]);
    }
}

static void count_batches(void* arg, size_t begin, size_t end) {
  const Done* d = arg;
  RvWet* w = d->wet;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->strands->batches[k];
    size_t last = b->at + (size_t)b->vertices * 4 * RV_LANES;
    // drag gave the strands dt (drag (drag_velocity - v) + rest) in each step, which the liquid pays for (E48)
    for (size_t i = b->at; w->bulk && i < last; ++i) w->mean[i] += d->dt / w->dt * w->state->v[i];
    feel_pull(d, b->at, last);
    if (d->along) count_lag(d, b);
  }
}

static RvResult count_step(RvWet* w, double dt, const double* x_before, const double* v_before, RvError* error) {
  RvArenaMark mark = rv_arena_mark(w->scratch);
  Done d = {w, dt, 1 - rv_exp(-dt / RV_WET_DROP_TIME), v_before, NULL};
  RvResult result = RV_OK;
  if (w->lag && w->bulk && !w->cached && w->settings.couple.film_in_bulk) {
    if (!(d.along = RV_TAKE(w->scratch, double, 3 * w->strands->vertices)))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", w->strands->nstrand);
    else
      rv_film_tangents(&w->film, x_before, d.along);
  }
  if (!result) rv_parallel_for(w->strands->nbatch, 16, count_batches, &d);
  rv_arena_release(w->scratch, mark);
  return result;
}

static RvResult flow_across(RvWet* w, const RvFilmStepDef* def, const RvContacts* contacts, RvError* error) {
  if (!w->settings.film.transverse || !contacts) return RV_OK;
  size_t count = rv_contacts_bridges(contacts, w->across, w->across_capacity);
  if (count > w->across_capacity) {
    rv_free(w->across);
    w->across_capacity = count + count / 4;
    if (!(w->across = rv_alloc(w->across_capacity, sizeof *w->across))) {
      w->across_capacity = 0;
      return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu bridges", count);
    }
    rv_contacts_bridges(contacts, w->across, w->across_capacity);
  }
  return rv_film_across(&w->film, &w->film_state, def, w->across, count, w->kick, error);
}

// as with kicks: what no film does is not taken
static double tame_batches(void* arg, size_t begin, size_t end) {
  const RvWet* w = arg;
  double density = w->film.liquid.density;
  size_t sum = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &w->film.batches[k];
    for (size_t i = b->edge_at; i < b->edge_at + (size_t)(b->vertices - 1) * RV_LANES; ++i) {
      bool wild = !(fabs(w->film_state.speed[i]) < RV_WET_MOST_KICK);
      sum += wild;
      w->film_state.speed[i] = wild ? 0 : w->film_state.speed[i];
    }
    for (size_t i = 0; i < 3 * RV_LANES; ++i) {
      double *p = &w->film_state.drop_momentum[3 * k * RV_LANES + i],
             drop = w->film_state.drop[k * RV_LANES + i % RV_LANES];
      bool wild = !(fabs(*p) <= RV_WET_MOST_KICK * density * drop + 1e-12);
      sum += wild;
      if (wild) *p = 0;
    }
  }
  return (double)sum;
}

static void tame_speeds(RvWet* w) {
  w->report.wild += (size_t)rv_parallel_sum(w->film.nbatch, 32, tame_batches, w);
}

RvResult rv_wet_film(RvWet* w, double dt, const double* x_before, const double* v_before, const RvContacts* contacts,
                     RvError* error) {
  RvFilmStepDef def = rv_wet_film_def(w, dt, x_before, v_before);
  tame_speeds(w);
  double clock[4] = {rv_clock_wall()};
  RvResult result = count_step(w, dt, x_before, v_before, error);
  if (!result) result = rv_film_step(&w->film, &w->film_state, &def, w->kick, &w->report.film, error);
  clock[1] = rv_clock_wall();
  tame_speeds(w);
  if (!result) result = flow_across(w, &def, contacts, error);
  clock[2] = rv_clock_wall();
  if (!result) {
    rv_film_dry(&w->film, &w->film_state, &def, w->kick, &w->report.film);
    rv_wet_take_kick(w, &def);
  }
  clock[3] = rv_clock_wall();
  for (int i = 0; i < 3; ++i) w->report.seconds[RV_WET_STAGE_film + i] += clock[i + 1] - clock[i];
  return result;
}

RvResult rv_wet_react(RvWet* w, double dt, RvError* error) {
  RvCoupleStrands strands = strands_of(w);
  if (!w->bulk || w->cached) return RV_OK;
  strands.v_step = w->mean;
  strands.lag = w->settings.couple.film_in_bulk ? w->lag : NULL;
  strands.film_share_in_bulk = w->sunk;
  return rv_couple_react(w->couple, &strands, &w->settings.couple, &w->liquid->grid, dt, error);
}

typedef struct Back {
  double *impulse, dt;
} Back;

// It is the impulse that counts, whatever the next step's length. What drag hands over may be more than the mass could
// bear: drag itself holds it back in the next step.
static double tame_back(void* arg, size_t begin, size_t end) {
  const Back* b = arg;
  size_t sum = 0;
  for (size_t k = begin; k < end; ++k) {
    bool wild = !isfinite(b->impulse[k]);
    sum += wild;
    b->impulse[k] = wild ? 0 : b->impulse[k] * b->dt;
  }
  return (double)sum;
}

RvResult rv_wet_back(RvWet* w, double dt, RvError* error) {
  RvCoupleStrands strands = strands_of(w);
  const RvLiquid* bulk = w->cached ? w->cached : w->liquid;
  clear(w->back, w->strands->unknowns);
  if (!w->bulk) return RV_OK;
  clear(w->kick, w->strands->unknowns);
  strands.lag = w->cached || !w->settings.couple.film_in_bulk ? NULL : w->lag;
  RvResult result =
      rv_couple_pressure(w->couple, &strands, &w->settings.couple, &bulk->grid, dt, w->back, w->kick, error);
  Back back = {w->back, dt};
  w->report.wild += (size_t)rv_parallel_sum(w->strands->unknowns, GRAIN, tame_back, &back);
  tame_speeds(w);
  RvFilmStepDef def = rv_wet_film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
  if (!result) rv_wet_take_kick(w, &def);
  return result;
}

// What is painted on rests on the strand: speeds fall as masses grow. `before` and `after` are those of edges, kg.
static void slow_film(RvWet* w, const double* before, const double* after) {
  for (size_t k = 0; k < w->strands->edges; ++k)
    if (after[k] > before[k]) w->film_state.speed[k] *= before[k] / after[k];
}

void rv_wet_paint(RvWet* w, const double* rate, double dt) {
  const RvStrandModel* m = w->strands;
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  // (room that nothing else needs now)
  double* masses = w->kick;
  RvSum added = {w->report.added, 0};
  rv_film_edge_masses(&w->film, &w->film_state, w->state->q, masses);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        if (!(rate[at] > 0)) continue;
        double before = i > 0 ? m->rest_length[b->edge_at + (size_t)(i - 1) * RV_LANES + (size_t)lane] : 0;
        double after = i + 1 < b->vertices ? m->rest_length[b->edge_at + (size_t)i * RV_LANES + (size_t)lane] : 0;
        double height = fmin(rv_film_height(w->area[at], m->radius[at]) + rate[at] * dt, RV_WET_MOST_FILM);
        double grown = rv_film_area(height, m->radius[at]) - w->area[at];
        double volume = fmax(grown, 0) * 0.5 * (before + after) * w->hairs[at];
        rv_film_gain(&w->film_state, at, volume);
        rv_sum_add(&added, volume);
      }
  }
  w->report.added = rv_sum_total(&added);
  rv_film_edge_masses(&w->film, &w->film_state, w->state->q, w->turn);
  slow_film(w, masses, w->turn);
}

//---------------------------------------------------------------------------------------------- the method

// runs a stage unless one failed, and adds its time
#define STAGE(name, call)                                              \
  if (!result) {                                                       \
    double start = rv_clock_wall();                                    \
    result = (call);                                                   \
    w->report.seconds[RV_WET_STAGE_##name] += rv_clock_wall() - start; \
  }

RvResult rv_wet_substep(RvWet* w, double from, double dt, const RvWetHooks* hooks, RvError* error) {
  RvLiquid* bulk = w->liquid;
  if (!w->weighed) rv_wet_weigh(w, dt);
  // sources, capture and drip; then a grid of the particles as they are
  RvResult result = w->cached ? rv_liquid_gather(w->cached, dt, hooks->cached, error) : RV_OK;
  if (w->cached) w->cached->time += dt;
  if (!result && bulk) result = rv_liquid_gather(bulk, dt, hooks->liquid, error);
  STAGE(bulk, rv_wet_bulk(w, dt, error))
  // the strands, with cohesion and drag; after each of their steps their film
  if (!result) result = hooks->strands(hooks->user, from, from + dt, error);
  STAGE(react, rv_wet_react(w, dt, error))
  if (!result && bulk) result = rv_liquid_project(bulk, dt, hooks->liquid, error);
  STAGE(back, rv_wet_back(w, dt, error))
  return result || !bulk ? result : rv_liquid_move(bulk, dt, hooks->liquid, error);
}
