// Liquid between strands, where no solver tells of it: from films that are near enough (WH-11, spec 1.2.3).
//
// Two pieces of strands that face each other hold liquid between them up to the gap at which a bridge of their films'
// area breaks. How much they give to it falls with the distance, C1, to nothing there; what a piece gives to all of its
// bridges is a part of its film below SHARE (E51), and its own tube is the thinner for it, so that no liquid is made.
// The web between two axes has the half thickness `middle` in its middle and `edge` at the axes; outside of both tubes
// its section has the area that was given.
#include <math.h>

#include "base/array.h"
#include "base/parallel.h"
#include "contact/bridge.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "surface/nearby.h"
#include "surface/parts.h"

#define SHARE 0.8
// pairs of an edge, and edges of a cell that are looked at: more are strands heaped on one spot
enum { CHUNKS = 64, PAIRS_MOST = 64, CELL_MOST = 512 };

typedef struct Pair {
  uint32_t e, f;   // edges, by their first vertices
  float at[2][2];  // the pieces that face each other: parameters along both
  float distance, weight;
} Pair;
typedef RV_ARRAY(Pair) Pairs;

typedef struct Bridges {
  const RvSurfaceDef* def;
  const RvSurfaceFilm* film;
  double scale, rupture, widest;
  size_t nedge;
  uint32_t* edge;  // [nedge] first vertices
  double* middle;  // [3 nedge]
  RvNearby near;
  size_t grain;
  Pairs found[CHUNKS];
  bool failed[CHUNKS];
  float* sum;  // [vertices] weights at an edge
} Bridges;

static RvVec3 vertex(const RvSurfaceFilm* f, size_t i) {
  return rv_vec3_load64(f->x + 3 * i);
}

// section of the film of an edge, over pi
static double film_area(const RvSurfaceFilm* f, size_t e) {
  double sum = 0;
  for (size_t i = e; i <= e + 1; ++i) sum += f->height[i] * ((double)f->height[i] + 2 * (double)f->radius[i]);
  return 0.5 * sum;
}

static double hair_radius(const RvSurfaceFilm* f, size_t e) {
  return 0.5 * ((double)f->radius[e] + (double)f->radius[e + 1]);
}

static double mean_height(const RvSurfaceFilm* f, size_t e) {
  return 0.5 * ((double)f->height[e] + (double)f->height[e + 1]);
}

// how far apart two axes may be
static double reach_of(const Bridges* b, size_t e, size_t f) {
  double area = RV_PI * (film_area(b->film, e) + film_area(b->film, f));
  return hair_radius(b->film, e) + hair_radius(b->film, f) + b->rupture * sqrt(area);
}

static bool list_edges(Bridges* b) {
  const RvSurfaceFilm* f = b->film;
  b->edge = rv_alloc(f->count + 1, 4);
  b->middle = rv_alloc(3 * f->count + 3, sizeof(double));
  if (!b->edge || !b->middle) return false;
  double longest = 0, reach = 0, farthest = 0;
  for (size_t e = 0; e + 1 < f->count; ++e) {
    if (f->strand[e] != f->strand[e + 1] || !(f->height[e] > 0) || !(f->height[e + 1] > 0)) continue;
    rv_vec3_store64(b->middle + 3 * b->nedge, rv_lerp(vertex(f, e), vertex(f, e + 1), 0.5));
    longest = rv_max(longest, rv_distance(vertex(f, e), vertex(f, e + 1)));
    reach += reach_of(b, e, e);
    farthest = rv_max(farthest, reach_of(b, e, e));
    b->edge[b->nedge++] = (uint32_t)e;
  }
  // a single thick drop must not make all look far around
  if (b->nedge) b->widest = rv_min(farthest, 8 * reach / (double)b->nedge);
  return rv_surface_nearby_build(&b->near, b->nedge, b->middle, longest + b->widest);
}

//---------------------------------------------------------------------------------------------- pairs

static double along(RvVec3 a, RvVec3 b, RvVec3 x) {
  RvVec3 e = rv_sub(b, a);
  double n = rv_dot(e, e);
  return n > 0 ? rv_clamp(rv_dot(rv_sub(x, a), e) / n, 0, 1) : 0;
}

static bool meet(const Bridges* b, size_t e, size_t f, Pair* out) {
  RvVec3 a0 = vertex(b->film, e), a1 = vertex(b->film, e + 1), b0 = vertex(b->film, f), b1 = vertex(b->film, f + 1);
  double s0 = along(a0, a1, b0), s1 = along(a0, a1, b1);
  if (fabs(s1 - s0) < 1e-3) return false;  // beside each other, not facing
  RvVec3 p0 = rv_lerp(a0, a1, s0), p1 = rv_lerp(a0, a1, s1);
  double t0 = along(b0, b1, p0), t1 = along(b0, b1, p1);
  RvVec3 q0 = rv_lerp(b0, b1, t0), q1 = rv_lerp(b0, b1, t1);
  double d = rv_distance(rv_lerp(p0, p1, 0.5), rv_lerp(q0, q1, 0.5)), limit = rv_min(reach_of(b, e, f), b->widest);
  if (!(d < limit)) return false;
  // tubes that run into each other need no web
  double tubes = hair_radius(b->film, e) + hair_radius(b->film, f) + mean_height(b->film, e) + mean_height(b->film, f);
  double t = rv_clamp((d / tubes - 0.7) / 0.3, 0, 1), x = d / limit, vanish = (1 - x * x) * t * (2 - t);
  if (!(vanish > 0)) return false;
  *out = (Pair){
      (uint32_t)e, (uint32_t)f, {{(float)s0, (float)s1}, {(float)t0, (float)t1}}, (float)d, (float)(vanish * vanish)};
  return true;
}

static bool same_clump(const RvSurfaceFilm* f, size_t a, size_t b) {
  return !f->clump || f->clump[a] == f->clump[b] || f->clump[a + 1] == f->clump[b + 1];
}

static bool look_in(const Bridges* b, size_t cell, size_t e, size_t full, Pairs* out) {
  size_t begin = b->near.first[cell], end = b->near.first[cell + 1], stride = (end - begin + CELL_MOST - 1) / CELL_MOST;
  for (size_t i = begin; i < end && out->count < full; i += stride) {
    size_t f = b->edge[b->near.order[i]];
    Pair pair;
    if (f <= e || b->film->strand[f] == b->film->strand[e] || !same_clump(b->film, e, f)) continue;
    if (meet(b, e, f, &pair) && !rv_array_push(out, pair)) return false;
  }
  return true;
}

static void find_pairs(void* arg, size_t begin, size_t end) {
  Bridges* b = arg;
  for (size_t chunk = begin; chunk < end; ++chunk)
    for (size_t k = chunk * b->grain; k < b->nedge && k < (chunk + 1) * b->grain; ++k) {
      const double* x = b->middle + 3 * k;
      size_t full = b->found[chunk].count + PAIRS_MOST;
      int64_t c[3];
      for (int a = 0; a < 3; ++a) c[a] = rv_surface_nearby_cell(&b->near, x[a], a);
      for (int s = 0; s < 27 && !b->failed[chunk]; ++s) {
        size_t cell = rv_surface_nearby_find(&b->near, c[0] + s / 9 - 1, c[1] + s / 3 % 3 - 1, c[2] + s % 3 - 1);
        if (cell != SIZE_MAX) b->failed[chunk] = !look_in(b, cell, b->edge[k], full, &b->found[chunk]);
      }
    }
}

//---------------------------------------------------------------------------------------------- webs

static double part(const Pair* p, int side) {
  return fabs((double)p->at[side][1] - (double)p->at[side][0]);
}

// weights of all bridges of an edge, by the length that each faces
static void sum_weights(Bridges* b) {
  for (int c = 0; c < CHUNKS; ++c)
    for (size_t i = 0; i < b->found[c].count; ++i) {
      const Pair* p = &b->found[c].data[i];
      b->sum[p->e] += (float)(p->weight * part(p, 0));
      b->sum[p->f] += (float)(p->weight * part(p, 1));
    }
}

// the part of an edge's film that is in bridges
static double given(const Bridges* b, size_t e) {
  double sum = b->sum[e];
  return SHARE * sum / (1 + sum);
}

static double edge_of(double middle, double thin) {
  return rv_max(middle, rv_min(2.4 * middle, 0.6 * thin));
}

// section of a web outside of two tubes of radii h, `d` apart
static double web_area(double middle, double d, const double h[2]) {
  enum { STEPS = 16 };
  double edge = edge_of(middle, rv_min(h[0], h[1])), sum = 0;
  for (int i = 0; i < STEPS; ++i) {
    double u = (i + 0.5) / STEPS, v = 2 * u - 1, x = u * d, y = d - x;
    double thick = middle + (edge - middle) * v * v;
    double a = h[0] * h[0] - x * x, c = h[1] * h[1] - y * y, tube = rv_max(rv_max(a, c), 0);
    sum += rv_max(thick - sqrt(tube), 0);
  }
  return 2 * sum * d / STEPS;
}

// the web's thickness for its area; in units of the scene
static double web_middle(double area, double d, const double h[2]) {
  double lo = 0, hi = 1.2 * rv_min(h[0], h[1]);
  for (int i = 0; i < 24; ++i) {
    double m = 0.5 * (lo + hi);
    if (web_area(m, d, h) < area)
      lo = m;
    else
      hi = m;
  }
  return 0.5 * (lo + hi);
}

// the web of a pair; false: too thin to be seen
static bool make_web(const Bridges* b, const Pair* p, RvWeb* out) {
  const size_t edge[2] = {p->e, p->f};
  double area = 0, h[2];
  for (int k = 0; k < 2; ++k) {
    size_t e = edge[k];
    double film = film_area(b->film, e), give = given(b, e), r = hair_radius(b->film, e);
    h[k] = sqrt(r * r + film * (1 - give));
    // of all that the edge gives, over the length that this web has of it
    if (part(p, k) > 0) area += RV_PI * film * give * p->weight / rv_max(b->sum[e], 1e-30);
  }
  double middle = web_middle(area, p->distance, h);
  if (!(middle * b->scale > 0.25)) return false;
  *out = (RvWeb){.middle = (float)(middle * b->scale), .edge = (float)(edge_of(middle, rv_min(h[0], h[1])) * b->scale)};
  for (int end = 0; end < 2; ++end)
    for (int c = 0; c < 3; ++c) {
      const double *x = b->film->x + 3 * (size_t)p->e, *y = b->film->x + 3 * (size_t)p->f;
      out->a[end][c] = (x[c] + p->at[0][end] * (x[c + 3] - x[c])) * b->scale;
      out->b[end][c] = (y[c] + p->at[1][end] * (y[c + 3] - y[c])) * b->scale;
    }
  return true;
}

static bool make_webs(Bridges* b, RvParts* out, float* share) {
  RV_ARRAY(RvWeb) webs = {0};
  sum_weights(b);
  for (int c = 0; c < CHUNKS; ++c)
    for (size_t i = 0; i < b->found[c].count; ++i) {
      RvWeb web;
      if (make_web(b, &b->found[c].data[i], &web) && !rv_array_push(&webs, web)) return rv_array_free(&webs), false;
    }
  // a vertex gives what its edges give on the mean
  for (size_t k = 0; k < b->nedge; ++k) {
    size_t e = b->edge[k];
    float half = (float)(0.5 * given(b, e));
    share[e] += half;
    share[e + 1] += half;
  }
  out->webs = webs.data;
  out->nweb = webs.count;
  return true;
}

RvResult rv_surface_webs(const RvSurfaceDef* def, const RvSurfaceFilm* film, double scale, float* share, RvParts* out,
                         RvError* error) {
  RvBridgePair like = {1, 1, {def->angle, def->angle}};
  Bridges b = {.def = def, .film = film, .scale = scale, .rupture = rv_contact_bridge_rupture(&like, 1)};
  b.sum = rv_alloc_zero(film->count + 1, sizeof *b.sum);
  bool good = b.sum && list_edges(&b);
  b.grain = b.nedge / CHUNKS + 1;
  if (good) rv_parallel_for(CHUNKS, 1, find_pairs, &b);
  for (int c = 0; c < CHUNKS; ++c) good = good && !b.failed[c];
  good = good && make_webs(&b, out, share);
  for (int c = 0; c < CHUNKS; ++c) rv_array_free(&b.found[c]);
  rv_surface_nearby_free(&b.near);
  rv_free(b.edge);
  rv_free(b.middle);
  rv_free(b.sum);
  return good ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for bridges between %zu wet edges", b.nedge);
}
