#include "support/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Edge {
  int32_t from, to;
} Edge;

static int by_undirected(const void* x, const void* y) {
  const Edge *a = x, *b = y;
  int32_t alo = a->from < a->to ? a->from : a->to, blo = b->from < b->to ? b->from : b->to;
  int32_t ahi = a->from < a->to ? a->to : a->from, bhi = b->from < b->to ? b->to : b->from;
  if (alo != blo) return alo < blo ? -1 : 1;
  if (ahi != bhi) return ahi < bhi ? -1 : 1;
  return (a->from > b->from) - (a->from < b->from);
}

static int by_place(const void* x, const void* y) {
  return memcmp(x, y, 3 * sizeof(float));
}

static void add_face(RvTestMesh* mesh, const float* p, const int32_t* corner, int n) {
  for (int i = 1; i + 1 < n; ++i) {
    double a[3], b[3], c[3], cross[3];
    for (int k = 0; k < 3; ++k) {
      a[k] = p[3 * (size_t)corner[0] + (size_t)k];
      b[k] = p[3 * (size_t)corner[i] + (size_t)k] - a[k];
      c[k] = p[3 * (size_t)corner[i + 1] + (size_t)k] - a[k];
    }
    for (int k = 0; k < 3; ++k) cross[k] = c[(k + 1) % 3] * b[(k + 2) % 3] - c[(k + 2) % 3] * b[(k + 1) % 3];
    mesh->area += sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / 2;
    mesh->volume += (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6;
  }
}

static void count_edges(RvTestMesh* mesh, Edge* edges, size_t n) {
  qsort(edges, n, sizeof *edges, by_undirected);
  mesh->closed = n > 0;
  for (size_t i = 0, j; i < n; i = j) {
    for (j = i; j < n && ((edges[j].from == edges[i].from && edges[j].to == edges[i].to) ||
                          (edges[j].from == edges[i].to && edges[j].to == edges[i].from));)
      ++j;
    mesh->edges++;
    if (j - i != 2 || edges[i].from != edges[i + 1].to) mesh->closed = false;
  }
}

RvTestMesh rv_test_mesh(const RvDetail* detail) {
  RvTestMesh mesh = {0};
  size_t npoint = rv_detail_count(detail, RV_POINT), nvertex = rv_detail_count(detail, RV_VERTEX);
  const float* p = rv_detail_f32(detail, RV_POINT, "P", 3);
  const int32_t *start = rv_detail_prim_start(detail), *corner = rv_detail_vertex_point(detail);
  Edge* edges = malloc((nvertex + 1) * sizeof *edges);
  unsigned char* used = calloc(npoint + 1, 1);
  float* sorted = malloc((3 * npoint + 1) * sizeof *sorted);
  size_t nedge = 0;
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
    if (rv_detail_prim_type(detail, i) != RV_PRIM_POLYGON) continue;
    int n = start[i + 1] - start[i];
    mesh.faces++;
    add_face(&mesh, p, corner + start[i], n);
    for (int k = 0; k < n; ++k) {
      edges[nedge++] = (Edge){corner[start[i] + k], corner[start[i] + (k + 1) % n]};
      used[corner[start[i] + k]] = 1;
    }
  }
  for (size_t i = 0; i < npoint; ++i) mesh.points += used[i];
  count_edges(&mesh, edges, nedge);
  mesh.euler = (int)mesh.points - (int)mesh.edges + (int)mesh.faces;
  if (npoint) memcpy(sorted, p, 3 * npoint * sizeof *sorted);
  qsort(sorted, npoint, 3 * sizeof *sorted, by_place);
  for (size_t i = 1; i < npoint; ++i) mesh.twins += memcmp(sorted + 3 * i, sorted + 3 * i - 3, 3 * sizeof *p) == 0;
  free(edges);
  free(used);
  free(sorted);
  return mesh;
}
