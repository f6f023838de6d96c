// The broad phase: pairs of edges that may touch during a step, in time linear in their number.
//
// Every edge is entered in the cells within its search extent; the entries are sorted by (cell, edge). Each edge then
// tests the later edges in its cells. A pair that shares several cells is tested once, or seldom twice; duplicates are
// removed when the pairs of the edge are sorted.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { CHUNKS = 256 };      // chunks of edges at most; fixed, so that results do not depend on the number of threads
enum { LEAST_GRAIN = 64 };  // edges of a chunk at least: each chunk clears a cache of pairs (Seen)
enum { AXIS_BITS = 21 };    // of a cell's key for each axis at most
enum { MAX_ENTRIES = 48 };  // mean entries of an edge at most: beyond, cells are doubled
enum { MORE_ENTRIES = 4096, MAX_DOUBLINGS = 60 };
enum { MAX_EXACT = 4096 };  // exact tests of an edge in a cell: bounds the quadratic time of edges heaped on one spot
enum { SETTLE = 4096 };  // an edge's pairs beyond the nearest RV_CONTACT_MAX_PAIRS are dropped when so many are found
enum { BOX_EDGES = 1024 };  // edges of a parallel task that makes boxes
// Entries and pairs of an edge, and least of a chunk, for the first guess of memory: lists grow where edges get more
// neighbours than they ever had.
enum { GUESS = 8, LEAST_OF_CHUNK = 64 };
static const double PAD = 1e-9;        // of lengths: above their rounding, so that no edge misses a cell
static const double FLOAT_PAD = 1e-6;  // above the rounding of floats
static const double FLOAT_WIDEN = 1.00001;

// A pair that may touch or that liquid may bridge.
typedef struct Near {
  uint64_t key;
  float distance;  // m
  bool touches;    // at the start of the step
} Near;
typedef RV_ARRAY(Near) Found;

// The grid of cells.
typedef struct Cells {
  RvVec3 lo;             // m, corner
  double size, inverse;  // m, 1/m
  int bits[3];           // of the keys, for each axis
} Cells;

// Lists that are kept from step to step.
typedef struct RvBroadWork {
  RvKeys entered[CHUNKS];  // cells of the edges of each chunk
  Found found[CHUNKS];
  RvKeys pairs[CHUNKS];  // sorted
} RvBroadWork;

void rv_contact_broad_free(RvBroadWork* work) {
  if (!work) return;
  for (int k = 0; k < CHUNKS; ++k) {
    rv_array_free(&work->entered[k]);
    rv_array_free(&work->found[k]);
    rv_array_free(&work->pairs[k]);
  }
  rv_free(work);
}

typedef struct Broad {
  RvContacts* c;
  const RvContactDef* def;
  double dt;
  Cells cells;
  size_t grain;
  RvBroadWork* work;
  size_t at[CHUNKS + 1];   // first entry of each chunk, later first pair
  size_t count;            // of all entries
  uint64_t* keys;          // [entries] cells, sorted
  uint32_t* members;       // [entries] edges of the sorted ones
  uint32_t* stop;          // [entries] end of the cell of a sorted one
  uint32_t* first;         // [nedge + 1] first entry of each edge
  uint32_t* place;         // [entries] index after sorting
  uint32_t* owner;         // [entries] edges
  float* boxes;            // [6][entries + RV_BOXES], sorted
  size_t settled[CHUNKS];  // first so many of `found` belong to edges with at most RV_CONTACT_MAX_PAIRS
  size_t tests[CHUNKS], exact[CHUNKS], skipped[CHUNKS];
  bool failed[CHUNKS];
} Broad;

// A cache of the pairs tested last, by a hash of their key: a pair that shares several cells is mostly tested once.
enum { SEEN_BITS = 11 };
typedef struct Seen {
  uint64_t key[1 << SEEN_BITS];
} Seen;

// Whether a pair was tested lately; remembers it.
static bool seen_before(Seen* seen, uint64_t key) {
  // Fibonacci hashing: the multiplier is 2^64 over the golden ratio
  uint64_t* slot = &seen->key[(key * 0x9e3779b97f4a7c15u) >> (64 - SEEN_BITS)];
  if (*slot == key) return true;
  *slot = key;
  return false;
}

//---------------------------------------------------------------------------------------------- cells of an edge

// Cell of a coordinate relative to the corner, which is below every edge and its extent: truncation rounds down.
static int64_t cell_of(const Cells* g, double x) {
  return (int64_t)(x * g->inverse);
}

static uint64_t key_of(const Cells* g, const int64_t i[3]) {
  return ((uint64_t)i[2] << g->bits[1] | (uint64_t)i[1]) << g->bits[0] | (uint64_t)i[0];
}

static void cell_from_key(const Cells* g, uint64_t key, int64_t i[3]) {
  i[0] = (int64_t)(key & (((uint64_t)1 << g->bits[0]) - 1));
  i[1] = (int64_t)(key >> g->bits[0] & (((uint64_t)1 << g->bits[1]) - 1));
  i[2] = (int64_t)(key >> (g->bits[0] + g->bits[1]));
}

// Search extent, enlarged beyond its rounding so that an edge does not miss a cell at its very end.
static void padded(const Cells* g, RvVec3 reach, double out[3]) {
  double r[3] = {reach.x, reach.y, reach.z};
  for (int k = 0; k < 3; ++k) out[k] = r[k] * (1 + PAD) + PAD * g->size;
}

// Keys of the cells within an edge's extent, slice by slice along its longest axis; writes at most `room` of them and
// returns their number.
static size_t cells_of_edge(const RvContacts* c, const Cells* g, size_t e, uint64_t* keys, size_t room) {
  const RvSegments* s = &c->segments;
  size_t at = rv_contact_vertex(c, e), count = 0;
  RvVec3 p = rv_sub(s->x[at], g->lo), q = rv_sub(s->x[at + 1], g->lo);
  double a[3] = {p.x, p.y, p.z}, d[3] = {q.x - p.x, q.y - p.y, q.z - p.z}, r[3];
  padded(g, s->search_extent[e], r);
  // Its longest axis, and the slices along it.
  int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
  if (fabs(d[2]) > fabs(d[axis])) axis = 2;
  int v = (axis + 1) % 3, w = (axis + 2) % 3;
  int64_t first = cell_of(g, rv_min(a[axis], a[axis] + d[axis]) - r[axis]);
  int64_t last = cell_of(g, rv_max(a[axis], a[axis] + d[axis]) + r[axis]);
  double inverse = d[axis] != 0 ? 1 / d[axis] : 0;
  for (int64_t k = first; k <= last; ++k) {
    // The part of the edge in the slice, and the cells around it.
    double t0 = 0, t1 = 1;
    if (d[axis] != 0) {
      double in = ((double)k * g->size - r[axis] - a[axis]) * inverse;
      double out = ((double)(k + 1) * g->size + r[axis] - a[axis]) * inverse;
      t0 = rv_max(0, rv_min(in, out) - PAD);
      t1 = rv_min(1, rv_max(in, out) + PAD);
    }
    int64_t cell[3], lo[3], hi[3];
    for (int n = 0; n < 3; ++n) {
      double x0 = a[n] + t0 * d[n], x1 = a[n] + t1 * d[n];
      lo[n] = cell_of(g, rv_min(x0, x1) - r[n]);
      hi[n] = cell_of(g, rv_max(x0, x1) + r[n]);
    }
    cell[axis] = k;
    for (cell[w] = lo[w]; cell[w] <= hi[w]; ++cell[w])
      for (cell[v] = lo[v]; cell[v] <= hi[v]; ++cell[v], ++count)
        if (count < room) keys[count] = key_of(g, cell);
  }
  return count;
}

// Enters the edges of some chunks in their cells; first entries are counted from the chunk's.
static void enter_edges(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t last = (chunk + 1) * b->grain < b->c->nedge ? (chunk + 1) * b->grain : b->c->nedge;
    RvKeys* keys = &b->work->entered[chunk];
    keys->count = 0;
    b->failed[chunk] = !rv_array_reserve(keys, GUESS * b->grain + LEAST_OF_CHUNK);
    for (size_t e = chunk * b->grain; e < last && !b->failed[chunk]; ++e) {
      size_t room = keys->capacity - keys->count;
      size_t n = cells_of_edge(b->c, &b->cells, e, keys->data + keys->count, room);
      if (n > room) {
        b->failed[chunk] = !rv_array_reserve(keys, keys->count + n);
        if (!b->failed[chunk]) cells_of_edge(b->c, &b->cells, e, keys->data + keys->count, n);
      }
      b->first[e] = (uint32_t)keys->count;
      keys->count += n;
    }
  }
}

// Joins the entries of some chunks and counts first entries from the first of all.
static void fill_entries(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t last = (chunk + 1) * b->grain < b->c->nedge ? (chunk + 1) * b->grain : b->c->nedge;
    size_t at = b->at[chunk];
    size_t stop = b->work->entered[chunk].count;
    if (stop) memcpy(b->keys + at, b->work->entered[chunk].data, stop * sizeof *b->keys);
    for (size_t e = last; e-- > chunk * b->grain; stop = b->first[e], b->first[e] += (uint32_t)at)
      for (size_t k = b->first[e]; k < stop; ++k) {
        b->owner[at + k] = (uint32_t)e;
        b->members[at + k] = (uint32_t)(at + k);
      }
  }
}

// Sum of the search extents of some edges over the axes.
static double sum_reach(void* arg, size_t begin, size_t end) {
  const RvContacts* c = arg;
  double sum = 0;
  for (size_t e = begin; e < end; ++e)
    sum += c->segments.search_extent[e].x + c->segments.search_extent[e].y + c->segments.search_extent[e].z;
  return sum;
}

// Largest search extent, by which the box of all cells is enlarged.
static double largest_extent(const RvContacts* c) {
  double largest = 0;
  for (size_t e = 0; e < c->nedge; ++e)
    largest = rv_max(largest, rv_max(c->segments.search_extent[e].x,
                                     rv_max(c->segments.search_extent[e].y, c->segments.search_extent[e].z)));
  return largest;
}

// Cells of a given size that cover all edges and their extents.
static void set_cells(Broad* b, double size, double widest) {
  const RvSegments* s = &b->c->segments;
  Cells* g = &b->cells;
  RvVec3 pad = rv_vec3(widest, widest, widest);
  RvVec3 lo = rv_sub(s->lo, pad);
  RvVec3 extent = rv_sub(rv_add(s->hi, pad), lo);
  double longest = rv_max(extent.x, rv_max(extent.y, extent.z));
  size = rv_max(size, longest / (double)((1 << AXIS_BITS) - 8));
  g->size = size;
  g->inverse = 1 / size;
  // one cell more on each side for the padding
  g->lo = rv_sub(lo, rv_vec3(size, size, size));
  double side[3] = {extent.x, extent.y, extent.z};
  for (int k = 0; k < 3; ++k) g->bits[k] = rv_sort_bits((uint64_t)(side[k] * g->inverse) + 4);
}

// Index, edge and end of cell of the sorted entries, for the cells that begin in [begin, end).
static void place_entries(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  const uint64_t* keys = b->keys;
  size_t first = begin, last;
  while (first > 0 && first < end && keys[first] == keys[first - 1]) ++first;
  for (; first < end; first = last) {
    for (last = first; last < b->count && keys[last] == keys[first]; ++last) {
      uint32_t entry = b->members[last];
      b->place[entry] = (uint32_t)last;
      b->members[last] = b->owner[entry];
    }
    for (size_t k = first; k < last; ++k) b->stop[k] = (uint32_t)last;
  }
}

// Memory of the entries; `spare` is that of the boxes, which are made after sorting. False: no memory.
static bool take_entries(Broad* b, uint64_t** spare) {
  RvArena* a = b->c->scratch;
  size_t n = b->count;
  b->keys = RV_TAKE(a, uint64_t, n);
  b->members = RV_TAKE(a, uint32_t, n);
  b->stop = RV_TAKE(a, uint32_t, n);
  b->place = RV_TAKE(a, uint32_t, n);
  b->owner = RV_TAKE(a, uint32_t, n);
  b->boxes = RV_TAKE(a, float, 6 * (n + RV_BOXES));
  *spare = (uint64_t*)b->boxes;
  return b->keys && b->members && b->stop && b->place && b->owner && b->boxes;
}

// Enters all edges and sorts the entries by cells. Cells are as long as an edge: smaller ones cost entries, larger ones
// tests. They are doubled while there are too many entries.
static RvResult make_entries(Broad* b, RvContactStats* stats, RvError* error) {
  RvContacts* c = b->c;
  // Size of the cells.
  double mean = rv_parallel_sum(c->nedge, 4096, sum_reach, c) / (3 * (double)c->nedge);
  double size = rv_max(c->segments.mean_length, 3 * mean), widest = largest_extent(c);
  size_t chunks = (c->nedge + b->grain - 1) / b->grain, total;
  // Cells of all edges; fewer and larger ones where there are too many.
  bool room = (b->first = RV_TAKE(c->scratch, uint32_t, c->nedge + 1)) != NULL;
  for (int round = 0; room; ++round, size *= 2) {
    set_cells(b, size, widest);
    rv_parallel_for(chunks, 1, enter_edges, b);
    total = 0;
    for (size_t k = 0; k < chunks; ++k) {
      b->at[k] = total;
      total += b->work->entered[k].count;
      room = room && !b->failed[k];
    }
    if (total <= MAX_ENTRIES * c->nedge + MORE_ENTRIES || round > MAX_DOUBLINGS) break;
  }
  if (room && total > UINT32_MAX - RV_BOXES)
    return rv_fail(error, RV_LIMIT, "contacts: %zu cells of edges are more than fit; use fewer strands or points",
                   total);
  // Entries of all edges, sorted by cells.
  uint64_t* spare = NULL;
  if (room) {
    stats->entries = b->count = total;
    room = take_entries(b, &spare);
  }
  if (room) {
    b->first[c->nedge] = (uint32_t)total;
    rv_parallel_for(chunks, 1, fill_entries, b);
    int bits = b->cells.bits[0] + b->cells.bits[1] + b->cells.bits[2];
    rv_sort_keys(b->keys, b->members, spare, b->stop, total, bits);
  }
  if (!room) return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu edges", c->nedge);
  rv_parallel_for(total, 8192, place_entries, b);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- pairs in a cell

// The box arrays within their memory.
static RvBoxes boxes_of(const Broad* b) {
  size_t stride = b->count + RV_BOXES;
  RvBoxes x;
  for (size_t k = 0; k < 3; ++k) {
    x.lo[k] = b->boxes + 2 * k * stride;
    x.hi[k] = b->boxes + (2 * k + 1) * stride;
  }
  return x;
}

// An edge relative to the corner of the grid.
typedef struct GridEdge {
  double a[3], d[3];  // m, from a to a + d
  double reach[3];    // m, padded search extent
  double inverse[3];  // 1/m, of d; 0 along an axis to which the edge is nearly perpendicular: all of it may be near
  double wide[3];     // m, by which boxes are wider than the edge: above the rounding to floats
} GridEdge;

static GridEdge grid_edge(const Broad* b, size_t e) {
  const RvSegments* s = &b->c->segments;
  const Cells* g = &b->cells;
  const size_t vertex = rv_contact_vertex(b->c, e);
  const RvVec3 p = rv_sub(s->x[vertex], g->lo), d = rv_sub(s->x[vertex + 1], s->x[vertex]);
  GridEdge edge = {.a = {p.x, p.y, p.z}, .d = {d.x, d.y, d.z}};
  padded(g, s->search_extent[e], edge.reach);
  for (int k = 0; k < 3; ++k) {
    edge.inverse[k] = fabs(edge.d[k]) > PAD * g->size ? 1 / edge.d[k] : 0;
    edge.wide[k] = edge.reach[k] * FLOAT_WIDEN + FLOAT_PAD * g->size;
  }
  return edge;
}

// Box of the part of an edge near a cell, relative to the cell's corner.
static void box_of(const Cells* g, const GridEdge* edge, const int64_t cell[3], const RvBoxes* boxes, size_t at) {
  double a[3], t0 = 0, t1 = 1;
  for (int k = 0; k < 3; ++k) {
    a[k] = edge->a[k] - (double)cell[k] * g->size;
    if (edge->inverse[k] == 0) continue;
    double in = (-edge->reach[k] - a[k]) * edge->inverse[k];
    double out = (g->size + edge->reach[k] - a[k]) * edge->inverse[k];
    t0 = rv_max(t0, rv_min(in, out));
    t1 = rv_min(t1, rv_max(in, out));
  }
  // enlarged beyond the rounding to floats
  t0 -= FLOAT_PAD;
  t1 += FLOAT_PAD;
  for (int k = 0; k < 3; ++k) {
    double x0 = a[k] + t0 * edge->d[k], x1 = a[k] + t1 * edge->d[k];
    boxes->lo[k][at] = (float)(rv_min(x0, x1) - edge->wide[k]);
    boxes->hi[k][at] = (float)(rv_max(x0, x1) + edge->wide[k]);
  }
}

// Boxes of some edges in all their cells.
static void make_boxes(void* arg, size_t begin, size_t end) {
  const Broad* b = arg;
  const RvBoxes boxes = boxes_of(b);
  for (size_t e = begin; e < end; ++e) {
    const GridEdge edge = grid_edge(b, e);
    for (size_t k = b->first[e]; k < b->first[e + 1]; ++k) {
      int64_t cell[3];
      cell_from_key(&b->cells, b->keys[b->place[k]], cell);
      box_of(&b->cells, &edge, cell, &boxes, b->place[k]);
    }
  }
}

// Whether the films of two edges touch. Edges that are end to end do not count: no part of them faces the other.
static bool films_touch(const RvContacts* c, size_t e, size_t f, double at, double other, double gap) {
  const RvSegments* s = &c->segments;
  if (!(gap < rv_contact_table(c, e, f)->rupture * sqrt(s->film[e] + s->film[f]))) return false;
  if ((at > 0 && at < 1) || (other > 0 && other < 1)) return true;
  return (rv_dot(s->tangent[e], s->tangent[f]) > 0) == (at == other);
}

// The exact test of edges e < f with known nearest points: whether they may touch in the step or films touch. Only the
// relative motion along the line between the nearest points brings them closer.
static bool near_pair(const Broad* b, size_t e, size_t f, const RvClosestLanes* at, int lane, Near* near) {
  const RvContacts* c = b->c;
  const RvSegments* s = &c->segments;
  RvVec3 p = s->search_extent[e];
  RvVec3 q = s->search_extent[f];
  RvVec3 delta = rv_vec3(at->delta[0][lane], at->delta[1][lane], at->delta[2][lane]);
  if (!(fabs(delta.x) < p.x + q.x) || !(fabs(delta.y) < p.y + q.y) || !(fabs(delta.z) < p.z + q.z)) return false;
  double radii = s->edge_radius[e] + s->edge_radius[f];
  double distance = at->distance[lane], limit = b->def->reach * (1 + b->def->margin) * radii;
  near->distance = (float)distance;
  near->touches = distance < radii;
  if (distance < limit) return true;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  RvVec3 n = rv_scale(delta, 1 / distance);
  double e0 = rv_dot(n, s->v[i]);
  double e1 = rv_dot(n, s->v[i + 1]);
  double f0 = rv_dot(n, s->v[j]);
  double f1 = rv_dot(n, s->v[j + 1]);
  double close = rv_max(f0, f1) - rv_min(e0, e1) + b->dt * fabs(rv_dot(n, b->def->acceleration));
  if (distance < limit + b->dt * close) return true;
  return c->wet && distance < s->height[e] + s->height[f] &&
         films_touch(c, e, f, at->s[lane], at->t[lane], distance - radii);
}

//---------------------------------------------------------------------------------------------- the nearest

static int by_distance(const void* a, const void* b) {
  const Near *x = a, *y = b;
  return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                    : (x->key > y->key) - (x->key < y->key);
}

// Keeps the nearest pairs of each edge found since the last call. A strand that 64 others are nearer than is not met
// before them, however fast it is, and no bridge forms to it.
static void settle(Broad* b, size_t chunk) {
  Found* found = &b->work->found[chunk];
  size_t to = b->settled[chunk];
  for (size_t from = to, end; from < found->count; from = end) {
    for (end = from; end < found->count && found->data[end].key >> 32 == found->data[from].key >> 32;) ++end;
    size_t kept = end - from;
    if (kept > RV_CONTACT_MAX_PAIRS) {
      qsort(found->data + from, kept, sizeof(Near), by_distance);
      for (size_t k = from + RV_CONTACT_MAX_PAIRS; k < end; ++k) b->skipped[chunk] += found->data[k].touches;
      kept = RV_CONTACT_MAX_PAIRS;
    }
    memmove(found->data + to, found->data + from, kept * sizeof(Near));
    to += kept;
  }
  found->count = b->settled[chunk] = to;
}

// Pairs that wait for the exact test, which takes eight at a time.
typedef struct Bunch {
  RvPairIndex index;
  int count;
} Bunch;

// Adds a pair to those that wait.
static void add_to_bunch(const Broad* b, Bunch* bunch, uint32_t e, uint32_t f) {
  int lane = bunch->count++;
  bunch->index.edge[0][lane] = e;
  bunch->index.edge[1][lane] = f;
  bunch->index.vertex[0][lane] = (uint32_t)rv_contact_vertex(b->c, e);
  bunch->index.vertex[1][lane] = (uint32_t)rv_contact_vertex(b->c, f);
}

// Tests the waiting pairs; false: no memory.
static bool test_bunch(Broad* b, size_t chunk, Bunch* bunch) {
  RvClosestLanes at;
  if (bunch->count == 0) return true;
  rv_contact_closest_lanes(b->c->segments.x, &bunch->index, &at);
  for (int k = 0; k < bunch->count; ++k) {
    uint32_t e = bunch->index.edge[0][k], f = bunch->index.edge[1][k];
    Near near = {.key = (uint64_t)e << 32 | f};
    if (near_pair(b, e, f, &at, k, &near) && !rv_array_push(&b->work->found[chunk], near)) return false;
  }
  bunch->count = 0;
  return true;
}

// Tests edge e against the later edges in the cell of an entry; false: no memory.
static bool pairs_of_entry(Broad* b, size_t chunk, size_t e, size_t entry, const RvBoxes* x, Seen* seen, Bunch* bunch) {
  const RvContacts* c = b->c;
  uint32_t bits[RV_CONTACT_MAX_TESTS / RV_BOXES];
  size_t at = b->place[entry];
  size_t first = at + 1;
  size_t last = b->stop[at];
  size_t stop = last;
  if (stop - first > RV_CONTACT_MAX_TESTS) stop = first + RV_CONTACT_MAX_TESTS;
  size_t most = b->exact[chunk] + MAX_EXACT, strand = c->strand_of[e];
  b->tests[chunk] += stop - first;
  b->skipped[chunk] += last - stop;
  rv_contact_boxes_meet(x, at, first, stop, bits);
  for (size_t word = 0; first + word * RV_BOXES < stop; ++word)
    for (uint32_t left = bits[word]; left; left &= left - 1) {
      size_t j = first + word * RV_BOXES + (size_t)__builtin_ctz(left), f = b->members[j];
      if (seen_before(seen, (uint64_t)e << 32 | f)) continue;
      b->exact[chunk]++;
      if (c->strand_of[f] == strand && f - e <= (size_t)b->def->neighbours) continue;
      add_to_bunch(b, bunch, (uint32_t)e, (uint32_t)f);
      if (bunch->count == RV_PAIRS && !test_bunch(b, chunk, bunch)) return false;
      if (b->exact[chunk] >= most) {
        b->skipped[chunk] += stop - j - 1;
        return true;
      }
    }
  return true;
}

// Sorts the pairs found by a chunk and the extra ones, source by source; pair_first is counted from the chunk's first
// pair. False: no memory.
static bool order_chunk(Broad* b, size_t chunk) {
  const RvContacts* c = b->c;
  const Found* found = &b->work->found[chunk];
  RvKeys* out = &b->work->pairs[chunk];
  size_t first = chunk * b->grain;
  size_t last = first + b->grain < c->nedge ? first + b->grain : c->nedge;
  size_t at = 0;
  size_t extra = c->extra ? c->extra_first[last] - c->extra_first[first] : 0;
  size_t most = found->count + extra;
  if (!rv_array_reserve(out, most > LEAST_OF_CHUNK ? most : LEAST_OF_CHUNK)) return false;
  for (size_t e = first; e < last; ++e) {
    uint64_t* run = out->data + out->count;
    size_t n = 0;
    c->pair_first[e] = (uint32_t)out->count;
    for (; at < found->count && found->data[at].key >> 32 == e; ++at) run[n++] = found->data[at].key;
    for (size_t k = extra ? c->extra_first[e] : 0; extra && k < c->extra_first[e + 1]; ++k) run[n++] = c->extra[k];
    out->count += n > 1 ? rv_contact_order(run, n) : n;
  }
  return true;
}

// Pairs of some chunks of edges.
static void search_edges(void* arg, size_t begin, size_t end) {
  Broad* b = arg;
  RvContacts* c = b->c;
  RvBoxes boxes = boxes_of(b);
  for (size_t chunk = begin; chunk < end; ++chunk) {
    // no pair has the key 0, as the receiver is the later edge; unused lanes are computed too
    Seen seen = {{0}};
    Bunch bunch = {0};
    size_t last = (chunk + 1) * b->grain < c->nedge ? (chunk + 1) * b->grain : c->nedge;
    bool good = rv_array_reserve(&b->work->found[chunk], GUESS * b->grain + LEAST_OF_CHUNK);
    for (size_t e = chunk * b->grain; e < last && good; ++e) {
      for (size_t k = b->first[e]; k < b->first[e + 1] && good; ++k)
        good = pairs_of_entry(b, chunk, e, k, &boxes, &seen, &bunch);
      if (b->work->found[chunk].count < b->settled[chunk] + SETTLE) continue;
      good = good && test_bunch(b, chunk, &bunch);
      settle(b, chunk);
    }
    good = good && test_bunch(b, chunk, &bunch);
    settle(b, chunk);
    b->failed[chunk] = !good || !order_chunk(b, chunk);
  }
}

// Joins the pairs of some chunks.
static void copy_pairs(void* arg, size_t begin, size_t end) {
  const Broad* b = arg;
  RvContacts* c = b->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t first = chunk * b->grain;
    size_t last = first + b->grain < c->nedge ? first + b->grain : c->nedge;
    if (b->work->pairs[chunk].count)
      memcpy(c->pairs.data + b->at[chunk], b->work->pairs[chunk].data,
             b->work->pairs[chunk].count * sizeof *c->pairs.data);
    for (size_t e = first; e < last; ++e) c->pair_first[e] += (uint32_t)b->at[chunk];
  }
}

// Sums the chunks' numbers and joins their pairs.
static RvResult collect(Broad* b, RvContactStats* stats, RvError* error) {
  RvContacts* c = b->c;
  size_t total = 0;
  bool failed = false;
  for (int k = 0; k < CHUNKS; ++k) {
    b->at[k] = total;
    total += b->work->pairs[k].count;
    failed |= b->failed[k];
    stats->tests += b->tests[k];
    stats->pairs += b->exact[k];
    stats->skipped += b->skipped[k];
  }
  if (total > UINT32_MAX)
    return rv_fail(error, RV_LIMIT, "contacts: %zu pairs of edges are more than fit; use fewer strands or points",
                   total);
  if (failed || !rv_array_resize(&c->pairs, total))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu pairs of edges", total);
  rv_parallel_for((c->nedge + b->grain - 1) / b->grain, 16, copy_pairs, b);
  c->pair_first[c->nedge] = (uint32_t)total;
  return RV_OK;
}

// The search, with cleared lists and memory from the scratch; NULL: no memory.
static Broad* begin(RvContacts* c, double dt, const RvContactDef* def) {
  if (!c->broad && !(c->broad = rv_alloc_zero(1, sizeof *c->broad))) return NULL;
  Broad* b = RV_TAKE(c->scratch, Broad, 1);
  if (!b) return NULL;
  const size_t share = (c->nedge + CHUNKS - 1) / CHUNKS;
  *b = (Broad){.c = c, .def = def, .dt = dt, .grain = share > LEAST_GRAIN ? share : LEAST_GRAIN, .work = c->broad};
  for (int k = 0; k < CHUNKS; ++k) {
    b->work->entered[k].count = 0;
    b->work->found[k].count = 0;
    b->work->pairs[k].count = 0;
  }
  return b;
}

RvResult rv_contact_pairs(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error) {
  c->pairs.count = 0;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  Broad* b = begin(c, dt, def);
  RvResult result = b ? make_entries(b, stats, error)
                      : rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu edges", c->nedge);
  if (!result) {
    rv_parallel_for(c->nedge, BOX_EDGES, make_boxes, b);
    rv_parallel_for((c->nedge + b->grain - 1) / b->grain, 1, search_edges, b);
    result = collect(b, stats, error);
  }
  rv_arena_release(c->scratch, mark);
  return result;
}
