// Strands that slide along the body below a scalp.
#include "node/groom/body.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

static const double CLEARANCE = 0.006;   // distance from the body, in lengths of the strand
static const double FREE_ROOT = 0.06;    // share of the strand over which the distance grows from 0 at the root
static const double LEAST_SLIDE = 0.05;  // share of a step along the body below which the strand turns aside

void rv_groom_body_free(RvGroomBody* b) {
  rv_free(b->corners);
  rv_free(b->normals);
  rv_free(b->bare);
  rv_nearest_free(&b->tree);
  *b = (RvGroomBody){0};
}

// Adds the triangles of the faces, as fans; returns six times the volume that they enclose.
static double add_faces(RvGroomBody* b, const RvDetail* skin, const uint8_t* scalp) {
  const float* P = rv_detail_f32(skin, RV_POINT, "P", 3);
  const int32_t *start = rv_detail_prim_start(skin), *point = rv_detail_vertex_point(skin);
  double volume = 0;
  for (size_t f = 0; f < rv_detail_count(skin, RV_PRIM); ++f) {
    if (rv_detail_prim_type(skin, f) != RV_PRIM_POLYGON) continue;
    for (int32_t v = start[f] + 1; v + 1 < start[f + 1]; ++v) {
      const int32_t corner[3] = {point[start[f]], point[v], point[v + 1]};
      float* to = b->corners + 9 * b->count;
      for (int k = 0; k < 3; ++k) memcpy(to + 3 * k, P + 3 * (size_t)corner[k], 3 * sizeof(float));
      RvVec3 a = rv_vec3_load(to), x = rv_vec3_load(to + 3), y = rv_vec3_load(to + 6);
      volume += rv_dot(a, rv_cross(x, y));
      RvVec3 n = rv_cross(rv_sub(x, a), rv_sub(y, a));
      rv_vec3_store(b->normals + 3 * b->count, rv_normalize(n, rv_vec3(0, 0, 0)));
      b->bare[b->count++] = !scalp[f];
    }
  }
  return volume;
}

// Boxes around the triangles, for the search.
static RvResult build_tree(RvGroomBody* b, RvError* error) {
  float* boxes = rv_alloc(b->count, 6 * sizeof(float));
  if (!boxes) return rv_fail(error, RV_NO_MEMORY, "out of memory for the skin");
  for (size_t i = 0; i < b->count; ++i)
    for (int k = 0; k < 3; ++k) {
      const float* c = b->corners + 9 * i + k;
      boxes[6 * i + (size_t)k] = fminf(c[0], fminf(c[3], c[6]));
      boxes[6 * i + 3 + (size_t)k] = fmaxf(c[0], fmaxf(c[3], c[6]));
    }
  RvResult result = rv_nearest_init(&b->tree, b->count, boxes, error);
  rv_free(boxes);
  return result;
}

RvResult rv_groom_body_init(RvGroomBody* b, const RvDetail* skin, const uint8_t* scalp, RvError* error) {
  *b = (RvGroomBody){0};
  if (!scalp || !rv_detail_f32(skin, RV_POINT, "P", 3)) return RV_OK;
  const int32_t* start = rv_detail_prim_start(skin);
  size_t nprim = rv_detail_count(skin, RV_PRIM), triangles = 0, bare = 0;
  for (size_t f = 0; f < nprim; ++f) {
    bool face = rv_detail_prim_type(skin, f) == RV_PRIM_POLYGON && start[f + 1] - start[f] > 2;
    triangles += face ? (size_t)(start[f + 1] - start[f] - 2) : 0;
    bare += face && !scalp[f];
  }
  if (!bare) return RV_OK;
  b->corners = rv_alloc(triangles, 9 * sizeof(float));
  b->normals = rv_alloc(triangles, 3 * sizeof(float));
  b->bare = rv_alloc(triangles, 1);
  RvResult result = RV_OK;
  if (!b->corners || !b->normals || !b->bare) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the skin");
  bool inward = !result && add_faces(b, skin, scalp) < 0;
  for (size_t i = 0; inward && i < 3 * b->count; ++i) b->normals[i] = -b->normals[i];
  // A place that is no number would make a tree that finds nothing: such skins are left alone.
  bool finite = true;
  for (size_t i = 0; i < 9 * b->count && finite; ++i) finite = isfinite(b->corners[i]);
  if (!result && finite) result = build_tree(b, error);
  if (result || !finite) rv_groom_body_free(b);
  return result;
}

// Squared distance to a triangle.
static double distance2(const void* user, size_t i, RvVec3 p) {
  const float* c = ((const RvGroomBody*)user)->corners + 9 * i;
  return rv_nearest_triangle2(p, rv_vec3_load(c), rv_vec3_load(c + 3), rv_vec3_load(c + 6));
}

// How deep a place is inside the body, or nearer to it than the clearance; *normal: the way out. 0: it is free.
static double depth_of(const RvGroomBody* b, RvVec3 p, double clearance, double step, RvVec3* normal) {
  // A walk that begins outside is never deeper than a step.
  double limit = clearance + 2 * step, limit2 = limit * limit;
  size_t i = rv_nearest_within(&b->tree, p, SIZE_MAX, distance2, b, &limit2);
  if (i == SIZE_MAX || !b->bare[i]) return 0;
  *normal = rv_vec3_load(b->normals + 3 * i);
  double far = sqrt(limit2), side = rv_dot(rv_sub(p, rv_vec3_load(b->corners + 9 * i)), *normal);
  return fmax(clearance - (side < 0 ? -far : far), 0);
}

void rv_groom_body_avoid(const RvGroomBody* b, float* points, size_t count) {
  if (!b->count || count < 2) return;
  double length = 0, along = 0;
  for (size_t i = 1; i < count; ++i)
    length += rv_distance(rv_vec3_load(points + 3 * i), rv_vec3_load(points + 3 * i - 3));
  RvVec3 from = rv_vec3_load(points), last = from;  // of the strand as it was; as it is now
  for (size_t i = 1; i < count; ++i) {
    RvVec3 here = rv_vec3_load(points + 3 * i), way = rv_sub(here, from), normal;
    double step = rv_length(way);
    from = here;
    along += step;
    double clearance = CLEARANCE * length * rv_smooth_step(along / (FREE_ROOT * length));
    RvVec3 to = rv_add(last, way);
    double depth = step > 0 ? depth_of(b, to, clearance, step, &normal) : 0;
    if (depth > 0) {
      // Only the part of the step along the body is left. Where a strand stands on it, it turns aside.
      RvVec3 slide = rv_mad(way, -rv_dot(way, normal), normal);
      if (rv_length(slide) < LEAST_SLIDE * step) slide = rv_perpendicular(normal);
      to = rv_mad(last, step, rv_normalize(slide, way));
      depth = depth_of(b, to, clearance, step, &normal);
      if (depth > 0) to = rv_mad(to, depth, normal);
      to = rv_mad(last, step, rv_normalize(rv_sub(to, last), way));
    }
    rv_vec3_store(points + 3 * i, to);
    last = to;
  }
}
