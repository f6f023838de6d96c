// Triangle meshes: triangulation of a detail, and measures of the mesh.
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "geo/triangulate.h"

enum { GRAIN = 1024 };  // triangles of one task of a parallel sum; it fixes the order of the sum

//---------------------------------------------------------------------------------------------- triangles

// Number of triangles of a primitive: a polygon of n vertices has n - 2.
static size_t face_triangles(const RvDetail* detail, const int32_t* start, size_t prim) {
  if (rv_detail_prim_type(detail, prim) != RV_PRIM_POLYGON) return 0;
  int32_t n = start[prim + 1] - start[prim];
  return n >= 3 ? (size_t)n - 2 : 0;
}

RvResult rv_mesh_from_detail(const RvDetail* detail, RvMesh* out, RvError* error) {
  *out = (RvMesh){0};
  // Count and allocate.
  size_t nprim = rv_detail_count(detail, RV_PRIM);
  size_t ntriangle = 0;
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* corner = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < nprim; ++i) ntriangle += face_triangles(detail, start, i);
  out->npoint = rv_detail_count(detail, RV_POINT);
  out->points = rv_detail_f32(detail, RV_POINT, "P", 3);
  out->triangles = rv_alloc(ntriangle, 3 * sizeof *out->triangles);
  out->prims = rv_alloc(ntriangle, sizeof *out->prims);
  if (!out->triangles || !out->prims) {
    rv_mesh_free(out);
    return rv_fail(error, RV_NO_MEMORY, "no memory for a mesh of %zu triangles", ntriangle);
  }
  // Triangulate face by face; rv_triangulate gives corners of the face, which become points of the detail.
  for (size_t i = 0; i < nprim; ++i) {
    size_t n = face_triangles(detail, start, i);
    if (!n) continue;
    int32_t* cut = out->triangles + 3 * out->ntriangle;
    rv_triangulate(out->points, corner + start[i], (int)n + 2, cut);
    for (size_t k = 0; k < 3 * n; ++k) cut[k] = corner[start[i] + cut[k]];
    for (size_t k = 0; k < n; ++k) out->prims[out->ntriangle++] = (int32_t)i;
  }
  return RV_OK;
}

void rv_mesh_free(RvMesh* mesh) {
  rv_free(mesh->triangles);
  rv_free(mesh->prims);
  *mesh = (RvMesh){0};
}

//---------------------------------------------------------------------------------------------- measures

// Area of a range of triangles.
static double sum_area(void* arg, size_t begin, size_t end) {
  const RvMesh* m = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const int32_t* t = m->triangles + 3 * i;
    sum += rv_length(rv_mesh_area_vector(rv_vec3_load(m->points + 3 * (size_t)t[0]),
                                         rv_vec3_load(m->points + 3 * (size_t)t[1]),
                                         rv_vec3_load(m->points + 3 * (size_t)t[2])));
  }
  return sum;
}

typedef struct VolumeArg {
  const RvMesh* mesh;
  RvVec3 origin;  // apex of the tetrahedra
} VolumeArg;

// Sum of the signed volumes of tetrahedra. Their apex is near the mesh, so that a mesh far from the origin loses no
// precision.
static double sum_volume(void* arg, size_t begin, size_t end) {
  const VolumeArg* v = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const int32_t* t = v->mesh->triangles + 3 * i;
    RvVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = rv_sub(rv_vec3_load(v->mesh->points + 3 * (size_t)t[k]), v->origin);
    sum += rv_dot(p[0], rv_cross(p[2], p[1])) / 6;  // a tetrahedron has a sixth of the triple product
  }
  return sum;
}

// Order of qsort: ascending.
static int compare_u64(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

// A point and its position.
typedef struct Place {
  float at[3];
  int32_t point;
} Place;

// Order of qsort: by position, then by index.
static int compare_place(const void* a, const void* b) {
  const Place *p = a, *q = b;
  for (int k = 0; k < 3; ++k)
    if (p->at[k] != q->at[k]) return p->at[k] < q->at[k] ? -1 : 1;
  return p->point < q->point ? -1 : 1;
}

// For each point the lowest index of all points at the same position. The caller frees the array; NULL: out of memory.
static int32_t* coincident_points(const RvMesh* mesh) {
  Place* order = rv_alloc(mesh->npoint, sizeof *order);
  int32_t* first = rv_alloc(mesh->npoint, sizeof *first);
  if (!order || !first) {
    rv_free(order);
    rv_free(first);
    return NULL;
  }
  // Sort by position; coincident points are then neighbours.
  for (size_t i = 0; i < mesh->npoint; ++i) {
    memcpy(order[i].at, mesh->points + 3 * i, sizeof order[i].at);
    order[i].point = (int32_t)i;
  }
  qsort(order, mesh->npoint, sizeof *order, compare_place);
  for (size_t i = 0; i < mesh->npoint; ++i) {
    const float* p = order[i].at;
    const float* q = i ? order[i - 1].at : NULL;
    bool same = q && p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
    first[order[i].point] = same ? first[order[i - 1].point] : order[i].point;
  }
  rv_free(order);
  return first;
}

// Counts open and flipped edges. `first` (may be NULL) merges coincident points; `keys` has room for three edges per
// triangle.
static void count_edges(const RvMesh* mesh, const int32_t* first, uint64_t* keys, RvMeshFacts* facts) {
  // The key of an edge has its lower point in the high 32 bits, then its higher point, then one bit of direction.
  size_t n = 0;
  facts->open_edges = 0;
  facts->flipped_edges = 0;
  for (size_t i = 0; i < 3 * mesh->ntriangle; ++i) {
    uint64_t a = (uint64_t)mesh->triangles[i];
    uint64_t b = (uint64_t)mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
    if (first) {
      a = (uint64_t)first[a];
      b = (uint64_t)first[b];
    }
    if (a != b) keys[n++] = a < b ? a << 32 | b << 1 : b << 32 | a << 1 | 1;
  }
  // Sorting brings the uses of an edge together. A closed, oriented mesh uses each edge equally often both ways.
  qsort(keys, n, sizeof *keys, compare_u64);
  for (size_t i = 0, j; i < n; i = j) {
    size_t forward = 0;
    for (j = i; j < n && keys[j] >> 1 == keys[i] >> 1; ++j) forward += !(keys[j] & 1);
    if ((j - i) & 1) {
      facts->open_edges++;
    } else if (2 * forward != j - i) {
      facts->flipped_edges++;
    }
  }
}

// Bounding box of the triangles' points.
static RvResult find_bounds(const RvMesh* mesh, RvMeshFacts* facts, RvError* error) {
  for (int k = 0; k < 3; ++k) {
    facts->lo[k] = INFINITY;
    facts->hi[k] = -INFINITY;
  }
  for (size_t i = 0; i < 3 * mesh->ntriangle; ++i) {
    const float* p = mesh->points + 3 * (size_t)mesh->triangles[i];
    for (int k = 0; k < 3; ++k) {
      if (!isfinite(p[k])) {
        return rv_fail(error, RV_BAD_INPUT,
                       "point %d of the mesh has a position (P) that is not finite; remove it or check the deformation",
                       mesh->triangles[i]);
      }
      facts->lo[k] = fmin(facts->lo[k], p[k]);
      facts->hi[k] = fmax(facts->hi[k], p[k]);
    }
  }
  return RV_OK;
}

RvResult rv_mesh_measure(const RvMesh* mesh, RvMeshFacts* facts, RvError* error) {
  *facts = (RvMeshFacts){0};
  if (!mesh->ntriangle) return RV_OK;
  RvResult r = find_bounds(mesh, facts, error);
  if (r != RV_OK) return r;
  // Area and volume.
  VolumeArg volume = {mesh, rv_lerp(rv_vec3_load64(facts->lo), rv_vec3_load64(facts->hi), 0.5)};
  facts->area = rv_parallel_sum(mesh->ntriangle, GRAIN, sum_area, (void*)(uintptr_t)mesh);
  facts->volume = rv_parallel_sum(mesh->ntriangle, GRAIN, sum_volume, &volume);
  // Edges.
  uint64_t* keys = rv_alloc(mesh->ntriangle, 3 * sizeof *keys);
  if (!keys) return rv_fail(error, RV_NO_MEMORY, "no memory for the edges of %zu triangles", mesh->ntriangle);
  count_edges(mesh, NULL, keys, facts);
  if (facts->open_edges) {
    // Seams between points at the same position are not open: count again with these points merged.
    int32_t* first = coincident_points(mesh);
    if (!first) r = rv_fail(error, RV_NO_MEMORY, "no memory for the edges of %zu triangles", mesh->ntriangle);
    if (first) count_edges(mesh, first, keys, facts);
    rv_free(first);
  }
  rv_free(keys);
  return r;
}
