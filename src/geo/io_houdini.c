// Houdini's geometry formats by name and by content: rv_detail_decode and rv_detail_encode.
#include "geo/io_houdini.h"

#include <string.h>

#include "geo/json_bytes.h"

RvHoudiniFormat rv_houdini_format(const char* name) {
  static const char* const names[] = {"geo", "bgeo", "bgeo.sc"};
  for (int i = 0; name && i < RV_HOUDINI_NONE; ++i)
    if (strcmp(name, names[i]) == 0) return (RvHoudiniFormat)i;
  return RV_HOUDINI_NONE;
}

// Refuses content that is no JSON geometry, with advice for the formats of Houdini 11 and before.
static RvResult check_signature(const uint8_t* bytes, size_t count, RvError* error) {
  if (!count) return rv_fail(error, RV_BAD_FILE, "the file is empty");
  if (count >= 4 && memcmp(bytes, "Bgeo", 4) == 0)
    return rv_fail(
        error, RV_UNSUPPORTED,
        "this is the binary format of Houdini 11 and before (Bgeo V5): load it in Houdini and save it again, "
        "or run gconvert on it");
  if (count >= 9 && memcmp(bytes, "PGEOMETRY", 9) == 0)
    return rv_fail(
        error, RV_UNSUPPORTED,
        "this is the text format of Houdini 11 and before (PGEOMETRY): load it in Houdini and save it again, or "
        "run gconvert on it");
  size_t at = 0;
  while (at < count && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\t' || bytes[at] == '\r')) ++at;
  // Binary JSON begins with its magic byte, text with a bracket.
  if (bytes[0] != RV_JSON_BYTE_MAGIC && (at == count || (bytes[at] != '[' && bytes[at] != '{')))
    return rv_fail(error, RV_BAD_FILE, "this is no .geo, .bgeo or .bgeo.sc file: its first byte is %02x (offset %zu)",
                   bytes[at < count ? at : 0], at < count ? at : 0);
  return RV_OK;
}

RvResult rv_detail_decode(const void* bytes, size_t count, RvDetail** out, const RvLog* log, RvError* error) {
  void* unpacked = NULL;
  size_t on_disk = count;
  const char* what = "";
  RvResult result = RV_OK;
  *out = NULL;
  // Decompress a container.
  if (rv_container_is_sc(bytes, count)) {
    result = rv_container_unpack(bytes, count, &unpacked, &count, error);
    what = " of the unpacked data";
  } else if (rv_container_is_gzip(bytes, count)) {
    result = rv_container_gunzip(bytes, count, &unpacked, &count, error);
    what = " of the unpacked data";
  }
  if (unpacked) bytes = unpacked;
  if (!result) result = check_signature(bytes, count, error);
  if (!result) result = rv_houdini_read(bytes, count, on_disk, what, out, log, error);
  rv_free(unpacked);
  return result;
}

// The compressed format has a writer of its own, which saves a copy of the document.
RvResult rv_detail_encode(const RvDetail* detail, const char* format, void** bytes, size_t* count, const RvLog* log,
                          RvError* error) {
  RvHoudiniFormat kind = rv_houdini_format(format);
  if (kind == RV_HOUDINI_NONE)
    return rv_fail(error, RV_BAD_INPUT, "unknown format '%s': use geo, bgeo or bgeo.sc", format ? format : "");
  if (kind == RV_HOUDINI_BGEO_SC) return rv_houdini_write_packed(detail, bytes, count, log, error);
  return rv_houdini_write(detail, kind != RV_HOUDINI_GEO, bytes, count, log, error);
}
