// Surface of the liquid that loose points sample, for one image: the distance to a weighted mean of nearby particles
// (Zhu and Bridson 2005, "Animating sand as a fluid") on sparse tiles, smoothed and contoured. The `surface` node
// conserves volume and is stable in time; this preview is faster and only has to look right.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "rivulet/vdb.h"
#include "shim/vdb_voxel.h"
#include "space/channel.h"
#include "space/sort.h"
#include "space/tiles.h"
#include "view/view_scene.h"

enum {
  LEAST_NEIGHBOURS = 3,  // a particle with fewer neighbours remains a single drop
  REACH = 6,             // cells that the kernel of a particle of median size spans
  LIGHT_PASSES = 3,      // smoothing passes for sheets and threads
  HEAVY_PASSES = 14,     // smoothing passes for the bulk
  TILE_BYTES = 7000,     // peak memory a tile: three channels and OpenVDB's copy
  STEPS_AN_OCTAVE = 4,   // cell sizes are rounded to powers of 2^(1/4)
  KEY_BITS = 63          // of a tile's sort key
};

static const double VOXEL = 0.85;      // cell size in median radii: about half the particle distance
static const double SUPPORT = 4.4;     // kernel radius, in radii of its particle
static const double NEIGHBOUR = 3.1;   // distance of neighbours, in median radii
static const double TOUCH = 2.6;       // distance at which a drop touches the surface's particles, in median radii
static const double SMALLEST = 0.05;   // in median radii: smaller particles remain single drops
static const double LARGEST = 1.4;     // in median radii: larger particles remain single drops; kernels stay in reach
static const double THIN_INSET = 0.5;  // in cells: how far the lightly smoothed surface lies below its own contour
static const double SHRINKAGE = 0.45;  // in cells: how much averaging and smoothing lower a flat surface
static const double BAND = 3;          // in cells: distance value outside the liquid
static const double LEAST_RADIUS = 1e-12;  // metres: a smaller median radius gives no surface
static const float LEAST_WEIGHT = 1e-6f;   // sum of kernels below which a cell is outside
static const double MEGABYTES = 1e-6;      // per byte
static const double LN2 = 0.6931471805599453;

// Working set of one surface.
typedef struct Liquid {
  const RvViewDrops* drops;
  RvVec3 origin;          // of the cells, relative to the lens's origin
  double dx, common;      // cell size; median radius of the particles
  uint8_t* joined;        // particle is part of the surface
  uint8_t* touching;      // or touches one that is
  uint32_t* order;        // particles sorted by tile
  uint32_t *first, *end;  // range of each tile's particles in `order`
  size_t count;           // particles in `order`
  RvTiles tiles;
  RvChannel phi;     // signed distance
  RvChannel smooth;  // target of a smoothing pass
  RvChannel thin;    // signed distance after the light passes
} Liquid;

// Position of a particle relative to the cells.
static RvVec3 place(const Liquid* l, size_t i) {
  return rv_sub(rv_vec3_load(l->drops->place + 4 * i), l->origin);
}

// Cell that contains a point; false outside the range of tiles.
static bool cell_of(const Liquid* l, RvVec3 p, int32_t cell[3]) {
  const double x[3] = {floor(p.x / l->dx), floor(p.y / l->dx), floor(p.z / l->dx)};
  for (int k = 0; k < 3; ++k) {
    if (!(fabs(x[k]) < 8.0 * (RV_TILE_RANGE - 2))) return false;
    cell[k] = (int32_t)x[k];
  }
  return true;
}

// Ascending order of floats, for qsort.
static int by_size(const void* a, const void* b) {
  float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}

// Chooses cell size and origin. The size follows the median particle in steps of a quarter octave, and the origin is a
// multiple of the tile size in world space, so that the lattice does not change from frame to frame or with the camera.
static bool choose_lattice(Liquid* l, const RvLens* lens) {
  size_t n = l->drops->count;
  float* r = rv_alloc(n, sizeof(float));
  if (!r) return false;
  for (size_t i = 0; i < n; ++i) r[i] = l->drops->place[4 * i + 3];
  qsort(r, n, sizeof(float), by_size);
  l->common = r[n / 2];
  rv_free(r);
  if (!(l->common > LEAST_RADIUS)) return true;
  double wanted = VOXEL * l->common;
  double steps = floor(STEPS_AN_OCTAVE * rv_log_e(wanted) / LN2 + 0.5);
  l->dx = fmax(rv_pow(2, steps / STEPS_AN_OCTAVE), RV_VDB_LEAST_VOXEL);
  double tile = RV_TILE_SIDE * l->dx;
  RvVec3 o = lens->origin;
  l->origin = rv_sub(rv_vec3(floor(o.x / tile) * tile, floor(o.y / tile) * tile, floor(o.z / tile) * tile), o);
  return true;
}

//---------------------------------------------------------------------------------------------- sorting

// Sorts the particles whose size suits the surface by tile, and builds all tiles that their kernels touch.
static RvResult sort_particles(Liquid* l, RvError* error) {
  size_t n = l->drops->count;
  uint64_t *keys = rv_alloc(n, sizeof(uint64_t)), *spare = rv_alloc(n, sizeof(uint64_t));
  uint32_t* room = rv_alloc(n, sizeof(uint32_t));
  int32_t(*cells)[3] = rv_alloc(n, sizeof *cells);
  l->order = rv_alloc(n, sizeof(uint32_t));
  RvResult result = RV_OK;
  if (!keys || !spare || !room || !cells || !l->order) goto full;
  // Select by size and compute the key of the tile.
  l->count = 0;
  for (size_t i = 0; i < n; ++i) {
    double r = l->drops->place[4 * i + 3];
    int32_t cell[3];
    if (!(r > SMALLEST * l->common && r <= LARGEST * l->common) || !cell_of(l, place(l, i), cell)) continue;
    memcpy(cells[l->count], cell, sizeof cell);
    keys[l->count] = rv_tile_key(cell[0] >> 3, cell[1] >> 3, cell[2] >> 3);
    l->order[l->count++] = (uint32_t)i;
  }
  rv_sort_keys(keys, l->order, spare, room, l->count, KEY_BITS);
  result = rv_tiles_build_cells(&l->tiles, (const int32_t(*)[3])cells, l->count, REACH + 1, error);
  if (result) goto done;
  // Range of particles of each tile; both lists are in key order.
  l->first = rv_alloc_zero(l->tiles.count, sizeof(uint32_t));
  l->end = rv_alloc_zero(l->tiles.count, sizeof(uint32_t));
  if (!l->first || !l->end) goto full;
  for (size_t t = 0, i = 0; t < l->tiles.count; ++t) {
    while (i < l->count && keys[i] < l->tiles.key[t]) i++;
    l->first[t] = (uint32_t)i;
    while (i < l->count && keys[i] == l->tiles.key[t]) i++;
    l->end[t] = (uint32_t)i;
  }
done:
  rv_free(keys);
  rv_free(spare);
  rv_free(room);
  rv_free(cells);
  return result;
full:
  result = rv_fail(error, RV_NO_MEMORY, "out of memory for the surface of %zu particles", n);
  goto done;
}

// Number of the neighbours of a particle of a tile within a distance, counted up to `limit`; `joined`: only of those
// that are part of the surface.
static int count_near(const Liquid* l, size_t tile, uint32_t own, double reach, bool joined, int limit) {
  RvVec3 p = place(l, l->order[own]);
  int32_t c[3];
  if (!cell_of(l, p, c)) return 0;
  RvTileMask mask = rv_tile_reach(c[0] & 7, c[1] & 7, c[2] & 7, (int)ceil(reach / l->dx));
  int found = 0;
  for (int k = 0; k < RV_TILE_NEAR && found < limit; ++k) {
    int32_t other = mask >> k & 1 ? l->tiles.near[tile][k] : -1;
    for (uint32_t b = other < 0 ? 0 : l->first[other]; other >= 0 && b < l->end[other] && found < limit; ++b) {
      RvVec3 d = rv_sub(place(l, l->order[b]), p);
      found += b != own && rv_dot(d, d) < reach * reach && (!joined || l->joined[l->order[b]]);
    }
  }
  return found;
}

// Marks the particles of a range of tiles that have enough neighbours to join the surface.
static void mark_joined(void* arg, size_t begin, size_t end) {
  Liquid* l = arg;
  for (size_t t = begin; t < end; ++t)
    for (uint32_t a = l->first[t]; a < l->end[t]; ++a)
      if (count_near(l, t, a, NEIGHBOUR * l->common, false, LEAST_NEIGHBOURS) >= LEAST_NEIGHBOURS)
        l->joined[l->order[a]] = 1;
}

// Marks those that touch a particle of the surface: a drop on a pool is part of it, and no ball on top.
static void mark_touching(void* arg, size_t begin, size_t end) {
  Liquid* l = arg;
  for (size_t t = begin; t < end; ++t)
    for (uint32_t a = l->first[t]; a < l->end[t]; ++a)
      l->touching[l->order[a]] = !l->joined[l->order[a]] && count_near(l, t, a, TOUCH * l->common, true, 1);
}

//---------------------------------------------------------------------------------------------- distance field

// Weighted sums over the particles near each cell of a tile: weight, offset from the cell (in cells), radius.
typedef struct Sums {
  float w[RV_TILE_CELLS], x[RV_TILE_CELLS], y[RV_TILE_CELLS], z[RV_TILE_CELLS], r[RV_TILE_CELLS];
} Sums;

// Kernel radius of a particle, limited to the reach of the tiles.
static double support_of(const Liquid* l, double radius) {
  return fmin(SUPPORT * radius, REACH * l->dx);
}

// Adds one particle to the cells of a tile within its kernel (1 - d^2/h^2)^3; p in cells from the tile's first cell.
static void add_particle(const Liquid* l, Sums* s, RvVec3 p, double radius) {
  double h = support_of(l, radius) / l->dx, h2 = h * h;
  int lo[3], hi[3];
  const double x[3] = {p.x, p.y, p.z};
  for (int k = 0; k < 3; ++k) {
    lo[k] = (int)fmax(ceil(x[k] - h), 0);
    hi[k] = (int)fmin(floor(x[k] + h), 7);
    if (lo[k] > hi[k]) return;
  }
  for (int k = lo[2]; k <= hi[2]; ++k)
    for (int j = lo[1]; j <= hi[1]; ++j)
      for (int i = lo[0]; i <= hi[0]; ++i) {
        double dx = i - p.x, dy = j - p.y, dz = k - p.z, q = 1 - (dx * dx + dy * dy + dz * dz) / h2;
        if (q <= 0) continue;
        int c = rv_tile_cell(i, j, k);
        float w = (float)(q * q * q);
        s->w[c] += w;
        s->x[c] += w * (float)dx;
        s->y[c] += w * (float)dy;
        s->z[c] += w * (float)dz;
        s->r[c] += w * (float)radius;
      }
}

// Distance to the mean particle, less the mean radius, in the cells of a range of tiles (Zhu and Bridson 2005).
static void fill_distance(void* arg, size_t begin, size_t end) {
  const Liquid* l = arg;
  float outside = (float)(BAND * l->dx);
  for (size_t t = begin; t < end; ++t) {
    Sums s;
    memset(&s, 0, sizeof s);
    const int32_t* c = l->tiles.coord[t];
    RvVec3 corner = rv_vec3(8.0 * c[0], 8.0 * c[1], 8.0 * c[2]);
    for (int k = 0; k < RV_TILE_NEAR; ++k) {
      int32_t other = l->tiles.near[t][k];
      for (uint32_t a = other < 0 ? 0 : l->first[other]; other >= 0 && a < l->end[other]; ++a) {
        size_t i = l->order[a];
        if (l->joined[i])
          add_particle(l, &s, rv_sub(rv_scale(place(l, i), 1 / l->dx), corner), l->drops->place[4 * i + 3]);
      }
    }
    float* phi = l->phi.data + t * RV_TILE_CELLS;
    for (int i = 0; i < RV_TILE_CELLS; ++i) {
      phi[i] = outside;
      if (s.w[i] < LEAST_WEIGHT) continue;
      float mean = sqrtf(s.x[i] * s.x[i] + s.y[i] * s.y[i] + s.z[i] * s.z[i]) * (float)l->dx;
      phi[i] = fminf((mean - s.r[i]) / s.w[i], outside);
    }
  }
}

// One smoothing pass: half the cell's value and half the mean of its six neighbours.
static void smooth_tiles(void* arg, size_t begin, size_t end) {
  const Liquid* l = arg;
  float around[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&l->tiles, l->phi.data, t, (float)(BAND * l->dx), around);
    float* out = l->smooth.data + t * RV_TILE_CELLS;
    for (int z = 0; z < 8; ++z)
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
          const float* a = around + rv_halo1_at(x, y, z);
          out[rv_tile_cell(x, y, z)] = 0.5f * a[0] + (a[-1] + a[1] + a[-10] + a[10] + a[-100] + a[100]) * (1.0f / 12);
        }
  }
}

// Smooths phi in place, `count` times.
static void smooth_passes(Liquid* l, int count) {
  for (int i = 0; i < count; ++i) {
    rv_parallel_for(l->tiles.count, 16, smooth_tiles, l);
    RvChannel swap = l->phi;
    l->phi = l->smooth;
    l->smooth = swap;
  }
}

// Union of the bulk and the thin features, raised by what smoothing lowered.
static void unite(void* arg, size_t begin, size_t end) {
  const Liquid* l = arg;
  for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i)
    l->phi.data[i] = fminf(l->phi.data[i], l->thin.data[i] + (float)(THIN_INSET * l->dx)) - (float)(SHRINKAGE * l->dx);
}

// Computes the smoothed distance. The bulk is smoothed until single particles no longer show, which would erode thin
// sheets and threads. Those come from an earlier pass, inset so that it does not show particles on the bulk again.
static bool make_distance(Liquid* l) {
  size_t n = l->tiles.count;
  if (!rv_channel_fit(&l->phi, n) || !rv_channel_fit(&l->smooth, n) || !rv_channel_fit(&l->thin, n)) return false;
  rv_parallel_for(n, 4, fill_distance, l);
  smooth_passes(l, LIGHT_PASSES);
  memcpy(l->thin.data, l->phi.data, n * RV_TILE_CELLS * sizeof(float));
  smooth_passes(l, HEAVY_PASSES - LIGHT_PASSES);
  rv_parallel_for(n, 16, unite, l);
  return true;
}

//---------------------------------------------------------------------------------------------- contour

// Converts the tiles to an OpenVDB grid: x runs fastest in a tile and slowest in a leaf.
static RvResult make_grid(Liquid* l, RvGrid** grid, RvError* error) {
  float outside = (float)(BAND * l->dx);
  RvResult result = rv_grid_create(RV_GRID_FLOAT, "surface", RV_GRID_LEVEL_SET, l->dx, &outside, grid, error);
  int32_t* origins = result ? NULL : rv_alloc(l->tiles.count, 3 * sizeof(int32_t));
  if (!result && !origins) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the surface of the liquid");
  for (size_t t = 0; !result && t < l->tiles.count; ++t) {
    const float* from = l->phi.data + t * RV_TILE_CELLS;
    float* to = l->smooth.data + t * RV_TILE_CELLS;
    for (int k = 0; k < 3; ++k) origins[3 * t + (size_t)k] = 8 * l->tiles.coord[t][k];
    for (int x = 0; x < 8; ++x)
      for (int y = 0; y < 8; ++y)
        for (int z = 0; z < 8; ++z) to[x * 64 + y * 8 + z] = from[rv_tile_cell(x, y, z)];
  }
  if (!result) result = rv_grid_set_leaves(*grid, l->tiles.count, origins, l->smooth.data, NULL, error);
  rv_free(origins);
  return result;
}

// Interpolation of particle attributes to the points of the surface.
typedef struct Carry {
  const Liquid* liquid;
  const float* points;  // x y z
  float* velocity;      // x y z; NULL: not wanted
  float* value;         // attribute of false colours; NULL: not wanted
} Carry;

// Velocity and false-colour value at the points of the surface: means over nearby particles with the kernel of the
// surface.
static void carry_points(void* arg, size_t begin, size_t end) {
  const Carry* c = arg;
  const Liquid* l = c->liquid;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 p = rv_vec3_load(c->points + 3 * i), v = {0, 0, 0};
    double sum = 0, values = 0, counted = 0;
    int32_t cell[3];
    int32_t t = cell_of(l, p, cell) ? rv_tiles_find(&l->tiles, cell[0] >> 3, cell[1] >> 3, cell[2] >> 3) : -1;
    RvTileMask mask = t < 0 ? 0 : rv_tile_reach(cell[0] & 7, cell[1] & 7, cell[2] & 7, REACH);
    for (int k = 0; k < RV_TILE_NEAR; ++k) {
      int32_t other = mask >> k & 1 ? l->tiles.near[t][k] : -1;
      for (uint32_t a = other < 0 ? 0 : l->first[other]; other >= 0 && a < l->end[other]; ++a) {
        size_t n = l->order[a];
        double h = support_of(l, l->drops->place[4 * n + 3]);
        RvVec3 d = rv_sub(place(l, n), p);
        double q = 1 - rv_dot(d, d) / (h * h), w = q * q * q;
        if (q <= 0 || !l->joined[n]) continue;
        sum += w;
        if (c->velocity) v = rv_mad(v, w, rv_vec3_load(l->drops->velocity + 3 * n));
        if (c->value && !isnan(l->drops->value[n])) {
          values += w * l->drops->value[n];
          counted += w;
        }
      }
    }
    if (c->velocity) rv_vec3_store(c->velocity + 3 * i, sum > 0 ? rv_scale(v, 1 / sum) : v);
    if (c->value) c->value[i] = counted > 0 ? (float)(values / counted) : NAN;
  }
}

// Copies false-colour values from points to triangle corners; false when out of memory.
static bool values_to_corners(RvPart* part, const float* value) {
  if (!value) return true;
  if (!(part->values = rv_alloc(part->count, 3 * sizeof(float)))) return false;
  for (size_t c = 0; c < 3 * part->count; ++c) part->values[c] = value[part->indices[c]];
  return true;
}

// Contours the grid and adds the triangles as a water part.
static RvResult add_contour(Liquid* l, const RvGrid* grid, RvViewScene* scene, RvError* error) {
  size_t npoint = 0, ntriangle = 0;
  float* points = NULL;
  int32_t* triangles = NULL;
  Carry carry = {.liquid = l};
  RvResult result = rv_grid_to_mesh(grid, 0, 0, &npoint, &points, &ntriangle, &triangles, error);
  if (result || ntriangle == 0) goto done;
  RvPart* part = rv_view_new_part(scene, RV_PART_WATER);
  if (!part || !(part->vertices = rv_alloc(npoint + 2, 3 * sizeof(float)))) goto full;
  carry.points = points;
  // Attributes at the points of the surface.
  if (l->drops->velocity && !(carry.velocity = part->velocity = rv_alloc(npoint, 3 * sizeof(float)))) goto full;
  if (l->drops->value && !(carry.value = rv_alloc(npoint, sizeof(float)))) goto full;
  if (carry.velocity || carry.value) rv_parallel_for(npoint, 512, carry_points, &carry);
  // Vertices relative to the lens, bounds and triangles.
  part->nvertex = npoint;
  for (size_t i = 0; i < npoint; ++i)
    rv_vec3_store(part->vertices + 3 * i, rv_add(rv_vec3_load(points + 3 * i), l->origin));
  // Bounds use the particle centres, so that the floor, which lies at the lowest bound, cuts the liquid: a gap between
  // them would show bright reflections.
  for (size_t i = 0; i < l->drops->count; ++i)
    if (l->joined[i]) rv_view_grow_bounds(scene, l->drops->place + 4 * i, 0);
  part->count = ntriangle;
  part->indices = (uint32_t*)triangles;
  triangles = NULL;
  if (!rv_view_finish_water(part, true) || !values_to_corners(part, carry.value)) goto full;
  scene->stats.triangles += ntriangle;
done:
  rv_free(points);
  rv_free(triangles);
  rv_free(carry.value);
  return result;
full:
  result = rv_fail(error, RV_NO_MEMORY, "out of memory for the surface of the liquid");
  goto done;
}

RvResult rv_view_add_liquid(RvViewScene* scene, const RvViewDrops* drops, const RvLens* lens,
                            const RvViewOptions* options, uint8_t* joined, RvError* error) {
  Liquid l = {.drops = drops, .joined = joined};
  RvGrid* grid = NULL;
  RvResult result = RV_OK;
  if (drops->count < LEAST_NEIGHBOURS || drops->count > UINT32_MAX / 2) return RV_OK;
  if (!choose_lattice(&l, lens)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result || !(l.common > LEAST_RADIUS)) return result;
  // Sort the particles; give up early when the tiles need too much memory.
  result = sort_particles(&l, error);
  if (!result && (double)l.tiles.count * TILE_BYTES > options->liquid_memory) {
    rv_log(options->log, RV_LEVEL_WARNING,
           "the surface of %zu particles would take %.0f MB, more than the %.0f allowed: they are drawn as drops",
           drops->count, (double)l.tiles.count * TILE_BYTES * MEGABYTES, options->liquid_memory * MEGABYTES);
    goto done;
  }
  // Join the particles with neighbours, then compute and contour the distance.
  if (!result) rv_parallel_for(l.tiles.count, 4, mark_joined, &l);
  if (!result && !(l.touching = rv_alloc_zero(drops->count, 1))) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) rv_parallel_for(l.tiles.count, 4, mark_touching, &l);
  size_t joined_count = 0;
  for (size_t i = 0; !result && i < drops->count; ++i) {
    joined[i] |= l.touching[i];
    joined_count += joined[i];
  }
  if (result || joined_count == 0) goto done;
  if (!make_distance(&l)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the surface of the liquid");
  if (!result) result = make_grid(&l, &grid, error);
  if (!result) result = add_contour(&l, grid, scene, error);
done:
  rv_grid_release(grid);
  rv_free(l.touching);
  rv_free(l.order);
  rv_free(l.first);
  rv_free(l.end);
  rv_tiles_free(&l.tiles);
  rv_channel_free(&l.phi);
  rv_channel_free(&l.smooth);
  rv_channel_free(&l.thin);
  return result;
}
