// Changes of shading attributes by wetness.
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "geo/half.h"
#include "math/scalar.h"
#include "node/transfer/wetness.h"

enum { GRAIN = 4096 };  // elements a task

// True for floating-point storage.
static bool is_float(RvStorage storage) {
  return storage == RV_F16 || storage == RV_F32 || storage == RV_F64;
}

// Finds an attribute in the order of precedence of renderers.
static const RvAttrib* find(const RvDetail* d, const char* name) {
  static const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvAttrib* a = NULL;
  for (int i = 0; !a && i < 4; ++i) a = rv_detail_find(d, owners[i], name);
  return a;
}

// Component c of an attribute at a point. prim: first primitive that uses the point; -1: none, and a primitive
// attribute gives the base.
static double value_at(const RvAttrib* a, size_t point, int32_t prim, int c, double base) {
  RvOwner owner = rv_attrib_owner(a);
  if (owner == RV_PRIM && prim < 0) return base;
  return rv_attrib_get(a, owner == RV_POINT ? point : owner == RV_PRIM ? (size_t)prim : 0, c);
}

// First primitive of each point, -1 for loose points; NULL with an error.
static int32_t* first_prims(const RvDetail* d, RvError* error) {
  size_t npoint = rv_detail_count(d, RV_POINT);
  int32_t* out = rv_alloc(npoint, sizeof *out);
  if (!out) {
    rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", npoint);
    return NULL;
  }
  memset(out, 0xff, npoint * sizeof *out);
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  for (size_t i = rv_detail_count(d, RV_PRIM); i-- > 0;)
    for (int32_t v = start[i]; v < start[i + 1]; ++v) out[point[v]] = (int32_t)i;
  return out;
}

// Creates a float point attribute from a primitive or detail attribute (times `scale`), or from the base.
static RvResult make_point_attrib(RvDetail* out, const RvWetChange* c, const RvAttrib* from, double scale,
                                  RvAttrib** created, RvError* error) {
  int32_t* prim = first_prims(out, error);
  if (!prim) return RV_NO_MEMORY;
  int size = from && scale == 1 ? rv_attrib_size(from) : c->size;
  RvResult result = rv_detail_add_attrib(out, RV_POINT, c->name, RV_F32, size, c->tag, created, error);
  float* values = result ? NULL : rv_attrib_write(*created);
  if (!result && !values) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", c->name);
  for (size_t i = 0; !result && i < rv_detail_count(out, RV_POINT); ++i)
    for (int k = 0; k < size; ++k)
      values[i * (size_t)size + (size_t)k] =
          (float)(from ? scale * value_at(from, i, prim[i], k, k < 3 ? c->base[k] : 0) : c->base[k]);
  rv_free(prim);
  return result;
}

//---------------------------------------------------------------------------------------------- changing

// Arguments of change_range.
typedef struct Change {
  const RvWetChange* c;
  RvStorage storage;
  int size;              // of the attribute
  const int32_t* point;  // of a vertex; NULL: they are points
  void* values;
} Change;

// Applies the operation to one value.
static double changed(RvWetOp op, double x, double amount) {
  if (op == RV_WET_MULTIPLY) return x * amount;
  // Values from 1 on, and NaN, stay.
  return x < 1 ? x + (1 - x) * amount : x;
}

// Changes a range of elements in the storage of the attribute.
static void change_range(void* arg, size_t begin, size_t end) {
  const Change* w = arg;
  double neutral = w->c->op == RV_WET_MULTIPLY ? 1 : 0;
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < w->c->size; ++k) {
      size_t p = w->point ? (size_t)w->point[i] : i, at = i * (size_t)w->size + (size_t)k;
      double amount = w->c->amount[p * (size_t)w->c->size + (size_t)k];
      if (amount == neutral) continue;
      if (w->storage == RV_F64) {
        double* x = (double*)w->values + at;
        *x = changed(w->c->op, *x, amount);
      } else if (w->storage == RV_F32) {
        float* x = (float*)w->values + at;
        *x = (float)rv_clamp(changed(w->c->op, *x, amount), -FLT_MAX, FLT_MAX);
      } else {
        uint16_t* x = (uint16_t*)w->values + at;
        *x = rv_half_from_float((float)rv_clamp(changed(w->c->op, rv_half_to_float(*x), amount), -FLT_MAX, FLT_MAX));
      }
    }
}

RvResult rv_wet_change(RvCook* cook, RvDetail* out, const RvWetChange* c, RvError* error) {
  if (!*c->name) return RV_OK;
  // The attribute, or the one from which it is made.
  const RvAttrib* found = find(out, c->name);
  const RvAttrib* like = !found && c->like ? find(out, c->like) : NULL;
  const RvAttrib* source = found ? found : like;
  if (!source && c->like) return RV_OK;
  if (source && (!is_float(rv_attrib_storage(source)) || rv_attrib_size(source) < c->size)) {
    rv_cook_warn(cook, "the attribute %s is %d x %s and stays unchanged: it must have %d floats",
                 rv_attrib_name(source), rv_attrib_size(source), rv_storage_name(rv_attrib_storage(source)), c->size);
    return RV_OK;
  }
  // Change in place, or make a point attribute first.
  RvOwner owner = found ? rv_attrib_owner(found) : RV_POINT;
  RvAttrib* to = NULL;
  RvResult result = RV_OK;
  if (found && (owner == RV_POINT || owner == RV_VERTEX))
    to = rv_detail_find_mutable(out, owner, c->name);
  else {
    result = make_point_attrib(out, c, source, like ? 2 : 1, &to, error);
    owner = RV_POINT;
  }
  if (result) return result;
  Change w = {c, rv_attrib_storage(to), rv_attrib_size(to), NULL, rv_attrib_write(to)};
  if (!w.values) return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", c->name);
  if (owner == RV_VERTEX) w.point = rv_detail_vertex_point(out);
  rv_parallel_for(rv_detail_count(out, owner), GRAIN, change_range, &w);
  return RV_OK;
}
