#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

bool rv_film_state_init(RvFilmState* state, const RvFilmModel* model) {
  size_t lanes = model->nbatch * RV_LANES;
  *state = (RvFilmState){.volume = rv_alloc_zero(model->vertices, sizeof(double)),
                         .absorbed = rv_alloc_zero(model->vertices, sizeof(double)),
                         .speed = rv_alloc_zero(model->edges, sizeof(double)),
                         .strain = rv_alloc_zero(model->vertices, sizeof(double)),
                         .drop = rv_alloc_zero(lanes, sizeof(double)),
                         .drop_momentum = rv_alloc_zero(3 * lanes, sizeof(double))};
  if (state->volume && state->absorbed && state->speed && state->strain && state->drop && state->drop_momentum)
    return true;
  rv_film_state_free(state);
  return false;
}

void rv_film_state_free(RvFilmState* state) {
  rv_free(state->volume);
  rv_free(state->absorbed);
  rv_free(state->speed);
  rv_free(state->strain);
  rv_free(state->drop);
  rv_free(state->drop_momentum);
  *state = (RvFilmState){0};
}

// The order is that of the memory, for any number of workers.
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

static bool numbers(const double* a, size_t count) {
  // a sum of zeros is one unless some number is none; infinities give none too. Several at a time, as sums wait.
  double sum[RV_LANES] = {0}, all = 0;
  size_t whole = count - count % RV_LANES;
  for (size_t i = 0; i < whole; i += RV_LANES)
    for (size_t lane = 0; lane < RV_LANES; ++lane) sum[lane] += 0 * a[i + lane];
  for (size_t i = whole; i < count; ++i) all += 0 * a[i];
  for (size_t lane = 0; lane < RV_LANES; ++lane) all += sum[lane];
  return all == 0;
}

static bool amounts(const double* a, size_t count) {
  bool good = numbers(a, count);
  for (size_t i = 0; i < count; ++i) good &= !(a[i] < 0);
  return good;
}

static RvResult look_settings(const RvFilmStepDef* d, RvError* error) {
  const RvFilmSettings* s = &d->settings;
  if (!(d->dt >= 0 && d->dt < INFINITY))
    return rv_fail(error, RV_BAD_INPUT, "the film's step of %g s is no time", d->dt);
  if (!numbers(d->gravity, 3)) return rv_fail(error, RV_BAD_INPUT, "gravity on the film is no number");
  const double all[] = {s->friction, s->slip, s->absorption, s->saturation, s->drying};
  if (!amounts(all, sizeof all / sizeof *all))
    return rv_fail(error, RV_BAD_INPUT,
                   "friction, slip, absorption, saturation and drying of the film must be 0 or more");
  return RV_OK;
}

typedef struct Look {
  const RvFilmModel* m;
  const RvFilmState* s;
  const RvFilmStepDef* d;
} Look;

// what is wrong with a batch; NULL: nothing
static const char* look_batch(const Look* l, size_t k) {
  const RvFilmBatch* b = &l->m->batches[k];
  const RvFilmState* s = l->s;
  const RvFilmStepDef* d = l->d;
  if (b->vertices < 2) return "film needs strands of 2 vertices or more";
  size_t n = (size_t)b->vertices * RV_LANES, edges = n - RV_LANES;
  if (!amounts(s->volume + b->vertex_at, n) || !amounts(s->absorbed + b->vertex_at, n) ||
      !amounts(s->drop + k * RV_LANES, RV_LANES))
    return "a volume of film is below 0 or no number";
  if (!numbers(s->speed + b->edge_at, edges) || !numbers(s->drop_momentum + 3 * k * RV_LANES, (size_t)3 * RV_LANES))
    return "a speed of film is no number";
  if (!numbers(d->x_before + b->at, 4 * n) || !numbers(d->v_before + b->at, 4 * n) || !numbers(d->x + b->at, 4 * n) ||
      !numbers(d->v + b->at, 4 * n))
    return "strands under film have places or velocities that are no numbers";
  if (d->wet && !amounts(d->wet + b->vertex_at, n)) return "the share of film that moves with the strand is no number";
  if (d->push && !numbers(d->push + b->edge_at, edges)) return "what pushes the film is no number";
  return NULL;
}

static double look_batches(void* arg, size_t begin, size_t end) {
  double wrong = 0;
  for (size_t k = begin; k < end; ++k) wrong += look_batch(arg, k) ? 1 : 0;
  return wrong;
}

RvResult rv_film_look(const RvFilmModel* m, const RvFilmState* s, const RvFilmStepDef* d, RvError* error) {
  RvResult result = look_settings(d, error);
  if (result) return result;
  const RvFilmLiquid* l = &m->liquid;
  if (!(l->density > 0 && l->density < INFINITY && l->tension >= 0 && l->tension < INFINITY && l->consistency >= 0 &&
        l->consistency < INFINITY))
    return rv_fail(error, RV_BAD_INPUT, "the film's liquid has density %g, tension %g, consistency %g", l->density,
                   l->tension, l->consistency);
  Look look = {m, s, d};
  if (rv_parallel_sum(m->nbatch, 32, look_batches, &look) == 0) return RV_OK;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const char* wrong = look_batch(&look, k);
    if (wrong) return rv_fail(error, RV_BAD_INPUT, "%s (batch %zu)", wrong, k);
  }
  return RV_OK;
}
