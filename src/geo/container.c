// The seekable container of .bgeo.sc (reference C.3), and gzip.
// Layout, all numbers 8 bytes big-endian: "scf1", length of metadata, metadata, blocks, index, length of the index,
// "1fcs". The index is the end of each block but the last (from the first block on), the size of a decompressed block,
// and that of the last one.
#include <blosc.h>
#include <string.h>
#include <zlib.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "geo/houdini_read.h"
#include "geo/io_houdini.h"

enum {
  BLOCK = 1 << 20,                          // bytes of a block before compression
  BLOCK_ROOM = BLOCK + BLOSC_MAX_OVERHEAD,  // bytes that it may take after compression
  LEVEL = 9,                                // of blosc: the strongest
  TYPE_SIZE = 4,                            // bytes of an element for blosc's byte shuffle, as Houdini writes
};

// Bytes of the parts of the container.
enum {
  NUMBER_BYTES = 8,
  MAGIC_BYTES = 4,
  HEAD_BYTES = MAGIC_BYTES + NUMBER_BYTES,  // "scf1", length of metadata
  TAIL_BYTES = NUMBER_BYTES + MAGIC_BYTES,  // length of the index, "1fcs"
  MIN_INDEX_BYTES = 2 * NUMBER_BYTES,       // of a single block: the two block sizes
  MIN_END_BYTES = MIN_INDEX_BYTES + TAIL_BYTES,
  SPARE_BYTES = 64,  // of the output beyond its blocks and index: head and tail
};

enum {
  GZIP_WINDOW_BITS = 16 + MAX_WBITS,  // zlib: expect a gzip header
  FIRST_GUNZIP_BYTES = 1 << 16,       // of the output buffer, which then doubles
};

// Writes a number as 8 bytes, big-endian.
static void put_big(uint8_t* at, uint64_t value) {
  for (int i = 0; i < NUMBER_BYTES; ++i) at[i] = (uint8_t)(value >> (8 * (NUMBER_BYTES - 1 - i)));
}

// Reads such a number.
static uint64_t get_big(const uint8_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < NUMBER_BYTES; ++i) value = value << 8 | at[i];
  return value;
}

//---------------------------------------------------------------------------------------------- packing

// Size of a compressed block that there was no memory for.
#define NO_MEMORY SIZE_MAX

// Work of the parallel compression.
typedef struct Pack {
  const RvPiece* pieces;
  size_t* begin;  // offset of each piece in the concatenation
  size_t npiece;
  size_t count;   // bytes of all pieces
  uint8_t* to;    // compressed blocks, BLOCK_ROOM bytes apart
  size_t* bytes;  // size of each compressed block; 0: it failed, NO_MEMORY
} Pack;

// The bytes [at, at + n): borrowed if one piece contains them all, else copied together into *own, which is allocated
// at its first use. NULL when out of memory.
static const uint8_t* block_bytes(const Pack* pack, size_t at, size_t n, uint8_t** own) {
  // Binary search for the piece that contains `at`.
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
  if (!*own) *own = rv_alloc(BLOCK, 1);
  if (!*own) return NULL;
  // Copy from as many pieces as needed.
  for (size_t done = 0; done < n; ++lo, skip = 0) {
    size_t here = pack->pieces[lo].count - skip;
    size_t part = here < n - done ? here : n - done;
    if (part) memcpy(*own + done, (const uint8_t*)pack->pieces[lo].bytes + skip, part);
    done += part;
  }
  return *own;
}

// blosc takes one piece of work memory for a block and does not check it, so that it would crash. Taking as much before
// the call finds out whether there is any.
static bool blosc_has_memory(size_t block) {
  enum { BLOCKS = 3, MORE = 1 << 16 };  // of work memory: two shuffled blocks and their compressed parts
  void* room = rv_alloc(block + MORE, BLOCKS);
  rv_free(room);
  return room != NULL;
}

// Compresses blocks [begin, end), each into its own place.
static void pack_blocks(void* arg, size_t begin, size_t end) {
  Pack* pack = arg;
  uint8_t* own = NULL;
  for (size_t i = begin; i < end; ++i) {
    size_t remaining = pack->count - i * BLOCK;
    size_t n = remaining < BLOCK ? remaining : BLOCK;
    const uint8_t* from = block_bytes(pack, i * BLOCK, n, &own);
    if (!from || !blosc_has_memory(n)) {
      pack->bytes[i] = NO_MEMORY;
      continue;
    }
    // One thread for each block: the result depends only on its bytes.
    rv_foreign_enter("blosc");
    int size = blosc_compress_ctx(LEVEL, BLOSC_SHUFFLE, TYPE_SIZE, n, from, pack->to + i * BLOCK_ROOM,
                                  n + BLOSC_MAX_OVERHEAD, "lz4", 0, 1);
    rv_foreign_leave();
    pack->bytes[i] = size > 0 ? (size_t)size : 0;
  }
  rv_free(own);
}

// Moves the compressed blocks together behind the head and writes head, index and tail. Returns the total size.
static size_t join_blocks(Pack* pack, size_t nblock, uint8_t* to) {
  size_t at = HEAD_BYTES;
  // Head without metadata, then the blocks.
  memcpy(to, "scf1", MAGIC_BYTES);
  put_big(to + MAGIC_BYTES, 0);
  for (size_t i = 0; i < nblock; ++i) {
    memmove(to + at, pack->to + i * BLOCK_ROOM, pack->bytes[i]);
    at += pack->bytes[i];
  }
  // Index and tail.
  uint8_t* index = to + at;
  size_t end = 0;
  for (size_t i = 0; i + 1 < nblock; ++i, index += NUMBER_BYTES) {
    end += pack->bytes[i];
    put_big(index, end);
  }
  put_big(index, BLOCK);
  put_big(index + NUMBER_BYTES, pack->count - (nblock - 1) * BLOCK);
  put_big(index + MIN_INDEX_BYTES, NUMBER_BYTES * (nblock + 1));
  memcpy(index + MIN_INDEX_BYTES + NUMBER_BYTES, "1fcs", MAGIC_BYTES);
  return (size_t)(index + MIN_END_BYTES - to);
}

RvResult rv_container_pack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  return rv_container_pack_pieces(&(RvPiece){bytes, count}, 1, out, out_count, error);
}

RvResult rv_container_pack_pieces(const RvPiece* pieces, size_t npiece, void** out, size_t* out_count, RvError* error) {
  size_t count = 0;
  for (size_t i = 0; i < npiece; ++i) count += pieces[i].count;
  size_t nblock = count / BLOCK + (count % BLOCK != 0);
  if (!nblock) return rv_fail(error, RV_INTERNAL, "there are no bytes to compress");
  RvResult result = RV_OK;
  // The blocks are compressed behind the head of the output; when they are then moved together, no block is moved
  // over a later one.
  uint8_t* room = rv_alloc(nblock * (BLOCK_ROOM + NUMBER_BYTES) + SPARE_BYTES, 1);
  Pack pack = {.pieces = pieces,
               .begin = rv_alloc(npiece, sizeof(size_t)),
               .npiece = npiece,
               .count = count,
               .to = room ? room + HEAD_BYTES : NULL,
               .bytes = rv_alloc(nblock, sizeof(size_t))};
  if (!room || !pack.begin || !pack.bytes) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory compressing %zu bytes", count);
    goto done;
  }
  for (size_t i = 0, at = 0; i < npiece; at += pieces[i++].count) pack.begin[i] = at;
  rv_parallel_for(nblock, 1, pack_blocks, &pack);
  for (size_t i = 0; i < nblock && !result; ++i) {
    if (pack.bytes[i] == NO_MEMORY) result = rv_fail(error, RV_NO_MEMORY, "out of memory compressing %zu bytes", count);
    if (!pack.bytes[i]) result = rv_fail(error, RV_SHIM, "blosc could not compress block %zu of %zu", i, nblock);
  }
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
  return count >= MAGIC_BYTES && memcmp(bytes, "scf1", MAGIC_BYTES) == 0;
}

// A container that was checked, and the work of its parallel decompression.
typedef struct Unpack {
  const uint8_t* from;   // the first block
  const uint8_t* index;  // behind the last block
  size_t nblock;
  size_t packed;  // bytes of all compressed blocks
  size_t block;   // bytes of a decompressed block
  size_t last;    // of the last one
  uint8_t* to;    // output
  uint8_t* bad;   // 1 for each block that failed
} Unpack;

// Offset of compressed block i from the first one.
static size_t block_begin(const Unpack* u, size_t i) {
  return i ? (size_t)get_big(u->index + NUMBER_BYTES * (i - 1)) : 0;
}

// Offset of its end.
static size_t block_end(const Unpack* u, size_t i) {
  return i + 1 < u->nblock ? (size_t)get_big(u->index + NUMBER_BYTES * i) : u->packed;
}

// Its size after decompression.
static size_t block_size(const Unpack* u, size_t i) {
  return i + 1 < u->nblock ? u->block : u->last;
}

enum { DAMAGED = 1, WITHOUT_MEMORY };  // what is wrong with a block

// Decompresses blocks [begin, end).
static void unpack_blocks(void* arg, size_t begin, size_t end) {
  Unpack* u = arg;
  for (size_t i = begin; i < end; ++i) {
    if (!blosc_has_memory(block_size(u, i))) {
      u->bad[i] = WITHOUT_MEMORY;
      continue;
    }
    rv_foreign_enter("blosc");
    int size = blosc_decompress_ctx(u->from + block_begin(u, i), u->to + i * u->block, block_size(u, i), 1);
    rv_foreign_leave();
    u->bad[i] = size < 0 || (size_t)size != block_size(u, i) ? DAMAGED : 0;
  }
}

// Fails with the offset and what is wrong with the container.
static RvResult damaged(RvError* error, size_t offset, const char* what) {
  return rv_fail(error, RV_BAD_FILE, "the container of .bgeo.sc is damaged: %s (offset %zu)", what, offset);
}

// Reads head, index and tail of a container. Every number is checked before anything is allocated or decompressed.
static RvResult read_frame(const uint8_t* bytes, size_t count, Unpack* u, RvError* error) {
  // Head and tail: where the parts begin.
  if (count < HEAD_BYTES + MIN_END_BYTES || memcmp(bytes + count - MAGIC_BYTES, "1fcs", MAGIC_BYTES) != 0)
    return damaged(error, count, "its end is missing: the file was cut short");
  uint64_t meta = get_big(bytes + MAGIC_BYTES);
  uint64_t index = get_big(bytes + count - TAIL_BYTES);
  if (meta > count - (HEAD_BYTES + MIN_END_BYTES))
    return damaged(error, MAGIC_BYTES, "the metadata is longer than the file");
  if (index < MIN_INDEX_BYTES || index % NUMBER_BYTES || index > count - (HEAD_BYTES + TAIL_BYTES) - meta)
    return damaged(error, count - TAIL_BYTES, "the length of its index is wrong");
  u->nblock = (size_t)index / NUMBER_BYTES - 1;
  u->from = bytes + HEAD_BYTES + meta;
  u->packed = count - HEAD_BYTES - (size_t)meta - (size_t)index - TAIL_BYTES;
  u->index = u->from + u->packed;
  // Block sizes, and the total against the limit.
  uint64_t block = get_big(u->index + index - MIN_INDEX_BYTES);
  uint64_t last = get_big(u->index + index - NUMBER_BYTES);
  size_t at = (size_t)(u->index - bytes);
  if (!block || block > BLOSC_MAX_BUFFERSIZE || !last || last > block)
    return damaged(error, at, "the size of a block is wrong");
  u->block = (size_t)block;
  u->last = (size_t)last;
  size_t limit = rv_hou_expansion_limit(count);
  if (u->nblock > limit / u->block)
    return rv_fail(error, RV_LIMIT,
                   "the .bgeo.sc would unpack to more than %d times its size plus 64 MiB (%zu blocks of %zu bytes)",
                   RV_HOU_EXPANSION, u->nblock, u->block);
  // Every block lies within the file and decompresses to its size.
  for (size_t i = 0; i < u->nblock; ++i) {
    size_t begin = block_begin(u, i);
    size_t end = block_end(u, i);
    size_t size = 0;
    if (end > u->packed || begin > end || end - begin < BLOSC_MIN_HEADER_LENGTH)
      return damaged(error, at + NUMBER_BYTES * i, "the offset of a block is wrong");
    if (blosc_cbuffer_validate(u->from + begin, end - begin, &size) != 0 || size != block_size(u, i))
      return damaged(error, (size_t)(u->from - bytes) + begin, "the head of a block is wrong");
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
    result = rv_fail(error, RV_NO_MEMORY, "out of memory decompressing %zu bytes", total);
  } else {
    // Decompress all blocks, then report the first bad one.
    rv_parallel_for(u.nblock, 1, unpack_blocks, &u);
    for (size_t i = 0; i < u.nblock && !result; ++i)
      if (u.bad[i] == WITHOUT_MEMORY)
        result = rv_fail(error, RV_NO_MEMORY, "out of memory decompressing %zu bytes", total);
      else if (u.bad[i])
        result = damaged(error, (size_t)(u.from - (const uint8_t*)bytes) + block_begin(&u, i),
                         "a block does not decompress");
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

// Memory of zlib comes from rv_alloc, as all memory does.
static void* zlib_alloc(void* opaque, unsigned items, unsigned size) {
  (void)opaque;
  return rv_alloc(items, size);
}

// The counterpart of zlib_alloc.
static void zlib_free(void* opaque, void* address) {
  (void)opaque;
  rv_free(address);
}

// Doubles the output buffer, up to `limit` bytes. False when the limit is reached or memory is out.
static bool grow(uint8_t** data, size_t* capacity, size_t used, size_t limit) {
  size_t wanted = *capacity ? *capacity * 2 : FIRST_GUNZIP_BYTES;
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
  size_t capacity = 0;
  size_t used = 0;
  size_t taken = 0;
  size_t limit = rv_hou_expansion_limit(count);
  if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  int state = Z_OK;
  while (state == Z_OK) {
    if (used == capacity && !grow(&data, &capacity, used, limit)) break;
    // zlib counts in 32 bits, so large buffers go in several portions.
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
  // Hand over the output, or say what is wrong.
  inflateEnd(&stream);
  if (state == Z_STREAM_END) {
    *out = data;
    *out_count = used;
    return RV_OK;
  }
  rv_free(data);
  // zlib would have gone on, but the buffer could not grow.
  if (state == Z_OK) return rv_fail(error, RV_LIMIT, "the gzip file unpacks to more than %zu bytes", limit);
  return rv_fail(error, RV_BAD_FILE, "the gzip file is damaged or cut short (offset %zu)", taken);
}
