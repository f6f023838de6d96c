// Liquid bridges between strands, for input that carries no bridges of a solver: derived from films that are close
// enough (WH-11, spec 1.2.3).
//
// Two facing pieces of strands carry a bridge up to the gap at which a bridge of their films' area ruptures. The
// weight of a bridge falls with the distance, C1, to zero there. The share of its film that a piece gives to all of
// its bridges stays below LARGEST_SHARE (E51); its own capsule shrinks accordingly, so that volume is conserved. The
// web between two axes has the half thickness `middle` in its middle and `edge` at the axes; outside of both capsules
// its cross section has the area that the films give.
#include <math.h>

#include "base/array.h"
#include "base/parallel.h"
#include "contact/bridge.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "surface/nearby.h"
#include "surface/parts.h"

#define LARGEST_SHARE 0.8   // of a film in bridges (E51)
#define OVERLAP_START 0.7   // axis distance over the sum of the film radii, from which
#define OVERLAP_RANGE 0.3   // on, over this range, webs appear: closer capsules overlap anyway
#define LEAST_OVERLAP 1e-3  // of two pieces along their axes, relative: less is beside each other, not facing
#define THINNEST_WEB 0.25   // half thickness, voxels: thinner webs are not drawn
#define EDGE_FACTOR 2.4     // half thickness at the axes over that in the middle,
#define EDGE_LIMIT 0.6      // limited by this share of the thinner film's radius
#define WIDEST_WEB 1.2      // half thickness in the middle, in radii of the thinner film: upper end of the bisection
#define REACH_FACTOR 8      // limit of the search distance, in mean reaches
#define LEAST_WEIGHT 1e-30  // against division by zero
enum {
  CHUNKS = 64,      // tasks of the search; fixed, so that the order of pairs does not depend on the threads
  MAX_PAIRS = 64,   // bridges of an edge,
  MAX_EDGES = 512,  // and edges tested in a cell: more occur only where strands are piled up on one spot
  BISECTIONS = 24   // of the thickness of a web
};

// Two edges with a bridge between them.
typedef struct Pair {
  uint32_t e, f;   // edges, by their first vertices
  float at[2][2];  // the pieces that face each other: begin and end parameters along both edges
  float distance;  // of the axes
  float weight;    // 0 to 1
} Pair;
typedef RV_ARRAY(Pair) Pairs;

// Working set of the search.
typedef struct Bridges {
  const RvSurfaceDef* def;
  const RvSurfaceFilm* film;
  double scale;    // voxels per unit of length
  double rupture;  // rupture gap over the square root of the bridge's cross section
  double widest;   // largest axis distance that is searched
  size_t nedge;    // wet edges
  uint32_t* edge;  // [nedge] first vertices
  double* middle;  // [3 nedge] midpoints
  RvNearby near;   // of the midpoints
  size_t grain;    // edges a chunk
  Pairs found[CHUNKS];
  bool failed[CHUNKS];  // out of memory
  float* sum;           // [vertices] weights of all bridges of an edge
} Bridges;

// Position of a vertex.
static RvVec3 vertex(const RvSurfaceFilm* f, size_t i) {
  return rv_vec3_load64(f->x + 3 * i);
}

// Cross section of the film of an edge, divided by pi.
static double film_area(const RvSurfaceFilm* f, size_t e) {
  double sum = 0;
  for (size_t i = e; i <= e + 1; ++i) sum += f->height[i] * ((double)f->height[i] + 2 * (double)f->radius[i]);
  return 0.5 * sum;
}

// Mean fibre radius of an edge.
static double hair_radius(const RvSurfaceFilm* f, size_t e) {
  return 0.5 * ((double)f->radius[e] + (double)f->radius[e + 1]);
}

// Mean film height of an edge.
static double mean_height(const RvSurfaceFilm* f, size_t e) {
  return 0.5 * ((double)f->height[e] + (double)f->height[e + 1]);
}

// Axis distance at which a bridge between two edges ruptures (WH-11).
static double reach_of(const Bridges* b, size_t e, size_t f) {
  double area = RV_PI * (film_area(b->film, e) + film_area(b->film, f));
  return hair_radius(b->film, e) + hair_radius(b->film, f) + b->rupture * sqrt(area);
}

// Lists the wet edges and sorts their midpoints into cells; false: out of memory.
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
  // A single thick film must not enlarge the search of all edges.
  if (b->nedge) b->widest = rv_min(farthest, REACH_FACTOR * reach / (double)b->nedge);
  return rv_surface_nearby_build(&b->near, b->nedge, b->middle, longest + b->widest);
}

//---------------------------------------------------------------------------------------------- pairs

// Parameter of the point of a segment that is nearest to x.
static double along(RvVec3 a, RvVec3 b, RvVec3 x) {
  RvVec3 e = rv_sub(b, a);
  double n = rv_dot(e, e);
  return n > 0 ? rv_clamp(rv_dot(rv_sub(x, a), e) / n, 0, 1) : 0;
}

// Computes the facing pieces of two edges and the weight of their bridge; false: no bridge.
static bool meet(const Bridges* b, size_t e, size_t f, Pair* out) {
  RvVec3 a0 = vertex(b->film, e);
  RvVec3 a1 = vertex(b->film, e + 1);
  RvVec3 b0 = vertex(b->film, f);
  RvVec3 b1 = vertex(b->film, f + 1);
  // Project the second edge onto the first, and that piece back onto the second.
  double s0 = along(a0, a1, b0), s1 = along(a0, a1, b1);
  if (fabs(s1 - s0) < LEAST_OVERLAP) return false;
  RvVec3 p0 = rv_lerp(a0, a1, s0), p1 = rv_lerp(a0, a1, s1);
  double t0 = along(b0, b1, p0), t1 = along(b0, b1, p1);
  RvVec3 q0 = rv_lerp(b0, b1, t0), q1 = rv_lerp(b0, b1, t1);
  double d = rv_distance(rv_lerp(p0, p1, 0.5), rv_lerp(q0, q1, 0.5));
  double limit = rv_min(reach_of(b, e, f), b->widest);
  if (!(d < limit)) return false;
  // The weight vanishes at the rupture distance, and where the capsules overlap and need no web.
  double tubes = hair_radius(b->film, e) + hair_radius(b->film, f) + mean_height(b->film, e) + mean_height(b->film, f);
  double t = rv_clamp((d / tubes - OVERLAP_START) / OVERLAP_RANGE, 0, 1);
  double x = d / limit;
  double vanish = (1 - x * x) * t * (2 - t);
  if (!(vanish > 0)) return false;
  *out = (Pair){
      (uint32_t)e, (uint32_t)f, {{(float)s0, (float)s1}, {(float)t0, (float)t1}}, (float)d, (float)(vanish * vanish)};
  return true;
}

// True if two edges may share liquid.
static bool same_clump(const RvSurfaceFilm* f, size_t a, size_t b) {
  return !f->clump || f->clump[a] == f->clump[b] || f->clump[a + 1] == f->clump[b + 1];
}

// Finds bridges of edge e with the edges of a cell; false: out of memory.
static bool search_cell(const Bridges* b, size_t cell, size_t e, size_t limit_count, Pairs* out) {
  size_t begin = b->near.first[cell];
  size_t end = b->near.first[cell + 1];
  size_t stride = (end - begin + MAX_EDGES - 1) / MAX_EDGES;
  for (size_t i = begin; i < end && out->count < limit_count; i += stride) {
    size_t f = b->edge[b->near.order[i]];
    Pair pair;
    if (f <= e || b->film->strand[f] == b->film->strand[e] || !same_clump(b->film, e, f)) continue;
    if (meet(b, e, f, &pair) && !rv_array_push(out, pair)) return false;
  }
  return true;
}

// Finds the bridges of a range of chunks.
static void find_pairs(void* arg, size_t begin, size_t end) {
  Bridges* b = arg;
  for (size_t chunk = begin; chunk < end; ++chunk)
    for (size_t k = chunk * b->grain; k < b->nedge && k < (chunk + 1) * b->grain; ++k) {
      const double* x = b->middle + 3 * k;
      size_t limit_count = b->found[chunk].count + MAX_PAIRS;
      int64_t c[3];
      for (int a = 0; a < 3; ++a) c[a] = rv_surface_nearby_cell(&b->near, x[a], a);
      for (int s = 0; s < 27 && !b->failed[chunk]; ++s) {
        size_t cell = rv_surface_nearby_find(&b->near, c[0] + s / 9 - 1, c[1] + s / 3 % 3 - 1, c[2] + s % 3 - 1);
        if (cell != SIZE_MAX) b->failed[chunk] = !search_cell(b, cell, b->edge[k], limit_count, &b->found[chunk]);
      }
    }
}

//---------------------------------------------------------------------------------------------- webs

// Length of the piece of an edge that faces the other, relative.
static double facing_length(const Pair* p, int side) {
  return fabs((double)p->at[side][1] - (double)p->at[side][0]);
}

// Sums the weights of all bridges of each edge, by the facing length.
static void sum_weights(Bridges* b) {
  for (int c = 0; c < CHUNKS; ++c)
    for (size_t i = 0; i < b->found[c].count; ++i) {
      const Pair* p = &b->found[c].data[i];
      b->sum[p->e] += (float)(p->weight * facing_length(p, 0));
      b->sum[p->f] += (float)(p->weight * facing_length(p, 1));
    }
}

// Share of the film of an edge that is in bridges.
static double bridge_share(const Bridges* b, size_t e) {
  double sum = b->sum[e];
  return LARGEST_SHARE * sum / (1 + sum);
}

// Half thickness of a web at the axes.
static double edge_of(double middle, double thin) {
  return rv_max(middle, rv_min(EDGE_FACTOR * middle, EDGE_LIMIT * thin));
}

// Cross section of a web outside two capsules of radii h at axis distance d, by the midpoint rule.
static double web_area(double middle, double d, const double h[2]) {
  enum { STEPS = 16 };
  double edge = edge_of(middle, rv_min(h[0], h[1])), sum = 0;
  for (int i = 0; i < STEPS; ++i) {
    double u = (i + 0.5) / STEPS, v = 2 * u - 1, x = u * d, y = d - x;
    double thick = middle + (edge - middle) * v * v;
    double a = h[0] * h[0] - x * x;
    double c = h[1] * h[1] - y * y;
    double tube = rv_max(rv_max(a, c), 0);
    sum += rv_max(thick - sqrt(tube), 0);
  }
  return 2 * sum * d / STEPS;
}

// Half thickness in the middle of a web with a given cross section, by bisection; in units of the scene.
static double web_middle(double area, double d, const double h[2]) {
  double lo = 0, hi = WIDEST_WEB * rv_min(h[0], h[1]);
  for (int i = 0; i < BISECTIONS; ++i) {
    double m = 0.5 * (lo + hi);
    if (web_area(m, d, h) < area)
      lo = m;
    else
      hi = m;
  }
  return 0.5 * (lo + hi);
}

// Makes the web of a pair; false: too thin to draw.
static bool make_web(const Bridges* b, const Pair* p, RvWeb* out) {
  // Radii of both capsules and the area of the web.
  const size_t edge[2] = {p->e, p->f};
  double area = 0, h[2];
  for (int k = 0; k < 2; ++k) {
    size_t e = edge[k];
    double film = film_area(b->film, e);
    double share = bridge_share(b, e);
    double r = hair_radius(b->film, e);
    h[k] = sqrt(r * r + film * (1 - share));
    // The share of this bridge in what the edge gives, over the length of its piece.
    if (facing_length(p, k) > 0) area += RV_PI * film * share * p->weight / rv_max(b->sum[e], LEAST_WEIGHT);
  }
  double middle = web_middle(area, p->distance, h);
  if (!(middle * b->scale > THINNEST_WEB)) return false;
  // Thickness and end points in voxels.
  *out = (RvWeb){.middle = (float)(middle * b->scale), .edge = (float)(edge_of(middle, rv_min(h[0], h[1])) * b->scale)};
  for (int end = 0; end < 2; ++end)
    for (int c = 0; c < 3; ++c) {
      const double *x = b->film->x + 3 * (size_t)p->e, *y = b->film->x + 3 * (size_t)p->f;
      out->a[end][c] = (x[c] + p->at[0][end] * (x[c + 3] - x[c])) * b->scale;
      out->b[end][c] = (y[c] + p->at[1][end] * (y[c + 3] - y[c])) * b->scale;
    }
  return true;
}

// Makes the webs of all pairs and the shares of the vertices; false: out of memory.
static bool make_webs(Bridges* b, RvParts* out, float* share) {
  RV_ARRAY(RvWeb) webs = {0};
  sum_weights(b);
  for (int c = 0; c < CHUNKS; ++c)
    for (size_t i = 0; i < b->found[c].count; ++i) {
      RvWeb web;
      if (make_web(b, &b->found[c].data[i], &web) && !rv_array_push(&webs, web)) {
        rv_array_free(&webs);
        return false;
      }
    }
  // A vertex gives the mean of what its edges give.
  for (size_t k = 0; k < b->nedge; ++k) {
    size_t e = b->edge[k];
    float half = (float)(0.5 * bridge_share(b, e));
    share[e] += half;
    share[e + 1] += half;
  }
  out->webs = webs.data;
  out->nweb = webs.count;
  return true;
}

RvResult rv_surface_webs(const RvSurfaceDef* def, const RvSurfaceFilm* film, double scale, float* share, RvParts* out,
                         RvError* error) {
  // Rupture gap of a bridge of unit area between equal strands.
  RvBridgePair like = {1, 1, {def->angle, def->angle}};
  Bridges b = {.def = def, .film = film, .scale = scale, .rupture = rv_contact_bridge_rupture(&like, 1)};
  b.sum = rv_alloc_zero(film->count + 1, sizeof *b.sum);
  bool good = b.sum && list_edges(&b);
  b.grain = b.nedge / CHUNKS + 1;
  // Search in parallel, then make the webs in a fixed order.
  if (good) rv_parallel_for(CHUNKS, 1, find_pairs, &b);
  for (int c = 0; c < CHUNKS; ++c) good = good && !b.failed[c];
  good = good && make_webs(&b, out, share);
  for (int c = 0; c < CHUNKS; ++c) rv_array_free(&b.found[c]);
  rv_surface_nearby_free(&b.near);
  rv_free(b.edge);
  rv_free(b.middle);
  rv_free(b.sum);
  return good ? RV_OK
              : rv_fail(error, RV_NO_MEMORY, "out of memory for bridges between %zu wet segments: turn bridges off",
                        b.nedge);
}
