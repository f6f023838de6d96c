// Packed geometry of a Houdini file is unpacked: every packed primitive becomes a copy of the geometry embedded in the
// file, transformed by the primitive's matrix, pivot and point. The copy inherits those attributes and groups of the
// packed primitive that it does not have itself.
#include <stdlib.h>
#include <string.h>

#include "geo/houdini_read.h"
#include "math/vec.h"

enum {
  BYTE_OF_MINUS_ONE = 0xff,
  FRAGMENT_BYTES = 256,  // charged for a primitive of a fragment beside its share of the geometry
  BLOCK_BYTES = 256,     // charged for an inherited attribute: three blocks of memory, each rounded up
};

//---------------------------------------------------------------------------------------------- transform

// The transform of a copy. Row vectors are multiplied from the left, as in Houdini: out = (in - pivot) * m + origin.
typedef struct Placement {
  double vector[9];  // for points and vectors, row major
  double normal[9];  // for normals: the inverse transposed
  double pivot[3];
  double origin[3];  // the point of the packed primitive
  RvQuat rotation;   // its rotation, for quaternions
} Placement;

// The rotation in a matrix: its rows, made orthonormal from the first on (Gram-Schmidt). Identity for a mirroring or
// singular matrix, which has none.
static RvQuat rotation_of(const double* a) {
  RvVec3 none = rv_vec3(0, 0, 0);
  RvVec3 x = rv_normalize(rv_vec3(a[0], a[1], a[2]), none);
  RvVec3 y = rv_vec3(a[3], a[4], a[5]);
  y = rv_normalize(rv_sub(y, rv_scale(x, rv_dot(x, y))), none);
  RvVec3 z = rv_cross(x, y);
  // The third row must lie on the side that a rotation gives.
  if (!(rv_dot(z, rv_vec3(a[6], a[7], a[8])) > 0)) return rv_quat_identity();
  return rv_quat_from_matrix((RvMat3){{x, y, z}});
}

// The transform of a packed primitive at `point`.
static Placement make_placement(const RvHouPacked* packed, const float* point) {
  Placement m;
  const double* a = packed->transform;
  double* n = m.normal;
  memcpy(m.vector, a, sizeof m.vector);
  memcpy(m.pivot, packed->pivot, sizeof m.pivot);
  for (int c = 0; c < 3; ++c) m.origin[c] = (double)point[c];
  // Inverse transposed: the cofactors divided by the determinant. A singular matrix uses the matrix itself.
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int r = (i + 1) % 3, s = (i + 2) % 3, t = (j + 1) % 3, u = (j + 2) % 3;
      n[3 * i + j] = a[3 * r + t] * a[3 * s + u] - a[3 * r + u] * a[3 * s + t];
    }
  double det = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
  for (int i = 0; i < 9; ++i) n[i] = det != 0 ? n[i] / det : a[i];
  m.rotation = rotation_of(a);
  return m;
}

// Transforms points, vectors or normals of three components in place.
static void transform_vectors(const Placement* m, RvTag tag, RvStorage storage, size_t count, void* values) {
  const double* a = tag == RV_TAG_NORMAL ? m->normal : m->vector;
  // In double, whatever the storage; only points are moved by pivot and origin.
  for (size_t i = 0; i < count; ++i) {
    float* single = (float*)values + 3 * i;
    double* wide = (double*)values + 3 * i;
    double in[3], out[3];
    for (int c = 0; c < 3; ++c) in[c] = storage == RV_F64 ? wide[c] : (double)single[c];
    if (tag == RV_TAG_POINT)
      for (int c = 0; c < 3; ++c) in[c] -= m->pivot[c];
    for (int c = 0; c < 3; ++c) {
      out[c] = in[0] * a[c] + in[1] * a[3 + c] + in[2] * a[6 + c];
      if (tag == RV_TAG_POINT) out[c] += m->origin[c];
      if (storage == RV_F64)
        wide[c] = out[c];
      else
        single[c] = (float)out[c];
    }
  }
}

// Rotates quaternions (x, y, z, w) in place.
static void rotate_quaternions(RvQuat rotation, RvStorage storage, size_t count, void* values) {
  for (size_t i = 0; i < count; ++i) {
    float* single = (float*)values + 4 * i;
    double* wide = (double*)values + 4 * i;
    double q[4];
    for (int c = 0; c < 4; ++c) q[c] = storage == RV_F64 ? wide[c] : (double)single[c];
    RvQuat r = rv_quat_mul(rotation, (RvQuat){q[0], q[1], q[2], q[3]});
    const double out[4] = {r.x, r.y, r.z, r.w};
    for (int c = 0; c < 4; ++c) {
      if (storage == RV_F64)
        wide[c] = out[c];
      else
        single[c] = (float)out[c];
    }
  }
}

// Transforms all attributes of a copy by their tags. False when out of memory.
static bool transform_detail(RvDetail* detail, const Placement* placement) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner)
    for (size_t i = 0; i < rv_detail_attrib_count(detail, (RvOwner)owner); ++i) {
      const RvAttrib* attrib = rv_detail_attrib(detail, (RvOwner)owner, i);
      RvTag tag = rv_attrib_tag(attrib);
      RvStorage storage = rv_attrib_storage(attrib);
      // Which attributes are affected: real vectors and quaternions with the tag for it.
      bool is_quaternion = tag == RV_TAG_QUATERNION && rv_attrib_size(attrib) == 4;
      bool is_vector =
          (tag == RV_TAG_POINT || tag == RV_TAG_VECTOR || tag == RV_TAG_NORMAL) && rv_attrib_size(attrib) == 3;
      if ((!is_vector && !is_quaternion) || (storage != RV_F32 && storage != RV_F64)) continue;
      // Points other than P, such as rest positions, are not transformed.
      if (tag == RV_TAG_POINT && strcmp(rv_attrib_name(attrib), "P") != 0) continue;
      void* values = rv_attrib_write(rv_detail_find_mutable(detail, (RvOwner)owner, rv_attrib_name(attrib)));
      if (!values) return false;
      if (is_quaternion)
        rotate_quaternions(placement->rotation, storage, rv_attrib_count(attrib), values);
      else
        transform_vectors(placement, tag, storage, rv_attrib_count(attrib), values);
    }
  return true;
}

//---------------------------------------------------------------------------------------------- fragments

// The primitives of an embedded geometry sorted by the string of an attribute. It is kept as long as consecutive
// fragments come from the same geometry, so that n fragments cost as much as reading the geometry once.
typedef struct Buckets {
  const RvDetail* detail;
  const RvAttrib* attrib;
  int32_t* first;  // first entry in `prims` of each string of the table
  int32_t* prims;  // primitives sorted by string
  int32_t* seen;   // number of each point in the fragment being extracted, -1 if not used
} Buckets;

// Frees the arrays and resets the index.
static void free_buckets(Buckets* b) {
  rv_free(b->first);
  rv_free(b->prims);
  rv_free(b->seen);
  memset(b, 0, sizeof *b);
}

// Counting sort of the primitives by the string of an attribute, unless it is the current one. False when out of
// memory.
static bool fill_buckets(Buckets* b, const RvDetail* detail, const RvAttrib* attrib) {
  if (b->detail == detail && b->attrib == attrib) return true;
  free_buckets(b);
  size_t texts = rv_attrib_string_count(attrib);
  size_t nprim = rv_detail_count(detail, RV_PRIM);
  size_t npoint = rv_detail_count(detail, RV_POINT);
  // Two entries more than strings: the counts are summed in place and then shifted by the insertion.
  *b = (Buckets){.detail = detail,
                 .attrib = attrib,
                 .first = rv_alloc_zero(texts + 2, sizeof(int32_t)),
                 .prims = rv_alloc(nprim, sizeof(int32_t)),
                 .seen = rv_alloc(npoint, sizeof(int32_t))};
  if (!b->first || !b->prims || !b->seen) return false;
  memset(b->seen, BYTE_OF_MINUS_ONE, npoint * sizeof(int32_t));
  const int32_t* index = rv_attrib_read(attrib);
  for (size_t i = 0; i < nprim; ++i)
    if (index[i] >= 0) ++b->first[index[i] + 2];
  for (size_t t = 2; t < texts + 2; ++t) b->first[t] += b->first[t - 1];
  for (size_t i = 0; i < nprim; ++i)
    if (index[i] >= 0) b->prims[b->first[index[i] + 1]++] = (int32_t)i;
  return true;
}

typedef RV_ARRAY(int32_t) Int32Array;

// The elements of a fragment by their numbers in the geometry, and its topology.
typedef struct Fragment {
  Int32Array point;         // point of the geometry of each new point
  Int32Array vertex;        // vertex of the geometry of each new vertex
  Int32Array vertex_point;  // new point of each new vertex
  Int32Array start;         // first vertex of each new primitive, and the end
  uint8_t* type;            // RvPrimType of each new primitive
} Fragment;

// Collects the vertices of some primitives and numbers their points in the order of first use. False when out of
// memory.
static bool collect_fragment(Buckets* b, const int32_t* prims, size_t nprim, Fragment* f) {
  const RvDetail* from = b->detail;
  const int32_t* start = rv_detail_prim_start(from);
  const int32_t* points = rv_detail_vertex_point(from);
  f->type = rv_alloc(nprim, 1);
  bool good = f->type && rv_array_push(&f->start, 0);
  for (size_t i = 0; good && i < nprim; ++i) {
    f->type[i] = (uint8_t)rv_detail_prim_type(from, (size_t)prims[i]);
    for (int32_t v = start[prims[i]]; good && v < start[prims[i] + 1]; ++v) {
      int32_t* seen = &b->seen[points[v]];
      if (*seen < 0) {
        *seen = (int32_t)f->point.count;
        good = rv_array_push(&f->point, points[v]);
      }
      good = good && rv_array_push(&f->vertex, v) && rv_array_push(&f->vertex_point, *seen);
    }
    good = good && rv_array_push(&f->start, (int32_t)f->vertex.count);
  }
  // Reset the marks for the next fragment.
  for (size_t i = 0; i < f->point.count; ++i) b->seen[f->point.data[i]] = -1;
  return good;
}

// A detail of its own from some primitives of an embedded geometry and the points that they use. NULL with `error`
// filled on failure.
static RvDetail* extract(Buckets* b, const int32_t* prims, size_t nprim, RvError* error) {
  const RvDetail* from = b->detail;
  Fragment f = {0};
  RvDetail* detail = rv_detail_new();
  bool good = collect_fragment(b, prims, nprim, &f) && detail;
  // Set the topology, which takes its arrays, then gather all attributes and groups.
  if (!good) {
    rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_array_free(&f.vertex_point);
    rv_array_free(&f.start);
    rv_free(f.type);
  } else {
    good = !rv_detail_set_topology(detail, f.point.count, f.vertex.count, nprim, f.vertex_point.data, f.start.data,
                                   f.type, error);
  }
  const int32_t zero = 0;
  good = good && !rv_detail_gather(detail, RV_POINT, 0, f.point.count, from, f.point.data, NULL, error) &&
         !rv_detail_gather(detail, RV_VERTEX, 0, f.vertex.count, from, f.vertex.data, NULL, error) &&
         !rv_detail_gather(detail, RV_PRIM, 0, nprim, from, prims, NULL, error) &&
         !rv_detail_gather(detail, RV_GLOBAL, 0, 1, from, &zero, NULL, error);
  rv_array_free(&f.point);
  rv_array_free(&f.vertex);
  if (good) return detail;
  rv_detail_free(detail);
  return NULL;
}

//---------------------------------------------------------------------------------------------- unpacking

// Order of embedded geometries by id, for sorting and searching.
static int by_id(const void* a, const void* b) {
  return strcmp(((const RvHouEmbedded*)a)->id, ((const RvHouEmbedded*)b)->id);
}

// The geometry of a packed primitive: a copy of the embedded one, or the extracted fragment. NULL on failure, and with
// *missing set if the file does not contain it.
static RvDetail* instance(RvHouFile* file, const RvHouPacked* packed, Buckets* buckets, bool* missing) {
  RvHouEmbedded key = {.id = packed->embedded};
  const RvHouEmbedded* found =
      file->embedded.count ? bsearch(&key, file->embedded.data, file->embedded.count, sizeof key, by_id) : NULL;
  *missing = !found;
  if (!found) return NULL;
  // The whole geometry.
  if (!packed->attribute) {
    if (!rv_hou_charge(file, rv_detail_bytes(found->detail), 1, "unpacked geometry")) return NULL;
    return rv_detail_copy(found->detail);
  }
  // A fragment: the primitives whose string attribute has the fragment's name.
  const RvAttrib* attrib = rv_detail_find(found->detail, RV_PRIM, packed->attribute);
  *missing = !attrib || rv_attrib_storage(attrib) != RV_STRING || rv_attrib_size(attrib) != 1;
  if (*missing || !fill_buckets(buckets, found->detail, attrib)) return NULL;
  int32_t text = rv_strings_find(attrib->strings, packed->name);
  size_t begin = text < 0 ? 0 : (size_t)buckets->first[text];
  size_t end = text < 0 ? 0 : (size_t)buckets->first[text + 1];
  size_t nprim = rv_detail_count(found->detail, RV_PRIM);
  size_t share = nprim ? rv_detail_bytes(found->detail) / nprim : 0;
  if (!rv_hou_charge(file, end - begin + 1, share + FRAGMENT_BYTES, "unpacked fragments")) return NULL;
  return extract(buckets, buckets->prims + begin, end - begin, file->error);
}

// Bytes that inheriting from the carrier adds to a copy of `nprim` primitives. A copy without primitives gets the
// attributes as well.
static size_t inherited_bytes(const RvDetail* carrier, size_t nprim) {
  size_t bytes = 0;
  for (size_t i = 0; i < rv_detail_attrib_count(carrier, RV_PRIM); ++i) {
    const RvAttrib* attrib = rv_detail_attrib(carrier, RV_PRIM, i);
    bytes += BLOCK_BYTES + strlen(attrib->name) + (nprim + 1) * attrib->stride;
  }
  for (size_t i = 0; i < rv_detail_group_count(carrier, RV_PRIM); ++i)
    bytes += BLOCK_BYTES + strlen(rv_group_name(rv_detail_group(carrier, RV_PRIM, i))) + nprim;
  return bytes;
}

// Gives a copy the attributes and groups of its packed primitive (row of the carrier) that it lacks.
static bool inherit(RvHouFile* file, RvDetail* copy, const RvDetail* carrier, size_t row) {
  size_t nprim = rv_detail_count(copy, RV_PRIM);
  if (!rv_hou_charge(file, inherited_bytes(carrier, nprim), 1, "attributes of packed primitives")) return false;
  // Every primitive of the copy inherits from the same row.
  int32_t* index = rv_alloc(nprim, sizeof *index);
  if (!index) return rv_hou_no_memory(file);
  for (size_t i = 0; i < nprim; ++i) index[i] = (int32_t)row;
  bool good = !rv_detail_gather_missing(copy, RV_PRIM, carrier, index, file->error);
  rv_free(index);
  return good;
}

// Merges all copies into the first, in order: pairs, then pairs of pairs, so that no copy is moved more than
// log2(count) times.
static bool merge_tree(RvDetail** copies, size_t count, RvError* error) {
  for (size_t step = 1; step < count; step *= 2)
    for (size_t i = 0; i + step < count; i += 2 * step) {
      if (rv_detail_merge(copies[i], copies[i + step], error)) return false;
      rv_detail_free(copies[i + step]);
      copies[i + step] = NULL;
    }
  return true;
}

// Removes the points of packed primitives, unless a polygon uses them too.
static bool remove_packed_points(RvHouFile* file, RvDetail* detail) {
  size_t npoint = rv_detail_count(detail, RV_POINT);
  const int32_t* points = rv_detail_vertex_point(detail);
  uint8_t* keep = rv_alloc(npoint, 1);
  if (!keep) return rv_hou_no_memory(file);
  memset(keep, 1, npoint);
  for (size_t i = 0; i < file->packed.count; ++i) {
    const RvHouPacked* packed = &file->packed.data[i];
    if (packed->embedded) keep[rv_numbers_i64(&file->vertex_point, (size_t)packed->vertex)] = 0;
  }
  // Points of polygons stay.
  for (size_t v = 0; v < rv_detail_count(detail, RV_VERTEX); ++v) keep[points[v]] = 1;
  bool good = !rv_detail_keep(detail, keep, NULL, false, file->error);
  rv_free(keep);
  return good;
}

// Makes the copy of packed primitive i, transformed and with inherited attributes. *out stays NULL, and *missing is
// counted up, if the file does not contain its geometry.
static bool unpack_one(RvHouFile* file, const RvDetail* detail, const RvDetail* carrier, size_t i, Buckets* buckets,
                       RvDetail** out, size_t* missing) {
  RvHouPacked* packed = &file->packed.data[i];
  const float* positions = rv_detail_f32(detail, RV_POINT, "P", 3);
  // The point of the packed primitive is the origin of the copy.
  if (packed->vertex < 0 || (size_t)packed->vertex >= file->vertex_point.count)
    return rv_json_fail(file->in, file->in->at, "packed geometry: vertex %lld of %zu does not exist",
                        (long long)packed->vertex, file->vertex_point.count);
  int64_t point = rv_numbers_i64(&file->vertex_point, (size_t)packed->vertex);
  if (point < 0 || point >= file->count[RV_POINT])
    return rv_json_fail(file->in, file->in->at, "packed geometry: point %lld of %lld does not exist", (long long)point,
                        (long long)file->count[RV_POINT]);
  // Copy, transform, inherit.
  bool absent = false;
  *out = instance(file, packed, buckets, &absent);
  if (absent) {
    ++*missing;
    rv_free(packed->embedded);
    packed->embedded = NULL;
    return true;
  }
  if (!*out) return file->error->code ? false : rv_hou_no_memory(file);
  Placement placement = make_placement(packed, positions + 3 * point);
  if (!transform_detail(*out, &placement)) return rv_hou_no_memory(file);
  return inherit(file, *out, carrier, i);
}

// Removes the empty entries of copies[1 .. count]; returns the number of entries with copies[0], which is empty yet.
static size_t compact_copies(RvDetail** copies, size_t count) {
  size_t kept = 1;
  for (size_t i = 1; i <= count; ++i)
    if (copies[i]) {
      RvDetail* copy = copies[i];
      copies[i] = NULL;
      copies[kept++] = copy;
    }
  return kept;
}

// Warns about packed primitives that could not be unpacked as the file asks.
static void report_packed(RvHouFile* file, size_t missing, size_t instanced) {
  if (missing)
    rv_hou_log(file, RV_LEVEL_WARNING, "%zu packed primitive(s) were skipped: their geometry is not in the file",
               missing);
  if (instanced)
    rv_hou_log(file, RV_LEVEL_WARNING,
               "%zu packed primitive(s) ask for a transform by point attributes, which is not supported: unpack them "
               "in Houdini",
               instanced);
}

bool rv_hou_unpack(RvHouFile* file, RvDetail** detail) {
  size_t count = file->packed.count;
  size_t missing = 0;
  size_t instanced = 0;
  Buckets buckets = {0};
  RvDetail* carrier = rv_hou_build_carrier(file);
  RvDetail** copies = rv_alloc_zero(count + 1, sizeof *copies);
  bool good = carrier && copies;
  if (!copies) rv_hou_no_memory(file);
  if (good && file->embedded.count)
    qsort(file->embedded.data, file->embedded.count, sizeof *file->embedded.data, by_id);
  // A copy for each packed primitive; copies[0] is for the detail itself.
  for (size_t i = 0; good && i < count; ++i) {
    instanced += file->packed.data[i].instance_transform;
    good = unpack_one(file, *detail, carrier, i, &buckets, &copies[i + 1], &missing);
  }
  good = good && remove_packed_points(file, *detail);
  // Merge: the unpacked part of the file first, then the copies in their order.
  if (good) {
    size_t kept = compact_copies(copies, count);
    copies[0] = *detail;
    *detail = NULL;
    good = merge_tree(copies, kept, file->error);
    *detail = copies[0];
    copies[0] = NULL;
  }
  if (good) report_packed(file, missing, instanced);
  for (size_t i = 0; copies && i <= count; ++i) rv_detail_free(copies[i]);
  rv_free(copies);
  rv_detail_free(carrier);
  free_buckets(&buckets);
  if (!good) file->in->failed = true;
  return good;
}
