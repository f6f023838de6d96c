// Curve: polylines through listed points, or rows of straight lines; open or closed.
#include <stdlib.h>

#include "base/array.h"
#include "math/vec.h"
#include "node/define.h"

#define CURVE_PARMS(X)                                                                                               \
  X(MENU, method, "Method", 0, "line=Line|coords=Coordinates",                                                       \
    "Makes straight lines, or one curve through listed points.")                                                     \
  X(VEC3, origin, "Origin", 0, 0, 0, SOFT(-1), SOFT(1), "m", "First point of the first line.",                       \
    HIDE("{ method == coords }"))                                                                                    \
  X(VEC3, dir, "Direction", 0, 1, 0, SOFT(-1), SOFT(1), "", "Direction of the lines.", HIDE("{ method == coords }")) \
  X(FLOAT, dist, "Length", 1, HARD(0), SOFT(10), "m", "Length of a line.", HIDE("{ method == coords }"))             \
  X(INT, points, "Points", 2, HARD(2), HARD(1000000), "", "Points of a line.", HIDE("{ method == coords }"))         \
  X(INT, count, "Lines", 1, HARD(1), SOFT(100), "", "Number of parallel lines.", HIDE("{ method == coords }"))       \
  X(VEC3, spacing, "Spacing", 0.01, 0, 0, SOFT(-1), SOFT(1), "m", "Offset from one line to the next.",               \
    HIDE("{ method == coords }"))                                                                                    \
  X(STRING, coords, "Coordinates", "0 0 0, 0 1 0", "Coordinates x y z of each point, separated by commas.",          \
    HIDE("{ method == line }"))                                                                                      \
  X(TOGGLE, close, "Close", 0, "Joins the last point to the first, which makes a face instead of a strand.")
RV_PARM_TABLE(CurveParms, curve_table, CURVE_PARMS)

enum { MAX_POINTS = 1 << 26 };  // of all lines

typedef RV_ARRAY(float) Floats;

// Reads the listed points.
static RvResult read_coords(const char* text, Floats* out, RvError* error) {
  int parts = 0;
  const char* at = text;
  while (*at) {
    if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
      ++at;
      continue;
    }
    // A comma ends a point.
    if (*at == ',') {
      if (parts != 3)
        return rv_fail(error, RV_BAD_INPUT, "coords: point %zu has %d numbers, not 3", out->count / 3, parts);
      parts = 0;
      ++at;
      continue;
    }
    // A number.
    char* end;
    double value = strtod(at, &end);
    if (end == at || !isfinite((float)value))
      return rv_fail(error, RV_BAD_INPUT, "coords: \"%.20s\" is not a number (character %zu)", at,
                     (size_t)(at - text) + 1);
    if (++parts > 3) return rv_fail(error, RV_BAD_INPUT, "coords: a comma is missing before \"%.20s\"", at);
    if (!rv_array_push(out, (float)value)) return rv_fail(error, RV_NO_MEMORY, "out of memory for the coordinates");
    at = end;
  }
  // The list must end with a whole point, and a curve needs two.
  if (out->count % 3)
    return rv_fail(error, RV_BAD_INPUT, "coords: the last point has %zu numbers, not 3", out->count % 3);
  if (out->count < 6) return rv_fail(error, RV_BAD_INPUT, "coords: a curve needs at least two points");
  return RV_OK;
}

// Makes the points of the lines.
static RvResult make_lines(const CurveParms* p, Floats* out, RvError* error) {
  RvVec3 zero = {0, 0, 0}, direction = rv_normalize(rv_vec3_load64(p->dir), zero);
  if (rv_dot(direction, direction) == 0) return rv_fail(error, RV_BAD_INPUT, "dir: the direction must not be 0 0 0");
  // Hosts enforce the bounds of a parameter, but their product has a bound of its own.
  if (p->points < 2 || p->count < 1 || p->count > MAX_POINTS / p->points)
    return rv_fail(error, RV_LIMIT, "count and points: %lld lines of %lld points are more than %d points",
                   (long long)p->count, (long long)p->points, MAX_POINTS);
  size_t n = (size_t)p->points;
  if (!rv_array_resize(out, 3 * n * (size_t)p->count))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", n * (size_t)p->count);
  // Points at equal distances on each line.
  for (size_t c = 0; c < (size_t)p->count; ++c) {
    RvVec3 from = rv_mad(rv_vec3_load64(p->origin), (double)c, rv_vec3_load64(p->spacing));
    for (size_t i = 0; i < n; ++i)
      rv_vec3_store(out->data + 3 * (c * n + i), rv_mad(from, p->dist * (double)i / (double)(n - 1), direction));
  }
  return RV_OK;
}

// Makes the curves with curveu.
static RvResult build(RvDetail* d, const Floats* xyz, size_t ncurve, bool close, RvError* error) {
  size_t npoint = xyz->count / 3;
  int32_t *sizes = rv_alloc(ncurve, sizeof *sizes), *points = rv_alloc(npoint, sizeof *points);
  RvResult result = sizes && points ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", npoint);
  if (result == RV_OK) result = rv_detail_add_points(d, npoint, NULL, error);
  float* P = result == RV_OK ? rv_detail_f32_write(d, RV_POINT, "P", 3, error) : NULL;
  if (result == RV_OK && !P) result = RV_NO_MEMORY;
  if (result == RV_OK) {
    for (size_t i = 0; i < xyz->count; ++i) P[i] = xyz->data[i];
    for (size_t i = 0; i < npoint; ++i) points[i] = (int32_t)i;
    for (size_t i = 0; i < ncurve; ++i) sizes[i] = (int32_t)(npoint / ncurve);
    result = rv_detail_add_polygons(d, close ? RV_PRIM_POLYGON : RV_PRIM_CURVE, ncurve, sizes, points, NULL, error);
  }
  // curveu by number; on a closed curve the last point is one step before 1.
  float* u = result == RV_OK ? rv_detail_f32_write(d, RV_POINT, "curveu", 1, error) : NULL;
  if (result == RV_OK && !u) result = RV_NO_MEMORY;
  size_t n = npoint / ncurve;
  for (size_t i = 0; u && i < npoint; ++i) u[i] = (float)((double)(i % n) / (double)(close ? n : n - 1));
  rv_free(sizes);
  rv_free(points);
  return result;
}

// Makes the points, then the curves through them.
static RvResult cook(RvCook* cook, RvError* error) {
  const CurveParms* p = cook->parms;
  Floats xyz = {0};
  RvDetail* out = rv_detail_new();
  RvResult result = out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for a curve");
  if (result == RV_OK) result = p->method ? read_coords(p->coords, &xyz, error) : make_lines(p, &xyz, error);
  if (result == RV_OK) result = build(out, &xyz, p->method ? 1 : (size_t)p->count, p->close, error);
  rv_array_free(&xyz);
  return rv_node_give(cook, out, result);
}

static const RvPortDef outputs[] = {{"curves", "Curves", "The curves, first point first.", false}};

RV_NODE_TYPE(curve, "Curve", "Geometry", "Makes lines, or a curve through listed points.",
             "Points get the attribute curveu, 0 at the first point and 1 at the last.", .flags = RV_NODE_GENERATOR,
             RV_NODE_OUTPUTS(outputs))
