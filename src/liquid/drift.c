// Volume neither grows nor sinks: cells too full push, cells too empty pull.
#include "base/parallel.h"
#include "liquid/stages.h"

enum { S = RV_TILE_SIDE, HALO = 2, WIDE = S + 2 * HALO, PLANE = WIDE * WIDE };
#define NOISE 0.02f
#define MOST 0.5f

typedef struct Job {
  RvLiquidGrid* grid;
  float rate;
} Job;

// what the cell has too much, by the cells around: `air` counts only where there is some liquid in it
static float excess(const float* fill, const float* d, int at) {
  static const int side[6] = {-1, 1, -WIDE, WIDE, -PLANE, PLANE};
  float much = fill[at] - 1;
  if (much >= 0) return much;
  for (int k = 0; k < 6; ++k) {
    int other = at + side[k];
    if (d[other] >= 0 && fill[other] > 0) return 0;
  }
  return much;
}

static void find_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  float fill[WIDE * PLANE], d[WIDE * PLANE], much[WIDE * PLANE];
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather(&g->tiles, g->fill.data, t, HALO, 0, fill);
    rv_channel_gather(&g->tiles, g->distance.data, t, HALO, 1, d);
    for (int z = 1; z < WIDE - 1; ++z)
      for (int y = 1; y < WIDE - 1; ++y)
        for (int x = 1; x < WIDE - 1; ++x) {
          int at = z * PLANE + y * WIDE + x;
          much[at] = d[at] < 0 ? excess(fill, d, at) : 0;
        }
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      int at = ((k >> 6) + HALO) * PLANE + ((k >> 3 & 7) + HALO) * WIDE + (k & 7) + HALO;
      float sum = 0, count = 0;
      for (int n = 0; n < RV_TILE_NEAR && d[at] < 0; ++n) {
        int other = at + (n % 3 - 1) + (n / 3 % 3 - 1) * WIDE + (n / 9 - 1) * PLANE;
        if (d[other] < 0) sum += much[other], count += 1;
      }
      float mean = count > 0 ? sum / count : 0;
      mean = mean > NOISE ? mean - NOISE : mean < -NOISE ? mean + NOISE : 0;
      mean = mean > MOST ? MOST : mean < -MOST ? -MOST : mean;
      g->divergence.data[t * RV_TILE_CELLS + (size_t)k] = mean * job->rate;
    }
  }
}

void rv_liquid_drift(RvLiquidGrid* grid, double time) {
  if (time > 0)
    rv_parallel_for(grid->tiles.count, 4, find_some, &(Job){grid, (float)(1 / time)});
  else
    rv_channel_fill(grid->divergence.data, grid->tiles.count, 0);
}
