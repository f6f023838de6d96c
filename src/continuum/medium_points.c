// The points of the links, and the tiles around them (HC-4).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "continuum/medium.h"

// Largest distance of the points of a link, in cells: half a node's reach, so that a strand looks even.
static const double SPACING = 0.5;
enum { LEAST_PARTS = 2, MOST_PARTS = 64 };
// Largest place, in cells; the tiles' own range.
static const double RANGE = ((double)RV_TILE_RANGE - 2) * RV_TILE_SIDE;
enum { BATCHES_A_TASK = 16 };

typedef struct Work {
  RvMedium* m;
  const RvChainModel* model;
  const double* x;
  size_t* first;  // [batches] first point of each
} Work;

// Places a point at `at`, in cells; its tile is not known yet, so the key is kept apart.
static uint64_t place(RvVec3 at, RvMediumPoint* p) {
  const double y[3] = {at.x, at.y, at.z};
  int32_t cell[3];
  for (int c = 0; c < 3; ++c) {
    if (!(fabs(y[c]) < RANGE)) return UINT64_MAX;
    double whole = floor(y[c]);
    cell[c] = (int32_t)whole;
    p->f[c] = (float)(y[c] - whole);
  }
  p->cell = (uint16_t)rv_tile_cell(cell[0] & 7, cell[1] & 7, cell[2] & 7);
  return rv_tile_key(cell[0] >> RV_TILE_SHIFT, cell[1] >> RV_TILE_SHIFT, cell[2] >> RV_TILE_SHIFT);
}

static void place_batches(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  RvMedium* m = w->m;
  const double scale = 1 / m->def.smoothing;
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &w->model->batches[k];
    size_t n = w->first[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->links; ++i) {
        size_t at = rv_chain_vertex(b, lane, i, 3, 0);
        RvVec3 x0 = rv_strand_vector(w->x, at), x1 = rv_strand_vector(w->x, at + 3 * RV_LANES);
        for (int part = 0; part < m->parts; ++part, ++n) {
          RvMediumPoint* p = &m->points.data[n];
          p->vertex = (uint32_t)rv_chain_vertex(b, lane, i, 1, 0);
          p->link = (uint32_t)rv_chain_link(b, lane, i, 1, 0);
          p->part = (uint16_t)part;
          m->keys.data[n] = place(rv_scale(rv_lerp(x0, x1, (part + 0.5) / m->parts), scale), p);
        }
      }
  }
}

// Points a link for the longest of them.
static RvResult choose_parts(RvMedium* m, const RvChainModel* model, RvError* error) {
  double longest = 0;
  for (size_t i = 0; i < model->links; ++i) longest = fmax(longest, model->length[i]);
  double parts = ceil(longest / (SPACING * m->def.smoothing));
  if (!(parts <= MOST_PARTS))
    return rv_fail(
        error, RV_LIMIT,
        "smoothing is %g m, but segments of strands are up to %g m long; raise it, or give strands more points",
        m->def.smoothing, longest);
  const int least = m->def.parts > 0 ? m->def.parts : LEAST_PARTS;
  m->parts = parts < least ? least : (int)parts;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- tiles

typedef RV_ARRAY(uint64_t) Keys;

// Tiles of one colour have no neighbours of the same colour.
static int colour_of(const int32_t* coord) {
  return (coord[0] & 1) | (coord[1] & 1) << 1 | (coord[2] & 1) << 2;
}

// Appends the keys of a tile's neighbours. False: out of memory.
static bool push_tiles(Keys* keys, uint64_t key, RvTileMask mask) {
  int32_t c[3];
  if (!mask) return true;
  rv_tile_from_key(key, c);
  if (!rv_array_reserve(keys, keys->count + RV_TILE_NEAR)) return false;
  for (int n = 0; n < RV_TILE_NEAR; ++n)
    if (mask >> n & 1)
      keys->data[keys->count++] = rv_tile_key(c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1);
  return true;
}

// Adds the neighbours of all tiles.
static RvResult add_border(RvMedium* m, RvError* error) {
  RvTiles inner = m->tiles;
  m->tiles = (RvTiles){0};
  RvTileMask* masks = rv_alloc(inner.count + 1, sizeof *masks);
  if (!masks) {
    rv_tiles_free(&inner);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the tiles around the hair");
  }
  for (size_t t = 0; t < inner.count; ++t) masks[t] = RV_TILE_MASK_ALL;
  RvResult result = rv_tiles_build_masks(&m->tiles, (const int32_t(*)[3])inner.coord, masks, inner.count, error);
  rv_free(masks);
  rv_tiles_free(&inner);
  return result;
}

// The tiles of the nodes that the points reach: those of their cell, and one more for the binomial mean. Neighbouring
// points are mostly in the same tile, so that keys are pushed once for a run of them.
static RvResult build_tiles(RvMedium* m, RvError* error) {
  enum { REACH = 2 };  // cells
  const int reach = m->def.reach > 0 ? m->def.reach : REACH;
  Keys keys = {0};
  RvTileMask near[RV_TILE_CELLS], mask = 0;
  for (int c = 0; c < RV_TILE_CELLS; ++c) near[c] = rv_tile_reach(c & 7, c >> 3 & 7, c >> 6, reach);
  uint64_t last = UINT64_MAX;
  bool done = true;
  for (size_t i = 0; i < m->points.count && done; ++i) {
    uint64_t key = m->keys.data[i];
    if (key == UINT64_MAX) continue;
    if (key != last) {
      done = push_tiles(&keys, last, mask);
      last = key;
      mask = 0;
    }
    mask |= near[m->points.data[i].cell];
  }
  done = done && push_tiles(&keys, last, mask);
  RvResult result = done ? rv_tiles_build(&m->tiles, keys.data, keys.count, error)
                         : rv_fail(error, RV_NO_MEMORY, "out of memory for the hair medium");
  rv_array_free(&keys);
  return result || !m->def.border ? result : add_border(m, error);
}

// Looks up the points' tiles. Neighbouring points are mostly in the same tile.
static void find_tiles(void* arg, size_t begin, size_t end) {
  RvMedium* m = arg;
  uint64_t last = UINT64_MAX;
  uint32_t tile = RV_MEDIUM_NOWHERE;
  for (size_t i = begin; i < end; ++i) {
    uint64_t key = m->keys.data[i];
    if (key != last) {
      int32_t c[3];
      last = key;
      rv_tile_from_key(key, c);
      tile = key == UINT64_MAX ? RV_MEDIUM_NOWHERE : (uint32_t)rv_tiles_find(&m->tiles, c[0], c[1], c[2]);
    }
    m->points.data[i].tile = tile;
  }
}

// Counting sort of the points by tile, and of the occupied tiles by colour. False: out of memory.
static bool sort_points(RvMedium* m) {
  size_t tiles = m->tiles.count, count = 0, at[RV_MEDIUM_COLOURS];
  if (!rv_array_resize(&m->order, m->points.count) || !rv_array_resize(&m->tile_first, tiles + 2)) return false;
  uint32_t* first = m->tile_first.data;
  memset(first, 0, (tiles + 2) * sizeof *first);
  memset(m->tile_colour, 0, sizeof m->tile_colour);
  for (size_t i = 0; i < m->points.count; ++i)
    if (m->points.data[i].tile != RV_MEDIUM_NOWHERE) first[m->points.data[i].tile + 2]++;
  for (size_t t = 0; t < tiles; ++t)
    if (first[t + 2]) {
      m->tile_colour[colour_of(m->tiles.coord[t]) + 1]++;
      count++;
    }
  for (size_t t = 2; t < tiles + 2; ++t) first[t] += first[t - 1];
  for (size_t i = 0; i < m->points.count; ++i)
    if (m->points.data[i].tile != RV_MEDIUM_NOWHERE) m->order.data[first[m->points.data[i].tile + 1]++] = (uint32_t)i;
  for (int k = 0; k < RV_MEDIUM_COLOURS; ++k) {
    m->tile_colour[k + 1] += m->tile_colour[k];
    at[k] = m->tile_colour[k];
  }
  if (!rv_array_resize(&m->occupied, count)) return false;
  for (size_t t = 0; t < tiles; ++t)
    if (first[t + 1] > first[t])
      m->occupied.data[at[colour_of(m->tiles.coord[t])]++] = (RvMediumTile){(uint32_t)t, first[t], first[t + 1]};
  return true;
}

RvResult rv_medium_make_points(RvMedium* m, const RvChainModel* model, const double* x, RvError* error) {
  enum { POINTS_A_TASK = 4096 };
  RvResult result = choose_parts(m, model, error);
  if (result) return result;
  size_t count = model->nlink * (size_t)m->parts;
  if (count > UINT32_MAX / 2 || 3 * model->vertices > UINT32_MAX)
    return rv_fail(error, RV_LIMIT, "%zu segments of strands are more than the hair medium holds", model->nlink);
  // Places.
  Work w = {m, model, x, rv_alloc(model->nbatch, sizeof *w.first)};
  bool done = w.first && rv_array_resize(&m->points, count) && rv_array_resize(&m->keys, count);
  for (size_t k = 0, at = 0; done && k < model->nbatch; ++k) {
    w.first[k] = at;
    at += (size_t)(model->batches[k].links * model->batches[k].lanes * m->parts);
  }
  if (done) rv_parallel_for(model->nbatch, BATCHES_A_TASK, place_batches, &w);
  rv_free(w.first);
  // Tiles.
  if (done) result = build_tiles(m, error);
  if (done && !result) {
    rv_parallel_for(count, POINTS_A_TASK, find_tiles, m);
    size_t nodes = m->tiles.count * RV_TILE_CELLS;
    done = sort_points(m) && rv_array_resize(&m->nodes, nodes) && rv_array_resize(&m->sums, nodes);
  }
  return done ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for the hair medium");
}
