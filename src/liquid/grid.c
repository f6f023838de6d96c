#include "liquid/grid.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/transfer.h"

enum { GRAIN = 16 };

void rv_liquid_grid_free(RvLiquidGrid* g) {
  RvChannel* axes[] = {g->mass, g->momentum,    g->velocity, g->valid, g->share,
                       g->drag, g->drag_target, g->shift,    g->room,  g->fibre};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a) rv_channel_free(&axes[k][a]);
  RvChannel* cells[] = {&g->fill,    &g->distance,      &g->divergence, &g->pressure, &g->pressure_before,
                        &g->surface, &g->shift_pressure};
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) rv_channel_free(cells[k]);
  rv_tiles_free(&g->tiles);
  rv_tiles_free(&g->tiles_before);
  *g = (RvLiquidGrid){0};
}

size_t rv_liquid_grid_bytes(const RvLiquidGrid* g) {
  const RvChannel* axes[] = {g->mass, g->momentum,    g->velocity, g->valid, g->share,
                             g->drag, g->drag_target, g->shift,    g->fibre};
  const RvChannel* cells[] = {&g->fill,    &g->distance,      &g->divergence, &g->pressure, &g->pressure_before,
                              &g->surface, &g->shift_pressure};
  size_t tiles = 0;
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a) tiles += axes[k][a].capacity;
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) tiles += cells[k]->capacity;
  return tiles * RV_TILE_CELLS * sizeof(float) + rv_tiles_bytes(&g->tiles) + rv_tiles_bytes(&g->tiles_before);
}

static bool fit_channels(RvLiquidGrid* g) {
  RvChannel* axes[] = {g->mass, g->momentum, g->velocity, g->valid, g->room};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a)
      if (!rv_channel_fit(&axes[k][a], g->tiles.count)) return false;
  RvChannel* cells[] = {&g->fill, &g->distance, &g->divergence, &g->pressure};
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k)
    if (!rv_channel_fit(cells[k], g->tiles.count)) return false;
  return true;
}

static bool fit_axes(RvChannel* axis, size_t tiles, float value) {
  for (int a = 0; a < 3; ++a) {
    if (!rv_channel_fit(&axis[a], tiles)) return false;
    rv_channel_fill(axis[a].data, tiles, value);
  }
  return true;
}

bool rv_liquid_grid_share(RvLiquidGrid* g) {
  return g->shared || (g->shared = fit_axes(g->share, g->tiles.count, 1) && fit_axes(g->fibre, g->tiles.count, 0));
}

bool rv_liquid_grid_drag(RvLiquidGrid* g) {
  return g->dragged ||
         (g->dragged = fit_axes(g->drag, g->tiles.count, 0) && fit_axes(g->drag_target, g->tiles.count, 0));
}

//---------------------------------------------------------------------------------------------- tiles

typedef struct Reach {
  const RvParticles* p;
  RvTileMask* mask;
  RvTileMask of_cell[RV_TILE_CELLS];
} Reach;

static void find_reach(void* arg, size_t begin, size_t end) {
  const Reach* r = arg;
  for (size_t t = begin; t < end; ++t) {
    const uint32_t* first = r->p->cell_first + t * RV_TILE_CELLS;
    RvTileMask mask = 0;
    for (int k = 0; k < RV_TILE_CELLS && mask != RV_TILE_MASK_ALL; ++k)
      if (first[k + 1] > first[k]) mask |= r->of_cell[k];
    r->mask[t] = mask;
  }
}

RvResult rv_liquid_grid_build(RvLiquidGrid* g, const RvParticles* p, RvError* error) {
  // the old list and pressure step back, and their memory is used again
  RvTiles tiles = g->tiles_before;
  g->tiles_before = g->tiles, g->tiles = tiles;
  RvChannel pressure = g->pressure_before;
  g->pressure_before = g->pressure, g->pressure = pressure;
  g->shared = g->dragged = g->shifted = false;
  Reach r = {.p = p, .mask = rv_alloc(p->homes.count, sizeof *r.mask)};
  RvResult result = RV_NO_MEMORY;
  if (r.mask) {
    for (int k = 0; k < RV_TILE_CELLS; ++k) r.of_cell[k] = rv_tile_reach(k & 7, k >> 3 & 7, k >> 6, RV_LIQUID_BAND);
    rv_parallel_for(p->homes.count, GRAIN, find_reach, &r);
    result = rv_tiles_build_masks(&g->tiles, (const int32_t(*)[3])p->homes.coord, r.mask, p->homes.count, error);
  }
  rv_free(r.mask);
  if (result == RV_OK && g->most_tiles && g->tiles.count > g->most_tiles)
    return rv_fail(error, RV_LIMIT,
                   "the liquid needs %zu tiles of 8 x 8 x 8 cells, about %.1f GB, and %.1f GB are allowed: "
                   "use a larger particlesep, or allow more",
                   g->tiles.count, (double)g->tiles.count * RV_LIQUID_TILE_BYTES / 1e9,
                   (double)g->most_tiles * RV_LIQUID_TILE_BYTES / 1e9);
  if (result == RV_OK && !fit_channels(g)) result = RV_NO_MEMORY;
  if (result) return rv_fail(error, result, "no memory for a liquid of %zu tiles; use larger cells", p->homes.count);
  rv_channel_fill(g->divergence.data, g->tiles.count, 0);
  if (g->pressure_before.data)
    rv_channel_remap(&g->tiles_before, g->pressure_before.data, &g->tiles, g->pressure.data, 0);
  else
    rv_channel_fill(g->pressure.data, g->tiles.count, 0);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- velocity

static void divide(void* arg, size_t begin, size_t end) {
  const RvLiquidGrid* g = arg;
  for (int a = 0; a < 3; ++a) {
    const float *mass = g->mass[a].data, *momentum = g->momentum[a].data;
    float *velocity = g->velocity[a].data, *valid = g->valid[a].data;
    for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i) {
      bool wet = mass[i] > 0;
      velocity[i] = wet ? momentum[i] / mass[i] : 0;
      valid[i] = wet ? 1 : 0;
    }
  }
}

void rv_liquid_grid_velocity(RvLiquidGrid* g) {
  rv_parallel_for(g->tiles.count, GRAIN, divide, g);
}
