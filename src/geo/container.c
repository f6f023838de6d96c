// The seekable container of .bgeo.sc (reference C.3), and gzip.
#include <blosc.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "geo/houdini_read.h"
#include "geo/io_houdini.h"

enum { BLOCK = 1 << 20, BLOCK_ROOM = BLOCK + BLOSC_MAX_OVERHEAD, LEVEL = 9, TYPE_SIZE = 4 };

static void put_big(uint8_t* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (uint8_t)(value >> (56 - 8 * i));
}

static uint64_t get_big(const uint8_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | at[i];
  return value;
}

//---------------------------------------------------------------------------------------------- packing

typedef struct Pack {
  const RvPiece* pieces;
  size_t* begin;  // of each piece
  size_t npiece, count;
  uint8_t* to;    // a room a block
  size_t* bytes;  // of each packed block; 0: failed
} Pack;

// the bytes [at, at + n): where they are if one piece has them all, else brought together in *own
static const uint8_t* block_bytes(const Pack* pack, size_t at, size_t n, uint8_t** own) {
  size_t lo = 0, hi = pack->npiece;
  while (hi - lo > 1) {
    size_t middle = (lo + hi) / 2;
    if (pack->begin[middle] <= at)
      lo = middle;
    else
      hi = middle;
  }
  size_t skip = at - pack->begin[lo];
  if (n <= pack->pieces[lo].count - skip) return (const uint8_t*)pack->pieces[lo].bytes + skip;
  if (!*own && !(*own = rv_alloc(BLOCK, 1))) return NULL;
  for (size_t done = 0; done < n; ++lo, skip = 0) {
    size_t here = pack->pieces[lo].count - skip, part = here < n - done ? here : n - done;
    if (part) memcpy(*own + done, (const uint8_t*)pack->pieces[lo].bytes + skip, part);
    done += part;
  }
  return *own;
}

static void pack_blocks(void* arg, size_t begin, size_t end) {
  Pack* pack = arg;
  uint8_t* own = NULL;
  for (size_t i = begin; i < end; ++i) {
    size_t left = pack->count - i * BLOCK, n = left < BLOCK ? left : BLOCK;
    const uint8_t* from = block_bytes(pack, i * BLOCK, n, &own);
    int got = from ? blosc_compress_ctx(LEVEL, BLOSC_SHUFFLE, TYPE_SIZE, n, from, pack->to + i * BLOCK_ROOM,
                                        n + BLOSC_MAX_OVERHEAD, "lz4", 0, 1)
                   : 0;
    pack->bytes[i] = got > 0 ? (size_t)got : 0;
  }
  rv_free(own);
}

// moves the blocks together behind the head, then writes the index; `to` has room for it all
static size_t join_blocks(Pack* pack, size_t nblock, uint8_t* to) {
  size_t at = 12;
  uint8_t* index;
  memcpy(to, "scf1", 4);
  put_big(to + 4, 0);
  for (size_t i = 0; i < nblock; ++i) {
    memmove(to + at, pack->to + i * BLOCK_ROOM, pack->bytes[i]);
    at += pack->bytes[i];
  }
  index = to + at;
  size_t end = 0;
  for (size_t i = 0; i + 1 < nblock; ++i, index += 8) put_big(index, end += pack->bytes[i]);
  put_big(index, BLOCK);
  put_big(index + 8, pack->count - (nblock - 1) * BLOCK);
  put_big(index + 16, 8 * (nblock + 1));
  memcpy(index + 24, "1fcs", 4);
  return (size_t)(index + 28 - to);
}

RvResult rv_container_pack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  return rv_container_pack_pieces(&(RvPiece){bytes, count}, 1, out, out_count, error);
}

RvResult rv_container_pack_pieces(const RvPiece* pieces, size_t npiece, void** out, size_t* out_count, RvError* error) {
  size_t count = 0;
  for (size_t i = 0; i < npiece; ++i) count += pieces[i].count;
  size_t nblock = count / BLOCK + (count % BLOCK != 0);
  if (!nblock) return rv_fail(error, RV_INTERNAL, "nothing to pack");
  RvResult result = RV_OK;
  // blocks are packed where none can reach the place its predecessors move to
  uint8_t* room = rv_alloc(nblock * (BLOCK_ROOM + 8) + 64, 1);
  Pack pack = {pieces, rv_alloc(npiece, sizeof(size_t)), npiece,
               count,  room ? room + 12 : NULL,          rv_alloc(nblock, sizeof(size_t))};
  if (!room || !pack.begin || !pack.bytes) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory packing %zu bytes", count);
    goto done;
  }
  for (size_t i = 0, at = 0; i < npiece; at += pieces[i++].count) pack.begin[i] = at;
  rv_parallel_for(nblock, 1, pack_blocks, &pack);
  for (size_t i = 0; i < nblock && !result; ++i)
    if (!pack.bytes[i]) result = rv_fail(error, RV_SHIM, "blosc could not pack block %zu of %zu", i, nblock);
  if (result) goto done;
  *out_count = join_blocks(&pack, nblock, room);
  *out = room;
  room = NULL;
done:
  rv_free(room);
  rv_free(pack.begin);
  rv_free(pack.bytes);
  return result;
}

//---------------------------------------------------------------------------------------------- unpacking

bool rv_container_is_sc(const void* bytes, size_t count) {
  return count >= 4 && memcmp(bytes, "scf1", 4) == 0;
}

typedef struct Unpack {
  const uint8_t* from;  // the first block
  const uint8_t* index;
  size_t nblock, packed, block, last;
  uint8_t* to;
  uint8_t* bad;  // a flag a block
} Unpack;

static size_t block_begin(const Unpack* u, size_t i) {
  return i ? (size_t)get_big(u->index + 8 * (i - 1)) : 0;
}

static size_t block_end(const Unpack* u, size_t i) {
  return i + 1 < u->nblock ? (size_t)get_big(u->index + 8 * i) : u->packed;
}

static size_t block_size(const Unpack* u, size_t i) {
  return i + 1 < u->nblock ? u->block : u->last;
}

static void unpack_blocks(void* arg, size_t begin, size_t end) {
  Unpack* u = arg;
  for (size_t i = begin; i < end; ++i) {
    int got = blosc_decompress_ctx(u->from + block_begin(u, i), u->to + i * u->block, block_size(u, i), 1);
    u->bad[i] = got < 0 || (size_t)got != block_size(u, i);
  }
}

static RvResult damaged(RvError* error, size_t offset, const char* what) {
  return rv_fail(error, RV_BAD_FILE, "the container of .bgeo.sc is damaged: %s (offset %zu)", what, offset);
}

// every number of the frame is checked before anything is allocated
static RvResult read_frame(const uint8_t* bytes, size_t count, Unpack* u, RvError* error) {
  if (count < 12 + 28 || memcmp(bytes + count - 4, "1fcs", 4) != 0)
    return damaged(error, count, "its end is missing: the file was cut short");
  uint64_t meta = get_big(bytes + 4), index = get_big(bytes + count - 12);
  if (meta > count - 40) return damaged(error, 4, "the metadata is longer than the file");
  if (index < 16 || index % 8 || index > count - 24 - meta)
    return damaged(error, count - 12, "the length of its index");
  u->nblock = (size_t)index / 8 - 1;
  u->from = bytes + 12 + meta;
  u->packed = count - 12 - (size_t)meta - (size_t)index - 12;
  u->index = u->from + u->packed;
  uint64_t block = get_big(u->index + index - 16), last = get_big(u->index + index - 8);
  size_t at = (size_t)(u->index - bytes);
  if (!block || block > BLOSC_MAX_BUFFERSIZE || !last || last > block) return damaged(error, at, "the size of a block");
  u->block = (size_t)block;
  u->last = (size_t)last;
  size_t limit = rv_hou_expansion_limit(count);
  if (u->nblock > limit / u->block)
    return rv_fail(error, RV_LIMIT,
                   "the .bgeo.sc would unpack to more than %d times its size plus 64 MiB (%zu blocks of %zu bytes)",
                   RV_HOU_EXPANSION, u->nblock, u->block);
  for (size_t i = 0; i < u->nblock; ++i) {
    size_t begin = block_begin(u, i), end = block_end(u, i), size = 0;
    if (end > u->packed || begin > end || end - begin < BLOSC_MIN_HEADER_LENGTH)
      return damaged(error, at + 8 * i, "the offset of a block");
    if (blosc_cbuffer_validate(u->from + begin, end - begin, &size) != 0 || size != block_size(u, i))
      return damaged(error, (size_t)(u->from - bytes) + begin, "the head of a block");
  }
  return RV_OK;
}

RvResult rv_container_unpack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  Unpack u = {0};
  RvResult result = read_frame(bytes, count, &u, error);
  if (result) return result;
  size_t total = (u.nblock - 1) * u.block + u.last;
  u.to = rv_alloc(total, 1);
  u.bad = rv_alloc_zero(u.nblock, 1);
  if (!u.to || !u.bad) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory unpacking %zu bytes", total);
  } else {
    rv_parallel_for(u.nblock, 1, unpack_blocks, &u);
    for (size_t i = 0; i < u.nblock && !result; ++i)
      if (u.bad[i])
        result =
            damaged(error, (size_t)(u.from - (const uint8_t*)bytes) + block_begin(&u, i), "a block does not unpack");
  }
  if (!result) {
    *out = u.to;
    *out_count = total;
    u.to = NULL;
  }
  rv_free(u.to);
  rv_free(u.bad);
  return result;
}

//---------------------------------------------------------------------------------------------- gzip

bool rv_container_is_gzip(const void* bytes, size_t count) {
  return count >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static void* zlib_alloc(void* opaque, unsigned items, unsigned size) {
  (void)opaque;
  return rv_alloc(items, size);
}

static void zlib_free(void* opaque, void* address) {
  (void)opaque;
  rv_free(address);
}

// more room for the output, within the limit
static bool grow(uint8_t** data, size_t* capacity, size_t used, size_t limit) {
  size_t wanted = *capacity ? *capacity * 2 : 1 << 16;
  if (wanted > limit) wanted = limit;
  if (wanted <= *capacity) return false;
  uint8_t* fresh = rv_realloc(*data, used, wanted, 1);
  if (!fresh) return false;
  *data = fresh;
  *capacity = wanted;
  return true;
}

RvResult rv_container_gunzip(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
  uint8_t* data = NULL;
  size_t capacity = 0, used = 0, taken = 0, limit = rv_hou_expansion_limit(count);
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  int state = Z_OK;
  while (state == Z_OK) {
    if (used == capacity && !grow(&data, &capacity, used, limit)) break;
    size_t in = count - taken < UINT32_MAX ? count - taken : UINT32_MAX;
    size_t room = capacity - used < UINT32_MAX ? capacity - used : UINT32_MAX;
    stream.next_in = (Bytef*)(uintptr_t)bytes + taken;
    stream.avail_in = (uInt)in;
    stream.next_out = data + used;
    stream.avail_out = (uInt)room;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    used += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (state == Z_STREAM_END) {
    *out = data;
    *out_count = used;
    return RV_OK;
  }
  rv_free(data);
  if (state == Z_OK) return rv_fail(error, RV_LIMIT, "the gzip file unpacks to more than %zu bytes", limit);
  return rv_fail(error, RV_BAD_FILE, "the gzip file is damaged or cut short (offset %zu)", taken);
}
