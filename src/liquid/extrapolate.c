// Velocity of faces outside of the liquid (WH-37; stages.h). Faces with mass (spray) keep their own momentum and take
// the change that forces and pressure made next to them; faces without mass get the mean of the known faces around,
// layer by layer. A tile reads a halo as wide as its layers, so tiles do not wait for each other.
#include <string.h>

#include "base/parallel.h"
#include "liquid/stages.h"
#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_liquid_spread2, (float*, float*, float*))
RV_KERNEL_DECLARE(void, rv_liquid_spread3, (float*, float*, float*))

// Side of a tile, and with a halo of two and of three faces; tiles a task of each loop.
enum { S = RV_TILE_SIDE, WIDE2 = S + 4, WIDE3 = S + 6, GRAIN = 4, MARK_GRAIN = 8, CHANGE_GRAIN = 16 };
#define UNKNOWN 1e30f  // marks a face whose change is not known

// valid = 1 on the faces that touch a liquid cell.
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
  rv_parallel_for(grid->tiles.count, MARK_GRAIN, mark_some, grid);
}

//---------------------------------------------------------------------------------------------- faces without mass

typedef struct Spread {
  const RvLiquidGrid* grid;
  RvChannel *field, *room;  // one an axis: from, to
} Spread;

// Whether every face of a tile is valid.
static bool all_known(const float* valid) {
  for (int k = 0; k < RV_TILE_CELLS; ++k)
    if (valid[k] == 0) return false;
  return true;
}

// Extrapolates a field from valid faces by three layers, from `field` to `room`.
static void spread_some(void* arg, size_t begin, size_t end) {
  const Spread* spread = arg;
  const RvLiquidGrid* g = spread->grid;
  float u[RV_SAMPLE_CELLS], known[RV_SAMPLE_CELLS], room[2 * RV_SAMPLE_CELLS];
  for (size_t t = begin; t < end; ++t)
    for (int a = 0; a < 3; ++a) {
      const float* from = spread->field[a].data + t * RV_TILE_CELLS;
      float* to = spread->room[a].data + t * RV_TILE_CELLS;
      // tiles without unknown faces are copied
      memcpy(to, from, RV_TILE_CELLS * sizeof *to);
      if (all_known(g->valid[a].data + t * RV_TILE_CELLS)) continue;
      // three layers over the tile and its halo
      rv_channel_gather(&g->tiles, spread->field[a].data, t, 3, 0, u);
      rv_channel_gather(&g->tiles, g->valid[a].data, t, 3, 0, known);
      for (int i = 0; i < RV_SAMPLE_CELLS; ++i) u[i] = known[i] > 0 ? u[i] : 0;
      RV_KERNEL_CALL(rv_liquid_spread3, (u, known, room));
      // the faces of the tile that became known
      for (int z = 0, k = 0; z < S; ++z)
        for (int y = 0; y < S; ++y)
          for (int x = 0; x < S; ++x, ++k) {
            int at = ((z + 3) * WIDE3 + y + 3) * WIDE3 + x + 3;
            if (known[at] > 0) to[k] = u[at];
          }
    }
}

void rv_liquid_spread_faces(const RvLiquidGrid* g, RvChannel* field, RvChannel* room) {
  rv_parallel_for(g->tiles.count, GRAIN, spread_some, &(Spread){g, field, room});
  for (int a = 0; a < 3; ++a) {
    RvChannel old = room[a];
    room[a] = field[a];
    field[a] = old;
  }
}

//---------------------------------------------------------------------------------------------- faces with mass

// Change of velocity by forces and pressure, to `room`: known where a face is valid and has mass.
static void find_change(void* arg, size_t begin, size_t end) {
  const RvLiquidGrid* g = arg;
  for (int a = 0; a < 3; ++a) {
    const float *mass = g->mass[a].data, *momentum = g->momentum[a].data, *u = g->velocity[a].data;
    const float* valid = g->valid[a].data;
    float* change = g->room[a].data;
    for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i)
      change[i] = valid[i] > 0 && mass[i] > 0 ? u[i] - momentum[i] / mass[i] : UNKNOWN;
  }
}

typedef struct Carry {
  const RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
} Carry;

// A face with mass outside of the liquid. Mass that the transfer's weights brought into solids does not count.
static inline bool is_spray(float valid, float mass, const float* open, int k) {
  return mass > 0 && valid == 0 && (!open || open[k] > 0);
}

// Whether a tile has such a face.
static bool any_spray(const float* valid, const float* mass, const float* open) {
  bool any = false;
  for (int k = 0; k < RV_TILE_CELLS; ++k) any |= is_spray(valid[k], mass[k], open, k);
  return any;
}

// Gives spray the change of velocity of the liquid near it.
static void carry_some(void* arg, size_t begin, size_t end) {
  const Carry* carry = arg;
  const RvLiquidGrid* g = carry->grid;
  enum { CELLS = WIDE2 * WIDE2 * WIDE2 };
  float change[CELLS], known[CELLS], room[2 * CELLS];
  for (size_t t = begin; t < end; ++t)
    for (int a = 0; a < 3; ++a) {
      size_t first = t * RV_TILE_CELLS;
      float *valid = g->valid[a].data + first, *u = g->velocity[a].data + first;
      const float *mass = g->mass[a].data + first, *momentum = g->momentum[a].data + first;
      const float* open = carry->solids ? carry->solids->open[a].data + first : NULL;
      if (!any_spray(valid, mass, open)) continue;
      // change of velocity in the tile and its halo, spread by two layers
      rv_channel_gather(&g->tiles, g->room[a].data, t, 2, UNKNOWN, change);
      for (int i = 0; i < CELLS; ++i) {
        known[i] = change[i] != UNKNOWN ? 1.0f : 0.0f;
        change[i] = change[i] != UNKNOWN ? change[i] : 0;
      }
      RV_KERNEL_CALL(rv_liquid_spread2, (change, known, room));
      // spray takes the change of the liquid near it; the faces count as valid from here on
      for (int k = 0; k < RV_TILE_CELLS; ++k) {
        if (!is_spray(valid[k], mass[k], open, k)) continue;
        int at = ((k >> 6) + 2) * WIDE2 * WIDE2 + ((k >> 3 & 7) + 2) * WIDE2 + (k & 7) + 2;
        if (known[at] > 0) u[k] = momentum[k] / mass[k] + change[at];
        valid[k] = 1;
      }
    }
}

void rv_liquid_extrapolate(RvLiquidGrid* g, const RvLiquidSolids* solids) {
  // A liquid that holds together takes its fringe along: no spray within the reach of the extrapolation.
  if (!g->coherent) {
    rv_parallel_for(g->tiles.count, CHANGE_GRAIN, find_change, g);
    rv_parallel_for(g->tiles.count, GRAIN, carry_some, &(Carry){g, solids && solids->any ? solids : NULL});
  }
  rv_liquid_spread_faces(g, g->velocity, g->room);
}
