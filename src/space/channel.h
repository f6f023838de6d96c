// Channels: one float a cell of a list of tiles (space/tiles.h), and copies of a tile with what lies around it.
#ifndef RV_SPACE_CHANNEL_H
#define RV_SPACE_CHANNEL_H

#include "space/tiles.h"

// Memory of a channel that grows but does not shrink; `data` holds 512 floats for each of `capacity` tiles.
typedef struct RvChannel {
  float* data;
  size_t capacity;
} RvChannel;

// Room for every tile of the list. What was in it is lost where it grows. False when out of memory.
bool rv_channel_fit(RvChannel* channel, size_t tiles);
void rv_channel_free(RvChannel* channel);
// Every value of `count` tiles.
void rv_channel_fill(float* channel, size_t count, float value);
// The values of another list of tiles at the same places, `outside` where it had none. Used to carry a field over a
// change of the list.
void rv_channel_remap(const RvTiles* from, const float* from_channel, const RvTiles* to, float* to_channel,
                      float outside);

// A tile and what lies within `halo` cells (1..8) around it: a cube of side S = 8 + 2 halo, x fastest, the cell (x, y,
// z) of the tile at ((z + halo)*S + (y + halo))*S + x + halo. Cells of absent tiles get `outside`.
void rv_channel_gather(const RvTiles* tiles, const float* channel, size_t tile, int halo, float outside, float* out);
// The same with a halo of 1: 10^3. The one to use in smoothers.
enum { RV_HALO1_SIDE = 10, RV_HALO1_CELLS = 1000 };
void rv_channel_gather1(const RvTiles* tiles, const float* channel, size_t tile, float outside, float* out);
static inline int rv_halo1_at(int x, int y, int z) {
  return ((z + 1) * RV_HALO1_SIDE + (y + 1)) * RV_HALO1_SIDE + x + 1;
}

#endif
