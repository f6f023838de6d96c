// Volume neither grows nor sinks: particles move apart where cells are too full, together where they are too empty.
#include "base/parallel.h"
#include "liquid/stages.h"

enum { S = RV_TILE_SIDE };
// a surface cell that is fuller than noise makes it is too full
#define NOISE 0.1f
#define MOST 0.25f

typedef struct Job {
  RvLiquidGrid* grid;
  float relax;
} Job;

// liquid, or solid, in all cells around: air is where there is some liquid in a cell that is none
static bool deep(const float* fill, const float* d, int at) {
  for (int n = 0; n < RV_TILE_NEAR; ++n) {
    int other = at + (n % 3 - 1) + (n / 3 % 3 - 1) * RV_HALO1_SIDE + (n / 9 - 1) * RV_HALO1_SIDE * RV_HALO1_SIDE;
    if (d[other] >= 0 && fill[other] > 0) return false;
  }
  return true;
}

static void find_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  float fill[RV_HALO1_CELLS], d[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&g->tiles, g->fill.data, t, 0, fill);
    rv_channel_gather1(&g->tiles, g->distance.data, t, 1, d);
    float* out = g->room[0].data + t * RV_TILE_CELLS;
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      int at = rv_halo1_at(k & 7, k >> 3 & 7, k >> 6);
      float much = d[at] < 0 ? fill[at] - 1 : 0;
      if (much < NOISE && much != 0 && !deep(fill, d, at)) much = 0;
      much *= job->relax;
      out[k] = much > MOST ? MOST : much < -MOST ? -MOST : much;
    }
  }
}

RvResult rv_liquid_drift(RvLiquidGrid* g, const RvLiquidSolids* solids, RvPressure* pressure, double relax,
                         RvError* error) {
  bool room = rv_liquid_grid_fit(g, &g->shift_pressure, g->tiles.count);
  for (int a = 0; a < 3; ++a) room = room && rv_liquid_grid_fit(g, &g->shift[a], g->tiles.count);
  if (!room) return rv_fail(error, RV_NO_MEMORY, "no memory to keep the volume of %zu tiles", g->tiles.count);
  rv_parallel_for(g->tiles.count, 4, find_some, &(Job){g, (float)relax});
  // a step of one second and a density of one make velocities ways; solids stand still, whatever they do in time
  RvPressureIn in = rv_liquid_pressure_of_grid(g, solids, 1, 1);
  for (int a = 0; a < 3; ++a) {
    rv_channel_fill(g->shift[a].data, g->tiles.count, 0);
    in.velocity[a] = g->shift[a].data;
    in.valid[a] = NULL;
    in.solid[a] = NULL;
    in.share[a] = NULL;
    in.drag[a] = NULL;
  }
  in.divergence = g->room[0].data;
  in.pressure = g->shift_pressure.data;
  in.warm = false;
  // noise is what it is made of: a rough solution is as good
  RvPressureOptions options = {.tolerance = 0.05, .divergence = -1, .most = 10};
  RvResult result = rv_liquid_pressure_solve(pressure, &in, &options, NULL, error);
  if (result) return result;
  rv_liquid_spread_faces(g, g->shift, g->room);
  g->shifted = true;
  return RV_OK;
}
