// Free area around each hair of a bundle (WH-20, WH-31, E74).
//
// Liquid fills the space between parallel hairs and is held there by the hairs' surface. Per hair of a bundle that
// space has the section s = a - pi r^2, where a is the hair's cell: the points of the plane across it that are nearer
// to it than to any other hair (hair_cell.h). Filling it wets 2 pi r of circumference, so the energy balance per length
// gives the suction p = 2 pi r tension cos(angle) / s, and a column of p / (density g) against gravity.
//
// The weight chi of the bundle. The column is p / (density g) = l_c s_most / s with the capillary length l_c and
// s_most = 2 pi r cos(angle) l_c. Below l_c it is no more than a meniscus: chi rises from 0 at s = s_most to 1 at half
// of it. And hairs in one row, as a pair, do not enclose liquid: chi falls to 0 where the directions that count lie
// along one line, by their second moment |mean of exp(2 i angle)|. Neither points nor substeps change either.
//
// A strand that stands for n hairs has them evenly in its cell, a / n each. Fine strands are measured at every so many
// vertices, about as far apart as the neighbours are looked for.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/hair_cell.h"
#include "couple/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { ROWS = 9 };         // rows of three cells around a cell
enum { MOST_PIECES = 8 };  // beads of a chord at most
enum { AXIS_BITS = 20 };   // of a key for each axis at most
enum { STRANDS_OF_TASK = 64, NODES_OF_TASK = 256, BEADS_OF_TASK = 4096 };
// Capillary lengths: a lower column is no more than a meniscus.
static const double MENISCUS = 1;
// Neighbours fade out between the reach, at which the column is a meniscus, and so many reaches.
static const float FADE = 1.25F;
// Beads fade out between their half length and so many of it, so that the end of a hair is not sudden.
static const float BEYOND = 1.25F;
// Cosine of the angle between two hairs below which they are not parallel, and above which they are.
static const float CROSSED = 0.5F, PARALLEL = 0.7F;
// The search reads rounded positions, off by up to a hundredth of the reach in a box of 100 m.
static const float MARGIN = 1.01F;
// Second moment of the directions that count: a pair and a row have 0.59, three hairs 0.25, corners 0.
static const double ENCLOSED = 0.35, ONE_ROW = 0.5;
enum { MOST_NEIGHBOURS = 256 };  // more are left out; those of the nearest cells come first
// r^2: smallest free area; hexagonal packing has 0.32, square packing 0.86.
static const double LEAST_AREA = 0.4;
// m/s2: a twentieth of gravity always acts, as for the capacity, so that reaches are finite.
static const double LEAST_GRAVITY = 0.05 * 9.81;

// A straight piece of hair.
typedef struct Bead {
  double x[3];  // m, from the box's corner: exact, as hairs are close to each other and far from the corner
  float tangent[3];
  float half;  // m, of its length
  uint32_t strand;
} Bead;

enum { ROWS_OF_BEADS = 7 };  // numbers of a bead that the search reads: x, tangent, half

// Where a vertex looks for its neighbours.
typedef struct Place {
  double x[3];  // m, from the box's corner
  float tangent[3], across[2][3];
  float reach;  // m
  float least;  // m2: squares of distances count as at least this
  uint32_t strand;
} Place;

// Four beads.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t Four32 __attribute__((vector_size(16)));
// A strand is measured at every `stride`th vertex, its nodes, and at its last one; chords join them.
typedef struct Chords {
  uint32_t stride;      // edges of a chord
  uint32_t pieces;      // beads of a chord
  uint32_t node, bead;  // its first ones
} Chords;

typedef struct Neighbours {
  RvHairNeighbour all[MOST_NEIGHBOURS];
  int count;
} Neighbours;

typedef struct Spacing {
  RvCouple* c;
  const RvCoupleSettings* set;
  double length;  // m, l_c
  double cosine;  // of the contact angle where vertices have none of their own
  double reach;   // m, largest of all vertices
  size_t nbead, nnode;
  // from the scratch
  Chords* chords;               // [strands + 1]
  Bead *beads, *sorted;         // [beads] along the strands, and by cells
  float* row[ROWS_OF_BEADS];    // [beads + 3] the sorted beads once more, number by number
  uint64_t* bead_keys;          // [beads] sorted
  uint64_t *keys, *spare_keys;  // [beads or nodes] cells
  uint32_t *order, *spare_order;
  double lo[3], inverse;  // m, corner of the box; 1/m, of the cells' size
  int bits[3];            // of the keys, for each axis
} Spacing;

//---------------------------------------------------------------------------------------------- physics

// Cosine of the contact angle at a vertex, at least 0.
static double cosine(const Spacing* k, const RvCoupleStrand* s, int i) {
  const double* at = k->set->angle_at;
  return at ? fmax(rv_cos(at[s->vertex + (size_t)i * RV_LANES]), 0) : k->cosine;
}

// m2: the free area at which the column is a meniscus.
static double most_area(const Spacing* k, double radius, double cosine) {
  return 2 * RV_PI * radius * cosine * k->length / MENISCUS;
}

static void set_length(Spacing* k) {
  const double* g = k->set->gravity;
  double gravity = fmax(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), LEAST_GRAVITY);
  k->length = sqrt(k->set->tension / (k->set->density * gravity));
  k->cosine = fmax(rv_cos(k->set->angle), 0);
}

// m: distance of strands at which the column is a meniscus.
static double reach_of(const Spacing* k, const RvCoupleStrand* s, int i) {
  double r = k->c->vertices.data[s->first + (size_t)i].radius;
  double area = most_area(k, r, cosine(k, s, i));
  return area > 0 ? sqrt(s->hairs * (area + RV_PI * r * r)) : 0;
}

// The largest reach of all vertices.
static void find_reach(Spacing* k) {
  const RvCouple* c = k->c;
  for (size_t n = 0; n < c->strands.count; ++n) {
    const RvCoupleStrand* s = &c->strands.data[n];
    for (int i = 0; i < s->count && s->valid; ++i) {
      double reach = reach_of(k, s, i);
      if (reach > k->reach) k->reach = reach;
    }
  }
}

//---------------------------------------------------------------------------------------------- beads

// Chords in a strand.
static uint32_t chords_of(const RvCoupleStrand* s, const Chords* c) {
  return s->valid ? ((uint32_t)s->count + c->stride - 2) / c->stride : 0;
}

// Node j of a strand: its vertex.
static int node_vertex(const RvCoupleStrand* s, const Chords* c, uint32_t j) {
  uint32_t i = j * c->stride, last = (uint32_t)s->count - 1;
  return (int)(i < last ? i : last);
}

// Chords are about as long as the reach, and beads no longer than two reaches, if so many are allowed.
static Chords make_chords(const Spacing* k, const RvCoupleStrand* s) {
  double sum = 0;
  for (int i = 0; i < s->count; ++i) sum += k->c->vertices.data[s->first + (size_t)i].length;
  double edge = sum / (s->count - 1);
  double stride = edge > 0 ? k->reach / edge : 1, pieces = ceil(edge / (2 * k->reach));
  return (Chords){.stride = (uint32_t)rv_clamp(stride, 1, s->count - 1),
                  .pieces = (uint32_t)rv_clamp(pieces, 1, MOST_PIECES),
                  .node = (uint32_t)k->nnode,
                  .bead = (uint32_t)k->nbead};
}

// Chords of all strands, and the size of a cell: a bead that meets the plane of a node within reach has its middle
// within it. False: no memory.
static bool count_beads(Spacing* k) {
  RvCouple* c = k->c;
  double longest = 0;
  if (!(k->chords = RV_TAKE(c->scratch, Chords, c->strands.count + 1))) return false;
  for (size_t n = 0; n < c->strands.count; ++n) {
    const RvCoupleStrand* s = &c->strands.data[n];
    Chords* chords = &k->chords[n];
    *chords = (Chords){.stride = 1, .pieces = 1, .node = (uint32_t)k->nnode, .bead = (uint32_t)k->nbead};
    if (!s->valid) continue;
    *chords = make_chords(k, s);
    uint32_t count = chords_of(s, chords);
    for (uint32_t j = 0; j < count; ++j) {
      const RvCoupleVertex* v = &c->vertices.data[s->first];
      RvVec3 a = rv_couple_x(v + node_vertex(s, chords, j)), b = rv_couple_x(v + node_vertex(s, chords, j + 1));
      longest = fmax(longest, rv_distance(a, b) / chords->pieces);
    }
    k->nnode += count + 1;
    k->nbead += (size_t)count * chords->pieces;
    if (k->nbead > UINT32_MAX / 2) return false;
  }
  k->chords[c->strands.count] = (Chords){.stride = 1, .node = (uint32_t)k->nnode, .bead = (uint32_t)k->nbead};
  double reach = FADE * k->reach, half = 0.5 * BEYOND * longest;
  k->inverse = 1 / sqrt(reach * reach + half * half);
  return true;
}

static bool take_memory(Spacing* k) {
  RvArena* scratch = k->c->scratch;
  size_t n = k->nbead, most = n > k->nnode ? n : k->nnode;
  k->beads = RV_TAKE(scratch, Bead, n);
  k->sorted = RV_TAKE(scratch, Bead, n);
  k->keys = RV_TAKE(scratch, uint64_t, most);
  k->spare_keys = RV_TAKE(scratch, uint64_t, most);
  k->bead_keys = RV_TAKE(scratch, uint64_t, n);
  float* rows = RV_TAKE(scratch, float, ROWS_OF_BEADS*(n + 3));
  k->order = RV_TAKE(scratch, uint32_t, most);
  k->spare_order = RV_TAKE(scratch, uint32_t, most);
  if (!rows) return false;
  memset(rows, 0, ROWS_OF_BEADS * (n + 3) * sizeof(float));
  for (size_t i = 0; i < ROWS_OF_BEADS; ++i) k->row[i] = rows + i * (n + 3);
  return k->beads && k->sorted && k->keys && k->spare_keys && k->bead_keys && k->order && k->spare_order;
}

// The box of all vertices, and the bits of its cells, with a margin of one cell to each side.
static void set_box(Spacing* k) {
  const RvCouple* c = k->c;
  double hi[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 1 / k->inverse;
  for (int a = 0; a < 3; ++a) k->lo[a] = INFINITY;
  for (size_t n = 0; n < c->strands.count; ++n) {
    const RvCoupleStrand* s = &c->strands.data[n];
    for (size_t i = s->first; s->valid && i < s->first + (size_t)s->count; ++i)
      for (int a = 0; a < 3; ++a) {
        double x = c->vertices.data[i].x[a];
        k->lo[a] = x < k->lo[a] ? x : k->lo[a];
        hi[a] = x > hi[a] ? x : hi[a];
      }
  }
  for (int a = 0; a < 3; ++a) size = fmax(size, (hi[a] - k->lo[a]) / (double)(1 << AXIS_BITS));
  k->inverse = 1 / size;
  for (int a = 0; a < 3; ++a) k->bits[a] = rv_sort_bits((uint64_t)((hi[a] - k->lo[a]) * k->inverse) + 3);
}

// Key of the cell of a place, from the box's corner.
static uint64_t key_of(const Spacing* k, const double x[3]) {
  uint64_t i[3];
  for (int a = 0; a < 3; ++a) i[a] = (uint64_t)(fmax(x[a], 0) * k->inverse) + 1;
  return (i[2] << k->bits[1] | i[1]) << k->bits[0] | i[0];
}

static void from_corner(const Spacing* k, RvVec3 x, double out[3]) {
  rv_vec3_store64(out, rv_sub(x, rv_vec3(k->lo[0], k->lo[1], k->lo[2])));
}

// Lays the beads of a chord from a to b, with their cells.
static void lay_chord(const Spacing* k, uint32_t strand, uint32_t first, RvVec3 a, RvVec3 b) {
  uint32_t pieces = k->chords[strand].pieces;
  RvVec3 t = rv_normalize(rv_sub(b, a), rv_vec3(0, 1, 0));
  for (uint32_t piece = 0; piece < pieces; ++piece) {
    Bead* bead = &k->beads[first + piece];
    from_corner(k, rv_lerp(a, b, (piece + 0.5) / pieces), bead->x);
    rv_vec3_store(bead->tangent, t);
    bead->half = (float)(0.5 * rv_distance(a, b) / pieces);
    bead->strand = strand;
    k->keys[first + piece] = key_of(k, bead->x);
    k->order[first + piece] = first + piece;
  }
}

static void lay_beads(void* arg, size_t begin, size_t end) {
  const Spacing* k = arg;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    const RvCoupleVertex* v = &k->c->vertices.data[s->first];
    const Chords* c = &k->chords[n];
    uint32_t count = chords_of(s, c);
    for (uint32_t j = 0; j < count; ++j)
      lay_chord(k, (uint32_t)n, c->bead + j * c->pieces, rv_couple_x(v + node_vertex(s, c, j)),
                rv_couple_x(v + node_vertex(s, c, j + 1)));
  }
}

static void gather_beads(void* arg, size_t begin, size_t end) {
  const Spacing* k = arg;
  for (size_t b = begin; b < end; ++b) {
    const Bead* bead = &k->sorted[b];
    k->sorted[b] = k->beads[k->order[b]];
    for (int a = 0; a < 3; ++a) {
      k->row[a][b] = (float)bead->x[a];
      k->row[3 + a][b] = bead->tangent[a];
    }
    k->row[6][b] = bead->half;
    k->bead_keys[b] = k->keys[b];
  }
}

// Beads by cells.
static void sort_beads(Spacing* k) {
  int bits = k->bits[0] + k->bits[1] + k->bits[2];
  rv_parallel_for(k->c->strands.count, STRANDS_OF_TASK, lay_beads, k);
  rv_sort_keys(k->keys, k->order, k->spare_keys, k->spare_order, k->nbead, bits);
  rv_parallel_for(k->nbead, BEADS_OF_TASK, gather_beads, k);
}

//---------------------------------------------------------------------------------------------- neighbours

static float dot(const float a[3], const float b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The hair of a bead crosses the plane of a vertex where the bead's own line does.
static void meet(const Place* p, const Bead* b, Neighbours* near) {
  float d[3];
  for (int a = 0; a < 3; ++a) d[a] = (float)(b->x[a] - p->x[a]);
  float ahead = dot(d, p->tangent), farthest = BEYOND * b->half;
  if (b->strand == p->strand || near->count == MOST_NEIGHBOURS) return;
  float along = dot(b->tangent, p->tangent), cosine = along < 0 ? -along : along;
  if (cosine <= CROSSED) return;
  float behind = ahead / along;
  float beyond = behind < 0 ? -behind : behind;
  for (int a = 0; a < 3; ++a) d[a] -= behind * b->tangent[a];
  float square = dot(d, d), most = FADE * p->reach;
  if (beyond >= farthest || square >= most * most) return;
  float weight =
      rv_couple_smooth(cosine, CROSSED, PARALLEL) * rv_couple_smooth(farthest - beyond, 0, farthest - b->half);
  if (square > p->reach * p->reach) weight *= rv_couple_smooth(most - sqrtf(square), 0, most - p->reach);
  near->all[near->count++] = (RvHairNeighbour){.x = dot(d, p->across[0]),
                                               .y = dot(d, p->across[1]),
                                               .square = square > p->least ? square : p->least,
                                               .weight = weight};
}

static Four load(const float* from) {
  Four out;
  memcpy(&out, from, sizeof out);
  return out;
}

// Which of four beads may be near: the tests of `meet`, of all at once, with a margin for the rounded positions.
static Four32 may_meet(const Spacing* k, const Place* p, size_t b, float farthest) {
  Four t[3], d[3], ahead = {0}, along = {0};
  for (int a = 0; a < 3; ++a) {
    t[a] = load(k->row[3 + a] + b);
    d[a] = load(k->row[a] + b) - (float)p->x[a];
    ahead += d[a] * p->tangent[a];
    along += t[a] * p->tangent[a];
  }
  Four behind = ahead / along, reach = MARGIN * BEYOND * load(k->row[6] + b), square = {0};
  for (int a = 0; a < 3; ++a) {
    Four x = d[a] - behind * t[a];
    square += x * x;
  }
  return (square < farthest) & (behind < reach) & (-behind < reach) & (along * along > CROSSED * CROSSED / MARGIN);
}

// Beads of a row of cells.
static void meet_row(const Spacing* k, const Place* p, size_t from, size_t to, Neighbours* neighbours) {
  float most = MARGIN * FADE * p->reach;
  for (size_t b = from; b < to; b += 4) {
    Four32 near = may_meet(k, p, b, most * most);
    if (!(near[0] | near[1] | near[2] | near[3])) continue;
    for (size_t i = 0; i < 4 && b + i < to; ++i)
      if (near[i]) meet(p, &k->sorted[b + i], neighbours);
  }
}

//---------------------------------------------------------------------------------------------- vertices

static RvVec3 vertex_tangent(const RvCoupleVertex* v, int i, int n) {
  RvVec3 sum = {0, 0, 0};
  if (i > 0) sum = rv_add(sum, rv_couple_tangent(v - 1));
  if (i + 1 < n) sum = rv_add(sum, rv_couple_tangent(v));
  return rv_normalize(sum, rv_vec3(0, 1, 0));
}

static void set_vertex(const Spacing* k, const RvCoupleStrand* s, int i, double square, double moment) {
  size_t at = s->first + (size_t)i;
  double r = k->c->vertices.data[at].radius, most = most_area(k, r, cosine(k, s, i));
  double area = fmax(RV_PI * square / s->hairs - RV_PI * r * r, LEAST_AREA * r * r);
  bool bundled = area < most;
  k->c->free_area.data[at] = bundled ? area : most;
  k->c->bundle_share.data[at] =
      bundled ? rv_smooth_step(most / area - 1) * rv_smooth_step((ONE_ROW - moment) / (ONE_ROW - ENCLOSED)) : 0;
}

// Strand of a node, by bisection.
static uint32_t strand_of(const Spacing* k, uint32_t node) {
  size_t lo = 0, hi = k->c->strands.count;
  while (hi - lo > 1) {
    size_t middle = (lo + hi) / 2;
    *(k->chords[middle].node <= node ? &lo : &hi) = middle;
  }
  return (uint32_t)lo;
}

static Place place_of(const Spacing* k, const RvCoupleStrand* s, int i) {
  const RvCoupleVertex* v = &k->c->vertices.data[s->first + (size_t)i];
  RvVec3 t = vertex_tangent(v, i, s->count), e = rv_perpendicular(t);
  Place p = {.strand = (uint32_t)(s - k->c->strands.data)};
  from_corner(k, rv_couple_x(v), p.x);
  rv_vec3_store(p.tangent, t);
  rv_vec3_store(p.across[0], e);
  rv_vec3_store(p.across[1], rv_cross(t, e));
  p.reach = (float)reach_of(k, s, i);
  p.least = (float)(v->radius * v->radius);
  return p;
}

// Cells of the nodes of some strands.
static void find_keys(void* arg, size_t begin, size_t end) {
  const Spacing* k = arg;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    const Chords* c = &k->chords[n];
    for (uint32_t at = c[0].node; at < c[1].node; ++at) {
      double x[3];
      from_corner(k, rv_couple_x(&k->c->vertices.data[s->first + (size_t)node_vertex(s, c, at - c->node)]), x);
      k->keys[at] = key_of(k, x);
      k->order[at] = at;
    }
  }
}

// Mean square and moment of a node's cell, from the beads from[] to to[] of each row of cells, the nearest rows first.
static double measure_node(const Spacing* k, const Place* p, const size_t from[ROWS], const size_t to[ROWS],
                           double* moment) {
  static const int order[ROWS] = {4, 1, 3, 5, 7, 0, 2, 6, 8};
  Neighbours near;
  near.count = 0;
  for (int n = 0; n < ROWS; ++n) meet_row(k, p, from[order[n]], to[order[n]], &near);
  return rv_couple_hair_cell(near.all, near.count, moment);
}

// Free areas of some nodes in the order of their cells: the first beads of the rows around move along.
static void measure_nodes(void* arg, size_t begin, size_t end) {
  const Spacing* k = arg;
  size_t from[ROWS], to[ROWS];
  uint64_t offset[ROWS];
  for (int row = 0; row < ROWS; ++row) {
    // negative offsets wrap around; adding a key gives the right number again
    offset[row] = ((uint64_t)(int64_t)(row / 3 - 1) << (k->bits[0] + k->bits[1])) +
                  ((uint64_t)(int64_t)(row % 3 - 1) << k->bits[0]) - 1;
    from[row] = rv_sort_first(k->bead_keys, k->nbead, k->keys[begin] + offset[row]);
    to[row] = from[row];
  }
  for (size_t n = begin; n < end; ++n) {
    uint32_t strand = strand_of(k, k->order[n]);
    const RvCoupleStrand* s = &k->c->strands.data[strand];
    int i = node_vertex(s, &k->chords[strand], k->order[n] - k->chords[strand].node);
    for (int row = 0; row < ROWS; ++row) {
      uint64_t least = k->keys[n] + offset[row];
      while (from[row] < k->nbead && k->bead_keys[from[row]] < least) ++from[row];
      while (to[row] < k->nbead && k->bead_keys[to[row]] < least + 3) ++to[row];
    }
    Place p = place_of(k, s, i);
    double moment, square = measure_node(k, &p, from, to, &moment);
    set_vertex(k, s, i, square, moment);
  }
}

// Vertices between the nodes of some strands; those of invalid strands are alone.
static void fill_vertices(void* arg, size_t begin, size_t end) {
  const Spacing* k = arg;
  double *area = k->c->free_area.data, *share = k->c->bundle_share.data;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    const Chords* c = &k->chords[n];
    for (int i = 0; i < s->count && !s->valid; ++i) set_vertex(k, s, i, INFINITY, 1);
    for (uint32_t j = 0; j < chords_of(s, c); ++j) {
      int a = node_vertex(s, c, j), b = node_vertex(s, c, j + 1);
      size_t low = s->first + (size_t)a, high = s->first + (size_t)b;
      for (int i = a + 1; i < b; ++i) {
        double t = (double)(i - a) / (b - a);
        area[s->first + (size_t)i] = area[low] + t * (area[high] - area[low]);
        share[s->first + (size_t)i] = share[low] + t * (share[high] - share[low]);
      }
    }
  }
}

// Measures all vertices; false: no memory.
static bool measure(Spacing* k) {
  if (!count_beads(k) || !take_memory(k)) return false;
  set_box(k);
  sort_beads(k);
  rv_parallel_for(k->c->strands.count, STRANDS_OF_TASK, find_keys, k);
  rv_sort_keys(k->keys, k->order, k->spare_keys, k->spare_order, k->nnode, k->bits[0] + k->bits[1] + k->bits[2]);
  rv_parallel_for(k->nnode, NODES_OF_TASK, measure_nodes, k);
  rv_parallel_for(k->c->strands.count, STRANDS_OF_TASK, fill_vertices, k);
  return true;
}

// No hair is in a bundle.
static void set_alone(const Spacing* k) {
  memset(k->c->free_area.data, 0, k->c->free_area.count * sizeof(double));
  memset(k->c->bundle_share.data, 0, k->c->bundle_share.count * sizeof(double));
}

RvResult rv_couple_find_spacing(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                                RvError* error) {
  RvResult result = rv_couple_pack(c, strands, settings, error);
  if (result) return result;
  size_t n = c->vertices.count;
  if (settings->count_key && settings->count_key == c->spacing_key && c->bundle_share.count == n) return RV_OK;
  c->spacing_key = 0;
  Spacing k = {.c = c, .set = settings};
  bool ok = rv_array_resize(&c->free_area, n) && rv_array_resize(&c->bundle_share, n);
  if (ok) {
    set_length(&k);
    find_reach(&k);
    RvArenaMark mark = rv_arena_mark(c->scratch);
    if (k.reach > 0)
      ok = measure(&k);
    else
      set_alone(&k);
    rv_arena_release(c->scratch, mark);
  }
  if (!ok)
    return rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for the spacing of %zu strands", c->strands.count);
  c->spacing_key = settings->count_key;
  return RV_OK;
}

RvResult rv_couple_spacing(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           double* free_area, double* bundle_share, RvError* error) {
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = rv_couple_find_spacing(c, strands, settings, error);
  rv_arena_release(c->scratch, mark);
  if (result) return result;
  for (size_t k = 0; k < c->strands.count; ++k) {
    const RvCoupleStrand* s = &c->strands.data[k];
    for (int i = 0; i < s->count; ++i) {
      rv_couple_put1(free_area, s, i, c->free_area.data[s->first + (size_t)i]);
      rv_couple_put1(bundle_share, s, i, c->bundle_share.data[s->first + (size_t)i]);
    }
  }
  return RV_OK;
}
