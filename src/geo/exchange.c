// For hosts with geometry of their own: values of any storage as doubles, and what is equal and need not be handed
// over.
#include <string.h>

#include "geo/detail.h"
#include "geo/half.h"

static double take(RvStorage storage, const void* data, size_t at) {
  switch (storage) {
    case RV_F16:
      return rv_half_to_float(((const uint16_t*)data)[at]);
    case RV_F32:
      return ((const float*)data)[at];
    case RV_F64:
      return ((const double*)data)[at];
    case RV_I8:
      return ((const int8_t*)data)[at];
    case RV_I32:
      return ((const int32_t*)data)[at];
    case RV_I64:
      return (double)((const int64_t*)data)[at];
    default:
      return 0;
  }
}

// out of range goes to the nearest bound, NaN to 0
static int64_t whole(double value, int64_t lo, int64_t hi) {
  if (!(value == value)) return 0;
  if (value <= (double)lo) return lo;
  return value >= (double)hi ? hi : (int64_t)value;
}

static void put(RvStorage storage, void* data, size_t at, double value) {
  switch (storage) {
    case RV_F16:
      ((uint16_t*)data)[at] = rv_half_from_float((float)value);
      break;
    case RV_F32:
      ((float*)data)[at] = (float)value;
      break;
    case RV_F64:
      ((double*)data)[at] = value;
      break;
    case RV_I8:
      ((int8_t*)data)[at] = (int8_t)whole(value, INT8_MIN, INT8_MAX);
      break;
    case RV_I32:
      ((int32_t*)data)[at] = (int32_t)whole(value, INT32_MIN, INT32_MAX);
      break;
    case RV_I64:
      ((int64_t*)data)[at] = whole(value, INT64_MIN, INT64_MAX);
      break;
    default:
      break;
  }
}

void rv_attrib_get_doubles(const RvAttrib* attrib, double* out) {
  const void* data = rv_attrib_read(attrib);
  for (size_t i = 0; i < attrib->count * (size_t)attrib->size; ++i) out[i] = take(attrib->storage, data, i);
}

RvResult rv_attrib_set_doubles(RvAttrib* attrib, const double* values, RvError* error) {
  size_t n = attrib->count * (size_t)attrib->size;
  void* data = rv_attrib_write(attrib);
  if (!data && n) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < n; ++i) put(attrib->storage, data, i, values[i]);
  return RV_OK;
}

void rv_attrib_get_default(const RvAttrib* attrib, double* tuple) {
  for (int c = 0; c < attrib->size; ++c) tuple[c] = take(attrib->storage, attrib->standard, (size_t)c);
}

void rv_attrib_set_default_doubles(RvAttrib* attrib, const double* tuple) {
  for (int c = 0; c < attrib->size; ++c) put(attrib->storage, attrib->standard, (size_t)c, tuple[c]);
}

bool rv_attrib_same_kind(const RvAttrib* a, const RvAttrib* b) {
  if (a->storage != b->storage || a->size != b->size || a->tag != b->tag) return false;
  return a->storage == RV_STRING || !memcmp(a->standard, b->standard, a->stride);
}

bool rv_attrib_equal(const RvAttrib* a, const RvAttrib* b) {
  if (!rv_attrib_same_kind(a, b) || a->count != b->count) return false;
  if (a->storage != RV_STRING) {
    const void *x = rv_attrib_read(a), *y = rv_attrib_read(b);
    return x == y || !a->count || !memcmp(x, y, a->count * a->stride);
  }
  for (size_t i = 0; i < a->count; ++i)
    for (int c = 0; c < a->size; ++c)
      if (strcmp(rv_attrib_string(a, i, c), rv_attrib_string(b, i, c)) != 0) return false;
  return true;
}

bool rv_detail_same_topology(const RvDetail* a, const RvDetail* b) {
  for (int owner = 0; owner < RV_GLOBAL; ++owner)
    if (rv_detail_count(a, owner) != rv_detail_count(b, owner)) return false;
  size_t nprim = rv_detail_count(a, RV_PRIM), nvertex = rv_detail_count(a, RV_VERTEX);
  for (size_t i = 0; i < nprim; ++i)
    if (rv_detail_prim_type(a, i) != rv_detail_prim_type(b, i) ||
        rv_detail_prim_grid(a, i) != rv_detail_prim_grid(b, i))
      return false;
  const int32_t *x = rv_detail_prim_start(a), *y = rv_detail_prim_start(b);
  if (nprim && memcmp(x, y, (nprim + 1) * sizeof *x) != 0) return false;
  return !nvertex || !memcmp(rv_detail_vertex_point(a), rv_detail_vertex_point(b), nvertex * sizeof *x);
}
