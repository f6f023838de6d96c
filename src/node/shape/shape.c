// Builder of simple meshes.
#include "node/shape/shape.h"

#include <string.h>

#include "base/memory.h"

RvResult rv_shape_begin(RvShape* shape, size_t points, size_t faces, size_t vertices, bool normals, RvError* error) {
  *shape = (RvShape){0};
  shape->points = rv_alloc(points, 3 * sizeof *shape->points);
  shape->face_size = rv_alloc(faces, sizeof *shape->face_size);
  shape->corners = rv_alloc(vertices, sizeof *shape->corners);
  if (normals) shape->normals = rv_alloc(vertices, 3 * sizeof *shape->normals);
  if (shape->points && shape->face_size && shape->corners && (!normals || shape->normals)) return RV_OK;
  rv_shape_free(shape);
  return rv_fail(error, RV_NO_MEMORY, "out of memory for a mesh of %zu points", points);
}

int32_t rv_shape_point(RvShape* shape, RvVec3 position) {
  rv_vec3_store(shape->points + 3 * shape->npoint, position);
  return (int32_t)shape->npoint++;
}

void rv_shape_face(RvShape* shape, int count, const int32_t* corners, const RvVec3* normal) {
  shape->face_size[shape->nface++] = count;
  for (int i = 0; i < count; ++i, ++shape->nvertex) {
    shape->corners[shape->nvertex] = corners[i];
    if (shape->normals && normal) rv_vec3_store(shape->normals + 3 * shape->nvertex, normal[i]);
  }
}

// Adds N to vertices or points.
static RvResult add_normals(const RvShape* shape, bool point_normals, RvDetail* detail, RvError* error) {
  RvAttrib* attrib = NULL;
  RvResult r =
      rv_detail_add_attrib(detail, point_normals ? RV_POINT : RV_VERTEX, "N", RV_F32, 3, RV_TAG_NORMAL, &attrib, error);
  if (r != RV_OK) return r;
  float* n = rv_attrib_write(attrib);
  if (!n) return rv_fail(error, RV_NO_MEMORY, "out of memory for normals");
  for (size_t i = 0; i < shape->nvertex; ++i)
    memcpy(n + 3 * (point_normals ? (size_t)shape->corners[i] : i), shape->normals + 3 * i, 3 * sizeof *n);
  return RV_OK;
}

RvResult rv_shape_end(RvShape* shape, bool point_normals, RvDetail** out, RvError* error) {
  RvDetail* detail = rv_detail_new();
  RvResult r = detail ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for a mesh");
  if (r == RV_OK) r = rv_detail_add_points(detail, shape->npoint, NULL, error);
  if (r == RV_OK) {
    float* p = rv_detail_f32_write(detail, RV_POINT, "P", 3, error);
    if (p)
      memcpy(p, shape->points, 3 * shape->npoint * sizeof *p);
    else
      r = rv_fail(error, RV_NO_MEMORY, "out of memory for points");
  }
  if (r == RV_OK)
    r = rv_detail_add_polygons(detail, RV_PRIM_POLYGON, shape->nface, shape->face_size, shape->corners, NULL, error);
  if (r == RV_OK && shape->normals) r = add_normals(shape, point_normals, detail, error);
  rv_shape_free(shape);
  if (r != RV_OK) {
    rv_detail_free(detail);
    return r;
  }
  *out = detail;
  return RV_OK;
}

void rv_shape_free(RvShape* shape) {
  rv_free(shape->points);
  rv_free(shape->face_size);
  rv_free(shape->corners);
  rv_free(shape->normals);
  *shape = (RvShape){0};
}
