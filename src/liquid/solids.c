// Channels of the solids (solids.h): memory, tiles that are kept from substep to substep, and filling from a distance
// function or simple shapes.
#include "liquid/solids.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec.h"

enum { S = RV_TILE_SIDE };
enum { CLEAR_GRAIN = 16, FILL_GRAIN = 4 };  // tiles a task
#define SQRT3 1.7321                        // rounded up

//---------------------------------------------------------------------------------------------- memory

// Room for the lists of tiles; values are lost when they grow.
static bool fit_list(RvLiquidSolids* s, size_t tiles) {
  if (tiles <= s->tile_capacity && s->touched) return true;
  size_t capacity = tiles + tiles / 4 + 1;
  if (!rv_renew(&s->touched, capacity, 1) || !rv_renew(&s->tile_key, capacity, sizeof *s->tile_key) ||
      !rv_renew(&s->from, capacity, sizeof *s->from))
    return false;
  memset(s->touched, 0, capacity);
  s->capacity = capacity;
  s->tile_capacity = capacity;
  s->key = 0;
  return true;
}

// Room for all channels. Channels that grow lose their values, so the key is reset and no tile is kept.
static bool fit(RvLiquidSolids* s, size_t tiles, bool moving) {
  if (tiles > s->distance.capacity || !moving != !s->velocity[0].data) s->key = 0;
  bool fits = fit_list(s, tiles) && rv_channel_fit(&s->distance, tiles) && rv_channel_fit(&s->friction, tiles);
  for (int a = 0; a < 3; ++a) {
    fits = fits && rv_channel_fit(&s->open[a], tiles);
    if (moving)
      fits = fits && rv_channel_fit(&s->velocity[a], tiles);
    else
      rv_channel_free(&s->velocity[a]);
  }
  return fits;
}

// Copies all channels of a tile.
static void copy_tile(const RvLiquidSolids* s, size_t to, size_t from) {
  const RvChannel* channels[] = {&s->distance, &s->friction,    &s->open[0],     &s->open[1],
                                 &s->open[2],  &s->velocity[0], &s->velocity[1], &s->velocity[2]};
  for (size_t k = 0; k < sizeof channels / sizeof *channels; ++k)
    if (channels[k]->data)
      memcpy(channels[k]->data + to * RV_TILE_CELLS, channels[k]->data + from * RV_TILE_CELLS,
             RV_TILE_CELLS * sizeof(float));
  s->touched[to] = s->touched[from];
}

// No solid near: far, open, at rest.
static void clear_tile(const RvLiquidSolids* s, size_t t) {
  for (size_t i = t * RV_TILE_CELLS; i < (t + 1) * RV_TILE_CELLS; ++i) {
    s->distance.data[i] = RV_SOLID_FAR;
    for (int a = 0; a < 3; ++a) s->open[a].data[i] = 1;
    for (int a = 0; a < 3 && s->velocity[a].data; ++a) s->velocity[a].data[i] = 0;
  }
  s->touched[t] = 0;
}

// Clears the tiles that are new.
static void clear_some(void* arg, size_t begin, size_t end) {
  const RvLiquidSolids* s = arg;
  for (size_t t = begin; t < end; ++t)
    if (s->from[t] < 0) clear_tile(s, t);
}

// Moves the values of tiles that stay to their new places. Both lists are sorted by key, so tiles keep their order:
// those that move down are copied from below, those that move up from above, and none is overwritten before it is read.
static void keep_tiles(RvLiquidSolids* s, const RvTiles* tiles) {
  // where each tile was
  size_t old = 0;
  for (size_t t = 0; t < tiles->count; ++t) {
    while (old < s->tile_count && s->tile_key[old] < tiles->key[t]) ++old;
    s->from[t] = s->key && old < s->tile_count && s->tile_key[old] == tiles->key[t] ? (int32_t)old : -1;
  }
  for (size_t t = 0; t < tiles->count; ++t)
    // moves down, then moves up
    if (s->from[t] > (int32_t)t) copy_tile(s, t, (size_t)s->from[t]);
  for (size_t t = tiles->count; t-- > 0;)
    if (s->from[t] >= 0 && s->from[t] < (int32_t)t) copy_tile(s, t, (size_t)s->from[t]);
}

bool rv_liquid_solids_keep(RvLiquidSolids* s, const RvTiles* tiles, bool moving, uint64_t key) {
  if (s->key != key) s->key = 0;
  if (!fit(s, tiles->count, moving)) return false;
  keep_tiles(s, tiles);
  rv_parallel_for(tiles->count, CLEAR_GRAIN, clear_some, s);
  // without liquid there are no tiles, and no keys to copy from
  if (tiles->count) memcpy(s->tile_key, tiles->key, tiles->count * sizeof *s->tile_key);
  s->tile_count = tiles->count;
  s->key = key;
  s->any = false;
  return true;
}

bool rv_liquid_solids_clear(RvLiquidSolids* s, const RvTiles* tiles) {
  return rv_liquid_solids_keep(s, tiles, true, 0);
}

void rv_liquid_solids_free(RvLiquidSolids* s) {
  rv_channel_free(&s->distance);
  rv_channel_free(&s->friction);
  for (int a = 0; a < 3; ++a) {
    rv_channel_free(&s->open[a]);
    rv_channel_free(&s->velocity[a]);
  }
  rv_free(s->touched);
  rv_free(s->tile_key);
  rv_free(s->from);
  rv_free(s->bounds);
  rv_free(s->far);
  *s = (RvLiquidSolids){0};
}

//---------------------------------------------------------------------------------------------- by a function

// Share of a triangle that is above 0, with these values at its corners.
static float triangle_open(float a, float b, float c) {
  int above = (a > 0) + (b > 0) + (c > 0);
  if (above == 0 || above == 3) return above ? 1 : 0;
  // p: the value whose sign is unlike the others; its corner is cut at p/(p-q) and p/(p-r) of its sides
  float p = (a > 0) == (above == 1) ? a : (b > 0) == (above == 1) ? b : c;
  float q = p == a ? b : a, r = p == c ? b : c;
  float corner = p / (p - q) * (p / (p - r));
  return above == 1 ? corner : 1 - corner;
}

float rv_liquid_solid_open_area(const float d[4]) {
  float m = 0.25f * ((d[0] + d[2]) + (d[1] + d[3]));
  return 0.25f * ((triangle_open(d[0], d[1], m) + triangle_open(d[2], d[3], m)) +
                  (triangle_open(d[1], d[2], m) + triangle_open(d[3], d[0], m)));
}

typedef struct Job {
  RvLiquidSolids* solids;
  const RvLiquidGrid* grid;
  RvSolidFn* fn;
  const void* user;
} Job;

// Distances at the 9^3 corners of a tile's cells; returns the smallest.
static float corners(const Job* job, size_t tile, float* out) {
  float smallest = INFINITY;
  for (int z = 0; z <= S; ++z)
    for (int y = 0; y <= S; ++y)
      for (int x = 0; x <= S; ++x) {
        double p[3] = {rv_liquid_corner(job->grid, tile, 0, x), rv_liquid_corner(job->grid, tile, 1, y),
                       rv_liquid_corner(job->grid, tile, 2, z)};
        double v[3], friction;
        float d = rv_liquid_solid_snap(job->fn(job->user, p, v, &friction), job->grid->dx);
        if (d < smallest) smallest = d;
        *out++ = d;
      }
  return smallest;
}

// Distance, openings, velocity and friction of a cell.
static void fill_faces(const Job* job, size_t tile, int x, int y, int z, const float* corner) {
  static const int step[3] = {1, S + 1, (S + 1) * (S + 1)};
  const float* d = corner + x + y * step[1] + z * step[2];
  size_t at = tile * RV_TILE_CELLS + (size_t)rv_tile_cell(x, y, z);
  // distance, openings of the three lower faces, velocity at their centres
  job->solids->distance.data[at] = *d;
  double center[3], friction = 0;
  int cell[3] = {x, y, z};
  for (int a = 0; a < 3; ++a) {
    int b = step[(a + 1) % 3], c = step[(a + 2) % 3];
    job->solids->open[a].data[at] = rv_liquid_solid_open_area((float[4]){d[0], d[b], d[b + c], d[c]});
    // Velocity is needed within two cells of a solid. Solids that do not move are asked once a cell, for friction.
    if (*d > 2 * job->grid->dx || (a < 2 && !job->solids->velocity[a].data)) continue;
    for (int k = 0; k < 3; ++k)
      center[k] = rv_liquid_corner(job->grid, tile, k, cell[k]) + (k == a ? 0 : 0.5 * job->grid->dx);
    double v[3] = {0};
    job->fn(job->user, center, v, &friction);
    if (job->solids->velocity[a].data) job->solids->velocity[a].data[at] = (float)v[a];
  }
  job->solids->friction.data[at] = (float)friction;
}

// Fills new tiles that have a solid within the band.
static void fill_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  float corner[(S + 1) * (S + 1) * (S + 1)];
  for (size_t t = begin; t < end; ++t) {
    // Distances change no faster than space, so the distance at the centre bounds that of the tile.
    double dx = job->grid->dx, p[3], v[3], friction;
    if (job->solids->from[t] >= 0) continue;
    for (int a = 0; a < 3; ++a) p[a] = rv_liquid_corner(job->grid, t, a, S / 2);
    if (job->fn(job->user, p, v, &friction) > (0.5 * S * SQRT3 + RV_LIQUID_BAND) * dx) continue;
    if (corners(job, t, corner) > RV_LIQUID_BAND * dx) continue;
    // near: all cells
    job->solids->touched[t] = 1;
    for (int z = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x) fill_faces(job, t, x, y, z, corner);
  }
}

// Key of what resting shapes give on a grid; 0: they move.
static uint64_t key_of(const RvLiquidGrid* grid, const RvSolidShapes* shapes) {
  if (!rv_liquid_solid_shapes_still(shapes)) return 0;
  RvHasher h = rv_hasher_new(shapes->count);
  rv_hasher_add(&h, &grid->dx, sizeof grid->dx);
  rv_hasher_add(&h, grid->origin, sizeof grid->origin);
  rv_hasher_add(&h, shapes->shape, shapes->count * sizeof *shapes->shape);
  return rv_hasher_done(&h) | 1;
}

bool rv_liquid_solids_from_fn(RvLiquidSolids* solids, const RvLiquidGrid* grid, RvSolidFn* fn, const void* user) {
  uint64_t key = fn == rv_liquid_solid_shapes_distance ? key_of(grid, user) : 0;
  if (!rv_liquid_solids_keep(solids, &grid->tiles, key == 0, key)) return false;
  solids->known = (float)(RV_LIQUID_BAND * grid->dx);
  rv_parallel_for(grid->tiles.count, FILL_GRAIN, fill_some, &(Job){solids, grid, fn, user});
  for (size_t t = 0; t < grid->tiles.count; ++t) solids->any |= solids->touched[t] != 0;
  return true;
}

//---------------------------------------------------------------------------------------------- shapes

// Signed distance to a box about the origin; open sides are no walls.
static double box_distance(const RvSolidShape* s, const double p[3]) {
  double squared_outside = 0, inside = -INFINITY;
  for (int a = 0; a < 3; ++a) {
    double d = fabs(p[a]) - s->size[a];
    if (s->inside_out && s->open_sides >> (2 * a + (p[a] > 0)) & 1) {
      // an open side is no wall: only the other side of the axis counts
      if (s->open_sides >> (2 * a + !(p[a] > 0)) & 1) continue;
      d = (p[a] > 0 ? -p[a] : p[a]) - s->size[a];
    }
    if (d > 0) squared_outside += d * d;
    if (d > inside) inside = d;
  }
  return squared_outside > 0 ? sqrt(squared_outside) : inside;
}

bool rv_liquid_solid_shapes_still(const RvSolidShapes* shapes) {
  for (size_t i = 0; i < shapes->count; ++i)
    for (int a = 0; a < 3; ++a)
      if (shapes->shape[i].velocity[a] != 0 || shapes->shape[i].spin[a] != 0) return false;
  return true;
}

double rv_liquid_solid_shapes_distance(const void* user, const double x[3], double velocity[3], double* friction) {
  const RvSolidShapes* shapes = user;
  double nearest = INFINITY;
  *friction = 0;
  for (int a = 0; a < 3; ++a) velocity[a] = 0;
  for (size_t i = 0; i < shapes->count; ++i) {
    const RvSolidShape* s = &shapes->shape[i];
    double p[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]}, d;
    RvVec3 at = rv_vec3_load64(p);
    // distance to the shape
    if (s->kind == RV_SHAPE_PLANE)
      d = rv_dot(at, rv_vec3_load64(s->size));
    else if (s->kind == RV_SHAPE_SPHERE)
      d = rv_length(at) - s->size[0];
    else
      d = box_distance(s, p);
    if (s->inside_out) d = -d;
    if (!(d < nearest)) continue;
    nearest = d;
    *friction = s->friction;
    rv_vec3_store64(velocity, rv_add(rv_vec3_load64(s->velocity), rv_cross(rv_vec3_load64(s->spin), at)));
  }
  return nearest;
}
