// Capillary flow between neighbouring strands (WH-27, spec 1.2.7 with E6).
//
// Pressure. Between two wet fibres the liquid's surface is hollow, and the less liquid there is the narrower it is: the
// suction is sigma cos(angle), the fibre's own, over a meniscus of radius r + h + distance / 2. It falls with h, so
// liquid goes from the wet to the dry fibre and comes to rest at equal pressures. (The curvature 1 / (r + h) of a film
// around a lone fibre has the other sign: thick films would empty thin ones. That is Rayleigh and Plateau's
// instability, not wicking; h'' is left to the flow along the strand.)
//
// Flow. u = (r^2 + 4 slip r) / (8 mu) dp / distance of axes, through the height of the giving film times the length
// that the bridge stands for, for as many hairs as both strands have. All bridges see the same volumes; each goes as
// far as its part of a linearised implicit step would, and no vertex gives more than half of what it has: so nothing
// goes below 0, nothing swings, and the order of bridges changes nothing but rounding.
//
// Bridges are looked at on their own; what their ends do to a strand is added up batch by batch, in their order.
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

// A place on a strand: two vertices, their edge, and those beside it.
typedef struct End {
  const RvFilmBatch* b;
  int lane, j;  // lower vertex
  size_t vertex[2];
  double weight[2];
} End;

// A bridge, and what goes over it.
typedef struct Flow {
  End end[2];
  int from;            // the end that gives
  bool sound;          // it stands on two edges, and its numbers are ones
  double gives, fall;  // m3 a Pa within the step; Pa
  double volume;       // m3
  double part[2];      // m3 of it, of the giver's vertices
  double strain;       // of what goes over
  double p[3];         // kg m/s that it has beyond what the taker's film would have
} Flow;

typedef struct Across {
  const RvFilmModel* m;
  RvFilmState* s;
  const RvFilmStepDef* def;
  const RvFilmBridge* bridges;
  Flow* flows;
  uint32_t* ends;  // [2 bridges] 2 x bridge + side, by batches, ascending
  size_t* first;   // [nbatch + 1] of each batch
  double* cosine;  // [nbatch x RV_LANES] of the strands' contact angles, at least 0
  double *kick, *height, *cell, *stiff, *given;
} Across;

static bool find_end(const RvFilmModel* m, size_t vertex, double t, End* out) {
  size_t lo = 0, hi = m->nbatch;
  *out = (End){.b = m->batches};
  if (vertex >= m->vertices || !(t >= 0 && t <= 1)) return false;
  while (hi - lo > 1) {
    size_t middle = lo + (hi - lo) / 2;
    *(m->batches[middle].vertex_at <= vertex ? &lo : &hi) = middle;
  }
  const RvFilmBatch* b = &m->batches[lo];
  size_t k = vertex - b->vertex_at;
  *out = (End){b, (int)(k % RV_LANES), (int)(k / RV_LANES), {vertex, vertex + RV_LANES}, {1 - t, t}};
  return out->j + 1 < b->vertices && out->lane < b->lanes;
}

static double place(const Across* a, const End* e, int vertex, int c) {
  return a->def->x[e->b->at + (size_t)((4 * vertex + c) * RV_LANES + e->lane)];
}

// unit tangent of edge j of a strand; its length
static double tangent(const Across* a, const End* e, int j, double t[3]) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    t[c] = place(a, e, j + 1, c) - place(a, e, j, c);
    sum += t[c] * t[c];
  }
  double length = fmax(sqrt(sum), RV_FILM_NO_LENGTH);
  for (int c = 0; c < 3; ++c) t[c] /= length;
  return length;
}

static double mix(const End* e, const double* a) {
  return e->weight[0] * a[e->vertex[0]] + e->weight[1] * a[e->vertex[1]];
}

// pressure where the bridge is, and its slope over the volume of that vertex
static double pressure(const Across* a, const RvFilmBridge* bridge, const End* e, double* slope) {
  double sum = 0, pull = a->m->liquid.tension * a->cosine[(e->b - a->m->batches) * RV_LANES + e->lane];
  *slope = 0;
  for (int v = 0; v < 2; ++v) {
    size_t k = e->vertex[v];
    double outer = a->m->radius[k] + a->height[k], meniscus = outer + 0.5 * bridge->distance;
    double suction = pull / meniscus;
    sum -= e->weight[v] * suction;
    *slope += e->weight[v] * suction / meniscus / (2 * RV_PI * outer * a->m->hairs[k] * a->cell[k]);
  }
  return sum;
}

// m3/s per Pa; 0: nothing to give
static double conductance(const Across* a, const RvFilmBridge* bridge, const End* giver, const End* taker) {
  double r = 0.5 * (mix(giver, a->m->radius) + mix(taker, a->m->radius)), slip = a->def->settings.slip;
  double mu = fmax(a->m->liquid.consistency, 1e-6), apart = bridge->distance + 2 * r;
  double hairs = fmin(mix(giver, a->m->hairs), mix(taker, a->m->hairs));
  return hairs * (r * r + 4 * slip * r) / (8 * mu) / apart * mix(giver, a->height) * bridge->length;
}

// a strand has one contact angle, the mean of its points
static double cosine_of(const Across* a, const RvFilmBatch* b, int lane) {
  const double* angle = a->def->settings.angle_at;
  double sum = 0;
  for (int i = 0; angle && i < b->vertices; ++i) sum += angle[b->vertex_at + (size_t)(i * RV_LANES + lane)];
  return fmax(rv_cos(angle ? sum / b->vertices : a->m->liquid.angle), 0);
}

static void measure_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &a->m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const End e = {.b = b, .lane = lane};
      double before = 0, t[3];
      a->cosine[k * RV_LANES + (size_t)lane] = cosine_of(a, b, lane);
      for (int i = 0; i < b->vertices; ++i) {
        size_t at = b->vertex_at + (size_t)(i * RV_LANES + lane);
        double after = i + 1 < b->vertices ? tangent(a, &e, i, t) : 0;
        a->cell[at] = 0.5 * (before + after);
        a->height[at] = rv_film_height(a->s->volume[at] / (a->m->hairs[at] * a->cell[at]), a->m->radius[at]);
        before = after;
      }
    }
  }
}

static bool is_sound(const RvFilmBridge* b) {
  return b->distance >= 0 && b->distance < INFINITY && b->length >= 0 && b->length < INFINITY;
}

// which way every bridge flows, and how easily
static void drive_bridges(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBridge* bridge = &a->bridges[k];
    Flow* f = &a->flows[k];
    double slope, p[2];
    f->sound = is_sound(bridge);
    for (int v = 0; v < 2; ++v) f->sound &= find_end(a->m, bridge->vertex[v], bridge->t[v], &f->end[v]);
    if (!f->sound) continue;
    for (int v = 0; v < 2; ++v) p[v] = pressure(a, bridge, &f->end[v], &slope);
    f->from = p[0] > p[1] ? 0 : 1;
    f->fall = fabs(p[0] - p[1]);
    f->gives = a->def->dt * conductance(a, bridge, &f->end[f->from], &f->end[1 - f->from]);
  }
}

static RvResult look(const Across* a, size_t count, RvError* error) {
  for (size_t k = 0; k < count; ++k) {
    const RvFilmBridge* b = &a->bridges[k];
    if (a->flows[k].sound) continue;
    if (is_sound(b)) return rv_fail(error, RV_BAD_INPUT, "bridge %zu stands on no edge", k);
    return rv_fail(error, RV_BAD_INPUT, "bridge %zu has distance %g and length %g", k, b->distance, b->length);
  }
  return RV_OK;
}

static void sort_ends(const Across* a, size_t count) {
  size_t n = a->m->nbatch;
  for (size_t k = 0; k < 2 * count; ++k) a->first[a->flows[k / 2].end[k % 2].b - a->m->batches + 1]++;
  for (size_t k = 0; k < n; ++k) a->first[k + 1] += a->first[k];
  for (size_t k = 0; k < 2 * count; ++k)
    a->ends[a->first[a->flows[k / 2].end[k % 2].b - a->m->batches]++] = (uint32_t)k;
  for (size_t k = n; k > 0; --k) a->first[k] = a->first[k - 1];
  a->first[0] = 0;
}

// how stiff all bridges of a vertex are together
static void stiffen_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    const End* e = &f->end[a->ends[k] % 2];
    double slope;
    pressure(a, &a->bridges[a->ends[k] / 2], e, &slope);
    for (int i = 0; i < 2; ++i) a->stiff[e->vertex[i]] += f->gives * slope * e->weight[i];
  }
}

// volumes that each of the giver's vertices gives: by weight and by what it has there
static void part_flow(const Across* a, Flow* f) {
  const End* giver = &f->end[f->from];
  double has[2], sum = 0;
  for (int i = 0; i < 2; ++i) {
    size_t v = giver->vertex[i];
    has[i] = giver->weight[i] * a->s->volume[v] / a->cell[v];
    sum += has[i];
  }
  for (int i = 0; i < 2; ++i) f->part[i] = sum > 0 ? f->volume * has[i] / sum : 0;
}

static void part_bridges(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    Flow* f = &a->flows[k];
    f->volume = f->gives * f->fall / (1 + 2 * (mix(&f->end[0], a->stiff) + mix(&f->end[1], a->stiff)));
    part_flow(a, f);
  }
}

static void count_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    if ((int)(a->ends[k] % 2) != f->from) continue;
    for (int i = 0; i < 2; ++i) a->given[f->end[f->from].vertex[i]] += f->part[i];
  }
}

// share of vertex i's film that belongs to the edge `side` of it (0 before, 1 after)
static double share(const Across* a, const End* e, int i, int side) {
  double t[3], before = i > 0 ? tangent(a, e, i - 1, t) : 0, after = i + 1 < e->b->vertices ? tangent(a, e, i, t) : 0;
  return (side ? after : before) / (before + after);
}

// velocity of the film of vertex i in the world
static void film_velocity(const Across* a, const End* e, int i, double out[3]) {
  for (int c = 0; c < 3; ++c) out[c] = a->def->v[e->b->at + (size_t)((4 * i + c) * RV_LANES + e->lane)];
  for (int side = 0; side < 2; ++side) {
    int j = i - 1 + side;
    if (j < 0 || j + 1 >= e->b->vertices) continue;
    double t[3], part = share(a, e, i, side);
    tangent(a, e, j, t);
    double u = a->s->speed[e->b->edge_at + (size_t)(j * RV_LANES + e->lane)];
    for (int c = 0; c < 3; ++c) out[c] += part * u * t[c];
  }
}

// No vertex gives more than half; then what goes over has the giver's velocity and not the taker's.
static void limit_bridges(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    Flow* f = &a->flows[k];
    const End *giver = &f->end[f->from], *taker = &f->end[1 - f->from];
    double scale = 1, v[3], density = a->m->liquid.density;
    for (int i = 0; i < 2; ++i) {
      size_t at = giver->vertex[i];
      if (a->given[at] > 0.5 * a->s->volume[at]) scale = fmin(scale, 0.5 * a->s->volume[at] / a->given[at]);
    }
    f->volume *= scale;
    part_flow(a, f);
    f->volume = f->part[0] + f->part[1];
    if (!(f->volume > 0)) continue;
    for (int i = 0; i < 2; ++i) {
      film_velocity(a, giver, giver->j + i, v);
      for (int c = 0; c < 3; ++c) f->p[c] += density * f->part[i] * v[c];
      f->strain += f->part[i] / f->volume * a->s->strain[giver->vertex[i]];
      film_velocity(a, taker, taker->j + i, v);
      for (int c = 0; c < 3; ++c) f->p[c] -= density * f->volume * taker->weight[i] * v[c];
    }
  }
}

// What comes has other velocities than what is there: along the edge it is the film's, across it the strand's.
static void give_momentum(const Across* a, const End* e, const double p[3]) {
  double t[3], along = 0, mass = 0;
  tangent(a, e, e->j, t);
  for (int c = 0; c < 3; ++c) along += t[c] * p[c];
  for (int i = 0; i < 2; ++i) mass += a->m->liquid.density * a->s->volume[e->vertex[i]] * share(a, e, e->j + i, 1 - i);
  size_t at = e->b->edge_at + (size_t)(e->j * RV_LANES + e->lane);
  if (mass > RV_FILM_NO_MASS)
    a->s->speed[at] += along / mass;
  else
    along = 0;
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 3; ++c)
      a->kick[e->b->at + (size_t)((4 * (e->j + i) + c) * RV_LANES + e->lane)] += e->weight[i] * (p[c] - along * t[c]);
}

// The ends of some batches that give, or those that take; these mix what they are strained by (SD-8).
static void move_volumes(const Across* a, size_t begin, size_t end, bool take) {
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    int side = (int)(a->ends[k] % 2);
    const End* e = &f->end[side];
    if ((side != f->from) != take || !(f->volume > 0)) continue;
    for (int i = 0; i < 2; ++i) {
      double *volume = &a->s->volume[e->vertex[i]], *strain = &a->s->strain[e->vertex[i]];
      double comes = take ? f->volume * e->weight[i] : -f->part[i];
      *volume += comes;
      if (take && *volume > 0) *strain += comes / *volume * (f->strain - *strain);
    }
  }
}

// all volumes of a batch first: speeds are for the masses in the end
static void move_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  move_volumes(a, begin, end, false);
  move_volumes(a, begin, end, true);
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    int side = (int)(a->ends[k] % 2);
    if (side != f->from && f->volume > 0) give_momentum(a, &f->end[side], f->p);
  }
}

enum { BATCHES = 8, BRIDGES = 256 };

static RvResult flow(Across* a, size_t count, RvError* error) {
  size_t n = a->m->nbatch;
  rv_parallel_for(n, BATCHES, measure_batches, a);
  rv_parallel_for(count, BRIDGES, drive_bridges, a);
  RvResult result = look(a, count, error);
  if (result) return result;
  sort_ends(a, count);
  rv_parallel_for(n, BATCHES, stiffen_batches, a);
  rv_parallel_for(count, BRIDGES, part_bridges, a);
  rv_parallel_for(n, BATCHES, count_batches, a);
  rv_parallel_for(count, BRIDGES, limit_bridges, a);
  rv_parallel_for(n, BATCHES, move_batches, a);
  return RV_OK;
}

RvResult rv_film_across(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def,
                        const RvFilmBridge* bridges, size_t count, double* kick, RvError* error) {
  RvResult result = rv_film_look(model, state, def, error);
  if (result || count == 0 || def->dt == 0) return result;
  if (count > UINT32_MAX / 2) return rv_fail(error, RV_BAD_INPUT, "%zu bridges are too many", count);
  size_t n = model->vertices, strands = model->nbatch * RV_LANES;
  double* room = rv_alloc_zero(4 * n + strands, sizeof(double));
  Across a = {.m = model,
              .s = state,
              .def = def,
              .bridges = bridges,
              .flows = rv_alloc_zero(count, sizeof(Flow)),
              .ends = rv_alloc(2 * count, sizeof(uint32_t)),
              .first = rv_alloc_zero(model->nbatch + 1, sizeof(size_t)),
              .kick = kick};
  if (room) {
    a.height = room;
    a.cell = room + n;
    a.stiff = room + 2 * n;
    a.given = room + 3 * n;
    a.cosine = room + 4 * n;
  }
  if (room && a.flows && a.ends && a.first)
    result = flow(&a, count, error);
  else
    result = rv_fail(error, RV_NO_MEMORY, "out of memory in the flow across strands");
  rv_free(room);
  rv_free(a.flows);
  rv_free(a.ends);
  rv_free(a.first);
  return result;
}
