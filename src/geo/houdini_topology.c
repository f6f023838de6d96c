// The list of primitives that come out of a file, kept small while it is the file's own order.
#include <string.h>

#include "geo/houdini_read.h"

static bool reserve(RvHouFile* file, size_t nprim, size_t nvertex) {
  RvHouTopology* t = &file->topology;
  if (nprim > RV_GEO_MAX_COUNT - t->nprim || nvertex > RV_GEO_MAX_COUNT - t->nvertex)
    return rv_json_fail(file->in, file->in->at, "more than %d primitives or vertices", RV_GEO_MAX_COUNT);
  if (!rv_hou_charge(file, nprim, 9, "primitives") || !rv_hou_charge(file, nvertex, 8, "vertices")) return false;
  if (!t->start.count) {
    if (!rv_array_push(&t->start, 0)) return rv_hou_no_memory(file);
    t->identity_vertices = t->identity_prims = true;
  }
  return (rv_array_reserve(&t->start, t->start.count + nprim) && rv_array_reserve(&t->type, t->type.count + nprim)) ||
         rv_hou_no_memory(file);
}

// writes out 0, 1, 2 ... that were understood so far
static bool spell_vertices(RvHouFile* file) {
  RvHouTopology* t = &file->topology;
  if (!t->identity_vertices) return true;
  if (!rv_array_resize(&t->vertex, t->nvertex)) return rv_hou_no_memory(file);
  for (size_t i = 0; i < t->nvertex; ++i) t->vertex.data[i] = (int32_t)i;
  t->identity_vertices = false;
  return true;
}

static bool spell_sources(RvHouFile* file) {
  RvHouTopology* t = &file->topology;
  if (!t->identity_prims) return true;
  if (!rv_array_resize(&t->source, t->nprim)) return rv_hou_no_memory(file);
  for (size_t i = 0; i < t->nprim; ++i) t->source.data[i] = (int32_t)i;
  t->identity_prims = false;
  return true;
}

bool rv_hou_emit(RvHouFile* file, RvPrimType type, size_t source, size_t count, const int32_t* vertices) {
  RvHouTopology* t = &file->topology;
  if (!reserve(file, 1, count)) return false;
  for (size_t i = 0; i < count && t->identity_vertices; ++i)
    if (vertices[i] != (int32_t)(t->nvertex + i) && !spell_vertices(file)) return false;
  if (!t->identity_vertices) {
    size_t old = t->vertex.count;
    if (!rv_array_resize(&t->vertex, old + count)) return rv_hou_no_memory(file);
    if (count) memcpy(t->vertex.data + old, vertices, count * sizeof *vertices);
  }
  if (source != t->nprim && !spell_sources(file)) return false;
  if (!t->identity_prims && !rv_array_push(&t->source, (int32_t)source)) return rv_hou_no_memory(file);
  t->nvertex += count;
  t->start.data[t->start.count++] = (int32_t)t->nvertex;
  t->type.data[t->type.count++] = (uint8_t)type;
  ++t->nprim;
  return true;
}

// vertices [start, start + sum) in their order
static bool append_run(RvHouFile* file, int64_t start, size_t sum) {
  RvHouTopology* t = &file->topology;
  if ((uint64_t)start != t->nvertex && sum && !spell_vertices(file)) return false;
  if (!t->identity_vertices) {
    size_t old = t->vertex.count;
    if (!rv_array_resize(&t->vertex, old + sum)) return rv_hou_no_memory(file);
    for (size_t i = 0; i < sum; ++i) t->vertex.data[old + i] = (int32_t)((size_t)start + i);
  }
  return true;
}

// adds the counts up; for run lengths the pairs are (vertices, repeats)
static bool measure(RvHouFile* file, const RvNumbers* counts, bool rle, size_t nprim, size_t* sum) {
  size_t prims = 0, vertices = 0, step = rle ? 2 : 1;
  if (rle && counts->count % 2) return rv_json_fail(file->in, file->in->at, "nvertices_rle of odd length");
  for (size_t i = 0; i < counts->count; i += step) {
    int64_t n = rv_numbers_i64(counts, i), repeat = rle ? rv_numbers_i64(counts, i + 1) : 1;
    if (n < 0 || n > RV_GEO_MAX_COUNT || repeat < 0 || repeat > RV_GEO_MAX_COUNT)
      return rv_json_fail(file->in, file->in->at, "a polygon of %lld vertices, %lld times", (long long)n,
                          (long long)repeat);
    prims += (size_t)repeat;
    vertices += (size_t)n * (size_t)repeat;
    if (prims > nprim || vertices > RV_GEO_MAX_COUNT)
      return rv_json_fail(file->in, file->in->at, "a run of %zu polygons has more vertex counts or vertices", nprim);
  }
  if (prims != nprim)
    return rv_json_fail(file->in, file->in->at, "a run of %zu polygons has %zu vertex counts", nprim, prims);
  *sum = vertices;
  return true;
}

bool rv_hou_emit_run(RvHouFile* file, RvPrimType type, int64_t start, size_t nprim, const RvNumbers* counts, bool rle) {
  RvHouTopology* t = &file->topology;
  size_t sum = 0;
  if (!measure(file, counts, rle, nprim, &sum)) return false;
  if (start < 0 || (uint64_t)start + sum > (uint64_t)file->count[RV_VERTEX])
    return rv_json_fail(file->in, file->in->at, "a run uses vertices %lld .. %lld of %lld", (long long)start,
                        (long long)start + (long long)sum - 1, (long long)file->count[RV_VERTEX]);
  if (!reserve(file, nprim, sum) || !append_run(file, start, sum)) return false;
  if (t->source_prims != t->nprim && !spell_sources(file)) return false;
  size_t at = t->nvertex, step = rle ? 2 : 1;
  for (size_t i = 0; i < counts->count; i += step) {
    int64_t n = rv_numbers_i64(counts, i), repeat = rle ? rv_numbers_i64(counts, i + 1) : 1;
    for (int64_t r = 0; r < repeat; ++r) t->start.data[t->start.count++] = (int32_t)(at += (size_t)n);
  }
  if (!t->identity_prims) {
    size_t old = t->source.count;
    if (!rv_array_resize(&t->source, old + nprim)) return rv_hou_no_memory(file);
    for (size_t i = 0; i < nprim; ++i) t->source.data[old + i] = (int32_t)(t->source_prims + i);
  }
  if (nprim) memset(t->type.data + t->type.count, (int)type, nprim);
  t->type.count += nprim;
  t->nprim += nprim;
  t->nvertex += sum;
  return true;
}
