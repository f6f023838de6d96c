// Carrying capacity of strands for film (WH-29, spec 1.2.8 (17) with E50).
//
// N hairs side by side hold V = 4/3 pi r_max^3 over 2 r_max of their length, r_max^3 = 3 r tension sqrt(N) / (density
// a): each hair 2/3 pi r_max^2 / N per length. Hairs in a bundle hold at least the space between them (spacing.c). The
// result does not depend on the grid or on the number of vertices.
//
// N is the number of hairs within r_max, made continuous in time. Beads at equal distances along the hairs are summed
// with a kernel (1 - r^2/S^2)^2 that counts an adjacent hair as 1 and, in evenly distributed hair, as many hairs as a
// disc of radius R has. The sum is divided by that of the strand's own beads, so that one hair counts as 1 near its tip
// too. As r_max grows with N, kernels of doubled radius R are tried until R exceeds r_max. Each kernel sums cells of
// half its width instead of single beads, so dense hair costs no more than sparse hair.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "couple/store.h"
#include "film/solids.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { LEVELS = 4 };                                // kernels at most, each of twice the radius before
enum { REACH = 2 };                                 // cells to each side that a kernel covers
enum { ROWS = (2 * REACH + 1) * (2 * REACH + 1) };  // rows of cells around a cell
enum { NEAR_MOST = ROWS * (2 * REACH + 1) + 3 };    // cells around a cell, rounded up to whole vectors
enum { STRANDS_OF_TASK = 64, CELLS_OF_TASK = 64, BEADS_OF_TASK = 4096 };
enum { AXIS_BITS = 20 };          // of a key for each axis at most
enum { BEADS_A_VERTEX = 4 };      // beads of a strand at most, for each of its vertices
static const double SPACING = 1;  // distance of beads, in r_max of one strand
static const double FIRST = 1.3;  // R of the first kernel, in r_max of one strand
static const double WIDTH =
    1.8708286934;                  // S in R: sqrt(3.5), so that evenly spread hairs count as in a disc of radius R
static const double OUTSIDE = -9;  // widths of the kernel: a place that it never reaches
// Along a strand liquid slides instead of falling off: only a quarter of the acceleration along it counts.
static const double ALONG = 0.25;

// A bead of hair.
typedef struct Bead {
  double x[3];           // m
  double weight;         // m, hairs times length
  double one;            // m, r_max of one hair
  double hairs;          // of its strand
  double before;         // N of the kernel before; in the end N
  uint32_t first, last;  // beads of its strand
  uint32_t settled;      // its N is final, or it is the mean of its neighbours'
} Bead;

// Beads of a cell as one.
typedef struct Cell {
  uint64_t key;
  double x[3];    // sum of weight times position
  double weight;  // m
  size_t first;   // of its beads in `order`
  float near[4];  // centre from the box's corner, in widths of the kernel, and weight
} Cell;

typedef struct Capacity {
  RvCouple* c;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  Bead* beads;
  Cell* cells;
  size_t nbead, ncell;
  // from the scratch
  uint32_t* first;                // [strands + 1] beads of each strand
  uint32_t *order, *spare_order;  // [beads] by cells
  uint64_t *keys, *spare_keys;    // [beads] cells
  double radius;                  // m, R of the kernel
  double spacing;                 // m, of beads
  double lo[3], inverse;          // m, corner of the box; 1/m, of the cells' size
  int bits[3];                    // of the keys, for each axis
  uint64_t offset[ROWS];          // from a cell's key to the first of each row around it
} Capacity;

//---------------------------------------------------------------------------------------------- accelerations

static RvVec3 vertex_tangent(const RvCoupleVertex* v, int i, int n) {
  RvVec3 sum = {0, 0, 0};
  if (i > 0) sum = rv_add(sum, rv_couple_tangent(v - 1));
  if (i + 1 < n) sum = rv_add(sum, rv_couple_tangent(v));
  return rv_normalize(sum, rv_vec3(0, 1, 0));
}

// Acceleration of a vertex between the two substeps; 0 where it is not known.
static RvVec3 strand_acceleration(const Capacity* k, const RvCoupleStrand* s, int i) {
  const RvCoupleStrands* in = k->strands;
  if (!(in->dt_before > 0) || !in->v_before) return rv_vec3(0, 0, 0);
  const double* before = in->v_before + s->unknown + (size_t)(4 * i) * RV_LANES;
  RvVec3 v = rv_couple_v(&k->c->vertices.data[s->first + (size_t)i]);
  RvVec3 a = rv_scale(rv_sub(v, rv_vec3(before[0], before[RV_LANES], before[2 * RV_LANES])), 1 / in->dt_before);
  return rv_vec3_finite(a) ? a : rv_vec3(0, 0, 0);
}

// Acceleration that pulls the film off: gravity less the strand's acceleration. The latter is smoothed along the strand
// with weights 1/4, 1/2, 1/4, as the vibration of a single vertex does not shake off a drop.
static void find_acceleration(void* arg, size_t begin, size_t end) {
  const Capacity* k = arg;
  const double* g = k->set->gravity;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    const RvCoupleVertex* v = &k->c->vertices.data[s->first];
    RvVec3 a = strand_acceleration(k, s, 0), b = a;
    for (int i = 0; i < s->count; ++i) {
      RvVec3 c = i + 1 < s->count ? strand_acceleration(k, s, i + 1) : b;
      RvVec3 mean = rv_scale(rv_add(rv_add(a, c), rv_scale(b, 2)), 0.25);
      RvVec3 pull = rv_sub(rv_vec3(g[0], g[1], g[2]), mean);
      RvVec3 t = vertex_tangent(v + i, i, s->count);
      double along = rv_dot(pull, t), square = rv_dot(pull, pull) - along * along;
      k->c->acceleration.data[s->first + (size_t)i] =
          sqrt(fmax(square, 0) + ALONG * ALONG * along * along + RV_COUPLE_LEAST_PULL * RV_COUPLE_LEAST_PULL);
      if (i + 1 == s->count) rv_vec3_store64(&k->c->tip_pull.data[3 * n], pull);
      a = b;
      b = c;
    }
  }
}

// r_max of (17) at a vertex, m.
static double radius_of(const Capacity* k, const RvCoupleVertex* v, double pull, double hairs) {
  return rv_couple_capacity_radius(v->radius, k->set->tension, k->set->density, pull, hairs);
}

// Sum of r_max of some strands; one vertex a strand is enough for the spacing of beads.
static double sum_radius(void* arg, size_t begin, size_t end) {
  const Capacity* k = arg;
  double sum = 0;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    int middle = s->count / 2;
    size_t at = s->first + (size_t)middle;
    sum += s->valid ? radius_of(k, &k->c->vertices.data[at], k->c->acceleration.data[at], s->hairs) : 0;
  }
  return sum;
}

//---------------------------------------------------------------------------------------------- beads

// Number of beads of each strand, and memory for all; false: no memory.
static bool count_beads(Capacity* k) {
  RvCouple* c = k->c;
  size_t n = c->strands.count;
  if (!(k->first = RV_TAKE(c->scratch, uint32_t, n + 1))) return false;
  k->nbead = 0;
  for (size_t i = 0; i < n; ++i) {
    const RvCoupleStrand* s = &c->strands.data[i];
    k->first[i] = (uint32_t)k->nbead;
    if (!s->valid) continue;
    double want = ceil(rv_couple_strand_length(k->c, s) / k->spacing);
    double most = (double)BEADS_A_VERTEX * s->count;
    k->nbead += want < 1 ? 1 : (size_t)(want < most ? want : most);
  }
  k->first[n] = (uint32_t)k->nbead;
  if (k->nbead > UINT32_MAX / 2) return false;
  k->beads = RV_TAKE(c->scratch, Bead, k->nbead);
  k->cells = RV_TAKE(c->scratch, Cell, k->nbead);
  k->order = RV_TAKE(c->scratch, uint32_t, k->nbead);
  k->spare_order = RV_TAKE(c->scratch, uint32_t, k->nbead);
  k->keys = RV_TAKE(c->scratch, uint64_t, k->nbead);
  k->spare_keys = RV_TAKE(c->scratch, uint64_t, k->nbead);
  return k->beads && k->cells && k->order && k->spare_order && k->keys && k->spare_keys;
}

// Places beads at equal distances along some strands.
static void lay_beads(void* arg, size_t begin, size_t end) {
  const Capacity* k = arg;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    const RvCoupleVertex* v = &k->c->vertices.data[s->first];
    uint32_t first = k->first[n], last = k->first[n + 1];
    if (first == last) continue;
    double each = rv_couple_strand_length(k->c, s) / (last - first);
    RvCoupleWalk walk = {0};
    for (uint32_t b = first; b < last; ++b) {
      // The edge of the bead.
      double want = (b - first + 0.5) * each;
      double t = rv_couple_walk_to(&walk, k->c, s, want);
      const int i = walk.edge;
      const double* pull = &k->c->acceleration.data[s->first + (size_t)i];
      // The bead.
      Bead* bead = &k->beads[b];
      rv_vec3_store64(bead->x, rv_lerp(rv_couple_x(v + i), rv_couple_x(v + i + 1), t));
      bead->weight = s->hairs * each;
      bead->hairs = bead->before = s->hairs;
      bead->one = radius_of(k, v + i, pull[0] + t * (pull[1] - pull[0]), 1);
      bead->first = first;
      bead->last = last;
      // every other bead is the mean of its neighbours, as the kernel is about four beads wide
      bead->settled = (b - first) % 2 && b + 1 < last;
    }
  }
}

//---------------------------------------------------------------------------------------------- cells

static uint64_t key_of(const Capacity* k, const int64_t i[3]) {
  return ((uint64_t)i[2] << k->bits[1] | (uint64_t)i[1]) << k->bits[0] | (uint64_t)i[0];
}

// Key of the cell of a bead.
static uint64_t bead_key(const Capacity* k, const Bead* b) {
  int64_t i[3];
  // beads are never below `lo`
  for (int a = 0; a < 3; ++a) i[a] = (int64_t)((b->x[a] - k->lo[a]) * k->inverse) + REACH;
  return key_of(k, i);
}

// Cells of some beads.
static void find_keys(void* arg, size_t begin, size_t end) {
  const Capacity* k = arg;
  for (size_t b = begin; b < end; ++b) {
    k->keys[b] = bead_key(k, &k->beads[b]);
    k->order[b] = (uint32_t)b;
  }
}

// Cells of half the kernel's width, with a margin of REACH cells, and the key offsets of the rows around a cell.
static void set_box(Capacity* k, const double lo[3], const double hi[3]) {
  double size = WIDTH * k->radius / REACH;
  for (int a = 0; a < 3; ++a) size = fmax(size, (hi[a] - lo[a]) / (double)(1 << AXIS_BITS));
  k->inverse = 1 / size;
  for (int a = 0; a < 3; ++a) {
    k->lo[a] = lo[a];
    k->bits[a] = rv_sort_bits((uint64_t)((hi[a] - lo[a]) * k->inverse) + 2 * REACH + 2);
  }
  for (int z = -REACH, n = 0; z <= REACH; ++z)
    for (int y = -REACH; y <= REACH; ++y, ++n)
      // negative offsets wrap around; adding a key gives the right number again
      k->offset[n] = ((uint64_t)(int64_t)z << (k->bits[0] + k->bits[1])) + ((uint64_t)(int64_t)y << k->bits[0]) - REACH;
}

// Sorts the beads by cells and sums each cell.
static void make_cells(Capacity* k) {
  rv_parallel_for(k->nbead, BEADS_OF_TASK, find_keys, k);
  rv_sort_keys(k->keys, k->order, k->spare_keys, k->spare_order, k->nbead, k->bits[0] + k->bits[1] + k->bits[2]);
  k->ncell = 0;
  for (size_t i = 0; i < k->nbead; ++i) {
    const Bead* b = &k->beads[k->order[i]];
    if (i == 0 || k->keys[i] != k->keys[i - 1]) k->cells[k->ncell++] = (Cell){.key = k->keys[i], .first = i};
    Cell* cell = &k->cells[k->ncell - 1];
    for (int a = 0; a < 3; ++a) cell->x[a] += b->weight * b->x[a];
    cell->weight += b->weight;
  }
  double inverse = 1 / (WIDTH * k->radius);
  for (size_t i = 0; i < k->ncell; ++i) {
    Cell* cell = &k->cells[i];
    for (int a = 0; a < 3; ++a) cell->near[a] = (float)((cell->x[a] / cell->weight - k->lo[a]) * inverse);
    cell->near[3] = (float)cell->weight;
  }
}

// The kernel (1 - r^2/S^2)^2.
static double kernel(const double* x, const double* y, double inverse2) {
  double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  double u = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inverse2;
  return u > 0 ? u * u : 0;
}

// Cells around a cell, padded to a multiple of 8.
typedef struct Near {
  float x[NEAR_MOST], y[NEAR_MOST], z[NEAR_MOST], weight[NEAR_MOST];
  int count;
} __attribute__((aligned(64))) Near;

// Collects the cells around one. `from`: first candidate in each row; `least`: first key of each row.
static void collect_near(const Capacity* k, const size_t* from, const uint64_t* least, Near* near) {
  int n = 0;
  for (int row = 0; row < ROWS; ++row)
    for (size_t j = from[row]; j < k->ncell && k->cells[j].key <= least[row] + 2 * REACH; ++j, ++n) {
      const float* other = k->cells[j].near;
      near->x[n] = other[0];
      near->y[n] = other[1];
      near->z[n] = other[2];
      near->weight[n] = other[3];
    }
  for (; n % 8; ++n) {
    near->x[n] = near->y[n] = near->z[n] = (float)OUTSIDE;
    near->weight[n] = 0;
  }
  near->count = n;
}

// Four at a time on every machine, so that the bits do not depend on it.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t Four32 __attribute__((vector_size(16)));

// Sum of the kernel over the collected cells.
static double sum_near(const Near* near, float x, float y, float z) {
  Four sum[2] = {{0}, {0}};
  for (int j = 0; j < near->count; j += 4) {
    Four a = *(const Four*)(near->x + j) - x, b = *(const Four*)(near->y + j) - y, c = *(const Four*)(near->z + j) - z;
    Four u = 1 - (a * a + b * b + c * c);
    u = (Four)((Four32)u & (u > 0));
    sum[j >> 2 & 1] += *(const Four*)(near->weight + j) * (u * u);
  }
  Four all = sum[0] + sum[1];
  return (double)((all[0] + all[1]) + (all[2] + all[3]));
}

// Sum of the kernel over the bead's own strand, whose beads are taken cell by cell as those of all hair are: a hair
// alone counts as 1 however its beads fall into the cells.
static double sum_own(const Capacity* k, const Bead* b, double inverse) {
  // the kernel's width, and half of it for the cells at its edge
  int64_t at = b - k->beads, away = (int64_t)(1.5 / (inverse * (b->weight / b->hairs))) + 2;
  int64_t lo = at - away > b->first ? at - away : b->first;
  int64_t hi = at + away < b->last ? at + away + 1 : b->last;
  double sum = 0;
  uint64_t key = bead_key(k, &k->beads[lo]);
  while (lo < hi) {
    double x[3] = {0, 0, 0};
    int64_t first = lo;
    uint64_t cell = key;
    for (; lo < hi && key == cell; key = ++lo < hi ? bead_key(k, &k->beads[lo]) : 0)
      for (int a = 0; a < 3; ++a) x[a] += k->beads[lo].x[a];
    double count = (double)(lo - first);
    for (int a = 0; a < 3; ++a) x[a] /= count;
    sum += count * b->weight * kernel(b->x, x, inverse * inverse);
  }
  return sum;
}

// Ratio of the kernel's sum over all hair to that over the bead's own strand, at least 1.
static double count_ratio(const Capacity* k, const Bead* b, const Near* near) {
  double inverse = 1 / (WIDTH * k->radius), own = sum_own(k, b, inverse);
  double all = sum_near(near, (float)((b->x[0] - k->lo[0]) * inverse), (float)((b->x[1] - k->lo[1]) * inverse),
                        (float)((b->x[2] - k->lo[2]) * inverse));
  return own > 0 && all > own ? all / own : 1;
}

// N within r_max: N is interpolated between the two last kernels, linearly in the logarithms of R and N, at the R that
// equals r_max = one N^(1/6).
static void settle(const Capacity* k, Bead* b, double ratio, double hairs, bool first, bool last) {
  double n = hairs * ratio, want = b->one * sqrt(rv_root3(n));
  b->settled = want <= k->radius || last;
  double before = b->before;
  b->before = n;
  if (!b->settled || first || last) return;
  double slope = rv_clamp(rv_log_e(n / before) / rv_log_e(2), 0, 3);
  double narrow = rv_log_e(0.5 * k->radius);
  double at = (rv_log_e(b->one * sqrt(rv_root3(before))) - slope / 6 * narrow) / (1 - slope / 6);
  b->before = before * rv_exp(slope * rv_clamp(at - narrow, 0, rv_log_e(2)));
}

typedef struct Level {
  Capacity* k;
  bool first, last;
} Level;

// Hair counts of the beads of some cells. Cells are sorted, so the first cells of the rows around move along.
static void count_some(void* arg, size_t begin, size_t end) {
  const Level* level = arg;
  const Capacity* k = level->k;
  size_t from[ROWS];
  uint64_t least[ROWS];
  Near near;
  for (int n = 0; n < ROWS; ++n) {
    // bisection: first cell of the row around this task's first cell
    size_t lo = 0, hi = k->ncell;
    uint64_t key = k->cells[begin].key + k->offset[n];
    while (lo < hi) {
      size_t mid = (lo + hi) / 2;
      if (k->cells[mid].key < key)
        lo = mid + 1;
      else
        hi = mid;
    }
    from[n] = lo;
  }
  for (size_t i = begin; i < end; ++i) {
    size_t last = i + 1 < k->ncell ? k->cells[i + 1].first : k->nbead;
    bool done = true;
    for (size_t j = k->cells[i].first; j < last && done; ++j) done = k->beads[k->order[j]].settled;
    if (done) continue;
    for (int n = 0; n < ROWS; ++n) {
      least[n] = k->cells[i].key + k->offset[n];
      while (from[n] < k->ncell && k->cells[from[n]].key < least[n]) ++from[n];
    }
    collect_near(k, from, least, &near);
    for (size_t j = k->cells[i].first; j < last; ++j) {
      Bead* b = &k->beads[k->order[j]];
      if (!b->settled) settle(k, b, count_ratio(k, b, &near), b->hairs, level->first, level->last);
    }
  }
}

// Counts the hairs around all beads with kernels of growing radius; false: no memory.
static bool count_all(Capacity* k, double mean) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t b = 0; b < k->nbead; ++b)
    for (int a = 0; a < 3; ++a) {
      lo[a] = fmin(lo[a], k->beads[b].x[a]);
      hi[a] = fmax(hi[a], k->beads[b].x[a]);
    }
  k->radius = FIRST * mean;
  for (int n = 0; n < LEVELS; ++n, k->radius *= 2) {
    Level level = {k, n == 0, n + 1 == LEVELS};
    set_box(k, lo, hi);
    make_cells(k);
    rv_parallel_for(k->ncell, CELLS_OF_TASK, count_some, &level);
    bool done = true;
    for (size_t b = 0; b < k->nbead && done; ++b) done = k->beads[b].settled;
    if (done) break;
  }
  return true;
}

//---------------------------------------------------------------------------------------------- to the vertices

// N of a bead; those between are the mean of their neighbours.
static double hairs_of(const Capacity* k, uint32_t bead) {
  const Bead* b = &k->beads[bead];
  bool between = (bead - b->first) % 2 && bead + 1 < b->last;
  return between ? 0.5 * (b[-1].before + b[1].before) : b->before;
}

// Capacity of a vertex with N hairs around it.
static void set_vertex(const Capacity* k, const RvCoupleStrand* s, int i, double hairs) {
  RvCouple* c = k->c;
  size_t packed = s->first + (size_t)i;
  const RvCoupleVertex* v = &c->vertices.data[packed];
  double pull = c->acceleration.data[packed];
  double reach = radius_of(k, v, pull, hairs);
  double yield = k->set->yield;
  const double* solids = k->strands->film_state ? k->strands->film_state->solids : NULL;
  if (yield > 0 && solids) yield *= rv_film_solids_yield(k->set->solids, solids[s->vertex + (size_t)i * RV_LANES]);
  if (yield > 0) reach = rv_couple_yield_radius(reach, v->radius, yield, k->set->density, pull, hairs);
  double multiplier = fmax(rv_couple_at(k->set->capacity_at, s, i), 0) * k->set->capacity;
  c->hair_count.data[packed] = hairs;
  c->capacity_radius.data[packed] = reach;
  // a bundle holds what fills it
  double area = fmax(2.0 / 3 * RV_PI * reach * reach / hairs, c->bundle_share.data[packed] * c->free_area.data[packed]);
  c->capacity.data[packed] = multiplier * s->hairs * v->length * area;
}

// Capacities of some strands: N is interpolated between the beads.
static void set_vertices(void* arg, size_t begin, size_t end) {
  const Capacity* k = arg;
  RvCouple* c = k->c;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &c->strands.data[n];
    uint32_t first = k->first[n], count = k->first[n + 1] - first;
    double each = count ? rv_couple_strand_length(k->c, s) / count : 1, at = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      const RvCoupleVertex* v = &c->vertices.data[packed];
      if (!s->valid || count == 0) {
        c->capacity.data[packed] = c->capacity_radius.data[packed] = 0;
        c->hair_count.data[packed] = s->hairs;
        continue;
      }
      double place = each > 0 ? rv_clamp(at / each - 0.5, 0, count - 1) : 0;
      uint32_t b = (uint32_t)place < count - 1 ? (uint32_t)place : count - 1;
      uint32_t next = b + 1 < count ? b + 1 : b;
      double hairs = hairs_of(k, first + b), t = place - b;
      hairs += t * (hairs_of(k, first + next) - hairs);
      set_vertex(k, s, i, hairs);
      if (i + 1 < s->count) at += rv_distance(rv_couple_x(v), rv_couple_x(v + 1));
    }
  }
}

// Capacities of some strands with the hairs counted before: only the accelerations have changed.
static void set_again(void* arg, size_t begin, size_t end) {
  const Capacity* k = arg;
  RvCouple* c = k->c;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &c->strands.data[n];
    for (int i = 0; i < s->count && s->valid; ++i) set_vertex(k, s, i, c->hair_count.data[s->first + (size_t)i]);
  }
}

// Hash of all input of the capacity, never 0.
static uint64_t hash_input(const RvCoupleStrands* s, const RvCoupleSettings* set) {
  const RvStrandModel* m = s->model;
  const double* at = set->capacity_at;
  size_t bytes = m->unknowns * sizeof(double);
  double numbers[] = {set->density,    set->tension, set->capacity, set->gravity[0], set->gravity[1],
                      set->gravity[2], s->dt_before, s->offset[0],  s->offset[1],    s->offset[2],
                      set->angle,      set->yield,   set->solids};
  RvHasher h = rv_hasher_new(1);
  rv_hasher_add(&h, numbers, sizeof numbers);
  rv_hasher_add(&h, s->q, bytes);
  rv_hasher_add(&h, s->v, bytes);
  if (s->v_before && s->dt_before > 0) rv_hasher_add(&h, s->v_before, bytes);
  if (at) rv_hasher_add(&h, at, m->vertices * sizeof(double));
  if (set->angle_at) rv_hasher_add(&h, set->angle_at, m->vertices * sizeof(double));
  if (s->hairs) rv_hasher_add(&h, s->hairs, m->nstrand * sizeof(double));
  if (s->film_state && s->film_state->solids) rv_hasher_add(&h, s->film_state->solids, m->vertices * sizeof(double));
  rv_hasher_add(&h, m->radius, m->vertices * sizeof(double));
  return rv_hasher_done(&h) | 1;
}

// Counts the hairs and sets the capacities; false: no memory.
static bool count_anew(Capacity* k) {
  RvCouple* c = k->c;
  size_t valid = 0;
  for (size_t i = 0; i < c->strands.count; ++i) valid += c->strands.data[i].valid;
  double mean = rv_parallel_sum(c->strands.count, STRANDS_OF_TASK, sum_radius, k) / (double)(valid ? valid : 1);
  k->spacing = mean > 0 ? SPACING * mean : INFINITY;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  bool ok = count_beads(k);
  if (ok) rv_parallel_for(c->strands.count, STRANDS_OF_TASK, lay_beads, k);
  ok = ok && (!(mean > 0) || k->nbead == 0 || count_all(k, mean));
  if (ok) rv_parallel_for(c->strands.count, STRANDS_OF_TASK, set_vertices, k);
  rv_arena_release(c->scratch, mark);
  return ok;
}

RvResult rv_couple_find_capacity(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                                 RvError* error) {
  RvResult result = rv_couple_pack(c, strands, settings, error);
  if (result) return result;
  uint64_t key = hash_input(strands, settings);
  if (key == c->capacity_key && c->capacity.count == c->vertices.count) return RV_OK;
  c->capacity_key = 0;
  result = rv_couple_find_spacing(c, strands, settings, error);
  if (result) return result;
  size_t n = c->vertices.count;
  Capacity k = {.c = c, .strands = strands, .set = settings};
  // Arrays; hairs are counted again only with a new key.
  bool again = settings->count_key && settings->count_key == c->count_key && c->hair_count.count == n;
  bool ok = rv_array_resize(&c->capacity, n) && rv_array_resize(&c->capacity_radius, n) &&
            rv_array_resize(&c->acceleration, n) && rv_array_resize(&c->hair_count, n) &&
            rv_array_resize(&c->tip_pull, 3 * c->strands.count);
  if (ok && c->strands.count) {
    // Accelerations, then hair counts and capacities.
    rv_parallel_for(c->strands.count, STRANDS_OF_TASK, find_acceleration, &k);
    if (again)
      rv_parallel_for(c->strands.count, STRANDS_OF_TASK, set_again, &k);
    else
      ok = count_anew(&k);
  }
  if (!ok)
    return rv_fail(error, RV_NO_MEMORY, "coupling: out of memory to count the hairs around %zu strands",
                   c->strands.count);
  c->capacity_key = key;
  c->count_key = settings->count_key;
  return RV_OK;
}

RvResult rv_couple_capacity(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                            double* capacity, double* hairs, RvError* error) {
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = rv_couple_find_capacity(c, strands, settings, error);
  rv_arena_release(c->scratch, mark);
  if (result) return result;
  memset(capacity, 0, strands->model->vertices * sizeof *capacity);
  if (hairs) memset(hairs, 0, strands->model->vertices * sizeof *hairs);
  for (size_t k = 0; k < c->strands.count; ++k) {
    const RvCoupleStrand* s = &c->strands.data[k];
    for (int i = 0; i < s->count; ++i) {
      rv_couple_put1(capacity, s, i, c->capacity.data[s->first + (size_t)i]);
      if (hairs) rv_couple_put1(hairs, s, i, c->hair_count.data[s->first + (size_t)i]);
    }
  }
  return RV_OK;
}
