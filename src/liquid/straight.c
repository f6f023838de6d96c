// Share of the straight paths, and the divergence that keeps their volume (straight.h).
#include "liquid/straight.h"

#include "base/parallel.h"

enum { GRAIN = 4 };  // tiles a task
enum { STEP_X = 1, STEP_Y = RV_HALO1_SIDE, STEP_Z = RV_HALO1_SIDE * RV_HALO1_SIDE };

// Square of dt |G| up to which paths are straight, and from which on they follow the field: at 1/2 the next term of the
// determinant, dt^3 det G, is below 1/40 (|det G| <= |G|^3 / 3^1.5), and it falls with the cube.
#define STRAIGHT_BELOW 0.0625f
#define CURVED_ABOVE 0.25f
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

// A tile with its halo: velocity and mass of the faces, and shares by the distance from solids at the cells' corners.
typedef struct Tile {
  float u[3][RV_HALO1_CELLS], mass[3][RV_HALO1_CELLS];
  float corner[RV_HALO1_CELLS];
} Tile;

static const int STEP[3] = {STEP_X, STEP_Y, STEP_Z};

static inline float between_0_and_1(float x) {
  return x > 0 ? x < 1 ? x : 1 : 0;
}

// Change of velocity from a face to the next along another axis: the mean of both sides, or that of the side that has
// mass.
static inline float change_across(const float* u, const float* mass, int at, int step) {
  bool above = mass[at + step] > 0, below = mass[at - step] > 0;
  float up = above ? u[at + step] - u[at] : 0, down = below ? u[at] - u[at - step] : 0;
  return above && below ? 0.5f * (up + down) : up + down;
}

// dt G in a cell: row a is the change of velocity a along each axis. Faces without mass do not count.
static void slope_of(const Tile* tile, int at, float step, float slope[3][3]) {
  for (int a = 0; a < 3; ++a) {
    const float *u = tile->u[a], *mass = tile->mass[a];
    int up = at + STEP[a];
    float low = mass[at] > 0 ? 1 : 0, high = mass[up] > 0 ? 1 : 0;
    float scale = low + high > 1 ? 0.5f * step : step;
    for (int b = 0; b < 3; ++b) {
      if (b == a)
        slope[a][b] = low * high * step * (u[up] - u[at]);
      else
        slope[a][b] = scale * (low * change_across(u, mass, at, STEP[b]) + high * change_across(u, mass, up, STEP[b]));
    }
  }
}

// Share of straight paths by the distance from solids, and its change along each axis, from the corners of a cell.
static float share_by_solids(const float* corner, int at, float change[3]) {
  float sum = 0;
  for (int a = 0; a < 3; ++a) change[a] = 0;
  for (int k = 0; k < 8; ++k) {
    float share = corner[at + (k & 1) * STEP_X + (k >> 1 & 1) * STEP_Y + (k >> 2) * STEP_Z];
    sum += share;
    for (int a = 0; a < 3; ++a) change[a] += 0.25f * (k >> a & 1 ? share : -share);
  }
  return 0.125f * sum;
}

// dt (u . grad) u / 2 in a cell, m/s: how far the velocity in the middle of a path through the field is from that at
// its beginning.
static void turn_of(const Tile* tile, int at, float slope[3][3], float turn[3]) {
  float velocity[3];
  for (int a = 0; a < 3; ++a) velocity[a] = 0.5f * (tile->u[a][at] + tile->u[a][at + STEP[a]]);
  for (int a = 0; a < 3; ++a)
    turn[a] = 0.5f * (slope[a][0] * velocity[0] + slope[a][1] * velocity[1] + slope[a][2] * velocity[2]);
}

// What a cell needs.
typedef struct Cell {
  float share;    // of straight paths
  float gain;     // change of volume, dt times the divergence, that the projection shall leave
  float turn[3];  // m/s: share dt (u . grad) u / 2; only where it is asked for
} Cell;

static Cell cell_of(const Tile* tile, int at, const Job* job) {
  float slope[3][3], change[3] = {0}, square = 0, second = 0;
  Cell cell = {0};
  // the slope, its square and its second invariant
  slope_of(tile, at, job->step, slope);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) square += slope[a][b] * slope[a][b];
  for (int a = 0, b = 1; a < 3; ++a, b = (b + 1) % 3) second += slope[a][a] * slope[b][b] - slope[a][b] * slope[b][a];
  // the share, and the volume that keeps straight paths
  float calm = between_0_and_1((CURVED_ABOVE - square) / (CURVED_ABOVE - STRAIGHT_BELOW));
  float clear = job->solids ? share_by_solids(tile->corner, at, change) : 1;
  cell.share = calm * clear;
  cell.gain = -cell.share * second;
  if (clear == 1 && !job->turning) return cell;
  // where paths begin to follow the field
  turn_of(tile, at, slope, cell.turn);
  for (int a = 0; a < 3; ++a) {
    cell.gain += calm * job->step * change[a] * cell.turn[a];
    cell.turn[a] *= cell.share;
  }
  return cell;
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
  Tile tile;
  for (size_t t = begin; t < end; ++t) {
    // the tile with its halo
    for (int a = 0; a < 3; ++a) {
      rv_channel_gather1(&g->tiles, g->velocity[a].data, t, 0, tile.u[a]);
      rv_channel_gather1(&g->tiles, g->mass[a].data, t, 0, tile.mass[a]);
    }
    Job here = *job;
    if (is_near_solid(job, t))
      find_corners(job, t, tile.corner);
    else
      here.solids = NULL;
    // shares and divergence of its cells
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      size_t cell = t * RV_TILE_CELLS + (size_t)k;
      Cell is = cell_of(&tile, rv_halo1_at(k & 7, k >> 3 & 7, k >> 6), &here);
      g->straight.data[cell] = is.share;
      g->divergence.data[cell] = g->distance.data[cell] < 0 ? is.gain / job->dt : 0;
      for (int a = 0; a < 3 && job->turning; ++a) g->room[a].data[cell] = is.turn[a];
    }
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
