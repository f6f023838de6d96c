// Where the liquid is: fill to distance.
#include <math.h>

#include "base/parallel.h"
#include "liquid/stages.h"

enum { S = RV_TILE_SIDE, WIDE = S + 4 };

typedef struct Job {
  RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
  const RvParticles* p;
  const RvScatter* scatter;
} Job;

//---------------------------------------------------------------------------------------------- at solids

static float between(const float* d, const int at[3], const float f[3]) {
  const float* q = d + (at[2] * WIDE + at[1]) * WIDE + at[0];
  float r[4];
  for (int k = 0; k < 4; ++k) {
    const float* e = q + (k & 1) * WIDE + (k >> 1) * WIDE * WIDE;
    r[k] = e[0] + (e[1] - e[0]) * f[0];
  }
  float low = r[0] + (r[1] - r[0]) * f[1], high = r[2] + (r[3] - r[2]) * f[1];
  return low + (high - low) * f[2];
}

// What part of a cell's weights lies outside solids: 4 x 4 x 4 samples of the hat's support, each open by how deep it
// lies within half a cell. Exact for a wall along cells. `d` is the distance at corners, of a tile and 2 cells around
// it.
static float open_weight(const float* d, int x, int y, int z, float dx) {
  static const float weight[4] = {0.125f, 0.375f, 0.375f, 0.125f};
  // samples at -3/4, -1/4, 1/4, 3/4 from the centre: in corners' units from the cell's lower one
  static const int node[4] = {-1, 0, 0, 1};
  static const float part[4] = {0.75f, 0.25f, 0.75f, 0.25f};
  float sum = 0, per = 2 / dx;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        int at[3] = {x + 2 + node[i], y + 2 + node[j], z + 2 + node[k]};
        float open = 0.5f + per * between(d, at, (float[3]){part[i], part[j], part[k]});
        open = open < 0 ? 0 : open > 1 ? 1 : open;
        sum += weight[i] * weight[j] * weight[k] * open;
      }
  return sum;
}

static void normalise(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvTiles* tiles = &job->grid->tiles;
  float d[WIDE * WIDE * WIDE], dx = (float)job->grid->dx;
  for (size_t t = begin; t < end; ++t) {
    bool near = false;
    for (int n = 0; n < RV_TILE_NEAR; ++n) {
      int32_t other = tiles->near[t][n];
      near = near || (other >= 0 && job->solids->touched[other]);
    }
    if (!near) continue;
    rv_channel_gather(tiles, job->solids->distance.data, t, 2, 1e3f * dx, d);
    float* fill = job->grid->fill.data + t * RV_TILE_CELLS;
    for (int z = 0, k = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x, ++k) {
          if (fill[k] == 0) continue;
          float corner = d[((z + 2) * WIDE + y + 2) * WIDE + x + 2];
          // too far for the support to be cut
          if (corner > 2.7f * dx) continue;
          float open = open_weight(d, x, y, z, dx);
          fill[k] = open > 0.02f ? fill[k] / open : 0;
        }
  }
}

//---------------------------------------------------------------------------------------------- distance

static bool half_full_near(const float* fill, int x, int y, int z) {
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        if (fill[rv_halo1_at(x + i, y + j, z + k)] >= 0.5f) return true;
  return false;
}

static bool enclosed(const float* fill, int x, int y, int z) {
  return fill[rv_halo1_at(x - 1, y, z)] >= 0.5f && fill[rv_halo1_at(x + 1, y, z)] >= 0.5f &&
         fill[rv_halo1_at(x, y - 1, z)] >= 0.5f && fill[rv_halo1_at(x, y + 1, z)] >= 0.5f &&
         fill[rv_halo1_at(x, y, z - 1)] >= 0.5f && fill[rv_halo1_at(x, y, z + 1)] >= 0.5f;
}

static float cells_from_surface(float fill) {
  if (fill >= 0.5f) return sqrtf(2 * (1 - fminf(fill, 1))) - 1;
  return 1 - sqrtf(2 * fill);
}

static void find_distance(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  float fill[RV_HALO1_CELLS], dx = (float)g->dx;
  for (size_t t = begin; t < end; ++t) {
    float* distance = g->distance.data + t * RV_TILE_CELLS;
    int32_t home = job->scatter->home_of[t];
    const uint32_t* first = home < 0 ? NULL : job->p->cell_first + (size_t)home * RV_TILE_CELLS;
    rv_channel_gather1(&g->tiles, g->fill.data, t, 0, fill);
    for (int z = 0, k = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x, ++k) {
          float f = fill[rv_halo1_at(x, y, z)], s = cells_from_surface(f);
          if (s >= 0 && first && first[k + 1] > first[k] && !half_full_near(fill, x, y, z)) s = -0.25f;
          if (s >= 0 && f > 0 && enclosed(fill, x, y, z)) s = -0.1f;
          distance[k] = s * dx;
        }
  }
}

RvResult rv_liquid_surface(RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvParticles* p,
                           const RvScatter* scatter, RvError* error) {
  (void)error;
  Job job = {grid, solids, p, scatter};
  if (solids && solids->any) rv_parallel_for(grid->tiles.count, 4, normalise, &job);
  rv_parallel_for(grid->tiles.count, 8, find_distance, &job);
  return RV_OK;
}
