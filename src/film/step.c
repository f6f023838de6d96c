// The film's step: exchange with the strands, tension, transport (WH-19 to WH-26). One batch is one task.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"

typedef struct Outcome {
  double outflow;
  int substeps;  // 0: dry, -1: no memory
  bool limited;
} Outcome;

typedef struct Step {
  const RvFilmModel* m;
  RvFilmState* s;
  const RvFilmStepDef* def;
  double* kick;
  Outcome* out;  // one a batch
} Step;

static size_t work_size(int vertices) {
  return 2 * rv_film_shape_size(vertices) + (size_t)vertices * RV_LANES * 16;
}

static void place(RvFilmWork* w, const Step* step, size_t index, double* room) {
  const RvFilmModel* m = step->m;
  const RvFilmBatch* b = &m->batches[index];
  const RvFilmStepDef* d = step->def;
  size_t n = (size_t)b->vertices * RV_LANES;
  *w = (RvFilmWork){.n = b->vertices,
                    .v_before = d->v_before + b->at,
                    .v = d->v + b->at,
                    .radius = m->radius + b->vertex_at,
                    .hairs = m->hairs + b->vertex_at,
                    .wet = d->wet ? d->wet + b->vertex_at : NULL,
                    .weight = d->weight ? d->weight + b->vertex_at : NULL,
                    .push = d->push ? d->push + b->edge_at : NULL,
                    .volume = step->s->volume + b->vertex_at,
                    .speed = step->s->speed + b->edge_at,
                    .strain = m->liquid.modulus > 0 ? step->s->strain + b->vertex_at : NULL,
                    .kick = step->kick + b->at,
                    .drop = step->s->drop + index * RV_LANES,
                    .drop_momentum = step->s->drop_momentum + 3 * index * RV_LANES,
                    .density = m->liquid.density,
                    .tension = m->liquid.tension,
                    .dt = d->dt,
                    .gravity = {d->gravity[0], d->gravity[1], d->gravity[2]}};
  room = rv_film_shape_place(&w->before, b->vertices, room);
  room = rv_film_shape_place(&w->now, b->vertices, room);
  double** each[] = {&w->hold, &w->stuck, &w->mass,  &w->flux,   &w->flow,
                     &w->spin, &w->most,  &w->upper, &w->upper2, &w->solved};
  for (size_t k = 0; k < sizeof each / sizeof *each; ++k) {
    *each[k] = room;
    room += n;
  }
  w->carried = room;
  w->own = room + 3 * n;
}

static bool dry(const RvFilmWork* w) {
  double most = 0;
  for (int k = 0; k < w->n * RV_LANES; ++k) most = w->volume[k] > most ? w->volume[k] : most;
  return most == 0;
}

// Momentum that stays where it was though its mass moves on: what the seed's authors show to bend hair (WH-26).
static void rescale(const RvFilmWork* w, const double* before) {
  for (int i = 0; i < w->n; ++i)
    for (int c = 0; c < 3; ++c)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        int k = i * RV_LANES + lane, at = (4 * i + c) * RV_LANES + lane;
        w->kick[at] += w->density * (before[k] - w->volume[k]) * w->v[at];
      }
}

static void recombine(const RvFilmWork* w) {
  for (int i = 0; i < w->n; ++i)
    for (int c = 0; c < 3; ++c)
      for (int lane = 0; lane < RV_LANES; ++lane)
        w->kick[(4 * i + c) * RV_LANES + lane] += w->carried[(3 * i + c) * RV_LANES + lane];
}

static void start_transport(const RvFilmWork* w) {
  memcpy(w->most, w->volume, (size_t)w->n * RV_LANES * sizeof(double));
  memset(w->carried, 0, (size_t)w->n * 3 * RV_LANES * sizeof(double));
  for (int i = 0; i < w->n; ++i)
    memcpy(w->own + 3 * i * RV_LANES, w->v + 4 * i * RV_LANES, 3 * RV_LANES * sizeof(double));
}

// as many substeps as keep every cell from giving more than it may
static int count_substeps(const RvFilmWork* w, int most, bool* limited) {
  double courant = RV_KERNEL_CALL(rv_film_courant, (w)) / RV_FILM_COURANT;
  if (most < 1) most = 1;
  *limited = !(courant <= most);
  if (*limited) return most;
  int count = (int)ceil(courant);
  return count < 1 ? 1 : count;
}

static void step_batch(const Step* step, RvFilmWork* w, size_t index) {
  const RvFilmBatch* b = &step->m->batches[index];
  const RvFilmStepDef* d = step->def;
  Outcome* out = &step->out[index];
  RV_KERNEL_CALL(rv_film_shape, (w->n, d->x_before + b->at, &w->before));
  RV_KERNEL_CALL(rv_film_shape, (w->n, d->x + b->at, &w->now));
  rv_film_hold(step->m, b, &d->settings, d->dt, w->volume, w->speed, &w->before, w->hold);
  RV_KERNEL_CALL(rv_film_exchange, (w));
  if (w->tension > 0) RV_KERNEL_CALL(rv_film_tension, (w));
  out->substeps = count_substeps(w, d->settings.most_substeps, &out->limited);
  start_transport(w);
  RV_KERNEL_CALL(rv_film_spin, (w, 1));
  if (d->settings.rescale) memcpy(w->hold, w->volume, (size_t)w->n * RV_LANES * sizeof(double));
  for (int k = 0; k < out->substeps; ++k)
    RV_KERNEL_CALL(rv_film_transport, (w, d->dt / out->substeps, k + 1 == out->substeps));
  RV_KERNEL_CALL(rv_film_settle, (w));
  RV_KERNEL_CALL(rv_film_spin, (w, -1));
  if (d->settings.rescale)
    rescale(w, w->hold);
  else
    recombine(w);
  for (int lane = 0; lane < RV_LANES; ++lane) out->outflow += w->outflow[lane];
}

static void step_batches(void* arg, size_t begin, size_t end) {
  const Step* step = arg;
  int most = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &step->m->batches[k];
    most = b->vertices > most ? b->vertices : most;
  }
  double* room = rv_alloc(work_size(most), sizeof(double));
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &step->m->batches[k];
    RvFilmWork w;
    memset(step->kick + b->at, 0, (size_t)b->vertices * 4 * RV_LANES * sizeof(double));
    if (!room) {
      step->out[k].substeps = -1;
      continue;
    }
    place(&w, step, k, room);
    if (dry(&w))
      memset(w.speed, 0, (size_t)(w.n - 1) * RV_LANES * sizeof(double));
    else
      step_batch(step, &w, k);
  }
  rv_free(room);
}

RvResult rv_film_step(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                      RvFilmReport* report, RvError* error) {
  RvResult result = rv_film_look(model, state, def, error);
  if (result) return result;
  if (def->dt == 0) {
    memset(kick, 0, model->unknowns * sizeof(double));
    return RV_OK;
  }
  Step step = {model, state, def, kick, rv_alloc_zero(model->nbatch, sizeof(Outcome))};
  if (!step.out) return rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the film");
  rv_parallel_for(model->nbatch, 8, step_batches, &step);
  for (size_t k = 0; k < model->nbatch; ++k) {
    const Outcome* o = &step.out[k];
    if (o->substeps < 0) result = rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the film");
    report->substeps = o->substeps > report->substeps ? o->substeps : report->substeps;
    report->limited += o->limited;
    report->outflow += o->outflow;
  }
  rv_free(step.out);
  return result;
}
