// Particles near strands go to the film (WH-31, WH-32, spec 1.2.9 with E9, E10, E42).
//
// Each particle offers a part of its volume, which is split among the edges within reach; each vertex takes what it has
// room for; what is left of a particle is nothing or at least a tenth of nominal. In dense hair a particle has a
// hundred edges within reach: weights of such pairs are not kept but found again in each pass (capture_kernel.h). What
// is kept are the edges of each tile of particles, and which groups of its particles each of them reaches. A particle
// is of one tile, and sums over its edges go by their order there; sums over an edge's particles are made for each of
// its tiles and then added in a fixed order.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/capture_kernel.h"
#include "couple/store.h"
#include "math/scalar.h"

// A drop that has just left is not taken back at once: it falls out of reach in about that time, s.
static const double FRESH = 0.03;
static const double HALF_PARTICLE = 0.62;  // of its side: radius of a ball of its volume
static const double FAR = 6;               // cells: reach at most
static const double PIECE = 2;             // cells: pieces of long edges
static const double DUST = 0.1;            // of nominal
static const size_t GROUPS = 12;           // of a piece, in dense hair

// A piece of an edge near a tile.
typedef struct Entry {
  uint32_t edge, home;
  float from, to;  // of the edge
} Entry;

typedef RV_ARRAY(Entry) Entries;

// Groups of a share of tiles: in the scratch, or allocated if these are not enough.
typedef struct Groups {
  RvCaptureGroup *data, *own;
  size_t count, capacity;
} Groups;

typedef struct Sums {
  double at[RV_CAPTURE_SUMS];
} Sums;

typedef struct RvCaptureWork {
  Entries chunk[RV_COUPLE_CHUNKS], entries;
} RvCaptureWork;

void rv_couple_capture_free(RvCaptureWork* w) {
  if (!w) return;
  for (int k = 0; k < RV_COUPLE_CHUNKS; ++k) rv_array_free(&w->chunk[k]);
  rv_array_free(&w->entries);
  rv_free(w);
}

typedef struct Capture {
  RvCouple* c;
  RvCaptureWork* w;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  const RvLiquidGrid* grid;
  RvParticles* p;
  double dt, side;  // side: m, of a particle's cube
  bool under_too;
  double* kick;
  int32_t lo[3], hi[3];  // box of the particles' tiles, hi not among them
  size_t first;          // strand of the first chunk
  bool failed[RV_COUPLE_CHUNKS];
  size_t shares[RV_COUPLE_CHUNKS + 1];  // of tiles, each of about as many entries
  Groups groups[RV_COUPLE_CHUNKS];
  // from the scratch
  uint64_t* rows;                // [homes] rows of cells that hold particles: bit 8 z + y
  uint32_t* edge_first;          // [packed + 1] entries of each edge
  uint32_t *tile_first, *order;  // [homes + 1], [entries] those of each tile
  RvCapturePiece* pieces;        // [entries]
  Sums* sums;                    // [entries] m3 and m3 m/s offered to both ends
  double *room, *scale, *gain;   // [packed]; gain: 4 numbers a vertex, m3 and kg m/s
  double* reach;                 // [packed] cells, of edges
  double *weight, *each;         // [particles]
  float *rate, *nearest;         // [particles]
} Capture;

// too small to be parted
static bool is_dust(const Capture* k, double volume) {
  return volume <= DUST * k->set->nominal * 1.0001;
}

static double smooth_step(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

//---------------------------------------------------------------------------------------------- who is near

// Cells: as far as one hair holds liquid (17), however many stand around it, and half of a particle more; so a coarse
// particle is within reach of what it covers.
static double reach_of(const Capture* k, const RvCoupleStrand* s, int i) {
  const RvCouple* c = k->c;
  size_t packed = s->first + (size_t)i;
  double one = rv_couple_capacity_radius(c->vertices.data[packed].radius, k->set->tension, k->set->density,
                                         0.5 * (c->pull.data[packed] + c->pull.data[packed + 1]), s->hairs);
  return (one + HALF_PARTICLE * k->side) / k->grid->dx;
}

// an edge in cells from the grid's origin
static void edge_cells(const Capture* k, uint32_t edge, double a[3], double d[3]) {
  const RvCoupleVertex* v = &k->c->vertices.data[edge];
  for (int n = 0; n < 3; ++n) {
    a[n] = (v[0].x[n] - k->grid->origin[n]) / k->grid->dx;
    d[n] = (v[1].x[n] - v[0].x[n]) / k->grid->dx;
  }
}

// which rows of cells of each tile hold particles
static void find_rows(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  for (size_t t = begin; t < end; ++t) {
    const uint32_t* cell = k->p->cell_first + t * RV_TILE_CELLS;
    uint64_t rows = 0;
    for (int n = 0; n < 64; ++n)
      if (cell[8 * n + 8] > cell[8 * n]) rows |= (uint64_t)1 << n;
    k->rows[t] = rows;
  }
}

// the tiles of particles within reach of a piece
static bool walk_tiles(const Capture* k, const double* a, const double* d, double reach, Entry entry, Entries* out) {
  int32_t lo[3], hi[3], tile[3];
  double least[3], most[3];
  for (int n = 0; n < 3; ++n) {
    double x0 = a[n] + (double)entry.from * d[n], x1 = a[n] + (double)entry.to * d[n];
    least[n] = fmin(x0, x1) - reach;
    most[n] = fmax(x0, x1) + reach;
    double low = floor(least[n] / RV_TILE_SIDE), high = floor(most[n] / RV_TILE_SIDE);
    if (low >= k->hi[n] || high < k->lo[n]) return true;
    lo[n] = (int32_t)fmax(low, k->lo[n]);
    hi[n] = (int32_t)fmin(high, k->hi[n] - 1);
  }
  for (tile[2] = lo[2]; tile[2] <= hi[2]; ++tile[2])
    for (tile[1] = lo[1]; tile[1] <= hi[1]; ++tile[1])
      for (tile[0] = lo[0]; tile[0] <= hi[0]; ++tile[0]) {
        int32_t home = rv_tiles_find(&k->p->homes, tile[0], tile[1], tile[2]);
        if (home < 0) continue;
        int first[2], last[2];
        for (int n = 0; n < 2; ++n) {
          double from = (double)tile[n + 1] * RV_TILE_SIDE;
          first[n] = (int)rv_clamp(least[n + 1] - from, 0, RV_TILE_SIDE - 1);
          last[n] = (int)rv_clamp(most[n + 1] - from, 0, RV_TILE_SIDE - 1);
        }
        entry.home = (uint32_t)home;
        if (k->rows[home] & rv_couple_capture_rows(first[0], last[0], first[1], last[1]) && !rv_array_push(out, entry))
          return false;
      }
  return true;
}

static bool walk_edge(const Capture* k, const RvCoupleStrand* s, int i, Entries* out) {
  size_t packed = s->first + (size_t)i;
  if (!(k->room[packed] > 0) && !(k->room[packed + 1] > 0)) return true;
  double a[3], d[3], reach = reach_of(k, s, i), wide = 0;
  edge_cells(k, (uint32_t)packed, a, d);
  for (int n = 0; n < 3; ++n) {
    wide = fmax(wide, fabs(d[n]));
    if (!(fabs(a[n]) < 1e9) || !(fabs(d[n]) < 1e6)) return true;
  }
  reach = reach < FAR ? reach : FAR;
  if (!(reach > 0)) return true;
  k->reach[packed] = reach;
  int pieces = (int)fmin(ceil(wide / PIECE), 1 << 16);
  if (pieces < 1) pieces = 1;
  for (int n = 0; n < pieces; ++n) {
    Entry entry = {(uint32_t)packed, 0, (float)((double)n / pieces), (float)((double)(n + 1) / pieces)};
    if (!walk_tiles(k, a, d, reach, entry, out)) return false;
  }
  return true;
}

static size_t last_of(const Capture* k, size_t chunk) {
  size_t last = k->first + (chunk + 1) * RV_COUPLE_GRAIN;
  return last < k->c->strands.count ? last : k->c->strands.count;
}

static void walk_some(void* arg, size_t begin, size_t end) {
  Capture* k = arg;
  RvCouple* c = k->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    Entries* out = &k->w->chunk[chunk];
    out->count = 0;
    for (size_t n = k->first + chunk * RV_COUPLE_GRAIN; n < last_of(k, chunk); ++n) {
      const RvCoupleStrand* s = &c->strands.data[n];
      for (int i = 0; i < s->count; ++i) {
        k->edge_first[s->first + (size_t)i] = (uint32_t)out->count;
        if (i + 1 < s->count && s->sound && !k->failed[chunk]) k->failed[chunk] = !walk_edge(k, s, i, out);
      }
    }
  }
}

static void set_box(Capture* k) {
  for (int a = 0; a < 3; ++a) {
    k->lo[a] = INT32_MAX;
    k->hi[a] = INT32_MIN;
  }
  for (size_t t = 0; t < k->p->homes.count; ++t)
    for (int a = 0; a < 3; ++a) {
      int32_t x = k->p->homes.coord[t][a];
      k->lo[a] = x < k->lo[a] ? x : k->lo[a];
      k->hi[a] = x + 1 > k->hi[a] ? x + 1 : k->hi[a];
    }
}

// the entries of some chunks behind those before them
static bool join(Capture* k, size_t chunks) {
  RvCaptureWork* w = k->w;
  RvCouple* c = k->c;
  size_t total = w->entries.count, at = total;
  for (size_t n = 0; n < chunks; ++n) {
    if (k->failed[n]) return false;
    total += w->chunk[n].count;
  }
  if (total > UINT32_MAX / 2 || !rv_array_resize(&w->entries, total)) return false;
  for (size_t n = 0; n < chunks; ++n) {
    size_t first = k->first + n * RV_COUPLE_GRAIN, last = last_of(k, n);
    size_t lo = c->strands.data[first].first,
           hi = last < c->strands.count ? c->strands.data[last].first : c->vertices.count;
    for (size_t i = lo; i < hi; ++i) k->edge_first[i] += (uint32_t)at;
    if (w->chunk[n].count) memcpy(w->entries.data + at, w->chunk[n].data, w->chunk[n].count * sizeof(Entry));
    at += w->chunk[n].count;
  }
  k->edge_first[c->vertices.count] = (uint32_t)total;
  return true;
}

// some strands at a time: so little stands twice
static bool walk_all(Capture* k) {
  const size_t wave = RV_COUPLE_CHUNKS * RV_COUPLE_GRAIN;
  k->w->entries.count = 0;
  for (k->first = 0; k->first < k->c->strands.count; k->first += wave) {
    size_t left = k->c->strands.count - k->first,
           chunks = ((left < wave ? left : wave) + RV_COUPLE_GRAIN - 1) / RV_COUPLE_GRAIN;
    rv_parallel_for(chunks, 1, walk_some, k);
    if (!join(k, chunks)) return false;
  }
  return true;
}

// and their order by tiles, those of a tile by edges
static bool list_by_tiles(Capture* k) {
  RvCaptureWork* w = k->w;
  RvArena* arena = k->c->scratch;
  size_t total = w->entries.count, tiles = k->p->homes.count, room = k->p->sorted;
  k->tile_first = RV_TAKE(arena, uint32_t, tiles + 2);
  k->order = RV_TAKE(arena, uint32_t, total);
  k->pieces = RV_TAKE(arena, RvCapturePiece, total);
  k->sums = RV_TAKE(arena, Sums, total);
  k->weight = RV_TAKE(arena, double, room);
  k->each = RV_TAKE(arena, double, room);
  k->rate = RV_TAKE(arena, float, room);
  k->nearest = RV_TAKE(arena, float, room);
  if (!k->tile_first || !k->order || !k->pieces || !k->sums || !k->weight || !k->each || !k->rate || !k->nearest)
    return false;
  uint32_t* first = k->tile_first;
  memset(first, 0, (tiles + 2) * sizeof *first);
  for (size_t i = 0; i < total; ++i) first[w->entries.data[i].home + 2]++;
  for (size_t t = 2; t < tiles + 2; ++t) first[t] += first[t - 1];
  for (size_t i = 0; i < total; ++i) k->order[first[w->entries.data[i].home + 1]++] = (uint32_t)i;
  return true;
}

//---------------------------------------------------------------------------------------------- offers and answers

// Rate of an edge's vertex, 1/s: none under water (WH-18), as the particles are now. By the grid, which is that of the
// step before, a front that comes over hair would wet it by as much more as the step is longer.
static double rate_at(const Capture* k, const RvCoupleStrand* s, int i) {
  const RvCouple* c = k->c;
  size_t packed = s->first + (size_t)i;
  double rate = fmax(k->set->capture * rv_couple_at(k->set->capture_at, s, i), 0);
  if (k->under_too || !(rate > 0)) return rate;
  double fibres = c->vertices.data[packed].radius / c->reach.data[packed];
  double share = rv_clamp(c->count.data[packed] * fibres * fibres, RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
  double under =
      smooth_step(rv_couple_fill(k->grid, k->p, c->vertices.data[packed].x) / (RV_COUPLE_FULL * (1 - share)));
  return rate * smooth_step(1 - under);
}

static void set_room(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  const RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      double room = k->c->capacity.data[packed] - film->volume[s->vertex + (size_t)i * RV_LANES];
      double rate = s->sound ? rate_at(k, s, i) : 0;
      // scale holds the rate until it is needed
      k->scale[packed] = rate;
      k->room[packed] = s->sound && rate > 0 && room > 0 ? room : 0;
    }
  }
}

static RvCaptureTile tile_of(const Capture* k, size_t tile) {
  const RvParticles* p = k->p;
  return (RvCaptureTile){.x = {p->x[0], p->x[1], p->x[2]},
                         .v = {p->v[0], p->v[1], p->v[2]},
                         .cell = p->cell_first + tile * RV_TILE_CELLS,
                         .count = p->count,
                         .rows = k->rows[tile],
                         .weight = k->weight,
                         .rate = k->rate,
                         .nearest = k->nearest,
                         .each = k->each,
                         .given = k->weight,
                         .refused = k->nearest};
}

static RvCapturePiece piece_of(const Capture* k, const Entry* e) {
  double a[3], d[3], reach = k->reach[e->edge], square = 0;
  RvCapturePiece p = {.from = e->from, .to = e->to, .near = (float)(1 / (reach * reach)), .reach = (float)reach};
  edge_cells(k, e->edge, a, d);
  for (int n = 0; n < 3; ++n) {
    square += d[n] * d[n];
    p.a[n] = (float)(a[n] - (double)k->p->homes.coord[e->home][n] * RV_TILE_SIDE);
    p.d[n] = (float)d[n];
  }
  p.inverse = square > 0 ? (float)(1 / square) : 0;
  return p;
}

// the part of a particle that is offered: 1 - exp(-rate dt), the rate that of the nearest hairs, fading at their reach
static double offer(const Capture* k, size_t i) {
  double weight = k->weight[i], volume = k->p->volume[i], least = DUST * k->set->nominal;
  if (!(weight > 0) || !(volume > 0)) return 0;
  double fade = fmin((double)k->nearest[i], 1) * smooth_step((double)k->p->age[i] / FRESH);
  double part = 1 - rv_exp(-(double)k->rate[i] / weight * fade * k->dt);
  // dust is taken whole or not at all; else no dust is made
  double want = is_dust(k, volume) ? (part > 0 ? volume : 0) : fmin(part * volume, volume - least);
  return want / weight;
}

// no strand is near
static bool is_far(const Capture* k, size_t tile) {
  return k->tile_first[tile] == k->tile_first[tile + 1];
}

static size_t groups_most(const Capture* k, size_t tile) {
  const uint32_t* cell = k->p->cell_first + tile * RV_TILE_CELLS;
  return rv_couple_capture_groups_most(cell[RV_TILE_CELLS] - cell[0]);
}

// false: no memory
static bool share_tiles(Capture* k) {
  size_t tiles = k->p->homes.count, total = k->w->entries.count, t = 0;
  for (size_t n = 0; n < RV_COUPLE_CHUNKS; ++n) {
    size_t most = 0, first = k->shares[n] = t;
    for (; t < tiles && (uint64_t)k->tile_first[t] * RV_COUPLE_CHUNKS < (uint64_t)total * (n + 1); ++t)
      if (!is_far(k, t) && groups_most(k, t) > most) most = groups_most(k, t);
    Groups* g = &k->groups[n];
    g->capacity = GROUPS * (k->tile_first[t] - k->tile_first[first]) + most;
    if (!(g->data = RV_TAKE(k->c->scratch, RvCaptureGroup, g->capacity))) return false;
  }
  k->shares[RV_COUPLE_CHUNKS] = tiles;
  return true;
}

static bool make_room(Groups* g, size_t more) {
  size_t need = g->count + more;
  if (need <= g->capacity) return true;
  if (need > UINT32_MAX / 2) return false;
  RvCaptureGroup* data = rv_alloc(2 * need, sizeof *data);
  if (!data) return false;
  memcpy(data, g->data, g->count * sizeof *data);
  rv_free(g->own);
  g->data = g->own = data;
  g->capacity = 2 * need;
  return true;
}

static void ask_tile(const Capture* k, size_t t, const RvCaptureTile* tile, const Groups* groups) {
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j)
    RV_KERNEL_CALL(rv_couple_capture_ask,
                   (tile, &k->pieces[j], groups->data + k->pieces[j].first_group, k->sums[k->order[j]].at));
}

// false: no memory
static bool weigh_tile(const Capture* k, size_t t, const RvCaptureTile* tile, Groups* groups) {
  size_t most = groups_most(k, t);
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j) {
    const Entry* e = &k->w->entries.data[k->order[j]];
    const float rate[2] = {(float)k->scale[e->edge], (float)k->scale[e->edge + 1]};
    RvCapturePiece* piece = &k->pieces[j];
    *piece = piece_of(k, e);
    piece->first_group = (uint32_t)groups->count;
    if (!make_room(groups, most)) return false;
    RV_KERNEL_CALL(rv_couple_capture_weigh, (tile, piece, rate, groups->data + groups->count));
    groups->count += piece->groups;
  }
  return true;
}

static void offer_some(void* arg, size_t begin, size_t end) {
  Capture* k = arg;
  for (size_t share = begin; share < end; ++share) {
    Groups* groups = &k->groups[share];
    for (size_t t = k->shares[share]; t < k->shares[share + 1]; ++t) {
      if (is_far(k, t)) continue;
      RvCaptureTile tile = tile_of(k, t);
      size_t first = tile.cell[0], last = tile.cell[RV_TILE_CELLS];
      for (size_t i = first; i < last; ++i) {
        k->weight[i] = k->each[i] = 0;
        k->rate[i] = k->nearest[i] = 0;
      }
      if (k->failed[share] || (k->failed[share] = !weigh_tile(k, t, &tile, groups))) return;
      for (size_t i = first; i < last; ++i) k->each[i] = offer(k, i);
      ask_tile(k, t, &tile, groups);
    }
  }
}

// what is offered to a vertex, by the edges above and below: `count` numbers
static void add_offers(const Capture* k, size_t vertex, int count, double* sum) {
  for (size_t side = 0; side < 2; ++side) {
    if (vertex < side) continue;
    for (size_t j = k->edge_first[vertex - side]; j < k->edge_first[vertex - side + 1]; ++j)
      for (int n = 0; n < count; ++n) sum[n] += k->sums[j].at[4 * side + (size_t)n];
  }
}

// the part of it that it has room for
static void scale_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  for (size_t i = begin; i < end; ++i) {
    double asked = 0, room = k->room[i];
    add_offers(k, i, 1, &asked);
    k->scale[i] = asked > room ? room / asked : 1;
  }
}

// Whether some vertex near a tile has not room for all that it is offered.
static bool lacks_room(const Capture* k, size_t tile) {
  for (size_t j = k->tile_first[tile]; j < k->tile_first[tile + 1]; ++j) {
    const double* s = &k->scale[k->w->entries.data[k->order[j]].edge];
    if (s[0] < 1 || s[1] < 1) return true;
  }
  return false;
}

// what a particle gives in the end; true: less than its pieces know
static bool give(const Capture* k, size_t i) {
  double volume = k->p->volume[i], sum = k->each[i] * k->weight[i];
  bool dust = is_dust(k, volume), refused = dust && sum > 0 && k->nearest[i] > 0;
  if (refused || !(sum > 0)) sum = k->each[i] = 0;
  if (!k->set->bulk_fixed && sum > 0) k->p->volume[i] = dust ? 0 : volume - sum;
  k->weight[i] = sum;
  return refused;
}

static void give_tile(const Capture* k, size_t t, const Groups* groups) {
  RvCaptureTile tile = tile_of(k, t);
  size_t first = tile.cell[0], last = tile.cell[RV_TILE_CELLS];
  bool again = false;
  // else all of the weights found takers
  bool lacks = lacks_room(k, t);
  for (size_t i = first; i < last; ++i) k->nearest[i] = 0;
  for (size_t i = first; i < last && lacks; ++i) k->weight[i] = 0;
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1] && lacks; ++j)
    RV_KERNEL_CALL(rv_couple_capture_give, (&tile, &k->pieces[j], groups->data + k->pieces[j].first_group,
                                            &k->scale[k->w->entries.data[k->order[j]].edge]));
  for (size_t i = first; i < last; ++i) again |= give(k, i);
  // dust that was not taken leaves the sums
  if (again) ask_tile(k, t, &tile, groups);
}

static void give_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  for (size_t share = begin; share < end; ++share)
    for (size_t t = k->shares[share]; t < k->shares[share + 1]; ++t)
      if (!is_far(k, t)) give_tile(k, t, &k->groups[share]);
}

//---------------------------------------------------------------------------------------------- to the film

// volume and momentum that each vertex gets
static void gather_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  for (size_t i = begin; i < end; ++i) {
    double* gain = &k->gain[4 * i];
    memset(gain, 0, 4 * sizeof *gain);
    add_offers(k, i, 4, gain);
    gain[0] *= k->scale[i];
    for (int a = 1; a < 4; ++a) gain[a] *= k->scale[i] * k->set->density;
  }
}

// E42. Of what a vertex gets, the velocity relative to it goes along each of its edges to the film there, by the part
// of the vertex that belongs to the edge, and across to the strand: so the sum of all is exact.
static void apply_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    double last_moved = 0, last_flow = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i, at = s->vertex + (size_t)i * RV_LANES;
      const double* gain = &k->gain[4 * packed];
      const RvCoupleVertex* v = &k->c->vertices.data[packed];
      double above = rv_couple_above(v, i, s->count), moved[2] = {0, 0}, flow[2] = {0, 0};
      if (gain[0] > 0) {
        RvVec3 slip = rv_sub(rv_scale(rv_vec3_load64(gain + 1), 1 / (k->set->density * gain[0])), rv_couple_v(v));
        RvVec3 across = slip;
        for (int side = 0; side < 2; ++side) {
          double part = side ? above : 1 - above;
          if (part == 0) continue;
          RvVec3 t = rv_couple_tangent(side ? v : v - 1);
          double along = rv_dot(slip, t);
          across = rv_mad(across, -part * along, t);
          moved[side] = part * gain[0];
          flow[side] = part * gain[0] * along;
        }
        rv_couple_kick(k->kick, s, i, rv_scale(across, k->set->density * gain[0]));
      }
      if (i > 0) {
        // volumes of the edge below, before; that of its lower vertex has changed already
        double below = rv_couple_above(v - 1, i - 1, s->count);
        double before =
            below * (film->volume[at - RV_LANES] - k->gain[4 * (packed - 1)]) + (1 - above) * film->volume[at];
        double more = last_moved + moved[0];
        double* speed = &film->speed[s->edge + (size_t)(i - 1) * RV_LANES];
        if (more > 0) *speed = (before * *speed + last_flow + flow[0]) / (before + more);
      }
      rv_film_gain(film, at, gain[0]);
      last_moved = moved[1];
      last_flow = flow[1];
    }
  }
}

static bool fit(Capture* k) {
  RvCouple* c = k->c;
  if (!c->capture && !(c->capture = rv_alloc_zero(1, sizeof *c->capture))) return false;
  k->w = c->capture;
  size_t n = c->vertices.count;
  k->room = RV_TAKE(c->scratch, double, n);
  k->scale = RV_TAKE(c->scratch, double, n);
  k->gain = RV_TAKE(c->scratch, double, 4 * n);
  k->reach = RV_TAKE(c->scratch, double, n);
  k->edge_first = RV_TAKE(c->scratch, uint32_t, n + 1);
  k->rows = RV_TAKE(c->scratch, uint64_t, k->p->homes.count);
  return k->room && k->scale && k->gain && k->reach && k->edge_first && k->rows;
}

static void count_captured(const Capture* k, RvCoupleReport* report) {
  for (size_t t = 0; t < k->p->homes.count; ++t) {
    if (is_far(k, t)) continue;
    for (size_t i = k->p->cell_first[t * RV_TILE_CELLS]; i < k->p->cell_first[(t + 1) * RV_TILE_CELLS]; ++i) {
      report->captured += k->weight[i] > 0;
      report->captured_volume += k->weight[i];
    }
  }
}

// false: no memory
static bool capture(Capture* k, RvCoupleReport* report) {
  size_t strands = k->c->strands.count, vertices = k->c->vertices.count, homes = k->p->homes.count;
  if (!fit(k)) return false;
  rv_parallel_for(strands, 64, set_room, k);
  rv_parallel_for(homes, 64, find_rows, k);
  set_box(k);
  if (!walk_all(k)) return false;
  if (k->w->entries.count == 0) return true;
  if (!list_by_tiles(k) || !share_tiles(k)) return false;
  rv_parallel_for(RV_COUPLE_CHUNKS, 1, offer_some, k);
  for (int n = 0; n < RV_COUPLE_CHUNKS; ++n)
    if (k->failed[n]) return false;
  rv_parallel_for(vertices, 1024, scale_some, k);
  rv_parallel_for(RV_COUPLE_CHUNKS, 1, give_some, k);
  rv_parallel_for(vertices, 1024, gather_some, k);
  rv_parallel_for(strands, 64, apply_some, k);
  count_captured(k, report);
  return true;
}

RvResult rv_couple_capture(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           const RvLiquidGrid* grid_space, RvParticles* particles, double dt, bool under_too,
                           double* kick, RvCoupleReport* report, RvError* error) {
  if (!(settings->capture > 0) || particles->sorted == 0 || !strands->film || !(dt > 0) || !(grid_space->dx > 0))
    return RV_OK;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = rv_couple_find_capacity(c, strands, settings, error);
  Capture k = {.c = c,
               .strands = strands,
               .set = settings,
               .grid = grid_space,
               .p = particles,
               .dt = dt,
               .side = rv_couple_root3(fmax(settings->nominal, 0)),
               .under_too = under_too,
               .kick = kick};
  if (!result && c->strands.count && !capture(&k, report))
    result = rv_fail(error, RV_NO_MEMORY, "no memory for the particles near %zu strands", c->strands.count);
  for (int n = 0; n < RV_COUPLE_CHUNKS; ++n) rv_free(k.groups[n].own);
  rv_arena_release(c->scratch, mark);
  return result;
}
