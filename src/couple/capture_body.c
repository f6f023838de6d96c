// Which liquid is drops and which is a body of liquid, for capture (WH-31, E74).
//
// A hair in a body of liquid, as a pool, a jet or a sheet, is immersed: what is left on it is the film that it is
// withdrawn with. A hair that meets drops sweeps them up. The two laws differ by a factor of hundreds, so the decision
// must not depend on how finely a body is resolved. It rests on the particles' own volumes and distances; a cell is two
// of their separations wide.
//   - Liquid that fills a cube of three cells to BULK_FILL is a body: at the surface of a pool it fills a half, a sheet
//     of one cell a third, a single particle 1/216.
//   - Bodies thinner than that are those whose particles are as close to each other as in the bulk. A particle's
//     neighbours fill the space around it, by a tent of one cell to each side, to NEAR_BODY: at the edge of a jet that
//     is two separations wide they fill 0.18 of it, on its axis 0.36, in the bulk 0.87.
//   - A thread of one particle for each separation fills 0.125. It counts as drops: hair in it is not submerged by the
//     fill of its surroundings either (RV_COUPLE_FULL), so that no film would be withdrawn.
//   - A drop that left a strand (drip.c), and one of a source of drops, is a drop by its size, of however many
//     particles it is made, until it falls into a body by the first rule.
#include <math.h>

#include "couple/capture_work.h"
#include "math/scalar.h"

// Fill of three cells cubed from which particles are a body, and below which they may be drops.
static const double BULK_FILL = 0.3, DROP_FILL = 0.1;
// Fill by a particle's neighbours from which it is a part of a body, and below which it is a drop: that of a thread.
static const double NEAR_BODY = 0.18, NEAR_DROP = 0.13;

// Fill of the three cells cubed around a cell, in cells.
static double fill_around(const RvCapture* k, size_t home, int cell) {
  const int at[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
  const int32_t* tile = k->p->homes.coord[home];
  double sum = 0;
  for (int z = at[2] - 1; z <= at[2] + 1; ++z)
    for (int y = at[1] - 1; y <= at[1] + 1; ++y)
      for (int x = at[0] - 1; x <= at[0] + 1; ++x) {
        bool inside = !((x | y | z) & ~7);
        int64_t other = inside
                            ? (int64_t)home
                            : rv_tiles_find(&k->p->homes, tile[0] + (x >> 3), tile[1] + (y >> 3), tile[2] + (z >> 3));
        if (other < 0) continue;
        sum += (double)k->cell_fill[(size_t)other * RV_TILE_CELLS + (size_t)rv_tile_cell(x & 7, y & 7, z & 7)];
      }
  return sum;
}

// Fill of the space around a particle by its neighbours.
static double fill_by_neighbours(const RvCapture* k, size_t home, size_t i) {
  const double dx = k->grid->dx;
  double at[3];
  for (int a = 0; a < 3; ++a) at[a] = (double)k->p->x[a][i] + (double)k->p->homes.coord[home][a] * RV_TILE_SIDE;
  return (rv_couple_volume_near(k->p, at) - k->p->volume[i]) / (dx * dx * dx);
}

// Mean fill of the space around the particles of a cell by their neighbours, by volume.
static double mean_fill_by_neighbours(const RvCapture* k, size_t home, size_t first, size_t last) {
  double sum = 0, volume = 0;
  for (size_t i = first; i < last; ++i) {
    sum += k->p->volume[i] * fill_by_neighbours(k, home, i);
    volume += k->p->volume[i];
  }
  return volume > 0 ? sum / volume : 0;
}

void rv_couple_capture_disperse(const RvCapture* k, size_t home) {
  const uint32_t* first = k->p->cell_first + home * RV_TILE_CELLS;
  for (int cell = 0; cell < RV_TILE_CELLS; ++cell) {
    if (first[cell] == first[cell + 1]) continue;
    double around = fill_around(k, home, cell);
    double apart = rv_smooth_step((BULK_FILL - around / 27) / (BULK_FILL - DROP_FILL)), dispersed = apart;
    // where there is next to nothing around, neighbours cannot be near
    if (apart > 0 && around > NEAR_DROP) {
      double near = mean_fill_by_neighbours(k, home, first[cell], first[cell + 1]);
      dispersed = fmin(apart, rv_smooth_step((NEAR_BODY - near) / (NEAR_BODY - NEAR_DROP)));
    }
    for (size_t i = first[cell]; i < first[cell + 1]; ++i) {
      const bool known = k->ball[i] > 0, drop = rv_couple_drop_kind(k->set, k->p->row[i]) != RV_DROP_NONE;
      k->dispersed[i] = known ? 0 : (float)(drop ? apart : dispersed);
      k->drop[i] = known ? (float)apart : 0;
    }
  }
}
