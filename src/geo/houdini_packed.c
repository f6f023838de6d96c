// Packed geometry is unpacked where the file holds it: each copy is moved by its transform, pivot and point, and
// takes the attributes and groups of its packed primitive that it does not have itself.
#include <stdlib.h>
#include <string.h>

#include "geo/houdini_read.h"
#include "math/vec.h"

//---------------------------------------------------------------------------------------------- moving

// rows: what a vector and a normal are multiplied with, both from the right, as Houdini does
typedef struct Motion {
  double vector[9], normal[9], pivot[3], origin[3];
  RvQuat turn;  // the rotation in it, for quaternions
} Motion;

// the rows are the images of the axes; made square to each other from the first on
static RvQuat rotation_of(const double* a) {
  RvVec3 none = rv_vec3(0, 0, 0), x = rv_normalize(rv_vec3(a[0], a[1], a[2]), none), y = rv_vec3(a[3], a[4], a[5]);
  y = rv_normalize(rv_sub(y, rv_scale(x, rv_dot(x, y))), none);
  RvVec3 z = rv_cross(x, y);
  // a mirror image or a flat one has no rotation
  if (!(rv_dot(z, rv_vec3(a[6], a[7], a[8])) > 0)) return rv_quat_identity();
  return rv_quat_from_matrix((RvMat3){{x, y, z}});
}

static Motion make_motion(const RvHouPacked* packed, const float* point) {
  Motion m;
  const double* a = packed->transform;
  double* n = m.normal;
  memcpy(m.vector, a, sizeof m.vector);
  memcpy(m.pivot, packed->pivot, sizeof m.pivot);
  for (int c = 0; c < 3; ++c) m.origin[c] = (double)point[c];
  // cofactors over the determinant are the inverse transposed
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int r = (i + 1) % 3, s = (i + 2) % 3, t = (j + 1) % 3, u = (j + 2) % 3;
      n[3 * i + j] = a[3 * r + t] * a[3 * s + u] - a[3 * r + u] * a[3 * s + t];
    }
  double det = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
  for (int i = 0; i < 9; ++i) n[i] = det != 0 ? n[i] / det : a[i];
  m.turn = rotation_of(a);
  return m;
}

static void move_values(const Motion* m, RvTag tag, RvStorage storage, size_t count, void* values) {
  const double* a = tag == RV_TAG_NORMAL ? m->normal : m->vector;
  for (size_t i = 0; i < count; ++i) {
    float* single = (float*)values + 3 * i;
    double *wide = (double*)values + 3 * i, in[3], out[3];
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

static void turn_values(RvQuat turn, RvStorage storage, size_t count, void* values) {
  for (size_t i = 0; i < count; ++i) {
    float* single = (float*)values + 4 * i;
    double *wide = (double*)values + 4 * i, q[4];
    for (int c = 0; c < 4; ++c) q[c] = storage == RV_F64 ? wide[c] : (double)single[c];
    RvQuat r = rv_quat_mul(turn, (RvQuat){q[0], q[1], q[2], q[3]});
    const double out[4] = {r.x, r.y, r.z, r.w};
    for (int c = 0; c < 4; ++c) {
      if (storage == RV_F64)
        wide[c] = out[c];
      else
        single[c] = (float)out[c];
    }
  }
}

static bool move_detail(RvDetail* detail, const Motion* motion) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner)
    for (size_t i = 0; i < rv_detail_attrib_count(detail, (RvOwner)owner); ++i) {
      const RvAttrib* attrib = rv_detail_attrib(detail, (RvOwner)owner, i);
      RvTag tag = rv_attrib_tag(attrib);
      RvStorage storage = rv_attrib_storage(attrib);
      bool turns = tag == RV_TAG_QUATERNION && rv_attrib_size(attrib) == 4;
      bool moves = (tag == RV_TAG_POINT || tag == RV_TAG_VECTOR || tag == RV_TAG_NORMAL) && rv_attrib_size(attrib) == 3;
      if ((!moves && !turns) || (storage != RV_F32 && storage != RV_F64)) continue;
      // rest positions stay where they are
      if (tag == RV_TAG_POINT && strcmp(rv_attrib_name(attrib), "P") != 0) continue;
      void* values = rv_attrib_write(rv_detail_find_mutable(detail, (RvOwner)owner, rv_attrib_name(attrib)));
      if (!values) return false;
      if (turns)
        turn_values(motion->turn, storage, rv_attrib_count(attrib), values);
      else
        move_values(motion, tag, storage, rv_attrib_count(attrib), values);
    }
  return true;
}

//---------------------------------------------------------------------------------------------- fragments

// The primitives of an embedded geometry by the text of an attribute; kept while fragments of one geometry follow
// each other, so that n fragments cost as much as the geometry once.
typedef struct Buckets {
  const RvDetail* detail;
  const RvAttrib* attrib;
  int32_t *first, *prims;  // of each text of the table; primitives sorted by text
  int32_t* seen;           // new number of each point, or -1
} Buckets;

static void free_buckets(Buckets* b) {
  rv_free(b->first);
  rv_free(b->prims);
  rv_free(b->seen);
  memset(b, 0, sizeof *b);
}

static bool fill_buckets(Buckets* b, const RvDetail* detail, const RvAttrib* attrib) {
  if (b->detail == detail && b->attrib == attrib) return true;
  free_buckets(b);
  size_t texts = rv_attrib_string_count(attrib), nprim = rv_detail_count(detail, RV_PRIM);
  size_t npoint = rv_detail_count(detail, RV_POINT);
  *b = (Buckets){detail, attrib, rv_alloc_zero(texts + 2, 4), rv_alloc(nprim, 4), rv_alloc(npoint, 4)};
  if (!b->first || !b->prims || !b->seen) return false;
  memset(b->seen, 0xff, npoint * 4);
  const int32_t* index = rv_attrib_read(attrib);
  for (size_t i = 0; i < nprim; ++i)
    if (index[i] >= 0) ++b->first[index[i] + 2];
  for (size_t t = 2; t < texts + 2; ++t) b->first[t] += b->first[t - 1];
  for (size_t i = 0; i < nprim; ++i)
    if (index[i] >= 0) b->prims[b->first[index[i] + 1]++] = (int32_t)i;
  return true;
}

// a detail of its own from some primitives and the points they use
static RvDetail* extract(Buckets* b, const int32_t* prims, size_t nprim, RvError* error) {
  const RvDetail* from = b->detail;
  const int32_t *start = rv_detail_prim_start(from), *points = rv_detail_vertex_point(from);
  RV_ARRAY(int32_t) point = {0}, vertex = {0}, vertex_point = {0}, starts = {0};
  uint8_t* types = rv_alloc(nprim, 1);
  RvDetail* detail = rv_detail_new();
  bool good = types && detail && rv_array_push(&starts, 0);
  for (size_t i = 0; good && i < nprim; ++i) {
    types[i] = (uint8_t)rv_detail_prim_type(from, (size_t)prims[i]);
    for (int32_t v = start[prims[i]]; good && v < start[prims[i] + 1]; ++v) {
      int32_t* seen = &b->seen[points[v]];
      if (*seen < 0) {
        *seen = (int32_t)point.count;
        good = rv_array_push(&point, points[v]);
      }
      good = good && rv_array_push(&vertex, v) && rv_array_push(&vertex_point, *seen);
    }
    good = good && rv_array_push(&starts, (int32_t)vertex.count);
  }
  for (size_t i = 0; i < point.count; ++i) b->seen[point.data[i]] = -1;
  if (!good) {
    rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_array_free(&vertex_point);
    rv_array_free(&starts);
    rv_free(types);
  } else {
    good =
        !rv_detail_set_topology(detail, point.count, vertex.count, nprim, vertex_point.data, starts.data, types, error);
  }
  const int32_t zero = 0;
  good = good && !rv_detail_gather(detail, RV_POINT, 0, point.count, from, point.data, NULL, error) &&
         !rv_detail_gather(detail, RV_VERTEX, 0, vertex.count, from, vertex.data, NULL, error) &&
         !rv_detail_gather(detail, RV_PRIM, 0, nprim, from, prims, NULL, error) &&
         !rv_detail_gather(detail, RV_GLOBAL, 0, 1, from, &zero, NULL, error);
  rv_array_free(&point);
  rv_array_free(&vertex);
  if (good) return detail;
  rv_detail_free(detail);
  return NULL;
}

//---------------------------------------------------------------------------------------------- unpacking

static int by_id(const void* a, const void* b) {
  return strcmp(((const RvHouEmbedded*)a)->id, ((const RvHouEmbedded*)b)->id);
}

// NULL with *missing set if the file does not hold it
static RvDetail* instance(RvHouFile* file, const RvHouPacked* packed, Buckets* buckets, bool* missing) {
  RvHouEmbedded key = {.id = packed->embedded};
  const RvHouEmbedded* found =
      file->embedded.count ? bsearch(&key, file->embedded.data, file->embedded.count, sizeof key, by_id) : NULL;
  *missing = !found;
  if (!found) return NULL;
  if (!packed->attribute) {
    if (!rv_hou_charge(file, rv_detail_bytes(found->detail), 1, "unpacked geometry")) return NULL;
    return rv_detail_copy(found->detail);
  }
  const RvAttrib* attrib = rv_detail_find(found->detail, RV_PRIM, packed->attribute);
  *missing = !attrib || rv_attrib_storage(attrib) != RV_STRING || rv_attrib_size(attrib) != 1;
  if (*missing || !fill_buckets(buckets, found->detail, attrib)) return NULL;
  int32_t text = rv_strings_find(attrib->strings, packed->name);
  size_t begin = text < 0 ? 0 : (size_t)buckets->first[text], end = text < 0 ? 0 : (size_t)buckets->first[text + 1];
  size_t nprim = rv_detail_count(found->detail, RV_PRIM), share = nprim ? rv_detail_bytes(found->detail) / nprim : 0;
  if (!rv_hou_charge(file, end - begin + 1, share + 256, "unpacked fragments")) return NULL;
  return extract(buckets, buckets->prims + begin, end - begin, file->error);
}

// what the names and rows of a carrier add to a copy of `nprim` primitives; even one without any takes the names
static size_t inherited_bytes(const RvDetail* carrier, size_t nprim) {
  enum { BLOCKS = 256 };  // an attribute is three blocks of memory, each rounded up
  size_t bytes = 0;
  for (size_t i = 0; i < rv_detail_attrib_count(carrier, RV_PRIM); ++i) {
    const RvAttrib* attrib = rv_detail_attrib(carrier, RV_PRIM, i);
    bytes += BLOCKS + strlen(attrib->name) + (nprim + 1) * attrib->stride;
  }
  for (size_t i = 0; i < rv_detail_group_count(carrier, RV_PRIM); ++i)
    bytes += BLOCKS + strlen(rv_group_name(rv_detail_group(carrier, RV_PRIM, i))) + nprim;
  return bytes;
}

// attributes and groups of the packed primitive that the copy lacks
static bool inherit(RvHouFile* file, RvDetail* copy, const RvDetail* carrier, size_t row) {
  size_t nprim = rv_detail_count(copy, RV_PRIM);
  if (!rv_hou_charge(file, inherited_bytes(carrier, nprim), 1, "attributes of packed primitives")) return false;
  int32_t* index = rv_alloc(nprim, sizeof *index);
  if (!index) return rv_hou_no_memory(file);
  for (size_t i = 0; i < nprim; ++i) index[i] = (int32_t)row;
  bool good = !rv_detail_gather_missing(copy, RV_PRIM, carrier, index, file->error);
  rv_free(index);
  return good;
}

// pairs, then pairs of pairs: no copy is touched more than log2(count) times
static bool merge_tree(RvDetail** copies, size_t count, RvError* error) {
  for (size_t step = 1; step < count; step *= 2)
    for (size_t i = 0; i + step < count; i += 2 * step) {
      if (rv_detail_merge(copies[i], copies[i + step], error)) return false;
      rv_detail_free(copies[i + step]);
      copies[i + step] = NULL;
    }
  return true;
}

// the points of packed primitives go, unless a polygon uses them
static bool drop_points(RvHouFile* file, RvDetail* detail) {
  size_t npoint = rv_detail_count(detail, RV_POINT);
  const int32_t* points = rv_detail_vertex_point(detail);
  uint8_t* keep = rv_alloc(npoint, 1);
  if (!keep) return rv_hou_no_memory(file);
  memset(keep, 1, npoint);
  for (size_t i = 0; i < file->packed.count; ++i) {
    const RvHouPacked* packed = &file->packed.data[i];
    if (packed->embedded) keep[rv_numbers_i64(&file->vertex_point, (size_t)packed->vertex)] = 0;
  }
  for (size_t v = 0; v < rv_detail_count(detail, RV_VERTEX); ++v) keep[points[v]] = 1;
  bool good = !rv_detail_keep(detail, keep, NULL, false, file->error);
  rv_free(keep);
  return good;
}

static bool unpack_one(RvHouFile* file, const RvDetail* detail, const RvDetail* carrier, size_t i, Buckets* buckets,
                       RvDetail** out, size_t* missing) {
  RvHouPacked* packed = &file->packed.data[i];
  const float* positions = rv_detail_f32(detail, RV_POINT, "P", 3);
  if (packed->vertex < 0 || (size_t)packed->vertex >= file->vertex_point.count)
    return rv_json_fail(file->in, file->in->at, "packed geometry: vertex %lld of %zu", (long long)packed->vertex,
                        file->vertex_point.count);
  int64_t point = rv_numbers_i64(&file->vertex_point, (size_t)packed->vertex);
  if (point < 0 || point >= file->count[RV_POINT])
    return rv_json_fail(file->in, file->in->at, "packed geometry: point %lld of %lld", (long long)point,
                        (long long)file->count[RV_POINT]);
  bool absent = false;
  *out = instance(file, packed, buckets, &absent);
  if (absent) {
    ++*missing;
    rv_free(packed->embedded);
    packed->embedded = NULL;
    return true;
  }
  if (!*out) return file->error->code ? false : rv_hou_no_memory(file);
  Motion motion = make_motion(packed, positions + 3 * point);
  if (!move_detail(*out, &motion)) return rv_hou_no_memory(file);
  return inherit(file, *out, carrier, i);
}

bool rv_hou_unpack(RvHouFile* file, RvDetail** detail) {
  size_t count = file->packed.count, missing = 0, turned = 0;
  Buckets buckets = {0};
  RvDetail* carrier = rv_hou_build_carrier(file);
  RvDetail** copies = rv_alloc_zero(count + 1, sizeof *copies);
  bool good = carrier && copies;
  if (!copies) rv_hou_no_memory(file);
  if (good && file->embedded.count)
    qsort(file->embedded.data, file->embedded.count, sizeof *file->embedded.data, by_id);
  for (size_t i = 0; good && i < count; ++i) {
    turned += file->packed.data[i].instance_transform;
    good = unpack_one(file, *detail, carrier, i, &buckets, &copies[i + 1], &missing);
  }
  good = good && drop_points(file, *detail);
  // the rest of the file comes first, then the copies in their order
  size_t kept = 1;
  for (size_t i = 1; good && i <= count; ++i)
    if (copies[i]) {
      RvDetail* copy = copies[i];
      copies[i] = NULL;
      copies[kept++] = copy;
    }
  if (good) {
    copies[0] = *detail;
    *detail = NULL;
    good = merge_tree(copies, kept, file->error);
    *detail = copies[0];
    copies[0] = NULL;
  }
  if (good && missing)
    rv_hou_log(file, RV_LEVEL_WARNING, "%zu packed primitive(s) were skipped: their geometry is not in the file",
               missing);
  if (good && turned)
    rv_hou_log(file, RV_LEVEL_WARNING,
               "%zu packed primitive(s) ask for a transform by point attributes: it was not done", turned);
  for (size_t i = 0; copies && i <= count; ++i) rv_detail_free(copies[i]);
  rv_free(copies);
  rv_detail_free(carrier);
  free_buckets(&buckets);
  if (!good) file->in->failed = true;
  return good;
}
