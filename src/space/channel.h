// Channels: one float per cell of a list of tiles (space/tiles.h), and copies of a tile with its halo.
#ifndef RV_SPACE_CHANNEL_H
#define RV_SPACE_CHANNEL_H

#include "space/tiles.h"

// Memory of a channel. It grows but does not shrink; `data` has 512 floats for each of `capacity` tiles.
typedef struct RvChannel {
  float* data;
  size_t capacity;
} RvChannel;

// Ensures room for a number of tiles. The values are lost if it grows. False: out of memory.
bool rv_channel_fit(RvChannel* channel, size_t tiles);
// Frees the memory and clears the struct.
void rv_channel_free(RvChannel* channel);
// Sets every value of `count` tiles.
void rv_channel_fill(float* channel, size_t count, float value);
// Copies a field to another list of tiles, when the list changes. Tiles that `from` does not have get `outside`.
void rv_channel_remap(const RvTiles* from, const float* from_channel, const RvTiles* to, float* to_channel,
                      float outside);

// Copies a tile with a halo of 1 to 8 cells: a cube of side S = 8 + 2 halo, x fastest; the cell (x, y, z) of the tile
// is at ((z + halo)*S + (y + halo))*S + x + halo. Cells of absent tiles get `outside`.
void rv_channel_gather(const RvTiles* tiles, const float* channel, size_t tile, int halo, float outside, float* out);
// The same with a halo of 1, 10^3 cells, as smoothers need it.
enum { RV_HALO1_SIDE = 10, RV_HALO1_CELLS = 1000 };  // cells along an axis, and of the cube
void rv_channel_gather1(const RvTiles* tiles, const float* channel, size_t tile, float outside, float* out);
// Index of the tile's cell (x, y, z), each from -1 to 8, in that cube.
static inline int rv_halo1_at(int x, int y, int z) {
  return ((z + 1) * RV_HALO1_SIDE + (y + 1)) * RV_HALO1_SIDE + x + 1;
}

#endif
