// The steps that everything in a VDB file is made of: numbers, names, metadata and compressed blocks.
#include "shim/vdb_walk_file.h"

#include <string.h>

enum {
  NAME_MAX_BYTES = 65536,  // of a name or type
  BLOSC_HEAD = 16,         // bytes before the compressed data: four flags, size, block size, compressed size
  BLOSC_PADDED = 128,      // points: fewer bytes may have been padded to this
};

bool rv_vdb_damaged(RvVdbWalk* walk, const char* what) {
  walk->result = rv_fail(walk->error, RV_BAD_FILE,
                         "'%s' is damaged at byte %zu: %s; replace it by another copy, or write it again", walk->path,
                         walk->at, what);
  return false;
}

bool rv_vdb_no_memory(RvVdbWalk* walk) {
  walk->result = rv_fail(walk->error, RV_NO_MEMORY, "out of memory for reading '%s'", walk->path);
  return false;
}

bool rv_vdb_memory(RvVdbWalk* walk, size_t bytes) {
  if (bytes <= walk->limit - walk->memory) {
    walk->memory += bytes;
    return true;
  }
  walk->result = rv_fail(walk->error, RV_LIMIT,
                         "'%s' has %zu bytes, and its grids would take more than %.0f MB of memory: it is damaged, or "
                         "made of more data than the memory limit allows; replace it, or raise --max-memory",
                         walk->path, walk->size, (double)walk->limit / 1e6);
  return false;
}

const unsigned char* rv_vdb_take(RvVdbWalk* walk, size_t bytes) {
  if (bytes > walk->size - walk->at) {
    rv_vdb_damaged(walk, "a length is larger than the rest of the file");
    return NULL;
  }
  const unsigned char* data = walk->bytes + walk->at;
  walk->at += bytes;
  return data;
}

// A little-endian number, as OpenVDB writes it.
static uint64_t number_at(const unsigned char* data, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= (uint64_t)data[i] << (8 * i);
  return value;
}

bool rv_vdb_number(RvVdbWalk* walk, size_t bytes, uint64_t* value) {
  const unsigned char* data = rv_vdb_take(walk, bytes);
  if (data) *value = number_at(data, bytes);
  return data != NULL;
}

bool rv_vdb_text(RvVdbWalk* walk, RvVdbText* text) {
  uint64_t length;
  if (!rv_vdb_number(walk, 4, &length)) return false;
  if (length > NAME_MAX_BYTES) return rv_vdb_damaged(walk, "a name is longer than 65536 bytes");
  text->length = (size_t)length;
  text->text = (const char*)rv_vdb_take(walk, text->length);
  return text->text != NULL;
}

bool rv_vdb_text_is(RvVdbText text, const char* other) {
  return strlen(other) == text.length && memcmp(text.text, other, text.length) == 0;
}

// Reads one value of metadata.
static bool metadata_value(RvVdbWalk* walk, RvVdbText name, RvVdbText type, bool* half) {
  uint64_t length;
  if (!rv_vdb_number(walk, 4, &length)) return false;
  // The values of a type have one size, and OpenVDB reads that, not the length in the file.
  size_t known = walk->types->metadata(type);
  if (known == RV_VDB_NO_MEMORY) return rv_vdb_no_memory(walk);
  if (known != RV_VDB_AS_STORED && known != length)
    return rv_vdb_damaged(walk, "a metadata value has not the size of its type");
  const unsigned char* value = rv_vdb_take(walk, (size_t)length);
  if (!value) return false;
  // OpenVDB reads the byte into a bool, for which another value is undefined.
  if (rv_vdb_text_is(type, "bool") && *value > 1) return rv_vdb_damaged(walk, "a bool of the metadata is not 0 or 1");
  if (rv_vdb_text_is(name, "is_saved_as_half_float")) {
    if (!rv_vdb_text_is(type, "bool")) return rv_vdb_damaged(walk, "is_saved_as_half_float is no bool");
    if (half) *half = *value != 0;
  }
  return true;
}

bool rv_vdb_metadata(RvVdbWalk* walk, bool* half) {
  uint64_t count;
  if (half) *half = false;
  if (!rv_vdb_number(walk, 4, &count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    RvVdbText name, type;
    if (!rv_vdb_text(walk, &name) || !rv_vdb_text(walk, &type)) return false;
    // An index for delayed loading, with lengths of its own. Nothing is loaded late here; under a type that OpenVDB
    // does not know it reads the bytes as they are and drops them.
    if (rv_vdb_text_is(type, "__delayedload")) walk->bytes[walk->at - 1] = '_';
    if (!metadata_value(walk, name, type, half)) return false;
  }
  // Each entry costs OpenVDB a node of a map and a few small objects.
  enum { ENTRY_BYTES = 256 };
  return rv_vdb_memory(walk, (size_t)count * ENTRY_BYTES);
}

bool rv_vdb_blosc(RvVdbWalk* walk, const unsigned char* data, size_t bytes, size_t expected, bool padded) {
  // Blosc is not told how many bytes it gets: it believes its own head.
  if (bytes < BLOSC_HEAD || number_at(data + 12, 4) != bytes)
    return rv_vdb_damaged(walk, "a compressed block has not the size in its head");
  uint64_t expanded = number_at(data + 4, 4);
  if (expanded != expected && !(padded && expected <= BLOSC_PADDED && expanded == BLOSC_PADDED))
    return rv_vdb_damaged(walk, "a compressed block does not expand to the size of its values");
  return true;
}

bool rv_vdb_block(RvVdbWalk* walk, unsigned compression, size_t expected) {
  if (!(compression & (RV_VDB_BLOSC | RV_VDB_ZIP))) return rv_vdb_take(walk, expected) != NULL;
  uint64_t stored;
  if (!rv_vdb_number(walk, 8, &stored)) return false;
  // 0 and negative lengths are of values that are stored as they are.
  if ((int64_t)stored <= 0) {
    if (0 - stored != expected) return rv_vdb_damaged(walk, "a block has not the size of its values");
    return rv_vdb_take(walk, expected) != NULL;
  }
  const unsigned char* data = rv_vdb_take(walk, (size_t)stored);
  if (!data) return false;
  return !(compression & RV_VDB_BLOSC) || rv_vdb_blosc(walk, data, (size_t)stored, expected, false);
}
