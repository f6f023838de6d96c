// Quadrature points of the strands on the staggered grid (WH-40): Gauss points of the pieces that the cells cut the
// edges into, near liquid only, sorted by tile.
//
// The faces of all axes and the cell centres lie on planes half a cell apart. Between them the trilinear weights are
// cubic polynomials along the edge, which two Gauss points integrate exactly. Edges up to one cell long are not cut:
// the error at a kink within them is below a percent of their own weight, of either sign, and the weights of a point
// always sum to 1. Short pieces have one point, in the middle.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"

enum { MOST_PIECES = 192 };             // of an edge
static const double MOST_PLACE = 1e9;   // cells: no liquid is farther out, and an int holds the place
static const double SHORT = 0.3;        // cells: shorter pieces have one point
static const double WHOLE = 1;          // cells: edges up to this length along each axis are not cut
static const double SAME_PLANE = 1e-6;  // of an edge: cuts closer than this are one
static const double GAUSS =
    0.21132486540518711775;  // (1 - 1 / sqrt 3) / 2: Gauss points of [0, 1] are at it and at 1 - it

typedef struct Walk {
  RvCouple* c;
  const RvLiquidGrid* grid;
  double lo[3], hi[3];  // cells, box of the tiles
  size_t first;         // first strand of the first chunk
  bool failed[RV_COUPLE_CHUNKS];
} Walk;

// The tile of the last point, where the next one mostly is too.
typedef struct Seen {
  int32_t coord[3], tile;
} Seen;

// Whether a cell around the point holds liquid.
static bool near_liquid(const RvLiquidGrid* g, const RvCouplePoint* p) {
  RvStencil s = rv_couple_stencil(p, RV_LATTICE_CELLS);
  int64_t at[8];
  rv_couple_stencil_nodes(&s, &g->tiles, p->tile, at);
  for (int k = 0; k < 8; ++k)
    if (at[k] >= 0 && g->fill.data[at[k]] > 0) return true;
  return false;
}

// Adds the point a + t d, in cells, if it is near liquid; false: no memory.
static bool push_point(const Walk* w, Seen* seen, RvCouplePoints* out, uint32_t edge, float hairs, const double* a,
                       const double* d, double t, double length) {
  int32_t cell[3], tile[3];
  RvCouplePoint p = {.t = (float)t, .length = (float)length, .edge = edge, .hairs = hairs};
  for (int k = 0; k < 3; ++k) {
    double y = a[k] + t * d[k], whole = floor(y);
    if (!(fabs(whole) < MOST_PLACE)) return true;
    cell[k] = (int32_t)whole;
    tile[k] = cell[k] >> RV_TILE_SHIFT;
    // rounding to float may give 1, which is a valid position too
    p.f[k] = (float)(y - whole);
  }
  if (tile[0] != seen->coord[0] || tile[1] != seen->coord[1] || tile[2] != seen->coord[2]) {
    memcpy(seen->coord, tile, sizeof tile);
    seen->tile = rv_tiles_find(&w->grid->tiles, tile[0], tile[1], tile[2]);
  }
  if (seen->tile < 0) return true;
  p.tile = (uint32_t)seen->tile;
  p.cell = (uint16_t)rv_tile_cell(cell[0] & 7, cell[1] & 7, cell[2] & 7);
  return !near_liquid(w->grid, &p) || rv_array_push(out, p);
}

// Ends t[0..count] of the pieces of an edge a + t d, in cells: where it crosses planes `step` apart. Returns count.
static int cut(const double* a, const double* d, double* t) {
  double wide = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2]))), step = 0.5, next[3], each[3];
  int count = 0;
  t[0] = 0;
  if (wide > WHOLE) {
    while (wide * 3 / step > MOST_PIECES - 4) step *= 2;
    for (int k = 0; k < 3; ++k) {
      each[k] = d[k] != 0 ? step / fabs(d[k]) : INFINITY;
      double plane = d[k] > 0 ? (floor(a[k] / step) + 1) * step : (ceil(a[k] / step) - 1) * step;
      next[k] = d[k] != 0 ? (plane - a[k]) / d[k] : INFINITY;
    }
    for (;;) {
      int k = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
      if (!(next[k] < 1) || count + 2 >= MOST_PIECES) break;
      if (next[k] > t[count] + SAME_PLANE) t[++count] = next[k];
      next[k] += each[k];
    }
  }
  t[++count] = 1;
  return count;
}

// Points of an edge; false: no memory.
static bool walk_edge(const Walk* w, Seen* seen, RvCouplePoints* out, const RvCoupleVertex* v, float hairs) {
  const RvLiquidGrid* g = w->grid;
  double a[3], d[3], t[MOST_PIECES];
  for (int k = 0; k < 3; ++k) {
    a[k] = (v[0].x[k] - g->origin[k]) / g->dx;
    d[k] = (v[1].x[k] - v[0].x[k]) / g->dx;
    if (!(fmin(a[k], a[k] + d[k]) < w->hi[k] && fmax(a[k], a[k] + d[k]) > w->lo[k])) return true;
  }
  int count = cut(a, d, t);
  uint32_t edge = (uint32_t)(v - w->c->vertices.data);
  double length = rv_distance(rv_couple_x(v), rv_couple_x(v + 1));
  for (int k = 0; k < count; ++k) {
    double wide = t[k + 1] - t[k];
    if (wide * length < SHORT * g->dx && count > 1) {
      if (!push_point(w, seen, out, edge, hairs, a, d, t[k] + 0.5 * wide, wide * length)) return false;
      continue;
    }
    if (!push_point(w, seen, out, edge, hairs, a, d, t[k] + GAUSS * wide, 0.5 * wide * length) ||
        !push_point(w, seen, out, edge, hairs, a, d, t[k + 1] - GAUSS * wide, 0.5 * wide * length))
      return false;
  }
  return true;
}

// Points of some chunks of strands.
static void walk_some(void* arg, size_t begin, size_t end) {
  Walk* w = arg;
  RvCouple* c = w->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    RvCouplePoints* out = &c->chunk[chunk];
    Seen seen = {{INT32_MAX, INT32_MAX, INT32_MAX}, -1};
    out->count = 0;
    for (size_t k = w->first + chunk * RV_COUPLE_GRAIN; k < rv_couple_chunk_end(c, w->first, chunk); ++k) {
      const RvCoupleStrand* s = &c->strands.data[k];
      for (int i = 0; i < s->count; ++i) {
        c->edge_first.data[s->first + (size_t)i] = (uint32_t)out->count;
        if (s->valid && i + 1 < s->count && !w->failed[chunk])
          w->failed[chunk] = !walk_edge(w, &seen, out, c->vertices.data + s->first + i, (float)s->hairs);
      }
    }
  }
}

// Appends the points of some chunks; false: no memory.
static bool join(Walk* w, size_t chunks) {
  RvCouple* c = w->c;
  size_t total = c->points.count, at = total;
  for (size_t k = 0; k < chunks; ++k) {
    if (w->failed[k]) return false;
    total += c->chunk[k].count;
  }
  if (total > UINT32_MAX / 2 || !rv_array_resize(&c->points, total)) return false;
  for (size_t k = 0; k < chunks; ++k) {
    size_t first = w->first + k * RV_COUPLE_GRAIN, last = rv_couple_chunk_end(w->c, w->first, k);
    size_t lo = c->strands.data[first].first;
    size_t hi = last < c->strands.count ? c->strands.data[last].first : c->vertices.count;
    for (size_t i = lo; i < hi; ++i) c->edge_first.data[i] += (uint32_t)at;
    if (c->chunk[k].count) memcpy(c->points.data + at, c->chunk[k].data, c->chunk[k].count * sizeof *c->points.data);
    at += c->chunk[k].count;
  }
  c->edge_first.data[c->vertices.count] = (uint32_t)total;
  return true;
}

// Points of all strands, in waves of chunks: so few points are in memory twice.
static bool walk_all(Walk* w) {
  const size_t wave = RV_COUPLE_CHUNKS * RV_COUPLE_GRAIN;
  for (w->first = 0; w->first < w->c->strands.count; w->first += wave) {
    size_t left = w->c->strands.count - w->first;
    size_t chunks = ((left < wave ? left : wave) + RV_COUPLE_GRAIN - 1) / RV_COUPLE_GRAIN;
    rv_parallel_for(chunks, 1, walk_some, w);
    if (!join(w, chunks)) return false;
  }
  return true;
}

// Tiles of one colour have no neighbours of the same colour.
static int colour_of(const int32_t* coord) {
  return (coord[0] & 1) | (coord[1] & 1) << 1 | (coord[2] & 1) << 2;
}

// Counting sort of the points by tiles, and of the tiles with points by colours; false: no memory.
static bool list_tiles(RvCouple* c, const RvTiles* tiles) {
  size_t n = c->points.count, count = 0, at[RV_COUPLE_COLOURS];
  if (!rv_array_resize(&c->order, n) || !rv_array_resize(&c->tile_first, tiles->count + 2)) return false;
  uint32_t* first = c->tile_first.data;
  memset(first, 0, (tiles->count + 2) * sizeof *first);
  memset(c->colour, 0, sizeof c->colour);
  for (size_t i = 0; i < n; ++i) first[c->points.data[i].tile + 2]++;
  for (size_t t = 0; t < tiles->count; ++t)
    if (first[t + 2]) {
      c->colour[colour_of(tiles->coord[t]) + 1]++;
      ++count;
    }
  for (size_t t = 2; t < tiles->count + 2; ++t) first[t] += first[t - 1];
  for (size_t i = 0; i < n; ++i) c->order.data[first[c->points.data[i].tile + 1]++] = (uint32_t)i;
  for (int k = 0; k < RV_COUPLE_COLOURS; ++k) {
    c->colour[k + 1] += c->colour[k];
    at[k] = c->colour[k];
  }
  if (!rv_array_resize(&c->tiles, count)) return false;
  for (size_t t = 0; t < tiles->count; ++t)
    if (first[t + 1] > first[t])
      c->tiles.data[at[colour_of(tiles->coord[t])]++] = (RvCoupleTile){(uint32_t)t, first[t], first[t + 1]};
  return true;
}

// Numbers the tiles with points and their neighbours, and refers points and tiles to these numbers; false: no memory.
static bool list_near(RvCouple* c, const RvTiles* tiles) {
  size_t count = 0;
  if (!rv_array_resize(&c->near_of, tiles->count)) return false;
  // Mark the tiles with points and their neighbours, and count them.
  uint32_t* of = c->near_of.data;
  for (size_t t = 0; t < tiles->count; ++t) of[t] = RV_COUPLE_FAR;
  for (size_t k = 0; k < c->tiles.count; ++k)
    for (int n = 0; n < RV_TILE_NEAR; ++n) {
      int32_t t = tiles->near[c->tiles.data[k].tile][n];
      if (t >= 0) of[t] = 0;
    }
  for (size_t t = 0; t < tiles->count; ++t) count += of[t] != RV_COUPLE_FAR;
  if (!rv_array_resize(&c->near_home, count) || !rv_array_resize(&c->near_near, count)) return false;
  // Number them in the order of the grid.
  count = 0;
  for (size_t t = 0; t < tiles->count; ++t)
    if (of[t] != RV_COUPLE_FAR) {
      c->near_home.data[count] = (uint32_t)t;
      of[t] = (uint32_t)count++;
    }
  for (size_t k = 0; k < count; ++k)
    for (int n = 0; n < RV_TILE_NEAR; ++n) {
      int32_t t = tiles->near[c->near_home.data[k]][n];
      c->near_near.data[k].tile[n] = t < 0 || of[t] == RV_COUPLE_FAR ? -1 : (int32_t)of[t];
    }
  // Refer tiles and points to the new numbers.
  c->near = (RvTiles){.count = count, .near = (int32_t(*)[RV_TILE_NEAR])c->near_near.data};
  for (size_t k = 0; k < c->tiles.count; ++k) c->tiles.data[k].tile = of[c->tiles.data[k].tile];
  for (size_t i = 0; i < c->points.count; ++i) c->points.data[i].tile = of[c->points.data[i].tile];
  c->grid_tiles = tiles->count;
  return true;
}

// Box of the grid's tiles, in cells.
static void set_box(Walk* w) {
  const RvTiles* tiles = &w->grid->tiles;
  for (int k = 0; k < 3; ++k) {
    w->lo[k] = INFINITY;
    w->hi[k] = -INFINITY;
  }
  for (size_t t = 0; t < tiles->count; ++t)
    for (int k = 0; k < 3; ++k) {
      w->lo[k] = fmin(w->lo[k], (double)tiles->coord[t][k] * RV_TILE_SIDE);
      w->hi[k] = fmax(w->hi[k], ((double)tiles->coord[t][k] + 1) * RV_TILE_SIDE);
    }
}

RvResult rv_couple_points(RvCouple* c, const RvLiquidGrid* grid, RvError* error) {
  Walk w = {.c = c, .grid = grid};
  c->points.count = 0;
  bool ok = rv_array_resize(&c->edge_first, c->vertices.count + 1);
  if (ok && (grid->tiles.count == 0 || c->strands.count == 0)) {
    memset(c->edge_first.data, 0, (c->vertices.count + 1) * sizeof *c->edge_first.data);
  } else if (ok) {
    set_box(&w);
    ok = walk_all(&w);
  }
  if (!ok || !list_tiles(c, &grid->tiles) || !list_near(c, &grid->tiles))
    return rv_fail(error, RV_NO_MEMORY, "coupling: out of memory to place %zu strands on the liquid's grid",
                   c->strands.count);
  return RV_OK;
}
