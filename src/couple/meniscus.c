// Lateral capillary forces between strands that pierce the surface of the bulk (Kralchevsky and Nagayama 1994).
//
// Liquid climbs each hair by its contact angle. The rise around a hair of radius r is Q K0(d / l_c) at the distance d,
// with Q = r cos(angle) and the capillary length l_c, and the rises of several hairs add up. A hair in a surface that
// slopes by g is pulled up the slope by 2 pi tension Q g. So two hairs attract each other by
//
//   F = 2 pi tension Q1 Q2 K1(d / l_c) / l_c,
//
// and hairs that are drawn out of liquid close to a point, though their films do not reach each other. Where many hairs
// pierce the surface within l_c, the sum of their slopes would exceed that of any meniscus: the pull is that of the
// sine of the slope, which is at most 1. Each hair's Q is lessened for this, so that forces stay opposite in pairs.
//
// Forces are those at the end of the substep: with the stiffness k = F / d of each pair the velocities are solved from
// (m + dt^2 K) du = dt (f + dt K v), where m is the mass of the strand at the surface with its drag. Long steps then
// bring hairs together and not past each other. The forces that follow act on the strands' own step.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { STRANDS_OF_TASK = 256, PLACES_OF_TASK = 64 };
enum { AXIS_BITS = 20 };         // of a cell's key for each axis
enum { MOST_NEIGHBOURS = 256 };  // of a place in the mean; where there are more, a shorter range is enough
enum { MOST_ITERATIONS = 40 };   // of the solve
// Share under water: below it a strand counts as dry. Spray of single particles has less.
static const double LEAST_WET = 0.05;
static const double RANGE = 2;        // l_c: farther strands do not count; K1 has fallen to a tenth of 1 / x there
static const double FADE = 0.75;      // of the range: from here on the force fades to 0
static const double SHORTER = 0.7;    // factor of the range where there are too many neighbours
static const double CLOSEST = 3;      // radii: nearer hairs touch (d0), and their menisci are one
static const double RESIDUAL = 1e-4;  // relative, of the solve: forces are as exact as the law
static const double SQRT_2 = 1.4142135623730951;
// m/s2: a twentieth of gravity always acts, as for the capacity, so that l_c is finite.
static const double LEAST_GRAVITY = 0.05 * 9.81;

// Where a strand pierces the surface.
typedef struct Place {
  double x[3];      // m
  double v[3];      // m/s
  double charge;    // m, Q of all its hairs, with the root of what multiplies the force
  double mass;      // kg, with dt times the drag
  double least;     // m2: squares of distances are larger by this
  double t;         // on its edge, 0..1
  uint32_t strand;  // packed
  int32_t vertex;   // lower one of its edge
} Place;

typedef struct Meniscus {
  RvCouple* c;
  const RvCoupleMeniscus* def;
  double length, range;  // m: l_c; beyond the range there is no force
  double up[3];          // unit
  double lo[3];          // m, corner of the cells
  size_t count;
  Place *found, *place;  // [count] by strands, by cells
  uint64_t *keys, *spare_keys;
  uint32_t *order, *spare_order;
  uint32_t* first;  // [count + 1] of each place's neighbours
  uint32_t* neighbour;
  double* stiffness;  // N/m of each pair over both charges; then with them
  double* charge;     // [count] lessened
  double* work;
} Meniscus;

//---------------------------------------------------------------------------------------------- the law

static double polynomial(const double* c, int n, double x) {
  double sum = 0;
  while (n > 0) sum = sum * x + c[--n];
  return sum;
}

// x K1(x), within 1e-7 (Abramowitz and Stegun 9.8.3, 9.8.7, 9.8.8).
double rv_couple_bessel_k1(double x) {
  static const double i1[] = {0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411};
  static const double low[] = {1, 0.15443144, -0.67278579, -0.18156897, -0.01919402, -0.00110404, -0.00004686};
  static const double high[] = {1.25331414, 0.23498619, -0.03655620, 0.01504268, -0.00780353, 0.00325614, -0.00068245};
  if (!(x > 0)) return 1;
  if (x <= 2) {
    double t = x / 3.75;
    return x * x * rv_log_e(0.5 * x) * polynomial(i1, 7, t * t) + polynomial(low, 7, 0.25 * x * x);
  }
  return sqrt(x) * rv_exp(-x) * polynomial(high, 7, 2 / x);
}

// Slope of the surface over distance and charge, 1/m2, at a square of the distance; 0 beyond the range.
static double slope_of(const Meniscus* k, double square, double least) {
  double d = sqrt(square);
  if (!(d < k->range)) return 0;
  double fade = rv_smooth_step((k->range - d) / ((1 - FADE) * k->range));
  return fade * rv_couple_bessel_k1(d / k->length) / (square + least);
}

//---------------------------------------------------------------------------------------------- places

static double cosine(const RvCoupleSettings* set, const RvCoupleStrand* s, int i) {
  return fmax(rv_cos(set->angle_at ? set->angle_at[s->vertex + (size_t)i * RV_LANES] : set->angle), 0);
}

// kg of a vertex, with its film and with dt times the drag of the bulk.
static double inertia(const Meniscus* k, const RvCoupleStrand* s, int i) {
  const RvCoupleMeniscus* d = k->def;
  size_t at = s->unknown + (size_t)(4 * i) * RV_LANES, vertex = s->vertex + (size_t)i * RV_LANES;
  double drag = d->drag ? fmax(d->drag[at], fmax(d->drag[at + RV_LANES], d->drag[at + 2 * RV_LANES])) : 0;
  double film = d->strands->film_state ? d->settings->density * d->strands->film_state->volume[vertex] : 0;
  return d->strands->model->hair_mass[vertex] + film + d->dt * drag;
}

// N m2: bending stiffness of a strand next to the edge above vertex i; 0 for a single edge.
static double bending(const Meniscus* k, const RvCoupleStrand* s, int i) {
  int j = i > 0 ? i : i + 1;
  if (j + 1 >= s->count) return 0;
  size_t at = 2 * (s->vertex - (size_t)s->lane) + (size_t)(2 * j) * RV_LANES + (size_t)s->lane;
  return k->def->strands->model->bend[at] * k->c->vertices.data[s->first + (size_t)j].length;
}

// kg that a force across the strand at the place t of an edge moves within the step. Bending takes along the length
// l = (EI dt^2 / mu)^(1/4) of a beam of mu kg/m: an implicit step of the beam gives 2 sqrt(2) mu l far from the tip,
// and a quarter of it at the tip. It is at least the mass of the edge's ends.
static double moved_mass(const Meniscus* k, const RvCoupleStrand* s, int i, double t) {
  const RvCoupleVertex* v = &k->c->vertices.data[s->first];
  double a = inertia(k, s, i), b = inertia(k, s, i + 1), dt = k->def->dt;
  double ends = 1 / ((1 - t) * (1 - t) / a + t * t / b);
  double length = v[i].length + v[i + 1].length, to_tip = -t * rv_distance(rv_couple_x(v + i), rv_couple_x(v + i + 1));
  for (int j = i; j + 1 < s->count; ++j) to_tip += rv_distance(rv_couple_x(v + j), rv_couple_x(v + j + 1));
  if (!(length > 0)) return ends;
  double mu = (a + b) / length, beam = sqrt(sqrt(bending(k, s, i) * dt * dt / mu));
  double free_end = beam > 0 ? rv_exp(-to_tip / beam) : 0;
  return fmax(ends, 2 * SQRT_2 * mu * beam / (1 + 3 * free_end));
}

// The place on the edge above vertex i.
static Place place_on(const Meniscus* k, size_t n, int i, double t) {
  const RvCoupleStrand* s = &k->c->strands.data[n];
  const RvCoupleVertex* v = &k->c->vertices.data[s->first + (size_t)i];
  const RvCoupleMeniscus* d = k->def;
  double r = v[0].radius + t * (v[1].radius - v[0].radius);
  double c = (1 - t) * cosine(d->settings, s, i) + t * cosine(d->settings, s, i + 1);
  double stronger =
      d->cohesion * ((1 - t) * rv_couple_at(d->cohesion_at, s, i) + t * rv_couple_at(d->cohesion_at, s, i + 1));
  double q = s->hairs * r * c;
  Place p = {.charge = q * sqrt(fmax(stronger, 0)),
             .mass = moved_mass(k, s, i, t),
             .least = CLOSEST * CLOSEST * r * r * s->hairs,
             .t = t,
             .strand = (uint32_t)n,
             .vertex = i};
  for (int a = 0; a < 3; ++a) {
    p.x[a] = v[0].x[a] + t * (v[1].x[a] - v[0].x[a]);
    p.v[a] = v[0].v[a] + t * (v[1].v[a] - v[0].v[a]);
  }
  return p;
}

// A stretch of a strand that is in one body of liquid.
typedef struct Wetted {
  int first, last;  // vertices, the last one beyond
  double peak;      // largest share under water
} Wetted;

static double under(const double* share, int i) {
  return rv_min(share[(size_t)i * RV_LANES], 1);
}

// The next stretch from vertex i on; empty at the end of the strand.
static Wetted next_wetted(const double* share, int count, int i) {
  while (i < count && !(under(share, i) > LEAST_WET)) ++i;
  Wetted w = {.first = i, .last = i};
  for (; w.last < count && under(share, w.last) > LEAST_WET; ++w.last) w.peak = rv_max(w.peak, under(share, w.last));
  return w;
}

// How dry a strand is beyond its crossing of the surface between the points i and i + 1, 0 to 1, so that the force
// begins smoothly where a tip comes out of the liquid: by the driest point up to the next crossing.
static double dry_beyond(const double* share, int count, int i, double surface) {
  const int step = under(share, i) > surface ? 1 : -1;
  double least = surface;
  for (int j = step > 0 ? i + 1 : i; j >= 0 && j < count && !(under(share, j) > surface); j += step)
    least = rv_min(least, under(share, j));
  return rv_smooth_step((surface - least) / surface);
}

// Places of a strand. The surface lies where the share under water is half of its peak in this body of liquid, and the
// charge has that peak as a factor: in a pool it is 1. A jet of a few cells has a lower peak on each of more hairs.
// Their charges add up to those of the hairs that stand in the jet, however few cells wide it is.
static size_t places_of_strand(const Meniscus* k, size_t n, Place* out) {
  const RvCoupleStrand* s = &k->c->strands.data[n];
  const double* share = k->def->under_water + s->vertex;
  size_t count = 0;
  for (Wetted w = next_wetted(share, s->count, 0); w.first < s->count; w = next_wetted(share, s->count, w.last)) {
    const double surface = 0.5 * w.peak;
    const int first = w.first > 0 ? w.first - 1 : 0, last = w.last < s->count ? w.last : s->count - 1;
    for (int i = first; i < last; ++i) {
      double a = under(share, i) - surface, b = under(share, i + 1) - surface;
      if ((a > 0) == (b > 0)) continue;
      if (out) {
        out[count] = place_on(k, n, i, a / (a - b));
        out[count].charge *= w.peak * dry_beyond(share, s->count, i, surface);
      }
      ++count;
    }
  }
  return count;
}

// Finds the places of all strands, or counts them where `out` is NULL.
static size_t find_places(const Meniscus* k, Place* out) {
  const RvCouple* c = k->c;
  size_t count = 0;
  for (size_t n = 0; n < c->strands.count; ++n)
    if (c->strands.data[n].valid) count += places_of_strand(k, n, out ? out + count : NULL);
  return count;
}

//---------------------------------------------------------------------------------------------- neighbours

static uint64_t key_of(const Meniscus* k, const double x[3], const int offset[3]) {
  uint64_t key = 0;
  for (int a = 0; a < 3; ++a) {
    double cell = rv_clamp(floor((x[a] - k->lo[a]) / k->range), 0, (1 << AXIS_BITS) - 3);
    key = key << AXIS_BITS | (uint64_t)((int64_t)cell + 1 + offset[a]);
  }
  return key;
}

// Sorts the places by cells as large as the range.
static void sort_places(Meniscus* k) {
  static const int here[3] = {0, 0, 0};
  for (int a = 0; a < 3; ++a) k->lo[a] = INFINITY;
  for (size_t i = 0; i < k->count; ++i)
    for (int a = 0; a < 3; ++a) k->lo[a] = fmin(k->lo[a], k->found[i].x[a]);
  for (size_t i = 0; i < k->count; ++i) {
    k->keys[i] = key_of(k, k->found[i].x, here);
    k->order[i] = (uint32_t)i;
  }
  rv_sort_keys(k->keys, k->order, k->spare_keys, k->spare_order, k->count, 3 * AXIS_BITS);
  for (size_t i = 0; i < k->count; ++i) k->place[i] = k->found[k->order[i]];
}

// Neighbours of a place in the order of the cells, which is ascending; counts them only where `list` is not set. The
// law is the same for both places of a pair: it is evaluated at the first, and the second takes it over.
static uint32_t meet(const Meniscus* k, size_t i, bool list) {
  const Place* p = &k->place[i];
  uint32_t count = 0;
  for (int row = 0; row < 9; ++row) {
    size_t from = rv_sort_first(k->keys, k->count, key_of(k, p->x, (int[3]){row / 3 - 1, row % 3 - 1, -1}));
    size_t to = rv_sort_first(k->keys, k->count, key_of(k, p->x, (int[3]){row / 3 - 1, row % 3 - 1, 1}) + 1);
    for (size_t j = from; j < to; ++j) {
      const Place* q = &k->place[j];
      double square = 0;
      for (int a = 0; a < 3; ++a) square += (p->x[a] - q->x[a]) * (p->x[a] - q->x[a]);
      if (q->strand == p->strand || !(square < k->range * k->range)) continue;
      if (list) {
        k->neighbour[k->first[i] + count] = (uint32_t)j;
        if (j > i) k->stiffness[k->first[i] + count] = slope_of(k, square, rv_max(p->least, q->least));
      }
      ++count;
    }
  }
  return count;
}

static void count_neighbours(void* arg, size_t begin, size_t end) {
  const Meniscus* k = arg;
  for (size_t i = begin; i < end; ++i) k->first[i + 1] = meet(k, i, false);
}
static void list_neighbours(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) meet(arg, i, true);
}

// What the first places of pairs have evaluated, for the second ones. Places give in their order, so each takes in the
// order of its list; when its turn to give comes, it has taken from all before it.
static void take_over(Meniscus* k) {
  uint32_t* next = k->spare_order;
  memcpy(next, k->first, k->count * sizeof *next);
  for (size_t i = 0; i < k->count; ++i)
    for (uint32_t n = next[i]; n < k->first[i + 1]; ++n) k->stiffness[next[k->neighbour[n]]++] = k->stiffness[n];
}

// Lists the neighbours of all places; false: no memory.
static bool find_neighbours(Meniscus* k) {
  RvArena* a = k->c->scratch;
  size_t total = 0;
  for (;;) {
    sort_places(k);
    rv_parallel_for(k->count, PLACES_OF_TASK, count_neighbours, k);
    total = 0;
    for (size_t i = 0; i < k->count; ++i) total += k->first[i + 1];
    if (total <= MOST_NEIGHBOURS * k->count) break;
    k->range *= SHORTER;
  }
  k->first[0] = 0;
  for (size_t i = 0; i < k->count; ++i) k->first[i + 1] += k->first[i];
  k->neighbour = RV_TAKE(a, uint32_t, total + 1);
  k->stiffness = RV_TAKE(a, double, total + 1);
  if (!k->neighbour || !k->stiffness) return false;
  rv_parallel_for(k->count, PLACES_OF_TASK, list_neighbours, k);
  take_over(k);
  return true;
}

//---------------------------------------------------------------------------------------------- stiffness

// Part of a vector across the direction of gravity.
static RvVec3 level(const Meniscus* k, const double a[3]) {
  RvVec3 up = rv_vec3_load64(k->up), x = rv_vec3_load64(a);
  return rv_mad(x, -rv_dot(x, up), up);
}

// The charges that make forces those of the sine of the slope.
static void lessen_charges(void* arg, size_t begin, size_t end) {
  const Meniscus* k = arg;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 x = level(k, k->place[i].x), slope = {0, 0, 0};
    for (uint32_t n = k->first[i]; n < k->first[i + 1]; ++n) {
      const Place* q = &k->place[k->neighbour[n]];
      slope = rv_mad(slope, k->stiffness[n] * q->charge, rv_sub(level(k, q->x), x));
    }
    k->charge[i] = k->place[i].charge / sqrt(1 + rv_dot(slope, slope));
  }
}

static void set_stiffness(void* arg, size_t begin, size_t end) {
  const Meniscus* k = arg;
  for (size_t i = begin; i < end; ++i)
    for (uint32_t n = k->first[i]; n < k->first[i + 1]; ++n)
      k->stiffness[n] *= 2 * RV_PI * k->def->settings->tension * (k->charge[i] * k->charge[k->neighbour[n]]);
}

//---------------------------------------------------------------------------------------------- solve

// Sum of k (y_j - y_i) over the neighbours of a place.
static double pull(const Meniscus* k, size_t i, const double* y) {
  double sum = 0;
  for (uint32_t n = k->first[i]; n < k->first[i + 1]; ++n) sum += k->stiffness[n] * (y[k->neighbour[n]] - y[i]);
  return sum;
}

typedef struct Apply {
  const Meniscus* k;
  const double* in;
  double* out;
} Apply;
// (m + dt^2 K) of some places.
static void apply(void* arg, size_t begin, size_t end) {
  const Apply* a = arg;
  double dt = a->k->def->dt;
  for (size_t i = begin; i < end; ++i) a->out[i] = a->k->place[i].mass * a->in[i] - dt * dt * pull(a->k, i, a->in);
}

static double dot(const double* a, const double* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Conjugate gradients, preconditioned by the mass, from 0: y gets dt times the change of velocity. `b` is overwritten.
static void solve(const Meniscus* k, double* b, double* y) {
  size_t n = k->count;
  double *z = k->work + 2 * n, *p = z + n, *q = p + n;
  double first = 0, before = 0;
  for (size_t i = 0; i < n; ++i) y[i] = p[i] = 0;
  for (int it = 0; it < MOST_ITERATIONS; ++it) {
    for (size_t i = 0; i < n; ++i) z[i] = b[i] / k->place[i].mass;
    double now = dot(b, z, n);
    if (it == 0) first = now;
    if (!(now > RESIDUAL * RESIDUAL * first)) break;
    for (size_t i = 0; i < n; ++i) p[i] = z[i] + (it > 0 ? now / before * p[i] : 0);
    rv_parallel_for(n, PLACES_OF_TASK, apply, &(Apply){k, p, q});
    double alpha = now / dot(p, q, n);
    for (size_t i = 0; i < n; ++i) {
      y[i] += alpha * p[i];
      b[i] -= alpha * q[i];
    }
    before = now;
  }
}

// Adds the forces along one direction across gravity.
static void add_forces(const Meniscus* k, RvVec3 direction, double* force) {
  size_t n = k->count;
  double dt = k->def->dt, *y = k->work, *b = y + n, *next = y + 2 * n;
  for (size_t i = 0; i < n; ++i)
    next[i] = rv_dot(direction, rv_vec3_load64(k->place[i].x)) + dt * rv_dot(direction, rv_vec3_load64(k->place[i].v));
  for (size_t i = 0; i < n; ++i) b[i] = dt * dt * pull(k, i, next);
  solve(k, b, y);
  // positions at the end of the substep, and the forces there, which are opposite in pairs
  for (size_t i = 0; i < n; ++i)
    next[i] =
        rv_dot(direction, rv_vec3_load64(k->place[i].x)) + dt * rv_dot(direction, rv_vec3_load64(k->place[i].v)) + y[i];
  for (size_t i = 0; i < n; ++i) {
    const Place* p = &k->place[i];
    const RvCoupleStrand* s = &k->c->strands.data[p->strand];
    RvVec3 f = rv_scale(direction, pull(k, i, next));
    rv_couple_kick(force, s, p->vertex, rv_scale(f, 1 - p->t));
    rv_couple_kick(force, s, p->vertex + 1, rv_scale(f, p->t));
  }
}

//---------------------------------------------------------------------------------------------- call

static void set_directions(Meniscus* k) {
  const RvCoupleSettings* set = k->def->settings;
  RvVec3 g = rv_vec3_load64(set->gravity);
  double strength = rv_length(g);
  k->length = sqrt(set->tension / (set->density * fmax(strength, LEAST_GRAVITY)));
  k->range = RANGE * k->length;
  rv_vec3_store64(k->up, rv_normalize(g, rv_vec3(0, 1, 0)));
}

static bool take_memory(Meniscus* k) {
  RvArena* a = k->c->scratch;
  size_t n = k->count;
  k->found = RV_TAKE(a, Place, n);
  k->place = RV_TAKE(a, Place, n);
  k->keys = RV_TAKE(a, uint64_t, n);
  k->spare_keys = RV_TAKE(a, uint64_t, n);
  k->order = RV_TAKE(a, uint32_t, n);
  k->spare_order = RV_TAKE(a, uint32_t, n);
  k->first = RV_TAKE(a, uint32_t, n + 1);
  k->charge = RV_TAKE(a, double, n);
  k->work = RV_TAKE(a, double, 5 * n);
  return k->found && k->place && k->keys && k->spare_keys && k->order && k->spare_order && k->first && k->charge &&
         k->work;
}

// Forces of all places; false: no memory.
static bool pull_all(Meniscus* k, double* force) {
  if (!take_memory(k)) return false;
  find_places(k, k->found);
  if (!find_neighbours(k)) return false;
  rv_parallel_for(k->count, PLACES_OF_TASK, lessen_charges, k);
  rv_parallel_for(k->count, PLACES_OF_TASK, set_stiffness, k);
  RvVec3 up = rv_vec3_load64(k->up), east = rv_perpendicular(up);
  add_forces(k, east, force);
  add_forces(k, rv_cross(up, east), force);
  return true;
}

RvResult rv_couple_meniscus(RvCouple* c, const RvCoupleMeniscus* def, double* force, RvError* error) {
  RvResult result = rv_couple_pack(c, def->strands, def->settings, error);
  if (result || !(def->settings->tension > 0) || !(def->cohesion > 0)) return result;
  Meniscus k = {.c = c, .def = def};
  set_directions(&k);
  k.count = find_places(&k, NULL);
  if (k.count < 2) return RV_OK;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  if (!pull_all(&k, force))
    result = rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for %zu strands at the surface", k.count);
  rv_arena_release(c->scratch, mark);
  return result;
}
