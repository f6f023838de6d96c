// Volume correction: particles move apart where cells are too full and together where they are too empty, along the
// gradient of a potential (after Kugelstadt et al. 2019; stages.h).
#include "base/parallel.h"
#include "liquid/stages.h"

enum { GRAIN = 4 };  // tiles a task
// Fill of a surface cell above 1 that the noise of the particles explains; only more than this is corrected there.
#define FILL_NOISE 0.1f
// Largest correction of a cell's fill in one substep.
#define LARGEST_CORRECTION 0.25f

typedef struct Job {
  RvLiquidGrid* grid;
  float relax;              // part of the error that is corrected now
  const float* flow_share;  // 1: the cell does not flow; NULL: all do
} Job;

// Whether all 26 neighbours are liquid or solid. A neighbour that has some liquid but is no liquid cell is at the
// surface.
static bool is_deep(const float* fill, const float* d, int at) {
  for (int n = 0; n < RV_TILE_NEAR; ++n) {
    int other = at + (n % 3 - 1) + (n / 3 % 3 - 1) * RV_HALO1_SIDE + (n / 9 - 1) * RV_HALO1_SIDE * RV_HALO1_SIDE;
    if (d[other] >= 0 && fill[other] > 0) return false;
  }
  return true;
}

// Fill above 1 of each liquid cell, times relax. At the surface, where cells are partly full, only clear excess counts.
static void find_excess(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  float fill[RV_HALO1_CELLS], d[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&g->tiles, g->fill.data, t, 0, fill);
    rv_channel_gather1(&g->tiles, g->distance.data, t, 1, d);
    float* out = g->room[0].data + t * RV_TILE_CELLS;
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      int at = rv_halo1_at(k & 7, k >> 3 & 7, k >> 6);
      float excess = d[at] < 0 ? fill[at] - 1 : 0;
      if (excess < FILL_NOISE && excess != 0 && !is_deep(fill, d, at)) excess = 0;
      if (job->flow_share && !(job->flow_share[t * RV_TILE_CELLS + (size_t)k] < 1)) excess = 0;
      excess *= job->relax;
      out[k] = excess > LARGEST_CORRECTION    ? LARGEST_CORRECTION
               : excess < -LARGEST_CORRECTION ? -LARGEST_CORRECTION
                                              : excess;
    }
  }
}

RvResult rv_liquid_drift(RvLiquidGrid* g, const RvLiquidSolids* solids, RvPressure* pressure, double relax,
                         const float* flow_share, RvError* error) {
  bool room = rv_liquid_grid_fit(g, &g->shift_pressure, g->tiles.count);
  for (int a = 0; a < 3; ++a) room = room && rv_liquid_grid_fit(g, &g->shift[a], g->tiles.count);
  if (!room)
    return rv_fail(error, RV_NO_MEMORY,
                   "no memory to correct the volume of %zu tiles of liquid; use a larger particlesep", g->tiles.count);
  // divergence that the displacement shall have
  rv_parallel_for(g->tiles.count, GRAIN, find_excess, &(Job){g, (float)relax, flow_share});
  // A pressure solve with dt 1 and density 1 gives a displacement instead of a velocity. Solids do not move in it.
  RvPressureIn in = rv_liquid_pressure_of_grid(g, solids, 1, 1);
  for (int a = 0; a < 3; ++a) {
    rv_channel_fill(g->shift[a].data, g->tiles.count, 0);
    in.velocity[a] = g->shift[a].data;
    in.valid[a] = NULL;
    in.solid[a] = NULL;
    in.share[a] = NULL;
    in.drag[a] = NULL;
    in.heavy[a] = NULL;
  }
  in.divergence = g->room[0].data;
  in.pressure = g->shift_pressure.data;
  in.warm = false;
  // The excess is mostly noise of the particles, so a rough solution is good enough: 5 % of the residual, 10
  // iterations.
  RvPressureOptions options = {.tolerance = 0.05, .divergence = -1, .max_iterations = 10};
  RvResult result = rv_liquid_pressure_solve(pressure, &in, &options, NULL, error);
  if (result) return result;
  rv_liquid_spread_faces(g, g->shift, g->room);
  g->shifted = true;
  return RV_OK;
}
