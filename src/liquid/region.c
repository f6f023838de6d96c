// Distances of boxes, balls and placed level sets (region.h).
#include "liquid/region.h"

#include <math.h>
#include <string.h>

enum { BATCH = 128 };  // points whose places fit the stack

// Signed distance to a box: inside, minus the distance to the nearest side.
static bool box_distance(const void* user, size_t count, const double* at, float* out) {
  const double(*box)[3] = user;
  for (size_t i = 0; i < count; ++i) {
    double inside = -INFINITY, squared_outside = 0;
    for (int a = 0; a < 3; ++a) {
      double d = fmax(box[0][a] - at[3 * i + (size_t)a], at[3 * i + (size_t)a] - box[1][a]);
      inside = fmax(inside, d);
      if (d > 0) squared_outside += d * d;
    }
    out[i] = (float)(squared_outside > 0 ? sqrt(squared_outside) : inside);
  }
  return true;
}

RvRegion rv_liquid_region_box(const double box[2][3]) {
  RvRegion r = {.distance = box_distance, .user = box};
  for (int a = 0; a < 3; ++a) {
    r.lo[a] = box[0][a];
    r.hi[a] = box[1][a];
  }
  return r;
}

// Signed distance to a ball.
static bool ball_distance(const void* user, size_t count, const double* at, float* out) {
  const double* ball = user;
  for (size_t i = 0; i < count; ++i)
    out[i] = (float)(rv_distance(rv_vec3_load64(at + 3 * i), rv_vec3_load64(ball)) - ball[3]);
  return true;
}

RvRegion rv_liquid_region_ball(const double ball[4]) {
  RvRegion r = {.distance = ball_distance, .user = ball};
  for (int a = 0; a < 3; ++a) {
    r.lo[a] = ball[a] - ball[3];
    r.hi[a] = ball[a] + ball[3];
  }
  return r;
}

//---------------------------------------------------------------------------------------------- level sets

// Points of the world in the own space of a placed grid.
static void own_places(const RvPlacedGrid* p, size_t count, const double* at, double* own) {
  RvQuat to_own = rv_quat_conjugate(p->turn);
  for (size_t i = 0; i < count; ++i)
    rv_vec3_store64(own + 3 * i, rv_quat_rotate(to_own, rv_sub(rv_vec3_load64(at + 3 * i), p->to)));
}

// Velocities of the field at points of its own space. False: out of memory.
static bool own_field(const RvPlacedGrid* p, size_t count, const double* own, float* v) {
  if (p->motion)
    p->motion(p->user, count, own, v);
  else if (p->velocity)
    return rv_grid_sample(p->velocity, count, own, v, NULL) == RV_OK;
  else
    memset(v, 0, 3 * count * sizeof *v);
  return true;
}

// Distances of at most BATCH points: each is traced back by the field's motion, then the level set is sampled there.
static bool some_distances(const RvPlacedGrid* p, size_t count, const double* at, float* out) {
  double own[3 * BATCH];
  float v[3 * BATCH];
  own_places(p, count, at, own);
  // the shape has moved by its field
  if ((p->velocity || p->motion) && p->field_time != 0) {
    if (!own_field(p, count, own, v)) return false;
    for (size_t i = 0; i < 3 * count; ++i) own[i] -= p->field_time * (double)v[i];
  }
  // the level set, with its thickening
  if (rv_grid_sample(p->distance, count, own, out, NULL)) return false;
  for (size_t i = 0; i < count; ++i) out[i] = (float)((double)out[i] - p->thicken);
  return true;
}

bool rv_liquid_placed_field(const RvPlacedGrid* p, size_t count, const double* at, float* out) {
  double own[3 * BATCH];
  for (size_t i = 0; i < count; i += BATCH) {
    size_t n = count - i < BATCH ? count - i : BATCH;
    own_places(p, n, at + 3 * i, own);
    if (!own_field(p, n, own, out + 3 * i)) return false;
    for (float* v = out + 3 * i; v < out + 3 * (i + n); v += 3)
      rv_vec3_store(v, rv_quat_rotate(p->turn, rv_vec3_load(v)));
  }
  return true;
}

bool rv_liquid_placed_distance(const RvPlacedGrid* p, size_t count, const double* at, float* out) {
  if (!p->distance) {
    for (size_t i = 0; i < count; ++i) out[i] = INFINITY;
    return true;
  }
  for (size_t i = 0; i < count; i += BATCH)
    if (!some_distances(p, count - i < BATCH ? count - i : BATCH, at + 3 * i, out + i)) return false;
  return true;
}

enum { LEAF_VALUES = 512 };  // of a leaf of 8^3 voxels

// RvLeafFn: raises the largest squared speed to that of a block.
static void raise_squared(void* arg, const RvLeaf* leaf) {
  double* squared = arg;
  for (size_t i = 0; i < LEAF_VALUES; ++i) {
    RvVec3 v = rv_vec3_load(leaf->values + 3 * i);
    *squared = fmax(*squared, rv_dot(v, v));
  }
}

// Largest speed of a field; 0 if it has values that are not finite.
static double fastest(const RvGrid* velocity) {
  double squared = 0;
  rv_grid_each_leaf(velocity, raise_squared, &squared);
  return isfinite(squared) ? sqrt(squared) : 0;
}

bool rv_liquid_placed_bounds(const RvPlacedGrid* p, double lo[3], double hi[3]) {
  int32_t ilo[3], ihi[3];
  double own[2][3], reach = p->thicken;
  if (!p->distance || !rv_grid_bounds(p->distance, ilo, ihi, own[0], own[1])) return false;
  // room for the motion of the field
  if ((p->velocity || p->motion) && p->field_time != 0)
    reach += fabs(p->field_time) * (p->motion ? p->fastest : fastest(p->velocity));
  // box around the eight corners in the world
  for (int a = 0; a < 3; ++a) {
    lo[a] = INFINITY;
    hi[a] = -INFINITY;
  }
  for (int k = 0; k < 8; ++k) {
    double x[3];
    RvVec3 corner = rv_vec3(own[k & 1][0], own[k >> 1 & 1][1], own[k >> 2][2]);
    rv_vec3_store64(x, rv_add(p->to, rv_quat_rotate(p->turn, corner)));
    for (int a = 0; a < 3; ++a) {
      lo[a] = fmin(lo[a], x[a] - reach);
      hi[a] = fmax(hi[a], x[a] + reach);
    }
  }
  return true;
}

static bool grid_distance(const void* user, size_t count, const double* at, float* out) {
  return rv_liquid_placed_distance(user, count, at, out);
}

RvRegion rv_liquid_region_grid(const RvPlacedGrid* p) {
  RvRegion r = {.distance = grid_distance, .user = p};
  if (!rv_liquid_placed_bounds(p, r.lo, r.hi))
    for (int a = 0; a < 3; ++a) {
      r.lo[a] = INFINITY;
      r.hi[a] = -INFINITY;
    }
  return r;
}
