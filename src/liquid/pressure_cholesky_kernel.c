// Kernels of the modified incomplete Cholesky preconditioner MIC(0), one tile each.
//
// With A = D - C, C the couplings c, and E the inverse pivots: L = (1/E - C_lower) sqrt(E), so that a solve is
//   w = E (r + C_lower w), z = w + E C_upper z.
#include "liquid/pressure_cholesky.h"
#include "math/kernel.h"
#include "math/lanes_float.h"

// Kernels are also built with one lane, as baselines of benchmarks; rows have one width only.
#if RV_W == 8

// Coefficients of plain tiles.
static const float ones[RV_MG_COEF] = {[0 ... RV_MG_COEF - 1] = 1};

RV_INLINE const float* coef_of(const RvMgLevel* level, size_t t) {
  return level->slot[t] < 0 ? ones : level->coef + (size_t)level->slot[t] * RV_MG_COEF;
}

#define MODIFICATION 0.97f  // tau: share of the dropped fill that is put on the diagonal (Bridson 2008)
#define LEAST_PIVOT 0.25f   // sigma: smaller pivots, relative to the diagonal, are replaced by it

// A lower neighbour of a cell: coupling c to it, its inverse pivot e, and the sum of its other upper couplings, which
// would cause fill.
typedef struct Lower {
  float c, e, fill;
} Lower;

// Lower neighbour along `axis` of the cell (x, y, z) of tile t.
static Lower lower(const RvCholesky* ch, size_t t, int axis, int x, int y, int z) {
  const RvMgLevel* level = ch->level;
  const float* coef = coef_of(level, t);
  int at[3] = {x, y, z};
  float c = coef[axis == 0   ? rv_liquid_mg_face_x(x, y, z)
                 : axis == 1 ? rv_liquid_mg_face_y(x, y, z)
                             : rv_liquid_mg_face_z(x, y, z)];
  size_t other = at[axis] > 0 ? t : (size_t)level->near[t][2 * axis];
  if (!(c > 0) || other == level->count) return (Lower){0};
  at[axis] = (at[axis] + 7) & 7;
  const float* other_coef = coef_of(level, other);
  float up[3] = {other_coef[rv_liquid_mg_face_x(at[0] + 1, at[1], at[2])],
                 other_coef[rv_liquid_mg_face_y(at[0], at[1] + 1, at[2])],
                 other_coef[rv_liquid_mg_face_z(at[0], at[1], at[2] + 1)]};
  float e = ch->pivot[other * RV_TILE_CELLS + (size_t)rv_tile_cell(at[0], at[1], at[2])];
  return (Lower){c, e, up[(axis + 1) % 3] + up[(axis + 2) % 3]};
}

// Inverse pivots of a tile.
void RV_KERNEL(rv_liquid_cholesky_factor)(const RvCholesky* ch, size_t t) {
  const RvMgLevel* level = ch->level;
  const float* inverse = level->slot[t] < 0 ? NULL : level->inverse + (size_t)level->slot[t] * RV_TILE_CELLS;
  for (int z = 0; z < 8; ++z)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        int cell = rv_tile_cell(x, y, z);
        float* out = &ch->pivot[t * RV_TILE_CELLS + (size_t)cell];
        *out = 0;
        if (inverse && !(inverse[cell] > 0)) continue;
        // diagonal less the eliminated couplings and the dropped fill
        float diagonal = inverse ? 1 / inverse[cell] : 6, e = diagonal;
        for (int axis = 0; axis < 3; ++axis) {
          Lower l = lower(ch, t, axis, x, y, z);
          e -= l.c * l.e * (l.c + MODIFICATION * l.fill);
        }
        *out = 1 / (e < LEAST_PIVOT * diagonal ? diagonal : e);
      }
}

// w = E (r + C_lower w). Along y and z by whole rows; along x each cell needs the one before.
void RV_KERNEL(rv_liquid_cholesky_forward)(const RvCholesky* ch, const float* r, float* w, size_t t) {
  const RvMgLevel* level = ch->level;
  const float* coef = coef_of(level, t);
  const float* pivot = ch->pivot + t * RV_TILE_CELLS;
  float* own = w + t * RV_TILE_CELLS;
  const float* near[3];
  for (int axis = 0; axis < 3; ++axis) near[axis] = w + (size_t)level->near[t][2 * axis] * RV_TILE_CELLS;
  for (int z = 0; z < 8; ++z)
    for (int y = 0; y < 8; ++y) {
      int row = (z * 8 + y) * 8;
      RvRow down = rv_row_load(y > 0 ? own + row - 8 : near[1] + row + 56);
      RvRow back = rv_row_load(z > 0 ? own + row - 64 : near[2] + row + 448);
      RvRow s = rv_row_load(r + t * RV_TILE_CELLS + row) + rv_row_load(coef + rv_liquid_mg_face_y(0, y, z)) * down +
                rv_row_load(coef + rv_liquid_mg_face_z(0, y, z)) * back;
      RvRow e = rv_row_load(pivot + row), g = rv_row_load_loose(coef + rv_liquid_mg_face_x(0, y, z)) * e;
      s = s * e;
      float last = near[0][row + 7];
      for (int x = 0; x < 8; ++x) {
        last = s[x] + g[x] * last;
        own[row + x] = last;
      }
    }
}

// z = w + E C_upper z, in place. Returns r . z.
double RV_KERNEL(rv_liquid_cholesky_backward)(const RvCholesky* ch, const float* r, float* w, size_t t) {
  const RvMgLevel* level = ch->level;
  const float* coef = coef_of(level, t);
  const float* pivot = ch->pivot + t * RV_TILE_CELLS;
  float* own = w + t * RV_TILE_CELLS;
  const float* near[3];
  RvRowSum sum = {0};
  for (int axis = 0; axis < 3; ++axis) near[axis] = w + (size_t)level->near[t][2 * axis + 1] * RV_TILE_CELLS;
  for (int z = 7; z >= 0; --z)
    for (int y = 7; y >= 0; --y) {
      int row = (z * 8 + y) * 8;
      RvRow up = rv_row_load(y < 7 ? own + row + 8 : near[1] + row - 56);
      RvRow front = rv_row_load(z < 7 ? own + row + 64 : near[2] + row - 448);
      RvRow e = rv_row_load(pivot + row), g = rv_row_load_loose(coef + rv_liquid_mg_face_x(1, y, z)) * e;
      RvRow s = rv_row_load(own + row) + e * (rv_row_load(coef + rv_liquid_mg_face_y(0, y + 1, z)) * up +
                                              rv_row_load(coef + rv_liquid_mg_face_z(0, y, z + 1)) * front);
      float last = near[0][row];
      for (int x = 7; x >= 0; --x) {
        last = s[x] + g[x] * last;
        own[row + x] = last;
      }
      sum += rv_row_wide(rv_row_load(own + row)) * rv_row_wide(rv_row_load(r + t * RV_TILE_CELLS + row));
    }
  return rv_row_total(sum);
}

#endif
