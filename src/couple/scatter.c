// Sums of the points' contributions on the faces of the grid, tile by tile and colour by colour; see stencil.h.
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"

typedef struct Scatter {
  const RvCouple* c;
  const RvTiles* tiles;
  const RvCoupleTile* list;
  int first, count;  // lattices: the three axes' faces, or the cells alone
  int width;
  RvGiveFn* give;
  RvTakeFn* take;
  void* user;
} Scatter;

// Adds `width` numbers of a point to the eight faces around it, in a tile's buffer with a margin of one cell.
static void add_point(const RvCouplePoint* p, int axis, int width, const double* give, double* room) {
  static const int step[8] = {0, 1, 10, 11, 100, 101, 110, 111};  // in a buffer of 10 x 10 x 10
  RvStencil s = rv_couple_stencil(p, axis);
  int first = rv_halo1_at(s.base[0], s.base[1], s.base[2]);
  for (int k = 0; k < width; ++k) {
    double *out = room + k * RV_HALO1_CELLS + first, value = give[k];
    for (int n = 0; n < 8; ++n) out[step[n]] += s.w[n] * value;
  }
}

// Hands the rows of the buffer to `take`, those in neighbouring tiles too.
static void hand_out(const Scatter* s, size_t tile, int axis, const double* room) {
  double carry[2] = {0, 0};
  for (int z = -1; z <= RV_TILE_SIDE; ++z)
    for (int y = -1; y <= RV_TILE_SIDE; ++y) {
      static const int from[3] = {-1, 0, RV_TILE_SIDE}, count[3] = {1, RV_TILE_SIDE, 1};
      for (int k = 0; k < 3; ++k) {
        int64_t at = rv_tiles_at(s->tiles, tile, from[k], y, z);
        if (at >= 0)
          s->take(s->user, axis, (size_t)at, count[k], room + rv_halo1_at(from[k], y, z), RV_HALO1_CELLS, carry);
      }
    }
}

// The sums of some tiles of one colour.
static void scatter_some(void* arg, size_t begin, size_t end) {
  const Scatter* s = arg;
  double room[3 * RV_GIVE_MOST * RV_HALO1_CELLS] __attribute__((aligned(64)));
  double give[3 * RV_GIVE_MOST];
  size_t axis_room = (size_t)s->width * RV_HALO1_CELLS;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleTile* t = &s->list[n];
    bool any = false;
    memset(room, 0, (size_t)s->count * axis_room * sizeof *room);
    for (size_t i = t->first; i < t->last; ++i) {
      size_t point = s->c->order.data[i];
      if (!s->give(s->user, point, give)) continue;
      any = true;
      for (int k = 0; k < s->count; ++k)
        add_point(&s->c->points.data[point], s->first + k, s->width, give + k * s->width, room + (size_t)k * axis_room);
    }
    for (int k = 0; any && k < s->count; ++k) hand_out(s, t->tile, s->first + k, room + (size_t)k * axis_room);
  }
}

static void scatter_all(Scatter* s) {
  const RvCouple* c = s->c;
  for (int colour = 0; colour < RV_COUPLE_COLOURS; ++colour) {
    size_t first = c->colour[colour], count = c->colour[colour + 1] - first;
    s->list = c->tiles.data + first;
    if (count) rv_parallel_for(count, 1, scatter_some, s);
  }
}

void rv_couple_scatter(const RvCouple* c, const RvTiles* tiles, int width, RvGiveFn* give, RvTakeFn* take, void* user) {
  scatter_all(&(Scatter){.c = c, .tiles = tiles, .count = 3, .width = width, .give = give, .take = take, .user = user});
}

void rv_couple_scatter_to_cells(const RvCouple* c, const RvTiles* tiles, RvGiveFn* give, RvTakeFn* take, void* user) {
  Scatter s = {.c = c, .tiles = tiles, .first = RV_LATTICE_CELLS, .count = 1, .width = 1};
  s.give = give;
  s.take = take;
  s.user = user;
  scatter_all(&s);
}
