// Memory and tiles of the liquid's grid (grid.h): channels are sized for the tiles around the particles; the pressure
// of the last substep is carried over as the first guess of the next.
#include "liquid/grid.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/transfer.h"

enum { GRAIN = 16 };  // tiles a task

void rv_liquid_grid_free(RvLiquidGrid* g) {
  rv_liquid_grid_end(g);
  RvChannel* axes[] = {g->mass,        g->momentum, g->velocity, g->valid, g->share, g->drag,
                       g->drag_target, g->shift,    g->room,     g->fibre, g->heavy};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a) rv_channel_free(&axes[k][a]);
  RvChannel* cells[] = {&g->fill,    &g->distance,       &g->divergence, &g->pressure, &g->pressure_before,
                        &g->surface, &g->shift_pressure, &g->open,       &g->straight};
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) rv_channel_free(cells[k]);
  rv_tiles_free(&g->tiles);
  rv_tiles_free(&g->tiles_before);
  rv_free(g->reach);
  *g = (RvLiquidGrid){0};
}

size_t rv_liquid_grid_bytes(const RvLiquidGrid* g) {
  const RvChannel* axes[] = {g->mass, g->momentum,    g->velocity, g->valid, g->share,
                             g->drag, g->drag_target, g->shift,    g->fibre, g->heavy};
  const RvChannel* cells[] = {&g->fill,    &g->distance,       &g->divergence, &g->pressure, &g->pressure_before,
                              &g->surface, &g->shift_pressure, &g->open,       &g->straight};
  size_t tiles = 0;
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a) tiles += axes[k][a].capacity;
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) tiles += cells[k]->capacity;
  return tiles * RV_TILE_CELLS * sizeof(float) + rv_tiles_bytes(&g->tiles) + rv_tiles_bytes(&g->tiles_before);
}

//---------------------------------------------------------------------------------------------- memory

// Sizes the channels that live from the transfer to the grid on; without an arena also those of the later stages.
static bool fit_channels(RvLiquidGrid* g) {
  RvChannel* axes[] = {g->mass, g->momentum};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a)
      if (!rv_channel_fit(&axes[k][a], g->tiles.count)) return false;
  RvChannel* cells[] = {&g->fill, &g->distance, &g->pressure};
  for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k)
    if (!rv_channel_fit(cells[k], g->tiles.count)) return false;
  return g->scratch || rv_liquid_grid_begin(g);
}

bool rv_liquid_grid_fit(RvLiquidGrid* g, RvChannel* channel, size_t tiles) {
  if (!g->scratch) return rv_channel_fit(channel, tiles);
  if (!g->borrowed) {
    g->mark = rv_arena_mark(g->scratch);
    g->borrowed = true;
  }
  if (channel->capacity >= tiles && channel->data) return true;
  float* data = rv_arena_take(g->scratch, tiles, RV_TILE_CELLS * sizeof *data);
  *channel = (RvChannel){data, data ? tiles : 0};
  return data;
}

// Room for the three face channels of a quantity, until rv_liquid_grid_end.
static bool fit_axes(RvLiquidGrid* g, RvChannel* axis) {
  for (int a = 0; a < 3; ++a)
    if (!rv_liquid_grid_fit(g, &axis[a], g->tiles.count)) return false;
  return true;
}

bool rv_liquid_grid_begin(RvLiquidGrid* g) {
  return fit_axes(g, g->velocity) && fit_axes(g, g->valid) && fit_axes(g, g->room);
}

void rv_liquid_grid_end(RvLiquidGrid* g) {
  if (!g->borrowed) return;
  RvChannel* axes[] = {g->velocity, g->valid, g->room, g->share, g->fibre, g->drag, g->drag_target, g->shift};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a) axes[k][a] = (RvChannel){0};
  g->surface = (RvChannel){0};
  g->shift_pressure = (RvChannel){0};
  g->divergence = (RvChannel){0};
  g->straight = (RvChannel){0};
  g->divergent = false;
  rv_arena_release(g->scratch, g->mark);
  g->borrowed = false;
  g->shared = false;
  g->dragged = false;
  g->shifted = false;
}

// Fills the three face channels of a quantity.
static void fill_axes(const RvLiquidGrid* g, const RvChannel* axis, float value) {
  for (int a = 0; a < 3; ++a) rv_channel_fill(axis[a].data, g->tiles.count, value);
}

// Makes two quantities, the first with a value and the second 0, unless `made`, which becomes true.
static bool make_axes(RvLiquidGrid* g, RvChannel* first, float value, RvChannel* second, bool* made) {
  if (*made) return true;
  if (!fit_axes(g, first) || !fit_axes(g, second)) return false;
  fill_axes(g, first, value);
  fill_axes(g, second, 0);
  *made = true;
  return true;
}

bool rv_liquid_grid_share(RvLiquidGrid* g) {
  return make_axes(g, g->share, 1, g->fibre, &g->shared);
}

bool rv_liquid_grid_drag(RvLiquidGrid* g) {
  return make_axes(g, g->drag, 0, g->drag_target, &g->dragged);
}

bool rv_liquid_grid_share_room(RvLiquidGrid* g) {
  bool fits = fit_axes(g, g->share) && fit_axes(g, g->fibre) && fit_axes(g, g->drag) && fit_axes(g, g->drag_target);
  g->shared = fits;
  g->dragged = fits;
  return fits;
}

//---------------------------------------------------------------------------------------------- tiles

typedef struct Reach {
  const RvParticles* p;
  RvTileMask* mask;                   // [tiles of the particles] neighbours that need a tile too
  RvTileMask of_cell[RV_TILE_CELLS];  // neighbours that a particle in each cell reaches
} Reach;

// For each tile with particles, which of its 26 neighbours the band around its particles reaches.
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

// The tiles within RV_LIQUID_BAND cells of a particle.
static RvResult find_tiles(RvLiquidGrid* g, const RvParticles* p, RvError* error) {
  size_t count = p->homes.count;
  if (count > g->reach_capacity || !g->reach) {
    size_t capacity = count + count / 4 + 1;
    if (!rv_renew(&g->reach, capacity, sizeof *g->reach)) return RV_NO_MEMORY;
    g->reach_capacity = capacity;
  }
  Reach r = {.p = p, .mask = g->reach};
  for (int k = 0; k < RV_TILE_CELLS; ++k) r.of_cell[k] = rv_tile_reach(k & 7, k >> 3 & 7, k >> 6, RV_LIQUID_BAND);
  rv_parallel_for(count, GRAIN, find_reach, &r);
  return rv_tiles_build_masks(&g->tiles, (const int32_t(*)[3])p->homes.coord, r.mask, count, error);
}

// Sizes the channels for the new tiles, and remaps the pressure of the old tiles to them (warm start).
static bool carry_pressure(RvLiquidGrid* g) {
  RvArenaMark mark = {0};
  bool any = g->pressure.data != NULL;
  // set the old pressure aside: a copy in the arena, or the other of two channels
  if (g->scratch) {
    size_t count = any ? g->tiles_before.count * RV_TILE_CELLS : 0;
    mark = rv_arena_mark(g->scratch);
    g->pressure_before = (RvChannel){RV_TAKE(g->scratch, float, count), g->tiles_before.count};
    if (!g->pressure_before.data) return false;
    if (count) memcpy(g->pressure_before.data, g->pressure.data, count * sizeof(float));
  } else {
    RvChannel pressure = g->pressure_before;
    g->pressure_before = g->pressure;
    g->pressure = pressure;
  }
  // size the channels, and copy what both lists of tiles have
  bool fits = fit_channels(g);
  if (fits && any)
    rv_channel_remap(&g->tiles_before, g->pressure_before.data, &g->tiles, g->pressure.data, 0);
  else if (fits)
    rv_channel_fill(g->pressure.data, g->tiles.count, 0);
  if (g->scratch) {
    g->pressure_before = (RvChannel){0};
    rv_arena_release(g->scratch, mark);
  }
  return fits;
}

RvResult rv_liquid_grid_build(RvLiquidGrid* g, const RvParticles* p, RvError* error) {
  // the old tiles become the previous ones, and the memory of those before them is used again
  // what the last substep took is given back
  rv_liquid_grid_end(g);
  RvTiles tiles = g->tiles_before;
  g->tiles_before = g->tiles;
  g->tiles = tiles;
  g->shared = false;
  g->dragged = false;
  g->shifted = false;
  g->weighed = false;
  g->divergent = false;
  g->opened = false;
  RvResult result = find_tiles(g, p, error);
  // refused before memory is taken for them
  if (result == RV_OK && g->most_tiles && g->tiles.count > g->most_tiles)
    return rv_fail(error, RV_LIMIT,
                   "the liquid needs %zu tiles of 8 x 8 x 8 cells, about %.1f GB, and %.1f GB are allowed: "
                   "use a larger particlesep, or allow more",
                   g->tiles.count, (double)g->tiles.count * RV_LIQUID_TILE_BYTES / 1e9,
                   (double)g->most_tiles * RV_LIQUID_TILE_BYTES / 1e9);
  if (result == RV_OK && !carry_pressure(g)) result = RV_NO_MEMORY;
  if (result)
    return rv_fail(error, result, "no memory for %zu tiles of liquid; use a larger particlesep", p->homes.count);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- velocity

// Velocity of each face from its momentum and mass (grid.h, step 4).
static void divide(void* arg, size_t begin, size_t end) {
  const RvLiquidGrid* g = arg;
  for (int a = 0; a < 3; ++a) {
    const float *mass = g->mass[a].data, *momentum = g->momentum[a].data;
    float *velocity = g->velocity[a].data, *valid = g->valid[a].data;
    for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i) {
      bool has_mass = mass[i] > 0;
      velocity[i] = has_mass ? momentum[i] / mass[i] : 0;
      valid[i] = has_mass ? 1 : 0;
    }
  }
}

void rv_liquid_grid_velocity(RvLiquidGrid* g) {
  rv_parallel_for(g->tiles.count, GRAIN, divide, g);
}
