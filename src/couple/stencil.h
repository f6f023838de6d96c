// Trilinear weights of a point on the grid's four lattices: the faces of each axis and the cell centres (spec 1.2.11).
#ifndef RV_COUPLE_STENCIL_H
#define RV_COUPLE_STENCIL_H

#include "couple/store.h"

enum { RV_LATTICE_CELLS = 3 };  // lattices 0 to 2 are the faces of the axes

typedef struct RvStencil {
  int base[3];  // lowest node, in cells of the tile: -1..7
  double w[8];  // x fastest
} RvStencil;

static inline RvStencil rv_couple_stencil(const RvCouplePoint* p, int lattice) {
  RvStencil s;
  int cell[3] = {p->cell & 7, p->cell >> 3 & 7, p->cell >> 6};
  double f[3];
  for (int a = 0; a < 3; ++a) {
    double g = (double)p->f[a] - (a == lattice ? 0 : 0.5);
    s.base[a] = cell[a] - (g < 0);
    f[a] = g < 0 ? g + 1 : g;
  }
  double x0 = 1 - f[0], y0 = 1 - f[1], z0 = 1 - f[2];
  double a = y0 * z0, b = f[1] * z0, c = y0 * f[2], d = f[1] * f[2];
  s.w[0] = x0 * a;
  s.w[1] = f[0] * a;
  s.w[2] = x0 * b;
  s.w[3] = f[0] * b;
  s.w[4] = x0 * c;
  s.w[5] = f[0] * c;
  s.w[6] = x0 * d;
  s.w[7] = f[0] * d;
  return s;
}

// Indices of its nodes in the channels; -1: their tile is absent.
static inline void rv_couple_stencil_nodes(const RvStencil* s, const RvTiles* tiles, size_t tile, int64_t at[8]) {
  static const int step[8] = {0, 1, 8, 9, 64, 65, 72, 73};
  const int* b = s->base;
  if ((unsigned)b[0] < 7 && (unsigned)b[1] < 7 && (unsigned)b[2] < 7) {
    int64_t first = (int64_t)tile * RV_TILE_CELLS + rv_tile_cell(b[0], b[1], b[2]);
    for (int k = 0; k < 8; ++k) at[k] = first + step[k];
    return;
  }
  for (int k = 0; k < 8; ++k) at[k] = rv_tiles_at(tiles, tile, b[0] + (k & 1), b[1] + (k >> 1 & 1), b[2] + (k >> 2));
}

// Their indices in the grid's own channels; -1: absent.
static inline void rv_couple_stencil_homes(const RvCouple* c, const RvStencil* s, size_t tile, const int64_t at[8],
                                           int64_t home[8]) {
  const int* b = s->base;
  if ((unsigned)b[0] < 7 && (unsigned)b[1] < 7 && (unsigned)b[2] < 7) {
    int64_t shift = ((int64_t)c->near_home.data[tile] - (int64_t)tile) * RV_TILE_CELLS;
    for (int k = 0; k < 8; ++k) home[k] = at[k] + shift;
    return;
  }
  for (int k = 0; k < 8; ++k) home[k] = at[k] < 0 ? -1 : (int64_t)rv_couple_home(c, (size_t)at[k]);
}

// Sets what a point gives to the faces around it: `width` numbers for each axis. False: nothing.
typedef bool RvGiveFn(void* user, size_t point, double* give);
// Takes the sums of `count` faces of an axis from index `at` of the channels on: sums[k * stride] is number k of the
// first face, and so on. `carry` is the rounding error that the faces before it in this tile handed on.
typedef void RvTakeFn(void* user, int axis, size_t at, int count, const double* sums, size_t stride, double carry[2]);

enum { RV_GIVE_MOST = 5 };  // largest width

// Sums over points on faces without atomics: tiles of one colour share no faces and go in parallel, colour by colour,
// so every face gets its parts in a fixed order. The sums of a tile are double. (scatter.c)
void rv_couple_scatter(const RvCouple* c, const RvTiles* tiles, int width, RvGiveFn* give, RvTakeFn* take, void* user);
// The same with one number for the cells: `give` sets one, `take` gets the axis RV_LATTICE_CELLS.
void rv_couple_scatter_to_cells(const RvCouple* c, const RvTiles* tiles, RvGiveFn* give, RvTakeFn* take, void* user);

#endif
