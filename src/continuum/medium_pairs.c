// Sums over pairs of points (medium_pairs.h).
#include "continuum/medium_pairs.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "continuum/wet.h"
#include "math/lanes.h"
#include "math/scalar.h"
#include "sph/cells.h"

enum { CELLS_A_TASK = 8, BATCHES_A_TASK = 16, ROWS = 9, MOST_PARTS = 64 };
// Distance of the points of a link, in h, and cells that sound goes in a step, in h.
static const double SPACING = 0.5, COURANT = 0.4;
// Part of the viscous limit h^2 / (c h) that a step takes.
static const double VISCOUS = 0.25;

void rv_medium_pairs_free(RvMediumPairs* p) {
  rv_array_free(&p->density);
  rv_array_free(&p->points);
  rv_array_free(&p->force);
  rv_array_free(&p->place);
  *p = (RvMediumPairs){0};
}

double rv_medium_pairs_longest(const RvMediumDef* d) {
  const double h = d->smoothing;
  double slope = rv_medium_pressure(&d->law, d->law.packing_density).slope;
  double sound = slope > 0 ? COURANT * h / sqrt(slope) : INFINITY;
  return fmin(sound, d->friction > 0 ? VISCOUS * h / d->friction : INFINITY);
}

//---------------------------------------------------------------------------------------------- points

typedef struct Work {
  RvMediumPairs* p;
  const RvMediumDef* def;
  const RvChainModel* model;
  const double *x, *v;
  double dt;
  RvSphLattice lattice;
  RvSphSet set;
  double* rate;  // [points] kg/(m3 s), in the order of the cells
  double *force, *torque;
} Work;

// Points before a batch.
static size_t points_before(const Work* w, size_t batch) {
  size_t n = 0;
  for (size_t k = 0; k < batch; ++k)
    n += (size_t)(w->model->batches[k].links * w->model->batches[k].lanes * w->p->parts);
  return n;
}

static void place_batches(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  size_t n = points_before(w, begin);
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &w->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->links; ++i) {
        size_t at = rv_chain_vertex(b, lane, i, 3, 0);
        RvVec3 x0 = rv_strand_vector(w->x, at), x1 = rv_strand_vector(w->x, at + 3 * RV_LANES);
        for (int part = 0; part < w->p->parts; ++part, ++n)
          rv_vec3_store64(w->p->place.data + 3 * n, rv_lerp(x0, x1, (part + 0.5) / w->p->parts));
      }
  }
}

// Mass, velocity and rest density of the points, in the order of the cells; `slot` maps to it.
static void fill_batches(void* arg, size_t begin, size_t end, const uint32_t* slot) {
  const Work* w = arg;
  size_t n = points_before(w, begin);
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &w->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->links; ++i) {
        size_t at = rv_chain_vertex(b, lane, i, 3, 0), link = rv_chain_link(b, lane, i, 1, 0);
        RvVec3 v0 = rv_strand_vector(w->v, at), v1 = rv_strand_vector(w->v, at + 3 * RV_LANES);
        // density counts hair without its water
        double water = w->def->water ? w->def->water[link] : 0, mass = (w->model->mass[link] - water) / w->p->parts;
        double wet = water > 0 ? rv_wetness(water / (w->model->mass[link] - water)) : 0;
        for (int part = 0; part < w->p->parts; ++part, ++n) {
          RvPairPoint* p = &w->p->points.data[slot[n]];
          memcpy(p->x, w->p->place.data + 3 * n, sizeof p->x);
          rv_vec3_store64(p->v, rv_lerp(v0, v1, (part + 0.5) / w->p->parts));
          p->mass = mass;
          p->density = w->p->summed ? w->p->density.data[n] : 0;
          p->rest = w->def->law.rest_density +
                    w->def->collapse * wet * (w->def->law.packing_density - w->def->law.rest_density);
        }
      }
  }
}

//---------------------------------------------------------------------------------------------- pairs

// Runs of points in the cells around one: the cell's three neighbours along x are one run.
typedef struct Runs {
  uint32_t first[ROWS], last[ROWS];
} Runs;

// First cell whose number is `key` or above.
static size_t cell_from(const RvSphSet* s, uint64_t key) {
  size_t low = 0, high = s->cells;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void runs_around(const Work* w, size_t cell, Runs* r) {
  const RvSphSet* s = &w->set;
  for (int n = 0; n < ROWS; ++n) {
    uint64_t key = s->key[cell] + (uint64_t)(n % 3) * w->lattice.wide + (uint64_t)(n / 3) * w->lattice.wide_high -
                   w->lattice.wide - w->lattice.wide_high;
    size_t a = cell_from(s, key - 1), b = a;
    while (b < s->cells && s->key[b] <= key + 1) ++b;
    r->first[n] = s->first[a];
    r->last[n] = s->first[b];
  }
}

// W, and its slope over the distance, in units of sigma / h^3 and sigma / h^5, at the square of r / h (13).
static double spline(double square) {
  double s = sqrt(square), rest = 2 - s;
  return s <= 1 ? 1 - 1.5 * square + 0.75 * square * s : 0.25 * rest * rest * rest;
}
static double spline_slope(double square) {
  double s = sqrt(square), rest = 2 - s;
  return s <= 1 ? -3 + 2.25 * s : -0.75 * rest * rest / s;
}

static double square_distance(const RvPairPoint* a, const RvPairPoint* b, double d[3]) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    d[c] = a->x[c] - b->x[c];
    sum += d[c] * d[c];
  }
  return sum;
}

// What a point gets of another one at `d` from it, whose square is `square` h^2; and what becomes of the sum. The point
// itself is among them, at 0.
typedef void AddFn(const Work* w, const RvPairPoint* own, const RvPairPoint* other, const double d[3], double square,
                   double sum[3]);
typedef void KeepFn(const Work* w, uint32_t point, const double sum[3]);

// Sums over the neighbours of all points of a range of cells.
RV_INLINE void visit(const Work* w, size_t begin, size_t end, AddFn* add, KeepFn* keep) {
  const double inverse = 1 / (w->def->smoothing * w->def->smoothing);
  const RvPairPoint* points = w->p->points.data;
  for (size_t cell = begin; cell < end; ++cell) {
    Runs runs;
    runs_around(w, cell, &runs);
    for (uint32_t i = w->set.first[cell]; i < w->set.first[cell + 1]; ++i) {
      double sum[3] = {0};
      for (int n = 0; n < ROWS; ++n)
        for (uint32_t j = runs.first[n]; j < runs.last[n]; ++j) {
          double d[3], square = square_distance(&points[i], &points[j], d) * inverse;
          if (square < 4) add(w, &points[i], &points[j], d, square, sum);
        }
      keep(w, i, sum);
    }
  }
}

// Rate at which two points part, times their distance.
static double parting(const RvPairPoint* own, const RvPairPoint* other, const double d[3]) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += (own->v[c] - other->v[c]) * d[c];
  return sum;
}

// Factors of the spline and of its slope over the distance.
static double spline_scale(const Work* w) {
  const double h = w->def->smoothing;
  return 1 / (RV_PI * h * h * h);
}
static double slope_scale(const Work* w) {
  const double h = w->def->smoothing;
  return 1 / (RV_PI * h * h * h * h * h);
}

static void add_density(const Work* w, const RvPairPoint* own, const RvPairPoint* other, const double d[3],
                        double square, double sum[3]) {
  (void)w;
  (void)own;
  (void)d;
  sum[0] += other->mass * spline(square);
}
static void keep_density(const Work* w, uint32_t i, const double sum[3]) {
  w->p->points.data[i].density = spline_scale(w) * sum[0];
}

static void add_rate(const Work* w, const RvPairPoint* own, const RvPairPoint* other, const double d[3], double square,
                     double sum[3]) {
  (void)w;
  sum[0] += other->mass * parting(own, other, d) * spline_slope(square);
}
static void keep_rate(const Work* w, uint32_t i, const double sum[3]) {
  w->rate[i] = slope_scale(w) * sum[0];
}

// Pressure and friction of a pair. Both points of it find the same numbers.
static void add_force(const Work* w, const RvPairPoint* own, const RvPairPoint* other, const double d[3], double square,
                      double sum[3]) {
  const double along = parting(own, other, d);
  double push = own->share + other->share;
  if (along < 0)
    push -= 2 * w->def->friction * along / (w->def->smoothing * (square + 0.01) * (own->density + other->density));
  if (push == 0) return;
  double size = -own->mass * other->mass * push * spline_slope(square) * slope_scale(w);
  for (int c = 0; c < 3; ++c) sum[c] += size * d[c];
}
static void keep_force(const Work* w, uint32_t i, const double sum[3]) {
  memcpy(w->p->force.data + 3 * (size_t)w->set.from[i], sum, 3 * sizeof *sum);
}

static void sum_density(void* arg, size_t begin, size_t end) {
  visit(arg, begin, end, add_density, keep_density);
}
static void sum_rates(void* arg, size_t begin, size_t end) {
  visit(arg, begin, end, add_rate, keep_rate);
}
static void sum_forces(void* arg, size_t begin, size_t end) {
  visit(arg, begin, end, add_force, keep_force);
}

// Pressures, and densities for the next step.
static void set_pressures(Work* w) {
  RvMediumPairs* p = w->p;
  RvMediumLaw law = w->def->law;
  p->largest_density = p->largest_pressure = 0;
  for (size_t i = 0; i < p->points.count; ++i) {
    RvPairPoint* own = &p->points.data[i];
    law.rest_density = own->rest;
    double pressure = rv_medium_pressure(&law, own->density).pressure;
    own->share = own->density > 0 ? pressure / (own->density * own->density) : 0;
    p->largest_density = fmax(p->largest_density, own->density);
    p->largest_pressure = fmax(p->largest_pressure, pressure);
    p->density.data[w->set.from[i]] = own->density + (w->def->continuity ? w->dt * w->rate[i] : 0);
  }
  p->summed = w->def->continuity;
}

//---------------------------------------------------------------------------------------------- step

static void load_batches(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  size_t n = points_before(w, begin);
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &w->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->links; ++i) {
        size_t at = rv_chain_vertex(b, lane, i, 3, 0), link = rv_chain_link(b, lane, i, 3, 0);
        RvVec3 arm = rv_sub(rv_strand_vector(w->x, at + 3 * RV_LANES), rv_strand_vector(w->x, at));
        RvVec3 force = rv_strand_vector(w->force, link), lever = {0};
        for (int part = 0; part < w->p->parts; ++part, ++n) {
          RvVec3 f = rv_vec3_load64(w->p->force.data + 3 * n);
          force = rv_add(force, f);
          lever = rv_mad(lever, (part + 0.5) / w->p->parts, f);
        }
        rv_strand_set_vector(w->force, link, force);
        rv_strand_set_vector(w->torque, link, rv_add(rv_strand_vector(w->torque, link), rv_cross(arm, lever)));
      }
    rv_medium_repeat_lane(w->force, b, 3);
    rv_medium_repeat_lane(w->torque, b, 3);
  }
}

// Places of the points, sorted by cells.
static RvResult sort_points(Work* w, RvArena* scratch, RvError* error) {
  RvMediumPairs* p = w->p;
  double longest = 0;
  for (size_t i = 0; i < w->model->links; ++i) longest = fmax(longest, w->model->length[i]);
  double parts = fmax(ceil(longest / (SPACING * w->def->smoothing)), 1);
  if (!(parts <= MOST_PARTS))
    return rv_fail(
        error, RV_LIMIT,
        "smoothing is %g m, but segments of strands are up to %g m long; raise it, or give strands more points",
        w->def->smoothing, longest);
  p->summed = p->summed && p->parts == (int)parts;
  p->parts = (int)parts;
  size_t count = w->model->nlink * (size_t)p->parts;
  bool done = rv_array_resize(&p->place, 3 * count) && rv_array_resize(&p->force, 3 * count) &&
              rv_array_resize(&p->density, count) && rv_array_resize(&p->points, count);
  uint32_t* slot = done ? RV_TAKE(scratch, uint32_t, count + 1) : NULL;
  w->rate = slot ? RV_TAKE(scratch, double, count + 1) : NULL;
  if (!w->rate) return rv_fail(error, RV_NO_MEMORY, "out of memory for the hair medium");
  rv_parallel_for(w->model->nbatch, BATCHES_A_TASK, place_batches, w);
  const double* places[1] = {p->place.data};
  RvResult result = rv_sph_lattice_fit(&w->lattice, 2 * w->def->smoothing, 1, places, &count, error);
  if (!result) result = rv_sph_set_sort(&w->set, &w->lattice, p->place.data, NULL, count, scratch, error);
  if (result) return result;
  for (size_t i = 0; i < count; ++i) slot[w->set.from[i]] = (uint32_t)i;
  fill_batches(w, 0, w->model->nbatch, slot);
  return RV_OK;
}

RvResult rv_medium_pairs_load(RvMediumPairs* p, const RvMediumDef* def, const RvChainModel* model, const double* x,
                              const double* v, double dt, RvArena* scratch, double* force, double* torque,
                              RvError* error) {
  Work w = {.p = p, .def = def, .model = model, .x = x, .v = v, .dt = dt, .force = force, .torque = torque};
  RvResult result = rv_medium_check(def, error);
  if (result || !model->nlink) return result;
  RvArenaMark mark = rv_arena_mark(scratch);
  result = sort_points(&w, scratch, error);
  if (!result) {
    if (!p->summed) rv_parallel_for(w.set.cells, CELLS_A_TASK, sum_density, &w);
    if (def->continuity) rv_parallel_for(w.set.cells, CELLS_A_TASK, sum_rates, &w);
    set_pressures(&w);
    rv_parallel_for(w.set.cells, CELLS_A_TASK, sum_forces, &w);
    rv_parallel_for(model->nbatch, BATCHES_A_TASK, load_batches, &w);
  }
  rv_arena_release(scratch, mark);
  return result;
}
