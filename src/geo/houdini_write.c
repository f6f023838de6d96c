// A detail as a Houdini document (reference C.1, C.2) in the schema of Houdini 18. It contains no date or user name, so
// equal details give equal bytes.
#include <string.h>

#include "geo/io.h"
#include "geo/io_houdini.h"
#include "geo/json_out.h"

static const char FILE_VERSION[] = "18.0.0";

enum {
  PAGE_SIZE = 1024,        // elements of a page, as Houdini writes
  TUPLES_OF_LINE = 8,      // in text
  DOCUMENT_BYTES = 65536,  // estimate of what surrounds the values
  ATTRIB_BYTES = 512,      // estimate for the definition of an attribute
  STRING_BYTES = 8,        // for a string beside its characters
  GROUP_BYTES = 256,       // for the definition of a group
  TEXT_FACTOR = 3,         // text takes about this many bytes for one binary byte
  PACKED_BYTES = 1 << 16,  // first size of a document whose large arrays are external
};

// Estimate of the document's size in binary, so that the output rarely has to be reallocated.
static size_t guess_bytes(const RvDetail* detail) {
  size_t bytes =
      DOCUMENT_BYTES + (rv_detail_count(detail, RV_VERTEX) + rv_detail_count(detail, RV_PRIM)) * sizeof(int32_t);
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    size_t count = rv_detail_count(detail, (RvOwner)owner);
    size_t n = rv_detail_attrib_count(detail, (RvOwner)owner);
    for (size_t i = 0; i < n; ++i) {
      const RvAttrib* attrib = rv_detail_attrib(detail, (RvOwner)owner, i);
      bytes += ATTRIB_BYTES + count * (size_t)rv_attrib_size(attrib) * rv_storage_bytes(rv_attrib_storage(attrib));
      for (size_t s = 0; s < rv_attrib_string_count(attrib); ++s)
        bytes += strlen(rv_attrib_string_at(attrib, (int)s)) + STRING_BYTES;
    }
    if (owner != RV_GLOBAL) bytes += rv_detail_group_count(detail, (RvOwner)owner) * (count + GROUP_BYTES);
  }
  return bytes;
}

// Writes a top-level key with a number.
static void put_count(RvJsonOut* out, const char* key, size_t count) {
  rv_json_put_line(out);
  rv_json_put_word(out, key);
  rv_json_put_int(out, (int64_t)count);
}

// Writes the software and the bounding box, which Houdini shows for a file.
static void put_info(RvJsonOut* out, const RvDetail* detail) {
  double lo[3], hi[3];
  rv_json_put_line(out);
  rv_json_put_word(out, "info");
  rv_json_put_map(out);
  rv_json_put_word(out, "software");
  rv_json_put_text(out, "rivulet");
  if (rv_detail_bounds(detail, lo, hi)) {
    // Houdini's order: minimum and maximum of each axis.
    double bounds[6] = {lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]};
    rv_json_put_word(out, "bounds");
    rv_json_put_numbers(out, RV_F64, 6, bounds, 1);
  }
  rv_json_put_map_end(out);
}

//---------------------------------------------------------------------------------------------- attributes

// Writes the first part of an attribute: scope, type, name and, as an option, the tag.
static void put_definition(RvJsonOut* out, const RvAttrib* attrib) {
  RvTag tag = rv_attrib_tag(attrib);
  rv_json_put_array(out);
  rv_json_put_word(out, "scope");
  rv_json_put_word(out, "public");
  rv_json_put_word(out, "type");
  rv_json_put_word(out, rv_attrib_storage(attrib) == RV_STRING ? "string" : "numeric");
  rv_json_put_word(out, "name");
  rv_json_put_word(out, rv_attrib_name(attrib));
  rv_json_put_word(out, "options");
  rv_json_put_map(out);
  // Houdini writes the tag as an option of type string.
  if (tag != RV_TAG_NONE) {
    rv_json_put_word(out, "type");
    rv_json_put_map(out);
    rv_json_put_word(out, "type");
    rv_json_put_word(out, "string");
    rv_json_put_word(out, "value");
    rv_json_put_word(out, rv_tag_name(tag));
    rv_json_put_map_end(out);
  }
  rv_json_put_map_end(out);
  rv_json_put_array_end(out);
}

// Writes size and storage.
static void put_kind(RvJsonOut* out, int size, const char* storage) {
  rv_json_put_word(out, "size");
  rv_json_put_int(out, size);
  rv_json_put_word(out, "storage");
  rv_json_put_word(out, storage);
}

// Writes the values of an attribute (indices of a string attribute) under `key`.
static void put_values(RvJsonOut* out, const char* key, const RvAttrib* attrib) {
  RvStorage storage = rv_attrib_storage(attrib);
  size_t size = (size_t)rv_attrib_size(attrib);
  size_t count = rv_attrib_count(attrib);
  size_t bytes = rv_storage_bytes(storage);
  const uint8_t* values = rv_attrib_read(attrib);
  rv_json_put_line(out);
  rv_json_put_word(out, key);
  rv_json_put_array(out);
  put_kind(out, (int)size, storage == RV_STRING ? "int32" : rv_storage_name(storage));
  if (out->binary) {
    // One pack and no constant pages: the values are in plain element order.
    rv_json_put_word(out, "pagesize");
    rv_json_put_int(out, PAGE_SIZE);
    rv_json_put_word(out, "rawpagedata");
    rv_json_put_external(out, storage, count * size, values);
  } else if (size == 1) {
    rv_json_put_word(out, "arrays");
    rv_json_put_array(out);
    rv_json_put_numbers(out, storage, count, values, 1);
    rv_json_put_array_end(out);
  } else {
    rv_json_put_word(out, "tuples");
    rv_json_put_array(out);
    for (size_t i = 0; i < count && !out->failed; ++i) {
      if (i % TUPLES_OF_LINE == 0) rv_json_put_line(out);
      rv_json_put_numbers(out, storage, size, values + i * size * bytes, 1);
    }
    rv_json_put_array_end(out);
  }
  rv_json_put_array_end(out);
}

// Writes the default tuple, always as 64-bit numbers.
static void put_defaults(RvJsonOut* out, const RvAttrib* attrib) {
  RvStorage storage = rv_attrib_storage(attrib);
  bool integers = storage == RV_I8 || storage == RV_I32 || storage == RV_I64;
  size_t size = (size_t)rv_attrib_size(attrib);
  RvNumbers view = {.count = size, .bytes = rv_attrib_default(attrib)};
  // A view of the tuple, to read its numbers as 64-bit ones.
  view.element = storage == RV_F16   ? RV_ELEMENT_F16
                 : storage == RV_F32 ? RV_ELEMENT_F32
                 : storage == RV_F64 ? RV_ELEMENT_F64
                 : storage == RV_I8  ? RV_ELEMENT_I8
                 : storage == RV_I32 ? RV_ELEMENT_I32
                                     : RV_ELEMENT_I64;
  // Integers as int64, reals as fpreal64.
  rv_json_put_word(out, "defaults");
  rv_json_put_array(out);
  put_kind(out, (int)size, integers ? "int64" : "fpreal64");
  rv_json_put_word(out, "values");
  rv_json_put_array(out);
  for (size_t c = 0; c < size; ++c) {
    if (integers)
      rv_json_put_int(out, rv_numbers_i64(&view, c));
    else
      rv_json_put_real(out, rv_numbers_f64(&view, c));
  }
  rv_json_put_array_end(out);
  rv_json_put_array_end(out);
}

// Writes one attribute, [definition, data].
static void put_attrib(RvJsonOut* out, const RvAttrib* attrib) {
  RvStorage storage = rv_attrib_storage(attrib);
  rv_json_put_line(out);
  rv_json_put_array(out);
  put_definition(out, attrib);
  rv_json_put_line(out);
  rv_json_put_array(out);
  put_kind(out, rv_attrib_size(attrib), storage == RV_STRING ? "int32" : rv_storage_name(storage));
  // A string attribute has a table and indices; numbers have defaults and values.
  if (storage == RV_STRING) {
    rv_json_put_word(out, "strings");
    rv_json_put_array(out);
    for (size_t i = 0; i < rv_attrib_string_count(attrib); ++i)
      rv_json_put_text(out, rv_attrib_string_at(attrib, (int)i));
    rv_json_put_array_end(out);
    put_values(out, "indices", attrib);
  } else {
    put_defaults(out, attrib);
    put_values(out, "values", attrib);
  }
  rv_json_put_array_end(out);
  rv_json_put_array_end(out);
}

// Writes the attributes of all owners in Houdini's order.
static void put_attributes(RvJsonOut* out, const RvDetail* detail) {
  static const struct {
    RvOwner owner;
    const char* key;
  } owners[] = {{RV_VERTEX, "vertexattributes"},
                {RV_POINT, "pointattributes"},
                {RV_PRIM, "primitiveattributes"},
                {RV_GLOBAL, "globalattributes"}};
  rv_json_put_line(out);
  rv_json_put_word(out, "attributes");
  rv_json_put_array(out);
  for (size_t o = 0; o < 4; ++o) {
    size_t count = rv_detail_attrib_count(detail, owners[o].owner);
    if (!count) continue;
    rv_json_put_line(out);
    rv_json_put_word(out, owners[o].key);
    rv_json_put_array(out);
    for (size_t i = 0; i < count; ++i) put_attrib(out, rv_detail_attrib(detail, owners[o].owner, i));
    rv_json_put_array_end(out);
  }
  rv_json_put_array_end(out);
}

//---------------------------------------------------------------------------------------------- primitives and groups

// Writes the polygons [begin, end), which are of one type, as a run. False when out of memory.
static bool put_run(RvJsonOut* out, const RvDetail* detail, size_t begin, size_t end) {
  const int32_t* start = rv_detail_prim_start(detail);
  bool closed = rv_detail_prim_type(detail, begin) == RV_PRIM_POLYGON;
  bool binary = out->binary;
  bool equal = true;
  // Vertex count of each polygon, and whether they are all equal.
  int32_t* counts = rv_alloc(end - begin, sizeof *counts);
  if (!counts) return false;
  for (size_t i = begin; i < end; ++i) {
    counts[i - begin] = start[i + 1] - start[i];
    equal = equal && counts[i - begin] == counts[0];
  }
  // Binary uses short names. Equal vertex counts are written as one run length.
  rv_json_put_line(out);
  rv_json_put_array(out);
  rv_json_put_array(out);
  rv_json_put_word(out, "type");
  rv_json_put_word(out, binary ? (closed ? "p_r" : "c_r") : closed ? "Polygon_run" : "PolygonCurve_run");
  rv_json_put_array_end(out);
  rv_json_put_array(out);
  rv_json_put_word(out, binary ? "s_v" : "startvertex");
  rv_json_put_int(out, start[begin]);
  rv_json_put_word(out, binary ? "n_p" : "nprimitives");
  rv_json_put_int(out, (int64_t)(end - begin));
  if (equal) {
    int32_t pair[2] = {counts[0], (int32_t)(end - begin)};
    rv_json_put_word(out, binary ? "r_v" : "nvertices_rle");
    rv_json_put_numbers(out, RV_I32, 2, pair, 1);
  } else {
    rv_json_put_word(out, binary ? "n_v" : "nvertices");
    rv_json_put_numbers(out, RV_I32, end - begin, counts, 1);
  }
  rv_json_put_array_end(out);
  rv_json_put_array_end(out);
  rv_free(counts);
  return true;
}

// Writes all primitives as runs of equal type. False when out of memory.
static bool put_primitives(RvJsonOut* out, const RvDetail* detail) {
  size_t count = rv_detail_count(detail, RV_PRIM);
  rv_json_put_line(out);
  rv_json_put_word(out, "primitives");
  rv_json_put_array(out);
  for (size_t begin = 0, end; begin < count; begin = end) {
    // A run ends where the type changes.
    RvPrimType type = rv_detail_prim_type(detail, begin);
    for (end = begin + 1; end < count && rv_detail_prim_type(detail, end) == type;) ++end;
    if (!put_run(out, detail, begin, end)) return false;
  }
  rv_json_put_array_end(out);
  return true;
}

// Writes the groups of an owner, each as a flag an element.
static void put_groups(RvJsonOut* out, const RvDetail* detail, RvOwner owner, const char* key) {
  size_t count = rv_detail_group_count(detail, owner);
  if (!count) return;
  rv_json_put_line(out);
  rv_json_put_word(out, key);
  rv_json_put_array(out);
  for (size_t i = 0; i < count; ++i) {
    // [["name", n], ["selection", ["unordered", ["i8", flags]]]]
    const RvGroup* group = rv_detail_group(detail, owner, i);
    rv_json_put_line(out);
    rv_json_put_array(out);
    rv_json_put_array(out);
    rv_json_put_word(out, "name");
    rv_json_put_word(out, rv_group_name(group));
    rv_json_put_array_end(out);
    rv_json_put_array(out);
    rv_json_put_word(out, "selection");
    rv_json_put_array(out);
    rv_json_put_word(out, "unordered");
    rv_json_put_array(out);
    rv_json_put_word(out, "i8");
    rv_json_put_external(out, RV_I8, rv_detail_count(detail, owner), rv_group_read(group));
    rv_json_put_array_end(out);
    rv_json_put_array_end(out);
    rv_json_put_array_end(out);
    rv_json_put_array_end(out);
  }
  rv_json_put_array_end(out);
}

//---------------------------------------------------------------------------------------------- document

// These files cannot contain volumes: *out is a copy without the VDB primitives, or NULL if there are none.
static RvResult without_vdbs(const RvDetail* detail, RvDetail** out, const RvLog* log, RvError* error) {
  size_t count = rv_detail_count(detail, RV_PRIM);
  size_t vdbs = 0;
  *out = NULL;
  for (size_t i = 0; i < count; ++i) vdbs += rv_detail_prim_type(detail, i) == RV_PRIM_VDB;
  if (!vdbs) return RV_OK;
  rv_geo_warn_grids(detail, "a Houdini geometry file of ours", log);
  // All points stay.
  uint8_t* keep = rv_alloc(count, 1);
  RvDetail* copy = rv_detail_copy(detail);
  RvResult result = RV_OK;
  if (!keep || !copy) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; !result && i < count; ++i) keep[i] = rv_detail_prim_type(detail, i) != RV_PRIM_VDB;
  if (!result) result = rv_detail_keep(copy, NULL, keep, false, error);
  rv_free(keep);
  if (result) {
    rv_detail_free(copy);
    return result;
  }
  *out = copy;
  return RV_OK;
}

// Writes the whole document.
static void put_document(RvJsonOut* out, const RvDetail* detail) {
  rv_json_put_array(out);
  rv_json_put_word(out, "fileversion");
  rv_json_put_text(out, FILE_VERSION);
  rv_json_put_word(out, "hasindex");
  rv_json_put_bool(out, false);
  // Counts and bounds.
  put_count(out, "pointcount", rv_detail_count(detail, RV_POINT));
  put_count(out, "vertexcount", rv_detail_count(detail, RV_VERTEX));
  put_count(out, "primitivecount", rv_detail_count(detail, RV_PRIM));
  put_info(out, detail);
  // Point of each vertex.
  rv_json_put_line(out);
  rv_json_put_word(out, "topology");
  rv_json_put_array(out);
  rv_json_put_word(out, "pointref");
  rv_json_put_array(out);
  rv_json_put_word(out, "indices");
  rv_json_put_external(out, RV_I32, rv_detail_count(detail, RV_VERTEX), rv_detail_vertex_point(detail));
  rv_json_put_array_end(out);
  rv_json_put_array_end(out);
  // Values, primitives and groups.
  put_attributes(out, detail);
  if (!put_primitives(out, detail)) out->failed = true;
  put_groups(out, detail, RV_POINT, "pointgroups");
  put_groups(out, detail, RV_VERTEX, "vertexgroups");
  put_groups(out, detail, RV_PRIM, "primitivegroups");
  rv_json_put_array_end(out);
}

RvResult rv_houdini_write(const RvDetail* detail, bool binary, void** bytes, size_t* count, const RvLog* log,
                          RvError* error) {
  RvDetail* plain;
  RvResult result = without_vdbs(detail, &plain, log, error);
  if (result) return result;
  if (plain) detail = plain;
  RvJsonOut out;
  size_t guess = guess_bytes(detail);
  rv_json_out_begin(&out, binary, binary ? guess : guess * TEXT_FACTOR);
  put_document(&out, detail);
  if (!rv_json_out_end(&out, bytes, count)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_detail_free(plain);
  return result;
}

// Compresses the bytes of a document and the external arrays between them, in order.
static RvResult pack_document(const RvJsonOut* out, const uint8_t* data, size_t size, void** bytes, size_t* count,
                              RvError* error) {
  size_t npiece = 0, at = 0;
  RvPiece* pieces = rv_alloc(2 * out->externals.count + 1, sizeof *pieces);
  if (!pieces) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Bytes up to an external array, then the array; the remaining bytes at the end.
  for (size_t i = 0; i < out->externals.count; ++i) {
    const RvJsonExternal* external = &out->externals.data[i];
    pieces[npiece++] = (RvPiece){data + at, external->at - at};
    pieces[npiece++] = (RvPiece){external->values, external->bytes};
    at = external->at;
  }
  pieces[npiece++] = (RvPiece){data + at, size - at};
  RvResult result = rv_container_pack_pieces(pieces, npiece, bytes, count, error);
  rv_free(pieces);
  return result;
}

RvResult rv_houdini_write_packed(const RvDetail* detail, void** bytes, size_t* count, const RvLog* log,
                                 RvError* error) {
  RvDetail* plain;
  RvResult result = without_vdbs(detail, &plain, log, error);
  if (result) return result;
  if (plain) detail = plain;
  RvJsonOut out;
  void* data = NULL;
  size_t size;
  // Write the document with its large arrays left out, then compress both.
  rv_json_out_begin(&out, true, PACKED_BYTES);
  out.defer_arrays = true;
  put_document(&out, detail);
  if (rv_json_out_end(&out, &data, &size)) {
    result = pack_document(&out, data, size, bytes, count, error);
    rv_array_free(&out.externals);
  } else {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  rv_free(data);
  rv_detail_free(plain);
  return result;
}
