// Steps of the pressure solve that need the pressure in double: the residual of a first guess, the new velocities, and
// the force on solids.
#include <string.h>

#include "base/parallel.h"
#include "liquid/pressure_work.h"

// A tile of x with its neighbours, 10^3; edges and corners of the halo are not needed and not set.
static void gather(const RvPressureWork* work, size_t wet, double* out) {
  const RvMgLevel* level = &work->mg.level[0];
  const double* own = work->x + wet * RV_TILE_CELLS;
  const double* near[6];
  for (int k = 0; k < 6; ++k) near[k] = work->x + (size_t)level->near[wet][k] * RV_TILE_CELLS;
  for (int b = 0; b < 8; ++b)
    for (int a = 0; a < 8; ++a) {
      memcpy(&out[rv_halo1_at(0, a, b)], &own[rv_tile_cell(0, a, b)], 8 * sizeof *out);
      out[rv_halo1_at(-1, a, b)] = near[0][rv_tile_cell(7, a, b)];
      out[rv_halo1_at(8, a, b)] = near[1][rv_tile_cell(0, a, b)];
      out[rv_halo1_at(a, -1, b)] = near[2][rv_tile_cell(a, 7, b)];
      out[rv_halo1_at(a, 8, b)] = near[3][rv_tile_cell(a, 0, b)];
      out[rv_halo1_at(a, b, -1)] = near[4][rv_tile_cell(a, b, 7)];
      out[rv_halo1_at(a, b, 8)] = near[5][rv_tile_cell(a, b, 0)];
    }
}

#define INLINE static inline __attribute__((always_inline))

// Steps along the axes in a tile with halo.
enum { STEP_X = 1, STEP_Y = RV_HALO1_SIDE, STEP_Z = RV_HALO1_SIDE * RV_HALO1_SIDE };

// r -= A x, with the differences of x taken in double.
static void residual_tiles(void* arg, size_t begin, size_t end) {
  RvPressureWork* work = arg;
  const RvMgLevel* level = &work->mg.level[0];
  for (size_t wet = begin; wet < end; ++wet) {
    double x[RV_HALO1_CELLS];
    gather(work, wet, x);
    // differences in double, weighted by the coefficients
    float* r = work->r + wet * RV_TILE_CELLS;
    int32_t slot = level->slot[wet];
    const float* coef = slot < 0 ? NULL : level->coef + (size_t)slot * RV_MG_COEF;
    for (int k = 0; k < 8; ++k)
      for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i) {
          const double* c = &x[rv_halo1_at(i, j, k)];
          int cell = rv_tile_cell(i, j, k);
          double d[6] = {c[0] - c[-STEP_X], c[0] - c[STEP_X],  c[0] - c[-STEP_Y],
                         c[0] - c[STEP_Y],  c[0] - c[-STEP_Z], c[0] - c[STEP_Z]};
          double ax =
              coef ? coef[rv_liquid_mg_face_x(i, j, k)] * d[0] + coef[rv_liquid_mg_face_x(i + 1, j, k)] * d[1] +
                         coef[rv_liquid_mg_face_y(i, j, k)] * d[2] + coef[rv_liquid_mg_face_y(i, j + 1, k)] * d[3] +
                         coef[rv_liquid_mg_face_z(i, j, k)] * d[4] + coef[rv_liquid_mg_face_z(i, j, k + 1)] * d[5] +
                         level->drain[(size_t)slot * RV_TILE_CELLS + (size_t)cell] * c[0]
                   : d[0] + d[1] + d[2] + d[3] + d[4] + d[5];
          r[cell] = (float)(r[cell] - ax);
        }
  }
}

void rv_liquid_pressure_residual(RvPressureWork* work) {
  rv_parallel_for(work->mg.level[0].count, RV_MG_GRAIN, residual_tiles, work);
}

// A wet tile with its halo.
typedef struct Tile {
  double x[RV_HALO1_CELLS];
  float distance[RV_HALO1_CELLS];
} Tile;

// New velocity of the face at `at`, between the cells c - step and c of the tile with halo; at_lo: the lower cell.
INLINE void finish_face(const RvPressureIn* in, int axis, size_t at, size_t at_lo, const Tile* tile, int c, int step) {
  float d_lo = tile->distance[c - step], d_hi = tile->distance[c];
  bool wet_lo = d_lo < 0, wet_hi = d_hi < 0;
  RvPressureFace f = rv_liquid_pressure_face(in, axis, at);
  if (in->valid[axis]) in->valid[axis][at] = 1;
  // closed: the velocity of the solid
  if (f.open <= 0) {
    in->velocity[axis][at] = in->solid[axis] ? in->solid[axis][at] : 0;
    return;
  }
  // difference of x, or to the free surface over theta
  double difference = tile->x[c] - tile->x[c - step];
  if (wet_lo != wet_hi) {
    float theta = wet_lo ? rv_liquid_pressure_theta(in, d_lo, d_hi) : rv_liquid_pressure_theta(in, d_hi, d_lo);
    double surface = wet_lo ? rv_liquid_pressure_surface(in, at_lo, at) : rv_liquid_pressure_surface(in, at, at_lo);
    difference = wet_lo ? (surface - tile->x[c - step]) / theta : (tile->x[c] - surface) / theta;
  }
  in->velocity[axis][at] = (float)(f.velocity - f.scale * difference);
}

// Faces along an axis. They are stored with the cell above them: a tile updates its own, and those on its upper side
// where no wet tile does. Inlined for each axis, so that all strides are constants.
INLINE void finish_axis(const RvPressureWork* work, size_t wet, const Tile* tile, int axis) {
  const int stride = axis == 0 ? 1 : axis == 1 ? 8 : 64, step = axis == 0 ? STEP_X : axis == 1 ? STEP_Y : STEP_Z;
  const RvPressureIn* in = work->in;
  size_t t = (size_t)work->tile[wet];
  int32_t below = in->tiles->near[t][rv_tile_near(-(axis == 0), -(axis == 1), -(axis == 2))];
  int32_t above = in->tiles->near[t][rv_tile_near(axis == 0, axis == 1, axis == 2)];
  // the upper side too, if the tile above is dry
  int last = above >= 0 && work->wet[above] < 0 ? 8 : 7;
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k <= last; ++k) {
      int a = i & 7, b = i >> 3;
      int x = axis == 0 ? k : a, y = axis == 0 ? a : axis == 1 ? k : b, z = axis == 2 ? k : b;
      int hi = rv_tile_cell(x, y, z), lo = hi - stride, c = rv_halo1_at(x, y, z);
      // beside an absent tile: closed wall at rest
      if (k == 0 && below < 0) {
        if (tile->distance[c] < 0) in->velocity[axis][t * RV_TILE_CELLS + (size_t)hi] = 0;
        continue;
      }
      if (!(tile->distance[c] < 0) && !(tile->distance[c - step] < 0)) continue;
      // faces that touch liquid
      size_t at = k < 8 ? t * RV_TILE_CELLS + (size_t)hi : (size_t)above * RV_TILE_CELLS + (size_t)(hi - 8 * stride);
      size_t at_lo = k > 0 ? t * RV_TILE_CELLS + (size_t)lo : (size_t)below * RV_TILE_CELLS + (size_t)(lo + 8 * stride);
      finish_face(in, axis, at, at_lo, tile, c, step);
    }
}

// New velocities of a general tile.
static void finish_general(const RvPressureWork* work, size_t wet, const Tile* tile) {
  finish_axis(work, wet, tile, 0);
  finish_axis(work, wet, tile, 1);
  finish_axis(work, wet, tile, 2);
}

// New velocities of a plain tile: the gradient of x, without coefficients.
static void finish_plain(const RvPressureWork* work, size_t wet, const Tile* tile) {
  static const int step[3] = {STEP_X, STEP_Y, STEP_Z};
  const RvPressureIn* in = work->in;
  size_t at = (size_t)work->tile[wet] * RV_TILE_CELLS;
  for (int axis = 0; axis < 3; ++axis) {
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      const double* x = &tile->x[rv_halo1_at(c & 7, c >> 3 & 7, c >> 6)];
      float* u = &in->velocity[axis][at + (size_t)c];
      *u = (float)(*u - (x[0] - x[-step[axis]]));
    }
    if (in->valid[axis])
      for (int c = 0; c < RV_TILE_CELLS; ++c) in->valid[axis][at + (size_t)c] = 1;
  }
}

// New velocities of wet tiles.
static void finish_tiles(void* arg, size_t begin, size_t end) {
  const RvPressureWork* work = arg;
  const RvPressureIn* in = work->in;
  for (size_t wet = begin; wet < end; ++wet) {
    Tile tile;
    gather(work, wet, tile.x);
    if (work->mg.level[0].slot[wet] < 0) {
      finish_plain(work, wet, &tile);
    } else {
      rv_channel_gather1(in->tiles, in->distance, (size_t)work->tile[wet], 1, tile.distance);
      finish_general(work, wet, &tile);
    }
  }
}

// Pressure in Pa; 0 in dry tiles.
static void store_tiles(void* arg, size_t begin, size_t end) {
  const RvPressureWork* work = arg;
  const RvPressureIn* in = work->in;
  double scale = in->density * in->dx / in->dt;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      in->pressure[t * RV_TILE_CELLS + (size_t)c] =
          work->wet[t] < 0 ? 0 : (float)(work->x[(size_t)work->wet[t] * RV_TILE_CELLS + (size_t)c] * scale);
}

void rv_liquid_pressure_finish(RvPressureWork* work) {
  rv_parallel_for(work->mg.level[0].count, RV_MG_GRAIN, finish_tiles, work);
  rv_parallel_for(work->in->tiles->count, RV_MG_GRAIN, store_tiles, work);
}

typedef struct Force {
  const RvPressureIn* in;
  const float* weight;  // of cells; NULL: 1
  int axis;
} Force;

// Sum of pressure times closed area along an axis.
static double force_tiles(void* arg, size_t begin, size_t end) {
  const Force* f = arg;
  const RvPressureIn* in = f->in;
  const float* open = in->open[f->axis];
  double sum = 0;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      float weight = f->weight ? f->weight[at] : 1;
      if (!(in->distance[at] < 0) || weight == 0) continue;
      int x[3] = {c & 7, c >> 3 & 7, c >> 6};
      x[f->axis]++;
      // the area that is open at the lower face but not at the upper one is covered by a solid between them
      double closed = open[at] - rv_tiles_read(in->tiles, open, t, x[0], x[1], x[2], 0);
      sum += (double)weight * in->pressure[at] * closed;
    }
  return sum;
}

void rv_liquid_pressure_force(const RvPressureIn* in, const float* weight, double force[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    Force f = {in, weight, axis};
    force[axis] =
        in->open[axis] ? rv_parallel_sum(in->tiles->count, RV_MG_GRAIN, force_tiles, &f) * in->dx * in->dx : 0;
  }
}
