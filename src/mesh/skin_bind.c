// Closest points on a skin: the closest face by a tree, then the closest site of its patch by a pattern search.
#include "mesh/skin_bind.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/nearest.h"

enum {
  GRAIN = 64,       // points of one task
  MAX_STARTS = 64,  // starting points of the search on a polygon
  LEVELS = 11,      // halvings of the step: 0.5 / 2^10 is below a thousandth
  STENCIL = 9,      // trial sites: 3 x 3 about the best
};

// Position of a corner of a face.
static RvVec3 corner(const RvSkin* s, int32_t prim, int32_t i) {
  return rv_vec3_load(s->P + 3 * (size_t)s->vertex_point[s->start[prim] + i]);
}

// Squared distance from p to the triangles of a face.
static double face_distance2(const RvSkin* s, int32_t prim, RvVec3 p) {
  int32_t n = s->start[prim + 1] - s->start[prim];
  RvVec3 a = corner(s, prim, 0);
  // Triangle or quad.
  if (n <= 4) {
    double d = rv_nearest_triangle2(p, a, corner(s, prim, 1), corner(s, prim, 2));
    return n == 3 ? d : fmin(d, rv_nearest_triangle2(p, a, corner(s, prim, 2), corner(s, prim, 3)));
  }
  // Fan.
  RvVec3 mean = {0, 0, 0};
  for (int32_t i = 0; i < n; ++i) mean = rv_mad(mean, 1.0 / n, corner(s, prim, i));
  double best_distance2 = INFINITY;
  for (int32_t i = 0; i < n; ++i)
    best_distance2 =
        fmin(best_distance2, rv_nearest_triangle2(p, corner(s, prim, i), corner(s, prim, (i + 1) % n), mean));
  return best_distance2;
}

// Moves a site of a triangle that is beyond the hypotenuse back onto it.
static RvSite clamp_to_triangle(RvSite at) {
  if (at.u + at.v > 1) {
    at.u = fmin(fmax((1 + at.u - at.v) / 2, 0), 1);
    at.v = 1 - at.u;
  }
  return at;
}

// Closest site of a face: a pattern search in the parametric square, halving the step about the best of 3 x 3 sites. A
// large polygon is searched from several starting points along its boundary.
static RvSite nearest_site(const RvSkin* s, int32_t prim, RvVec3 p) {
  int32_t n = s->start[prim + 1] - s->start[prim];
  int starts = n <= 4 ? 1 : n < MAX_STARTS ? n : MAX_STARTS;
  double best_distance2 = INFINITY;
  RvSite best = {prim, 0, 0};
  for (int start = 0; start < starts; ++start) {
    // Start in the middle, with a step that covers this start's share of the boundary.
    RvSite centre = {prim, (start + 0.5) / starts, 0.5};
    double width = 0.5 / starts, height = 0.5;
    for (int level = 0; level < LEVELS; ++level, width *= 0.5, height *= 0.5) {
      RvSite from = centre;
      for (int k = 0; k < STENCIL; ++k) {
        RvSite at = {prim, fmin(fmax(from.u + (k % 3 - 1) * width, 0), 1),
                     fmin(fmax(from.v + (k / 3 - 1) * height, 0), 1)};
        if (n == 3) at = clamp_to_triangle(at);
        // Keep it if it is nearer.
        RvVec3 d = rv_sub(rv_skin_frame(s, at).position, p);
        if (rv_dot(d, d) < best_distance2) {
          best_distance2 = rv_dot(d, d);
          best = at;
          centre = at;
        }
      }
    }
  }
  return best;
}

// Arguments of the parallel loop.
typedef struct Bind {
  const RvSkin* skin;
  int32_t* prim;   // of each item of the tree
  RvNearest tree;  // of the faces
  const RvVec3* points;
  RvSite* sites;
} Bind;

// Squared distance to a face, for the search tree.
static double distance2(const void* arg, size_t item, RvVec3 p) {
  const Bind* b = arg;
  return face_distance2(b->skin, b->prim[item], p);
}

// Closest sites of a range of points.
static void bind_range(void* arg, size_t begin, size_t end) {
  Bind* b = arg;
  for (size_t i = begin; i < end; ++i) {
    size_t found = rv_nearest_find(&b->tree, b->points[i], SIZE_MAX, distance2, b);
    b->sites[i] = found == SIZE_MAX ? (RvSite){-1, 0, 0} : nearest_site(b->skin, b->prim[found], b->points[i]);
  }
}

// Bounding box of a face.
static void face_box(const RvSkin* s, int32_t prim, float box[6]) {
  for (int32_t k = 0; k < s->start[prim + 1] - s->start[prim]; ++k) {
    float at[3];
    rv_vec3_store(at, corner(s, prim, k));
    for (int a = 0; a < 3; ++a) {
      box[a] = k && box[a] < at[a] ? box[a] : at[a];
      box[3 + a] = k && box[3 + a] > at[a] ? box[3 + a] : at[a];
    }
  }
}

RvResult rv_skin_bind(const RvSkin* s, size_t count, const RvVec3* points, RvSite* sites, RvError* error) {
  Bind b = {.skin = s, .points = points, .sites = sites, .prim = rv_alloc(s->nprim, sizeof *b.prim)};
  float* boxes = rv_alloc(s->nprim, 6 * sizeof(float));
  RvResult result = boxes && b.prim ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory to bind to %zu faces", s->nprim);
  // Boxes of the faces.
  size_t nface = 0;
  for (size_t i = 0; result == RV_OK && i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i)) continue;
    face_box(s, (int32_t)i, boxes + 6 * nface);
    b.prim[nface++] = (int32_t)i;
  }
  if (result == RV_OK) result = rv_nearest_init(&b.tree, nface, boxes, error);
  if (result == RV_OK) rv_parallel_for(count, GRAIN, bind_range, &b);
  rv_nearest_free(&b.tree);
  rv_free(boxes);
  rv_free(b.prim);
  return result;
}
