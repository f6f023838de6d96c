// The rig of the pressure: liquid given by a distance function on tiles, and an independent sum of the divergence.
#include "rig/pressure.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"

// Centre of a cell of the tile with that coordinate.
static void center_of(const RvPressureRig* rig, const int32_t coord[3], int cell, double x[3]) {
  const int at[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
  for (int a = 0; a < 3; ++a) x[a] = rig->grid.origin[a] + rig->grid.dx * (coord[a] * 8 + at[a] + 0.5);
}

void rv_rig_pressure_center(const RvPressureRig* rig, size_t tile, int cell, double x[3]) {
  center_of(rig, rig->grid.tiles.coord[tile], cell, x);
}

typedef struct Fill {
  RvPressureRig* rig;
  RvLiquidFn* liquid;
  const void* user;
  int32_t (*coord)[3];
  bool* wet;
} Fill;

// Marks tiles that have a cell in the liquid or within 1.5 cells of it: those whose pressure or ghost values matter.
static void keep_wet_tiles(void* arg, size_t begin, size_t end) {
  const Fill* f = arg;
  for (size_t t = begin; t < end; ++t) {
    f->wet[t] = false;
    for (int cell = 0; cell < RV_TILE_CELLS && !f->wet[t]; ++cell) {
      double x[3];
      center_of(f->rig, f->coord[t], cell, x);
      f->wet[t] = f->liquid(f->user, x) < 1.5 * f->rig->grid.dx;
    }
  }
}

// Distance to the surface at every cell centre.
static void fill_distance(void* arg, size_t begin, size_t end) {
  const Fill* f = arg;
  for (size_t t = begin; t < end; ++t)
    for (int cell = 0; cell < RV_TILE_CELLS; ++cell) {
      double x[3];
      rv_rig_pressure_center(f->rig, t, cell, x);
      f->rig->grid.distance.data[t * RV_TILE_CELLS + (size_t)cell] = (float)f->liquid(f->user, x);
    }
}

// Makes room for all channels and clears them. False: out of memory.
static bool fit_channels(RvLiquidGrid* g) {
  for (int a = 0; a < 3; ++a) {
    if (!rv_channel_fit(&g->velocity[a], g->tiles.count) || !rv_channel_fit(&g->valid[a], g->tiles.count)) return false;
    rv_channel_fill(g->velocity[a].data, g->tiles.count, 0);
    rv_channel_fill(g->valid[a].data, g->tiles.count, 0);
  }
  RvChannel* cells[] = {&g->distance, &g->divergence, &g->pressure};
  g->divergent = true;
  for (int k = 0; k < 3; ++k) {
    if (!rv_channel_fit(cells[k], g->tiles.count)) return false;
    rv_channel_fill(cells[k]->data, g->tiles.count, 0);
  }
  return true;
}

// Lists the tiles of the box, drops the dry ones unless `all`, and fills the channels.
RvResult rv_rig_pressure_build(RvPressureRig* rig, const int lo[3], const int hi[3], double dx, RvLiquidFn* liquid,
                               const void* user, bool all, RvError* error) {
  rig->grid.dx = dx;
  size_t count = (size_t)(hi[0] - lo[0]) * (size_t)(hi[1] - lo[1]) * (size_t)(hi[2] - lo[2]), count_kept = 0;
  Fill f = {rig, liquid, user, rv_alloc(count, sizeof *f.coord), rv_alloc(count, sizeof(bool))};
  RvResult result = rv_fail(NULL, RV_NO_MEMORY, " ");
  if (!f.coord || !f.wet) goto done;
  // All tiles of the box.
  for (int k = lo[2]; k < hi[2]; ++k)
    for (int j = lo[1]; j < hi[1]; ++j)
      for (int i = lo[0]; i < hi[0]; ++i, ++count_kept) {
        f.coord[count_kept][0] = i;
        f.coord[count_kept][1] = j;
        f.coord[count_kept][2] = k;
      }
  // Those that hold liquid, in the same order.
  if (!all) {
    rv_parallel_for(count, 16, keep_wet_tiles, &f);
    count_kept = 0;
    for (size_t t = 0; t < count; ++t)
      if (f.wet[t]) {
        for (int a = 0; a < 3; ++a) f.coord[count_kept][a] = f.coord[t][a];
        count_kept++;
      }
  }
  result = rv_tiles_build_coords(&rig->grid.tiles, (const int32_t(*)[3])f.coord, count_kept, error);
  if (result) goto done;
  rig->pressure = rig->pressure ? rig->pressure : rv_liquid_pressure_new();
  if (!rig->pressure || !fit_channels(&rig->grid)) result = RV_NO_MEMORY;
  if (!result) rv_parallel_for(rig->grid.tiles.count, 16, fill_distance, &f);
done:
  rv_free(f.coord);
  rv_free(f.wet);
  return result == RV_NO_MEMORY ? rv_fail(error, RV_NO_MEMORY, "out of memory") : result;
}

RvResult rv_rig_pressure_solids(RvPressureRig* rig, const RvSolidShape* shapes, size_t count, RvError* error) {
  RvSolidShapes list = {count, shapes};
  if (rv_liquid_solids_from_fn(&rig->solids, &rig->grid, rv_liquid_solid_shapes_distance, &list)) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

void rv_rig_pressure_add_velocity(RvPressureRig* rig, const double velocity[3]) {
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < rig->grid.tiles.count * RV_TILE_CELLS; ++i)
      rig->grid.velocity[a].data[i] += (float)velocity[a];
}

// Volume flow through the face at `at` along the axis, per area: liquid through its open part, solid and fibres with
// their own velocity through the rest (WH-36, WH-39).
static double flux(const RvPressureIn* in, int axis, size_t at) {
  double open = in->open[axis] ? in->open[axis][at] : 1, share = in->share[axis] ? in->share[axis][at] : 1;
  double f = open * share * in->velocity[axis][at];
  if (open < 1 && in->solid[axis]) f += (1 - open) * in->solid[axis][at];
  if (share < 1 && in->fibre[axis]) f += open * (1 - share) * in->fibre[axis][at];
  return f;
}

// Sum of the fluxes out of every liquid cell that has an open face, less the divergence that is asked for.
double rv_rig_pressure_divergence(const RvPressureIn* in, double* speed) {
  double worst = 0;
  *speed = 0;
  for (size_t t = 0; t < in->tiles->count; ++t)
    for (int cell = 0; cell < RV_TILE_CELLS; ++cell) {
      size_t at = t * RV_TILE_CELLS + (size_t)cell;
      if (!(in->distance[at] < 0)) continue;
      // Net outflow of the cell less the wanted one.
      double sum = in->divergence ? -in->divergence[at] * in->dx : 0;
      // Six faces of the cell; the neighbour's face is its own lower one.
      bool open = false;
      for (int side = 0; side < 6; ++side) {
        int axis = side / 2;
        int d[3] = {0};
        d[axis] = side % 2 ? 1 : -1;
        int64_t next = rv_tiles_at(in->tiles, t, (cell & 7) + d[0], (cell >> 3 & 7) + d[1], (cell >> 6) + d[2]);
        if (next < 0) continue;
        size_t face = side % 2 ? (size_t)next : at;
        open = open || !in->open[axis] || in->open[axis][face] > 0;
        sum += side % 2 ? flux(in, axis, face) : -flux(in, axis, face);
        *speed = fmax(*speed, fabs(in->velocity[axis][face]));
      }
      if (open) worst = fmax(worst, fabs(sum));
    }
  return worst;
}

void rv_rig_pressure_free(RvPressureRig* rig) {
  rv_liquid_grid_free(&rig->grid);
  rv_liquid_solids_free(&rig->solids);
  rv_liquid_pressure_free(rig->pressure);
  *rig = (RvPressureRig){0};
}
