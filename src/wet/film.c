#include "wet/film.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/flow_law.h"
#include "math/scalar.h"
#include "wet/impulse.h"

// Numbers a task of a parallel loop takes: enough to outweigh its start.
enum { GRAIN = 8192 };

//---------------------------------------------------------------------------------------------- making

// The film has the batches of the strands; each vertex knows how many hairs it stands for.
static void set_batches(RvWetFilm* w) {
  const RvStrandModel* m = w->strands;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    w->batches[k] = (RvFilmBatch){b->vertices, b->lanes, b->at, b->vertex_at, b->edge_at};
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane)
        w->hairs[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane] = w->multiple ? w->multiple[b->strand[lane]] : 1;
  }
}

// Takes all arrays of doubles in one block.
static bool take_memory(RvWetFilm* w) {
  const RvStrandModel* m = w->strands;
  const size_t vertices = m->vertices, unknowns = m->unknowns, edges = m->edges;
  const struct {
    double** array;
    size_t count;
  } arrays[] = {{&w->air_share, vertices},
                {&w->exchange_air, vertices},
                {&w->feedback_impulse, unknowns},
                {&w->drop_acceleration, unknowns},
                {&w->hairs, vertices},
                {&w->area, vertices},
                {&w->load, vertices},
                {&w->load_before, vertices},
                {&w->turn, edges},
                {&w->turn_before, edges},
                {&w->slide, 3 * vertices},
                {&w->free_area, vertices},
                {&w->bundle_share, vertices},
                {&w->suction, vertices},
                {&w->bundle_area, vertices},
                {&w->bundled, vertices},
                {&w->explicit_drag, unknowns},
                {&w->mean_velocity, unknowns},
                {&w->impulse, unknowns},
                {&w->force, unknowns},
                {&w->film_lag, w->settings.couple.film_in_bulk ? unknowns : 0},
                {&w->film_share_in_bulk, vertices},
                {&w->film_share_on_strand, vertices},
                {&w->unsupported_weight_share, vertices}};
  const size_t count = sizeof arrays / sizeof *arrays;
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += arrays[i].count;
  if (!(w->memory = rv_alloc_zero(total, sizeof(double)))) return false;
  // The parts of the block.
  double* next = w->memory;
  for (size_t i = 0; i < count; ++i) {
    *arrays[i].array = arrays[i].count ? next : NULL;
    next += arrays[i].count;
  }
  // Dry strands in air: all of the film on them, all of its weight theirs.
  for (size_t i = 0; i < vertices; ++i) {
    w->air_share[i] = 1;
    w->exchange_air[i] = -1;
    w->film_share_on_strand[i] = 1;
    w->unsupported_weight_share[i] = 1;
  }
  return (w->batches = rv_alloc_zero(m->nbatch + 1, sizeof *w->batches)) && (w->couple = rv_couple_new()) &&
         (w->scratch = rv_arena_new(0));
}

// The table of a liquid that yields, thins or thickens; a plain viscosity needs none.
static bool make_flow(RvWetFilm* w) {
  RvFilmLiquid* l = &w->film.liquid;
  if (rv_film_flow_is_plain(l)) return true;
  if (!(w->flow = rv_alloc(1, sizeof *w->flow))) return false;
  rv_film_flow_make(w->flow, l->index);
  l->flow = w->flow;
  return true;
}

// The film lies in the lanes of the strands. Coupling and liquid take temporary memory from its scratch.
RvResult rv_wet_film_init(RvWetFilm* w, RvStrandModel* strands, RvStrandState* state, const double* multiple,
                          RvLiquid* liquid, const RvWetSettings* settings, RvError* error) {
  *w = (RvWetFilm){.settings = *settings, .strands = strands, .state = state, .multiple = multiple, .liquid = liquid};
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
    fine = rv_film_state_init(&w->film_state, &w->film) && make_flow(w);
  }
  if (fine) return RV_OK;
  rv_wet_film_free(w);
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", strands->nstrand);
}

void rv_wet_film_free(RvWetFilm* w) {
  if (w->liquid) rv_liquid_set_scratch(w->liquid, NULL);
  rv_film_state_free(&w->film_state);
  rv_couple_free(w->couple);
  rv_arena_free(w->scratch);
  rv_free(w->flow);
  rv_free(w->batches);
  rv_free(w->memory);
  rv_free(w->across);
  *w = (RvWetFilm){0};
}

void rv_wet_volumes(const RvWetFilm* w, double* film, double* absorbed) {
  rv_film_volumes(&w->film, &w->film_state, film, absorbed);
}

//---------------------------------------------------------------------------------------------- loads and forces

// Effective mass (WH-5, WH-18) and the liquid that bridges are made of (WH-6).
RvResult rv_wet_loads(RvWetFilm* w, double dt, RvError* error) {
  const RvWetSettings* s = &w->settings;
  RvFilmStepDef def = rv_wet_film_def(w, dt, w->state->q, w->state->v);
  RvResult result = rv_wet_load_strands(w, &def, error);
  if (result) return result;
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  w->bridges = (RvContactWet){.tension = s->liquid.tension,
                              .angle = s->liquid.angle,
                              .angle_at = s->angle_at,
                              .cohesion = s->cohesion,
                              .area = w->area,
                              .wet = w->air_share,
                              .stronger = s->cohesion_at};
  return RV_OK;
}

// Arguments of the parallel loop: forces, drag coefficients and the velocities that drag leads to.
typedef struct Forces {
  const RvWetFilm* wet;
  double *force, *drag, *velocity;
} Forces;

// Two drags become one of their sum towards the mean of their velocities.
static void add_forces(void* arg, size_t begin, size_t end) {
  const Forces* f = arg;
  const RvWetFilm* w = f->wet;
  const RvCoupleSample* b = w->bulk;
  for (size_t k = begin; k < end; ++k)
    f->force[k] += w->force[k] + w->feedback_impulse[k] / w->dt + w->explicit_drag[k];
  for (size_t k = begin; b && k < end; ++k) {
    if (!(b->drag[k] > 0)) continue;
    double sum = f->drag[k] + b->drag[k];
    f->velocity[k] = (f->drag[k] * f->velocity[k] + b->drag[k] * b->drag_velocity[k]) / sum;
    f->drag[k] = sum;
  }
}

void rv_wet_add_forces(const RvWetFilm* w, double* force, double* drag, double* drag_velocity) {
  Forces f = {w, force, drag, drag_velocity};
  rv_parallel_for(w->strands->unknowns, GRAIN, add_forces, &f);
}

//---------------------------------------------------------------------------------------------- what a step did

// Arguments of the parallel loop over the strands' batches after a step.
typedef struct Step {
  RvWetFilm* wet;
  double dt;
  double follow;  // share by which the drops' acceleration follows in dt
  const double* v_before;
  double* tangent;  // [3 x vertices] at the start; NULL: the film's lag is not asked for
} Step;

// Drops feel the acceleration of their strand smoothed over RV_WET_DROP_TIME.
static void follow_acceleration(const Step* d, size_t begin, size_t end) {
  RvWetFilm* w = d->wet;
  for (size_t k = begin; k < end; ++k) {
    double a = (w->state->v[k] - d->v_before[k]) / d->dt;
    // a strand whose velocity is not a number will be put back, and pulls no drop
    a = isfinite(a) ? rv_clamp(a, -RV_WET_MAX_ACCELERATION, RV_WET_MAX_ACCELERATION) : 0;
    w->drop_acceleration[k] += d->follow * (a - w->drop_acceleration[k]);
  }
}

// The strands' step carries nothing of the submerged film across (E51), though that film counts as moving with them.
// The grid must know the difference in momentum.
static void count_film_lag(const Step* d, const RvStrandBatch* b) {
  RvWetFilm* w = d->wet;
  for (int i = 0; i < b->vertices; ++i)
    for (int lane = 0; lane < b->lanes; ++lane) {
      size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
      size_t at = rv_strand_index(b, lane, i, 0);
      double mass = w->film_share_in_bulk[vertex] * w->film.liquid.density * w->film_state.volume[vertex];
      const double* t = &d->tangent[3 * b->vertex_at + (size_t)(3 * i) * RV_LANES + (size_t)lane];
      if (!(mass > 0)) continue;
      double slides = 0;
      for (size_t c = 0; c < 3; ++c)
        slides += t[c * RV_LANES] * (w->state->v[at + c * RV_LANES] - d->v_before[at + c * RV_LANES]);
      for (size_t c = 0; c < 3; ++c)
        w->film_lag[at + c * RV_LANES] +=
            mass * (w->state->v[at + c * RV_LANES] - d->v_before[at + c * RV_LANES] - slides * t[c * RV_LANES]);
    }
}

// Body of the parallel loop of count_step.
static void count_batches(void* arg, size_t begin, size_t end) {
  const Step* d = arg;
  RvWetFilm* w = d->wet;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->strands->batches[k];
    size_t last = b->at + (size_t)b->vertices * 4 * RV_LANES;
    // drag gave the strands dt (drag (drag_velocity - v) + explicit) in each step, which the liquid pays for (E48)
    for (size_t i = b->at; w->bulk && i < last; ++i) w->mean_velocity[i] += d->dt / w->dt * w->state->v[i];
    follow_acceleration(d, b->at, last);
    if (d->tangent) count_film_lag(d, b);
  }
}

// What the strands' step did, for drops and bulk.
static RvResult count_step(RvWetFilm* w, double dt, const double* x_before, const double* v_before, RvError* error) {
  RvArenaMark mark = rv_arena_mark(w->scratch);
  Step d = {w, dt, 1 - rv_exp(-dt / RV_WET_DROP_TIME), v_before, NULL};
  RvResult result = RV_OK;
  if (w->film_lag && w->bulk && !w->cached) {
    if (!(d.tangent = RV_TAKE(w->scratch, double, 3 * w->strands->vertices)))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", w->strands->nstrand);
    else
      rv_film_tangents(&w->film, x_before, d.tangent);
  }
  if (!result) rv_parallel_for(w->strands->nbatch, 4, count_batches, &d);
  rv_arena_release(w->scratch, mark);
  return result;
}

//---------------------------------------------------------------------------------------------- the film's step

// Flow along the strands (WH-20 to WH-25), with speeds bounded before and after: a step of strands that went wrong must
// not take the film along.
RvResult rv_wet_flow(RvWetFilm* w, double dt, const double* x_before, const double* v_before, RvError* error) {
  RvFilmStepDef def = rv_wet_film_def(w, dt, x_before, v_before);
  rv_wet_bound_speeds(w);
  RvResult result = count_step(w, dt, x_before, v_before, error);
  if (!result) result = rv_film_step(&w->film, &w->film_state, &def, w->impulse, &w->report.film, error);
  rv_wet_bound_speeds(w);
  return result;
}

// Film passes between strands through the bridges of contacts (WH-27).
RvResult rv_wet_across(RvWetFilm* w, double dt, const double* x_before, const double* v_before,
                       const RvContacts* contacts, RvError* error) {
  if (!w->settings.film.transverse || !contacts) return RV_OK;
  RvFilmStepDef def = rv_wet_film_def(w, dt, x_before, v_before);
  // room for all bridges, with some to spare
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
  return rv_film_across(&w->film, &w->film_state, &def, w->across, count, w->impulse, error);
}

// Absorption, evaporation and the impulse of all that the film did to the strands.
RvResult rv_wet_dry(RvWetFilm* w, double dt, const double* x_before, const double* v_before, RvError* error) {
  RvFilmStepDef def = rv_wet_film_def(w, dt, x_before, v_before);
  rv_film_dry(&w->film, &w->film_state, &def, w->impulse, &w->report.film);
  return rv_wet_take_impulse(w, &def, error);
}

//---------------------------------------------------------------------------------------------- painting

// What is painted on is at rest on the strand: speeds fall as masses grow. `before` and `after` [edges] kg.
static void slow_film(RvWetFilm* w, const double* before, const double* after) {
  for (size_t k = 0; k < w->strands->edges; ++k)
    if (after[k] > before[k]) w->film_state.speed[k] *= before[k] / after[k];
}

// m3 that a vertex gains where its film grows by `growth` m of height
static double painted_volume(const RvWetFilm* w, const RvStrandBatch* b, int i, int lane, double growth) {
  const RvStrandModel* m = w->strands;
  size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
  double before = i > 0 ? m->rest_length[b->edge_at + (size_t)(i - 1) * RV_LANES + (size_t)lane] : 0;
  double after = i + 1 < b->vertices ? m->rest_length[b->edge_at + (size_t)i * RV_LANES + (size_t)lane] : 0;
  double height = fmin(rv_film_height(w->area[at], m->radius[at]) + growth, RV_WET_MAX_FILM);
  double grown = rv_film_area(height, m->radius[at]) - w->area[at];
  return fmax(grown, 0) * 0.5 * (before + after) * w->hairs[at];
}

RvResult rv_wet_paint(RvWetFilm* w, const double* rate, double dt, RvError* error) {
  const RvStrandModel* m = w->strands;
  RvArenaMark mark = rv_arena_mark(w->scratch);
  double* masses = RV_TAKE(w->scratch, double, m->edges + 1);
  if (!masses) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", m->nstrand);
  // Heights and masses before; the sum is compensated, since the ledger counts every drop.
  RvSum added = {w->report.added, 0};
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  rv_film_edge_masses(&w->film, &w->film_state, w->state->q, masses);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        if (!(rate[at] > 0)) continue;
        double volume = painted_volume(w, b, i, lane, rate[at] * dt);
        rv_film_gain(&w->film_state, at, volume, w->settings.couple.added_solids);
        rv_sum_add(&added, volume);
      }
  }
  w->report.added = rv_sum_total(&added);
  rv_film_edge_masses(&w->film, &w->film_state, w->state->q, w->turn);
  slow_film(w, masses, w->turn);
  // Painted liquid comes with the strand's motion, not at a velocity of its own: BDF2's history stays as it is.
  w->weighed = false;
  RvResult result = rv_wet_weigh(w, dt, error);
  rv_arena_release(w->scratch, mark);
  return result;
}
