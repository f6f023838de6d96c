// Reader of a Houdini geometry document, key by key (reference C.1). Text and binary documents differ only in their
// tokens.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geo/houdini_read.h"
#include "geo/io_houdini.h"

enum {
  MAX_MESSAGES = 64,          // messages given for a file; the others are only counted
  MESSAGE_BYTES = 1536,       // of one message; longer ones are cut
  EMPTY_DETAIL_BYTES = 4096,  // charged for each document, as a file may embed very many empty ones
};

bool rv_hou_no_memory(RvHouFile* file) {
  rv_fail(file->error, RV_NO_MEMORY, "out of memory");
  file->in->failed = true;
  return false;
}

// Memory is charged before it is allocated, so that a hostile file cannot exhaust it.
bool rv_hou_charge(RvHouFile* file, size_t count, size_t size, const char* what) {
  size_t bytes;
  if (rv_mul_ok(count, size, &bytes) && bytes <= file->limits->budget) {
    file->limits->budget -= bytes;
    return true;
  }
  rv_fail(
      file->error, RV_LIMIT,
      "%s: with %zu x %zu bytes the file would need more than %d times its size on disk plus 64 MiB: it is damaged, "
      "or must be written with fewer constant or packed parts",
      what, count, size, RV_HOU_EXPANSION);
  file->in->failed = true;
  return false;
}

// The token's length is known before the string is copied.
bool rv_hou_string(RvHouFile* file, const char* what, char** out) {
  const RvJsonToken* token = rv_json_peek(file->in);
  if (token->kind == RV_JSON_STRING && !rv_hou_charge(file, token->length + 1, 1, what)) return false;
  return rv_json_string(file->in, what, SIZE_MAX, out);
}

void rv_hou_log(RvHouFile* file, RvLevel level, const char* format, ...) {
  char text[MESSAGE_BYTES];
  if (file->limits->messages == MAX_MESSAGES) {
    ++file->limits->suppressed_messages;
    return;
  }
  ++file->limits->messages;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  rv_log(file->log, level, "%s", text);
}

// The product is clamped instead of overflowing.
size_t rv_hou_expansion_limit(size_t on_disk) {
  return on_disk <= (SIZE_MAX - RV_HOU_EXPANSION_FLOOR) / RV_HOU_EXPANSION
             ? on_disk * RV_HOU_EXPANSION + RV_HOU_EXPANSION_FLOOR
             : SIZE_MAX;
}

// Frees everything that was read.
static void free_file(RvHouFile* file) {
  rv_numbers_free(&file->vertex_point);
  // Attributes and groups.
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; i < file->attribs[owner].count; ++i) rv_hou_attrib_free(&file->attribs[owner].data[i]);
    rv_array_free(&file->attribs[owner]);
    for (size_t i = 0; i < file->groups[owner].count; ++i) {
      rv_free(file->groups[owner].data[i].name);
      rv_numbers_free(&file->groups[owner].data[i].numbers);
    }
    rv_array_free(&file->groups[owner]);
  }
  // Topology and curves.
  rv_array_free(&file->topology.start);
  rv_array_free(&file->topology.type);
  rv_array_free(&file->topology.vertex);
  rv_array_free(&file->topology.source);
  for (size_t i = 0; i < file->curves.count; ++i) rv_numbers_free(&file->curves.data[i].knots);
  rv_array_free(&file->curves);
  // Packed primitives and the geometry that they refer to.
  for (size_t i = 0; i < file->packed.count; ++i) rv_hou_packed_free(&file->packed.data[i]);
  rv_array_free(&file->packed);
  for (size_t i = 0; i < file->embedded.count; ++i) {
    rv_free(file->embedded.data[i].id);
    rv_detail_free(file->embedded.data[i].detail);
  }
  rv_array_free(&file->embedded);
  rv_array_free(&file->skipped);
}

// Fails if a key that may occur only once was seen before.
static bool check_first(RvHouFile* file, const RvJsonKey* key, bool* seen) {
  if (*seen) return rv_json_fail(file->in, key->offset, "the key '%s' appears twice", key->text);
  *seen = true;
  return true;
}

// Reads ["pointref", ["indices", [...]]]: the point of each vertex.
static bool read_topology(RvHouFile* file) {
  RvJsonKey key, inner;
  if (!rv_json_begin(file->in, "topology")) return false;
  while (rv_json_key(file->in, &key)) {
    if (!rv_json_is(&key, "pointref")) {
      if (!rv_json_skip(file->in)) return false;
      continue;
    }
    if (!rv_json_begin(file->in, "pointref")) return false;
    while (rv_json_key(file->in, &inner)) {
      // The last list counts if there are several.
      bool indices = rv_json_is(&inner, "indices");
      if (indices) rv_numbers_free(&file->vertex_point);
      if (!(indices ? rv_json_numbers(file->in, "topology", RV_ELEMENT_I64, &file->vertex_point)
                    : rv_json_skip(file->in)))
        return false;
    }
  }
  return !file->in->failed;
}

// Reads the attributes of all owners. Detail attributes have two keys, of different versions.
static bool read_attributes(RvHouFile* file) {
  static const struct {
    const char* key;
    RvOwner owner;
  } table[] = {{"vertexattributes", RV_VERTEX},
               {"pointattributes", RV_POINT},
               {"primitiveattributes", RV_PRIM},
               {"globalattributes", RV_GLOBAL},
               {"detailattributes", RV_GLOBAL}};
  RvJsonKey key;
  if (!rv_json_begin(file->in, "attributes")) return false;
  while (rv_json_key(file->in, &key)) {
    // Owner of the key, or the end of the table.
    size_t i = 0;
    while (i < sizeof table / sizeof *table && !rv_json_is(&key, table[i].key)) ++i;
    if (i < sizeof table / sizeof *table) {
      if (!rv_hou_read_attribs(file, table[i].owner, table[i].key)) return false;
    } else {
      rv_hou_log(file, RV_LEVEL_WARNING, "attributes: the unknown key '%s' was skipped", key.text);
      if (!rv_json_skip(file->in)) return false;
    }
  }
  return !file->in->failed;
}

// Skips edge groups, which are not supported, with a warning that names each.
static bool skip_edge_groups(RvHouFile* file) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "edgegroups")) return false;
  while (rv_json_more(file->in)) {
    // Only its name is read, for the warning.
    char* name = NULL;
    bool good = rv_json_begin(file->in, "an edge group") && rv_json_begin(file->in, "an edge group's definition");
    while (good && rv_json_key(file->in, &key)) {
      if (rv_json_is(&key, "name") && !name)
        good = rv_json_string(file->in, "name", RV_GEO_MAX_NAME, &name);
      else
        good = rv_json_skip(file->in);
    }
    if (good && !file->in->failed)
      rv_hou_log(file, RV_LEVEL_WARNING, "the edge group '%s' was skipped: edge groups are not supported",
                 name ? name : "");
    rv_free(name);
    while (good && rv_json_more(file->in)) good = rv_json_skip(file->in);
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads the data that primitives share: ["PackedGeometry", ["gu:embeddedgeo", id, document, ...], "Volume", [...],
// ...]. Only embedded geometry is used.
static bool read_shared(RvHouFile* file) {
  RvJsonKey key, kind;
  if (!rv_json_begin(file->in, "sharedprimitivedata")) return false;
  while (rv_json_key(file->in, &key)) {
    // Volumes and others are not supported.
    if (strncmp(key.text, "Packed", strlen("Packed")) != 0) {
      if (!rv_json_skip(file->in)) return false;
      continue;
    }
    if (!rv_json_begin(file->in, "shared data of packed primitives")) return false;
    while (rv_json_key(file->in, &kind)) {
      // One entry: its id, then a document or other data.
      RvHouEmbedded entry = {0};
      if (!rv_hou_string(file, "the id of shared data", &entry.id)) return false;
      bool good = rv_json_is(&kind, "gu:embeddedgeo")
                      ? rv_hou_read_document(file->in, file->log, file->limits, &entry.detail)
                      : rv_json_skip(file->in);
      if (!good) rv_error_context(file->error, "packed geometry '%.60s'", entry.id);
      if (good && entry.detail && rv_array_push(&file->embedded, entry)) continue;
      rv_free(entry.id);
      rv_detail_free(entry.detail);
      if (!good) return false;
      if (entry.detail) return rv_hou_no_memory(file);
    }
    if (file->in->failed) return false;
  }
  return !file->in->failed;
}

// Reads the number of elements of an owner.
static bool read_count(RvHouFile* file, const RvJsonKey* key, RvOwner owner) {
  return check_first(file, key, &file->seen_count[owner]) &&
         rv_json_int(file->in, key->text, 0, RV_GEO_MAX_COUNT, &file->count[owner]);
}

// Reads or skips the value of one top-level key.
static bool read_key(RvHouFile* file, const RvJsonKey* key) {
  if (rv_json_is(key, "pointcount")) return read_count(file, key, RV_POINT);
  if (rv_json_is(key, "vertexcount")) return read_count(file, key, RV_VERTEX);
  if (rv_json_is(key, "primitivecount")) return read_count(file, key, RV_PRIM);
  if (rv_json_is(key, "topology")) return check_first(file, key, &file->seen_topology) && read_topology(file);
  if (rv_json_is(key, "attributes")) return check_first(file, key, &file->seen_attributes) && read_attributes(file);
  if (rv_json_is(key, "primitives"))
    return check_first(file, key, &file->seen_primitives) && rv_hou_read_primitives(file);
  if (rv_json_is(key, "pointgroups")) return rv_hou_read_groups(file, RV_POINT, key->text);
  if (rv_json_is(key, "vertexgroups")) return rv_hou_read_groups(file, RV_VERTEX, key->text);
  if (rv_json_is(key, "primitivegroups")) return rv_hou_read_groups(file, RV_PRIM, key->text);
  if (rv_json_is(key, "edgegroups")) return skip_edge_groups(file);
  if (rv_json_is(key, "sharedprimitivedata")) return read_shared(file);
  // Keys without meaning for us are skipped silently, unknown ones with a warning.
  static const char* const silent[] = {"fileversion", "hasindex", "info", "index", "indexposition"};
  for (size_t i = 0; i < sizeof silent / sizeof *silent; ++i)
    if (rv_json_is(key, silent[i])) return rv_json_skip(file->in);
  rv_hou_log(file, RV_LEVEL_WARNING, "the unknown key '%s' was skipped", key->text);
  return rv_json_skip(file->in);
}

// Warns about primitives of unsupported types, once for each type. Points of particle systems are kept, so those are no
// loss.
static void report_skipped(RvHouFile* file) {
  for (size_t i = 0; i < file->skipped.count; ++i) {
    const RvHouSkipped* entry = &file->skipped.data[i];
    if (strcmp(entry->type, "Part") == 0 || strcmp(entry->type, "ParticleSystem") == 0)
      rv_hou_log(file, RV_LEVEL_INFO, "%zu particle system(s) became plain points", entry->count);
    else
      rv_hou_log(file, RV_LEVEL_WARNING,
                 "%zu primitive(s) of type '%s' were skipped, their points kept: this type is not supported",
                 entry->count, entry->type);
  }
}

bool rv_hou_read_document(RvJsonIn* in, const RvLog* log, RvHouLimits* limits, RvDetail** out) {
  RvHouFile file = {.in = in, .log = log, .error = in->error, .limits = limits};
  RvJsonKey key;
  file.count[RV_GLOBAL] = 1;
  // Even an empty detail takes memory, and a file may contain many.
  bool good = rv_hou_charge(&file, 1, EMPTY_DETAIL_BYTES, "a geometry") && rv_json_begin(in, "a geometry file");
  // Read all keys in order, then build the detail.
  while (good && rv_json_key(in, &key)) good = read_key(&file, &key);
  good = good && !in->failed;
  if (good && (!file.seen_count[RV_POINT] || !file.seen_count[RV_VERTEX] || !file.seen_count[RV_PRIM]))
    good = rv_json_fail(in, in->at, "not a geometry file: pointcount, vertexcount or primitivecount is missing");
  good = good && rv_hou_build(&file, out);
  if (good) report_skipped(&file);
  free_file(&file);
  return good;
}

RvResult rv_houdini_read(const void* bytes, size_t count, size_t on_disk, const char* what, RvDetail** out,
                         const RvLog* log, RvError* error) {
  RvError local = {0};
  RvJsonIn in;
  if (!error) error = &local;
  // What a container decompressed to counts against the limit.
  size_t limit = rv_hou_expansion_limit(on_disk);
  size_t decompressed = count > on_disk ? count - on_disk : 0;
  RvHouLimits limits = {.budget = decompressed < limit ? limit - decompressed : 0};
  *out = NULL;
  bool good = rv_json_open(&in, bytes, count, what, error) && rv_hou_read_document(&in, log, &limits, out);
  // Bytes behind the document are no error.
  RvJsonToken token;
  if (good && rv_json_next(&in, &token) != RV_JSON_END) {
    rv_log(log, RV_LEVEL_WARNING, "%zu bytes after the end of the geometry were ignored", count - token.offset);
    *error = (RvError){0};
  }
  if (good && limits.suppressed_messages)
    rv_log(log, RV_LEVEL_WARNING, "%zu more messages were left out", limits.suppressed_messages);
  rv_json_close(&in);
  return good ? RV_OK : error->code ? error->code : rv_fail(error, RV_INTERNAL, "the reader failed without a reason");
}
