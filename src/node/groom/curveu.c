// Position of points along their curve.
#include "node/groom/curveu.h"

#include <string.h>

#include "base/memory.h"
#include "math/vec.h"

// Normalised arc lengths of the points of one curve.
static void along_curve(const float* P, const int32_t* point, int32_t count, float* out) {
  double total = 0, length = 0;
  for (int32_t i = 1; i < count; ++i)
    total += rv_distance(rv_vec3_load(P + 3 * (size_t)point[i]), rv_vec3_load(P + 3 * (size_t)point[i - 1]));
  for (int32_t i = 0; i < count; ++i) {
    if (i) length += rv_distance(rv_vec3_load(P + 3 * (size_t)point[i]), rv_vec3_load(P + 3 * (size_t)point[i - 1]));
    out[point[i]] = (float)(total > 0 ? length / total : 0);
  }
}

float* rv_curveu(const RvDetail* d, RvError* error) {
  size_t npoint = rv_detail_count(d, RV_POINT), nprim = rv_detail_count(d, RV_PRIM);
  float* out = rv_alloc_zero(npoint, sizeof *out);
  if (!out) {
    rv_fail(error, RV_NO_MEMORY, "out of memory for curveu of %zu points", npoint);
    return NULL;
  }
  const float* given = rv_detail_f32(d, RV_POINT, "curveu", 1);
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  if (given) memcpy(out, given, npoint * sizeof *out);
  if (given || !P) return out;
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  for (size_t i = 0; i < nprim; ++i)
    if (rv_detail_prim_type(d, i) == RV_PRIM_CURVE) along_curve(P, point + start[i], start[i + 1] - start[i], out);
  return out;
}
