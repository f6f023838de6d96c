#include "wet/kick.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

RvFilmStepDef rv_wet_film_def(const RvWet* w, double dt, const double* x_before, const double* v_before) {
  RvFilmStepDef d = {.dt = dt,
                     .x_before = x_before,
                     .v_before = v_before,
                     .x = w->state->q,
                     .v = w->state->v,
                     .wet = w->settings.couple.film_in_bulk ? w->moves : NULL,
                     .weight = w->settings.couple.film_in_bulk ? w->hangs : w->wet,
                     .settings = w->settings.film,
                     .scratch = w->scratch};
  memcpy(d.gravity, w->settings.gravity, sizeof d.gravity);
  d.settings.angle_at = w->settings.angle_at;
  return d;
}

static void set_masses(RvWet* w) {
  rv_strand_set_load(w->strands, w->load);
  rv_strand_set_turn(w->strands, w->turn);
}

void rv_wet_load_now(RvWet* w, const RvFilmStepDef* def) {
  memset(w->force, 0, w->strands->unknowns * sizeof(double));
  rv_film_load(&w->film, &w->film_state, def, w->load, w->slide, w->turn, w->force);
  set_masses(w);
}

// masses with all of the film, whatever the bulk carries of it
static void load_all(RvWet* w, const RvFilmStepDef* def) {
  RvFilmStepDef now = *def;
  now.wet = NULL;
  rv_film_load(&w->film, &w->film_state, &now, w->load, NULL, w->turn, NULL);
  set_masses(w);
}

// Liquid that runs from a thick part of the film to a thin one would turn there as many times faster as the square of
// the radii (WH-25); a film that slips on its fibre does no such thing. What is beyond the fastest turning around is
// lost to friction within it. `kick` holds velocities.
static void bound_turning(RvWet* w, const RvStrandBatch* b) {
  const double* v = w->state->v;
  for (int j = 0; j + 1 < b->vertices; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t at = rv_strand_index(b, lane, j, 3);
      double most = fabs(v[at]), now = v[at];
      if (j > 0) most = fmax(most, fabs(v[at - 4 * RV_LANES]));
      if (j + 2 < b->vertices) most = fmax(most, fabs(v[at + 4 * RV_LANES]));
      w->kick[at] = fmax(-most, fmin(most, now + w->kick[at])) - now;
    }
}

// BDF2 goes on with M (3 v - v_before) / 2 as the momentum; what came or left has no share in the change v - v_before,
// which was that of the old mass: M (v - v_before) stays, so that a drop that lands on a hair that swings gets nothing
// of the swing (E42). Mass that leaves may make it at most twice as large.
static void keep_history(RvWet* w, const RvStrandBatch* b, double dt) {
  const RvStrandModel* m = w->strands;
  RvStrandState* s = w->state;
  for (int row = 0; row < 4 * b->vertices - 1; ++row) {
    size_t first = (size_t)(row / 4) * RV_LANES;
    const double *hair = row % 4 < 3 ? m->hair_mass + b->vertex_at + first : m->hair_turn + b->edge_at + first,
                 *was = row % 4 < 3 ? w->load_was + b->vertex_at + first : w->turn_was + b->edge_at + first;
    for (size_t lane = 0; lane < RV_LANES; ++lane) {
      size_t k = b->at + (size_t)row * RV_LANES + lane;
      double part = m->mass[k] > 0 ? fmin((hair[lane] + was[lane]) / m->mass[k], 2) : 1;
      double change = m->free[k] == 0 ? 0 : (1 - part) * (s->v[k] - s->v_before[k]);
      s->v_before[k] += change;
      s->q_before[k] -= 0.5 * dt * change;
    }
  }
}

static void keep_weight(RvWet* w, const RvStrandBatch* b) {
  size_t vertices = (size_t)b->vertices * RV_LANES, edges = vertices - RV_LANES;
  memcpy(w->load_was + b->vertex_at, w->load + b->vertex_at, vertices * sizeof(double));
  memcpy(w->turn_was + b->edge_at, w->turn + b->edge_at, edges * sizeof(double));
}

// `kick` becomes that of velocities; gives how many are not taken
static size_t to_velocities(RvWet* w, const RvStrandBatch* b) {
  const double* mass = w->strands->mass;
  size_t wild = 0;
  for (int row = 0; row < 4 * b->vertices; ++row)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = b->at + (size_t)row * RV_LANES + (size_t)lane;
      double dv = mass[k] > 0 ? w->kick[k] / mass[k] : 0;
      // no liquid does that: a step went wrong, and shall not take the strand with it
      // (turning has a bound of its own)
      bool bad = row % 4 < 3 ? !(fabs(dv) < RV_WET_MOST_KICK) : !isfinite(dv);
      wild += bad;
      w->kick[k] = bad ? 0 : dv;
    }
  return wild;
}

typedef struct Kick {
  RvWet* wet;
  double dt;
} Kick;

static double kick_batches(void* arg, size_t begin, size_t end) {
  const Kick* kick = arg;
  RvWet* w = kick->wet;
  size_t wild = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->strands->batches[k];
    if (w->state->has_before) keep_history(w, b, kick->dt);
    keep_weight(w, b);
    wild += to_velocities(w, b);
    bound_turning(w, b);
    rv_strand_kick_batch(w->strands, w->state, b, kick->dt, w->kick);
  }
  return (double)wild;
}

// The mass is that with all of the film as it is now: what the bulk carried of it (E51) comes to rest on the strand
// again, whatever was the lighter.
void rv_wet_take_kick(RvWet* w, const RvFilmStepDef* def) {
  Kick kick = {w, def->dt};
  load_all(w, def);
  w->report.wild += (size_t)rv_parallel_sum(w->strands->nbatch, 16, kick_batches, &kick);
}

void rv_wet_weigh(RvWet* w, double dt) {
  RvFilmStepDef def = rv_wet_film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
  load_all(w, &def);
  for (size_t k = 0; k < w->strands->nbatch; ++k) keep_weight(w, &w->strands->batches[k]);
  w->weighed = true;
}
