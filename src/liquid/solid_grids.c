// Fills the channels of the solids from placed level sets and walls (solid_grids.h): distances at the corners of a
// tile's cells, then openings, and the velocity of the nearest solid at each face.
#include "liquid/solid_grids.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum { S = RV_TILE_SIDE, SIDE = S + 1, CORNERS = SIDE * SIDE * SIDE };
enum { NONE = UINT16_MAX };   // no solid
enum { BATCH = 128 };         // points a call of a level set
enum { LEAF_VALUES = 512 };   // of a leaf of 8^3 voxels
enum { GRAIN = 8 };           // tiles a task
#define HALF_DIAGONAL 0.8661  // sqrt(3) / 2, rounded up
#define BAND_SHARE 0.95       // an inside this deep, relative to the band, may go on beyond it

//---------------------------------------------------------------------------------------------- thickness

// RvLeafFn: lowers the smallest value to that of a block.
static void lower_smallest(void* arg, const RvLeaf* leaf) {
  float* smallest = arg;
  for (int i = 0; i < LEAF_VALUES; ++i) *smallest = fminf(*smallest, leaf->values[i]);
}

double rv_liquid_solid_depth(const RvGrid* distance) {
  float smallest = 0;
  rv_grid_each_leaf(distance, lower_smallest, &smallest);
  return -(double)smallest;
}

double rv_liquid_solid_thicken(const RvGrid* distance, double dx) {
  float far[3] = {0};
  double depth = rv_liquid_solid_depth(distance), half = RV_SOLID_HALF * dx;
  rv_grid_background(distance, far);
  // the narrow band ends within it: it may be thicker
  return depth >= half || depth >= BAND_SHARE * (double)far[0] ? 0 : half - depth;
}

//---------------------------------------------------------------------------------------------- one tile

typedef struct Job {
  RvLiquidSolids* solids;
  const RvLiquidGrid* grid;
  const RvLiquidSolid* list;
  const double (*box)[2][3];  // bounds of each solid
  const float* far;           // m: background value of each level set
  size_t count;
  const RvSolidShapes* walls;
} Job;

typedef struct Tile {
  double at[CORNERS][3];
  float d[CORNERS];           // of the union
  float one[CORNERS];         // of one solid
  uint16_t nearest[CORNERS];  // number of the nearest solid; job->count: walls
} Tile;

// Whether the bounds of a solid come within the band of a tile.
static bool tile_near(const Job* job, size_t solid, size_t tile) {
  double reach = RV_LIQUID_BAND * job->grid->dx;
  for (int a = 0; a < 3; ++a) {
    double lo = rv_liquid_corner(job->grid, tile, a, 0), hi = rv_liquid_corner(job->grid, tile, a, S);
    if (lo > job->box[solid][1][a] + reach || hi < job->box[solid][0][a] - reach) return false;
  }
  return true;
}

// Corners of a tile's cells, with no solid yet.
static void place_corners(const Job* job, size_t tile, Tile* t) {
  int k = 0;
  for (int z = 0; z <= S; ++z)
    for (int y = 0; y <= S; ++y)
      for (int x = 0; x <= S; ++x, ++k) {
        t->at[k][0] = rv_liquid_corner(job->grid, tile, 0, x);
        t->at[k][1] = rv_liquid_corner(job->grid, tile, 1, y);
        t->at[k][2] = rv_liquid_corner(job->grid, tile, 2, z);
        t->d[k] = RV_SOLID_FAR;
        t->nearest[k] = NONE;
      }
}

// Union with the walls.
static void add_walls(const Job* job, Tile* t) {
  double v[3], friction, dx = job->grid->dx;
  // the distance at the centre bounds that of the tile
  const double* middle = t->at[CORNERS / 2];
  if (rv_liquid_solid_shapes_distance(job->walls, middle, v, &friction) > (HALF_DIAGONAL * S + RV_LIQUID_BAND) * dx)
    return;
  for (int k = 0; k < CORNERS; ++k) {
    float d = (float)rv_liquid_solid_shapes_distance(job->walls, t->at[k], v, &friction);
    if (d < t->d[k]) {
      t->d[k] = d;
      t->nearest[k] = (uint16_t)job->count;
    }
  }
}

// Union with solid i. False: out of memory.
static bool add_solid(const Job* job, size_t i, Tile* t) {
  float middle;
  const RvPlacedGrid* placed = &job->list[i].placed;
  // level sets do not exceed the distance, so the centre bounds that of the tile
  if (!rv_liquid_placed_distance(placed, 1, t->at[CORNERS / 2], &middle)) return false;
  if (middle > (HALF_DIAGONAL * S + RV_LIQUID_BAND) * job->grid->dx) return true;
  if (!rv_liquid_placed_distance(placed, CORNERS, t->at[0], t->one)) return false;
  // beyond its narrow band a level set has its background value, which is no distance
  float far = (float)((1 - 1e-5) * (double)job->far[i] - placed->thicken);
  for (int k = 0; k < CORNERS; ++k)
    if (t->one[k] < t->d[k] && t->one[k] < far) {
      t->d[k] = t->one[k];
      t->nearest[k] = (uint16_t)i;
    }
  return true;
}

// Velocities of solid i at n points, and its friction; number job->count are the walls. False: out of memory.
static bool velocities(const Job* job, size_t i, size_t n, const double* at, float* out, float* friction) {
  double v[3], f;
  if (i == job->count) {
    for (size_t k = 0; k < n; ++k) {
      rv_liquid_solid_shapes_distance(job->walls, at + 3 * k, v, &f);
      for (size_t a = 0; a < 3; ++a) out[3 * k + a] = (float)v[a];
      *friction = (float)f;
    }
    return true;
  }
  const RvLiquidSolid* s = &job->list[i];
  *friction = (float)s->friction;
  bool field = s->placed.velocity || s->placed.motion;
  if (field && !rv_liquid_placed_field(&s->placed, n, at, out)) return false;
  for (size_t k = 0; k < n; ++k) {
    RvVec3 arm = rv_sub(rv_vec3_load64(at + 3 * k), rv_vec3_load64(s->center));
    RvVec3 u = rv_add(rv_vec3_load64(s->linear), rv_cross(rv_vec3_load64(s->angular), arm));
    rv_vec3_store(out + 3 * k, field ? rv_add(u, rv_vec3_load(out + 3 * k)) : u);
  }
  return true;
}

//---------------------------------------------------------------------------------------------- faces

// Faces of a tile that need a velocity, and the nearest solid of each.
typedef struct Faces {
  double at[3 * S * S * S][3];
  float v[3 * S * S * S][3];
  uint16_t face[3 * S * S * S];  // cell * 3 + axis
  uint16_t solid[3 * S * S * S];
} Faces;

// Distances and openings of all cells. Lists the faces that need a velocity, and returns their number.
static int open_faces(const Job* job, size_t tile, const Tile* t, Faces* f) {
  static const int step[3] = {1, SIDE, SIDE * SIDE};
  RvLiquidSolids* s = job->solids;
  float reach = RV_LIQUID_BAND * (float)job->grid->dx;
  int n = 0;
  for (int cell = 0; cell < RV_TILE_CELLS; ++cell) {
    int c[3] = {cell & 7, cell >> 3 & 7, cell >> 6}, k = c[0] + c[1] * SIDE + c[2] * SIDE * SIDE;
    size_t at = tile * RV_TILE_CELLS + (size_t)cell;
    // distance, and openings from the four corners of each face
    s->distance.data[at] = t->d[k];
    s->friction.data[at] = 0;
    for (int a = 0; a < 3; ++a) {
      int b = step[(a + 1) % 3], d = step[(a + 2) % 3], corner[4] = {k, k + b, k + b + d, k + d}, near = k;
      s->open[a].data[at] =
          rv_liquid_solid_open_area((float[4]){t->d[corner[0]], t->d[corner[1]], t->d[corner[2]], t->d[corner[3]]});
      // the nearest solid, if it is within the band
      for (int i = 1; i < 4; ++i)
        if (t->d[corner[i]] < t->d[near]) near = corner[i];
      if (t->nearest[near] == NONE || t->d[near] > reach) continue;
      for (int e = 0; e < 3; ++e) f->at[n][e] = t->at[k][e] + (e == a ? 0 : 0.5 * job->grid->dx);
      f->face[n] = (uint16_t)(3 * cell + a);
      f->solid[n] = t->nearest[near];
      n++;
    }
  }
  return n;
}

// Velocity and friction of the listed faces; runs of faces with the same solid are sampled together.
static bool move_faces(const Job* job, size_t tile, int n, Faces* f) {
  for (int begin = 0, end; begin < n; begin = end) {
    float friction = 0;
    for (end = begin + 1; end < n && f->solid[end] == f->solid[begin];) end++;
    if (!velocities(job, f->solid[begin], (size_t)(end - begin), f->at[begin], f->v[begin], &friction)) return false;
    for (int i = begin; i < end; ++i) {
      size_t at = tile * RV_TILE_CELLS + f->face[i] / 3;
      int a = f->face[i] % 3;
      job->solids->velocity[a].data[at] = f->v[i][a];
      job->solids->friction.data[at] = friction;
    }
  }
  return true;
}

// All channels of a tile. False: out of memory.
static bool fill_tile(const Job* job, size_t tile, Tile* t, Faces* f) {
  // union of walls and solids at the corners
  bool placed = false;
  for (size_t i = 0; i <= job->count; ++i) {
    if (i == job->count ? !job->walls : !tile_near(job, i, tile)) continue;
    if (!placed) place_corners(job, tile, t);
    placed = true;
    if (i == job->count)
      add_walls(job, t);
    else if (!add_solid(job, i, t))
      return false;
  }
  if (!placed) return true;
  for (int k = 0; k < CORNERS; ++k) t->d[k] = rv_liquid_solid_snap((double)t->d[k], job->grid->dx);
  // solids within the band: faces
  float smallest = t->d[0];
  for (int k = 1; k < CORNERS; ++k) smallest = fminf(smallest, t->d[k]);
  if (smallest > RV_LIQUID_BAND * (float)job->grid->dx) return true;
  job->solids->touched[tile] = 1;
  return move_faces(job, tile, open_faces(job, tile, t, f), f);
}

// The sum is above 0 when a tile failed: level sets that OpenVDB keeps out of core are read, which takes memory.
static double fill_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  double failed = 0;
  // 86 KiB on the stack of a worker
  Tile tile;
  Faces faces;
  for (size_t t = begin; t < end && failed == 0; ++t) failed = !fill_tile(job, t, &tile, &faces);
  return failed;
}

// Bounds of a placed grid; empty if it has no inside.
static void find_box(const RvPlacedGrid* placed, double box[2][3]) {
  if (!rv_liquid_placed_bounds(placed, box[0], box[1]))
    for (int a = 0; a < 3; ++a) {
      box[0][a] = INFINITY;
      box[1][a] = -INFINITY;
    }
}

// Room for the bounds of `count` solids; grows only.
static bool fit_solids(RvLiquidSolids* s, size_t count) {
  if (count <= s->solid_capacity && s->bounds && s->far) return true;
  if (!rv_renew(&s->bounds, count, sizeof *s->bounds) || !rv_renew(&s->far, count, sizeof *s->far)) return false;
  s->solid_capacity = count;
  return true;
}

bool rv_liquid_solids_from_grids(RvLiquidSolids* s, const RvLiquidGrid* grid, const RvLiquidSolid* list, size_t count,
                                 const RvSolidShapes* walls) {
  if (!rv_liquid_solids_clear(s, &grid->tiles)) return false;
  if (walls && !walls->count) walls = NULL;
  s->known = (float)(RV_LIQUID_BAND * grid->dx);
  if (!fit_solids(s, count)) return false;
  // bounds, background and the distance up to which all are known
  for (size_t i = 0; i < count; ++i) {
    float background[3] = {INFINITY};
    find_box(&list[i].placed, s->bounds[i]);
    if (list[i].placed.distance) rv_grid_background(list[i].placed.distance, background);
    s->far[i] = background[0];
    s->known = fminf(s->known, s->far[i] - (float)list[i].placed.thicken);
  }
  Job job = {s, grid, list, (const double(*)[2][3])s->bounds, s->far, count, walls};
  double failed = rv_parallel_sum(grid->tiles.count, GRAIN, fill_tiles, &job);
  for (size_t t = 0; t < grid->tiles.count; ++t) s->any |= s->touched[t] != 0;
  return failed == 0;
}

//---------------------------------------------------------------------------------------------- region

// Distance to the nearest of walls and solids.
static bool union_distance(const void* user, size_t count, const double* at, float* out) {
  const RvSolidUnion* u = user;
  float one[BATCH];
  for (size_t k = 0; k < count; ++k) {
    double v[3], friction;
    out[k] = u->walls ? (float)rv_liquid_solid_shapes_distance(u->walls, at + 3 * k, v, &friction) : RV_SOLID_FAR;
  }
  for (size_t i = 0; i < u->count; ++i)
    for (size_t k = 0; k < count; k += BATCH) {
      size_t n = count - k < BATCH ? count - k : BATCH;
      if (!rv_liquid_placed_distance(&u->list[i].placed, n, at + 3 * k, one)) return false;
      for (size_t j = 0; j < n; ++j) out[k + j] = fminf(out[k + j], one[j]);
    }
  return true;
}

RvRegion rv_liquid_region_solids(const RvSolidUnion* u) {
  RvRegion r = {.distance = union_distance, .user = u};
  for (int a = 0; a < 3; ++a) {
    r.lo[a] = u->walls && u->walls->count ? -INFINITY : INFINITY;
    r.hi[a] = -r.lo[a];
  }
  for (size_t i = 0; i < u->count; ++i) {
    double box[2][3];
    find_box(&u->list[i].placed, box);
    for (int a = 0; a < 3; ++a) {
      r.lo[a] = fmin(r.lo[a], box[0][a]);
      r.hi[a] = fmax(r.hi[a], box[1][a]);
    }
  }
  return r;
}
