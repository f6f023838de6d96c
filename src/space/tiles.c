// Lists of sparse tiles: sorting and deduplication of keys, the hash table, and the neighbours of each tile.
#include "space/tiles.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "space/sort.h"

enum {
  GRAIN = 256,      // tiles of one task
  MIN_SLOTS = 64,   // of the hash table; a power of two
  MIN_GROWTH = 16,  // tiles or keys of extra capacity, besides a quarter
  CELL_MASK = RV_TILE_SIDE - 1,
};

void rv_tiles_free(RvTiles* tiles) {
  RV_FREE_ALL(tiles->coord, tiles->key, tiles->near, tiles->slot, tiles->room);
  *tiles = (RvTiles){0};
}

size_t rv_tiles_bytes(const RvTiles* tiles) {
  return tiles->capacity * (sizeof *tiles->coord + sizeof *tiles->key + sizeof *tiles->near) +
         tiles->slots * sizeof *tiles->slot + tiles->spare * sizeof *tiles->room;
}

// First slot of a key. The key is mixed (finaliser of MurmurHash3, Appleby), so that linear probing stays short
// although neighbouring tiles have similar keys.
static size_t home(const RvTiles* tiles, uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdull;
  key ^= key >> 33;
  return (size_t)(key & (tiles->slots - 1));
}

// Index of the tile with a key by linear probing; -1 if it is absent.
static int32_t find_key(const RvTiles* tiles, uint64_t key) {
  for (size_t s = home(tiles, key);; s = (s + 1) & (tiles->slots - 1)) {
    int32_t t = tiles->slot[s];
    if (t < 0 || tiles->key[t] == key) return t;
  }
}

int32_t rv_tiles_find(const RvTiles* tiles, int32_t x, int32_t y, int32_t z) {
  if (tiles->count == 0 || !rv_tile_in_range(x, y, z)) return -1;
  return find_key(tiles, rv_tile_key(x, y, z));
}

// Coordinates and neighbours of a range of tiles.
static void find_near(void* arg, size_t begin, size_t end) {
  RvTiles* tiles = arg;
  for (size_t t = begin; t < end; ++t) {
    rv_tile_from_key(tiles->key[t], tiles->coord[t]);
    const int32_t* c = tiles->coord[t];
    for (int dz = -1, n = 0; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx, ++n)
          tiles->near[t][n] = n == RV_TILE_SELF ? (int32_t)t : rv_tiles_find(tiles, c[0] + dx, c[1] + dy, c[2] + dz);
  }
}

// Empties the list and fails.
static RvResult no_memory(RvTiles* tiles, size_t count, RvError* error) {
  tiles->count = 0;
  return rv_fail(error, RV_NO_MEMORY, "no memory for a grid of %zu tiles of 8 x 8 x 8 cells; use larger cells", count);
}

// Ensures room for `count` tiles, with at most half of the slots used. False: out of memory.
static bool grow(RvTiles* tiles, size_t count) {
  if (count <= tiles->capacity) return true;
  size_t capacity = count + count / 4 + MIN_GROWTH;
  size_t slots = MIN_SLOTS;
  while (slots < 2 * capacity) slots *= 2;
  // The contents are not needed; arrays that have grown before one fails serve the old capacity as well.
  if (!rv_renew(&tiles->coord, capacity, sizeof *tiles->coord) ||
      !rv_renew(&tiles->key, capacity, sizeof *tiles->key) || !rv_renew(&tiles->near, capacity, sizeof *tiles->near) ||
      !rv_renew(&tiles->slot, slots, sizeof *tiles->slot))
    return false;
  tiles->capacity = capacity;
  tiles->slots = slots;
  return true;
}

// Ensures scratch memory for `count` keys. False: out of memory.
static bool make_room(RvTiles* tiles, size_t count) {
  if (count <= tiles->spare && tiles->room) return true;
  if (!rv_renew(&tiles->room, count + count / 4 + MIN_GROWTH, sizeof *tiles->room)) return false;
  tiles->spare = count + count / 4 + MIN_GROWTH;
  return true;
}

// Fills the hash table and finds the neighbours, once `key` has the sorted, distinct keys.
static void finish(RvTiles* tiles) {
  memset(tiles->slot, 0xff, tiles->slots * sizeof *tiles->slot);  // all -1
  // Insertion in the order of the list makes the table reproducible.
  for (size_t t = 0; t < tiles->count; ++t) {
    size_t s = home(tiles, tiles->key[t]);
    while (tiles->slot[s] >= 0) s = (s + 1) & (tiles->slots - 1);
    tiles->slot[s] = (int32_t)t;
  }
  rv_parallel_for(tiles->count, GRAIN, find_near, tiles);
}

// Builds the list from `count` keys; `spare` has room for as many. Both are overwritten.
static RvResult build(RvTiles* tiles, uint64_t* keys, uint64_t* spare, size_t count, RvError* error) {
  tiles->count = 0;
  if (count == 0) return RV_OK;
  // Sort only the low bits in which the keys differ: nearby tiles share their high bits.
  uint64_t any = 0;
  for (size_t i = 1; i < count; ++i) any |= keys[i] ^ keys[0];
  rv_sort_keys(keys, NULL, spare, NULL, count, rv_sort_bits(any));
  // Remove duplicates.
  size_t kept = 1;
  for (size_t i = 1; i < count; ++i)
    if (keys[i] != keys[kept - 1]) keys[kept++] = keys[i];
  if (kept > INT32_MAX) return no_memory(tiles, kept, error);
  if (!grow(tiles, kept)) return no_memory(tiles, kept, error);
  memcpy(tiles->key, keys, kept * sizeof *keys);
  tiles->count = kept;
  finish(tiles);
  return RV_OK;
}

RvResult rv_tiles_build(RvTiles* tiles, uint64_t* keys, size_t count, RvError* error) {
  if (!make_room(tiles, count)) return no_memory(tiles, count, error);
  return build(tiles, keys, tiles->room, count, error);
}

RvResult rv_tiles_build_coords(RvTiles* tiles, const int32_t (*coord)[3], size_t count, RvError* error) {
  // Room for the keys and for sorting them.
  if (count > SIZE_MAX / 4 || !make_room(tiles, 2 * count)) return no_memory(tiles, count, error);
  for (size_t i = 0; i < count; ++i) {
    const int32_t* c = coord[i];
    if (!rv_tile_in_range(c[0], c[1], c[2])) {
      tiles->count = 0;
      return rv_fail(
          error, RV_LIMIT,
          "a tile at (%d, %d, %d) is too far from the origin; use larger cells or move the scene to the origin", c[0],
          c[1], c[2]);
    }
    tiles->room[i] = rv_tile_key(c[0], c[1], c[2]);
  }
  return build(tiles, tiles->room, tiles->room + count, count, error);
}

RvTileMask rv_tile_reach(int x, int y, int z, int reach) {
  // Three bits per axis for the neighbours at -1, 0 and +1, then the outer product of the axes.
  int at[3] = {x, y, z};
  unsigned side[3];
  for (int a = 0; a < 3; ++a) side[a] = 2u | (at[a] - reach < 0) | (unsigned)(at[a] + reach >= RV_TILE_SIDE) << 2;
  RvTileMask mask = 0;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      if (side[2] >> k & side[1] >> j & 1) mask |= (RvTileMask)side[0] << (k * 9 + j * 3);
  return mask;
}

RvResult rv_tiles_build_masks(RvTiles* tiles, const int32_t (*coord)[3], const RvTileMask* masks, size_t count,
                              RvError* error) {
  // Count the neighbours, for room for their keys and for sorting them.
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += (size_t)__builtin_popcount(masks[i] & RV_TILE_MASK_ALL);
  if (total > SIZE_MAX / 4 || !make_room(tiles, 2 * total)) return no_memory(tiles, total, error);
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    for (RvTileMask left = masks[i] & RV_TILE_MASK_ALL; left; left &= left - 1) {
      int bit = __builtin_ctz(left);
      // Inverse of rv_tile_near.
      int32_t x = coord[i][0] + bit % 3 - 1;
      int32_t y = coord[i][1] + bit / 3 % 3 - 1;
      int32_t z = coord[i][2] + bit / 9 - 1;
      if (rv_tile_in_range(x, y, z)) tiles->room[n++] = rv_tile_key(x, y, z);
    }
  return build(tiles, tiles->room, tiles->room + n, n, error);
}

RvResult rv_tiles_build_cells(RvTiles* tiles, const int32_t (*cell)[3], size_t count, int reach, RvError* error) {
  RvTileMask* masks = rv_alloc(count, sizeof *masks);
  int32_t(*coord)[3] = rv_alloc(count, sizeof *coord);
  RvResult result = RV_OK;
  if (!masks || !coord) {
    result = no_memory(tiles, count, error);
    goto done;
  }
  for (size_t i = 0; i < count; ++i) {
    for (int a = 0; a < 3; ++a) coord[i][a] = cell[i][a] >> RV_TILE_SHIFT;
    masks[i] = rv_tile_reach(cell[i][0] & CELL_MASK, cell[i][1] & CELL_MASK, cell[i][2] & CELL_MASK, reach);
  }
  result = rv_tiles_build_masks(tiles, (const int32_t(*)[3])coord, masks, count, error);
done:
  rv_free(masks);
  rv_free(coord);
  return result;
}
