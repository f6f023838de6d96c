// The cube map of the radii of a skin about its centre.
#include "mesh/skin_hull.h"

#include <string.h>

enum {
  T = RV_HULL_TEXELS,
  FACES = 6,       // of the cube
  MAX_SPLIT = 48,  // subdivisions of a triangle's edge, at most
};
// Skins whose roundness is above this have a hull: 1 is a sphere, 0 a plane.
static const double min_roundness = 0.7;
// Skin at more than this many times the radius of the nearest skin in the same direction is another part of the body.
static const float MOST_DEPTH = 1.25f;
// Site of each facet at which its orientation is measured: near the centroid of triangles.
static const double facet_uv = 0.3;

// Face of the cube in a direction, and the position on it in texels.
static int cube_face(RvVec3 d, double* s, double* t) {
  // The largest coordinate decides the face; the other two, divided by it, are the position.
  double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  double major = x;
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

// Index of a texel, clamped to the face.
static int texel(double s) {
  return s < 0 ? 0 : s >= T ? T - 1 : (int)s;
}

// What a pass over the faces writes.
typedef struct Pass {
  RvSkinHull* h;
  float (*nearest)[T][T];  // [FACES] least radius of each texel; 0: none
  bool find_nearest;       // first pass; the second one finds the radii
} Pass;

// Counts a point of the skin to the texel in its direction. What lies far behind the nearest skin, as shoulders do
// behind a neck, does not count: hair falls between them.
static void splat(const Pass* pass, RvVec3 p) {
  double s, t;
  RvVec3 d = rv_sub(p, pass->h->centre);
  int face = cube_face(d, &s, &t);
  float r = (float)rv_length(d);
  float* least = &pass->nearest[face][texel(s)][texel(t)];
  float* most = &pass->h->radius[face][texel(s)][texel(t)];
  if (pass->find_nearest) {
    if (*least == 0 || r < *least) *least = r;
  } else if (r > *most && r <= MOST_DEPTH * *least) {
    *most = r;
  }
}

// Splats a triangle at points about as dense as the texels are, seen from the centre.
static void splat_triangle(const Pass* pass, RvVec3 a, RvVec3 b, RvVec3 c) {
  const RvSkinHull* h = pass->h;
  double size = fmax(rv_distance(a, b), fmax(rv_distance(b, c), rv_distance(c, a)));
  double nearest = fmin(rv_distance(a, h->centre), fmin(rv_distance(b, h->centre), rv_distance(c, h->centre)));
  double wanted = nearest > 0 ? 2 * T * size / nearest : MAX_SPLIT;
  int n = wanted < 1 ? 1 : wanted > MAX_SPLIT ? MAX_SPLIT : (int)wanted;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; i + j <= n; ++j) {
      double u = (double)i / n, v = (double)j / n;
      splat(pass, rv_add(rv_scale(a, 1 - u - v), rv_add(rv_scale(b, u), rv_scale(c, v))));
    }
  }
}

// Position of a vertex.
static RvVec3 point(const RvSkin* s, int32_t vertex) {
  return rv_vec3_load(s->P + 3 * (size_t)s->vertex_point[vertex]);
}

// Roundness: mean cosine between the normals and the directions from the centre. 1 for a sphere, 0 for a plane.
static double roundness(const RvSkin* s) {
  double flux = 0, size = 0;
  for (size_t i = 0; i < s->nfacet; ++i) {
    RvSite site = {s->facet_prim[i], facet_uv, facet_uv};
    RvSkinFrame f = rv_skin_frame(s, site);
    RvVec3 out = rv_sub(f.position, s->centre);
    double area = s->cumulative[i] - (i ? s->cumulative[i - 1] : 0);
    flux += area * rv_dot(f.normal, out);
    size += area * rv_length(out);
  }
  return size > 0 ? flux / size : 0;
}

// Gives empty texels the largest radius of their neighbours, once: gaps between samples close, real openings stay open.
static void close_gaps(RvSkinHull* h) {
  float old[T][T];
  for (int f = 0; f < FACES; ++f) {
    memcpy(old, h->radius[f], sizeof old);
    for (int i = 0; i < T; ++i) {
      for (int j = 0; j < T; ++j) {
        // Largest radius of the 3 x 3 texels.
        float largest = 0;
        if (old[i][j] > 0) continue;
        for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < T; ++a)
          for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < T; ++b) largest = old[a][b] > largest ? old[a][b] : largest;
        h->radius[f][i][j] = largest;
      }
    }
  }
}

// Splats all faces of the skin.
static void splat_faces(const Pass* pass, const RvSkin* s) {
  for (size_t i = 0; i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i)) continue;
    for (int32_t v = s->start[i] + 1; v + 1 < s->start[i + 1]; ++v)
      splat_triangle(pass, point(s, s->start[i]), point(s, v), point(s, v + 1));
  }
}

void rv_skin_hull_init(RvSkinHull* h, const RvSkin* s) {
  memset(h, 0, sizeof *h);
  h->centre = s->centre;
  h->used = roundness(s) > min_roundness;
  if (!h->used) return;
  float nearest[FACES][T][T] = {0};
  splat_faces(&(Pass){h, nearest, true}, s);
  splat_faces(&(Pass){h, nearest, false}, s);
  close_gaps(h);
}

double rv_skin_hull_radius(const RvSkinHull* h, RvVec3 offset) {
  double s, t;
  int face = cube_face(offset, &s, &t);
  // Bilinear interpolation between texel centres, clamped at the edge of the face.
  s = fmin(fmax(s - 0.5, 0), T - 1);
  t = fmin(fmax(t - 0.5, 0), T - 1);
  int i = (int)s, j = (int)t;
  int i1 = i + 1 < T ? i + 1 : i;
  int j1 = j + 1 < T ? j + 1 : j;
  double x = s - i, y = t - j;
  const float(*r)[T] = h->radius[face];
  return (1 - x) * ((1 - y) * r[i][j] + y * r[i][j1]) + x * ((1 - y) * r[i1][j] + y * r[i1][j1]);
}
