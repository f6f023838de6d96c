// The film's state, its volumes, and the validation of its input.
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

enum { VALIDATE_GRAIN = 8 };  // batches of a parallel task

// An array with one value.
static double* filled(size_t count, double value) {
  double* a = rv_alloc(count, sizeof *a);
  for (size_t i = 0; a && i < count; ++i) a[i] = value;
  return a;
}

bool rv_film_state_init(RvFilmState* state, const RvFilmModel* model) {
  size_t lanes = model->nbatch * RV_LANES;
  *state = (RvFilmState){.volume = rv_alloc_zero(model->vertices, sizeof(double)),
                         .absorbed = rv_alloc_zero(model->vertices, sizeof(double)),
                         .speed = rv_alloc_zero(model->edges, sizeof(double)),
                         .strain = rv_alloc_zero(model->vertices, sizeof(double)),
                         .drop = rv_alloc_zero(lanes, sizeof(double)),
                         .drop_momentum = rv_alloc_zero(3 * lanes, sizeof(double))};
  bool made = state->volume && state->absorbed && state->speed && state->strain && state->drop && state->drop_momentum;
  if (made && model->liquid.solids > 0) {
    state->solids = filled(model->vertices, model->liquid.solids);
    state->drop_solids = filled(lanes, model->liquid.solids);
    made = state->solids && state->drop_solids;
  }
  if (!made) rv_film_state_free(state);
  return made;
}

void rv_film_state_free(RvFilmState* state) {
  RV_FREE_ALL(state->volume, state->absorbed, state->speed, state->strain, state->drop, state->drop_momentum,
              state->solids, state->drop_solids);
  *state = (RvFilmState){0};
}

// Sums go in the order of the arrays, so they do not depend on the number of threads.
void rv_film_volumes(const RvFilmModel* model, const RvFilmState* state, double* film, double* absorbed) {
  RvSum all = {0}, inside = {0};
  for (size_t k = 0; k < model->nbatch; ++k) {
    const RvFilmBatch* b = &model->batches[k];
    for (size_t i = 0; i < (size_t)b->vertices * RV_LANES; ++i) {
      rv_sum_add(&all, state->volume[b->vertex_at + i]);
      rv_sum_add(&inside, state->absorbed[b->vertex_at + i]);
    }
    for (size_t lane = 0; lane < RV_LANES; ++lane) rv_sum_add(&all, state->drop[k * RV_LANES + lane]);
  }
  *film = rv_sum_total(&all);
  *absorbed = rv_sum_total(&inside);
}

// Whether all numbers are finite: 0 * a is 0 for finite a and NaN otherwise, so the sum tells. It goes in RV_LANES
// independent sums, as one sum would wait for each addition.
static bool all_finite(const double* a, size_t count) {
  double sum[RV_LANES] = {0}, all = 0;
  size_t whole = count - count % RV_LANES;
  for (size_t i = 0; i < whole; i += RV_LANES)
    for (size_t lane = 0; lane < RV_LANES; ++lane) sum[lane] += 0 * a[i + lane];
  for (size_t i = whole; i < count; ++i) all += 0 * a[i];
  for (size_t lane = 0; lane < RV_LANES; ++lane) all += sum[lane];
  return all == 0;
}

// Whether all numbers are finite and not negative.
static bool all_amounts(const double* a, size_t count) {
  bool good = all_finite(a, count);
  for (size_t i = 0; i < count; ++i) good &= !(a[i] < 0);
  return good;
}

// Refuses a step or settings without meaning.
static RvResult validate_settings(const RvFilmStepDef* d, RvError* error) {
  const RvFilmSettings* s = &d->settings;
  if (!(d->dt >= 0 && d->dt < INFINITY))
    return rv_fail(error, RV_BAD_INPUT, "film: the step of %g s must be finite and not negative", d->dt);
  if (!all_finite(d->gravity, 3)) return rv_fail(error, RV_BAD_INPUT, "film: gravity must be finite numbers");
  const double all[] = {s->friction, s->slip, s->absorption, s->saturation, s->drying};
  if (!all_amounts(all, sizeof all / sizeof *all))
    return rv_fail(error, RV_BAD_INPUT, "film: friction, slip, absorption, saturation and drying must be 0 or more");
  return RV_OK;
}

typedef struct Input {
  const RvFilmModel* m;
  const RvFilmState* s;
  const RvFilmStepDef* d;
} Input;

// What is wrong with a batch; NULL: nothing.
static const char* batch_fault(const Input* l, size_t k) {
  const RvFilmBatch* b = &l->m->batches[k];
  const RvFilmState* s = l->s;
  const RvFilmStepDef* d = l->d;
  if (b->vertices < 2) return "film: strands need 2 points or more";
  size_t n = (size_t)b->vertices * RV_LANES, edges = n - RV_LANES;
  if (!all_amounts(s->volume + b->vertex_at, n) || !all_amounts(s->absorbed + b->vertex_at, n) ||
      !all_amounts(s->drop + k * RV_LANES, RV_LANES))
    return "film: a volume is negative or not a finite number";
  if (!all_finite(s->speed + b->edge_at, edges) ||
      !all_finite(s->drop_momentum + 3 * k * RV_LANES, (size_t)3 * RV_LANES))
    return "film: a speed is not a finite number";
  if (!all_finite(d->x_before + b->at, 4 * n) || !all_finite(d->v_before + b->at, 4 * n) ||
      !all_finite(d->x + b->at, 4 * n) || !all_finite(d->v + b->at, 4 * n))
    return "film: a strand's position or velocity is not a finite number";
  if (d->wet && !all_amounts(d->wet + b->vertex_at, n))
    return "film: the share that moves with the strand is negative or not a finite number";
  return NULL;
}

// Number of faulty batches.
static double count_faults(void* arg, size_t begin, size_t end) {
  double faults = 0;
  for (size_t k = begin; k < end; ++k) faults += batch_fault(arg, k) ? 1 : 0;
  return faults;
}

RvResult rv_film_validate(const RvFilmModel* m, const RvFilmState* s, const RvFilmStepDef* d, RvError* error) {
  RvResult result = validate_settings(d, error);
  if (result) return result;
  const RvFilmLiquid* l = &m->liquid;
  if (!(l->density > 0 && l->density < INFINITY && l->tension >= 0 && l->tension < INFINITY && l->consistency >= 0 &&
        l->consistency < INFINITY))
    return rv_fail(error, RV_BAD_INPUT,
                   "film: the liquid's density %g must be above 0, its tension %g and viscosity %g not below",
                   l->density, l->tension, l->consistency);
  Input input = {m, s, d};
  if (rv_parallel_sum(m->nbatch, VALIDATE_GRAIN, count_faults, &input) == 0) return RV_OK;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const char* fault = batch_fault(&input, k);
    if (fault) return rv_fail(error, RV_BAD_INPUT, "%s (batch %zu)", fault, k);
  }
  return RV_OK;
}
