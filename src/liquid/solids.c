#include "liquid/solids.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec.h"

enum { S = RV_TILE_SIDE };

bool rv_liquid_solids_clear(RvLiquidSolids* s, const RvTiles* tiles) {
  if (!rv_channel_fit(&s->distance, tiles->count) || !rv_channel_fit(&s->friction, tiles->count)) return false;
  for (int a = 0; a < 3; ++a)
    if (!rv_channel_fit(&s->open[a], tiles->count) || !rv_channel_fit(&s->velocity[a], tiles->count)) return false;
  if (tiles->count > s->capacity || !s->touched) {
    uint8_t* touched = rv_alloc(s->distance.capacity, 1);
    if (!touched) return false;
    rv_free(s->touched);
    s->touched = touched, s->capacity = s->distance.capacity;
  }
  memset(s->touched, 0, tiles->count);
  rv_channel_fill(s->distance.data, tiles->count, RV_SOLID_FAR);
  for (int a = 0; a < 3; ++a) rv_channel_fill(s->velocity[a].data, tiles->count, 0);
  for (int a = 0; a < 3; ++a) rv_channel_fill(s->open[a].data, tiles->count, 1);
  s->any = false;
  return true;
}

void rv_liquid_solids_free(RvLiquidSolids* s) {
  rv_channel_free(&s->distance);
  rv_channel_free(&s->friction);
  for (int a = 0; a < 3; ++a) rv_channel_free(&s->open[a]), rv_channel_free(&s->velocity[a]);
  rv_free(s->touched);
  *s = (RvLiquidSolids){0};
}

// part of a triangle with these values at its corners that is above 0
static float triangle_open(float a, float b, float c) {
  int above = (a > 0) + (b > 0) + (c > 0);
  if (above == 0 || above == 3) return above ? 1 : 0;
  // p is the one whose sign is alone; its corner is cut at p/(p-q) and p/(p-r) of its sides
  float p = (a > 0) == (above == 1) ? a : (b > 0) == (above == 1) ? b : c;
  float q = p == a ? b : a, r = p == c ? b : c;
  float corner = p / (p - q) * (p / (p - r));
  return above == 1 ? corner : 1 - corner;
}

float rv_solid_open_area(const float d[4]) {
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

// distances at the 9^3 corners of a tile's cells
static float corners(const Job* job, size_t tile, float* out) {
  float least = INFINITY;
  for (int z = 0; z <= S; ++z)
    for (int y = 0; y <= S; ++y)
      for (int x = 0; x <= S; ++x) {
        double p[3] = {rv_liquid_corner(job->grid, tile, 0, x), rv_liquid_corner(job->grid, tile, 1, y),
                       rv_liquid_corner(job->grid, tile, 2, z)};
        double v[3], friction;
        float d = rv_solid_snap(job->fn(job->user, p, v, &friction), job->grid->dx);
        if (d < least) least = d;
        *out++ = d;
      }
  return least;
}

static void fill_faces(const Job* job, size_t tile, int x, int y, int z, const float* corner) {
  static const int step[3] = {1, S + 1, (S + 1) * (S + 1)};
  const float* d = corner + x + y * step[1] + z * step[2];
  size_t at = tile * RV_TILE_CELLS + (size_t)rv_tile_cell(x, y, z);
  job->solids->distance.data[at] = *d;
  double center[3], friction = 0;
  int cell[3] = {x, y, z};
  for (int a = 0; a < 3; ++a) {
    int b = step[(a + 1) % 3], c = step[(a + 2) % 3];
    job->solids->open[a].data[at] = rv_solid_open_area((float[4]){d[0], d[b], d[b + c], d[c]});
    // velocities matter where there is a solid
    if (*d > 2 * job->grid->dx) continue;
    for (int k = 0; k < 3; ++k)
      center[k] = rv_liquid_corner(job->grid, tile, k, cell[k]) + (k == a ? 0 : 0.5 * job->grid->dx);
    double v[3] = {0};
    job->fn(job->user, center, v, &friction);
    job->solids->velocity[a].data[at] = (float)v[a];
  }
  job->solids->friction.data[at] = (float)friction;
}

static void fill_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  float corner[(S + 1) * (S + 1) * (S + 1)];
  for (size_t t = begin; t < end; ++t) {
    // a distance cannot grow faster than space, so the centre tells whether a solid can be near
    double dx = job->grid->dx, p[3], v[3], friction;
    for (int a = 0; a < 3; ++a) p[a] = rv_liquid_corner(job->grid, t, a, S / 2);
    if (job->fn(job->user, p, v, &friction) > (0.5 * S * 1.7321 + RV_LIQUID_BAND) * dx) continue;
    if (corners(job, t, corner) > RV_LIQUID_BAND * dx) continue;
    job->solids->touched[t] = 1;
    for (int z = 0; z < S; ++z)
      for (int y = 0; y < S; ++y)
        for (int x = 0; x < S; ++x) fill_faces(job, t, x, y, z, corner);
  }
}

bool rv_liquid_solids_from_fn(RvLiquidSolids* solids, const RvLiquidGrid* grid, RvSolidFn* fn, const void* user) {
  if (!rv_liquid_solids_clear(solids, &grid->tiles)) return false;
  solids->known = (float)(RV_LIQUID_BAND * grid->dx);
  rv_parallel_for(grid->tiles.count, 4, fill_some, &(Job){solids, grid, fn, user});
  for (size_t t = 0; t < grid->tiles.count; ++t) solids->any |= solids->touched[t] != 0;
  return true;
}

//---------------------------------------------------------------------------------------------- shapes

static double box_distance(const RvSolidShape* s, const double p[3]) {
  double out = 0, in = -INFINITY;
  for (int a = 0; a < 3; ++a) {
    double d = fabs(p[a]) - s->size[a];
    if (s->inside_out && s->open_sides >> (2 * a + (p[a] > 0)) & 1) {
      // an open side is no wall: only the other side of the axis counts
      if (s->open_sides >> (2 * a + !(p[a] > 0)) & 1) continue;
      d = (p[a] > 0 ? -p[a] : p[a]) - s->size[a];
    }
    if (d > 0) out += d * d;
    if (d > in) in = d;
  }
  return out > 0 ? sqrt(out) : in;
}

double rv_solid_shapes_distance(const void* user, const double x[3], double velocity[3], double* friction) {
  const RvSolidShapes* shapes = user;
  double least = INFINITY;
  *friction = velocity[0] = velocity[1] = velocity[2] = 0;
  for (size_t i = 0; i < shapes->count; ++i) {
    const RvSolidShape* s = &shapes->shape[i];
    double p[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]}, d;
    RvVec3 at = rv_vec3_load64(p);
    if (s->kind == RV_SHAPE_PLANE)
      d = rv_dot(at, rv_vec3_load64(s->size));
    else if (s->kind == RV_SHAPE_SPHERE)
      d = rv_length(at) - s->size[0];
    else
      d = box_distance(s, p);
    if (s->inside_out) d = -d;
    if (!(d < least)) continue;
    least = d;
    *friction = s->friction;
    rv_vec3_store64(velocity, rv_add(rv_vec3_load64(s->velocity), rv_cross(rv_vec3_load64(s->spin), at)));
  }
  return least;
}
