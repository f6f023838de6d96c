#include "wet/wet.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "math/scalar.h"

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
  } arrays[] = {{&w->wet, m->vertices},      {&w->back, m->unknowns},      {&w->pull, m->unknowns},
                {&w->then, m->unknowns},     {&w->hairs, m->vertices},     {&w->area, m->vertices},
                {&w->load, m->vertices},     {&w->slide, 3 * m->vertices}, {&w->turn, m->edges},
                {&w->turn_before, m->edges}, {&w->force, m->unknowns},     {&w->rest, m->unknowns},
                {&w->kick, m->unknowns},     {&w->weight, m->unknowns},    {&w->mean, m->unknowns},
                {&w->capacity, m->vertices}, {&w->lag, m->unknowns},       {&w->along, 3 * m->vertices},
                {&w->sunk, m->vertices},     {&w->moves, m->vertices},     {&w->hangs, m->vertices}};
  size_t total = 0, n = sizeof arrays / sizeof *arrays;
  for (size_t i = 0; i < n; ++i) total += arrays[i].count;
  if (!(w->memory = rv_alloc_zero(total, sizeof(double)))) return false;
  double* next = w->memory;
  for (size_t i = 0; i < n; ++i) *arrays[i].array = next, next += arrays[i].count;
  for (size_t i = 0; i < m->vertices; ++i) w->wet[i] = w->moves[i] = w->hangs[i] = 1;
  return (w->batches = rv_alloc_zero(m->nbatch + 1, sizeof *w->batches)) && (w->couple = rv_couple_new());
}

RvResult rv_wet_init(RvWet* w, RvStrandModel* strands, RvStrandState* state, const double* multiple, RvLiquid* liquid,
                     const RvWetSettings* settings, RvError* error) {
  *w = (RvWet){.settings = *settings, .strands = strands, .state = state, .multiple = multiple, .liquid = liquid};
  bool fine = take_memory(w);
  if (fine) {
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
  rv_film_state_free(&w->film_state);
  rv_couple_free(w->couple);
  rv_free(w->batches), rv_free(w->memory), rv_free(w->across);
  *w = (RvWet){0};
}

void rv_wet_volumes(const RvWet* w, double* film, double* absorbed) {
  rv_film_volumes(&w->film, &w->film_state, film, absorbed);
}

//---------------------------------------------------------------------------------------------- shared by the stages

static RvCoupleStrands strands_of(RvWet* w) {
  const RvStrandState* s = w->state;
  for (size_t k = 0; k < w->strands->unknowns; ++k) w->then[k] = s->v[k] - w->pull[k];
  RvCoupleStrands c = {.model = w->strands,
                       .film = &w->film,
                       .film_state = &w->film_state,
                       .q = s->q,
                       .v = s->v,
                       .v_before = w->then,
                       .dt_before = 1,
                       .hairs = w->multiple};
  memcpy(c.offset, w->offset, sizeof c.offset);
  return c;
}

// hairs around a place are counted in every fourth substep
static RvCoupleSettings couple_settings(const RvWet* w) {
  RvCoupleSettings s = w->settings.couple;
  s.count_key = w->random / 4 + 1;
  return s;
}

static RvFilmStepDef film_def(const RvWet* w, double dt, const double* x_before, const double* v_before) {
  RvFilmStepDef d = {.dt = dt,
                     .x_before = x_before,
                     .v_before = v_before,
                     .x = w->state->q,
                     .v = w->state->v,
                     .wet = w->settings.couple.film_in_bulk ? w->moves : NULL,
                     .weight = w->settings.couple.film_in_bulk ? w->hangs : w->wet,
                     .settings = w->settings.film};
  memcpy(d.gravity, w->settings.gravity, sizeof d.gravity);
  d.settings.angle_at = w->settings.angle_at;
  return d;
}

static void clear(double* a, size_t count) {
  memset(a, 0, count * sizeof *a);
}

static void load_now(RvWet* w, const RvFilmStepDef* def) {
  clear(w->force, w->strands->unknowns);
  rv_film_load(&w->film, &w->film_state, def, w->load, w->slide, w->turn, w->force);
  rv_strand_set_load(w->strands, w->load);
  rv_strand_set_turn(w->strands, w->turn);
}

// Liquid that runs from a thick part of the film to a thin one would turn there as many times faster as the square of
// the radii (WH-25); a film that slips on its fibre does no such thing. What is beyond the fastest turning around is
// lost to friction within it. `kick` holds velocities.
static void bound_turning(RvWet* w) {
  const RvStrandModel* m = w->strands;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int j = 0; j + 1 < b->vertices; ++j)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, j, 3);
        double most = fabs(w->state->v[at]), now = w->state->v[at];
        if (j > 0) most = fmax(most, fabs(w->state->v[at - 4 * RV_LANES]));
        if (j + 2 < b->vertices) most = fmax(most, fabs(w->state->v[at + 4 * RV_LANES]));
        w->kick[at] = fmax(-most, fmin(most, now + w->kick[at])) - now;
      }
  }
}

// BDF2 goes on with M (3 v - v_before) / 2 as the momentum; what came or left has no share in the change v - v_before,
// which was that of the old mass: M (v - v_before) stays, so that a drop that lands on a hair that swings gets nothing
// of the swing (E42). Mass that leaves may make it at most twice as large.
static void keep_history(RvWet* w, double dt) {
  const RvStrandModel* m = w->strands;
  RvStrandState* s = w->state;
  for (size_t k = 0; k < m->unknowns; ++k) {
    double part = m->mass[k] > 0 ? fmin(w->weight[k] / m->mass[k], 2) : 1,
           change = (1 - part) * (s->v[k] - s->v_before[k]);
    w->weight[k] = m->mass[k];
    if (!s->has_before || m->free[k] == 0) continue;
    s->v_before[k] += change;
    s->q_before[k] -= 0.5 * dt * change;
  }
}

// The strands take a kick with the mass that they have with all of the film as it is now: what the bulk carried of it
// (E51) comes to rest on the strand again, whatever was the lighter.
static void take_kick(RvWet* w, const RvFilmStepDef* def) {
  const RvStrandModel* m = w->strands;
  RvFilmStepDef now = *def;
  now.wet = NULL;
  load_now(w, &now);
  keep_history(w, def->dt);
  for (size_t k = 0; k < m->unknowns; ++k) {
    double dv = m->mass[k] > 0 ? w->kick[k] / m->mass[k] : 0;
    // no liquid does that: a step went wrong, and shall not take the strand with it
    // (turning has a bound of its own)
    bool wild = k / RV_LANES % 4 < 3 ? !(fabs(dv) < RV_WET_MOST_KICK) : !isfinite(dv);
    w->report.wild += wild;
    w->kick[k] = wild ? 0 : dv;
  }
  bound_turning(w);
  rv_strand_kick(m, w->state, def->dt, w->kick);
}

// the mass with all film, before anything changed it
static void weigh(RvWet* w, double dt) {
  RvFilmStepDef def = film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
  def.wet = NULL;
  load_now(w, &def);
  memcpy(w->weight, w->strands->mass, w->strands->unknowns * sizeof(double));
  w->weighed = true;
}

//---------------------------------------------------------------------------------------------- stages

// what came to the film or left it changes the strands' velocities
static void settle(RvWet* w, double dt) {
  RvFilmStepDef def = film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
  take_kick(w, &def);
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
  RvFilmStepDef def = film_def(w, dt, w->state->q, w->state->v);
  clear(w->force, w->strands->unknowns);
  rv_film_load(&w->film, &w->film_state, &def, w->load, w->slide, turn, w->force);
}

RvResult rv_wet_capture(RvWet* w, RvParticles* particles, double dt, bool* any, RvError* error) {
  RvCoupleReport* report = &w->report.couple;
  size_t before = report->captured;
  if (!(w->settings.couple.capture > 0) || !particles->count || !w->strands->nstrand) return RV_OK;
  double start = rv_clock_wall();
  RvCoupleStrands strands = strands_of(w);
  clear(w->kick, w->strands->unknowns);
  turn_now(w, dt, w->turn_before);
  // of cached liquid too, less is left then: its keeper remembers
  RvCoupleSettings settings = couple_settings(w);
  settings.bulk_fixed = false;
  RvResult result = rv_couple_capture(w->couple, &strands, &settings, &w->liquid->grid, particles, dt, w->wet, w->kick,
                                      report, error);
  bool some = !result && report->captured != before;
  if (some) {
    turn_now(w, dt, w->turn);
    slow_turning(w, w->turn_before);
    settle(w, dt);
  }
  *any |= some;
  w->report.seconds[RV_WET_STAGE_capture] += rv_clock_wall() - start;
  return result;
}

RvResult rv_wet_drip(RvWet* w, RvParticles* particles, int64_t* next_id, double dt, bool* any, RvError* error) {
  RvCoupleReport* report = &w->report.couple;
  size_t before = report->dripped;
  if (!(w->settings.couple.drip > 0) || !w->strands->nstrand) return RV_OK;
  double start = rv_clock_wall();
  RvCoupleStrands strands = strands_of(w);
  clear(w->kick, w->strands->unknowns);
  RvCoupleSettings settings = couple_settings(w);
  RvResult result = rv_couple_drip(w->couple, &strands, &settings, &w->liquid->grid, particles, next_id, w->drip_row,
                                   dt, w->random++, w->kick, report, error);
  bool some = !result && report->dripped != before;
  if (some) settle(w, dt);
  *any |= some;
  w->report.seconds[RV_WET_STAGE_drip] += rv_clock_wall() - start;
  return result;
}

// E51: film under water is the bulk's, as much of it as there is room for: around a hair of which the fibres around are
// the share phi of the space that is pi r^2 / phi. More would be in one place with it, and heavier than the pressure
// knows: what is beyond stays with its strand, its weight borne.
static void sink_film(RvWet* w) {
  const RvStrandModel* m = w->strands;
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  for (size_t i = 0; i < m->vertices; ++i) {
    double share = w->bulk ? w->bulk->share[i] : 1e-6, room = RV_PI * m->radius[i] * m->radius[i] * (1 - share);
    double part = share * w->area[i] > room ? room / (share * w->area[i]) : 1;
    w->sunk[i] = (1 - w->wet[i]) * part, w->moves[i] = 1 - w->sunk[i];
    w->hangs[i] = w->moves[i] > 0 ? w->wet[i] / w->moves[i] : 1;
  }
}

RvResult rv_wet_bulk(RvWet* w, double dt, RvError* error) {
  RvCoupleStrands strands = strands_of(w);
  size_t vertices = w->strands->vertices;
  clear(w->rest, w->strands->unknowns);
  clear(w->mean, w->strands->unknowns), clear(w->lag, w->strands->unknowns);
  w->bulk = NULL, w->dt = dt;
  for (size_t i = 0; i < vertices; ++i) w->wet[i] = w->moves[i] = w->hangs[i] = 1, w->sunk[i] = 0;
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
  RvFilmStepDef def = film_def(w, dt, w->state->q, w->state->v);
  load_now(w, &def);
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

void rv_wet_forces(const RvWet* w, double* force, double* drag, double* drag_velocity) {
  const RvCoupleSample* b = w->bulk;
  for (size_t k = 0; k < w->strands->unknowns; ++k) {
    force[k] += w->force[k] + w->back[k] / w->dt + w->rest[k];
    if (!b || !(b->drag[k] > 0)) continue;
    double sum = drag[k] + b->drag[k];
    drag_velocity[k] = (drag[k] * drag_velocity[k] + b->drag[k] * b->drag_velocity[k]) / sum;
    drag[k] = sum;
  }
}

static void feel_pull(RvWet* w, double dt, const double* v_before) {
  double follow = 1 - rv_exp(-dt / RV_WET_DROP_TIME);
  for (size_t k = 0; k < w->strands->unknowns; ++k) {
    double a = (w->state->v[k] - v_before[k]) / dt;
    // what is no number is no pull: the strand will be put back
    a = isfinite(a) ? rv_clamp(a, -RV_WET_MOST_PULL, RV_WET_MOST_PULL) : 0;
    w->pull[k] += follow * (a - w->pull[k]);
  }
}

// drag gave the strands dt (drag (drag_velocity - v) + rest) in each step, which the liquid pays for (E48)
static void count_drag(RvWet* w, double dt) {
  if (!w->bulk) return;
  for (size_t k = 0; k < w->strands->unknowns; ++k) w->mean[k] += dt / w->dt * w->state->v[k];
}

// A step of the strands carries of the film under water nothing across (E51), though it counts as moving with them:
// how much too much that is, the grid must know.
static void count_lag(RvWet* w, const double* x_before, const double* v_before) {
  const RvStrandModel* m = w->strands;
  if (!w->bulk || w->cached || !w->settings.couple.film_in_bulk) return;
  rv_film_tangents(&w->film, x_before, w->along);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane, at = rv_strand_index(b, lane, i, 0);
        double mass = w->sunk[vertex] * w->film.liquid.density * w->film_state.volume[vertex], slides = 0;
        const double* t = &w->along[3 * b->vertex_at + (size_t)(3 * i) * RV_LANES + (size_t)lane];
        if (!(mass > 0)) continue;
        for (size_t c = 0; c < 3; ++c)
          slides += t[c * RV_LANES] * (w->state->v[at + c * RV_LANES] - v_before[at + c * RV_LANES]);
        for (size_t c = 0; c < 3; ++c)
          w->lag[at + c * RV_LANES] +=
              mass * (w->state->v[at + c * RV_LANES] - v_before[at + c * RV_LANES] - slides * t[c * RV_LANES]);
      }
  }
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
static void tame_speeds(RvWet* w) {
  for (size_t k = 0; k < w->strands->edges; ++k) {
    bool wild = !(fabs(w->film_state.speed[k]) < RV_WET_MOST_KICK);
    w->report.wild += wild;
    if (wild) w->film_state.speed[k] = 0;
  }
  double density = w->film.liquid.density;
  for (size_t k = 0; k < w->film.nbatch; ++k)
    for (size_t i = 0; i < 3 * RV_LANES; ++i) {
      double *p = &w->film_state.drop_momentum[3 * k * RV_LANES + i],
             drop = w->film_state.drop[k * RV_LANES + i % RV_LANES];
      bool wild = !(fabs(*p) <= RV_WET_MOST_KICK * density * drop + 1e-12);
      w->report.wild += wild;
      if (wild) *p = 0;
    }
}

RvResult rv_wet_film(RvWet* w, double dt, const double* x_before, const double* v_before, const RvContacts* contacts,
                     RvError* error) {
  RvFilmStepDef def = film_def(w, dt, x_before, v_before);
  tame_speeds(w);
  double clock[4] = {rv_clock_wall()};
  count_drag(w, dt);
  feel_pull(w, dt, v_before);
  count_lag(w, x_before, v_before);
  clear(w->kick, w->strands->unknowns);
  RvResult result = rv_film_step(&w->film, &w->film_state, &def, w->kick, &w->report.film, error);
  clock[1] = rv_clock_wall();
  tame_speeds(w);
  if (!result) result = flow_across(w, &def, contacts, error);
  clock[2] = rv_clock_wall();
  if (!result) {
    rv_film_dry(&w->film, &w->film_state, &def, w->kick, &w->report.film);
    take_kick(w, &def);
  }
  clock[3] = rv_clock_wall();
  for (int i = 0; i < 3; ++i) w->report.seconds[RV_WET_STAGE_film + i] += clock[i + 1] - clock[i];
  return result;
}

RvResult rv_wet_react(RvWet* w, double dt, RvError* error) {
  RvCoupleStrands strands = strands_of(w);
  if (!w->bulk || w->cached) return RV_OK;
  strands.v_step = w->mean, strands.lag = w->settings.couple.film_in_bulk ? w->lag : NULL;
  strands.sunk = w->sunk;
  return rv_couple_react(w->couple, &strands, &w->settings.couple, &w->liquid->grid, dt, error);
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
  // it is the impulse that counts, whatever the next step's length
  for (size_t k = 0; k < w->strands->unknowns; ++k) {
    // what drag hands over may be more than the mass could bear: drag itself holds it back in the next step
    bool wild = !isfinite(w->back[k]);
    w->report.wild += wild;
    w->back[k] = wild ? 0 : w->back[k] * dt;
  }
  tame_speeds(w);
  RvFilmStepDef def = film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
  if (!result) take_kick(w, &def);
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
  rv_film_edge_masses(&w->film, &w->film_state, w->state->q, w->turn_before);
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
        w->film_state.volume[at] += volume, w->report.added += volume;
      }
  }
  rv_film_edge_masses(&w->film, &w->film_state, w->state->q, w->turn);
  slow_film(w, w->turn_before, w->turn);
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
  if (!w->weighed) weigh(w, dt);
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
