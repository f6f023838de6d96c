#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "film/work.h"
#include "math/ldlt.h"

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
  rv_free(state->volume), rv_free(state->absorbed), rv_free(state->speed), rv_free(state->strain);
  rv_free(state->drop), rv_free(state->drop_momentum);
  *state = (RvFilmState){0};
}

// Pairwise within a batch's block, then batch after batch: the order is that of the memory, for any number of workers.
void rv_film_volumes(const RvFilmModel* model, const RvFilmState* state, double* film, double* absorbed) {
  *film = *absorbed = 0;
  for (size_t k = 0; k < model->nbatch; ++k) {
    const RvFilmBatch* b = &model->batches[k];
    double wet = 0, in = 0;
    for (size_t i = 0; i < (size_t)b->vertices * RV_LANES; ++i)
      wet += state->volume[b->vertex_at + i], in += state->absorbed[b->vertex_at + i];
    for (size_t lane = 0; lane < RV_LANES; ++lane) wet += state->drop[k * RV_LANES + lane];
    *film += wet, *absorbed += in;
  }
}

static bool numbers(const double* a, size_t count) {
  // a sum of zeros is one unless some number is none; infinities give none too
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += 0 * a[i];
  return sum == 0;
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

RvResult rv_film_look(const RvFilmModel* m, const RvFilmState* s, const RvFilmStepDef* d, RvError* error) {
  RvResult result = look_settings(d, error);
  if (result) return result;
  const RvFilmLiquid* l = &m->liquid;
  if (!(l->density > 0 && l->density < INFINITY && l->tension >= 0 && l->tension < INFINITY && l->consistency >= 0 &&
        l->consistency < INFINITY))
    return rv_fail(error, RV_BAD_INPUT, "the film's liquid has density %g, tension %g, consistency %g", l->density,
                   l->tension, l->consistency);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvFilmBatch* b = &m->batches[k];
    if (b->vertices < 2) return rv_fail(error, RV_BAD_INPUT, "film needs strands of 2 vertices or more");
    size_t n = (size_t)b->vertices * RV_LANES, edges = n - RV_LANES;
    if (!amounts(s->volume + b->vertex_at, n) || !amounts(s->absorbed + b->vertex_at, n) ||
        !amounts(s->drop + k * RV_LANES, RV_LANES))
      return rv_fail(error, RV_BAD_INPUT, "a volume of film is below 0 or no number (batch %zu)", k);
    if (!numbers(s->speed + b->edge_at, edges) || !numbers(s->drop_momentum + 3 * k * RV_LANES, (size_t)3 * RV_LANES))
      return rv_fail(error, RV_BAD_INPUT, "a speed of film is no number (batch %zu)", k);
    if (!numbers(d->x_before + b->at, 4 * n) || !numbers(d->v_before + b->at, 4 * n) || !numbers(d->x + b->at, 4 * n) ||
        !numbers(d->v + b->at, 4 * n))
      return rv_fail(error, RV_BAD_INPUT,
                     "strands under film have places or velocities that are no numbers (batch %zu)", k);
    if (d->push && !numbers(d->push + b->edge_at, edges))
      return rv_fail(error, RV_BAD_INPUT, "what pushes the film is no number (batch %zu)", k);
  }
  return RV_OK;
}
