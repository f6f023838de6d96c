// Density of strands on tiles and the forces of its excess (volume.h). Sums are deterministic: vertices are sorted by
// tile and cell, each tile adds its own to 9^3 nodes, and a node adds the sums of the up to eight tiles that reach it
// in a fixed order.
#include "lookdev/volume.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "space/order.h"

// Share of the groom's density that is tolerated: moving through the grid changes a density by some percent.
static const double SLACK = 0.2;
// Cells that squeezed hair may expand by in a substep: explicit forces are stable below 1.
static const double MOST_CELLS = 0.5;
enum { PAD_SIDE = RV_TILE_SIDE + 1, PAD_NODES = PAD_SIDE * PAD_SIDE * PAD_SIDE };
enum { VERTICES_A_TASK = 4096, TILES_A_TASK = 4 };

typedef struct Grid {
  RvVolume* g;
  const RvStrandModel* m;
  const RvStrandState* s;
  double cell, per_cell, speed2;
  const double* rest;   // [vertices of the blocks] density of the groom
  double *density;      // [vertices of the blocks]
  double* nodes;        // of the spread at hand
  double* force;
} Grid;

//---------------------------------------------------------------------------------------------- memory

RvResult rv_volume_init(RvVolume* g, const RvStrandModel* m, RvError* error) {
  *g = (RvVolume){0};
  size_t n = m->nvertex;
  g->count = n;
  g->vertex = rv_alloc(n, sizeof *g->vertex);
  g->unknown = rv_alloc(n, sizeof *g->unknown);
  g->cell = rv_alloc(n, sizeof *g->cell);
  g->keys = rv_alloc(2 * n, sizeof *g->keys);
  g->spare = rv_alloc(2 * n, sizeof *g->spare);
  g->counters = rv_alloc(rv_order_counters(n), sizeof *g->counters);
  g->weight = rv_alloc(n, sizeof *g->weight);
  g->slope = rv_alloc(n, sizeof *g->slope);
  bool fine = g->vertex && g->unknown && g->cell && g->keys && g->spare && g->counters && g->weight && g->slope;
  if (!fine) {
    rv_volume_free(g);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the volume of %zu points", n);
  }
  size_t next = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i, ++next) {
        g->vertex[next] = (uint32_t)(b->vertex_at + (size_t)i * RV_LANES + (size_t)lane);
        g->unknown[next] = (uint32_t)rv_strand_index(b, lane, i, 0);
      }
  }
  return RV_OK;
}

void rv_volume_free(RvVolume* g) {
  RV_FREE_ALL(g->vertex, g->unknown, g->cell, g->keys, g->spare, g->counters, g->weight, g->slope);
  RV_FREE_ALL(g->first, g->padded, g->density, g->push);
  rv_tiles_free(&g->tiles);
  *g = (RvVolume){0};
}

// Room for the tiles at hand. False: out of memory.
static bool fit_tiles(RvVolume* g) {
  size_t n = g->tiles.count;
  if (n <= g->tile_room) return true;
  n += n / 2;
  RV_FREE_ALL(g->first, g->padded, g->density, g->push);
  g->first = rv_alloc(n + 1, sizeof *g->first);
  g->padded = rv_alloc(n, PAD_NODES * sizeof(double));
  g->density = rv_alloc(n, RV_TILE_CELLS * sizeof(double));
  g->push = rv_alloc(n, RV_TILE_CELLS * sizeof(double));
  bool fine = g->first && g->padded && g->density && g->push;
  g->tile_room = fine ? n : 0;
  return fine;
}

//---------------------------------------------------------------------------------------------- places

// Place of a vertex in its cell: cell and weights of its upper corner, each 0 to 1.
static void place_of(const Grid* w, size_t i, int32_t cell[3], double at[3]) {
  RvVec3 x = rv_scale(rv_strand_vector(w->s->q, w->g->unknown[i]), w->per_cell);
  rv_vec3_store64(at, x);
  for (int c = 0; c < 3; ++c) {
    double whole = floor(at[c]);
    cell[c] = (int32_t)rv_clamp(whole, -8.0 * RV_TILE_RANGE + 16, 8.0 * RV_TILE_RANGE - 16);
    at[c] = rv_clamp(at[c] - whole, 0, 1);
  }
}

static void find_cells(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  double at[3];
  for (size_t i = begin; i < end; ++i) place_of(w, i, w->g->cell[i], at);
}

static void find_keys(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  for (size_t i = begin; i < end; ++i) {
    const int32_t* c = g->cell[i];
    int32_t tile = rv_tiles_find(&g->tiles, c[0] >> RV_TILE_SHIFT, c[1] >> RV_TILE_SHIFT, c[2] >> RV_TILE_SHIFT);
    g->keys[i] = (uint32_t)tile * RV_TILE_CELLS + (uint32_t)rv_tile_cell(c[0] & 7, c[1] & 7, c[2] & 7);
  }
}

// Tiles of all vertices and the nodes above them, and the order of the vertices.
static RvResult sort(Grid* w, RvError* error) {
  RvVolume* g = w->g;
  rv_parallel_for(g->count, VERTICES_A_TASK, find_cells, w);
  RvResult result = rv_tiles_build_cells(&g->tiles, (const int32_t(*)[3])g->cell, g->count, 1, error);
  if (!result && !fit_tiles(g)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the volume of hair");
  if (result) return result;
  rv_parallel_for(g->count, VERTICES_A_TASK, find_keys, w);
  uint32_t* sorted;
  rv_order_sort(g->keys, g->spare, g->count, (uint64_t)g->tiles.count * RV_TILE_CELLS, g->counters, &sorted);
  g->order = sorted + g->count;
  size_t i = 0;
  for (size_t t = 0; t <= g->tiles.count; ++t) {
    while (i < g->count && sorted[i] < t * RV_TILE_CELLS) ++i;
    g->first[t] = (uint32_t)i;
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- nodes

// Sums of a tile's own vertices at its 9^3 nodes.
static void spread_tiles(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  for (size_t t = begin; t < end; ++t) {
    double* pad = g->padded + t * PAD_NODES;
    memset(pad, 0, PAD_NODES * sizeof *pad);
    for (uint32_t k = g->first[t]; k < g->first[t + 1]; ++k) {
      int32_t c[3];
      double at[3];
      size_t i = g->order[k];
      place_of(w, i, c, at);
      double* node = pad + ((c[2] & 7) * PAD_SIDE + (c[1] & 7)) * PAD_SIDE + (c[0] & 7);
      for (int corner = 0; corner < 8; ++corner) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        double share = (x ? at[0] : 1 - at[0]) * (y ? at[1] : 1 - at[1]) * (z ? at[2] : 1 - at[2]);
        node[(z * PAD_SIDE + y) * PAD_SIDE + x] += share * g->weight[i];
      }
    }
  }
}

// Nodes of a tile: its own sums and those of the tiles below it along each axis.
static void join_tiles(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const RvVolume* g = w->g;
  const double per_volume = w->per_cell * w->per_cell * w->per_cell;
  for (size_t t = begin; t < end; ++t) {
    double* out = w->nodes + t * RV_TILE_CELLS;
    for (int cell = 0; cell < RV_TILE_CELLS; ++cell) {
      int p[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
      double sum = 0;
      for (int below = 0; below < 8; ++below) {
        int b[3] = {below & 1, below >> 1 & 1, below >> 2};
        if ((b[0] && p[0]) || (b[1] && p[1]) || (b[2] && p[2])) continue;
        int32_t other = g->tiles.near[t][rv_tile_near(-b[0], -b[1], -b[2])];
        if (other < 0) continue;
        int q[3];
        for (int c = 0; c < 3; ++c) q[c] = b[c] ? RV_TILE_SIDE : p[c];
        sum += g->padded[(size_t)other * PAD_NODES + (size_t)((q[2] * PAD_SIDE + q[1]) * PAD_SIDE + q[0])];
      }
      out[cell] = sum * per_volume;
    }
  }
}

// Spreads `weight` to `nodes`, a volume.
static void spread(Grid* w, double* nodes) {
  w->nodes = nodes;
  rv_parallel_for(w->g->tiles.count, TILES_A_TASK, spread_tiles, w);
  rv_parallel_for(w->g->tiles.count, TILES_A_TASK, join_tiles, w);
}

// The eight nodes of a cell of a tile.
static void corners(const RvVolume* g, size_t tile, const int32_t c[3], const double* nodes, double out[8]) {
  for (int k = 0; k < 8; ++k) {
    int64_t at = rv_tiles_at(&g->tiles, tile, (c[0] & 7) + (k & 1), (c[1] & 7) + (k >> 1 & 1), (c[2] & 7) + (k >> 2));
    out[k] = at < 0 ? 0 : nodes[at];
  }
}

static double interpolate(const double v[8], const double at[3]) {
  double sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += v[k] * (k & 1 ? at[0] : 1 - at[0]) * (k >> 1 & 1 ? at[1] : 1 - at[1]) * (k >> 2 ? at[2] : 1 - at[2]);
  return sum;
}

// Gradient by the place in the cell.
static RvVec3 gradient(const double v[8], const double at[3]) {
  double g[3] = {0};
  for (int k = 0; k < 8; ++k) {
    double s[3] = {k & 1 ? at[0] : 1 - at[0], k >> 1 & 1 ? at[1] : 1 - at[1], k >> 2 ? at[2] : 1 - at[2]};
    g[0] += (k & 1 ? 1 : -1) * v[k] * s[1] * s[2];
    g[1] += (k >> 1 & 1 ? 1 : -1) * v[k] * s[0] * s[2];
    g[2] += (k >> 2 ? 1 : -1) * v[k] * s[0] * s[1];
  }
  return rv_vec3(g[0], g[1], g[2]);
}

//---------------------------------------------------------------------------------------------- density

static void sample_density(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  for (size_t t = begin; t < end; ++t)
    for (uint32_t k = g->first[t]; k < g->first[t + 1]; ++k) {
      int32_t c[3];
      double at[3], node[8];
      size_t i = g->order[k];
      place_of(w, i, c, at);
      corners(g, t, c, g->density, node);
      double density = interpolate(node, at);
      if (w->density) w->density[g->vertex[i]] = density;
      // Derivative of c^2 / 2 (density / limit - 1)^2, an energy a mass.
      double limit = w->rest ? (1 + SLACK) * w->rest[g->vertex[i]] : 0;
      g->slope[i] = limit > 0 && density > limit ? w->speed2 * (density - limit) / (limit * limit) : 0;
    }
}

// Density of the nodes, and at the vertices what `w` asks for.
static RvResult find_density(Grid* w, RvError* error) {
  RvVolume* g = w->g;
  RvResult result = sort(w, error);
  if (result) return result;
  for (size_t i = 0; i < g->count; ++i) g->weight[i] = w->m->hair_mass[g->vertex[i]];
  spread(w, g->density);
  rv_parallel_for(g->tiles.count, TILES_A_TASK, sample_density, w);
  return RV_OK;
}

RvResult rv_volume_density(RvVolume* g, const RvStrandModel* m, const RvStrandState* s, double cell, double* density,
                           RvError* error) {
  Grid w = {.g = g, .m = m, .s = s, .cell = cell, .per_cell = 1 / cell, .density = density};
  return find_density(&w, error);
}

//---------------------------------------------------------------------------------------------- forces

static void push_tiles(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  for (size_t t = begin; t < end; ++t)
    for (uint32_t k = g->first[t]; k < g->first[t + 1]; ++k) {
      int32_t c[3];
      double at[3], node[8];
      size_t i = g->order[k], x = g->unknown[i];
      place_of(w, i, c, at);
      corners(g, t, c, g->push, node);
      RvVec3 slope = gradient(node, at);
      if (g->slope[i] > 0) {
        corners(g, t, c, g->density, node);
        slope = rv_mad(slope, g->slope[i], gradient(node, at));
      }
      double factor = -w->m->hair_mass[g->vertex[i]] * w->per_cell;
      rv_strand_set_vector(w->force, x, rv_mad(rv_strand_vector(w->force, x), factor, slope));
    }
}

RvResult rv_volume_forces(RvVolume* g, const RvStrandModel* m, const RvStrandState* s, const double* rest_density,
                          const RvVolumeSettings* settings, double dt, void (*claim)(void*, size_t), void* user,
                          double* force, RvError* error) {
  const double cell = settings->cell, speed = fmin(settings->speed, MOST_CELLS * cell / dt);
  Grid w = {.g = g,
            .m = m,
            .s = s,
            .cell = cell,
            .per_cell = 1 / cell,
            .speed2 = speed * speed,
            .rest = rest_density,
            .force = force};
  RvResult result = find_density(&w, error);
  g->squeezed = 0;
  for (size_t i = 0; i < g->count && !result; ++i) {
    g->squeezed += g->slope[i] > 0;
    g->weight[i] = m->hair_mass[g->vertex[i]] * g->slope[i];
  }
  if (result || !g->squeezed) return result;
  for (size_t k = 0; k < m->nbatch; ++k) claim(user, k);
  spread(&w, g->push);
  rv_parallel_for(g->tiles.count, TILES_A_TASK, push_tiles, &w);
  return RV_OK;
}
