// Capillary flow between neighbouring strands (WH-27, spec 1.2.7 with E6).
//
// Pressure. Between two wet fibres the liquid's surface is hollow, and the less liquid there is the narrower it is: the
// suction is sigma cos(angle) over a meniscus of radius r + h + distance / 2. It falls with h, so liquid goes from the
// wet to the dry fibre and comes to rest at equal pressures. (The curvature 1 / (r + h) of a film around a lone fibre
// has the other sign: thick films would empty thin ones. That is Rayleigh and Plateau's instability, not wicking; h''
// is left to the flow along the strand.)
//
// Flow. u = (r^2 + 4 slip r) / (8 mu) dp / distance of axes, through the height of the giving film times the length
// that the bridge stands for, for as many hairs as both strands have. All bridges see the same volumes; each goes as
// far as its part of a linearised implicit step would, and no vertex gives more than half of what it has: so nothing
// goes below 0, nothing swings, and the order of bridges changes nothing but rounding.
#include <math.h>

#include "base/memory.h"
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

typedef struct Across {
  const RvFilmModel* m;
  RvFilmState* s;
  const RvFilmStepDef* def;
  double *kick, *height, *cell, *stiff, *given, *moved;
} Across;

static bool find_end(const RvFilmModel* m, size_t vertex, double t, End* out) {
  size_t lo = 0, hi = m->nbatch;
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
  for (int c = 0; c < 3; ++c) t[c] = place(a, e, j + 1, c) - place(a, e, j, c), sum += t[c] * t[c];
  double length = fmax(sqrt(sum), RV_FILM_NO_LENGTH);
  for (int c = 0; c < 3; ++c) t[c] /= length;
  return length;
}

static double mix(const End* e, const double* a) {
  return e->weight[0] * a[e->vertex[0]] + e->weight[1] * a[e->vertex[1]];
}

// pressure where the bridge is, and its slope over the volume of that vertex
static double pressure(const Across* a, const RvFilmBridge* bridge, const End* e, double* slope) {
  double sum = 0;
  *slope = 0;
  for (int v = 0; v < 2; ++v) {
    size_t k = e->vertex[v];
    double outer = a->m->radius[k] + a->height[k], meniscus = outer + 0.5 * bridge->distance;
    double suction = a->m->liquid.tension * fmax(rv_cos(a->m->liquid.angle), 0) / meniscus;
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

static void measure(Across* a) {
  for (size_t k = 0; k < a->m->nbatch; ++k) {
    const RvFilmBatch* b = &a->m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const End e = {.b = b, .lane = lane};
      double before = 0, t[3];
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

static RvResult look(const Across* a, const RvFilmBridge* bridge, size_t k, End end[2], RvError* error) {
  for (int v = 0; v < 2; ++v)
    if (!find_end(a->m, bridge->vertex[v], bridge->t[v], &end[v]))
      return rv_fail(error, RV_BAD_INPUT, "bridge %zu stands on no edge", k);
  if (!(bridge->distance >= 0 && bridge->distance < INFINITY && bridge->length >= 0 && bridge->length < INFINITY))
    return rv_fail(error, RV_BAD_INPUT, "bridge %zu has distance %g and length %g", k, bridge->distance,
                   bridge->length);
  return RV_OK;
}

// what every bridge moves, m3, positive from its first to its second end, and how stiff all of a vertex's are together
static RvResult drive(Across* a, const RvFilmBridge* bridges, size_t count, RvError* error) {
  for (int pass = 0; pass < 2; ++pass)
    for (size_t k = 0; k < count; ++k) {
      End end[2];
      double slope[2], p[2];
      RvResult result = look(a, &bridges[k], k, end, error);
      if (result) return result;
      for (int v = 0; v < 2; ++v) p[v] = pressure(a, &bridges[k], &end[v], &slope[v]);
      int from = p[0] > p[1] ? 0 : 1;
      double c = a->def->dt * conductance(a, &bridges[k], &end[from], &end[1 - from]);
      for (int v = 0; v < 2 && pass == 0; ++v)
        for (int i = 0; i < 2; ++i) a->stiff[end[v].vertex[i]] += c * slope[v] * end[v].weight[i];
      if (pass == 1) a->moved[k] = c * (p[0] - p[1]) / (1 + 2 * (mix(&end[0], a->stiff) + mix(&end[1], a->stiff)));
    }
  return RV_OK;
}

// volumes that each of the giver's vertices gives: by weight and by what it has there
static void parts(const Across* a, const End* giver, double volume, double part[2]) {
  double has[2], sum = 0;
  for (int i = 0; i < 2; ++i) has[i] = giver->weight[i] * a->height[giver->vertex[i]], sum += has[i];
  for (int i = 0; i < 2; ++i) part[i] = sum > 0 ? volume * has[i] / sum : 0;
}

static const End* giver_of(const Across* a, const RvFilmBridge* bridge, size_t k, End end[2]) {
  for (int v = 0; v < 2; ++v) find_end(a->m, bridge->vertex[v], bridge->t[v], &end[v]);
  return &end[a->moved[k] > 0 ? 0 : 1];
}

static void limit(Across* a, const RvFilmBridge* bridges, size_t count) {
  End end[2];
  double part[2];
  for (size_t k = 0; k < count; ++k) {
    const End* giver = giver_of(a, &bridges[k], k, end);
    parts(a, giver, fabs(a->moved[k]), part);
    for (int i = 0; i < 2; ++i) a->given[giver->vertex[i]] += part[i];
  }
  for (size_t k = 0; k < count; ++k) {
    const End* giver = giver_of(a, &bridges[k], k, end);
    double scale = 1;
    for (int i = 0; i < 2; ++i) {
      size_t v = giver->vertex[i];
      if (a->given[v] > 0.5 * a->s->volume[v]) scale = fmin(scale, 0.5 * a->s->volume[v] / a->given[v]);
    }
    a->moved[k] *= scale;
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

static void move(Across* a, const RvFilmBridge* bridge, size_t k) {
  End end[2];
  double part[2], p[3] = {0}, v[3], density = a->m->liquid.density;
  const End* giver = giver_of(a, bridge, k, end);
  const End* taker = giver == &end[0] ? &end[1] : &end[0];
  parts(a, giver, fabs(a->moved[k]), part);
  double all = part[0] + part[1];
  if (!(all > 0)) return;
  for (int i = 0; i < 2; ++i) {
    film_velocity(a, giver, giver->j + i, v);
    for (int c = 0; c < 3; ++c) p[c] += density * part[i] * v[c];
    film_velocity(a, taker, taker->j + i, v);
    for (int c = 0; c < 3; ++c) p[c] -= density * all * taker->weight[i] * v[c];
  }
  for (int i = 0; i < 2; ++i) {
    a->s->volume[giver->vertex[i]] -= part[i];
    a->s->volume[taker->vertex[i]] += all * taker->weight[i];
  }
  give_momentum(a, taker, p);
}

RvResult rv_film_across(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def,
                        const RvFilmBridge* bridges, size_t count, double* kick, RvError* error) {
  RvResult result = rv_film_look(model, state, def, error);
  if (result || count == 0 || def->dt == 0) return result;
  double* room = rv_alloc_zero(4 * model->vertices + count, sizeof(double));
  if (!room) return rv_fail(error, RV_NO_MEMORY, "out of memory in the flow across strands");
  size_t n = model->vertices;
  Across a = {model, state, def, kick, room, room + n, room + 2 * n, room + 3 * n, room + 4 * n};
  measure(&a);
  result = drive(&a, bridges, count, error);
  if (!result) {
    // heights are done with: from here on volume a length as it was, by which the vertices of a giver share
    for (size_t k = 0; k < n; ++k) a.height[k] = state->volume[k] / a.cell[k];
    limit(&a, bridges, count);
    for (size_t k = 0; k < count; ++k) move(&a, &bridges[k], k);
  }
  rv_free(room);
  return result;
}
