// A walk over the bytes of a VDB file before OpenVDB reads them. OpenVDB trusts every count and length in a file: it
// allocates what they ask for, copies raw blocks before it compares their size, and asserts what a damaged byte breaks.
// The walk takes each step that OpenVDB will take, and refuses a file in which one of them would leave the file, the
// memory or the format.
#ifndef RV_SHIM_VDB_WALK_H
#define RV_SHIM_VDB_WALK_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A text inside the file, without a zero at its end.
typedef struct RvVdbText {
  const char* text;
  size_t length;
} RvVdbText;

// What the OpenVDB of this process knows of types.
typedef struct RvVdbTypes {
  // Bytes that OpenVDB reads of a metadata value, whatever the file says; RV_VDB_AS_STORED: as many as the file says.
  size_t (*metadata)(RvVdbText type);
  // Bytes of one value of a point attribute; 0: OpenVDB does not know the type.
  size_t (*attribute)(RvVdbText type, RvVdbText codec);
} RvVdbTypes;
#define RV_VDB_AS_STORED SIZE_MAX
#define RV_VDB_NO_MEMORY (SIZE_MAX - 1)  // answer of both where there is no memory to look the type up

// The file that is walked.
typedef struct RvVdbFile {
  const char* path;      // for errors
  unsigned char* bytes;  // a block of metadata that only delayed loading needs is renamed in it, so that it is skipped
  size_t size;
} RvVdbFile;

// Walks all grids. *memory becomes the bytes that OpenVDB will take for them; RV_LIMIT if they are more than `limit`.
// Other results: RV_BAD_FILE with the place of the damage, RV_UNSUPPORTED, RV_NO_MEMORY.
RvResult rv_vdb_walk(const RvVdbFile* file, const RvVdbTypes* types, size_t limit, size_t* memory, RvError* error);
// True if the walk knows how grids of this type are stored. Others are left out.
bool rv_vdb_walks_type(const char* type);

#ifdef __cplusplus
}
#endif
#endif
