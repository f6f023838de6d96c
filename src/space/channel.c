// Channels of tiles: memory, filling, remapping to another list, and gathering with a halo.
#include "space/channel.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum {
  GRAIN = 16,  // tiles of one task
  S = RV_TILE_SIDE,
};

bool rv_channel_fit(RvChannel* channel, size_t tiles) {
  if (tiles <= channel->capacity && channel->data) return true;
  size_t capacity = tiles + tiles / 4 + 1;
  float* data = rv_alloc(capacity, RV_TILE_CELLS * sizeof *data);
  if (!data) return false;
  rv_free(channel->data);
  *channel = (RvChannel){data, capacity};
  return true;
}

void rv_channel_free(RvChannel* channel) {
  rv_free(channel->data);
  *channel = (RvChannel){0};
}

typedef struct Fill {
  float* to;
  float value;
} Fill;

// Fills a range of tiles.
static void fill_some(void* arg, size_t begin, size_t end) {
  const Fill* f = arg;
  for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i) f->to[i] = f->value;
}

void rv_channel_fill(float* channel, size_t count, float value) {
  rv_parallel_for(count, GRAIN, fill_some, &(Fill){channel, value});
}

typedef struct Remap {
  const RvTiles* from;
  const RvTiles* to;
  const float* source;  // channel of `from`
  float* target;        // channel of `to`
  float outside;        // value of tiles that `from` does not have
} Remap;

// Copies a range of tiles of the new list.
static void remap_some(void* arg, size_t begin, size_t end) {
  const Remap* r = arg;
  for (size_t t = begin; t < end; ++t) {
    const int32_t* c = r->to->coord[t];
    // Copy the tile if the old list has it.
    int32_t old = rv_tiles_find(r->from, c[0], c[1], c[2]);
    float* out = r->target + t * RV_TILE_CELLS;
    if (old >= 0)
      memcpy(out, r->source + (size_t)old * RV_TILE_CELLS, RV_TILE_CELLS * sizeof *out);
    else
      for (int i = 0; i < RV_TILE_CELLS; ++i) out[i] = r->outside;
  }
}

void rv_channel_remap(const RvTiles* from, const float* from_channel, const RvTiles* to, float* to_channel,
                      float outside) {
  rv_parallel_for(to->count, GRAIN, remap_some, &(Remap){from, to, from_channel, to_channel, outside});
}

// One row of halo + 8 + halo cells from the lower neighbour, the tile and the upper neighbour along x; NULL: absent.
static inline __attribute__((always_inline)) void gather_row(const float* const tile[3], int row, int halo,
                                                             float outside, float* out) {
  for (int i = 0; i < halo; ++i) out[i] = tile[0] ? tile[0][row + S - halo + i] : outside;
  if (tile[1])
    memcpy(out + halo, tile[1] + row, S * sizeof *out);
  else
    for (int i = 0; i < S; ++i) out[halo + i] = outside;
  for (int i = 0; i < halo; ++i) out[halo + S + i] = tile[2] ? tile[2][row + i] : outside;
}

// Copies a tile with its halo. It is inlined with a constant halo, so that a row becomes a few moves.
static inline __attribute__((always_inline)) void gather(const RvTiles* tiles, const float* channel, size_t tile,
                                                         int halo, float outside, float* out) {
  const float* near[RV_TILE_NEAR];
  for (int n = 0; n < RV_TILE_NEAR; ++n) {
    int32_t t = tiles->near[tile][n];
    near[n] = t < 0 ? NULL : channel + (size_t)t * RV_TILE_CELLS;
  }
  // The three tiles of a row follow each other in `near`.
  int side = S + 2 * halo;
  for (int z = -halo; z < S + halo; ++z)
    for (int y = -halo; y < S + halo; ++y, out += side)
      gather_row(near + rv_tile_near(-1, y >> RV_TILE_SHIFT, z >> RV_TILE_SHIFT), rv_tile_cell(0, y & 7, z & 7), halo,
                 outside, out);
}

void rv_channel_gather1(const RvTiles* tiles, const float* channel, size_t tile, float outside, float* out) {
  gather(tiles, channel, tile, 1, outside, out);
}

void rv_channel_gather(const RvTiles* tiles, const float* channel, size_t tile, int halo, float outside, float* out) {
  // Halos that are used often get code of their own.
  if (halo == 1)
    gather(tiles, channel, tile, 1, outside, out);
  else if (halo == 2)
    gather(tiles, channel, tile, 2, outside, out);
  else if (halo == 3)
    gather(tiles, channel, tile, 3, outside, out);
  else
    gather(tiles, channel, tile, halo, outside, out);
}
