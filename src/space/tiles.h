// Sparse tiles: the cells of a regular grid that matter, in blocks of 8 x 8 x 8. There is no box: a tile exists where
// it was asked for, and nothing else takes memory.
//
// Cells. Cell (i, j, k) covers [i, i+1] x [j, j+1] x [k, k+1] in units of the grid's dx; its tile is (i>>3, j>>3, k>>3)
// (floor, also below zero) and its place in the tile (i&7, j&7, k&7). In a tile x runs fastest: ((z*8) + y)*8 + x.
// Values live in channels (space/channel.h): arrays of float, 512 a tile, in the order of the tiles; cell c of tile t
// is channel[t*512 + c].
//
// Staggered faces. The face on the LOWER side of a cell along an axis is stored at that cell, in one channel an axis:
// the value of axis a at cell (i, j, k) belongs to the point (i, j+1/2, k+1/2) for a = x, and so on. The upper face of
// a cell is the lower face of its upper neighbour; so a cell that matters needs its upper neighbours' tiles too.
//
// Order. Tiles are sorted by the Morton code of their coordinates, so the list is a pure function of the set of
// coordinates: not of the order in which they were given, nor of the workers. Coordinates of tiles lie within
// +-RV_TILE_RANGE.
//
// Memory is kept and grows only in rv_tiles_build; a zeroed RvTiles is an empty list.
#ifndef RV_SPACE_TILES_H
#define RV_SPACE_TILES_H

#include "rivulet/base.h"

enum {
  RV_TILE_SIDE = 8,
  RV_TILE_SHIFT = 3,
  RV_TILE_CELLS = 512,
  RV_TILE_NEAR = 27,       // neighbours of a tile, itself among them
  RV_TILE_SELF = 13,       // where a tile is among its own neighbours
  RV_TILE_RANGE = 1 << 20  // coordinates of tiles are >= -RV_TILE_RANGE and < RV_TILE_RANGE
};

typedef struct RvTiles {
  size_t count;
  int32_t (*coord)[3];            // of the tile; its first cell is 8 times that
  uint64_t* key;                  // rv_tile_key of coord, ascending
  int32_t (*near)[RV_TILE_NEAR];  // index of the tile at (dx, dy, dz) in {-1, 0, 1}^3, rv_tile_near; -1: absent
  // behind: capacity, and the open addressing of rv_tiles_find
  size_t capacity, slots, spare;
  int32_t* slot;
  uint64_t* room;
} RvTiles;

// A set of neighbours of a tile: bit rv_tile_near(dx, dy, dz).
typedef uint32_t RvTileMask;
#define RV_TILE_MASK_ALL ((RvTileMask)0x7ffffff)

static inline int rv_tile_near(int dx, int dy, int dz) {
  return (dz + 1) * 9 + (dy + 1) * 3 + (dx + 1);
}
static inline int rv_tile_cell(int x, int y, int z) {
  return (z * RV_TILE_SIDE + y) * RV_TILE_SIDE + x;
}
static inline bool rv_tile_in_range(int64_t x, int64_t y, int64_t z) {
  return x >= -RV_TILE_RANGE && x < RV_TILE_RANGE && y >= -RV_TILE_RANGE && y < RV_TILE_RANGE && z >= -RV_TILE_RANGE &&
         z < RV_TILE_RANGE;
}

// 21 bits spread to every third bit, and back
static inline uint64_t rv_morton_spread(uint64_t v) {
  v = (v | v << 32) & 0x1f00000000ffffull;
  v = (v | v << 16) & 0x1f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  return (v | v << 2) & 0x1249249249249249ull;
}
static inline uint64_t rv_morton_gather(uint64_t v) {
  v &= 0x1249249249249249ull;
  v = (v | v >> 2) & 0x10c30c30c30c30c3ull;
  v = (v | v >> 4) & 0x100f00f00f00f00full;
  v = (v | v >> 8) & 0x1f0000ff0000ffull;
  v = (v | v >> 16) & 0x1f00000000ffffull;
  return (v | v >> 32) & 0x1fffff;
}
// Morton code of a tile's coordinates, which must be in range.
static inline uint64_t rv_tile_key(int32_t x, int32_t y, int32_t z) {
  return rv_morton_spread((uint64_t)(x + RV_TILE_RANGE)) | rv_morton_spread((uint64_t)(y + RV_TILE_RANGE)) << 1 |
         rv_morton_spread((uint64_t)(z + RV_TILE_RANGE)) << 2;
}
static inline void rv_tile_from_key(uint64_t key, int32_t coord[3]) {
  for (int a = 0; a < 3; ++a) coord[a] = (int32_t)rv_morton_gather(key >> a) - RV_TILE_RANGE;
}

// The list of the tiles with these keys, in any order, repeated as one likes; `keys` is used as room. Afterwards coord,
// key, near and rv_tiles_find are ready. On failure (no memory, over 2^31 tiles) the list is empty.
RvResult rv_tiles_build(RvTiles* tiles, uint64_t* keys, size_t count, RvError* error);
// The same from coordinates; those out of range are an error. (A coarser level is built from coord >> 1.)
RvResult rv_tiles_build_coords(RvTiles* tiles, const int32_t (*coord)[3], size_t count, RvError* error);
// The tiles of `count` given tiles with, of each, the neighbours in its mask (bit RV_TILE_SELF for itself). Neighbours
// out of range are left away.
RvResult rv_tiles_build_masks(RvTiles* tiles, const int32_t (*coord)[3], const RvTileMask* masks, size_t count,
                              RvError* error);
// The tiles of all cells within `reach` cells (0..8, by each axis alone) of the given ones.
RvResult rv_tiles_build_cells(RvTiles* tiles, const int32_t (*cell)[3], size_t count, int reach, RvError* error);
void rv_tiles_free(RvTiles* tiles);
// Bytes that the list itself holds, channels not counted.
size_t rv_tiles_bytes(const RvTiles* tiles);

// Which tiles the cells within `reach` (0..8) of the cell at (x, y, z) in a tile belong to.
RvTileMask rv_tile_reach(int x, int y, int z, int reach);

// Index of the tile, -1 when absent (out of range: absent). A few nanoseconds; next door use `near`.
int32_t rv_tiles_find(const RvTiles* tiles, int32_t x, int32_t y, int32_t z);

// Where a cell is, for a cell of tile `tile` at (x, y, z), each in -8..15: index into a channel, or -1 when its tile is
// absent. For faces too: a face is named by the cell above it.
static inline int64_t rv_tiles_at(const RvTiles* tiles, size_t tile, int x, int y, int z) {
  // arithmetic shifts: -8..-1 give -1, 0..7 give 0, 8..15 give 1
  int32_t t = tiles->near[tile][rv_tile_near(x >> 3, y >> 3, z >> 3)];
  return t < 0 ? -1 : (int64_t)t * RV_TILE_CELLS + rv_tile_cell(x & 7, y & 7, z & 7);
}
// The value there; `outside` where there is no tile.
static inline float rv_tiles_read(const RvTiles* tiles, const float* channel, size_t tile, int x, int y, int z,
                                  float outside) {
  int64_t at = rv_tiles_at(tiles, tile, x, y, z);
  return at < 0 ? outside : channel[at];
}
// Where the cell with whole coordinates (i, j, k) is, by the hash; -1 when absent.
static inline int64_t rv_tiles_locate(const RvTiles* tiles, int32_t i, int32_t j, int32_t k) {
  int32_t t = rv_tiles_find(tiles, i >> 3, j >> 3, k >> 3);
  return t < 0 ? -1 : (int64_t)t * RV_TILE_CELLS + rv_tile_cell(i & 7, j & 7, k & 7);
}

#endif
