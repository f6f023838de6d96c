// Houdini's geometry files in memory: .geo (text JSON), .bgeo (binary JSON), and the containers .bgeo.sc and .gz around
// them.
#ifndef RV_GEO_IO_HOUDINI_H
#define RV_GEO_IO_HOUDINI_H

#include "rivulet/geo.h"

typedef enum RvHoudiniFormat { RV_HOUDINI_GEO, RV_HOUDINI_BGEO, RV_HOUDINI_BGEO_SC, RV_HOUDINI_NONE } RvHoudiniFormat;

// The format with the name "geo", "bgeo" or "bgeo.sc"; RV_HOUDINI_NONE for any other name and NULL.
RvHoudiniFormat rv_houdini_format(const char* name);

// Reads a detail from text or binary JSON, told apart by the first byte. `on_disk` is the size of the file, which may
// have been compressed: it limits the memory that the content may take. `what` follows the offsets in errors (NULL:
// nothing). The caller frees *out, which is NULL on failure.
RvResult rv_houdini_read(const void* bytes, size_t count, size_t on_disk, const char* what, RvDetail** out,
                         const RvLog* log, RvError* error);
// Writes a detail as text (`binary` false) or binary JSON. VDB primitives are left out with a warning. Free *bytes with
// rv_free.
RvResult rv_houdini_write(const RvDetail* detail, bool binary, void** bytes, size_t* count, const RvLog* log,
                          RvError* error);

// Writes a detail as .bgeo.sc. Large arrays are compressed from where they are, so the whole binary JSON is never in
// memory. Free *bytes with rv_free.
RvResult rv_houdini_write_packed(const RvDetail* detail, void** bytes, size_t* count, const RvLog* log, RvError* error);

// True if the bytes begin as the seekable container of .bgeo.sc (reference C.3) does.
bool rv_container_is_sc(const void* bytes, size_t count);
// Compresses bytes into such a container: blocks of 1 MiB, each compressed on its own by blosc, so that the result
// does not depend on the number of threads. Free *out with rv_free.
RvResult rv_container_pack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error);
// A part of the bytes to compress, borrowed.
typedef struct RvPiece {
  const void* bytes;
  size_t count;
} RvPiece;
// The same for bytes that are the concatenation of pieces.
RvResult rv_container_pack_pieces(const RvPiece* pieces, size_t npiece, void** out, size_t* out_count, RvError* error);
// Decompresses such a container; RV_BAD_FILE if it is damaged, RV_LIMIT if it would grow beyond
// rv_hou_expansion_limit. Free *out with rv_free.
RvResult rv_container_unpack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error);
// True if the bytes begin as a gzip file (.bgeo.gz, .geo.gz) does.
bool rv_container_is_gzip(const void* bytes, size_t count);
// Decompresses a gzip file, with the same errors and limit. Free *out with rv_free.
RvResult rv_container_gunzip(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error);

#endif
