// Exchange with hosts that have a geometry of their own: numbers of any storage as doubles, and comparisons that tell
// which arrays are equal and need not be transferred.
#include <string.h>

#include "geo/detail.h"

void rv_attrib_get_doubles(const RvAttrib* attrib, double* out) {
  const void* data = rv_attrib_read(attrib);
  for (size_t i = 0; i < attrib->count * (size_t)attrib->size; ++i) out[i] = rv_number_get(attrib->storage, data, i);
}

RvResult rv_attrib_set_doubles(RvAttrib* attrib, const double* values, RvError* error) {
  size_t value_count = attrib->count * (size_t)attrib->size;
  void* data = rv_attrib_write(attrib);
  if (!data && value_count)
    return rv_fail(error, RV_NO_MEMORY, "out of memory writing the attribute '%s'", attrib->name);
  for (size_t i = 0; i < value_count; ++i) rv_number_put(attrib->storage, data, i, values[i]);
  return RV_OK;
}

void rv_attrib_get_default(const RvAttrib* attrib, double* tuple) {
  for (int c = 0; c < attrib->size; ++c) tuple[c] = rv_number_get(attrib->storage, attrib->default_tuple, (size_t)c);
}

void rv_attrib_set_default_doubles(RvAttrib* attrib, const double* tuple) {
  for (int c = 0; c < attrib->size; ++c) rv_number_put(attrib->storage, attrib->default_tuple, (size_t)c, tuple[c]);
}

bool rv_attrib_same_kind(const RvAttrib* a, const RvAttrib* b) {
  if (a->storage != b->storage || a->size != b->size || a->tag != b->tag) return false;
  return a->storage == RV_STRING || !memcmp(a->default_tuple, b->default_tuple, a->stride);
}

bool rv_attrib_equal(const RvAttrib* a, const RvAttrib* b) {
  if (!rv_attrib_same_kind(a, b) || a->count != b->count) return false;
  // Numbers: shared arrays are equal, others are compared byte for byte (so NaN equals NaN, and 0 differs from -0).
  if (a->storage != RV_STRING) {
    const void *x = rv_attrib_read(a), *y = rv_attrib_read(b);
    return x == y || !a->count || !memcmp(x, y, a->count * a->stride);
  }
  // Strings: by content, as the tables may differ.
  for (size_t i = 0; i < a->count; ++i)
    for (int c = 0; c < a->size; ++c)
      if (strcmp(rv_attrib_string(a, i, c), rv_attrib_string(b, i, c)) != 0) return false;
  return true;
}

bool rv_detail_same_topology(const RvDetail* a, const RvDetail* b) {
  for (int owner = 0; owner < RV_GLOBAL; ++owner)
    if (rv_detail_count(a, owner) != rv_detail_count(b, owner)) return false;
  // Types and grids; then the vertices of each primitive.
  size_t nprim = rv_detail_count(a, RV_PRIM), nvertex = rv_detail_count(a, RV_VERTEX);
  for (size_t i = 0; i < nprim; ++i)
    if (rv_detail_prim_type(a, i) != rv_detail_prim_type(b, i) ||
        rv_detail_prim_grid(a, i) != rv_detail_prim_grid(b, i))
      return false;
  const int32_t* x = rv_detail_prim_start(a);
  const int32_t* y = rv_detail_prim_start(b);
  if (nprim && memcmp(x, y, (nprim + 1) * sizeof *x) != 0) return false;
  return !nvertex || !memcmp(rv_detail_vertex_point(a), rv_detail_vertex_point(b), nvertex * sizeof *x);
}
