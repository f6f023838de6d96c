// Volume of fibre within a radius of strands, in hairs of each strand's own (WH-39, E75; see fibres.c).
//
// Beads at equal distances along the strands have the volume of their fibre. They are summed with the kernel
// (1 - d^2/S^2)^2, S^2 = 3.5 R^2, which in evenly spread fibres counts as many as a cylinder of radius R has, and
// divided by the sum of the strand's own beads, so that one strand counts as itself at its tip too. Beads of a cell of
// half the kernel's width are summed as one, at their centre and with their variance, so dense hair costs no more than
// sparse hair.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { REACH = 2 };                                 // cells to each side that the kernel covers
enum { ROWS = (2 * REACH + 1) * (2 * REACH + 1) };  // rows of cells around a cell
enum { NEAR_MOST = ROWS * (2 * REACH + 1) + 3 };    // cells around a cell, rounded up to whole vectors
enum { STRANDS_OF_TASK = 64, CELLS_OF_TASK = 64, BEADS_OF_TASK = 4096 };
enum { AXIS_BITS = 20 };                   // of a key for each axis at most
enum { BEADS_A_VERTEX = 32 };              // beads of a strand at most, for each of its vertices
static const double WIDTH = 1.8708286934;  // S in R: sqrt(3.5)
static const float OUTSIDE = -9;           // widths of the kernel: a place that it never reaches

typedef struct Bead {
  double x[3];           // m
  double length;         // m
  double volume;         // m3
  double count;          // volume around in hairs of its own strand
  uint32_t first, last;  // beads of its strand
  bool counts;           // its count is wanted
} Bead;

// Beads of a cell as one.
typedef struct Cell {
  uint64_t key;
  double x[3];    // m4, sum of volume times position
  double volume;  // m3
  size_t first;   // of its beads in `order`
  float at[3];    // centre from the box's corner, in widths of the kernel
  float weight;   // m3
  float spread;   // m3, weight times half of the beads' variance along an axis, in squared widths
} Cell;

typedef struct Count {
  RvCouple* c;
  const RvCoupleFibres* fibres;
  // from the scratch
  Bead* beads;
  Cell* cells;
  size_t nbead, ncell;
  uint32_t* first;                // [strands + 1] beads of each strand
  uint32_t *order, *spare_order;  // [beads] by cells
  uint64_t *keys, *spare_keys;    // [beads] cells
  double width;                   // m, of the kernel
  double lo[3], inverse;          // m, corner of the box; 1/m, of the cells' size
  int bits[3];                    // of the keys, for each axis
  uint64_t offset[ROWS];          // from a cell's key to the first of each row around it
} Count;

//---------------------------------------------------------------------------------------------- beads

// Number of beads of each strand, and memory for all; false: no memory.
static bool count_beads(Count* k) {
  RvCouple* c = k->c;
  size_t n = c->strands.count;
  if (!(k->first = RV_TAKE(c->scratch, uint32_t, n + 1))) return false;
  for (size_t i = 0; i < n; ++i) {
    const RvCoupleStrand* s = &c->strands.data[i];
    k->first[i] = (uint32_t)k->nbead;
    if (!s->valid) continue;
    double want = ceil(rv_couple_strand_length(k->c, s) / k->fibres->radius);
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

// A bead at t of an edge. Those outside of the box need no count, and every other one takes the mean of its
// neighbours'.
static void lay_bead(const Count* k, const RvCoupleStrand* s, int edge, double t, uint32_t at, Bead* bead) {
  const RvCoupleVertex* v = &k->c->vertices.data[s->first + (size_t)edge];
  double radius = v[0].radius + t * (v[1].radius - v[0].radius);
  rv_vec3_store64(bead->x, rv_lerp(rv_couple_x(v), rv_couple_x(v + 1), t));
  bead->volume = s->hairs * bead->length * RV_PI * radius * radius;
  bead->count = s->hairs;
  bead->counts = (at - bead->first) % 2 == 0 || at + 1 == bead->last;
  for (int a = 0; a < 3; ++a)
    bead->counts = bead->counts && bead->x[a] > k->fibres->lo[a] && bead->x[a] < k->fibres->hi[a];
}

// Places beads at equal distances along some strands.
static void lay_beads(void* arg, size_t begin, size_t end) {
  const Count* k = arg;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    uint32_t first = k->first[n], last = k->first[n + 1];
    if (first == last) continue;
    double each = rv_couple_strand_length(k->c, s) / (last - first);
    RvCoupleWalk walk = {0};
    for (uint32_t b = first; b < last; ++b) {
      double want = (b - first + 0.5) * each;
      k->beads[b] = (Bead){.length = each, .first = first, .last = last};
      double t = rv_couple_walk_to(&walk, k->c, s, want);
      lay_bead(k, s, walk.edge, t, b, &k->beads[b]);
    }
  }
}

//---------------------------------------------------------------------------------------------- cells

// Cells of some beads.
static void find_keys(void* arg, size_t begin, size_t end) {
  const Count* k = arg;
  for (size_t b = begin; b < end; ++b) {
    uint64_t i[3];
    for (int a = 0; a < 3; ++a) i[a] = (uint64_t)((k->beads[b].x[a] - k->lo[a]) * k->inverse) + REACH;
    k->keys[b] = (i[2] << k->bits[1] | i[1]) << k->bits[0] | i[0];
    k->order[b] = (uint32_t)b;
  }
}

// Cells of half the kernel's width, with a margin of REACH cells, and the key offsets of the rows around a cell. One
// cell is in the middle of the box and as many on both sides, so that turned or mirrored hair is counted as it was.
static void set_cells(Count* k) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, size = k->width / REACH;
  for (size_t b = 0; b < k->nbead; ++b)
    for (int a = 0; a < 3; ++a) {
      lo[a] = fmin(lo[a], k->beads[b].x[a]);
      hi[a] = fmax(hi[a], k->beads[b].x[a]);
    }
  for (int a = 0; a < 3; ++a) size = fmax(size, (hi[a] - lo[a]) / (double)(1 << AXIS_BITS));
  k->inverse = 1 / size;
  for (int a = 0; a < 3; ++a) {
    double half = ceil(0.5 * (hi[a] - lo[a]) * k->inverse) + 0.5;
    k->lo[a] = 0.5 * (lo[a] + hi[a]) - half * size;
    k->bits[a] = rv_sort_bits((uint64_t)(2 * half) + 2 * REACH + 2);
  }
  for (int z = -REACH, n = 0; z <= REACH; ++z)
    for (int y = -REACH; y <= REACH; ++y, ++n)
      // negative offsets wrap around; adding a key gives the right number again
      k->offset[n] = ((uint64_t)(int64_t)z << (k->bits[0] + k->bits[1])) + ((uint64_t)(int64_t)y << k->bits[0]) - REACH;
}

static size_t last_of(const Count* k, size_t cell) {
  return cell + 1 < k->ncell ? k->cells[cell + 1].first : k->nbead;
}

// Centres and variances of some cells.
static void finish_cells(void* arg, size_t begin, size_t end) {
  const Count* k = arg;
  double inverse = 1 / k->width;
  for (size_t i = begin; i < end; ++i) {
    Cell* cell = &k->cells[i];
    double square = 0;
    for (int a = 0; a < 3; ++a) {
      cell->x[a] /= cell->volume;
      cell->at[a] = (float)((cell->x[a] - k->lo[a]) * inverse);
    }
    for (size_t j = cell->first; j < last_of(k, i); ++j) {
      const Bead* b = &k->beads[k->order[j]];
      for (int a = 0; a < 3; ++a) square += b->volume * (b->x[a] - cell->x[a]) * (b->x[a] - cell->x[a]);
    }
    // the mean of three axes, and half of it
    cell->spread = (float)(square / 6 * inverse * inverse);
    cell->weight = (float)cell->volume;
  }
}

// Sorts the beads by cells and sums each cell.
static void make_cells(Count* k) {
  set_cells(k);
  rv_parallel_for(k->nbead, BEADS_OF_TASK, find_keys, k);
  rv_sort_keys(k->keys, k->order, k->spare_keys, k->spare_order, k->nbead, k->bits[0] + k->bits[1] + k->bits[2]);
  for (size_t i = 0; i < k->nbead; ++i) {
    const Bead* b = &k->beads[k->order[i]];
    if (i == 0 || k->keys[i] != k->keys[i - 1]) k->cells[k->ncell++] = (Cell){.key = k->keys[i], .first = i};
    Cell* cell = &k->cells[k->ncell - 1];
    for (int a = 0; a < 3; ++a) cell->x[a] += b->volume * b->x[a];
    cell->volume += b->volume;
  }
  rv_parallel_for(k->ncell, CELLS_OF_TASK, finish_cells, k);
}

//---------------------------------------------------------------------------------------------- sums

// Cells around a cell, padded to a multiple of 4.
typedef struct Near {
  float x[NEAR_MOST], y[NEAR_MOST], z[NEAR_MOST], weight[NEAR_MOST], spread[NEAR_MOST];
  int count;
} __attribute__((aligned(64))) Near;

// Collects the cells around one. `from`: first candidate in each row; `least`: first key of each row.
static void collect_near(const Count* k, const size_t* from, const uint64_t* least, Near* near) {
  int n = 0;
  for (int row = 0; row < ROWS; ++row)
    for (size_t j = from[row]; j < k->ncell && k->cells[j].key <= least[row] + 2 * REACH; ++j, ++n) {
      const Cell* other = &k->cells[j];
      near->x[n] = other->at[0];
      near->y[n] = other->at[1];
      near->z[n] = other->at[2];
      near->weight[n] = other->weight;
      near->spread[n] = other->spread;
    }
  for (; n % 4; ++n) {
    near->x[n] = near->y[n] = near->z[n] = OUTSIDE;
    near->weight[n] = near->spread[n] = 0;
  }
  near->count = n;
}

// Four at a time on every machine, so that the bits do not depend on it.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t Four32 __attribute__((vector_size(16)));

// Sum of the kernel u^2, u = 1 - d^2, over the collected cells; its Laplacian 8 - 20 u times their variance is what the
// sum over single beads has more.
static double sum_near(const Near* near, const float x[3]) {
  Four sum[2] = {{0}, {0}};
  for (int j = 0; j < near->count; j += 4) {
    Four a, b, c, weight, spread;
    memcpy(&a, near->x + j, sizeof a);
    memcpy(&b, near->y + j, sizeof b);
    memcpy(&c, near->z + j, sizeof c);
    memcpy(&weight, near->weight + j, sizeof weight);
    memcpy(&spread, near->spread + j, sizeof spread);
    a -= x[0];
    b -= x[1];
    c -= x[2];
    Four u = 1 - (a * a + b * b + c * c);
    Four part = weight * (u * u) + spread * (8 - 20 * u);
    sum[j >> 2 & 1] += (Four)((Four32)part & (u > 0));
  }
  Four all = sum[0] + sum[1];
  return (double)((all[0] + all[1]) + (all[2] + all[3]));
}

// Sum of the kernel over the beads of the bead's own strand.
static double sum_own(const Count* k, const Bead* b) {
  int64_t at = b - k->beads, away = (int64_t)(k->width / b->length) + 2;
  int64_t lo = at - away > b->first ? at - away : b->first;
  int64_t hi = at + away < b->last ? at + away + 1 : b->last;
  double inverse2 = 1 / (k->width * k->width), sum = 0;
  for (int64_t j = lo; j < hi; ++j) {
    RvVec3 d = rv_sub(rv_vec3_load64(b->x), rv_vec3_load64(k->beads[j].x));
    double u = 1 - rv_dot(d, d) * inverse2;
    sum += u > 0 ? k->beads[j].volume * u * u : 0;
  }
  return sum;
}

// Counts of the beads of a cell, at least the strand's own hairs.
static void count_cell(const Count* k, size_t cell, const Near* near) {
  double inverse = 1 / k->width;
  for (size_t j = k->cells[cell].first; j < last_of(k, cell); ++j) {
    Bead* b = &k->beads[k->order[j]];
    float x[3];
    if (!b->counts) continue;
    for (int a = 0; a < 3; ++a) x[a] = (float)((b->x[a] - k->lo[a]) * inverse);
    double all = sum_near(near, x), own = sum_own(k, b);
    if (own > 0 && all > own) b->count *= all / own;
  }
}

// First cell from a key on, by bisection.
static size_t find_cell(const Count* k, uint64_t key) {
  size_t lo = 0, hi = k->ncell;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (k->cells[mid].key < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// Counts of the beads of some cells. Cells are sorted, so the first cells of the rows around move along.
static void count_some(void* arg, size_t begin, size_t end) {
  const Count* k = arg;
  size_t from[ROWS];
  uint64_t least[ROWS];
  Near near;
  for (int n = 0; n < ROWS; ++n) from[n] = find_cell(k, k->cells[begin].key + k->offset[n]);
  for (size_t i = begin; i < end; ++i) {
    bool any = false;
    for (size_t j = k->cells[i].first; j < last_of(k, i) && !any; ++j) any = k->beads[k->order[j]].counts;
    if (!any) continue;
    for (int n = 0; n < ROWS; ++n) {
      least[n] = k->cells[i].key + k->offset[n];
      while (from[n] < k->ncell && k->cells[from[n]].key < least[n]) ++from[n];
    }
    collect_near(k, from, least, &near);
    count_cell(k, i, &near);
  }
}

//---------------------------------------------------------------------------------------------- to the vertices

// Count of a bead; those between are the mean of their neighbours.
static double count_of(const Count* k, uint32_t bead) {
  const Bead* b = &k->beads[bead];
  bool between = (bead - b->first) % 2 && bead + 1 < b->last;
  return between ? 0.5 * (b[-1].count + b[1].count) : b->count;
}

// Counts of the vertices of some strands, interpolated between the beads.
static void set_vertices(void* arg, size_t begin, size_t end) {
  const Count* k = arg;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    uint32_t first = k->first[n], count = k->first[n + 1] - first;
    double each = count ? rv_couple_strand_length(k->c, s) / count : 0, at = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      const RvCoupleVertex* v = &k->c->vertices.data[packed];
      k->fibres->count[packed] = s->hairs;
      if (count == 0) continue;
      double place = each > 0 ? rv_clamp(at / each - 0.5, 0, count - 1) : 0;
      uint32_t b = (uint32_t)place, next = b + 1 < count ? b + 1 : b;
      double here = count_of(k, first + b);
      k->fibres->count[packed] = here + (place - b) * (count_of(k, first + next) - here);
      if (i + 1 < s->count) at += rv_distance(rv_couple_x(v), rv_couple_x(v + 1));
    }
  }
}

bool rv_couple_count_fibres(RvCouple* c, const RvCoupleFibres* fibres) {
  Count k = {.c = c, .fibres = fibres, .width = WIDTH * fibres->radius};
  RvArenaMark mark = rv_arena_mark(c->scratch);
  bool ok = count_beads(&k);
  if (ok) rv_parallel_for(c->strands.count, STRANDS_OF_TASK, lay_beads, &k);
  if (ok && k.nbead > 0) make_cells(&k);
  if (ok) rv_parallel_for(k.ncell, CELLS_OF_TASK, count_some, &k);
  if (ok) rv_parallel_for(c->strands.count, STRANDS_OF_TASK, set_vertices, &k);
  rv_arena_release(c->scratch, mark);
  return ok;
}
