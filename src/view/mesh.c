// Faces and level sets to triangles with a normal a corner.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "geo/triangulate.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum { VALENCE_LIMIT = 64 };  // beyond it no creases: nothing may be quadratic

static const double CREASE_COSINE = 0.643;  // 50 degrees: edges sharper than this stay sharp
static const double FARTHEST = 1e18;        // Embree's own limit is 1.8e18

typedef RV_ARRAY(uint32_t) Corners;

static RvVec3 at(const float* points, uint32_t i) {
  return rv_vec3_load(points + 3 * (size_t)i);
}

static RvVec3 cross_of(const float* p, uint32_t a, uint32_t b, uint32_t c) {
  return rv_cross(rv_sub(at(p, b), at(p, a)), rv_sub(at(p, c), at(p, a)));
}

//---------------------------------------------------------------------------------------------- normals

// the angle of a triangle's corner
static double corner_angle(const float* p, const uint32_t* t, int corner) {
  RvVec3 o = at(p, t[corner]), none = {0, 0, 0};
  RvVec3 a = rv_normalize(rv_sub(at(p, t[(corner + 1) % 3]), o), none);
  RvVec3 b = rv_normalize(rv_sub(at(p, t[(corner + 2) % 3]), o), none);
  return rv_acos(rv_dot(a, b));
}

// corners of every point: start[point] .. start[point + 1] in `list`
static bool corners_of_points(const RvPart* part, uint32_t** start, uint32_t** list) {
  *start = rv_alloc_zero(part->nvertex + 2, sizeof(uint32_t));
  *list = rv_alloc(3 * part->count, sizeof(uint32_t));
  if (!*start || !*list) return false;
  for (size_t c = 0; c < 3 * part->count; ++c) (*start)[part->indices[c] + 2]++;
  for (size_t i = 2; i < part->nvertex + 2; ++i) (*start)[i] += (*start)[i - 1];
  for (size_t c = 0; c < 3 * part->count; ++c) (*list)[(*start)[part->indices[c] + 1]++] = (uint32_t)c;
  return true;
}

// mean of the faces about a corner that are not beyond a crease, weighted by their angles
static bool smooth_normals(RvPart* part) {
  uint32_t *start = NULL, *list = NULL;
  float* face = rv_alloc(part->count, 3 * sizeof(float));
  float* angle = rv_alloc(part->count, 3 * sizeof(float));
  part->normals = rv_alloc(part->count, 9 * sizeof(float));
  bool good = face && angle && part->normals && corners_of_points(part, &start, &list);
  for (size_t t = 0; good && t < part->count; ++t) {
    const uint32_t* tri = part->indices + 3 * t;
    rv_vec3_store(face + 3 * t, rv_normalize(cross_of(part->vertices, tri[0], tri[1], tri[2]), rv_vec3(0, 0, 0)));
    for (int k = 0; k < 3; ++k) angle[3 * t + (size_t)k] = (float)corner_angle(part->vertices, tri, k);
  }
  for (size_t c = 0; good && c < 3 * part->count; ++c) {
    uint32_t point = part->indices[c], first = start[point], last = start[point + 1];
    RvVec3 own = at(face, (uint32_t)(c / 3)), sum = {0, 0, 0};
    if (last - first > VALENCE_LIMIT) {
      // the hub of a great fan: its own face's normal is as good as any
      sum = own;
    } else {
      for (uint32_t i = first; i < last; ++i) {
        RvVec3 other = at(face, list[i] / 3);
        if (rv_dot(own, other) >= CREASE_COSINE) sum = rv_mad(sum, angle[list[i]], other);
      }
    }
    rv_vec3_store(part->normals + 3 * c, rv_normalize(sum, own));
  }
  rv_free(start);
  rv_free(list);
  rv_free(face);
  rv_free(angle);
  return good;
}

//---------------------------------------------------------------------------------------------- polygons

typedef struct Faces {
  const RvDetail* detail;
  RvPart* part;
  Corners indices, vertex, prim;  // point and vertex of every corner, face of every triangle
  RV_ARRAY(int32_t) local;        // of one face: the corners of its triangles
} Faces;

// P relative to the lens, and which points are places at all; false when out of memory
static bool take_points(Faces* f, const RvLens* lens, uint8_t** bad) {
  size_t npoint = rv_detail_count(f->detail, RV_POINT);
  const RvAttrib* P = rv_detail_find(f->detail, RV_POINT, "P");
  f->part->nvertex = npoint;
  f->part->vertices = rv_alloc(npoint + 2, 3 * sizeof(float));
  *bad = rv_alloc_zero(npoint, 1);
  if (!f->part->vertices || !*bad) return false;
  for (size_t i = 0; i < npoint; ++i) {
    RvVec3 p = rv_sub(rv_vec3(rv_attrib_get(P, i, 0), rv_attrib_get(P, i, 1), rv_attrib_get(P, i, 2)), lens->origin);
    (*bad)[i] = !rv_vec3_finite(p) || !(rv_length(p) < FARTHEST);
    rv_vec3_store(f->part->vertices + 3 * i, (*bad)[i] ? rv_vec3(0, 0, 0) : p);
  }
  return true;
}

static bool add_face(Faces* f, RvViewScene* scene, size_t prim, const uint8_t* bad) {
  const int32_t *start = rv_detail_prim_start(f->detail), *point = rv_detail_vertex_point(f->detail);
  int32_t first = start[prim], count = start[prim + 1] - first;
  if (count < 3) return true;
  for (int32_t i = 0; i < count; ++i) {
    if (!bad[point[first + i]]) continue;
    scene->stats.skipped++;
    return true;
  }
  f->local.count = 0;
  if (!rv_array_resize(&f->local, 3 * ((size_t)count - 2))) return false;
  rv_triangulate(f->part->vertices, point + first, count, f->local.data);
  for (size_t i = 0; i < f->local.count; ++i) {
    uint32_t corner = (uint32_t)(first + f->local.data[i]), p = (uint32_t)point[corner];
    rv_view_grow_bounds(scene, f->part->vertices + 3 * (size_t)p, 0);
    if (!rv_array_push(&f->indices, p) || !rv_array_push(&f->vertex, corner)) return false;
    if (i % 3 == 0 && !rv_array_push(&f->prim, (uint32_t)prim)) return false;
  }
  return true;
}

// three numbers a corner from an attribute of any owner; NULL when out of memory
static float* per_corner(const Faces* f, const RvAttrib* a) {
  float* out = rv_alloc(f->indices.count, 3 * sizeof(float));
  RvOwner owner = rv_attrib_owner(a);
  for (size_t c = 0; out && c < f->indices.count; ++c) {
    size_t i = owner == RV_POINT    ? f->indices.data[c]
               : owner == RV_VERTEX ? f->vertex.data[c]
               : owner == RV_PRIM   ? f->prim.data[c / 3]
                                    : 0;
    for (int k = 0; k < 3; ++k) {
      float v = (float)rv_attrib_get(a, i, k);
      out[3 * c + (size_t)k] = isfinite(v) ? v : 0;
    }
  }
  return out;
}

RvResult rv_view_add_polygons(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, RvError* error) {
  Faces f = {.detail = detail};
  uint8_t* bad = NULL;
  size_t nprim = rv_detail_count(detail, RV_PRIM), faces = 0;
  for (size_t i = 0; i < nprim; ++i) faces += rv_detail_prim_type(detail, i) == RV_PRIM_POLYGON;
  if (faces == 0) return RV_OK;
  bool good = (f.part = rv_view_new_part(scene, RV_PART_MESH)) && take_points(&f, lens, &bad);
  for (size_t i = 0; good && i < nprim; ++i)
    if (rv_detail_prim_type(detail, i) == RV_PRIM_POLYGON) good = add_face(&f, scene, i, bad);
  if (!good || f.indices.count == 0) goto done;
  f.part->count = f.indices.count / 3;
  f.part->indices = f.indices.data;
  f.indices.data = NULL;
  // the part owns the indices now; per_corner still reads them
  Faces read = f;
  read.indices.data = f.part->indices;
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvAttrib *N = rv_view_attrib(detail, "N", 3, owners, 2), *Cd = rv_view_attrib(detail, "Cd", 3, owners, 4);
  good = N ? (f.part->normals = per_corner(&read, N)) != NULL : smooth_normals(f.part);
  if (good && Cd) good = (f.part->colors = per_corner(&read, Cd)) != NULL;
  scene->stats.triangles += f.part->count;
done:
  rv_free(bad);
  rv_array_free(&f.indices);
  rv_array_free(&f.vertex);
  rv_array_free(&f.prim);
  rv_array_free(&f.local);
  return good ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the %zu faces of the picture", faces);
}

//---------------------------------------------------------------------------------------------- level sets

RvResult rv_view_add_level_set(RvViewScene* scene, const RvGrid* grid, const RvLens* lens, RvError* error) {
  size_t npoint = 0, ntriangle = 0;
  float* points = NULL;
  int32_t* triangles = NULL;
  RvResult result = rv_grid_to_mesh(grid, 0, 0, &npoint, &points, &ntriangle, &triangles, error);
  if (result || ntriangle == 0) goto done;
  RvPart* part = rv_view_new_part(scene, RV_PART_WATER);
  if (!part || !(part->vertices = rv_alloc(npoint + 2, 3 * sizeof(float)))) goto full;
  part->nvertex = npoint;
  for (size_t i = 0; i < npoint; ++i) {
    rv_vec3_store(part->vertices + 3 * i, rv_sub(rv_vec3_load(points + 3 * i), lens->origin));
    rv_view_grow_bounds(scene, part->vertices + 3 * i, 0);
  }
  part->count = ntriangle;
  if (!(part->indices = rv_alloc(ntriangle, 3 * sizeof(uint32_t)))) goto full;
  memcpy(part->indices, triangles, 3 * ntriangle * sizeof(uint32_t));
  if (!smooth_normals(part)) goto full;
  scene->stats.triangles += ntriangle;
done:
  rv_free(points);
  rv_free(triangles);
  return result;
full:
  result = rv_fail(error, RV_NO_MEMORY, "out of memory for the surface '%s'", rv_grid_name(grid));
  goto done;
}
