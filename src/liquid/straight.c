// Share of the straight paths, and the divergence that keeps their volume (straight.h).
#include "liquid/straight.h"

#include "base/parallel.h"
#include "liquid/straight_tile.h"
#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_liquid_straight_tile, (const RvStraightTile*, const RvStraightStep*, const RvStraightCells*))

enum { GRAIN = 4 };  // tiles a task
enum { STEP_X = 1, STEP_Y = RV_HALO1_SIDE, STEP_Z = RV_HALO1_SIDE * RV_HALO1_SIDE };

// Cells from a solid within which paths follow the field, and from which on they are straight. The velocity of the
// nearest two faces is the solid's own; the way between is wide enough for a gradient.
#define CURVED_WITHIN 1.0f
#define STRAIGHT_BEYOND 3.0f

typedef struct Job {
  RvLiquidGrid* grid;
  const RvLiquidSolids* solids;  // NULL: none
  float dt, step;                // s, and the same over dx
  float reach;                   // m: distance from solids at which paths are straight
  bool turning;                  // the change of velocity along straight paths is asked for, in `room`
} Job;

static const int STEP[3] = {STEP_X, STEP_Y, STEP_Z};

static inline float between_0_and_1(float x) {
  return x > 0 ? x < 1 ? x : 1 : 0;
}

// Shares at the corners of a tile and its halo.
static void find_corners(const Job* job, size_t t, float* corner) {
  rv_channel_gather1(&job->grid->tiles, job->solids->distance.data, t, RV_SOLID_FAR, corner);
  const float width = STRAIGHT_BEYOND - CURVED_WITHIN, cell = job->reach / STRAIGHT_BEYOND;
  for (int i = 0; i < RV_HALO1_CELLS; ++i) corner[i] = between_0_and_1((corner[i] / cell - CURVED_WITHIN) / width);
}

// Whether there is a solid in a tile or beside it.
static bool is_near_solid(const Job* job, size_t t) {
  bool near = false;
  for (int n = 0; n < RV_TILE_NEAR && job->solids; ++n) {
    int32_t other = job->grid->tiles.near[t][n];
    near = near || (other >= 0 && job->solids->touched[other]);
  }
  return near;
}

static void go_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  RvStraightTile tile;
  for (size_t t = begin; t < end; ++t) {
    // the tile with its halo
    for (int a = 0; a < 3; ++a) {
      rv_channel_gather1(&g->tiles, g->velocity[a].data, t, 0, tile.u[a]);
      rv_channel_gather1(&g->tiles, g->mass[a].data, t, 0, tile.mass[a]);
    }
    RvStraightStep step = {job->dt, job->step, is_near_solid(job, t), job->turning};
    if (step.near_solid) find_corners(job, t, tile.corner);
    // shares and divergence of its cells
    size_t cell = t * RV_TILE_CELLS;
    RvStraightCells cells = {g->distance.data + cell, g->straight.data + cell, g->divergence.data + cell, {NULL}};
    for (int a = 0; a < 3 && job->turning; ++a) cells.turn[a] = g->room[a].data + cell;
    RV_KERNEL_CALL(rv_liquid_straight_tile, (&tile, &step, &cells));
  }
}

RvResult rv_liquid_go_straight(RvLiquidGrid* g, const RvLiquidSolids* solids, double dt, bool turning, RvError* error) {
  size_t tiles = g->tiles.count;
  if (!rv_liquid_grid_fit(g, &g->divergence, tiles) || !rv_liquid_grid_fit(g, &g->straight, tiles))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the paths in %zu tiles of liquid; use a larger particlesep",
                   tiles);
  Job job = {.grid = g,
             .solids = solids && solids->any ? solids : NULL,
             .dt = (float)dt,
             .step = (float)(dt / g->dx),
             .reach = (float)(STRAIGHT_BEYOND * g->dx),
             .turning = turning};
  if (job.solids && solids->known < job.reach) job.reach = solids->known;
  rv_parallel_for(tiles, GRAIN, go_some, &job);
  g->divergent = true;
  return RV_OK;
}

typedef struct Turn {
  const RvLiquidGrid* grid;
  float sign;
} Turn;

// Adds the mean of the cells beside it to the velocity of each face that has mass.
static void turn_some(void* arg, size_t begin, size_t end) {
  const Turn* turn = arg;
  const RvLiquidGrid* g = turn->grid;
  float cells[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t)
    for (int a = 0; a < 3; ++a) {
      rv_channel_gather1(&g->tiles, g->room[a].data, t, 0, cells);
      float* u = g->velocity[a].data + t * RV_TILE_CELLS;
      const float* mass = g->mass[a].data + t * RV_TILE_CELLS;
      for (int k = 0; k < RV_TILE_CELLS; ++k) {
        int at = rv_halo1_at(k & 7, k >> 3 & 7, k >> 6);
        if (mass[k] > 0) u[k] += turn->sign * 0.5f * (cells[at] + cells[at - STEP[a]]);
      }
    }
}

void rv_liquid_turn(RvLiquidGrid* g, int sign) {
  rv_parallel_for(g->tiles.count, GRAIN, turn_some, &(Turn){g, (float)sign});
}
