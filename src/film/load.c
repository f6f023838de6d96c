// The film's masses and forces in the strands' step (WH-5, E43, E51); see film.h.
#include <math.h>

#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

typedef struct Load {
  const RvFilmModel* m;
  const RvFilmState* s;
  const RvFilmStepDef* def;
  double *load, *slide, *turn, *force;
  RvFilmRooms rooms;
} Load;

enum { GRAIN = 4 };  // least number of batches of a parallel task

// Speed of a vertex's film along its tangent: the mean of both edges' velocities by their shares, projected.
static double speed_along(const RvFilmShape* s, const double* speed, int n, int i, int lane) {
  size_t k = (size_t)i * RV_LANES + (size_t)lane;
  size_t k3 = (size_t)(3 * i) * RV_LANES + (size_t)lane;
  double sum = 0, share = s->share[k];
  for (size_t c = 0; c < 3; ++c) {
    double t = s->along[k3 + c * RV_LANES];
    if (i > 0) sum += (1 - share) * speed[k - RV_LANES] * t * s->tangent[k3 - 3 * RV_LANES + c * RV_LANES];
    if (i + 1 < n) sum += share * speed[k] * t * s->tangent[k3 + c * RV_LANES];
  }
  return sum;
}

// Mass that moves with each vertex: film, absorbed liquid and the drop at the tip.
static void load_mass(const Load* l, const RvFilmBatch* b, size_t batch) {
  double density = l->m->liquid.density;
  for (size_t at = b->vertex_at; at < b->vertex_at + (size_t)b->vertices * RV_LANES; ++at)
    l->load[at] = (l->def->wet ? l->def->wet[at] : 1) * (density * l->s->volume[at]) + density * l->s->absorbed[at];
  // a pendant drop moves with the tip
  for (int lane = 0; lane < RV_LANES; ++lane)
    l->load[b->vertex_at + (size_t)((b->vertices - 1) * RV_LANES + lane)] +=
        density * l->s->drop[batch * RV_LANES + (size_t)lane];
}

// Mass of a vertex's film that slides along the tangent, and the film's force on the strand.
static void load_vertex(const Load* l, const RvFilmBatch* b, const RvFilmShape* s, const double* hold, int i,
                        int lane) {
  size_t k = (size_t)i * RV_LANES + (size_t)lane;
  size_t at = b->vertex_at + k;
  size_t k3 = (size_t)(3 * i) * RV_LANES + (size_t)lane;
  const RvFilmStepDef* d = l->def;
  double density = l->m->liquid.density;
  double film = density * l->s->volume[at];
  double wet = d->wet ? d->wet[at] : 1;
  double slides = (1 - hold[k]) * wet * film;  // kg
  double root = sqrt(slides);
  double gravity_along = 0;
  double weight = d->weight ? d->weight[at] : 1;
  double flow = film * speed_along(s, l->s->speed + b->edge_at, b->vertices, i, lane);
  for (size_t c = 0; c < 3; ++c) gravity_along += s->along[k3 + c * RV_LANES] * d->gravity[c];
  // Along the tangent: friction of the flow, less the weight of the sliding film, which the strand does not support.
  double along = (d->dt > 0 ? hold[k] * flow / d->dt : 0) - slides * weight * gravity_along;
  // In all directions: less the weight that the surrounding bulk supports.
  double borne = (1 - weight) * wet * film;
  for (size_t c = 0; c < 3; ++c) {
    double t = s->along[k3 + c * RV_LANES];
    l->slide[3 * b->vertex_at + k3 + c * RV_LANES] = root * t;
    l->force[b->at + (size_t)(4 * i) * RV_LANES + c * RV_LANES + (size_t)lane] += along * t - borne * d->gravity[c];
  }
}

// Moment of inertia of an edge's film about the tangent (WH-25): rho / 2 pi ((h + r)^4 - r^4) l = m / 2 (A / pi + 2
// r^2). Film under water counts too: the grid does not carry its rotation, so the fibre keeps all of it.
static double turning_inertia(const Load* l, const RvFilmBatch* b, const RvFilmShape* s, int j, int lane) {
  size_t k = (size_t)j * RV_LANES + (size_t)lane;
  size_t at = b->vertex_at + k;
  size_t next = at + RV_LANES;
  const RvFilmModel* m = l->m;
  double mass =
      m->liquid.density * (s->share[k] * l->s->volume[at] + (1 - s->share[k + RV_LANES]) * l->s->volume[next]);
  double r = 0.5 * (m->radius[at] + m->radius[next]);
  double hairs = 0.5 * (m->hairs[at] + m->hairs[next]);
  double section = mass / (m->liquid.density * RV_PI * hairs * s->length[k]);
  return 0.5 * mass * (section + 2 * r * r);
}

static size_t memory_size(int vertices) {
  return rv_film_shape_size(vertices) + (size_t)vertices * RV_LANES;
}

// Loads and forces of one batch.
static void load_batch(const Load* l, size_t k, double* memory) {
  const RvFilmBatch* b = &l->m->batches[k];
  int n = b->vertices;
  RvFilmShape s;
  double* hold = rv_film_shape_place(&s, n, memory);
  RV_KERNEL_CALL(rv_film_shape, (n, l->def->x_before + b->at, &s));
  if (l->load) load_mass(l, b, k);
  if (l->slide) {
    rv_film_hold(l->m, b, l->def, l->def->dt, l->s->volume + b->vertex_at,
                 l->s->solids ? l->s->solids + b->vertex_at : NULL, l->s->speed + b->edge_at, &s, hold);
    for (int i = 0; i < n; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) load_vertex(l, b, &s, hold, i, lane);
  }
  if (!l->turn) return;
  for (int j = 0; j + 1 < n; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane)
      l->turn[b->edge_at + (size_t)(j * RV_LANES + lane)] = turning_inertia(l, b, &s, j, lane);
}

static void load_batches(void* arg, size_t begin, size_t end) {
  const Load* l = arg;
  double* memory = rv_film_room(&l->rooms, begin);
  for (size_t k = begin; k < end; ++k) load_batch(l, k, memory);
}

RvResult rv_film_load(const RvFilmModel* model, const RvFilmState* state, const RvFilmStepDef* def, double* load,
                      double* slide, double* turn, double* force, RvError* error) {
  Load l = {.m = model, .s = state, .def = def, .load = load, .slide = slide, .turn = turn, .force = force};
  if (!rv_film_rooms_take(&l.rooms, def->scratch, model, GRAIN, memory_size))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the film's load on %zu batches of strands", model->nbatch);
  rv_parallel_for(model->nbatch, l.rooms.grain, load_batches, &l);
  rv_film_rooms_release(&l.rooms);
  return RV_OK;
}
