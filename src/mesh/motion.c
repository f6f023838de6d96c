// Velocities on the surface of a deforming mesh: those of the points, interpolated at the nearest point of the surface.
#include "mesh/motion.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

enum { GRAIN = 256 };  // positions of one task
// A triangle is degenerate if the determinant of its edges' Gram matrix is below this fraction of the product of their
// squared lengths (the squared sine of their angle).
static const double degenerate_sine2 = 1e-12;

void rv_mesh_motion_free(RvMeshMotion* m) {
  rv_nearest_free(&m->tree);
  rv_free(m->triangles);
  rv_free(m->P);
  rv_free(m->v);
  *m = (RvMeshMotion){0};
}

// Corner `k` of a triangle.
static RvVec3 corner(const RvMeshMotion* m, size_t triangle, int k) {
  return rv_vec3_load(m->P + 3 * (size_t)m->triangles[3 * triangle + (size_t)k]);
}

// Squared distance to a triangle, for the search tree.
static double distance2(const void* arg, size_t item, RvVec3 p) {
  const RvMeshMotion* m = arg;
  return rv_nearest_triangle2(p, corner(m, item, 0), corner(m, item, 1), corner(m, item, 2));
}

// Replaces what is not finite by 0. Such points belong to no surface, but the search tree needs finite boxes.
static float finite_or_zero(double x) {
  return isfinite((float)x) ? (float)x : 0;
}

// Positions and velocities of the points, and the triangles counted from the first point.
static void fill(RvMeshMotion* m, const RvMeshMotionDef* d) {
  size_t n = d->last - d->first;
  for (size_t i = 0; i < 3 * n; ++i) {
    size_t k = 3 * d->first + i;
    double p = d->P[k];
    double displacement = d->after ? (double)d->after[k] - p : 0;
    m->P[i] = finite_or_zero(p + d->from * displacement);
    m->v[i] = finite_or_zero(d->after ? displacement * d->unit / d->dt : d->v ? d->v[k] * d->rate : 0);
  }
  // Largest speed.
  for (size_t i = 0; i < n; ++i) {
    RvVec3 v = rv_vec3_load(m->v + 3 * i);
    m->fastest = fmax(m->fastest, rv_length(v));
  }
  for (size_t i = 0; i < 3 * d->ntriangle; ++i) m->triangles[i] = d->triangles[i] - (int32_t)d->first;
}

RvResult rv_mesh_motion_init(RvMeshMotion* m, const RvMeshMotionDef* d, RvError* error) {
  // Allocate and fill.
  size_t n = d->last - d->first;
  *m = (RvMeshMotion){.unit = d->unit};
  m->triangles = rv_alloc(3 * d->ntriangle, sizeof *m->triangles);
  m->P = rv_alloc(3 * n, sizeof *m->P);
  m->v = rv_alloc(3 * n, sizeof *m->v);
  float* boxes = rv_alloc(6 * d->ntriangle, sizeof *boxes);
  RvResult result = RV_OK;
  if (!m->triangles || !m->P || !m->v || !boxes)
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of a collider");
  if (!result) fill(m, d);
  // Bounding boxes of the triangles, for the tree.
  for (size_t t = 0; !result && t < d->ntriangle; ++t)
    for (size_t a = 0; a < 3; ++a) {
      const int32_t* p = m->triangles + 3 * t;
      float p0 = m->P[3 * (size_t)p[0] + a];
      float p1 = m->P[3 * (size_t)p[1] + a];
      float p2 = m->P[3 * (size_t)p[2] + a];
      boxes[6 * t + a] = fminf(p0, fminf(p1, p2));
      boxes[6 * t + 3 + a] = fmaxf(p0, fmaxf(p1, p2));
    }
  if (!result) result = rv_nearest_init(&m->tree, d->ntriangle, boxes, error);
  rv_free(boxes);
  if (result) rv_mesh_motion_free(m);
  return result;
}

// Velocity of a triangle at the projection of p: barycentric weights by the normal equations, clamped to the triangle.
static RvVec3 velocity_on(const RvMeshMotion* m, size_t t, RvVec3 p) {
  // Weights; a degenerate triangle has the velocity of its first corner.
  RvVec3 a = corner(m, t, 0);
  RvVec3 e = rv_sub(corner(m, t, 1), a);
  RvVec3 f = rv_sub(corner(m, t, 2), a);
  RvVec3 d = rv_sub(p, a);
  double ee = rv_dot(e, e), ff = rv_dot(f, f), ef = rv_dot(e, f), de = rv_dot(d, e), df = rv_dot(d, f);
  double det = ee * ff - ef * ef;
  double w[3] = {1, 0, 0};
  if (det > degenerate_sine2 * ee * ff) {
    w[1] = rv_clamp((ff * de - ef * df) / det, 0, 1);
    w[2] = rv_clamp((ee * df - ef * de) / det, 0, 1);
    w[0] = fmax(1 - w[1] - w[2], 0);
  }
  // Weighted mean.
  RvVec3 v = {0};
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    sum += w[k];
    v = rv_mad(v, w[k], rv_vec3_load(m->v + 3 * (size_t)m->triangles[3 * t + (size_t)k]));
  }
  return rv_scale(v, 1 / sum);
}

// Arguments of the parallel loop, as of rv_mesh_motion_at.
typedef struct Find {
  const RvMeshMotion* m;
  const RvVec3* at;
  double reach;
  RvVec3* velocity;
} Find;

// Velocities for a range of positions.
static void find(void* arg, size_t begin, size_t end) {
  const Find* f = arg;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 p = rv_scale(f->at[i], 1 / f->m->unit);
    double limit = f->reach / f->m->unit;
    double limit2 = limit * limit;
    size_t t = rv_nearest_within(&f->m->tree, p, SIZE_MAX, distance2, f->m, &limit2);
    f->velocity[i] = t == SIZE_MAX ? rv_vec3(0, 0, 0) : velocity_on(f->m, t, p);
  }
}

void rv_mesh_motion_at(const void* user, size_t n, const RvVec3* at, double reach, RvVec3* velocity) {
  Find f = {user, at, reach, velocity};
  rv_parallel_for(n, GRAIN, find, &f);
}
