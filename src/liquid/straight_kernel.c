// Share of straight paths and their divergence, a row of eight cells at a time (straight_tile.h).
#include "liquid/straight_tile.h"
#include "math/lanes_float.h"

void RV_KERNEL(rv_liquid_straight_tile)(const RvStraightTile* tile, const RvStraightStep* job,
                                        const RvStraightCells* out);

enum { STEP_X = 1, STEP_Y = RV_HALO1_SIDE, STEP_Z = RV_HALO1_SIDE * RV_HALO1_SIDE };

// Square of dt |G| up to which paths are straight, and from which on they follow the field: at 1/2 the next term of the
// determinant, dt^3 det G, is below 1/40 (|det G| <= |G|^3 / 3^1.5), and it falls with the cube.
#define STRAIGHT_BELOW 0.0625f
#define CURVED_ABOVE 0.25f

typedef int32_t RowMask __attribute__((vector_size(32)));

static const int STEP[3] = {STEP_X, STEP_Y, STEP_Z};

RV_INLINE RvRow select(RowMask mask, RvRow yes, RvRow no) {
  return (RvRow)((mask & (RowMask)yes) | (~mask & (RowMask)no));
}

// `x` in the lanes of the mask, else 0.
RV_INLINE RvRow where(RowMask mask, RvRow x) {
  return (RvRow)(mask & (RowMask)x);
}

RV_INLINE RvRow between_0_and_1(RvRow x) {
  const RvRow zero = rv_row_set(0), one = rv_row_set(1);
  return select(x > zero, select(x < one, x, one), zero);
}

RV_INLINE RowMask has_mass(const float* mass, int at) {
  return rv_row_load_loose(mass + at) > rv_row_set(0);
}

// Change of velocity from a face to the next along another axis: the mean of both sides, or that of the side that has
// mass.
RV_INLINE RvRow change_across(const float* u, const float* mass, int at, int step) {
  const RowMask above = has_mass(mass, at + step), below = has_mass(mass, at - step);
  const RvRow here = rv_row_load_loose(u + at);
  const RvRow up = where(above, rv_row_load_loose(u + at + step) - here);
  const RvRow down = where(below, here - rv_row_load_loose(u + at - step));
  return select(above & below, rv_row_set(0.5f) * (up + down), up + down);
}

// dt G in the cells: row a is the change of velocity a along each axis. Faces without mass do not count.
RV_INLINE void slope_of(const RvStraightTile* tile, int at, float step, RvRow slope[3][3]) {
  const RvRow one = rv_row_set(1), whole = rv_row_set(step), half = rv_row_set(0.5f * step);
  RV_UNROLL
  for (int a = 0; a < 3; ++a) {
    const float *u = tile->u[a], *mass = tile->mass[a];
    const int up = at + STEP[a];
    const RvRow low = where(has_mass(mass, at), one), high = where(has_mass(mass, up), one);
    const RvRow scale = select(low + high > one, half, whole);
    RV_UNROLL
    for (int b = 0; b < 3; ++b) {
      if (b == a)
        slope[a][b] = low * high * whole * (rv_row_load_loose(u + up) - rv_row_load_loose(u + at));
      else
        slope[a][b] = scale * (low * change_across(u, mass, at, STEP[b]) + high * change_across(u, mass, up, STEP[b]));
    }
  }
}

// Share of straight paths by the distance from solids, and its change along each axis, from the corners of the cells.
RV_INLINE RvRow share_by_solids(const float* corner, int at, RvRow change[3]) {
  RvRow sum = rv_row_set(0);
  RV_UNROLL
  for (int k = 0; k < 8; ++k) {
    const RvRow share = rv_row_load_loose(corner + at + (k & 1) * STEP_X + (k >> 1 & 1) * STEP_Y + (k >> 2) * STEP_Z);
    sum += share;
    RV_UNROLL
    for (int a = 0; a < 3; ++a) change[a] += rv_row_set(0.25f) * (k >> a & 1 ? share : -share);
  }
  return rv_row_set(0.125f) * sum;
}

// dt (u . grad) u / 2 in the cells, m/s: how far the velocity in the middle of a path through the field is from that at
// its beginning.
RV_INLINE void turn_of(const RvStraightTile* tile, int at, RvRow slope[3][3], RvRow turn[3]) {
  const RvRow half = rv_row_set(0.5f);
  RvRow velocity[3];
  RV_UNROLL
  for (int a = 0; a < 3; ++a)
    velocity[a] = half * (rv_row_load_loose(tile->u[a] + at) + rv_row_load_loose(tile->u[a] + at + STEP[a]));
  RV_UNROLL
  for (int a = 0; a < 3; ++a)
    turn[a] = half * (slope[a][0] * velocity[0] + slope[a][1] * velocity[1] + slope[a][2] * velocity[2]);
}

// The row of cells from k on; `at` in the halo.
static void row_of(const RvStraightTile* tile, int at, const RvStraightStep* job, const RvStraightCells* out, int k) {
  const RvRow zero = rv_row_set(0), one = rv_row_set(1);
  RvRow slope[3][3], change[3] = {zero, zero, zero}, square = zero, second = zero;
  // the slope, its square and its second invariant
  slope_of(tile, at, job->step, slope);
  RV_UNROLL
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) square += slope[a][b] * slope[a][b];
  RV_UNROLL
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3;
    second += slope[a][a] * slope[b][b] - slope[a][b] * slope[b][a];
  }
  // the share, and the volume that keeps straight paths
  const RvRow calm = between_0_and_1((rv_row_set(CURVED_ABOVE) - square) / rv_row_set(CURVED_ABOVE - STRAIGHT_BELOW));
  const RvRow clear = job->near_solid ? share_by_solids(tile->corner, at, change) : one;
  const RvRow share = calm * clear;
  RvRow gain = -share * second;
  // where paths begin to follow the field
  if (job->near_solid || job->turning) {
    const RowMask all = {-1, -1, -1, -1, -1, -1, -1, -1}, counts = job->turning ? all : clear != one;
    RvRow turn[3];
    turn_of(tile, at, slope, turn);
    RV_UNROLL
    for (int a = 0; a < 3; ++a) {
      gain = select(counts, gain + calm * rv_row_set(job->step) * change[a] * turn[a], gain);
      if (job->turning) rv_row_store(out->turn[a] + k, turn[a] * share);
    }
  }
  rv_row_store(out->share + k, share);
  rv_row_store(out->divergence + k, where(rv_row_load(out->distance + k) < zero, gain / rv_row_set(job->dt)));
}

void RV_KERNEL(rv_liquid_straight_tile)(const RvStraightTile* tile, const RvStraightStep* job,
                                        const RvStraightCells* out) {
  for (int k = 0; k < RV_TILE_CELLS; k += RV_TILE_SIDE) row_of(tile, rv_halo1_at(0, k >> 3 & 7, k >> 6), job, out, k);
}
