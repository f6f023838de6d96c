#include "mesh/skin_hull.h"

#include <string.h>

enum { T = RV_HULL_TEXELS, MAX_SPLIT = 48 };

// a direction's face of the cube, and its place there in texels
static int cube_face(RvVec3 d, double* s, double* t) {
  double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z), major = x;
  int face = d.x < 0;
  *s = d.y;
  *t = d.z;
  if (y >= x && y >= z) {
    face = 2 + (d.y < 0);
    major = y;
    *s = d.z;
    *t = d.x;
  } else if (z >= x) {
    face = 4 + (d.z < 0);
    major = z;
    *s = d.x;
    *t = d.y;
  }
  double scale = major > 0 ? 0.5 * T / major : 0;
  *s = *s * scale + 0.5 * T;
  *t = *t * scale + 0.5 * T;
  return face;
}

static int texel(double s) {
  return s < 0 ? 0 : s >= T ? T - 1 : (int)s;
}

static void splat(RvSkinHull* h, RvVec3 p) {
  double s, t;
  RvVec3 d = rv_sub(p, h->centre);
  int face = cube_face(d, &s, &t);
  float r = (float)rv_length(d), *at = &h->radius[face][texel(s)][texel(t)];
  if (r > *at) *at = r;
}

// a triangle by points as dense as the texels are from the centre
static void splat_triangle(RvSkinHull* h, RvVec3 a, RvVec3 b, RvVec3 c) {
  double size = fmax(rv_distance(a, b), fmax(rv_distance(b, c), rv_distance(c, a)));
  double away = fmin(rv_distance(a, h->centre), fmin(rv_distance(b, h->centre), rv_distance(c, h->centre)));
  double wanted = away > 0 ? 2 * T * size / away : MAX_SPLIT;
  int n = wanted < 1 ? 1 : wanted > MAX_SPLIT ? MAX_SPLIT : (int)wanted;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; i + j <= n; ++j) {
      double u = (double)i / n, v = (double)j / n;
      splat(h, rv_add(rv_scale(a, 1 - u - v), rv_add(rv_scale(b, u), rv_scale(c, v))));
    }
  }
}

static RvVec3 point(const RvSkin* s, int32_t vertex) {
  return rv_vec3_load(s->P + 3 * (size_t)s->vertex_point[vertex]);
}

// how far the skin's faces look away from the centre: 1 for a sphere, 0 for a plane
static double roundness(const RvSkin* s) {
  double flux = 0, size = 0;
  for (size_t i = 0; i < s->nfacet; ++i) {
    RvSite site = {s->facet_prim[i], 0.3, 0.3};
    RvSkinFrame f = rv_skin_frame(s, site);
    RvVec3 out = rv_sub(f.position, s->centre);
    double area = s->cumulative[i] - (i ? s->cumulative[i - 1] : 0);
    flux += area * rv_dot(f.normal, out);
    size += area * rv_length(out);
  }
  return size > 0 ? flux / size : 0;
}

// one pass over texels that no sample fell into, so that thin gaps close and true openings stay open
static void close_gaps(RvSkinHull* h) {
  float old[T][T];
  for (int f = 0; f < 6; ++f) {
    memcpy(old, h->radius[f], sizeof old);
    for (int i = 0; i < T; ++i) {
      for (int j = 0; j < T; ++j) {
        float most = 0;
        if (old[i][j] > 0) continue;
        for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < T; ++a)
          for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < T; ++b) most = old[a][b] > most ? old[a][b] : most;
        h->radius[f][i][j] = most;
      }
    }
  }
}

void rv_skin_hull_init(RvSkinHull* h, const RvSkin* s) {
  memset(h, 0, sizeof *h);
  h->centre = s->centre;
  h->used = roundness(s) > 0.7;
  if (!h->used) return;
  for (size_t i = 0; i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i)) continue;
    for (int32_t v = s->start[i] + 1; v + 1 < s->start[i + 1]; ++v)
      splat_triangle(h, point(s, s->start[i]), point(s, v), point(s, v + 1));
  }
  close_gaps(h);
}

double rv_skin_hull_radius(const RvSkinHull* h, RvVec3 offset) {
  double s, t;
  int face = cube_face(offset, &s, &t);
  // bilinear between texel centres, clamped at the face's rim
  s = fmin(fmax(s - 0.5, 0), T - 1);
  t = fmin(fmax(t - 0.5, 0), T - 1);
  int i = (int)s, j = (int)t, i1 = i + 1 < T ? i + 1 : i, j1 = j + 1 < T ? j + 1 : j;
  double x = s - i, y = t - j;
  const float(*r)[T] = h->radius[face];
  return (1 - x) * ((1 - y) * r[i][j] + y * r[i][j1]) + x * ((1 - y) * r[i1][j] + y * r[i1][j1]);
}
