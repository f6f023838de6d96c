// A detail as USD prims: which elements belong to which prim, the properties of the schemas (points, widths, extent,
// topology) and the primvars.
#include <math.h>
#include <string.h>

#include "geo/io.h"
#include "geo/usda.h"

// The elements of the detail that one prim consists of.
typedef struct Part {
  RvUsdaKind kind;
  size_t npoint, nvertex, nprim;
  int32_t* point;   // the detail's point of each point of the prim; curves have a point for each vertex
  int32_t* vertex;  // the detail's vertex of each vertex of the prim
  int32_t* prim;    // the detail's primitive of each curve or face
} Part;

enum {
  MIN_CURVE_VERTICES = 2,
  MIN_FACE_VERTICES = 3,
};

// True if a primitive belongs to a prim of this kind. Primitives with too few vertices belong to none.
static bool belongs(const RvDetail* detail, size_t prim, RvUsdaKind kind) {
  const int32_t* start = rv_detail_prim_start(detail);
  int32_t n = start[prim + 1] - start[prim];
  RvPrimType type = rv_detail_prim_type(detail, prim);
  return kind == RV_USDA_CURVES ? type == RV_PRIM_CURVE && n >= MIN_CURVE_VERTICES
                                : kind == RV_USDA_MESH && type == RV_PRIM_POLYGON && n >= MIN_FACE_VERTICES;
}

// Frees the lists.
static void free_part(Part* part) {
  rv_free(part->point);
  rv_free(part->vertex);
  rv_free(part->prim);
}

// Lists the primitives and vertices of a prim. False when out of memory.
static bool collect_prims(Part* part, const RvDetail* detail) {
  const int32_t* start = rv_detail_prim_start(detail);
  for (size_t i = 0; i < detail->count[RV_PRIM]; ++i) {
    if (!belongs(detail, i, part->kind)) continue;
    ++part->nprim;
    part->nvertex += (size_t)(start[i + 1] - start[i]);
  }
  part->prim = rv_alloc(part->nprim, sizeof *part->prim);
  part->vertex = rv_alloc(part->nvertex, sizeof *part->vertex);
  if (!part->prim || !part->vertex) return false;
  // Count, then list.
  size_t prim = 0, vertex = 0;
  for (size_t i = 0; i < detail->count[RV_PRIM]; ++i) {
    if (!belongs(detail, i, part->kind)) continue;
    part->prim[prim++] = (int32_t)i;
    for (int32_t v = start[i]; v < start[i + 1]; ++v) part->vertex[vertex++] = v;
  }
  return true;
}

// Lists the points of a prim: for curves one a vertex, for a mesh the used points in order, for points those that
// neither curves nor mesh use. False when out of memory.
static bool collect_points(Part* part, const RvDetail* detail) {
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* vertex_point = rv_detail_vertex_point(detail);
  size_t npoint = detail->count[RV_POINT];
  // Curves: points that several vertices share are repeated.
  if (part->kind == RV_USDA_CURVES) {
    part->npoint = part->nvertex;
    part->point = rv_alloc(part->npoint, sizeof *part->point);
    for (size_t i = 0; part->point && i < part->npoint; ++i) part->point[i] = vertex_point[part->vertex[i]];
    return part->point != NULL;
  }
  // Mesh and points: mark the points that the primitives use.
  uint8_t* used = rv_alloc_zero(npoint, 1);
  part->point = rv_alloc(npoint, sizeof *part->point);
  bool ok = used && part->point;
  for (size_t i = 0; ok && i < detail->count[RV_PRIM]; ++i) {
    bool uses_points = part->kind == RV_USDA_MESH
                           ? belongs(detail, i, RV_USDA_MESH)
                           : belongs(detail, i, RV_USDA_MESH) || belongs(detail, i, RV_USDA_CURVES);
    for (int32_t v = start[i]; uses_points && v < start[i + 1]; ++v) used[vertex_point[v]] = 1;
  }
  // The point of a camera node is no particle.
  float eye[3];
  const float* position = rv_detail_f32(detail, RV_POINT, "P", 3);
  bool camera = part->kind == RV_USDA_POINTS && position && rv_usda_camera_eye(detail, eye);
  for (size_t i = 0; ok && i < npoint; ++i) {
    if (camera && memcmp(position + 3 * i, eye, sizeof eye) == 0) continue;
    if (used[i] == (part->kind == RV_USDA_MESH)) part->point[part->npoint++] = (int32_t)i;
  }
  rv_free(used);
  return ok;
}

//---------------------------------------------------------------------------------------------- schema properties

// Adds a float3 point attribute (NULL: nothing) as a property of the schema.
static RvResult add_vectors(RvUsda* usda, const Part* part, const float* values, const char* name, const char* type,
                            RvError* error) {
  if (!values) return RV_OK;
  rv_usda_put(usda, "[");
  // Tuples in parentheses.
  for (size_t i = 0; i < part->npoint; ++i) {
    const float* p = values + 3 * (size_t)part->point[i];
    rv_usda_put(usda, i ? ", (" : "(");
    for (int c = 0; c < 3; ++c) {
      if (c) rv_usda_put(usda, ", ");
      rv_usda_put_f32(usda, p[c]);
    }
    rv_usda_put(usda, ")");
  }
  rv_usda_put(usda, "]");
  RvResult result = rv_usda_sample(usda, part->kind, name, name, type, "", error);
  if (!result) rv_usda_set_missing(usda, part->kind, name, RV_POINT, 1, "(0, 0, 0)");
  return result;
}

// The attribute that widths (diameters) come from; all zero if there is none.
typedef struct Width {
  const float* values;
  double scale;      // width of a value: 2 for radii
  bool per_prim;     // a primitive attribute, else a point attribute
  const char* name;  // of the attribute
} Width;

// The first attribute that gives widths: curves ask for the drawn width before the mechanical radius, and also on
// primitives; points ask for pscale first. A mesh has no widths.
static Width find_width(const RvDetail* detail, RvUsdaKind kind) {
  typedef struct Source {
    const char* name;
    double scale;
  } Source;
  static const Source curves[] = {{"width", 1}, {"hairradius", 2}, {"pscale", 2}};
  static const Source points[] = {{"pscale", 2}, {"width", 1}};
  size_t count = kind == RV_USDA_CURVES   ? sizeof curves / sizeof *curves
                 : kind == RV_USDA_POINTS ? sizeof points / sizeof *points
                                          : 0;
  for (size_t i = 0; i < count; ++i) {
    const char* name = kind == RV_USDA_CURVES ? curves[i].name : points[i].name;
    double scale = kind == RV_USDA_CURVES ? curves[i].scale : points[i].scale;
    // Points first, then primitives.
    const float* values = rv_detail_f32(detail, RV_POINT, name, 1);
    if (values) return (Width){values, scale, false, name};
    values = kind == RV_USDA_CURVES ? rv_detail_f32(detail, RV_PRIM, name, 1) : NULL;
    if (values) return (Width){values, scale, true, name};
  }
  return (Width){0};
}

// Adds the widths; *widest becomes the largest one.
static RvResult add_widths(RvUsda* usda, const Part* part, Width width, double* widest, RvError* error) {
  if (!width.values) return RV_OK;
  rv_usda_put(usda, "[");
  size_t count = width.per_prim ? part->nprim : part->npoint;
  for (size_t i = 0; i < count; ++i) {
    double value = (double)width.values[width.per_prim ? part->prim[i] : part->point[i]] * width.scale;
    if (isfinite(value) && value > *widest) *widest = value;
    if (i) rv_usda_put(usda, ", ");
    rv_usda_put_f32(usda, (float)value);
  }
  rv_usda_put(usda, "]");
  const char* metadata = width.per_prim ? "interpolation = \"uniform\"" : "interpolation = \"vertex\"";
  return rv_usda_sample(usda, part->kind, "widths", "widths", "float[]", metadata, error);
}

// Adds the bounding box of the finite points, extended by half the largest width. Nothing if there are none.
static RvResult add_extent(RvUsda* usda, const Part* part, const RvDetail* detail, double widest, RvError* error) {
  const float* position = rv_detail_f32(detail, RV_POINT, "P", 3);
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  // Box of the points.
  for (size_t i = 0; i < part->npoint; ++i) {
    const float* p = position + 3 * (size_t)part->point[i];
    for (int c = 0; c < 3; ++c) {
      if (!isfinite(p[c])) continue;
      if (p[c] < lo[c]) lo[c] = p[c];
      if (p[c] > hi[c]) hi[c] = p[c];
    }
  }
  if (!(lo[0] <= hi[0] && lo[1] <= hi[1] && lo[2] <= hi[2])) return RV_OK;
  // The two corners.
  for (int side = 0; side < 2; ++side) {
    rv_usda_put(usda, side ? "), (" : "[(");
    for (int c = 0; c < 3; ++c) {
      if (c) rv_usda_put(usda, ", ");
      rv_usda_put_f32(usda, (float)(side ? hi[c] + widest / 2 : lo[c] - widest / 2));
    }
  }
  rv_usda_put(usda, ")]");
  return rv_usda_sample(usda, part->kind, "extent", "extent", "float3[]", "", error);
}

// Adds the vertex count of each curve or face.
static RvResult add_counts(RvUsda* usda, const Part* part, const RvDetail* detail, RvError* error) {
  const int32_t* start = rv_detail_prim_start(detail);
  rv_usda_put(usda, "[");
  for (size_t i = 0; i < part->nprim; ++i) {
    if (i) rv_usda_put(usda, ", ");
    rv_usda_put_int(usda, start[part->prim[i] + 1] - start[part->prim[i]]);
  }
  rv_usda_put(usda, "]");
  const char* name = part->kind == RV_USDA_MESH ? "faceVertexCounts" : "curveVertexCounts";
  return rv_usda_sample(usda, part->kind, name, name, "int[]", "", error);
}

// Adds the points of all faces, numbered within the prim.
static RvResult add_face_indices(RvUsda* usda, const Part* part, const RvDetail* detail, RvError* error) {
  int32_t* prim_index = rv_alloc(detail->count[RV_POINT], sizeof *prim_index);
  if (!prim_index) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Number of each used point within the prim.
  for (size_t i = 0; i < part->npoint; ++i) prim_index[part->point[i]] = (int32_t)i;
  const int32_t* vertex_point = rv_detail_vertex_point(detail);
  rv_usda_put(usda, "[");
  for (size_t i = 0; i < part->nvertex; ++i) {
    if (i) rv_usda_put(usda, ", ");
    rv_usda_put_int(usda, prim_index[vertex_point[part->vertex[i]]]);
  }
  rv_usda_put(usda, "]");
  rv_free(prim_index);
  return rv_usda_sample(usda, part->kind, "faceVertexIndices", "faceVertexIndices", "int[]", "", error);
}

// Adds the ids of points, an int32 or int64 attribute.
static RvResult add_ids(RvUsda* usda, const Part* part, const RvAttrib* id, RvError* error) {
  rv_usda_put(usda, "[");
  for (size_t i = 0; i < part->npoint; ++i) {
    size_t at = (size_t)part->point[i];
    if (i) rv_usda_put(usda, ", ");
    rv_usda_put_int(
        usda, id->storage == RV_I64 ? ((const int64_t*)id->values->data)[at] : ((const int32_t*)id->values->data)[at]);
  }
  rv_usda_put(usda, "]");
  return rv_usda_sample(usda, part->kind, "ids", "ids", "int64[]", "", error);
}

//---------------------------------------------------------------------------------------------- primvars

// Adds a group as a primvar of bools named group_<name>.
static RvResult add_group(RvUsda* usda, const Part* part, const RvGroup* group, const int32_t* index, size_t count,
                          const char* interpolation, RvError* error) {
  const uint8_t* values = group->values->data;
  rv_usda_put(usda, "[");
  for (size_t i = 0; i < count; ++i) {
    if (i) rv_usda_put(usda, ", ");
    rv_usda_put(usda, values[index[i]] ? "1" : "0");
  }
  rv_usda_put(usda, "]");
  // Its key has the owner, as groups of two owners may have one name.
  char* key = rv_strf("%d group_%s", (int)group->owner, group->name);
  char* wanted = rv_strf("group_%s", group->name);
  char* name = key && wanted ? rv_usda_unique_name(usda, part->kind, key, wanted, group->owner) : NULL;
  char* metadata = rv_strf("interpolation = \"%s\"", interpolation);
  RvResult result = name && metadata ? rv_usda_sample(usda, part->kind, key, name, "bool[]", metadata, error)
                                     : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) rv_usda_set_missing(usda, part->kind, key, group->owner, 1, "0");
  rv_free(key);
  rv_free(wanted);
  rv_free(name);
  rv_free(metadata);
  return result;
}

// True if a property of the schema contains the attribute already, so that it is no primvar.
static bool is_schema_property(const RvAttrib* attrib, RvUsdaKind kind, Width width) {
  bool point = attrib->owner == RV_POINT;
  bool floats3 = attrib->storage == RV_F32 && attrib->size == 3;
  const char* name = attrib->name;
  if (point && floats3 && (strcmp(name, "P") == 0 || strcmp(name, "v") == 0 || strcmp(name, "accel") == 0)) return true;
  if (kind == RV_USDA_POINTS && point && strcmp(name, "id") == 0 && attrib->size == 1 &&
      (attrib->storage == RV_I32 || attrib->storage == RV_I64))
    return true;
  return width.name && strcmp(name, width.name) == 0 && attrib->owner == (width.per_prim ? RV_PRIM : RV_POINT);
}

// Adds all other attributes and all groups as primvars.
static RvResult add_primvars(RvUsda* usda, const Part* part, const RvDetail* detail, Width width, RvError* error) {
  // For each owner the elements of the prim and USD's word for how its values are spread.
  const int32_t* index[RV_OWNER_COUNT] = {part->point, part->vertex, part->prim, NULL};
  size_t count[RV_OWNER_COUNT] = {part->npoint, part->nvertex, part->nprim, 1};
  const char* interpolation[RV_OWNER_COUNT] = {"vertex", part->kind == RV_USDA_MESH ? "faceVarying" : "vertex",
                                               "uniform", "constant"};
  RvResult result = RV_OK;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    // A Points prim has neither vertices nor primitives.
    if (part->kind == RV_USDA_POINTS && (owner == RV_VERTEX || owner == RV_PRIM)) continue;
    for (size_t i = 0; !result && i < detail->attribs[owner].count; ++i) {
      const RvAttrib* attrib = detail->attribs[owner].data[i];
      if (is_schema_property(attrib, part->kind, width) || strncmp(attrib->name, "rv_cam_", 7) == 0) continue;
      result = rv_usda_add_primvar(usda, part->kind, attrib, index[owner], count[owner], interpolation[owner], error);
    }
    for (size_t i = 0; !result && i < detail->groups[owner].count; ++i)
      result =
          add_group(usda, part, detail->groups[owner].data[i], index[owner], count[owner], interpolation[owner], error);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- all

// Adds all properties of one prim.
static RvResult add_part(RvUsda* usda, const Part* part, const RvDetail* detail, RvError* error) {
  Width width = find_width(detail, part->kind);
  double widest = 0;
  RvResult result = RV_OK;
  // Topology, points, velocities and accelerations, widths and extent, ids; then the primvars.
  if (part->kind != RV_USDA_POINTS) result = add_counts(usda, part, detail, error);
  if (!result && part->kind == RV_USDA_MESH) result = add_face_indices(usda, part, detail, error);
  if (!result) result = add_vectors(usda, part, rv_detail_f32(detail, RV_POINT, "P", 3), "points", "point3f[]", error);
  if (!result)
    result = add_vectors(usda, part, rv_detail_f32(detail, RV_POINT, "v", 3), "velocities", "vector3f[]", error);
  if (!result)
    result = add_vectors(usda, part, rv_detail_f32(detail, RV_POINT, "accel", 3), "accelerations", "vector3f[]", error);
  if (!result) result = add_widths(usda, part, width, &widest, error);
  if (!result) result = add_extent(usda, part, detail, widest, error);
  const RvAttrib* id = rv_detail_find(detail, RV_POINT, "id");
  bool is_integer = id && id->size == 1 && (id->storage == RV_I32 || id->storage == RV_I64);
  if (!result && is_integer && part->kind == RV_USDA_POINTS) result = add_ids(usda, part, id, error);
  return result ? result : add_primvars(usda, part, detail, width, error);
}

RvResult rv_usda_add_detail(RvUsda* usda, const RvDetail* detail, RvError* error) {
  RvResult result = rv_usda_add_grids(usda, detail, error);
  if (!result) result = rv_usda_add_camera(usda, detail, error);
  for (int kind = 0; !result && kind <= RV_USDA_POINTS; ++kind) {
    Part part = {.kind = (RvUsdaKind)kind};
    bool ok = collect_prims(&part, detail) && collect_points(&part, detail);
    // A prim without points is left out of this frame.
    bool present = part.npoint > 0;
    RvUsdaCounts counts = {{part.npoint, part.nvertex, part.nprim, present}};
    if (!ok || !rv_array_push(&usda->counts[kind], counts)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (!result && present) result = add_part(usda, &part, detail, error);
    free_part(&part);
  }
  return result;
}
