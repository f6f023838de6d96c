// Volume fraction of particles around a position, from the particles themselves: the grid is that of the step before.
#include <math.h>
#include <string.h>

#include "couple/store.h"

enum { NOWHERE = 1000000000 };  // cells: a place that no particle has

// Four particles at a time.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t FourMask __attribute__((vector_size(16)));

// Up to four coordinates; those that are missing are far away.
static Four load(const float* p, size_t n) {
  Four x = {NOWHERE, NOWHERE, NOWHERE, NOWHERE};
  if (n >= 4)
    memcpy(&x, p, sizeof x);
  else
    for (size_t k = 0; k < n; ++k) x[k] = p[k];
  return x;
}

// The tent function: 1 at distance 0, 0 from one cell on.
static Four tent(Four away) {
  Four one = {1, 1, 1, 1}, size = (Four)((FourMask)away & 0x7fffffff), left = one - size;
  return (Four)((FourMask)left & (left > 0));
}

// Volume of a tile's particles weighted by tents around a position in it, m3; only its cells `lo` to `hi` are near.
static double sum_tile(const RvParticles* p, size_t tile, const double at[3], const int lo[3], const int hi[3]) {
  const uint32_t* cell = p->cell_first + tile * RV_TILE_CELLS;
  double sum = 0;
  for (int z = lo[2]; z <= hi[2]; ++z)
    for (int y = lo[1]; y <= hi[1]; ++y) {
      // particles of a row of cells are consecutive
      const uint32_t* row = cell + rv_tile_cell(0, y, z);
      for (size_t i = row[lo[0]], last = row[hi[0] + 1]; i < last; i += 4) {
        size_t n = last - i < 4 ? last - i : 4;
        Four w = tent(load(p->x[0] + i, n) - (float)at[0]) * tent(load(p->x[1] + i, n) - (float)at[1]) *
                 tent(load(p->x[2] + i, n) - (float)at[2]);
        for (size_t k = 0; k < n; ++k) sum += p->volume[i + k] * (double)w[k];
      }
    }
  return sum;
}

double rv_couple_volume_near(const RvParticles* p, const double at[3]) {
  double sum = 0;
  int32_t first[3], last[3], t[3];
  for (int a = 0; a < 3; ++a) {
    if (!(fabs(at[a]) < NOWHERE)) return 0;
    first[a] = (int32_t)floor((at[a] - 1) / RV_TILE_SIDE);
    last[a] = (int32_t)floor((at[a] + 1) / RV_TILE_SIDE);
  }
  for (t[2] = first[2]; t[2] <= last[2]; ++t[2])
    for (t[1] = first[1]; t[1] <= last[1]; ++t[1])
      for (t[0] = first[0]; t[0] <= last[0]; ++t[0]) {
        int32_t home = rv_tiles_find(&p->homes, t[0], t[1], t[2]);
        if (home < 0) continue;
        double own[3];
        int lo[3], hi[3];
        for (int a = 0; a < 3; ++a) {
          own[a] = at[a] - (double)t[a] * RV_TILE_SIDE;
          lo[a] = (int)fmax(floor(own[a] - 1), 0);
          hi[a] = (int)fmin(floor(own[a] + 1), RV_TILE_SIDE - 1);
        }
        sum += sum_tile(p, (size_t)home, own, lo, hi);
      }
  return sum;
}

double rv_couple_fill(const RvLiquidGrid* space, const RvParticles* p, const double x[3]) {
  double dx = space->dx, at[3];
  for (int a = 0; a < 3; ++a) at[a] = (x[a] - space->origin[a]) / dx;
  return rv_couple_volume_near(p, at) / (dx * dx * dx);
}
