// Exchange of volume between the bulk's particles and the film: capture and dripping.
#include <string.h>

#include "base/parallel.h"
#include "wet/film.h"
#include "wet/impulse.h"

// Numbers a task of a parallel loop takes.
enum { GRAIN = 8192 };

// Arguments of the parallel loop: velocities one second earlier at the acceleration that drops feel.
typedef struct Before {
  const RvWetFilm* wet;
  double* v;
} Before;

// Body of the parallel loop of accelerated_strands.
static void extrapolate_back(void* arg, size_t begin, size_t end) {
  const Before* t = arg;
  for (size_t k = begin; k < end; ++k) t->v[k] = t->wet->state->v[k] - t->wet->drop_acceleration[k];
}

// The strands with the acceleration that drops feel: as the velocities of a second ago, taken from the scratch.
static RvResult accelerated_strands(RvWetFilm* w, RvCoupleStrands* out, RvError* error) {
  size_t n = w->strands->unknowns;
  Before before = {w, RV_TAKE(w->scratch, double, n)};
  if (!before.v) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu strands", w->strands->nstrand);
  rv_parallel_for(n, GRAIN, extrapolate_back, &before);
  *out = rv_wet_strands(w);
  out->v_before = before.v;
  out->dt_before = 1;
  return RV_OK;
}

// Moment of inertia of the film about its strand, [edges] kg m2.
static RvResult film_inertia(RvWetFilm* w, double dt, double* turn, RvError* error) {
  RvFilmStepDef def = rv_wet_film_def(w, dt, w->state->q, w->state->v);
  return rv_film_load(&w->film, &w->film_state, &def, NULL, NULL, turn, NULL, error);
}

// Captured liquid does not turn yet: what turned before now turns with it (WH-25). `before` [edges] is the inertia of
// the film that was there.
static void slow_turning(RvWetFilm* w, const double* before) {
  const RvStrandModel* m = w->strands;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int j = 0; j + 1 < b->vertices; ++j)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t edge = b->edge_at + (size_t)j * RV_LANES + (size_t)lane;
        size_t at = rv_strand_index(b, lane, j, 3);
        double gain = w->turn[edge] - before[edge];
        if (gain > 0) w->impulse[at] -= gain * w->state->v[at];
      }
  }
}

// Strands take the impulse of what came to the film or left it.
static RvResult take_exchange(RvWetFilm* w, double dt, RvError* error) {
  RvFilmStepDef def = rv_wet_impulse_def(w, dt);
  return rv_wet_take_impulse(w, &def, error);
}

// Capture of particles by strands, and its impulse (WH-31, WH-32, E42).
static RvResult capture(RvWetFilm* w, RvParticles* particles, double dt, bool* any, RvError* error) {
  RvCoupleReport* report = &w->report.couple;
  size_t before = report->captured;
  double returned = report->returned_volume;
  RvCoupleStrands strands;
  RvResult result = accelerated_strands(w, &strands, error);
  if (result) return result;
  strands.air = w->exchange_air;
  double* turn = RV_TAKE(w->scratch, double, w->strands->edges);
  if (!turn) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
  rv_wet_clear(w->impulse, w->strands->unknowns);
  result = film_inertia(w, dt, turn, error);
  if (result) return result;
  // cached liquid shrinks too: its keeper remembers what is left
  RvCoupleSettings settings = rv_wet_couple_settings(w);
  settings.bulk_fixed = false;
  // rows of cached particles are points of the cache, and none of them is a drop of these strands
  if (particles != &w->liquid->particles) {
    settings.drip_row = -1;
    settings.drop_kind = NULL;
  }
  result = rv_couple_capture(w->couple, &strands, &settings, &w->liquid->grid, particles, dt, w->drop_seed, w->impulse,
                             report, error);
  if (result || (report->captured == before && report->returned_volume == returned)) return result;
  // What came does not turn yet.
  *any = true;
  result = film_inertia(w, dt, w->turn, error);
  if (result) return result;
  slow_turning(w, turn);
  return take_exchange(w, dt, error);
}

// Nothing is taken from the scratch memory where nothing can be captured.
RvResult rv_wet_capture(RvWetFilm* w, RvParticles* particles, double dt, bool* any, RvError* error) {
  if (!particles->count || !w->strands->nstrand) return RV_OK;
  RvArenaMark mark = rv_arena_mark(w->scratch);
  RvResult result = capture(w, particles, dt, any, error);
  rv_arena_release(w->scratch, mark);
  return result;
}

// Drops leave strands that carry more than they hold (WH-28 to WH-30), each with an id and a random place of its own.
static RvResult drip(RvWetFilm* w, double dt, bool* any, RvError* error) {
  RvCoupleReport* report = &w->report.couple;
  size_t before = report->dripped;
  RvCoupleStrands strands;
  RvResult result = accelerated_strands(w, &strands, error);
  if (result) return result;
  rv_wet_clear(w->impulse, w->strands->unknowns);
  RvCoupleSettings settings = rv_wet_couple_settings(w);
  RvLiquid* l = w->liquid;
  result = rv_couple_drip(w->couple, &strands, &settings, &l->grid, &l->particles, &l->next_id, w->drip_row, dt,
                          w->drop_seed++, w->impulse, report, error);
  *any |= !result && report->dripped != before;
  return result;
}

RvResult rv_wet_drip(RvWetFilm* w, double dt, bool* any, RvError* error) {
  if (!(w->settings.couple.drip > 0) || !w->strands->nstrand) return RV_OK;
  RvArenaMark mark = rv_arena_mark(w->scratch);
  bool dripped = false;
  RvResult result = drip(w, dt, &dripped, error);
  rv_arena_release(w->scratch, mark);
  if (dripped && !result) result = take_exchange(w, dt, error);
  *any |= dripped;
  return result;
}
