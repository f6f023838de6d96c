#include "mesh/motion.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

void rv_mesh_motion_free(RvMeshMotion* m) {
  rv_nearest_free(&m->tree);
  rv_free(m->triangles);
  rv_free(m->P);
  rv_free(m->v);
  *m = (RvMeshMotion){0};
}

static RvVec3 corner(const RvMeshMotion* m, size_t triangle, int k) {
  return rv_vec3_load(m->P + 3 * (size_t)m->triangles[3 * triangle + (size_t)k]);
}

static double distance2(const void* arg, size_t item, RvVec3 p) {
  const RvMeshMotion* m = arg;
  return rv_nearest_triangle2(p, corner(m, item, 0), corner(m, item, 1), corner(m, item, 2));
}

// what is not a number stands still at the origin: no surface was made of it
static float finite_or_zero(double x) {
  return isfinite((float)x) ? (float)x : 0;
}

static void fill(RvMeshMotion* m, const RvMeshMotionDef* d) {
  size_t n = d->last - d->first;
  for (size_t i = 0; i < 3 * n; ++i) {
    size_t k = 3 * d->first + i;
    double p = d->P[k], way = d->after ? (double)d->after[k] - p : 0;
    m->P[i] = finite_or_zero(p + d->from * way);
    m->v[i] = finite_or_zero(d->after ? way * d->unit / d->dt : d->v ? d->v[k] * d->rate : 0);
  }
  for (size_t i = 0; i < n; ++i) {
    RvVec3 v = rv_vec3_load(m->v + 3 * i);
    m->fastest = fmax(m->fastest, rv_length(v));
  }
  for (size_t i = 0; i < 3 * d->ntriangle; ++i) m->triangles[i] = d->triangles[i] - (int32_t)d->first;
}

RvResult rv_mesh_motion_init(RvMeshMotion* m, const RvMeshMotionDef* d, RvError* error) {
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
  for (size_t t = 0; !result && t < d->ntriangle; ++t)
    for (size_t a = 0; a < 3; ++a) {
      const int32_t* p = m->triangles + 3 * t;
      float x = m->P[3 * (size_t)p[0] + a], y = m->P[3 * (size_t)p[1] + a], z = m->P[3 * (size_t)p[2] + a];
      boxes[6 * t + a] = fminf(x, fminf(y, z));
      boxes[6 * t + 3 + a] = fmaxf(x, fmaxf(y, z));
    }
  if (!result) result = rv_nearest_init(&m->tree, d->ntriangle, boxes, error);
  rv_free(boxes);
  if (result) rv_mesh_motion_free(m);
  return result;
}

// by the point of the triangle's plane under p, drawn back into the triangle
static RvVec3 velocity_on(const RvMeshMotion* m, size_t t, RvVec3 p) {
  RvVec3 a = corner(m, t, 0), e = rv_sub(corner(m, t, 1), a), f = rv_sub(corner(m, t, 2), a), d = rv_sub(p, a);
  double ee = rv_dot(e, e), ff = rv_dot(f, f), ef = rv_dot(e, f), de = rv_dot(d, e), df = rv_dot(d, f);
  double det = ee * ff - ef * ef, w[3] = {1, 0, 0}, sum = 0;
  if (det > 1e-12 * ee * ff) {
    w[1] = rv_clamp((ff * de - ef * df) / det, 0, 1);
    w[2] = rv_clamp((ee * df - ef * de) / det, 0, 1);
    w[0] = fmax(1 - w[1] - w[2], 0);
  }
  RvVec3 v = {0};
  for (int k = 0; k < 3; ++k) {
    sum += w[k];
    v = rv_mad(v, w[k], rv_vec3_load(m->v + 3 * (size_t)m->triangles[3 * t + (size_t)k]));
  }
  return rv_scale(v, 1 / sum);
}

typedef struct Find {
  const RvMeshMotion* m;
  const RvVec3* at;
  double reach;
  RvVec3* velocity;
} Find;

static void find(void* arg, size_t begin, size_t end) {
  const Find* f = arg;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 p = rv_scale(f->at[i], 1 / f->m->unit);
    double limit = f->reach / f->m->unit, limit2 = limit * limit;
    size_t t = rv_nearest_within(&f->m->tree, p, SIZE_MAX, distance2, f->m, &limit2);
    f->velocity[i] = t == SIZE_MAX ? rv_vec3(0, 0, 0) : velocity_on(f->m, t, p);
  }
}

void rv_mesh_motion_at(const void* user, size_t n, const RvVec3* at, double reach, RvVec3* velocity) {
  Find f = {user, at, reach, velocity};
  rv_parallel_for(n, 256, find, &f);
}
