// The list of primitives that a Houdini file results in. While it is in the file's own order, vertices and sources are
// not listed (see RvHouTopology).
#include <string.h>

#include "geo/houdini_read.h"

enum {
  PRIM_BYTES = 9,    // memory charged for a primitive: start, source (int32) and type (byte)
  VERTEX_BYTES = 8,  // memory charged for a vertex: its vertex in the file and its point (int32)
};

// Checks limits and reserves memory for more primitives; charges the bytes that they and their vertices will take.
static bool reserve(RvHouFile* file, size_t nprim, size_t nvertex) {
  RvHouTopology* t = &file->topology;
  if (nprim > RV_GEO_MAX_COUNT - t->nprim || nvertex > RV_GEO_MAX_COUNT - t->nvertex)
    return rv_json_fail(file->in, file->in->at, "more than %d primitives or vertices", RV_GEO_MAX_COUNT);
  if (!rv_hou_charge(file, nprim, PRIM_BYTES, "primitives") || !rv_hou_charge(file, nvertex, VERTEX_BYTES, "vertices"))
    return false;
  if (!t->start.count) {
    if (!rv_array_push(&t->start, 0)) return rv_hou_no_memory(file);
    t->identity_vertices = true;
    t->identity_prims = true;
  }
  return (rv_array_reserve(&t->start, t->start.count + nprim) && rv_array_reserve(&t->type, t->type.count + nprim)) ||
         rv_hou_no_memory(file);
}

// Writes out the list of vertices, which was the identity so far.
static bool list_vertices(RvHouFile* file) {
  RvHouTopology* t = &file->topology;
  if (!t->identity_vertices) return true;
  if (!rv_array_resize(&t->vertex, t->nvertex)) return rv_hou_no_memory(file);
  for (size_t i = 0; i < t->nvertex; ++i) t->vertex.data[i] = (int32_t)i;
  t->identity_vertices = false;
  return true;
}

// Writes out the list of source primitives, which was the identity so far.
static bool list_sources(RvHouFile* file) {
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
  // Vertices: listed only once they leave the file's order.
  for (size_t i = 0; i < count && t->identity_vertices; ++i)
    if (vertices[i] != (int32_t)(t->nvertex + i) && !list_vertices(file)) return false;
  if (!t->identity_vertices) {
    size_t old = t->vertex.count;
    if (!rv_array_resize(&t->vertex, old + count)) return rv_hou_no_memory(file);
    if (count) memcpy(t->vertex.data + old, vertices, count * sizeof *vertices);
  }
  // Source primitive, likewise.
  if (source != t->nprim && !list_sources(file)) return false;
  if (!t->identity_prims && !rv_array_push(&t->source, (int32_t)source)) return rv_hou_no_memory(file);
  t->nvertex += count;
  t->start.data[t->start.count++] = (int32_t)t->nvertex;
  t->type.data[t->type.count++] = (uint8_t)type;
  ++t->nprim;
  return true;
}

// Appends the vertices [start, start + sum) of the file.
static bool append_run(RvHouFile* file, int64_t start, size_t sum) {
  RvHouTopology* t = &file->topology;
  // The list stays unwritten while the runs follow each other.
  if ((uint64_t)start != t->nvertex && sum && !list_vertices(file)) return false;
  if (!t->identity_vertices) {
    size_t old = t->vertex.count;
    if (!rv_array_resize(&t->vertex, old + sum)) return rv_hou_no_memory(file);
    for (size_t i = 0; i < sum; ++i) t->vertex.data[old + i] = (int32_t)((size_t)start + i);
  }
  return true;
}

// Adds up the vertex counts of a run and checks that there are `nprim`. With `rle` the numbers are pairs (vertex count,
// repetitions).
static bool sum_vertex_counts(RvHouFile* file, const RvNumbers* counts, bool rle, size_t nprim, size_t* sum) {
  size_t prims = 0;
  size_t vertices = 0;
  size_t step = rle ? 2 : 1;
  if (rle && counts->count % 2) return rv_json_fail(file->in, file->in->at, "nvertices_rle of odd length");
  for (size_t i = 0; i < counts->count; i += step) {
    int64_t n = rv_numbers_i64(counts, i);
    int64_t repeat = rle ? rv_numbers_i64(counts, i + 1) : 1;
    if (n < 0 || n > RV_GEO_MAX_COUNT || repeat < 0 || repeat > RV_GEO_MAX_COUNT)
      return rv_json_fail(file->in, file->in->at, "a polygon of %lld vertices, %lld times", (long long)n,
                          (long long)repeat);
    // Both sums are checked at each step and cannot overflow.
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
  if (!sum_vertex_counts(file, counts, rle, nprim, &sum)) return false;
  // The run must lie within the file's vertices.
  if (start < 0 || (uint64_t)start + sum > (uint64_t)file->count[RV_VERTEX])
    return rv_json_fail(file->in, file->in->at, "a run uses vertices %lld .. %lld of %lld", (long long)start,
                        (long long)start + (long long)sum - 1, (long long)file->count[RV_VERTEX]);
  // Vertices and source primitives, listed only if they leave the file's order.
  if (!reserve(file, nprim, sum) || !append_run(file, start, sum)) return false;
  if (t->source_prims != t->nprim && !list_sources(file)) return false;
  // Ends of the polygons, their sources and types.
  size_t at = t->nvertex;
  size_t step = rle ? 2 : 1;
  for (size_t i = 0; i < counts->count; i += step) {
    int64_t n = rv_numbers_i64(counts, i);
    int64_t repeat = rle ? rv_numbers_i64(counts, i + 1) : 1;
    for (int64_t r = 0; r < repeat; ++r) {
      at += (size_t)n;
      t->start.data[t->start.count++] = (int32_t)at;
    }
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
