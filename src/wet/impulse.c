#include "wet/impulse.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

// The hairs around a place are counted anew in every fourth substep: strands move less than their reach meanwhile.
enum { COUNT_EVERY = 4 };
// kg m/s below which a drop's momentum is rounding, whatever the drop's size
static const double DROP_MOMENTUM_FLOOR = 1e-12;
// Mass that leaves may raise the change of velocity that BDF2 remembers at most so many times.
static const double MAX_HISTORY_GAIN = 2;

RvFilmStepDef rv_wet_film_def(const RvWetFilm* w, double dt, const double* x_before, const double* v_before) {
  bool shared = w->settings.couple.film_in_bulk;
  RvFilmStepDef d = {.dt = dt,
                     .x_before = x_before,
                     .v_before = v_before,
                     .x = w->state->q,
                     .v = w->state->v,
                     .wet = shared ? w->film_share_on_strand : NULL,
                     .weight = shared ? w->unsupported_weight_share : w->air_share,
                     .suction = w->suction,
                     .free_area = w->bundle_area,
                     .bundled = w->bundled,
                     .settings = w->settings.film,
                     .scratch = w->scratch};
  memcpy(d.gravity, w->settings.gravity, sizeof d.gravity);
  d.settings.angle_at = w->settings.angle_at;
  return d;
}

RvFilmStepDef rv_wet_impulse_def(const RvWetFilm* w, double dt) {
  return rv_wet_film_def(w, w->dt_before > 0 ? w->dt_before : dt, w->state->q, w->state->v);
}

RvCoupleStrands rv_wet_strands(const RvWetFilm* w) {
  RvCoupleStrands c = {.model = w->strands,
                       .film = &w->film,
                       .film_state = (RvFilmState*)&w->film_state,
                       .q = w->state->q,
                       .v = w->state->v,
                       .hairs = w->multiple,
                       .pose_key = w->pose_key};
  memcpy(c.offset, w->offset, sizeof c.offset);
  return c;
}

// Between two poses lies half a substep.
RvCoupleSettings rv_wet_couple_settings(const RvWetFilm* w) {
  RvCoupleSettings s = w->settings.couple;
  s.angle = w->settings.liquid.angle;
  s.angle_at = w->settings.angle_at;
  s.drip_row = w->drip_row;
  s.drop_kind = w->drop_kind;
  s.count_key = (w->pose_key > 0 ? w->pose_key - 1 : 0) / (2 * COUNT_EVERY) + 1;
  return s;
}

//---------------------------------------------------------------------------------------------- masses

// Mass and inertia of hair with its film.
static void set_masses(RvWetFilm* w) {
  rv_strand_set_load(w->strands, w->load);
  rv_strand_set_turn(w->strands, w->turn);
}

RvResult rv_wet_load_strands(RvWetFilm* w, const RvFilmStepDef* def, RvError* error) {
  rv_wet_clear(w->force, w->strands->unknowns);
  RvResult result = rv_film_load(&w->film, &w->film_state, def, w->load, w->slide, w->turn, w->force, error);
  if (!result) set_masses(w);
  return result;
}

// Masses with all of the film, whatever part of it the bulk carries.
static RvResult load_all(RvWetFilm* w, const RvFilmStepDef* def, RvError* error) {
  RvFilmStepDef whole = *def;
  whole.wet = NULL;
  RvResult result = rv_film_load(&w->film, &w->film_state, &whole, w->load, NULL, w->turn, NULL, error);
  if (!result) set_masses(w);
  return result;
}

// Keeps the loads of a batch: the next change of mass is relative to them.
static void keep_weight(RvWetFilm* w, const RvStrandBatch* b) {
  size_t vertices = (size_t)b->vertices * RV_LANES, edges = vertices - RV_LANES;
  memcpy(w->load_before + b->vertex_at, w->load + b->vertex_at, vertices * sizeof(double));
  memcpy(w->turn_before + b->edge_at, w->turn + b->edge_at, edges * sizeof(double));
}

RvResult rv_wet_weigh(RvWetFilm* w, double dt, RvError* error) {
  if (w->weighed) return RV_OK;
  RvFilmStepDef def = rv_wet_impulse_def(w, dt);
  RvResult result = load_all(w, &def, error);
  if (result) return result;
  for (size_t k = 0; k < w->strands->nbatch; ++k) keep_weight(w, &w->strands->batches[k]);
  w->weighed = true;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- impulses

// Liquid that runs from a thick part of the film to a thin one would turn there faster by the square of the radii
// (WH-25); a film that slips on its fibre does not. What is beyond the fastest turning around it is lost to friction
// within the film. `impulse` holds velocities here.
static void bound_turning(RvWetFilm* w, const RvStrandBatch* b) {
  const double* v = w->state->v;
  for (int j = 0; j + 1 < b->vertices; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t at = rv_strand_index(b, lane, j, 3);
      double fastest = fabs(v[at]), now = v[at];
      if (j > 0) fastest = fmax(fastest, fabs(v[at - 4 * RV_LANES]));
      if (j + 2 < b->vertices) fastest = fmax(fastest, fabs(v[at + 4 * RV_LANES]));
      w->impulse[at] = fmax(-fastest, fmin(fastest, now + w->impulse[at])) - now;
    }
}

// BDF2 takes M (3 v - v_before) / 2 as the momentum; what came or left has no share in the change v - v_before, which
// was that of the old mass: M (v - v_before) stays, so that a drop that lands on a swinging hair gets nothing of the
// swing (E42).
static void keep_history(RvWetFilm* w, const RvStrandBatch* b, double dt) {
  const RvStrandModel* m = w->strands;
  RvStrandState* s = w->state;
  for (int row = 0; row < 4 * b->vertices - 1; ++row) {
    size_t first = (size_t)(row / 4) * RV_LANES;
    bool place = row % 4 < 3;
    const double* hair = place ? m->hair_mass + b->vertex_at + first : m->hair_turn + b->edge_at + first;
    const double* before = place ? w->load_before + b->vertex_at + first : w->turn_before + b->edge_at + first;
    for (size_t lane = 0; lane < RV_LANES; ++lane) {
      size_t k = b->at + (size_t)row * RV_LANES + lane;
      double part = m->mass[k] > 0 ? fmin((hair[lane] + before[lane]) / m->mass[k], MAX_HISTORY_GAIN) : 1;
      double change = m->free[k] == 0 ? 0 : (1 - part) * (s->v[k] - s->v_before[k]);
      s->v_before[k] += change;
      s->q_before[k] -= 0.5 * dt * change;
    }
  }
}

// `impulse` becomes changes of velocity. Those that no liquid causes come from a step that went wrong and shall not
// take the strand with it: they become 0. Returns their number. Turning has a bound of its own.
static size_t to_velocities(RvWetFilm* w, const RvStrandBatch* b) {
  const double* mass = w->strands->mass;
  size_t refused = 0;
  for (int row = 0; row < 4 * b->vertices; ++row)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = b->at + (size_t)row * RV_LANES + (size_t)lane;
      double dv = mass[k] > 0 ? w->impulse[k] / mass[k] : 0;
      bool bad = row % 4 < 3 ? !(fabs(dv) < RV_WET_MAX_KICK) : !isfinite(dv);
      refused += bad;
      w->impulse[k] = bad ? 0 : dv;
    }
  return refused;
}

// Arguments of the parallel sum of rv_wet_take_impulse.
typedef struct Take {
  RvWetFilm* wet;
  double dt;
} Take;

// Body of that sum: history, then velocities; returns how many changes were refused.
static double take_batches(void* arg, size_t begin, size_t end) {
  const Take* take = arg;
  RvWetFilm* w = take->wet;
  size_t refused = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->strands->batches[k];
    if (w->state->has_before) keep_history(w, b, take->dt);
    keep_weight(w, b);
    refused += to_velocities(w, b);
    bound_turning(w, b);
    rv_strand_kick_batch(w->strands, w->state, b, take->dt, w->impulse);
  }
  return (double)refused;
}

// The mass is that with all of the film as it is now: what the bulk carried of it (E51) comes to rest on the strand
// again, whatever was the lighter.
RvResult rv_wet_take_impulse(RvWetFilm* w, const RvFilmStepDef* def, RvError* error) {
  Take take = {w, def->dt};
  RvResult result = load_all(w, def, error);
  if (!result) w->report.refused += (size_t)rv_parallel_sum(w->strands->nbatch, 16, take_batches, &take);
  return result;
}

//---------------------------------------------------------------------------------------------- bounds

// Body of the parallel sum of rv_wet_bound_speeds: speeds and momenta that no liquid has become 0.
static double bound_batches(void* arg, size_t begin, size_t end) {
  const RvWetFilm* w = arg;
  double density = w->film.liquid.density;
  size_t refused = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &w->film.batches[k];
    // speeds along the edges
    for (size_t i = b->edge_at; i < b->edge_at + (size_t)(b->vertices - 1) * RV_LANES; ++i) {
      bool bad = !(fabs(w->film_state.speed[i]) < RV_WET_MAX_KICK);
      refused += bad;
      w->film_state.speed[i] = bad ? 0 : w->film_state.speed[i];
    }
    // momenta of the drops at the tips
    for (size_t i = 0; i < 3 * RV_LANES; ++i) {
      double* momentum = &w->film_state.drop_momentum[3 * k * RV_LANES + i];
      double drop = w->film_state.drop[k * RV_LANES + i % RV_LANES];
      bool bad = !(fabs(*momentum) <= RV_WET_MAX_KICK * density * drop + DROP_MOMENTUM_FLOOR);
      refused += bad;
      if (bad) *momentum = 0;
    }
  }
  return (double)refused;
}

void rv_wet_bound_speeds(RvWetFilm* w) {
  w->report.refused += (size_t)rv_parallel_sum(w->film.nbatch, 8, bound_batches, w);
}
