// What the strands' step must know of the film (WH-5, E43, E51).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

typedef struct Load {
  const RvFilmModel* m;
  const RvFilmState* s;
  const RvFilmStepDef* def;
  double *load, *slide, *turn, *force;
} Load;

// t . g and the momentum m (share u t) of the vertex's film along its tangent
static double flowing(const RvFilmShape* s, const double* speed, int n, int i, int lane) {
  size_t k = (size_t)i * RV_LANES + (size_t)lane, k3 = (size_t)(3 * i) * RV_LANES + (size_t)lane;
  double sum = 0, share = s->share[k];
  for (size_t c = 0; c < 3; ++c) {
    double t = s->along[k3 + c * RV_LANES];
    if (i > 0) sum += (1 - share) * speed[k - RV_LANES] * t * s->tangent[k3 - 3 * RV_LANES + c * RV_LANES];
    if (i + 1 < n) sum += share * speed[k] * t * s->tangent[k3 + c * RV_LANES];
  }
  return sum;
}

static void load_mass(const Load* l, const RvFilmBatch* b, size_t batch) {
  double density = l->m->liquid.density;
  for (size_t at = b->vertex_at; at < b->vertex_at + (size_t)b->vertices * RV_LANES; ++at)
    l->load[at] = (l->def->wet ? l->def->wet[at] : 1) * (density * l->s->volume[at]) + density * l->s->absorbed[at];
  // a drop hangs on the tip and goes where it goes
  for (int lane = 0; lane < RV_LANES; ++lane)
    l->load[b->vertex_at + (size_t)((b->vertices - 1) * RV_LANES + lane)] +=
        density * l->s->drop[batch * RV_LANES + (size_t)lane];
}

// what flows along: what of it slides, and the force on the strand
static void load_vertex(const Load* l, const RvFilmBatch* b, const RvFilmShape* s, const double* hold, int i,
                        int lane) {
  size_t k = (size_t)i * RV_LANES + (size_t)lane, at = b->vertex_at + k, k3 = (size_t)(3 * i) * RV_LANES + (size_t)lane;
  const RvFilmStepDef* d = l->def;
  double density = l->m->liquid.density, film = density * l->s->volume[at], wet = d->wet ? d->wet[at] : 1;
  double slides = (1 - hold[k]) * wet * film, root = sqrt(slides), falls = 0;
  double weight = d->weight ? d->weight[at] : 1;
  double flow = film * flowing(s, l->s->speed + b->edge_at, b->vertices, i, lane);
  for (size_t c = 0; c < 3; ++c) falls += s->along[k3 + c * RV_LANES] * d->gravity[c];
  // the weight that the bulk bears, that along the tangent which the strand does not hold, and what friction takes of
  // the flow
  double along = (d->dt > 0 ? hold[k] * flow / d->dt : 0) - slides * weight * falls, borne = (1 - weight) * wet * film;
  for (size_t c = 0; c < 3; ++c) {
    double t = s->along[k3 + c * RV_LANES];
    l->slide[3 * b->vertex_at + k3 + c * RV_LANES] = root * t;
    l->force[b->at + (size_t)(4 * i) * RV_LANES + c * RV_LANES + (size_t)lane] += along * t - borne * d->gravity[c];
  }
}

// rho / 2 pi ((h + r)^4 - r^4) l of an edge's film (WH-25): m / 2 (A / pi + 2 r^2)
static double turning(const Load* l, const RvFilmBatch* b, const RvFilmShape* s, int j, int lane) {
  size_t k = (size_t)j * RV_LANES + (size_t)lane, at = b->vertex_at + k, next = at + RV_LANES;
  const RvFilmModel* m = l->m;
  double mass =
      m->liquid.density * (s->share[k] * l->s->volume[at] + (1 - s->share[k + RV_LANES]) * l->s->volume[next]);
  double r = 0.5 * (m->radius[at] + m->radius[next]), hairs = 0.5 * (m->hairs[at] + m->hairs[next]);
  double section = mass / (m->liquid.density * RV_PI * hairs * s->length[k]);
  // under water too: the grid knows nothing of turning, so the fibre keeps it all
  return 0.5 * mass * (section + 2 * r * r);
}

static void load_batch(const Load* l, size_t k, double* room) {
  const RvFilmBatch* b = &l->m->batches[k];
  int n = b->vertices;
  RvFilmShape s;
  double* hold = rv_film_shape_place(&s, n, room);
  RV_KERNEL_CALL(rv_film_shape, (n, l->def->x_before + b->at, &s));
  if (l->load) load_mass(l, b, k);
  if (l->slide) {
    rv_film_hold(l->m, b, &l->def->settings, l->def->dt, l->s->volume + b->vertex_at, l->s->speed + b->edge_at, &s,
                 hold);
    for (int i = 0; i < n; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) load_vertex(l, b, &s, hold, i, lane);
  }
  if (!l->turn) return;
  for (int j = 0; j + 1 < n; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane)
      l->turn[b->edge_at + (size_t)(j * RV_LANES + lane)] = turning(l, b, &s, j, lane);
}

// without memory the film is left out of the step: it lags behind, and rv_film_step will say why
static void load_nothing(const Load* l, const RvFilmBatch* b) {
  size_t n = (size_t)b->vertices * RV_LANES;
  if (l->load) memset(l->load + b->vertex_at, 0, n * sizeof(double));
  if (l->slide) memset(l->slide + 3 * b->vertex_at, 0, 3 * n * sizeof(double));
  if (l->turn) memset(l->turn + b->edge_at, 0, (n - RV_LANES) * sizeof(double));
}

static void load_batches(void* arg, size_t begin, size_t end) {
  const Load* l = arg;
  int most = 0;
  for (size_t k = begin; k < end; ++k) most = l->m->batches[k].vertices > most ? l->m->batches[k].vertices : most;
  double* room = rv_alloc(rv_film_shape_size(most) + (size_t)most * RV_LANES, sizeof(double));
  for (size_t k = begin; k < end; ++k) {
    if (room)
      load_batch(l, k, room);
    else
      load_nothing(l, &l->m->batches[k]);
  }
  rv_free(room);
}

void rv_film_load(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, double* load,
                  double* slide, double* turn, double* force) {
  Load l = {model, state, def, load, slide, turn, force};
  rv_parallel_for(model->nbatch, 16, load_batches, &l);
}
