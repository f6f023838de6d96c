// The matrix of a wet ponytail in a flip: bundle, bridges, assembly, and products with a vector.
#include "bench/flip.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/kernel.h"
#include "math/scalar.h"
#include "rig/strand.h"

RV_KERNEL_DECLARE(void, rv_bench_flip_multiply, (const double*, int, const double*, double*))
RV_KERNEL_DECLARE(void, rv_bench_flip_pull,
                  (int, int, const unsigned*, const double*, const double*, const double*, double*))

// Human hair, and the contact angle of water on it.
static const double RADIUS = 40e-6;     // m
static const double DENSITY = 1320;     // kg/m3
static const double ANGLE = RV_PI / 3;  // rad
enum { NEIGHBOURS = 6, STRIDE = RV_FLIP_STRIDE };

//---------------------------------------------------------------------------------------------- a bridge

// 2 / 6 of a hair's film: a sixth from either side.
double rv_bench_flip_capacity(double radius) {
  double d0 = 3 * radius;
  return 2.0 / NEIGHBOURS * (2.0 / 3) * (sqrt(3) / 2) * d0 * d0;
}

// Area of the bridge of half-angle a at distance d between equal hairs, and the radius of its menisci (spec 1.2.2).
static double bridge_area(double r, double angle, double a, double d, double* meniscus) {
  double c = cos(angle + a), R = (d - 2 * r * cos(a)) / (2 * c);
  *meniscus = R;
  return -RV_PI * R * R + r * r * sin(2 * a) + 4 * r * R * sin(a) * c +
         2 * (R * R * (angle + a + 0.5 * sin(2 * (angle + a))) - a * r * r);
}

// f_s(B) from the half-angle that has this area at the distance B = 4 r.
double rv_bench_flip_slope(double r, double area, double tension, double angle) {
  double d0 = 3 * r;
  double B = 4 * r;
  double lo = 1e-4;
  double hi = RV_PI - angle - 1e-4;
  double R = 0;
  // The area grows with the half-angle: bisection.
  for (int k = 0; k < 100; ++k) {
    double a = 0.5 * (lo + hi);
    if (bridge_area(r, angle, a, B, &R) < area)
      lo = a;
    else
      hi = a;
  }
  double force = 2 * tension * sin(angle + lo) + 2 * r * tension * sin(lo) / R;
  return force > 0 ? force / (B - d0) : 0;
}

//---------------------------------------------------------------------------------------------- the bundle

void rv_bench_flip_lattice(const RvFlip* f, size_t hair, double at[2]) {
  size_t row = hair / f->wide, column = hair % f->wide;
  at[0] = (double)column + (row % 2 ? 0.5 : 0);
  at[1] = sqrt(0.75) * (double)row;
}

// Positions of a hair: the bundle follows a quarter circle, its cross-section twists by 0.8 rad and each hair has small
// waves, so that normals and lengths differ.
static void place(const RvFlip* f, double length, size_t hair, double* x) {
  double at[2];
  double d0 = 3 * RADIUS;
  double bend = length / (0.5 * RV_PI);
  double centre = 0.5 * d0 * (double)f->wide;
  rv_bench_flip_lattice(f, hair, at);
  double u = d0 * at[0] - centre;
  double w = d0 * at[1] - centre;
  double phase = 2 * RV_PI * rv_random(3, 0, hair, 0);
  for (int i = 0; i < f->vertices; ++i) {
    double s = (double)i / (f->vertices - 1);
    double a = 0.5 * RV_PI * s;
    double twist = 0.8 * s;
    double wave = 0.05 * d0 * fmin(1, 0.5 * i) * sin(0.7 * i + phase);
    double p = u * cos(twist) - w * sin(twist) + wave, q = u * sin(twist) + w * cos(twist);
    x[3 * i] = (bend + p) * cos(a);
    x[3 * i + 1] = (bend + p) * sin(a);
    x[3 * i + 2] = q;
  }
}

// Model and state of the bundle.
static RvResult make(RvFlip* f, const RvFlipDef* d, RvError* error) {
  // Definitions of the strands; all hairs have one radius.
  size_t n = (size_t)d->vertices;
  RvStrandDef* defs = rv_alloc_zero(d->hairs, sizeof *defs);
  double* x = rv_alloc(d->hairs * n * 3, sizeof(double));
  double* radius = rv_alloc(n, sizeof(double));
  RvResult result = defs && x && radius ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; !result && i < n; ++i) radius[i] = RADIUS;
  for (size_t s = 0; !result && s < d->hairs; ++s) {
    place(f, d->length, s, x + 3 * n * s);
    defs[s] = rv_rig_hair_def(d->vertices, x + 3 * n * s, radius, (int64_t)s);
    defs[s].density = DENSITY;
  }
  if (!result) result = rv_strand_model_new(defs, d->hairs, &f->model, error);
  if (!result) result = rv_strand_state_new(f->model, defs, &f->state, error);
  rv_free(defs);
  rv_free(x);
  rv_free(radius);
  return result;
}

// Hairs at the neighbouring points of the hexagonal lattice; returns their number.
static int neighbours(const RvFlip* f, size_t hair, size_t hairs, size_t out[NEIGHBOURS]) {
  double mine[2], theirs[2];
  int count = 0;
  rv_bench_flip_lattice(f, hair, mine);
  for (long row = -1; row <= 1; ++row)
    for (long column = -1; column <= 1; ++column) {
      long other = (long)hair + row * (long)f->wide + column;
      if ((row == 0 && column == 0) || other < 0 || other >= (long)hairs) continue;
      rv_bench_flip_lattice(f, (size_t)other, theirs);
      if (hypot(mine[0] - theirs[0], mine[1] - theirs[1]) < 1.01 && count < NEIGHBOURS) out[count++] = (size_t)other;
    }
  return count;
}

// Coordinate c of the middle of an edge.
static double middle(const RvFlip* f, const double* p, size_t strand, int edge, int c) {
  size_t at = rv_bench_flip_place(f, strand, edge) + (size_t)c * RV_LANES;
  return 0.5 * (p[at] + p[at + 4 * RV_LANES]);
}

// Rest length of an edge.
static double edge_length(const RvFlip* f, size_t strand, int edge) {
  const RvStrandBatch* b = &f->model->batches[strand / RV_LANES];
  return f->model->rest_length[b->edge_at + (size_t)edge * RV_LANES + strand % RV_LANES];
}

// Stiffness of the bridges between two hairs, as its root times the normal, for each edge.
static void join_pair(RvFlip* f, size_t pair, size_t a, size_t b) {
  size_t row = (size_t)f->edges;
  f->other[pair] = (uint32_t)b;
  for (int j = RV_FLIP_CLAMPED - 1; j + 1 < f->vertices; ++j) {
    double n[3], far = 0;
    for (int c = 0; c < 3; ++c) {
      n[c] = middle(f, f->state->q, b, j, c) - middle(f, f->state->q, a, j, c);
      far += n[c] * n[c];
    }
    // The same number from both sides, so that the matrix is symmetric.
    double length = 0.5 * (edge_length(f, a, j) + edge_length(f, b, j)), root = sqrt(f->bridge * length / far);
    for (size_t c = 0; c < 3; ++c) f->pull[(pair * 3 + c) * row + (size_t)j] = root * n[c];
  }
}

// Lists the pairs of each strand; each pair is listed on both sides.
static RvResult join(RvFlip* f, size_t hairs, RvError* error) {
  size_t row = (size_t)f->edges;
  size_t* strand_of = rv_alloc(hairs, sizeof *strand_of);
  size_t near[NEIGHBOURS];
  f->first = rv_alloc_zero(f->nstrand + 1, sizeof *f->first);
  f->other = rv_alloc_zero(f->nstrand * NEIGHBOURS, sizeof *f->other);
  f->pull = rv_alloc_zero(f->nstrand * NEIGHBOURS * 3 * row, sizeof(double));
  f->value = rv_alloc_zero(f->nstrand * 3 * row, sizeof(double));
  f->zero = rv_alloc_zero(3 * row, sizeof(double));
  if (!strand_of || !f->first || !f->other || !f->pull || !f->value || !f->zero) {
    rv_free(strand_of);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  for (size_t s = 0; s < f->nstrand; ++s)
    if (rv_bench_flip_hair(f, s) >= 0) strand_of[rv_bench_flip_hair(f, s)] = s;
  for (size_t s = 0; s < f->nstrand; ++s) {
    int count = rv_bench_flip_hair(f, s) < 0 ? 0 : neighbours(f, (size_t)rv_bench_flip_hair(f, s), hairs, near);
    f->first[s + 1] = f->first[s] + (uint32_t)count;
    for (int k = 0; k < count; ++k) join_pair(f, f->first[s] + (size_t)k, s, strand_of[near[k]]);
  }
  rv_free(strand_of);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the matrix

// Adds inertia; rows and columns of fixed unknowns and of spare lanes become those of the unit matrix.
static void constrain(const RvFlip* f, const RvStrandBatch* b, double* band) {
  const double* is_free = f->model->free + b->at;
  const double* mass = f->model->mass + b->at;
  int n = 4 * b->vertices - 1;
  for (int j = 0; j < n; ++j)
    for (int q = 0; q <= RV_ROD_BAND && j + q < n; ++q)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        double* entry = &band[(j * STRIDE + q) * RV_LANES + lane];
        bool both = is_free[j * RV_LANES + lane] * is_free[(j + q) * RV_LANES + lane] != 0 && lane < b->lanes;
        if (!both)
          *entry = q == 0 ? 1 : 0;
        else if (q == 0)
          *entry += mass[j * RV_LANES + lane] / (f->dt * f->dt);
      }
}

// Adds the diagonal blocks of a strand's bridges to its band.
static void add_own(const RvFlip* f, size_t strand, double* band) {
  const RvStrandBatch* b = &f->model->batches[strand / RV_LANES];
  const double* is_free = f->model->free + b->at;
  size_t lane = strand % RV_LANES, row = (size_t)f->edges;
  for (size_t p = f->first[strand]; p < f->first[strand + 1]; ++p)
    for (size_t j = 0; j + 1 < (size_t)f->vertices; ++j)
      for (size_t r = 0; r < 6; ++r)
        for (size_t s = r; s < 6; ++s) {
          size_t below = 4 * j + s + (s > 2), column = 4 * j + r + (r > 2);
          if (is_free[below * RV_LANES + lane] * is_free[column * RV_LANES + lane] == 0) continue;
          band[(column * STRIDE + below - column) * RV_LANES + lane] +=
              0.25 * f->pull[(3 * p + r % 3) * row + j] * f->pull[(3 * p + s % 3) * row + j];
        }
}

// Band of each batch, its factor without and with the bridges' diagonal blocks, and the inverse diagonal of the whole
// matrix.
static void assemble(void* arg, size_t begin, size_t end) {
  RvFlip* f = arg;
  const RvStrandModel* m = f->model;
  const RvStrandState* s = f->state;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    const RvRodBatch rod = rv_strand_elastic_rods(m, s, b);
    double* band = f->band + STRIDE * b->at;
    double* own = f->factor_own + STRIDE * b->at;
    size_t bytes = (size_t)b->vertices * 4 * RV_LANES * STRIDE * sizeof(double);
    int n = 4 * b->vertices - 1;
    // Elasticity and inertia; the gradient is not used.
    rv_strand_rod_derivatives(&rod, s->q + b->at, RV_ROD_GAUSS_NEWTON, f->right + b->at, band);
    constrain(f, b, band);
    // The same with the bridges' diagonal blocks, whose diagonal is that of the whole matrix.
    memcpy(f->factor + STRIDE * b->at, band, bytes);
    memcpy(own, band, bytes);
    for (size_t lane = 0; lane < RV_LANES; ++lane) add_own(f, k * RV_LANES + lane, own);
    for (size_t j = 0; j < (size_t)n * RV_LANES; ++j)
      f->inverse[b->at + j] = 1 / own[j / RV_LANES * STRIDE * RV_LANES + j % RV_LANES];
    rv_ldlt_factor(f->factor + STRIDE * b->at, n, RV_ROD_BAND);
    rv_ldlt_factor(own, n, RV_ROD_BAND);
  }
}

// Right side: gravity and a rotation about the root at 10 rad/s that the clamped roots stop, common to all hairs, and a
// random part of each vertex.
static void set_right_side(RvFlip* f) {
  const RvStrandModel* m = f->model;
  memset(f->right, 0, m->unknowns * sizeof(double));
  for (size_t s = 0; s < f->nstrand; ++s)
    for (int i = RV_FLIP_CLAMPED; i < f->vertices && rv_bench_flip_hair(f, s) >= 0; ++i) {
      size_t at = rv_bench_flip_place(f, s, i);
      const double* x = f->state->q + at;
      // Rotation about z.
      double v[3] = {-10 * x[RV_LANES], 10 * x[0], 0};
      for (size_t c = 0; c < 3; ++c) {
        size_t k = at + c * RV_LANES;
        // 5 cm/s of its own.
        double own = 0.1 * (rv_random(4, c, (uint64_t)rv_bench_flip_hair(f, s) << 8 | (uint64_t)i, 0) - 0.5);
        f->right[k] = m->mass[k] * ((v[c] + own) / f->dt + (c == 1 ? -9.81 : 0));
      }
    }
}

// Bundle, arrays, clamps, pairs, matrix and right side.
RvResult rv_bench_flip_new(RvFlip* f, const RvFlipDef* d, RvError* error) {
  *f = (RvFlip){.dt = d->dt,
                .bridge = rv_bench_flip_slope(RADIUS, rv_bench_flip_capacity(RADIUS), d->tension, ANGLE),
                .vertices = d->vertices,
                .edges = (d->vertices - 1 + RV_LANES - 1) / RV_LANES * RV_LANES,
                .wide = (size_t)ceil(sqrt((double)d->hairs))};
  RvResult result = make(f, d, error);
  if (!result) {
    const RvStrandModel* m = f->model;
    // Arrays, and the clamped first edges.
    f->nstrand = m->nbatch * RV_LANES;
    f->right = rv_alloc_zero(m->unknowns, sizeof(double));
    f->inverse = rv_alloc_zero(m->unknowns, sizeof(double));
    f->band = rv_alloc_zero(STRIDE * m->unknowns, sizeof(double));
    f->factor = rv_alloc_zero(STRIDE * m->unknowns, sizeof(double));
    f->factor_own = rv_alloc_zero(STRIDE * m->unknowns, sizeof(double));
    if (!f->right || !f->inverse || !f->band || !f->factor || !f->factor_own)
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    for (size_t s = 0; s < f->nstrand; ++s)
      for (size_t c = 0; c < 4 * RV_FLIP_CLAMPED - 1; ++c) m->free[rv_bench_flip_place(f, s, 0) + c * RV_LANES] = 0;
  }
  // Pairs of neighbours, then matrix and right side.
  if (!result) result = join(f, d->hairs, error);
  if (result) {
    rv_bench_flip_free(f);
    return result;
  }
  rv_parallel_for(f->model->nbatch, 1, assemble, f);
  set_right_side(f);
  return RV_OK;
}

void rv_bench_flip_free(RvFlip* f) {
  rv_strand_state_free(f->state);
  rv_strand_model_free(f->model);
  RV_FREE_ALL(f->first, f->other, f->pull, f->value, f->zero, f->right, f->inverse, f->band, f->factor, f->factor_own);
  *f = (RvFlip){0};
}

//---------------------------------------------------------------------------------------------- products

void rv_bench_flip_bands(const RvFlip* f, const RvStrandBatch* b, const double* x, double* y) {
  int n = 4 * b->vertices - 1;
  RV_KERNEL_CALL(rv_bench_flip_multiply, (f->band + STRIDE * b->at, n, x + b->at, y + b->at));
  memset(y + b->at + (size_t)n * RV_LANES, 0, RV_LANES * sizeof(double));
}

// A product with the bridges' blocks, for the workers.
typedef struct Job {
  RvFlip* f;
  const double* p;
  double* out;
  bool own;
} Job;

// The vector at the middles of all edges.
static void gather(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  size_t row = (size_t)j->f->edges;
  for (size_t s = begin * RV_LANES; s < end * RV_LANES; ++s) {
    double* to = j->f->value + s * 3 * row;
    const double* p = j->p + rv_bench_flip_place(j->f, s, 0);
    for (size_t e = 0; e + 1 < (size_t)j->f->vertices; ++e, p += 4 * RV_LANES)
      for (size_t c = 0; c < 3; ++c) to[c * row + e] = 0.5 * (p[c * RV_LANES] + p[(c + 4) * RV_LANES]);
  }
}

// Forces of the bridges of each strand, half to each end of an edge; clamped vertices get none.
static void spread(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  const RvFlip* f = j->f;
  size_t row = (size_t)f->edges;
  double force[3 * 64] __attribute__((aligned(64)));
  for (size_t s = begin * RV_LANES; s < end * RV_LANES; ++s) {
    int pairs = (int)(f->first[s + 1] - f->first[s]);
    if (pairs == 0) continue;
    const double* mine = j->own ? f->value + s * 3 * row : f->zero;
    RV_KERNEL_CALL(rv_bench_flip_pull,
                   (f->edges, pairs, f->other + f->first[s], f->pull + f->first[s] * 3 * row, f->value, mine, force));
    double* out = j->out + rv_bench_flip_place(f, s, 0);
    for (size_t e = RV_FLIP_CLAMPED - 1; e + 1 < (size_t)f->vertices; ++e)
      for (size_t c = 0; c < 3; ++c) {
        double half = 0.5 * force[c * row + e];
        if (e >= RV_FLIP_CLAMPED) out[(4 * e + c) * RV_LANES] += half;
        out[(4 * e + 4 + c) * RV_LANES] += half;
      }
  }
}

void rv_bench_flip_bridges(RvFlip* f, const double* p, double* out, bool own) {
  Job j = {f, p, out, own};
  rv_parallel_for(f->model->nbatch, 4, gather, &j);
  rv_parallel_for(f->model->nbatch, 4, spread, &j);
}
