// Primitive records of a Houdini file: runs of polygons, old runs with varying fields, and single records (reference
// C.1, C.2).
#include <string.h>

#include "geo/houdini_read.h"

enum {
  DEFAULT_ORDER = 4,  // of a curve without one: cubic
  MAX_ORDER = 32,     // of a curve; more is read as its control polygon (houdini_curve.c has arrays of this size)
  TETRA_VERTICES = 4,
  MAX_SKIPPED_TYPES = 32,   // unsupported types that are listed by name, the last one for all further ones
  TRANSFORM_VALUES = 9,     // of a 3 x 3 matrix
  TRANSFORM_4_VALUES = 16,  // of a 4 x 4 matrix
};

// The fields of a record; each kind of primitive uses some of them.
typedef struct Fields {
  RvNumbers vertex;   // vertices of the file
  RvNumbers knots;    // NURBS
  RvNumbers counts;   // run: vertices of each polygon
  RvNumbers soup[3];  // soup: polygon sizes, how many of each, and the vertices of the file that they have in turn
  bool closed;
  bool rle;                 // `counts` are pairs (vertex count, repetitions)
  int64_t start;            // run: first vertex
  int64_t nprim;            // run: primitives
  int order;                // curve: degree + 1
  char* embedded;           // packed: id of the embedded geometry
  char* attribute;          // fragment: name of the attribute that selects its primitives
  char* name;               // fragment: value of that attribute
  bool instance_transform;  // packed: transform by point attributes, which is not supported
  double transform[TRANSFORM_VALUES];
  double pivot[3];
} Fields;

// Kinds of records.
typedef enum Kind {
  KIND_SKIP,
  KIND_POLYGON_RUN,
  KIND_CURVE_RUN,
  KIND_TETRA_RUN,
  KIND_POLY,
  KIND_TETRA,
  KIND_SOUP,
  KIND_NURBS,
  KIND_BEZIER,
  KIND_PACKED,
  KIND_FRAGMENT,
  KIND_PART
} Kind;

// Kind of a record by its name in any version, text and binary; KIND_SKIP for unsupported ones.
static Kind kind_from_name(const char* name) {
  static const struct {
    const char* name;
    Kind kind;
  } table[] = {{"Polygon_run", KIND_POLYGON_RUN},
               {"p_r", KIND_POLYGON_RUN},
               {"PolygonCurve_run", KIND_CURVE_RUN},
               {"c_r", KIND_CURVE_RUN},
               {"Tetrahedron_run", KIND_TETRA_RUN},
               {"t_r", KIND_TETRA_RUN},
               {"Poly", KIND_POLY},
               {"Polygon", KIND_POLY},
               {"PolygonCurve", KIND_POLY},
               {"Tetrahedron", KIND_TETRA},
               {"PolySoup", KIND_SOUP},
               {"NURBCurve", KIND_NURBS},
               {"NURBSCurve", KIND_NURBS},
               {"BezierCurve", KIND_BEZIER},
               {"RBezCurve", KIND_BEZIER},
               {"PackedGeometry", KIND_PACKED},
               {"PackedFragment", KIND_FRAGMENT},
               {"Part", KIND_PART},
               {"ParticleSystem", KIND_PART}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (strcmp(name, table[i].name) == 0) return table[i].kind;
  return KIND_SKIP;
}

// Empties a run of numbers; its own memory is kept for the next record.
static void empty_numbers(RvNumbers* numbers) {
  numbers->count = 0;
  numbers->own.used = 0;
  numbers->bytes = numbers->own.data;
}

// Sets all fields to the uniform fields of a run (`base`), or to the defaults if that is NULL.
static void reset_fields(Fields* fields, const Fields* base) {
  // Lists and strings are always emptied.
  empty_numbers(&fields->vertex);
  empty_numbers(&fields->knots);
  empty_numbers(&fields->counts);
  for (int i = 0; i < 3; ++i) empty_numbers(&fields->soup[i]);
  rv_free(fields->embedded);
  rv_free(fields->attribute);
  rv_free(fields->name);
  fields->embedded = NULL;
  fields->attribute = NULL;
  fields->name = NULL;
  // Scalars: those of the run, or defaults.
  fields->closed = base ? base->closed : false;
  fields->rle = false;
  fields->start = 0;
  fields->nprim = 0;
  fields->order = base ? base->order : DEFAULT_ORDER;
  fields->instance_transform = base && base->instance_transform;
  static const double identity[TRANSFORM_VALUES] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double zero[3];
  memcpy(fields->transform, base ? base->transform : identity, sizeof identity);
  memcpy(fields->pivot, base ? base->pivot : zero, sizeof zero);
}

// Frees all memory of the fields.
static void free_fields(Fields* fields) {
  reset_fields(fields, NULL);
  rv_numbers_free(&fields->vertex);
  rv_numbers_free(&fields->knots);
  rv_numbers_free(&fields->counts);
  for (int i = 0; i < 3; ++i) rv_numbers_free(&fields->soup[i]);
}

void rv_hou_packed_free(RvHouPacked* packed) {
  rv_free(packed->embedded);
  rv_free(packed->attribute);
  rv_free(packed->name);
}

//---------------------------------------------------------------------------------------------- reading fields

// Reads the vertices of a record: a list, or a single number.
static bool read_vertex(RvHouFile* file, RvNumbers* out) {
  RvJsonKind kind = rv_json_peek(file->in)->kind;
  empty_numbers(out);
  if (kind == RV_JSON_ARRAY || kind == RV_JSON_UNIFORM) return rv_json_numbers(file->in, "vertex", RV_ELEMENT_I64, out);
  // A single number becomes a list of one.
  int64_t one;
  if (!rv_json_int(file->in, "vertex", INT32_MIN, INT32_MAX, &one)) return false;
  if (!rv_numbers_reserve(out, RV_ELEMENT_I64, 1)) return rv_hou_no_memory(file);
  memcpy(out->own.data, &one, sizeof one);
  out->own.used = sizeof one;
  out->count = 1;
  return true;
}

// Reads order and knots of a curve.
static bool read_basis(RvHouFile* file, Fields* fields) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "basis")) return false;
  while (rv_json_key(file->in, &key)) {
    bool good;
    // An order out of range is handled when the curve is emitted.
    if (rv_json_is(&key, "order")) {
      int64_t order = 0;
      good = rv_json_int(file->in, "order", 0, INT32_MAX, &order);
      fields->order = (int)order;
    } else if (rv_json_is(&key, "knots")) {
      empty_numbers(&fields->knots);
      good = rv_json_numbers(file->in, "knots", RV_ELEMENT_F64, &fields->knots);
    } else {
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads the three lists of a polygon soup; see Fields.
static bool read_polyinfo(RvHouFile* file, Fields* fields) {
  if (!rv_json_begin(file->in, "polyinfo")) return false;
  for (int i = 0; rv_json_more(file->in); ++i) {
    if (i < 3) empty_numbers(&fields->soup[i]);
    if (!(i < 3 ? rv_json_numbers(file->in, "polyinfo", RV_ELEMENT_I64, &fields->soup[i]) : rv_json_skip(file->in)))
      return false;
  }
  return !file->in->failed;
}

// Reads the parameters of a packed primitive.
static bool read_parameters(RvHouFile* file, Fields* fields) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "parameters")) return false;
  while (rv_json_key(file->in, &key)) {
    // The strings that matter; a missing one may come from the run.
    char** text = rv_json_is(&key, "embedded")    ? &fields->embedded
                  : rv_json_is(&key, "attribute") ? &fields->attribute
                  : rv_json_is(&key, "name")      ? &fields->name
                                                  : NULL;
    bool good;
    if (text && rv_json_peek(file->in)->kind == RV_JSON_STRING) {
      rv_free(*text);
      *text = NULL;
      good = rv_hou_string(file, key.text, text);
    } else if (rv_json_is(&key, "pointinstancetransform")) {
      good = rv_json_bool(file->in, key.text, &fields->instance_transform);
    } else {
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads `count` reals; of a 4 x 4 transform the 3 x 3 part is used.
static bool read_reals(RvHouFile* file, const char* what, size_t count, double* out) {
  RvNumbers numbers = {0};
  size_t at = rv_json_peek(file->in)->offset;
  bool good = rv_json_numbers(file->in, what, RV_ELEMENT_F64, &numbers);
  // Numbers of a row in the file; rows have three used ones.
  size_t row = count == TRANSFORM_VALUES && numbers.count == TRANSFORM_4_VALUES ? 4 : 3;
  if (good && numbers.count != count && row == 3)
    good = rv_json_fail(file->in, at, "%s: %zu values where %zu are expected", what, numbers.count, count);
  for (size_t i = 0; good && i < count; ++i) out[i] = rv_numbers_f64(&numbers, i / 3 * row + i % 3);
  rv_numbers_free(&numbers);
  return good;
}

// Reads one field of a record, or skips it if it is unknown. Binary files use short keys.
static bool read_field(RvHouFile* file, const RvJsonKey* key, Fields* fields) {
  RvJsonIn* in = file->in;
  if (rv_json_is(key, "vertex")) return read_vertex(file, &fields->vertex);
  if (rv_json_is(key, "closed")) return rv_json_bool(in, "closed", &fields->closed);
  if (rv_json_is(key, "startvertex") || rv_json_is(key, "s_v"))
    return rv_json_int(in, "startvertex", 0, INT32_MAX, &fields->start);
  if (rv_json_is(key, "nprimitives") || rv_json_is(key, "n_p"))
    return rv_json_int(in, "nprimitives", 0, INT32_MAX, &fields->nprim);
  // Run: vertex counts, plain or with run lengths.
  fields->rle = fields->rle || rv_json_is(key, "nvertices_rle") || rv_json_is(key, "r_v");
  if (rv_json_is(key, "nvertices_rle") || rv_json_is(key, "r_v") || rv_json_is(key, "nvertices") ||
      rv_json_is(key, "n_v")) {
    empty_numbers(&fields->counts);
    return rv_json_numbers(in, "nvertices", RV_ELEMENT_I64, &fields->counts);
  }
  // Curves, soups and packed primitives.
  if (rv_json_is(key, "basis")) return read_basis(file, fields);
  if (rv_json_is(key, "polyinfo")) return read_polyinfo(file, fields);
  if (rv_json_is(key, "parameters")) return read_parameters(file, fields);
  if (rv_json_is(key, "transform")) return read_reals(file, "transform", TRANSFORM_VALUES, fields->transform);
  if (rv_json_is(key, "pivot")) return read_reals(file, "pivot", 3, fields->pivot);
  return rv_json_skip(in);
}

//---------------------------------------------------------------------------------------------- one primitive

// Counts primitives of an unsupported type for the warning.
static bool skip_prims(RvHouFile* file, const char* type, size_t count) {
  // They count as primitives of the file, and an entry for the type is found or added.
  file->topology.source_prims += count;
  for (size_t i = 0; i < file->skipped.count; ++i)
    if (strcmp(file->skipped.data[i].type, type) == 0) {
      file->skipped.data[i].count += count;
      return true;
    }
  // The last entry collects all types beyond the first ones, so that a hostile file cannot make the list long.
  if (file->skipped.count >= MAX_SKIPPED_TYPES) {
    file->skipped.data[MAX_SKIPPED_TYPES - 1].count += count;
    return true;
  }
  RvHouSkipped entry = {.count = count};
  strncpy(entry.type, file->skipped.count == MAX_SKIPPED_TYPES - 1 ? "other types" : type, sizeof entry.type - 1);
  return rv_array_push(&file->skipped, entry) || rv_hou_no_memory(file);
}

// The vertices of a record as int32 (rv_free), each checked against the vertex count of the file.
static bool vertex_list(RvHouFile* file, const RvNumbers* numbers, int32_t** out) {
  int32_t* list = rv_alloc(numbers->count, sizeof *list);
  if (!list) return rv_hou_no_memory(file);
  for (size_t i = 0; i < numbers->count; ++i) {
    int64_t vertex = rv_numbers_i64(numbers, i);
    if (vertex < 0 || vertex >= file->count[RV_VERTEX]) {
      rv_free(list);
      return rv_json_fail(file->in, file->in->at, "vertex %lld of %lld does not exist", (long long)vertex,
                          (long long)file->count[RV_VERTEX]);
    }
    list[i] = (int32_t)vertex;
  }
  *out = list;
  return true;
}

// A tetrahedron becomes its four triangles.
static bool emit_tetra(RvHouFile* file, size_t source, const int32_t v[TETRA_VERTICES]) {
  static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (int f = 0; f < 4; ++f) {
    int32_t triangle[3] = {v[faces[f][0]], v[faces[f][1]], v[faces[f][2]]};
    if (!rv_hou_emit(file, RV_PRIM_POLYGON, source, 3, triangle)) return false;
  }
  return true;
}

// A run of tetrahedra of consecutive vertices.
static bool emit_tetra_run(RvHouFile* file, const Fields* fields) {
  if (fields->start + TETRA_VERTICES * fields->nprim > file->count[RV_VERTEX])
    return rv_json_fail(file->in, file->in->at, "%lld tetrahedra from vertex %lld on: there are %lld vertices",
                        (long long)fields->nprim, (long long)fields->start, (long long)file->count[RV_VERTEX]);
  for (int64_t i = 0; i < fields->nprim; ++i) {
    int32_t v = (int32_t)(fields->start + TETRA_VERTICES * i);
    int32_t tetra[TETRA_VERTICES] = {v, v + 1, v + 2, v + 3};
    if (!emit_tetra(file, file->topology.source_prims++, tetra)) return false;
  }
  return true;
}

// A polygon soup becomes its polygons, which all have the soup as source. `vertices` are those of `polyinfo`: they are
// numbered as in the whole file, also where a file has several soups, and not by their place in the soup's own list.
static bool emit_soup(RvHouFile* file, const Fields* fields, const int32_t* vertices) {
  const RvNumbers* sizes = &fields->soup[0];
  const RvNumbers* counts = &fields->soup[1];
  const size_t listed = fields->soup[2].count;
  size_t at = 0;
  if (sizes->count != counts->count) return rv_json_fail(file->in, file->in->at, "polyinfo: sizes and counts differ");
  for (size_t s = 0; s < sizes->count; ++s) {
    // Each entry is a number of polygons of one size.
    int64_t size = rv_numbers_i64(sizes, s);
    int64_t count = rv_numbers_i64(counts, s);
    if (size < 1 || count < 0 || (uint64_t)size > listed || (uint64_t)count > (listed - at) / (size_t)size)
      return rv_json_fail(file->in, file->in->at, "polyinfo: %lld polygons of %lld vertices, %zu vertices left",
                          (long long)count, (long long)size, listed - at);
    for (int64_t p = 0; p < count; ++p, at += (size_t)size)
      if (!rv_hou_emit(file, RV_PRIM_POLYGON, file->topology.source_prims, (size_t)size, vertices + at)) return false;
  }
  ++file->topology.source_prims;
  return true;
}

// A NURBS or Bezier curve: its control polygon now, and an entry to sample it later.
static bool emit_curve(RvHouFile* file, const Fields* fields, const Fields* base, bool bezier,
                       const int32_t* vertices) {
  size_t prim = file->topology.nprim;
  if (!rv_hou_emit(file, RV_PRIM_CURVE, file->topology.source_prims++, fields->vertex.count, vertices)) return false;
  // A curve that cannot be sampled stays a polygon.
  if (fields->order < 2 || (size_t)fields->order > fields->vertex.count || fields->order > MAX_ORDER) {
    rv_hou_log(file, RV_LEVEL_WARNING,
               "a curve of order %d with %zu vertices is read as its control polygon: the order must be 2 to 32 and "
               "not exceed the number of vertices",
               fields->order, fields->vertex.count);
    return true;
  }
  // The entry for sampling, with knots of its own or of the run.
  RvHouCurve curve = {prim, bezier, fields->closed, fields->order, {0}};
  const RvNumbers* knots = fields->knots.count || !base ? &fields->knots : &base->knots;
  // Knots of a wrong number are not stored, as a run would copy them for every curve; sampling then uses uniform ones.
  size_t degree = (size_t)fields->order - 1;
  size_t control = fields->vertex.count + (fields->closed ? degree : 0);
  if (!rv_hou_charge(file, 1, sizeof curve, "curves")) return false;
  if (!bezier && knots->count == control + (size_t)fields->order) {
    if (!rv_hou_charge(file, knots->count, sizeof(double), "knots")) return false;
    if (!rv_numbers_reserve(&curve.knots, RV_ELEMENT_F64, knots->count)) return rv_hou_no_memory(file);
    rv_numbers_convert(knots, 0, knots->count, 1, RV_F64, curve.knots.own.data, sizeof(double));
    curve.knots.own.used = knots->count * sizeof(double);
    curve.knots.count = knots->count;
  }
  if (rv_array_push(&file->curves, curve)) return true;
  rv_numbers_free(&curve.knots);
  return rv_hou_no_memory(file);
}

// Adds a packed primitive or a fragment. Fields that the record lacks come from the run (`base`). One without a
// geometry or with several vertices is skipped.
static bool add_packed(RvHouFile* file, Kind kind, const char* type, const Fields* fields, const Fields* base) {
  const char* embedded = fields->embedded ? fields->embedded : base ? base->embedded : NULL;
  const char* attribute = fields->attribute ? fields->attribute : base ? base->attribute : NULL;
  const char* name = fields->name ? fields->name : base ? base->name : NULL;
  if (!embedded || fields->vertex.count != 1 || (kind == KIND_FRAGMENT && (!attribute || !name)))
    return skip_prims(file, type, 1);
  // Charge, then copy everything.
  size_t text_bytes = strlen(embedded) + 1;
  if (kind == KIND_FRAGMENT) text_bytes += strlen(attribute) + strlen(name) + 2;
  if (!rv_hou_charge(file, text_bytes + sizeof(RvHouPacked), 1, "packed primitives")) return false;
  RvHouPacked packed = {.source = file->topology.source_prims++, .vertex = rv_numbers_i64(&fields->vertex, 0)};
  packed.instance_transform = fields->instance_transform;
  memcpy(packed.transform, fields->transform, sizeof packed.transform);
  memcpy(packed.pivot, fields->pivot, sizeof packed.pivot);
  packed.embedded = rv_strdup(embedded);
  if (kind == KIND_FRAGMENT) {
    packed.attribute = rv_strdup(attribute);
    packed.name = rv_strdup(name);
  }
  bool ok = packed.embedded && (kind != KIND_FRAGMENT || (packed.attribute && packed.name));
  if (ok && rv_array_push(&file->packed, packed)) return true;
  rv_hou_packed_free(&packed);
  return rv_hou_no_memory(file);
}

// Adds the primitives of a complete record.
static bool add_record(RvHouFile* file, const char* type, const Fields* fields, const Fields* base) {
  Kind kind = kind_from_name(type);
  size_t nprim = (size_t)fields->nprim;
  // Runs and packed primitives.
  if (kind == KIND_POLYGON_RUN || kind == KIND_CURVE_RUN) {
    if (!rv_hou_emit_run(file, kind == KIND_CURVE_RUN ? RV_PRIM_CURVE : RV_PRIM_POLYGON, fields->start, nprim,
                         &fields->counts, fields->rle))
      return false;
    file->topology.source_prims += nprim;
    return true;
  }
  if (kind == KIND_TETRA_RUN) return emit_tetra_run(file, fields);
  if (kind == KIND_PACKED || kind == KIND_FRAGMENT) return add_packed(file, kind, type, fields, base);
  // Unsupported types; a run says how many primitives it has.
  if (kind == KIND_SKIP || kind == KIND_PART) return skip_prims(file, type, fields->nprim > 0 ? nprim : 1);
  // Single primitives with a list of vertices.
  int32_t* vertices = NULL;
  if (!vertex_list(file, kind == KIND_SOUP ? &fields->soup[2] : &fields->vertex, &vertices)) return false;
  bool good;
  if (kind == KIND_TETRA) {
    good = fields->vertex.count == TETRA_VERTICES
               ? emit_tetra(file, file->topology.source_prims++, vertices)
               : rv_json_fail(file->in, file->in->at, "a tetrahedron of %zu vertices; it must have 4",
                              fields->vertex.count);
  } else if (kind == KIND_SOUP) {
    good = emit_soup(file, fields, vertices);
  } else if (kind == KIND_NURBS || kind == KIND_BEZIER) {
    good = emit_curve(file, fields, base, kind == KIND_BEZIER, vertices);
  } else {
    bool closed = strcmp(type, "Polygon") == 0 || fields->closed;
    good = rv_hou_emit(file, closed ? RV_PRIM_POLYGON : RV_PRIM_CURVE, file->topology.source_prims++,
                       fields->vertex.count, vertices);
  }
  rv_free(vertices);
  return good;
}

//---------------------------------------------------------------------------------------------- records

// The definition of a record, its first part.
typedef struct Definition {
  RvJsonKey type;               // "run" for old runs
  RvJsonKey runtype;            // old run: type of its primitives
  RV_ARRAY(RvJsonKey) varying;  // old run: fields that each primitive lists, in order
  Fields uniform;               // old run: fields that all primitives share
} Definition;

// Reads the names of the varying fields of an old run.
static bool read_varying(RvHouFile* file, Definition* definition) {
  if (!rv_json_begin(file->in, "varyingfields")) return false;
  while (rv_json_more(file->in)) {
    RvJsonKey key;
    if (!rv_json_word(file->in, "varyingfields", &key)) return false;
    if (!rv_array_push(&definition->varying, key)) return rv_hou_no_memory(file);
  }
  return !file->in->failed;
}

// Reads the definition of a record.
static bool read_record_definition(RvHouFile* file, Definition* definition) {
  RvJsonKey key, inner;
  if (!rv_json_begin(file->in, "a primitive's definition")) return false;
  while (rv_json_key(file->in, &key)) {
    RvJsonKey* word = rv_json_is(&key, "type")      ? &definition->type
                      : rv_json_is(&key, "runtype") ? &definition->runtype
                                                    : NULL;
    bool good = true;
    if (word) {
      good = rv_json_word(file->in, key.text, word);
    } else if (rv_json_is(&key, "varyingfields")) {
      good = read_varying(file, definition);
    } else if (rv_json_is(&key, "uniformfields")) {
      good = rv_json_begin(file->in, key.text);
      while (good && rv_json_key(file->in, &inner)) good = read_field(file, &inner, &definition->uniform);
    } else {
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  // A definition needs a type, and a run the type of its primitives.
  if (file->in->failed) return false;
  if (!definition->type.text[0] || (rv_json_is(&definition->type, "run") && !definition->runtype.text[0]))
    return rv_json_fail(file->in, file->in->at, "a primitive's definition lacks its type");
  return true;
}

// Reads the primitives of an old run; each is a list of its varying fields in order.
static bool read_old_run(RvHouFile* file, Definition* definition, Fields* fields) {
  if (!rv_json_begin(file->in, "a run")) return false;
  while (rv_json_more(file->in)) {
    size_t field = 0;
    reset_fields(fields, &definition->uniform);
    if (!rv_json_begin(file->in, "a primitive of a run")) return false;
    while (rv_json_more(file->in)) {
      // More values than fields are skipped.
      bool known = field < definition->varying.count;
      if (!(known ? read_field(file, &definition->varying.data[field], fields) : rv_json_skip(file->in))) return false;
      ++field;
    }
    if (file->in->failed || !add_record(file, definition->runtype.text, fields, &definition->uniform)) return false;
  }
  return !file->in->failed;
}

// Reads one record, [definition, data]. `fields` is reused between records to save allocations.
static bool read_record(RvHouFile* file, Fields* fields) {
  RvJsonKey key;
  Definition definition = {0};
  reset_fields(&definition.uniform, NULL);
  reset_fields(fields, NULL);
  bool good = rv_json_begin(file->in, "a primitive") && read_record_definition(file, &definition);
  if (good && rv_json_is(&definition.type, "run")) {
    good = read_old_run(file, &definition, fields);
  } else if (good) {
    good = rv_json_begin(file->in, "a primitive's data");
    while (good && rv_json_key(file->in, &key)) good = read_field(file, &key, fields);
    good = good && !file->in->failed && add_record(file, definition.type.text, fields, NULL);
  }
  // Further parts are unknown.
  while (good && rv_json_more(file->in)) good = rv_json_skip(file->in);
  if (!good && definition.type.text[0])
    rv_error_context(file->error, "primitives '%.40s'",
                     definition.runtype.text[0] ? definition.runtype.text : definition.type.text);
  rv_array_free(&definition.varying);
  free_fields(&definition.uniform);
  return good && !file->in->failed;
}

bool rv_hou_read_primitives(RvHouFile* file) {
  Fields fields = {0};
  bool good = rv_json_begin(file->in, "primitives");
  while (good && rv_json_more(file->in)) good = read_record(file, &fields);
  free_fields(&fields);
  return good && !file->in->failed;
}
