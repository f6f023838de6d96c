// Signed distances, velocities and curvatures of colliders; see collider.h.
#include "contact/collider.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

enum { SAMPLES = 7 };                      // a point and one to each side along each axis
enum { LEAF_VOXELS = 512 };                // of a grid
enum { GRAIN = 1024 };                     // places a task
static const double LEAST_GRADIENT = 0.2;  // of the true one: below it the grid is constant, beyond its band
static const double LEAST_RADIUS = 1e-12;  // m, of curvature

RvPose rv_contact_collider_pose(const RvCollider* s, double time) {
  double speed = rv_length(s->angular);
  RvPose pose = {rv_mad(s->position, time, s->linear), rv_quat_normalize(s->orientation)};
  if (speed * fabs(time) > 0)
    pose.orientation = rv_quat_normalize(
        rv_quat_mul(rv_quat_axis_angle(rv_scale(s->angular, 1 / speed), speed * time), pose.orientation));
  return pose;
}

RvResult rv_contact_collider_check(const RvCollider* s, size_t index, RvError* error) {
  bool round = s->shape == RV_COLLIDER_SPHERE || s->shape == RV_COLLIDER_CAPSULE;
  double turn = rv_quat_dot(s->orientation, s->orientation);
  if (!rv_vec3_finite(s->position) || !rv_vec3_finite(s->linear) || !rv_vec3_finite(s->angular) || !(turn > 0) ||
      !isfinite(turn) || !isfinite(s->offset) || !(s->friction >= 0) || !isfinite(s->angle))
    return rv_fail(error, RV_BAD_INPUT,
                   "collider %zu: position, orientation, velocity, offset and friction must be finite numbers", index);
  if (round && !(s->radius > 0 && isfinite(s->radius) && s->half_height >= 0 && isfinite(s->half_height)))
    return rv_fail(error, RV_BAD_INPUT, "collider %zu: its radius must be above 0", index);
  if (s->shape == RV_COLLIDER_GRID && (!s->distance || rv_grid_type(s->distance) != RV_GRID_FLOAT))
    return rv_fail(error, RV_BAD_INPUT, "collider %zu: it needs a float grid of signed distances", index);
  if (s->velocity && rv_grid_type(s->velocity) != RV_GRID_VEC3)
    return rv_fail(error, RV_BAD_INPUT, "collider %zu: its grid of velocities must hold vectors", index);
  return RV_OK;
}

// Distance and normal of a plane, sphere or capsule.
static double analytic(const RvCollider* s, RvVec3 y, RvVec3* normal) {
  if (s->shape == RV_COLLIDER_PLANE) {
    *normal = rv_vec3(0, 1, 0);
    return y.y;
  }
  double half = s->shape == RV_COLLIDER_CAPSULE ? s->half_height : 0;
  RvVec3 out = rv_sub(y, rv_vec3(0, rv_clamp(y.y, -half, half), 0));
  *normal = rv_normalize(out, rv_vec3(1, 0, 0));
  return rv_length(out) - s->radius;
}

// Places at which a collider is asked, and the answers.
typedef struct Places {
  const RvCollider* solid;
  const RvVec3* at;
  size_t each;  // samples of a place
  double h;     // m between them
  double* x;    // [n * each][3] the samples
  const float* value;
  double* distance;
  RvVec3* normal;  // or NULL
} Places;

// Samples of some places.
static void spread_samples(void* arg, size_t begin, size_t end) {
  const Places* p = arg;
  for (size_t k = begin * p->each; k < end * p->each; ++k) {
    double x[3] = {p->at[k / p->each].x, p->at[k / p->each].y, p->at[k / p->each].z};
    size_t step = k % p->each;
    if (step) x[(step - 1) / 2] += step % 2 ? -p->h : p->h;
    for (int c = 0; c < 3; ++c) p->x[3 * k + (size_t)c] = x[c];
  }
}

// Samples a collider's distance at n points and, with `each` = SAMPLES, also h to each side of them along each axis.
// `*value` [n * each] is taken from the scratch.
static RvResult sample_around(const RvCollider* s, RvArena* scratch, size_t n, const RvVec3* at, size_t each, double h,
                              float** value, RvError* error) {
  double* x = RV_TAKE(scratch, double, 3 * (n * each));
  *value = RV_TAKE(scratch, float, n* each);
  if (!x || !*value) return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu samples of a collider", n);
  rv_parallel_for(n, GRAIN, spread_samples, &(Places){.at = at, .each = each, .h = h, .x = x});
  return n > 0 ? rv_grid_sample(s->distance, n * each, x, *value, error) : RV_OK;
}

// Distances and gradients of some places, from their samples.
static void join_samples(void* arg, size_t begin, size_t end) {
  const Places* p = arg;
  for (size_t k = begin; k < end; ++k) {
    const float* v = p->value + k * p->each;
    p->distance[k] = (double)v[0] - p->solid->offset;
    if (!p->normal) continue;
    RvVec3 slope = rv_vec3((double)v[2] - (double)v[1], (double)v[4] - (double)v[3], (double)v[6] - (double)v[5]);
    bool steep = rv_length(slope) > LEAST_GRADIENT * p->h;
    p->normal[k] = steep ? rv_normalize(slope, rv_vec3(0, 0, 0)) : rv_vec3(0, 0, 0);
  }
}

// Distances of a grid, and normals by central differences over half a voxel to each side.
static RvResult sample(const RvCollider* s, RvArena* scratch, size_t n, const RvVec3* at, double* distance,
                       RvVec3* normal, RvError* error) {
  size_t each = normal ? SAMPLES : 1;
  double h = 0.5 * rv_grid_voxel_size(s->distance);
  RvArenaMark mark = rv_arena_mark(scratch);
  float* value;
  RvResult result = sample_around(s, scratch, n, at, each, h, &value, error);
  Places p = {.solid = s, .each = each, .h = h, .value = value, .distance = distance, .normal = normal};
  if (!result) rv_parallel_for(n, GRAIN, join_samples, &p);
  rv_arena_release(scratch, mark);
  return result;
}

// Distances of some places to a shape.
static void measure_some(void* arg, size_t begin, size_t end) {
  const Places* p = arg;
  for (size_t k = begin; k < end; ++k) {
    RvVec3 out;
    p->distance[k] = analytic(p->solid, p->at[k], &out) - p->solid->offset;
    if (p->normal) p->normal[k] = out;
  }
}

RvResult rv_contact_collider_distance(const RvCollider* s, RvArena* scratch, size_t n, const RvVec3* at,
                                      double* distance, RvVec3* normal, RvError* error) {
  if (n == 0) return RV_OK;
  if (s->shape == RV_COLLIDER_GRID) return sample(s, scratch, n, at, distance, normal, error);
  Places p = {.solid = s, .at = at, .distance = distance, .normal = normal};
  rv_parallel_for(n, GRAIN, measure_some, &p);
  return RV_OK;
}

RvResult rv_contact_collider_velocity(const RvCollider* s, RvArena* scratch, size_t n, const RvVec3* at, double reach,
                                      RvVec3* velocity, RvError* error) {
  for (size_t k = 0; k < n; ++k) velocity[k] = rv_vec3(0, 0, 0);
  if (s->shape != RV_COLLIDER_GRID || n == 0) return RV_OK;
  if (s->motion) s->motion(s->motion_user, n, at, reach, velocity);
  if (s->motion || !s->velocity) return RV_OK;
  RvArenaMark mark = rv_arena_mark(scratch);
  double* x = RV_TAKE(scratch, double, 3 * n);
  float* v = RV_TAKE(scratch, float, 3 * n);
  RvResult result =
      x && v ? RV_OK : rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu samples of a collider", n);
  for (size_t k = 0; !result && k < n; ++k) rv_vec3_store64(x + 3 * k, at[k]);
  if (!result) result = rv_grid_sample(s->velocity, n, x, v, error);
  for (size_t k = 0; !result && k < n; ++k) velocity[k] = rv_vec3_load(v + 3 * k);
  rv_arena_release(scratch, mark);
  return result;
}

// Mean curvature of a plane, sphere or capsule, whose side is a cylinder.
static double analytic_curvature(const RvCollider* s, RvVec3 y) {
  if (s->shape == RV_COLLIDER_PLANE) return 0;
  bool side = s->shape == RV_COLLIDER_CAPSULE && fabs(y.y) < s->half_height;
  return (side ? 0.5 : 1) / fmax(s->radius + s->offset, LEAST_RADIUS);
}

// Half the Laplacian of the distance, by differences over a voxel to each side.
RvResult rv_contact_collider_curvature(const RvCollider* s, RvArena* scratch, size_t n, const RvVec3* at,
                                       double* curvature, RvError* error) {
  if (s->shape != RV_COLLIDER_GRID) {
    for (size_t k = 0; k < n; ++k) curvature[k] = analytic_curvature(s, at[k]);
    return RV_OK;
  }
  double h = rv_grid_voxel_size(s->distance);
  RvArenaMark mark = rv_arena_mark(scratch);
  float* value;
  RvResult result = sample_around(s, scratch, n, at, SAMPLES, h, &value, error);
  // Differences.
  for (size_t k = 0; !result && k < n; ++k) {
    const float* v = value + SAMPLES * k;
    double sum = -6 * (double)v[0];
    for (int i = 1; i < SAMPLES; ++i) sum += (double)v[i];
    curvature[k] = 0.5 * sum / (h * h);
  }
  rv_arena_release(scratch, mark);
  return result;
}

// RvLeafFn: raises the largest squared speed to that of a block.
static void raise_square(void* arg, const RvLeaf* leaf) {
  double* square = arg;
  for (int i = 0; i < LEAF_VOXELS; ++i) {
    RvVec3 v = rv_vec3_load(leaf->values + 3 * i);
    *square = fmax(*square, rv_dot(v, v));
  }
}

// Largest speed of a velocity grid, m/s.
static double largest_speed(const RvGrid* velocity) {
  double square = 0;
  rv_grid_each_leaf(velocity, raise_square, &square);
  return isfinite(square) ? sqrt(square) : 0;
}

RvColliderBox rv_contact_collider_box(const RvCollider* s, double dt) {
  RvColliderBox box = {.empty = true};
  int32_t lo[3], hi[3];
  if (s->shape != RV_COLLIDER_GRID) return box;
  box.empty = !rv_grid_bounds(s->distance, lo, hi, box.lo, box.hi);
  double speed = s->motion ? s->fastest : s->velocity ? largest_speed(s->velocity) : 0;
  double wide = s->offset + speed * (fabs(s->grid_time) + dt);
  for (int k = 0; k < 3; ++k) {
    box.lo[k] -= wide;
    box.hi[k] += wide;
  }
  return box;
}

bool rv_contact_collider_near(const RvCollider* s, const RvColliderBox* box, RvVec3 at, double radius) {
  if (s->shape != RV_COLLIDER_GRID) {
    RvVec3 normal;
    return analytic(s, at, &normal) - s->offset < radius;
  }
  double p[3] = {at.x, at.y, at.z};
  for (int k = 0; k < 3; ++k)
    if (box->empty || p[k] < box->lo[k] - radius || p[k] > box->hi[k] + radius) return false;
  return true;
}
