#include <string.h>

#include "base/parallel.h"
#include "liquid/stages.h"
#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_liquid_spread, (float*, float*, float*))

enum { S = RV_TILE_SIDE, WIDE = RV_SAMPLE_SIDE, H = RV_SAMPLE_HALO };

static void mark_some(void* arg, size_t begin, size_t end) {
  const RvLiquidGrid* g = arg;
  float d[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&g->tiles, g->distance.data, t, 1, d);
    for (int z = 0, k = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x, ++k) {
          bool here = d[rv_halo1_at(x, y, z)] < 0;
          size_t at = t * RV_TILE_CELLS + (size_t)k;
          g->valid[0].data[at] = here || d[rv_halo1_at(x - 1, y, z)] < 0 ? 1 : 0;
          g->valid[1].data[at] = here || d[rv_halo1_at(x, y - 1, z)] < 0 ? 1 : 0;
          g->valid[2].data[at] = here || d[rv_halo1_at(x, y, z - 1)] < 0 ? 1 : 0;
        }
  }
}

void rv_liquid_mark_valid(RvLiquidGrid* grid) {
  rv_parallel_for(grid->tiles.count, 8, mark_some, grid);
}

static bool all_known(const float* valid) {
  for (int k = 0; k < RV_TILE_CELLS; ++k)
    if (valid[k] == 0) return false;
  return true;
}

typedef struct Spread {
  const RvLiquidGrid* grid;
  RvChannel *field, *room;
} Spread;

static void spread_some(void* arg, size_t begin, size_t end) {
  const Spread* spread = arg;
  const RvLiquidGrid* g = spread->grid;
  float u[RV_SAMPLE_CELLS], known[RV_SAMPLE_CELLS], room[2 * RV_SAMPLE_CELLS];
  for (size_t t = begin; t < end; ++t)
    for (int a = 0; a < 3; ++a) {
      const float* from = spread->field[a].data + t * RV_TILE_CELLS;
      float* to = spread->room[a].data + t * RV_TILE_CELLS;
      memcpy(to, from, RV_TILE_CELLS * sizeof *to);
      if (all_known(g->valid[a].data + t * RV_TILE_CELLS)) continue;
      rv_channel_gather(&g->tiles, spread->field[a].data, t, H, 0, u);
      rv_channel_gather(&g->tiles, g->valid[a].data, t, H, 0, known);
      for (int i = 0; i < RV_SAMPLE_CELLS; ++i) u[i] = known[i] > 0 ? u[i] : 0;
      RV_KERNEL_CALL(rv_liquid_spread, (u, known, room));
      for (int z = 0, k = 0; z < S; ++z)
        for (int y = 0; y < S; ++y)
          for (int x = 0; x < S; ++x, ++k) {
            int at = ((z + H) * WIDE + y + H) * WIDE + x + H;
            if (known[at] > 0) to[k] = u[at];
          }
    }
}

void rv_liquid_spread_faces(const RvLiquidGrid* g, RvChannel field[3], RvChannel room[3]) {
  rv_parallel_for(g->tiles.count, 2, spread_some, &(Spread){g, field, room});
  for (int a = 0; a < 3; ++a) {
    RvChannel old = room[a];
    room[a] = field[a];
    field[a] = old;
  }
}

void rv_liquid_extrapolate(RvLiquidGrid* g) {
  rv_liquid_spread_faces(g, g->velocity, g->momentum);
}
