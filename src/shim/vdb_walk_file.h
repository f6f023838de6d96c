// Shared by the files of the walk: the place in the file and the steps that everything in it is made of.
#ifndef RV_SHIM_VDB_WALK_FILE_H
#define RV_SHIM_VDB_WALK_FILE_H

#include "shim/vdb_walk.h"

// Flags of a grid's compression. Blosc goes before zip.
enum { RV_VDB_ZIP = 1, RV_VDB_ACTIVE_MASK = 2, RV_VDB_BLOSC = 4 };

typedef struct RvVdbWalk {
  const char* path;
  unsigned char* bytes;
  size_t size, at;  // at <= size
  uint32_t version;
  const RvVdbTypes* types;
  size_t memory, limit;  // bytes that OpenVDB will take so far, and may take
  RvResult result;
  RvError* error;
} RvVdbWalk;

// All functions return false, or NULL, after they have filled the error.

// Reports damage at the present place.
bool rv_vdb_damaged(RvVdbWalk* walk, const char* what);
// There is no memory for the walk; false.
bool rv_vdb_no_memory(RvVdbWalk* walk);
// Counts memory that OpenVDB will take.
bool rv_vdb_memory(RvVdbWalk* walk, size_t bytes);
// Goes over bytes and returns the place where they begin.
const unsigned char* rv_vdb_take(RvVdbWalk* walk, size_t bytes);
// Reads a little-endian number of 1, 2, 4 or 8 bytes.
bool rv_vdb_number(RvVdbWalk* walk, size_t bytes, uint64_t* value);
// Reads a name of at most 65536 bytes.
bool rv_vdb_text(RvVdbWalk* walk, RvVdbText* text);
// True if the texts are equal.
bool rv_vdb_text_is(RvVdbText text, const char* other);
// Reads a block of metadata. *half (may be NULL) becomes the value of is_saved_as_half_float.
bool rv_vdb_metadata(RvVdbWalk* walk, bool* half);
// Checks the head of `bytes` bytes compressed by Blosc, which must expand to `expected` bytes; with `padded`, fewer
// than 128 may have been padded to 128.
bool rv_vdb_blosc(RvVdbWalk* walk, const unsigned char* data, size_t bytes, size_t expected, bool padded);
// Goes over a block of values that takes `expected` bytes in memory and is stored by this compression.
bool rv_vdb_block(RvVdbWalk* walk, unsigned compression, size_t expected);
// Goes over the buffers of a points grid of `leaves` leaves.
bool rv_vdb_points(RvVdbWalk* walk, size_t leaves);

#endif
