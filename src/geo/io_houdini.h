// Houdini's geometry files in memory: .geo, .bgeo and their containers .bgeo.sc and .gz.
#ifndef RV_GEO_IO_HOUDINI_H
#define RV_GEO_IO_HOUDINI_H

#include "rivulet/geo.h"

typedef enum RvHoudiniFormat { RV_HOUDINI_GEO, RV_HOUDINI_BGEO, RV_HOUDINI_BGEO_SC, RV_HOUDINI_NONE } RvHoudiniFormat;

// "geo", "bgeo", "bgeo.sc"; else RV_HOUDINI_NONE.
RvHoudiniFormat rv_houdini_format(const char* name);

// Text or binary JSON, told apart by the first byte. `on_disk` is the size of the file they came from, which may be
// packed: what it may become is measured by it. `what` follows the offsets in errors (NULL: nothing).
RvResult rv_houdini_read(const void* bytes, size_t count, size_t on_disk, const char* what, RvDetail** out,
                         const RvLog* log, RvError* error);
// Text (binary false) or binary JSON. Free *bytes with rv_free.
RvResult rv_houdini_write(const RvDetail* detail, bool binary, void** bytes, size_t* count, const RvLog* log,
                          RvError* error);

// As .bgeo.sc, from the arrays where they are: the binary JSON is never in one place.
RvResult rv_houdini_write_packed(const RvDetail* detail, void** bytes, size_t* count, const RvLog* log, RvError* error);

// The seekable container of .bgeo.sc (reference C.3): blocks of 1 MiB, each packed by blosc, so that the bytes do not
// depend on the number of threads. Free *out with rv_free.
bool rv_container_is_sc(const void* bytes, size_t count);
RvResult rv_container_pack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error);
// Of bytes in pieces that follow each other.
typedef struct RvPiece {
  const void* bytes;
  size_t count;
} RvPiece;
RvResult rv_container_pack_pieces(const RvPiece* pieces, size_t npiece, void** out, size_t* out_count, RvError* error);
RvResult rv_container_unpack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error);
// gzip, for .bgeo.gz and .geo.gz.
bool rv_container_is_gzip(const void* bytes, size_t count);
RvResult rv_container_gunzip(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error);

#endif
