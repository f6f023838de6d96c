// Sparse tiles: blocks of 8 x 8 x 8 cells of an unbounded regular grid. Only tiles that were requested exist and take
// memory.
//
// Cells. Cell (i, j, k) covers [i, i+1] x [j, j+1] x [k, k+1] in units of the grid's dx; its tile is (i>>3, j>>3, k>>3)
// (rounded down, also below zero) and its position in the tile (i&7, j&7, k&7). In a tile x runs fastest:
// ((z*8) + y)*8 + x. Values are stored in channels (space/channel.h): arrays of float, 512 per tile, in the order of
// the tiles; cell c of tile t is channel[t*512 + c].
//
// Staggered faces. The LOWER face of a cell along an axis is stored at that cell, in one channel per axis: the value of
// axis x at cell (i, j, k) belongs to the point (i, j+1/2, k+1/2), and so on. The upper face of a cell is the lower
// face of its upper neighbour, so a cell whose faces are used also needs the tiles of its upper neighbours.
//
// Order. Tiles are sorted by the Morton code of their coordinates, so the list depends only on the set of coordinates,
// neither on the order in which they were given nor on the threads. Coordinates of tiles lie within +-RV_TILE_RANGE.
//
// Memory is kept and grows only in the rv_tiles_build functions. A zeroed RvTiles is an empty list.
#ifndef RV_SPACE_TILES_H
#define RV_SPACE_TILES_H

#include "rivulet/base.h"

enum {
  RV_TILE_SIDE = 8,        // cells along each axis
  RV_TILE_SHIFT = 3,       // log2 of the side
  RV_TILE_CELLS = 512,     // of a tile
  RV_TILE_NEAR = 27,       // neighbours of a tile, including itself
  RV_TILE_SELF = 13,       // index of a tile among its own neighbours
  RV_TILE_RANGE = 1 << 20  // coordinates of tiles are >= -RV_TILE_RANGE and < RV_TILE_RANGE
};

typedef struct RvTiles {
  size_t count;
  int32_t (*coord)[3];            // coordinates of the tile; its first cell is at 8 times these
  uint64_t* key;                  // rv_tile_key of coord, ascending
  int32_t (*near)[RV_TILE_NEAR];  // index of the tile at (dx, dy, dz) in {-1, 0, 1}^3, by rv_tile_near; -1: absent
  // internal
  size_t capacity;  // tiles
  size_t slots;     // of the hash table with open addressing, a power of two
  size_t spare;     // keys of `room`
  int32_t* slot;    // hash table: index of a tile; -1: empty
  uint64_t* room;   // scratch memory of the builders
} RvTiles;

// A set of neighbours of a tile: bit rv_tile_near(dx, dy, dz).
typedef uint32_t RvTileMask;
#define RV_TILE_MASK_ALL ((RvTileMask)0x7ffffff)

// Index of the neighbour at (dx, dy, dz), each from -1 to 1.
static inline int rv_tile_near(int dx, int dy, int dz) {
  return (dz + 1) * 9 + (dy + 1) * 3 + (dx + 1);
}
// Index of the cell (x, y, z), each from 0 to 7, in its tile.
static inline int rv_tile_cell(int x, int y, int z) {
  return (z * RV_TILE_SIDE + y) * RV_TILE_SIDE + x;
}
// True if a tile may have these coordinates.
static inline bool rv_tile_in_range(int64_t x, int64_t y, int64_t z) {
  return x >= -RV_TILE_RANGE && x < RV_TILE_RANGE && y >= -RV_TILE_RANGE && y < RV_TILE_RANGE && z >= -RV_TILE_RANGE &&
         z < RV_TILE_RANGE;
}

// Spreads 21 bits to every third bit by shifts and masks (Morton code).
static inline uint64_t rv_morton_spread(uint64_t v) {
  v = (v | v << 32) & 0x1f00000000ffffull;
  v = (v | v << 16) & 0x1f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  return (v | v << 2) & 0x1249249249249249ull;
}
// Inverse of rv_morton_spread: collects every third bit.
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
// Coordinates of a Morton code.
static inline void rv_tile_from_key(uint64_t key, int32_t coord[3]) {
  for (int a = 0; a < 3; ++a) coord[a] = (int32_t)rv_morton_gather(key >> a) - RV_TILE_RANGE;
}

// Builds the list of the tiles with these keys, in any order and possibly repeated; `keys` is overwritten. On failure
// (RV_NO_MEMORY, also for 2^31 tiles or more) the list is empty.
RvResult rv_tiles_build(RvTiles* tiles, uint64_t* keys, size_t count, RvError* error);
// The same from coordinates; RV_LIMIT if one is out of range. A coarser level is built from coord >> 1.
RvResult rv_tiles_build_coords(RvTiles* tiles, const int32_t (*coord)[3], size_t count, RvError* error);
// The same from tiles and, for each, a mask of neighbours (bit RV_TILE_SELF for itself). Neighbours out of range are
// left out.
RvResult rv_tiles_build_masks(RvTiles* tiles, const int32_t (*coord)[3], const RvTileMask* masks, size_t count,
                              RvError* error);
// The same from cells: the tiles of all cells within `reach` cells (0..8, along each axis separately) of the given
// ones.
RvResult rv_tiles_build_cells(RvTiles* tiles, const int32_t (*cell)[3], size_t count, int reach, RvError* error);
// Frees the memory and clears the struct.
void rv_tiles_free(RvTiles* tiles);
// Bytes of memory of the list itself, without channels.
size_t rv_tiles_bytes(const RvTiles* tiles);

// The neighbours to which the cells within `reach` (0..8) of the cell (x, y, z) of a tile belong.
RvTileMask rv_tile_reach(int x, int y, int z, int reach);

// Index of the tile at (x, y, z) by the hash table; -1 if it is absent or out of range. For neighbours `near` is
// faster.
int32_t rv_tiles_find(const RvTiles* tiles, int32_t x, int32_t y, int32_t z);

// Index into a channel of the cell at (x, y, z), each in -8..15, relative to tile `tile`; -1 if its tile is absent. The
// same index is used for faces: a face belongs to the cell above it.
static inline int64_t rv_tiles_at(const RvTiles* tiles, size_t tile, int x, int y, int z) {
  // Arithmetic shifts: -8..-1 give -1, 0..7 give 0, 8..15 give 1.
  int32_t t = tiles->near[tile][rv_tile_near(x >> 3, y >> 3, z >> 3)];
  return t < 0 ? -1 : (int64_t)t * RV_TILE_CELLS + rv_tile_cell(x & 7, y & 7, z & 7);
}
// The value of that cell; `outside` if its tile is absent.
static inline float rv_tiles_read(const RvTiles* tiles, const float* channel, size_t tile, int x, int y, int z,
                                  float outside) {
  int64_t at = rv_tiles_at(tiles, tile, x, y, z);
  return at < 0 ? outside : channel[at];
}
// Index into a channel of the cell with grid coordinates (i, j, k), by the hash table; -1 if its tile is absent.
static inline int64_t rv_tiles_locate(const RvTiles* tiles, int32_t i, int32_t j, int32_t k) {
  int32_t t = rv_tiles_find(tiles, i >> 3, j >> 3, k >> 3);
  return t < 0 ? -1 : (int64_t)t * RV_TILE_CELLS + rv_tile_cell(i & 7, j & 7, k & 7);
}

#endif
