// Pairs of edges that may touch during a step, in time linear in their number.
//
// Every edge is entered in the cells that come within its reach; the entries are sorted by (cell, edge). Pairs that
// share several cells are tested once, or seldom again; what is then found twice goes when the pairs are put in order.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { CHUNKS = 256, AXIS_BITS = 21, MAX_ENTRIES = 48 };
// exact tests of an edge in a cell; as more than RV_CONTACT_MAX_PAIRS of it there, more are edges heaped on one spot,
// whose memory and time would grow with the square of their number
enum { MAX_EXACT = 1024 };

typedef RV_ARRAY(uint64_t) Found;

typedef struct Cells {
  RvVec3 lo;
  double size, inverse;
  int bits[3];
} Cells;

typedef struct Broad {
  RvContacts* c;
  const RvContactDef* def;
  double dt;
  Cells cells;
  size_t grain;
  size_t parts;           // chunks of cells, by the entries alone
  float (*whole)[6];      // boxes of the edges, lower and upper corner from the cells'; NULL: those of parts are made
  size_t at[CHUNKS + 1];  // first entry of each chunk of edges, then of cells
  Found found[CHUNKS];
  size_t tests[CHUNKS], pairs[CHUNKS], skipped[CHUNKS];
  bool failed[CHUNKS];
} Broad;

// What was tested lately, so that a pair that shares several cells is looked at once: the last key of each slot.
enum { SEEN_BITS = 13 };
typedef struct Seen {
  int bits;  // as many as there are entries to compare, at most SEEN_BITS
  uint64_t key[1 << SEEN_BITS];
} Seen;

// no pair has the key 0: the receiver is the later edge
static void forget(Seen* seen, size_t entries) {
  for (seen->bits = 4; seen->bits < SEEN_BITS && (size_t)1 << seen->bits < 4 * entries;) seen->bits++;
  memset(seen->key, 0, sizeof(uint64_t) << seen->bits);
}

static bool seen_before(Seen* seen, uint64_t key) {
  uint64_t* slot = &seen->key[(key * 0x9e3779b97f4a7c15u) >> (64 - seen->bits)];
  if (*slot == key) return true;
  *slot = key;
  return false;
}

//---------------------------------------------------------------------------------------------- cells of an edge

static int64_t cell_of(const Cells* g, double x, double lo) {
  return (int64_t)floor((x - lo) * g->inverse);
}

static uint64_t key_of(const Cells* g, const int64_t i[3]) {
  return ((uint64_t)i[2] << g->bits[1] | (uint64_t)i[1]) << g->bits[0] | (uint64_t)i[0];
}

static void cell_from_key(const Cells* g, uint64_t key, int64_t i[3]) {
  i[0] = (int64_t)(key & (((uint64_t)1 << g->bits[0]) - 1));
  i[1] = (int64_t)(key >> g->bits[0] & (((uint64_t)1 << g->bits[1]) - 1));
  i[2] = (int64_t)(key >> (g->bits[0] + g->bits[1]));
}

// rounding must not part an edge from the cell of a point at its very reach
static void padded(const Cells* g, RvVec3 reach, double out[3]) {
  double r[3] = {reach.x, reach.y, reach.z};
  for (int k = 0; k < 3; ++k) out[k] = r[k] * (1 + 1e-9) + 1e-9 * g->size;
}

// Keys of the cells near an edge, slice by slice along its longest axis; `keys` NULL: only their number.
static size_t cells_of_edge(const RvContacts* c, const Cells* g, size_t e, uint64_t* keys) {
  const RvSegments* s = &c->segments;
  size_t at = rv_contact_vertex(c, e), count = 0;
  RvVec3 p = rv_sub(s->x[at], g->lo), q = rv_sub(s->x[at + 1], g->lo);
  double a[3] = {p.x, p.y, p.z}, d[3] = {q.x - p.x, q.y - p.y, q.z - p.z}, r[3];
  padded(g, s->reach[e], r);
  int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
  if (fabs(d[2]) > fabs(d[axis])) axis = 2;
  int v = (axis + 1) % 3, w = (axis + 2) % 3;
  int64_t first = cell_of(g, rv_min(a[axis], a[axis] + d[axis]) - r[axis], 0);
  int64_t last = cell_of(g, rv_max(a[axis], a[axis] + d[axis]) + r[axis], 0);
  for (int64_t k = first; k <= last; ++k) {
    double t0 = 0, t1 = 1;
    if (d[axis] != 0) {
      double in = ((double)k * g->size - r[axis] - a[axis]) / d[axis];
      double out = ((double)(k + 1) * g->size + r[axis] - a[axis]) / d[axis];
      t0 = rv_max(0, rv_min(in, out) - 1e-9), t1 = rv_min(1, rv_max(in, out) + 1e-9);
    }
    int64_t cell[3], lo[3], hi[3];
    for (int n = 0; n < 3; ++n) {
      double x0 = a[n] + t0 * d[n], x1 = a[n] + t1 * d[n];
      lo[n] = cell_of(g, rv_min(x0, x1) - r[n], 0), hi[n] = cell_of(g, rv_max(x0, x1) + r[n], 0);
    }
    cell[axis] = k;
    for (cell[w] = lo[w]; cell[w] <= hi[w]; ++cell[w])
      for (cell[v] = lo[v]; cell[v] <= hi[v]; ++cell[v], ++count)
        if (keys) keys[count] = key_of(g, cell);
  }
  return count;
}

static void count_entries(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t last = (chunk + 1) * b->grain < b->c->nedge ? (chunk + 1) * b->grain : b->c->nedge, count = 0;
    for (size_t e = chunk * b->grain; e < last; ++e) count += cells_of_edge(b->c, &b->cells, e, NULL);
    b->at[chunk] = count;
  }
}

static void fill_entries(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t last = (chunk + 1) * b->grain < b->c->nedge ? (chunk + 1) * b->grain : b->c->nedge, at = b->at[chunk];
    for (size_t e = chunk * b->grain; e < last; ++e) {
      size_t n = cells_of_edge(b->c, &b->cells, e, b->c->cells.data + at);
      for (size_t k = 0; k < n; ++k) b->c->members.data[at + k] = (uint32_t)e;
      at += n;
    }
  }
}

static double sum_reach(void* arg, size_t begin, size_t end) {
  const RvContacts* c = arg;
  double sum = 0;
  for (size_t e = begin; e < end; ++e) sum += c->segments.reach[e].x + c->segments.reach[e].y + c->segments.reach[e].z;
  return sum;
}

// the largest reach: it widens the box
static double largest_reach(const RvContacts* c) {
  double largest = 0;
  for (size_t e = 0; e < c->nedge; ++e)
    largest = rv_max(largest, rv_max(c->segments.reach[e].x, rv_max(c->segments.reach[e].y, c->segments.reach[e].z)));
  return largest;
}

static void set_cells(Broad* b, double size, double widest) {
  const RvSegments* s = &b->c->segments;
  Cells* g = &b->cells;
  RvVec3 pad = rv_vec3(widest, widest, widest), lo = rv_sub(s->lo, pad), extent = rv_sub(rv_add(s->hi, pad), lo);
  double longest = rv_max(extent.x, rv_max(extent.y, extent.z));
  size = rv_max(size, longest / (double)((1 << AXIS_BITS) - 8));
  g->size = size, g->inverse = 1 / size;
  // a cell to spare on each side for the padding
  g->lo = rv_sub(lo, rv_vec3(size, size, size));
  double side[3] = {extent.x, extent.y, extent.z};
  for (int k = 0; k < 3; ++k) g->bits[k] = rv_sort_bits((uint64_t)(side[k] * g->inverse) + 4);
}

// Half an edge: smaller cells cost entries, larger ones tests. Doubled while there are too many entries.
static RvResult make_entries(Broad* b, RvContactStats* stats, RvError* error) {
  RvContacts* c = b->c;
  double mean = rv_parallel_sum(c->nedge, 4096, sum_reach, c) / (3 * (double)c->nedge);
  double size = rv_max(0.5 * c->segments.length, 3 * mean), widest = largest_reach(c);
  size_t chunks = (c->nedge + b->grain - 1) / b->grain, total;
  for (int round = 0;; ++round, size *= 2) {
    set_cells(b, size, widest);
    rv_parallel_for(chunks, 1, count_entries, b);
    total = 0;
    for (size_t k = 0; k < chunks; ++k) {
      size_t n = b->at[k];
      b->at[k] = total;
      total += n;
    }
    if (total <= MAX_ENTRIES * c->nedge + 4096 || round > 60) break;
  }
  stats->entries = total;
  if (!rv_array_resize(&c->cells, total) || !rv_array_resize(&c->members, total) ||
      !rv_array_resize(&c->spare_keys, total) || !rv_array_resize(&c->spare_values, total))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the contacts of %zu edges", c->nedge);
  rv_parallel_for(chunks, 1, fill_entries, b);
  int bits = b->cells.bits[0] + b->cells.bits[1] + b->cells.bits[2];
  if (!rv_sort_keys(c->cells.data, c->members.data, c->spare_keys.data, c->spare_values.data, total, bits))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the contacts of %zu edges", c->nedge);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- pairs in a cell

// Boxes of what of an edge is near the cell, relative to its corner.
typedef struct Boxes {
  float *lo[3], *hi[3];
} Boxes;

static void box_of(const Broad* b, size_t e, const int64_t cell[3], const Boxes* boxes, size_t at) {
  const RvSegments* s = &b->c->segments;
  const Cells* g = &b->cells;
  size_t vertex = rv_contact_vertex(b->c, e);
  RvVec3 corner = rv_add(g->lo, rv_scale(rv_vec3((double)cell[0], (double)cell[1], (double)cell[2]), g->size));
  RvVec3 p = rv_sub(s->x[vertex], corner), q = rv_sub(s->x[vertex + 1], corner);
  double a[3] = {p.x, p.y, p.z}, d[3] = {q.x - p.x, q.y - p.y, q.z - p.z}, r[3];
  padded(g, s->reach[e], r);
  double t0 = 0, t1 = 1;
  for (int k = 0; k < 3; ++k) {
    if (d[k] == 0) continue;
    double in = (-r[k] - a[k]) / d[k], out = (g->size + r[k] - a[k]) / d[k];
    t0 = rv_max(t0, rv_min(in, out)), t1 = rv_min(t1, rv_max(in, out));
  }
  // slightly larger than exact: floats
  t0 -= 1e-6, t1 += 1e-6;
  for (int k = 0; k < 3; ++k) {
    double x0 = a[k] + t0 * d[k], x1 = a[k] + t1 * d[k];
    double wide = r[k] * 1.00001 + 1e-6 * g->size;
    boxes->lo[k][at] = (float)(rv_min(x0, x1) - wide), boxes->hi[k][at] = (float)(rv_max(x0, x1) + wide);
  }
}

// Films that touch, of edges that are side by side: where one ends at the other's beginning no part faces the other.
static bool films_touch(const RvContacts* c, size_t e, size_t f, double at, double other, double gap) {
  const RvSegments* s = &c->segments;
  if (!(gap < c->table.rupture * sqrt(s->film[e] + s->film[f]))) return false;
  if ((at > 0 && at < 1) || (other > 0 && other < 1)) return true;
  return (rv_dot(s->along[e], s->along[f]) > 0) == (at == other);
}

// The exact test of edges e < f, whose nearest points are known. The motion that counts is that of the one against the
// other, along the line between these: only it brings them closer.
static bool near_pair(const Broad* b, size_t e, size_t f, const RvClosestLanes* at, int lane) {
  const RvContacts* c = b->c;
  const RvSegments* s = &c->segments;
  RvVec3 p = s->reach[e], q = s->reach[f], delta = rv_vec3(at->delta[0][lane], at->delta[1][lane], at->delta[2][lane]);
  if (!(fabs(delta.x) < p.x + q.x) || !(fabs(delta.y) < p.y + q.y) || !(fabs(delta.z) < p.z + q.z)) return false;
  double radii = s->thick[e] + s->thick[f];
  double distance = at->distance[lane], limit = b->def->reach * (1 + b->def->margin) * radii;
  if (distance < limit) return true;
  if (c->wet && distance < s->height[e] + s->height[f] &&
      films_touch(c, e, f, at->s[lane], at->t[lane], distance - radii))
    return true;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  RvVec3 n = rv_scale(delta, 1 / distance);
  double e0 = rv_dot(n, s->v[i]), e1 = rv_dot(n, s->v[i + 1]), f0 = rv_dot(n, s->v[j]), f1 = rv_dot(n, s->v[j + 1]);
  double close = rv_max(f0, f1) - rv_min(e0, e1) + b->dt * fabs(rv_dot(n, b->def->acceleration));
  return distance < limit + b->dt * close;
}

// Pairs that may be near, tested when there are eight of them.
typedef struct Bunch {
  RvPairLanes pair;
  uint32_t edge[RV_PAIRS][2];
  int count;
} Bunch;

static void add_to_bunch(const Broad* b, Bunch* bunch, uint32_t e, uint32_t f) {
  const RvVec3* x = b->c->segments.x;
  size_t i = rv_contact_vertex(b->c, e), j = rv_contact_vertex(b->c, f);
  RvPairLanes* p = &bunch->pair;
  int lane = bunch->count++;
  bunch->edge[lane][0] = e, bunch->edge[lane][1] = f;
  rv_pair_put(p->a[0], lane, x[i]), rv_pair_put(p->a[1], lane, x[i + 1]);
  rv_pair_put(p->b[0], lane, x[j]), rv_pair_put(p->b[1], lane, x[j + 1]);
}

static bool test_bunch(Broad* b, size_t chunk, Bunch* bunch) {
  RvClosestLanes at;
  if (bunch->count == 0) return true;
  rv_closest_lanes(&bunch->pair, &at);
  for (int k = 0; k < bunch->count; ++k) {
    const uint32_t* edge = bunch->edge[k];
    if (near_pair(b, edge[0], edge[1], &at, k) && !rv_array_push(&b->found[chunk], (uint64_t)edge[0] << 32 | edge[1]))
      return false;
  }
  bunch->count = 0;
  return true;
}

// flags[j] for boxes [first, last): 1 where they meet box i. Without branches, so that it is done several at a time.
static void meet(const Boxes* x, size_t i, size_t first, size_t last, uint8_t* restrict flags) {
  const float *ax = x->lo[0], *ay = x->lo[1], *az = x->lo[2], *bx = x->hi[0], *by = x->hi[1], *bz = x->hi[2];
  float lx = ax[i], ly = ay[i], lz = az[i], hx = bx[i], hy = by[i], hz = bz[i];
  for (size_t j = first; j < last; ++j)
    flags[j - first] = (ax[j] <= hx) & (bx[j] >= lx) & (ay[j] <= hy) & (by[j] >= ly) & (az[j] <= hz) & (bz[j] >= lz);
}

// Boxes of whole edges, a little larger: floats.
static void whole_boxes(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  const RvSegments* s = &b->c->segments;
  double pad = 1e-6 * (rv_distance(s->lo, s->hi) + b->cells.size);
  for (size_t e = begin; e < end; ++e) {
    size_t vertex = rv_contact_vertex(b->c, e);
    RvVec3 p = rv_sub(s->x[vertex], b->cells.lo), q = rv_sub(s->x[vertex + 1], b->cells.lo), r = s->reach[e];
    double lo[3] = {p.x < q.x ? p.x : q.x, p.y < q.y ? p.y : q.y, p.z < q.z ? p.z : q.z};
    double hi[3] = {p.x > q.x ? p.x : q.x, p.y > q.y ? p.y : q.y, p.z > q.z ? p.z : q.z};
    double wide[3] = {r.x, r.y, r.z};
    for (int k = 0; k < 3; ++k) {
      b->whole[e][k] = (float)(lo[k] - wide[k] * 1.00001 - pad);
      b->whole[e][3 + k] = (float)(hi[k] + wide[k] * 1.00001 + pad);
    }
  }
}

static void copy_box(const Broad* b, size_t e, const Boxes* boxes, size_t at) {
  for (int k = 0; k < 3; ++k) boxes->lo[k][at] = b->whole[e][k], boxes->hi[k][at] = b->whole[e][3 + k];
}

static bool pairs_of_cell(Broad* b, size_t chunk, size_t first, size_t last, const Boxes* x, Seen* seen, Bunch* bunch) {
  const uint32_t* member = b->c->members.data + first;
  size_t n = last - first;
  int64_t cell[3];
  cell_from_key(&b->cells, b->c->cells.data[first], cell);
  if (b->whole)
    for (size_t i = 0; i < n; ++i) copy_box(b, member[i], x, i);
  else
    for (size_t i = 0; i < n; ++i) box_of(b, member[i], cell, x, i);
  for (size_t i = 0; i + 1 < n; ++i) {
    uint8_t flags[RV_CONTACT_MAX_TESTS];
    size_t stop = n - i - 1 > RV_CONTACT_MAX_TESTS ? i + 1 + RV_CONTACT_MAX_TESTS : n;
    size_t enough = b->found[chunk].count + RV_CONTACT_MAX_PAIRS, most = b->pairs[chunk] + MAX_EXACT;
    b->tests[chunk] += stop - i - 1, b->skipped[chunk] += n - stop;
    meet(x, i, i + 1, stop, flags);
    size_t strand = b->c->strand_of[member[i]];
    for (size_t j = i + 1; j < stop; ++j) {
      if (!flags[j - i - 1] || seen_before(seen, (uint64_t)member[i] << 32 | member[j])) continue;
      b->pairs[chunk]++;
      if (b->c->strand_of[member[j]] == strand && member[j] - member[i] <= (size_t)b->def->neighbours) continue;
      add_to_bunch(b, bunch, member[i], member[j]);
      if (bunch->count == RV_PAIRS && !test_bunch(b, chunk, bunch)) return false;
      if (b->found[chunk].count >= enough || b->pairs[chunk] >= most) {
        b->skipped[chunk] += stop - j - 1;
        break;
      }
    }
  }
  return true;
}

static bool make_boxes(Boxes* boxes, size_t count) {
  float* memory = rv_alloc(6 * count, sizeof(float));
  for (size_t k = 0; k < 3; ++k)
    boxes->lo[k] = memory ? memory + 2 * k * count : NULL, boxes->hi[k] = memory ? memory + (2 * k + 1) * count : NULL;
  return memory != NULL;
}

static void search_cells(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  const uint64_t* keys = b->c->cells.data;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t widest = 0;
    for (size_t i = b->at[chunk], j; i < b->at[chunk + 1]; i = j) {
      for (j = i; j < b->at[chunk + 1] && keys[j] == keys[i];) ++j;
      widest = j - i > widest ? j - i : widest;
    }
    Boxes boxes;
    Seen seen;
    // lanes that are not used are computed too
    Bunch bunch = {0};
    if (widest < 2) continue;
    forget(&seen, b->at[chunk + 1] - b->at[chunk]);
    if (!make_boxes(&boxes, widest)) {
      b->failed[chunk] = true;
      continue;
    }
    for (size_t i = b->at[chunk], j; i < b->at[chunk + 1] && !b->failed[chunk]; i = j) {
      for (j = i; j < b->at[chunk + 1] && keys[j] == keys[i];) ++j;
      if (j - i > 1) b->failed[chunk] = !pairs_of_cell(b, chunk, i, j, &boxes, &seen, &bunch);
    }
    if (!test_bunch(b, chunk, &bunch)) b->failed[chunk] = true;
    rv_free(boxes.lo[0]);
  }
}

// chunks of entries that end where a cell ends
static void split_cells(Broad* b) {
  const RvContacts* c = b->c;
  size_t total = c->cells.count;
  b->parts = total / 8192 < 16 ? 16 : total / 8192 > CHUNKS ? CHUNKS : total / 8192;
  for (size_t k = 0; k <= b->parts; ++k) {
    size_t at = (size_t)((double)total * ((double)k / (double)b->parts));
    if (k == b->parts) at = total;
    if (k > 0 && at < b->at[k - 1]) at = b->at[k - 1];
    while (at > 0 && at < total && c->cells.data[at] == c->cells.data[at - 1]) ++at;
    b->at[k] = at;
  }
}

static RvResult collect(Broad* b, RvContactStats* stats, RvError* error) {
  RvContacts* c = b->c;
  size_t total = 0;
  bool failed = false;
  for (int k = 0; k < CHUNKS; ++k) {
    total += b->found[k].count, failed |= b->failed[k];
    stats->tests += b->tests[k], stats->pairs += b->pairs[k], stats->skipped += b->skipped[k];
  }
  if (failed || !rv_array_resize(&c->pairs, total))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pairs of edges", total);
  size_t at = 0;
  for (int k = 0; k < CHUNKS; ++k)
    for (size_t i = 0; i < b->found[k].count; ++i) c->pairs.data[at++] = b->found[k].data[i];
  return RV_OK;
}

RvResult rv_contact_pairs(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error) {
  c->pairs.count = 0;
  Broad* b = rv_alloc_zero(1, sizeof *b);
  if (!b) return rv_fail(error, RV_NO_MEMORY, "out of memory for the contacts of %zu edges", c->nedge);
  b->c = c, b->def = def, b->dt = dt, b->grain = (c->nedge + CHUNKS - 1) / CHUNKS;
  RvResult result = make_entries(b, stats, error);
  // where a cell is as large as an edge, the part of the edge in it is nearly all of it
  if (!result && b->cells.size > 0.75 * c->segments.length) {
    b->whole = rv_alloc(c->nedge, sizeof *b->whole);
    if (b->whole) rv_parallel_for(c->nedge, 4096, whole_boxes, b);
  }
  if (!result) {
    split_cells(b);
    rv_parallel_for(b->parts, 1, search_cells, b);
    result = collect(b, stats, error);
  }
  for (int k = 0; k < CHUNKS; ++k) rv_array_free(&b->found[k]);
  rv_free(b->whole);
  rv_free(b);
  return result;
}
