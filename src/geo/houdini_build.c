// From the parts of a Houdini file to a detail: the topology in the order of the resulting primitives, then attributes
// and groups in that order, then packed geometry and curves.
#include <string.h>

#include "geo/houdini_read.h"

enum { POSITION_BYTES = 3 * sizeof(float) };

// Key of an owner's attributes in the file, for messages.
static const char* owner_key(RvOwner owner) {
  static const char* const keys[] = {"pointattributes", "vertexattributes", "primitiveattributes", "globalattributes"};
  return keys[owner];
}

// Marks the reader as failed after a function that filled the error. Always false.
static bool mark_failed(RvHouFile* file) {
  file->in->failed = true;
  return false;
}

// Checks the numbers of vertices and primitives that were read against those that the file announces.
static bool check_counts(RvHouFile* file) {
  if (file->vertex_point.count != (size_t)file->count[RV_VERTEX])
    return rv_json_fail(file->in, file->in->at, "topology: %lld vertices announced, but %zu found",
                        (long long)file->count[RV_VERTEX], file->vertex_point.count);
  if (file->topology.source_prims != (size_t)file->count[RV_PRIM])
    return rv_json_fail(file->in, file->in->at, "primitives: %lld announced, but %zu found",
                        (long long)file->count[RV_PRIM], file->topology.source_prims);
  return true;
}

// True if the file has values for P.
static bool has_positions(const RvHouFile* file) {
  for (size_t i = 0; i < file->attribs[RV_POINT].count; ++i) {
    const RvHouAttrib* attrib = &file->attribs[RV_POINT].data[i];
    if (strcmp(attrib->name, "P") == 0) return attrib->values.present;
  }
  return false;
}

// Sets the topology of the detail.
static bool build_topology(RvHouFile* file, RvDetail* detail) {
  RvHouTopology* t = &file->topology;
  size_t npoint = (size_t)file->count[RV_POINT];
  if (!rv_hou_charge(file, npoint, POSITION_BYTES, "pointcount")) return false;
  int32_t* points = rv_alloc(t->nvertex, sizeof *points);
  if (!points) return rv_hou_no_memory(file);
  // Point of each vertex; one out of range becomes -1 and is reported by rv_detail_set_topology.
  if (t->nvertex && t->identity_vertices) {
    RvNumbers used = file->vertex_point;
    used.count = t->nvertex;
    rv_numbers_convert_all(&used, RV_I32, points);
  } else {
    for (size_t i = 0; i < t->nvertex; ++i) {
      int64_t point = rv_numbers_i64(&file->vertex_point, (size_t)t->vertex.data[i]);
      points[i] = point < 0 || point > INT32_MAX ? -1 : (int32_t)point;
    }
  }
  // P is hidden while the points are added if the file has values for it: they replace the defaults anyway.
  size_t attrib_count = detail->attribs[RV_POINT].count;
  if (has_positions(file)) detail->attribs[RV_POINT].count = 0;
  RvResult result =
      rv_detail_set_topology(detail, npoint, t->nvertex, t->nprim, points, t->start.data, t->type.data, file->error);
  detail->attribs[RV_POINT].count = attrib_count;
  // rv_detail_set_topology took the arrays.
  memset(&t->start, 0, sizeof t->start);
  memset(&t->type, 0, sizeof t->type);
  if (!result) return true;
  rv_error_context(file->error, "topology");
  return mark_failed(file);
}

//---------------------------------------------------------------------------------------------- attributes

// The file's element of each element of the detail; NULL if they are the same.
static const int32_t* source_of(const RvHouFile* file, RvOwner owner) {
  const RvHouTopology* t = &file->topology;
  if (owner == RV_VERTEX && !t->identity_vertices) return t->vertex.data;
  if (owner == RV_PRIM && !t->identity_prims) return t->source.data;
  return NULL;
}

// Reorders values from the file's element order to the detail's. Takes and returns memory of rv_alloc; NULL on failure,
// and if `values` is NULL.
static void* reorder(RvHouFile* file, RvOwner owner, void* values, size_t stride, size_t count) {
  const int32_t* source = source_of(file, owner);
  if (!values || !source) return values;
  // Gather into a new array and free the old one.
  uint8_t* out = NULL;
  if (rv_hou_charge(file, count, stride, "attribute values")) {
    out = rv_alloc(count, stride);
    if (!out) rv_hou_no_memory(file);
  }
  for (size_t i = 0; out && i < count; ++i)
    memcpy(out + i * stride, (uint8_t*)values + (size_t)source[i] * stride, stride);
  rv_free(values);
  return out;
}

// Sets the default tuple of an attribute: a single value serves all components, missing components are 0.
static bool set_default(RvHouFile* file, const RvHouAttrib* from, RvAttrib* attrib) {
  size_t size = (size_t)rv_attrib_size(attrib);
  size_t bytes = rv_storage_bytes(rv_attrib_storage(attrib));
  const RvNumbers* given = &from->defaults;
  if (!given->count) return true;
  uint8_t* tuple = rv_alloc_zero(size, bytes);
  if (!tuple) return rv_hou_no_memory(file);
  // One value serves all components.
  for (size_t c = 0; c < size; ++c)
    if (given->count == 1 || c < given->count)
      rv_numbers_convert(given, given->count == 1 ? 0 : c, 1, 1, rv_attrib_storage(attrib), tuple + c * bytes, bytes);
  RvResult result = rv_attrib_set_default(attrib, tuple, file->error);
  rv_free(tuple);
  return !result || mark_failed(file);
}

// P with four components x y z w (Houdini 13 and 14). The weight becomes the attribute Pw, unless it is 1 everywhere or
// the file has a Pw.
static bool build_hpoint(RvHouFile* file, const RvHouAttrib* from, RvDetail* detail) {
  size_t count = (size_t)file->count[RV_POINT];
  float* four = rv_hou_decode(file, &from->values, count, 4, RV_F32);
  if (!four) return false;
  float* three = rv_alloc(count, POSITION_BYTES);
  float* weight = rv_alloc(count, sizeof *weight);
  bool weighted = false;
  bool good = three && weight;
  // Separate positions and weights.
  for (size_t i = 0; good && i < count; ++i) {
    memcpy(three + 3 * i, four + 4 * i, POSITION_BYTES);
    weight[i] = four[4 * i + 3];
    weighted = weighted || weight[i] != 1;
  }
  rv_free(four);
  // A Pw of the file itself has precedence.
  for (size_t i = 0; i < file->attribs[RV_POINT].count; ++i)
    if (strcmp(file->attribs[RV_POINT].data[i].name, "Pw") == 0) weighted = false;
  RvAttrib* attrib;
  if (!good) {
    rv_free(three);
    rv_free(weight);
    return rv_hou_no_memory(file);
  }
  // Add P, and Pw if any weight differs from 1.
  RvResult result = rv_detail_adopt_attrib(detail, RV_POINT, "P", RV_F32, 3, RV_TAG_POINT, three, &attrib, file->error);
  if (!result && weighted) {
    const float one = 1;
    result = rv_detail_adopt_attrib(detail, RV_POINT, "Pw", RV_F32, 1, RV_TAG_NONE, weight, &attrib, file->error);
    weight = NULL;
    if (!result) result = rv_attrib_set_default(attrib, &one, file->error);
  }
  rv_free(weight);
  return !result || mark_failed(file);
}

// Checks the string indices of an attribute against its table.
static bool check_strings(RvHouFile* file, const RvHouAttrib* from, const int32_t* index, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (index[i] >= 0 && (size_t)index[i] >= from->nstring)
      return rv_json_fail(file->in, file->in->at, "string %d of a table of %zu strings does not exist", index[i],
                          from->nstring);
  return true;
}

// Pointers to the strings of an attribute's table (rv_free). NULL when out of memory.
static const char** make_table(const RvHouAttrib* from) {
  const char** table = rv_alloc(from->nstring, sizeof *table);
  const char* at = from->letters.data;
  for (size_t i = 0; table && i < from->nstring; ++i, at += strlen(at) + 1) table[i] = at;
  return table;
}

// Adds an attribute without values in the file: every element has the default.
static bool build_constant(RvHouFile* file, RvOwner owner, const RvHouAttrib* from, RvStorage storage, RvTag tag,
                           RvDetail* detail) {
  size_t count = rv_detail_count(detail, owner);
  RvAttrib* attrib = NULL;
  if (!rv_hou_charge(file, count * (size_t)from->size, rv_storage_bytes(storage), "attribute values")) return false;
  RvResult result = rv_detail_add_attrib(detail, owner, from->name, storage, from->size, tag, &attrib, file->error);
  if (!result && !from->is_string && !set_default(file, from, attrib)) return false;
  if (result) return mark_failed(file);
  rv_attrib_fill(attrib, 0, count);
  return true;
}

// Adds one attribute with its values.
static bool build_attrib(RvHouFile* file, RvOwner owner, const RvHouAttrib* from, RvDetail* detail) {
  size_t in_file = (size_t)file->count[owner];
  size_t count = rv_detail_count(detail, owner);
  size_t size = (size_t)from->size;
  RvStorage storage = from->storage;
  RvTag tag = from->tag;
  RvAttrib* attrib = NULL;
  // An attribute without elements has a default of `size` values nevertheless.
  if (!rv_hou_charge(file, size, rv_storage_bytes(storage), "attribute defaults")) return false;
  // P is always three floats.
  if (owner == RV_POINT && strcmp(from->name, "P") == 0) {
    if (from->is_string || (size != 3 && size != 4) || !from->values.present)
      return rv_json_fail(file->in, file->in->at, "P must have values of size 3 or 4, not size %zu", size);
    if (size == 4) return build_hpoint(file, from, detail);
    if (storage != RV_F32)
      rv_hou_log(file, RV_LEVEL_WARNING, "P is stored as %s: it was read as fpreal32", rv_storage_name(storage));
    storage = RV_F32;
    tag = RV_TAG_POINT;
  }
  if (!from->values.present) return build_constant(file, owner, from, storage, tag, detail);
  // Values in the order of the detail's elements.
  void* values = rv_hou_decode(file, &from->values, in_file, from->size, from->is_string ? RV_STRING : storage);
  if (values && from->is_string && !check_strings(file, from, values, in_file * size)) {
    rv_free(values);
    return false;
  }
  values = reorder(file, owner, values, size * rv_storage_bytes(storage), count);
  if (!values) return false;
  // The detail takes the values.
  RvResult result;
  if (from->is_string) {
    const char** table = make_table(from);
    if (!table) {
      rv_free(values);
      return rv_hou_no_memory(file);
    }
    result = rv_detail_adopt_strings(detail, owner, from->name, from->size, values, table, from->nstring, &attrib,
                                     file->error);
    rv_free(table);
    if (!result) attrib->tag = tag;
  } else {
    result = rv_detail_adopt_attrib(detail, owner, from->name, storage, from->size, tag, values, &attrib, file->error);
  }
  if (result) return mark_failed(file);
  return from->is_string || set_default(file, from, attrib);
}

// Adds all groups of an owner.
static bool build_groups(RvHouFile* file, RvOwner owner, RvDetail* detail) {
  static const char* const keys[] = {"pointgroups", "vertexgroups", "primitivegroups"};
  for (size_t i = 0; i < file->groups[owner].count; ++i) {
    const RvHouGroup* group = &file->groups[owner].data[i];
    uint8_t* flags = rv_hou_decode_group(file, group, (size_t)file->count[owner]);
    // Decode in the file's order, then reorder as the elements are.
    flags = reorder(file, owner, flags, 1, rv_detail_count(detail, owner));
    if (!flags || rv_detail_adopt_group(detail, owner, group->name, flags, file->error)) {
      rv_error_context(file->error, "%s '%s'", keys[owner], group->name);
      return mark_failed(file);
    }
  }
  return true;
}

// Adds all attributes and groups.
static bool build_contents(RvHouFile* file, RvDetail* detail) {
  // P must be among the point attributes, or all points are at the origin.
  bool position = false;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; i < file->attribs[owner].count; ++i) {
      const RvHouAttrib* attrib = &file->attribs[owner].data[i];
      position = position || (owner == RV_POINT && strcmp(attrib->name, "P") == 0);
      if (!build_attrib(file, (RvOwner)owner, attrib, detail)) {
        rv_error_context(file->error, "%s '%s'", owner_key((RvOwner)owner), attrib->name);
        return mark_failed(file);
      }
    }
    if (owner != RV_GLOBAL && !build_groups(file, (RvOwner)owner, detail)) return false;
  }
  if (!position && file->count[RV_POINT])
    rv_hou_log(file, RV_LEVEL_WARNING, "the file has no P: all points are at the origin");
  return true;
}

RvDetail* rv_hou_build_carrier(RvHouFile* file) {
  // Build with a topology of its own, whose primitives are the packed ones.
  RvHouTopology file_topology = file->topology;
  RvHouTopology* t = &file->topology;
  size_t count = file->packed.count;
  RvDetail* detail = rv_detail_new();
  int32_t* start = rv_alloc_zero(count + 1, sizeof *start);
  uint8_t* type = rv_alloc_zero(count, 1);
  memset(t, 0, sizeof *t);
  bool good = detail && start && type && rv_array_resize(&t->source, count);
  for (size_t i = 0; good && i < count; ++i) t->source.data[i] = (int32_t)file->packed.data[i].source;
  if (good) {
    good = !rv_detail_set_topology(detail, 0, 0, count, NULL, start, type, file->error) || mark_failed(file);
  } else {
    rv_hou_no_memory(file);
    rv_free(start);
    rv_free(type);
  }
  for (size_t i = 0; good && i < file->attribs[RV_PRIM].count; ++i)
    good = build_attrib(file, RV_PRIM, &file->attribs[RV_PRIM].data[i], detail);
  good = good && build_groups(file, RV_PRIM, detail);
  // Put the topology of the file back.
  rv_array_free(&t->source);
  file->topology = file_topology;
  if (good) return detail;
  rv_detail_free(detail);
  return NULL;
}

bool rv_hou_build(RvHouFile* file, RvDetail** out) {
  if (!check_counts(file)) return false;
  RvDetail* detail = rv_detail_new();
  if (!detail) return rv_hou_no_memory(file);
  bool good = build_topology(file, detail) && build_contents(file, detail);
  // Packed primitives refer to the file's point numbers and are appended; curves refer to primitives in front of them
  // and renumber the points. So packed geometry comes first.
  if (good && file->packed.count) good = rv_hou_unpack(file, &detail);
  if (good && file->curves.count &&
      rv_hou_sample_curves(&detail, file->curves.data, file->curves.count, &file->limits->budget, file->error))
    good = mark_failed(file);
  if (good) {
    *out = detail;
    return true;
  }
  rv_detail_free(detail);
  return false;
}
