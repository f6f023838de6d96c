// Where the liquid is: normalises the fill of cells at solids, then inverts it to a signed distance (stages.h).
#include <math.h>

#include "base/parallel.h"
#include "liquid/stages.h"

// Side of a tile, with a halo of two, and the step from the last of three rows to the next plane of a halo of one.
enum { S = RV_TILE_SIDE, WIDE = S + 4, SKIP = RV_HALO1_SIDE * (RV_HALO1_SIDE - 3) };
enum { NORMALISE_GRAIN = 4, DISTANCE_GRAIN = 8 };  // tiles a task

#define SOLID -1.0f       // fill of a cell inside a solid, after the first pass
#define HALF_FULL 0.5f    // fill at which the surface passes the centre
#define LEAST_OPEN 0.02f  // open weight below which a fill says nothing
// Distances, in cells, of liquid that the fill does not show: drops and films of their own, and enclosed holes.
#define DROP_DISTANCE -0.25f
#define HOLE_DISTANCE -0.1f

typedef struct Job {
  RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
  const RvParticles* p;
  const RvScatter* scatter;
  const uint32_t* tiles;  // those to do; NULL: all
} Job;

//---------------------------------------------------------------------------------------------- at solids

// Share of each cell of a tile and one around it that lies outside of solids: 1 where no corner is inside, 0 where all
// are, between by the sums of the corners' distances, which is exact for a wall along cells.
static void open_cells(const float* d, float* open) {
  for (int z = 0; z < RV_HALO1_SIDE; ++z)
    for (int y = 0; y < RV_HALO1_SIDE; ++y)
      for (int x = 0; x < RV_HALO1_SIDE; ++x) {
        const float* q = d + ((z + 1) * WIDE + y + 1) * WIDE + x + 1;
        float out = 0, all = 0;
        for (int k = 0; k < 4; ++k) {
          float a = q[(k & 1) * WIDE + (k >> 1) * WIDE * WIDE], b = q[(k & 1) * WIDE + (k >> 1) * WIDE * WIDE + 1];
          out += (a > 0 ? a : 0) + (b > 0 ? b : 0);
          all += fabsf(a) + fabsf(b);
        }
        *open++ = all > 0 ? out / all : 0;
      }
}

// Open share of a cell's transfer weights: the integrals of the linear weight over the cell and those beside it are 3/4
// and 1/8 along each axis.
static float open_weight(const float* open, int x, int y, int z) {
  static const float weight[3] = {0.125f, 0.75f, 0.125f};
  const float* q = open + rv_halo1_at(x - 1, y - 1, z - 1);
  float sum = 0;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j, q += RV_HALO1_SIDE) {
      sum += weight[k] * weight[j] * (weight[0] * (q[0] + q[2]) + weight[1] * q[1]);
      q += j == 2 ? SKIP : 0;
    }
  return sum;
}

// Divides the fill near solids by the open share of its weights, so that a full cell at a wall has 1; that share is
// kept for what fibres take of it.
static void normalise(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvTiles* tiles = &job->grid->tiles;
  float d[WIDE * WIDE * WIDE], open[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    bool near = false;
    for (int n = 0; n < RV_TILE_NEAR; ++n) {
      int32_t other = tiles->near[t][n];
      near = near || (other >= 0 && job->solids->touched[other]);
    }
    float* open_share = job->grid->open.data + t * RV_TILE_CELLS;
    for (int k = 0; k < RV_TILE_CELLS; ++k) open_share[k] = 1;
    if (!near) continue;
    // open parts of the cells of the tile and one around it
    rv_channel_gather(tiles, job->solids->distance.data, t, 2, RV_SOLID_FAR, d);
    open_cells(d, open);
    float* fill = job->grid->fill.data + t * RV_TILE_CELLS;
    for (int z = 0, k = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x, ++k) {
          // the transfer's weights reach into solids, liquid does not
          if (open[rv_halo1_at(x, y, z)] <= 0) {
            fill[k] = SOLID;
          } else if (fill[k] > 0) {
            float part = open_weight(open, x, y, z);
            fill[k] = part > LEAST_OPEN ? fill[k] / part : 0;
            open_share[k] = part > LEAST_OPEN ? part : 1;
          }
        }
  }
}

//---------------------------------------------------------------------------------------------- distance

// Whether the cell or one of the 26 around it is half full.
static bool half_full_near(const float* fill, int x, int y, int z) {
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        if (fill[rv_halo1_at(x + i, y + j, z + k)] >= HALF_FULL) return true;
  return false;
}

// Whether a cell has liquid or solids on all six sides, and liquid on one: a hole that air cannot reach.
static bool enclosed(const float* fill, int x, int y, int z) {
  static const int8_t side[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  int wet = 0;
  for (int k = 0; k < 6; ++k) {
    float f = fill[rv_halo1_at(x + side[k][0], y + side[k][1], z + side[k][2])];
    if (f < HALF_FULL && f >= 0) return false;
    wet += f >= HALF_FULL;
  }
  return wet > 0;
}

// Distance, in cells, of a flat surface from the centre of a cell with this fill: the inverse of (1 - s)^2 / 2.
static float cells_from_surface(float fill) {
  if (fill >= HALF_FULL) return sqrtf(2 * (1 - fminf(fill, 1))) - 1;
  return fill > 0 ? 1 - sqrtf(2 * fill) : 1;
}

// Signed distance of all cells: by their fill, with drops and enclosed holes as liquid.
static void find_distance(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  float fill[RV_HALO1_CELLS], dx = (float)g->dx;
  for (size_t n = begin; n < end; ++n) {
    size_t t = job->tiles ? job->tiles[n] : n;
    float* distance = g->distance.data + t * RV_TILE_CELLS;
    int32_t home = job->scatter->home_of[t];
    const uint32_t* first = home < 0 ? NULL : job->p->cell_first + (size_t)home * RV_TILE_CELLS;
    rv_channel_gather1(&g->tiles, g->fill.data, t, 0, fill);
    for (int z = 0, k = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x, ++k) {
          float f = fill[rv_halo1_at(x, y, z)], s = cells_from_surface(f);
          if (s >= 0 && first && first[k + 1] > first[k] && !half_full_near(fill, x, y, z)) s = DROP_DISTANCE;
          if (s >= 0 && f >= 0 && enclosed(fill, x, y, z)) s = HOLE_DISTANCE;
          distance[k] = s * dx;
        }
  }
}

RvResult rv_liquid_surface(RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvParticles* p,
                           const RvScatter* scatter, RvError* error) {
  Job job = {grid, solids, p, scatter, NULL};
  grid->opened = solids && solids->any;
  if (grid->opened && !rv_channel_fit(&grid->open, grid->tiles.count))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the solids around %zu tiles of liquid; use a larger particlesep",
                   grid->tiles.count);
  if (grid->opened) rv_parallel_for(grid->tiles.count, NORMALISE_GRAIN, normalise, &job);
  rv_parallel_for(grid->tiles.count, DISTANCE_GRAIN, find_distance, &job);
  return RV_OK;
}

void rv_liquid_surface_again(RvLiquidGrid* grid, const RvParticles* p, const RvScatter* scatter, const uint32_t* tiles,
                             size_t count) {
  Job job = {grid, NULL, p, scatter, tiles};
  rv_parallel_for(count, DISTANCE_GRAIN, find_distance, &job);
}
