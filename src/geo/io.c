// Loading and saving a detail: the file format is chosen by the ending of the file name.
#include <string.h>

#include "base/file.h"
#include "geo/detail.h"
#include "geo/io.h"
#include "geo/io_usda.h"
#include "geo/text.h"

typedef enum Format {
  FORMAT_GEO,
  FORMAT_BGEO,
  FORMAT_BGEO_SC,
  FORMAT_VDB,
  FORMAT_VTP,
  FORMAT_USDA,
  FORMAT_NONE
} Format;

// Every known ending. Longer endings come first, as the first match counts.
static const struct {
  const char* ending;
  Format format;
  const char* codec;  // name for rv_detail_encode; NULL for formats with a function of their own
  bool reads, writes;
} FORMATS[] = {
    {".bgeo.sc", FORMAT_BGEO_SC, "bgeo.sc", true, true},
    {".bgeo.gz", FORMAT_BGEO, "bgeo", true, false},
    {".geo.gz", FORMAT_GEO, "geo", true, false},
    {".bgeo", FORMAT_BGEO, "bgeo", true, true},
    {".geo", FORMAT_GEO, "geo", true, true},
    {".vdb", FORMAT_VDB, NULL, true, true},
    {".vtp", FORMAT_VTP, NULL, false, true},
    {".usda", FORMAT_USDA, NULL, true, true},
};

// Row of FORMATS for a file name, or the number of rows if its ending is unknown.
static size_t find_format(const char* path) {
  size_t count = sizeof FORMATS / sizeof *FORMATS;
  size_t i = 0;
  while (i < count && !rv_text_ends(path, FORMATS[i].ending)) ++i;
  return i;
}

// RV_BAD_INPUT for a missing or empty file name.
static RvResult check_path(const char* path, RvError* error) {
  return path && *path ? RV_OK
                       : rv_fail(error, RV_BAD_INPUT, "the file name is empty: give one such as 'strands.bgeo.sc'");
}

RvResult rv_detail_load(const char* path, RvDetail** out, const RvLog* log, RvError* error) {
  *out = NULL;
  RvResult result = check_path(path, error);
  if (result) return result;
  size_t i = find_format(path);
  if (i == sizeof FORMATS / sizeof *FORMATS)
    return rv_fail(error, RV_UNSUPPORTED, "cannot read '%s': its name must end in .geo, .bgeo, .bgeo.sc, .vdb or .usda",
                   path);
  if (!FORMATS[i].reads)
    return rv_fail(error, RV_UNSUPPORTED,
                   "cannot read '%s': %s is only written; .geo, .bgeo, .bgeo.sc, .vdb and .usda can be read", path,
                   FORMATS[i].ending);
  if (FORMATS[i].format == FORMAT_VDB) return rv_vdb_read(path, out, log, error);
  if (FORMATS[i].format == FORMAT_USDA) return rv_usda_read(path, out, log, error);
  // Houdini's formats are read into memory and decoded.
  void* bytes;
  size_t count;
  result = rv_file_read(path, 0, &bytes, &count, error);
  if (result) return result;
  // The codec is chosen by the content: the file may have been renamed.
  result = rv_detail_decode(bytes, count, out, log, error);
  if (result) rv_error_context(error, "'%s'", path);
  rv_free(bytes);
  return result;
}

// The name of a VDB is the value of the primitive attribute `name`.
void rv_geo_warn_grids(const RvDetail* detail, const char* format, const RvLog* log) {
  const RvAttrib* names = rv_detail_find(detail, RV_PRIM, "name");
  for (size_t i = 0; i < detail->grids.count; ++i) {
    const char* name = names ? rv_attrib_string(names, (size_t)detail->grids.data[i].prim, 0) : "";
    rv_log(log, RV_LEVEL_WARNING, "the VDB '%s' was not written: %s holds no grids; write a .vdb as well", name,
           format);
  }
}

// Saves as one of Houdini's formats: encodes in memory, then writes the file.
static RvResult save_encoded(const RvDetail* detail, const char* codec, const char* path, const RvLog* log,
                             RvError* error) {
  void* bytes = NULL;
  size_t count = 0;
  RvResult result = rv_detail_encode(detail, codec, &bytes, &count, log, error);
  if (result) {
    rv_error_context(error, "cannot write '%s'", path);
    return result;
  }
  result = rv_file_write(path, bytes, count, error);
  rv_free(bytes);
  return result;
}

// The table says which formats can be written.
RvResult rv_detail_save(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  RvResult result = check_path(path, error);
  if (result) return result;
  size_t i = find_format(path);
  switch (i < sizeof FORMATS / sizeof *FORMATS && FORMATS[i].writes ? FORMATS[i].format : FORMAT_NONE) {
    case FORMAT_GEO:
    case FORMAT_BGEO:
    case FORMAT_BGEO_SC:
      return save_encoded(detail, FORMATS[i].codec, path, log, error);
    case FORMAT_VDB:
      return rv_vdb_write(detail, path, log, error);
    case FORMAT_VTP:
      return rv_vtp_write(detail, path, log, error);
    case FORMAT_USDA:
      return rv_usda_write(detail, path, log, error);
    default:
      break;
  }
  return rv_fail(error, RV_UNSUPPORTED,
                 "cannot write '%s': its name must end in .geo, .bgeo, .bgeo.sc, .vdb, .vtp or .usda", path);
}
