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
// Each pair is a spring of the stiffness k = F / d in the strands' own implicit step (meniscus_springs.c), with k and
// the places on the strands as they are at the start of the substep. So the force is that of the end of the step, with
// bending, drag and contacts: long steps bring hairs together and not past each other, and hairs come to rest where the
// force balances bending, whatever the step.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { PLACES_OF_TASK = 64 };
enum { LAW_STEPS = 1024 };       // of the table of the law; interpolated it is within 2e-6
enum { AXIS_BITS = 20 };         // of a cell's key for each axis
enum { MOST_NEIGHBOURS = 256 };  // of a place in the mean; where there are more, a shorter range is enough
// Share under water: below it a strand counts as dry. Spray of single particles has less.
static const double LEAST_WET = 0.05;
static const double RANGE = 2;      // l_c: farther strands do not count; K1 has fallen to a tenth of 1 / x there
static const double FADE = 0.75;    // of the range: from here on the force fades to 0
static const double SHORTER = 0.7;  // factor of the range where there are too many neighbours
static const double CLOSEST = 3;    // radii: nearer hairs touch (d0), and their menisci are one
// m/s2: a twentieth of gravity always acts, as for the capacity, so that l_c is finite.
static const double LEAST_GRAVITY = 0.05 * 9.81;

// Where a strand pierces the surface.
typedef struct Place {
  double x[3];      // m
  double charge;    // m, Q of all its hairs, with the root of what multiplies the force
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
  uint32_t *order, *spare_order;  // [count] of places by cells: their number among those found
  uint32_t* number;               // [count] of neighbours
  double* charge;                 // [count] lessened
  RvMeniscusSprings* springs;     // of the places as they were found
  double law[LAW_STEPS + 2];      // x K1(x) with the fade, at equal steps of the distance from 0 to the range
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

// The table of the law: a surface of a thousand hairs has some 200,000 pairs.
static void tabulate_law(Meniscus* k) {
  for (int i = 0; i < LAW_STEPS + 2; ++i) {
    double share = (double)i / LAW_STEPS;
    double fade = rv_smooth_step((1 - share) / (1 - FADE));
    k->law[i] = fade * rv_couple_bessel_k1(share * k->range / k->length);
  }
}

// Slope of the surface over distance and charge, 1/m2, at a square of the distance, which is below the range.
static double slope_of(const Meniscus* k, double square, double least) {
  double at = sqrt(square) / k->range * LAW_STEPS;
  int i = (int)at;
  double law = k->law[i] + (at - i) * (k->law[i + 1] - k->law[i]);
  return law / (square + least);
}

//---------------------------------------------------------------------------------------------- places

static double cosine(const RvCoupleSettings* set, const RvCoupleStrand* s, int i) {
  return fmax(rv_cos(set->angle_at ? set->angle_at[s->vertex + (size_t)i * RV_LANES] : set->angle), 0);
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
             .least = CLOSEST * CLOSEST * r * r * s->hairs,
             .t = t,
             .strand = (uint32_t)n,
             .vertex = i};
  for (int a = 0; a < 3; ++a) p.x[a] = v[0].x[a] + t * (v[1].x[a] - v[0].x[a]);
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

// Neighbours of place i of the cells, in the order of the cells; counts them only where `list` is not set.
static uint32_t meet(const Meniscus* k, size_t i, bool list) {
  const Place* p = &k->place[i];
  const RvMeniscusSprings* springs = k->springs;
  uint32_t count = 0, first = list ? springs->first.data[k->order[i]] : 0;
  for (int row = 0; row < 9; ++row) {
    size_t from = rv_sort_first(k->keys, k->count, key_of(k, p->x, (int[3]){row / 3 - 1, row % 3 - 1, -1}));
    size_t to = rv_sort_first(k->keys, k->count, key_of(k, p->x, (int[3]){row / 3 - 1, row % 3 - 1, 1}) + 1);
    for (size_t j = from; j < to; ++j) {
      const Place* q = &k->place[j];
      double square = 0;
      for (int a = 0; a < 3; ++a) square += (p->x[a] - q->x[a]) * (p->x[a] - q->x[a]);
      if (q->strand == p->strand || !(square < k->range * k->range)) continue;
      if (list) {
        springs->neighbour.data[first + count] = k->order[j];
        springs->stiffness.data[first + count] = slope_of(k, square, rv_max(p->least, q->least));
      }
      ++count;
    }
  }
  return count;
}

static void count_neighbours(void* arg, size_t begin, size_t end) {
  const Meniscus* k = arg;
  for (size_t i = begin; i < end; ++i) k->number[k->order[i]] = meet(k, i, false);
}

static void list_neighbours(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) meet(arg, i, true);
}

// Lists the neighbours of all places; false: no memory.
static bool find_neighbours(Meniscus* k) {
  RvMeniscusSprings* springs = k->springs;
  size_t total = 0;
  for (;;) {
    sort_places(k);
    rv_parallel_for(k->count, PLACES_OF_TASK, count_neighbours, k);
    total = 0;
    for (size_t i = 0; i < k->count; ++i) total += k->number[i];
    if (total <= MOST_NEIGHBOURS * k->count) break;
    k->range *= SHORTER;
  }
  if (!rv_couple_springs_resize(springs, k->count, total)) return false;
  springs->first.data[0] = 0;
  for (size_t i = 0; i < k->count; ++i) springs->first.data[i + 1] = springs->first.data[i] + k->number[i];
  tabulate_law(k);
  rv_parallel_for(k->count, PLACES_OF_TASK, list_neighbours, k);
  return true;
}

//---------------------------------------------------------------------------------------------- stiffness

// Unknown of the lower vertex of a place's edge.
static size_t vertex_unknown(const Meniscus* k, const Place* p) {
  return k->c->strands.data[p->strand].unknown + (size_t)(4 * p->vertex) * RV_LANES;
}

// Part of a vector across the direction of gravity.
static RvVec3 level(const Meniscus* k, const double a[3]) {
  RvVec3 up = rv_vec3_load64(k->up), x = rv_vec3_load64(a);
  return rv_mad(x, -rv_dot(x, up), up);
}

// The charges that make forces those of the sine of the slope.
static void lessen_charges(void* arg, size_t begin, size_t end) {
  const Meniscus* k = arg;
  const RvMeniscusSprings* springs = k->springs;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 x = level(k, k->found[i].x), slope = {0, 0, 0};
    for (uint32_t n = springs->first.data[i]; n < springs->first.data[i + 1]; ++n) {
      const Place* q = &k->found[springs->neighbour.data[n]];
      slope = rv_mad(slope, springs->stiffness.data[n] * q->charge, rv_sub(level(k, q->x), x));
    }
    k->charge[i] = k->found[i].charge / sqrt(1 + rv_dot(slope, slope));
  }
}

// Stiffness of the springs of some places, and where they act.
static void set_springs(void* arg, size_t begin, size_t end) {
  const Meniscus* k = arg;
  RvMeniscusSprings* springs = k->springs;
  for (size_t i = begin; i < end; ++i) {
    const Place* p = &k->found[i];
    double sum = 0;
    for (uint32_t n = springs->first.data[i]; n < springs->first.data[i + 1]; ++n) {
      double charges = k->charge[i] * k->charge[springs->neighbour.data[n]];
      springs->stiffness.data[n] *= 2 * RV_PI * k->def->settings->tension * charges;
      sum += springs->stiffness.data[n];
    }
    springs->ends.data[i] = (RvMeniscusEnd){.unknown = vertex_unknown(k, p), .t = p->t, .stiffness = sum};
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
  k->number = RV_TAKE(a, uint32_t, n);
  k->charge = RV_TAKE(a, double, n);
  return k->found && k->place && k->keys && k->spare_keys && k->order && k->spare_order && k->number && k->charge;
}

// Springs of all places; false: no memory.
static bool join_all(Meniscus* k) {
  if (!take_memory(k)) return false;
  find_places(k, k->found);
  if (!find_neighbours(k)) return false;
  rv_parallel_for(k->count, PLACES_OF_TASK, lessen_charges, k);
  rv_parallel_for(k->count, PLACES_OF_TASK, set_springs, k);
  return rv_couple_springs_bind(k->springs, k->def->strands->model, k->up);
}

RvResult rv_couple_meniscus(RvCouple* c, const RvCoupleMeniscus* def, RvError* error) {
  rv_couple_meniscus_clear(c);
  RvResult result = rv_couple_pack(c, def->strands, def->settings, error);
  if (result || !(def->settings->tension > 0) || !(def->cohesion > 0)) return result;
  Meniscus k = {.c = c, .def = def, .springs = &c->springs};
  set_directions(&k);
  k.count = find_places(&k, NULL);
  if (k.count < 2) return RV_OK;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  if (!join_all(&k)) {
    rv_couple_meniscus_clear(c);
    result = rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for %zu strands at the surface", k.count);
  }
  rv_arena_release(c->scratch, mark);
  return result;
}

void rv_couple_meniscus_clear(RvCouple* c) {
  c->springs.ends.count = 0;
}

const RvOperator* rv_couple_meniscus_operator(RvCouple* c) {
  return c->springs.ends.count ? &c->springs.op : NULL;
}
