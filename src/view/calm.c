// Calm water: removes the ripples of single particles from the triangles of a liquid's surface. Ripples are as long as
// a few voxels; where the surface is flat over that length apart from them, its points move along the mean normal
// towards their neighbours, until their curvature is the mean of the curvature around them: an even curvature, such as
// that of a ball, stays. So do drops, sheets, threads, edges and waves of more than about ten particles.
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum {
  NORMAL_PASSES = 10,  // means of normals over the neighbours: over about six voxels
  WIDE_PASSES = 100,   // means of curvature, over about twenty voxels: what is left of it is kept
  HEIGHT_PASSES = 90,  // steps of the points: waves below twelve voxels vanish
  GRAIN = 2048         // points a task
};

static const double STEP = 0.5;    // of the way to the mean of the neighbours, a pass
static const double ROUGH = 0.93;  // length of the mean normal below which the surface is not flat
static const double FLAT = 0.985;  // and above which it is: slopes of 0.17, those of ripples

// One surface.
typedef struct Calm {
  const RvPart* part;
  uint32_t *start, *corner;  // triangle corners at each point
  float *from, *to;          // x y z a point: normals, then positions
  float* normal;             // mean normals
  float* share;              // of the step that a point takes
  float *rise, *wanted;      // of the neighbours over a point: as it is; mean around it, which is kept
} Calm;

// Sum over the neighbours of a point, each once a triangle; returns their number.
static double neighbours(const Calm* c, size_t point, RvVec3* sum) {
  double count = 0;
  *sum = rv_vec3(0, 0, 0);
  for (uint32_t i = c->start[point]; i < c->start[point + 1]; ++i) {
    uint32_t triangle = c->corner[i] / 3, own = c->corner[i] % 3;
    for (uint32_t k = 1; k < 3; ++k) {
      uint32_t other = c->part->indices[3 * triangle + (own + k) % 3];
      *sum = rv_add(*sum, rv_vec3_load(c->from + 3 * (size_t)other));
      count += 1;
    }
  }
  return count;
}

// A pass over normals: the mean of a point and its neighbours.
static void mean_normals(void* arg, size_t begin, size_t end) {
  const Calm* c = arg;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 sum, own = rv_vec3_load(c->from + 3 * i);
    double n = neighbours(c, i, &sum);
    rv_vec3_store(c->to + 3 * i, n > 0 ? rv_lerp(own, rv_scale(sum, 1 / n), STEP) : own);
  }
}

// How far the neighbours of a point lie above it, along the mean normal.
static void find_rises(void* arg, size_t begin, size_t end) {
  const Calm* c = arg;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 sum;
    c->rise[i] = 0;
    double n = c->share[i] > 0 ? neighbours(c, i, &sum) : 0;
    if (!(n > 0)) continue;
    RvVec3 above = rv_sub(rv_scale(sum, 1 / n), rv_vec3_load(c->from + 3 * i));
    c->rise[i] = (float)(c->share[i] * rv_dot(above, rv_vec3_load(c->normal + 3 * i)));
  }
}

// A pass over the wanted rises: the mean of a point and its neighbours.
static void mean_rises(void* arg, size_t begin, size_t end) {
  const Calm* c = arg;
  for (size_t i = begin; i < end; ++i) {
    double sum = 0, n = 0;
    for (uint32_t k = c->start[i]; k < c->start[i + 1]; ++k) {
      uint32_t triangle = c->corner[k] / 3, own = c->corner[k] % 3;
      sum += c->wanted[c->part->indices[3 * triangle + (own + 1) % 3]];
      sum += c->wanted[c->part->indices[3 * triangle + (own + 2) % 3]];
      n += 2;
    }
    c->rise[i] = n > 0 ? (float)(c->wanted[i] + STEP * (sum / n - c->wanted[i])) : c->wanted[i];
  }
}

// A step towards the wanted rise.
static void level_points(void* arg, size_t begin, size_t end) {
  const Calm* c = arg;
  for (size_t i = begin; i < end; ++i) {
    RvVec3 own = rv_vec3_load(c->from + 3 * i);
    double step = STEP * (c->rise[i] - c->share[i] * c->wanted[i]);
    rv_vec3_store(c->from + 3 * i, rv_mad(own, step, rv_vec3_load(c->normal + 3 * i)));
  }
}

// Exchanges source and target of a pass.
static void swap(Calm* c) {
  float* other = c->from;
  c->from = c->to;
  c->to = other;
}

// Normals of the points: sums of the triangles' normals times their areas.
static void point_normals(const Calm* c) {
  const RvPart* p = c->part;
  for (size_t i = 0; i < p->nvertex; ++i) {
    RvVec3 sum = {0, 0, 0};
    for (uint32_t k = c->start[i]; k < c->start[i + 1]; ++k) {
      const uint32_t* t = p->indices + 3 * (c->corner[k] / 3);
      RvVec3 o = rv_vec3_load(p->vertices + 3 * (size_t)t[0]);
      sum = rv_add(sum, rv_cross(rv_sub(rv_vec3_load(p->vertices + 3 * (size_t)t[1]), o),
                                 rv_sub(rv_vec3_load(p->vertices + 3 * (size_t)t[2]), o)));
    }
    rv_vec3_store(c->from + 3 * i, rv_normalize(sum, rv_vec3(0, 0, 0)));
  }
}

// Shares of the points by how much the normals around them agree.
static void find_flat(Calm* c) {
  size_t n = c->part->nvertex;
  point_normals(c);
  for (int i = 0; i < NORMAL_PASSES; ++i) {
    rv_parallel_for(n, GRAIN, mean_normals, c);
    swap(c);
  }
  for (size_t i = 0; i < n; ++i) {
    RvVec3 mean = rv_vec3_load(c->from + 3 * i);
    double t = rv_clamp((rv_length(mean) - ROUGH) / (FLAT - ROUGH), 0, 1);
    c->share[i] = (float)(t * t * (3 - 2 * t));
    rv_vec3_store(c->normal + 3 * i, rv_normalize(mean, rv_vec3(0, 0, 0)));
  }
}

// Finds the curvature that is kept: the mean of the rises over a wide neighbourhood.
static void keep_curvature(Calm* c) {
  size_t n = c->part->nvertex;
  rv_parallel_for(n, GRAIN, find_rises, c);
  for (int i = 0; i < WIDE_PASSES; ++i) {
    float* other = c->wanted;
    c->wanted = c->rise;
    c->rise = other;
    rv_parallel_for(n, GRAIN, mean_rises, c);
  }
  float* other = c->wanted;
  c->wanted = c->rise;
  c->rise = other;
}

bool rv_view_calm(RvPart* part) {
  size_t n = part->nvertex;
  Calm c = {.part = part,
            .from = rv_alloc(n, 3 * sizeof(float)),
            .to = rv_alloc(n, 3 * sizeof(float)),
            .normal = rv_alloc(n, 3 * sizeof(float)),
            .share = rv_alloc(n, sizeof(float)),
            .rise = rv_alloc(n, sizeof(float)),
            .wanted = rv_alloc(n, sizeof(float))};
  bool good = c.from && c.to && c.normal && c.share && c.rise && c.wanted && rv_view_corners(part, &c.start, &c.corner);
  if (good) {
    find_flat(&c);
    for (size_t i = 0; i < 3 * n; ++i) c.from[i] = part->vertices[i];
    keep_curvature(&c);
    for (int i = 0; i < HEIGHT_PASSES; ++i) {
      rv_parallel_for(n, GRAIN, find_rises, &c);
      rv_parallel_for(n, GRAIN, level_points, &c);
    }
    for (size_t i = 0; i < 3 * n; ++i) part->vertices[i] = c.from[i];
  }
  rv_free(c.from);
  rv_free(c.to);
  rv_free(c.normal);
  rv_free(c.share);
  rv_free(c.rise);
  rv_free(c.wanted);
  rv_free(c.start);
  rv_free(c.corner);
  return good;
}
