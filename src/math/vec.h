// 3-vectors, 3x3 matrices and quaternions in double precision, passed by value. Quaternions are (x, y, z, w) as in
// Houdini's orient attribute.
#ifndef RV_MATH_VEC_H
#define RV_MATH_VEC_H

#include <math.h>
#include <stdbool.h>

// Shorter vectors and quaternions have no direction; their squared length is still above the smallest normal double.
#define RV_MIN_LENGTH 1e-150

typedef struct RvVec3 {
  double x, y, z;
} RvVec3;

typedef struct RvQuat {
  double x, y, z, w;
} RvQuat;

// A matrix by columns: m v = c[0] v.x + c[1] v.y + c[2] v.z.
typedef struct RvMat3 {
  RvVec3 c[3];
} RvMat3;

static inline RvVec3 rv_vec3(double x, double y, double z) {
  return (RvVec3){x, y, z};
}
static inline RvVec3 rv_vec3_load(const float* p) {
  return (RvVec3){p[0], p[1], p[2]};
}
static inline RvVec3 rv_vec3_load64(const double* p) {
  return (RvVec3){p[0], p[1], p[2]};
}
static inline void rv_vec3_store(float* p, RvVec3 a) {
  p[0] = (float)a.x;
  p[1] = (float)a.y;
  p[2] = (float)a.z;
}
static inline void rv_vec3_store64(double* p, RvVec3 a) {
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}
static inline RvVec3 rv_add(RvVec3 a, RvVec3 b) {
  return (RvVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline RvVec3 rv_sub(RvVec3 a, RvVec3 b) {
  return (RvVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline RvVec3 rv_scale(RvVec3 a, double s) {
  return (RvVec3){a.x * s, a.y * s, a.z * s};
}
static inline RvVec3 rv_neg(RvVec3 a) {
  return (RvVec3){-a.x, -a.y, -a.z};
}
static inline RvVec3 rv_mul(RvVec3 a, RvVec3 b) {
  return (RvVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
// a + s b.
static inline RvVec3 rv_mad(RvVec3 a, double s, RvVec3 b) {
  return rv_add(a, rv_scale(b, s));
}
static inline RvVec3 rv_lerp(RvVec3 a, RvVec3 b, double t) {
  return rv_add(rv_scale(a, 1 - t), rv_scale(b, t));
}
static inline double rv_dot(RvVec3 a, RvVec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline RvVec3 rv_cross(RvVec3 a, RvVec3 b) {
  return (RvVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double rv_length(RvVec3 a) {
  return sqrt(rv_dot(a, a));
}
static inline double rv_distance(RvVec3 a, RvVec3 b) {
  return rv_length(rv_sub(a, b));
}
// Unit vector; `fallback` if `a` is too short to have a direction.
static inline RvVec3 rv_normalize(RvVec3 a, RvVec3 fallback) {
  double n = rv_length(a);
  return n > RV_MIN_LENGTH ? rv_scale(a, 1 / n) : fallback;
}
static inline bool rv_vec3_finite(RvVec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
// A unit vector perpendicular to the unit vector `n`, continuous except where n.z changes its sign (Duff et al. 2017,
// "Building an orthonormal basis, revisited").
static inline RvVec3 rv_perpendicular(RvVec3 n) {
  double sign = copysign(1.0, n.z);
  double a = -1 / (sign + n.z);
  double b = n.x * n.y * a;
  return (RvVec3){1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
}

static inline RvMat3 rv_mat3_identity(void) {
  return (RvMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}
static inline RvVec3 rv_mat3_apply(RvMat3 m, RvVec3 v) {
  return rv_add(rv_add(rv_scale(m.c[0], v.x), rv_scale(m.c[1], v.y)), rv_scale(m.c[2], v.z));
}
static inline RvMat3 rv_mat3_mul(RvMat3 a, RvMat3 b) {
  return (RvMat3){{rv_mat3_apply(a, b.c[0]), rv_mat3_apply(a, b.c[1]), rv_mat3_apply(a, b.c[2])}};
}
static inline RvMat3 rv_mat3_transpose(RvMat3 m) {
  return (RvMat3){{{m.c[0].x, m.c[1].x, m.c[2].x}, {m.c[0].y, m.c[1].y, m.c[2].y}, {m.c[0].z, m.c[1].z, m.c[2].z}}};
}
static inline double rv_mat3_det(RvMat3 m) {
  return rv_dot(m.c[0], rv_cross(m.c[1], m.c[2]));
}
// Adjugate: det(m) times the inverse. It exists for singular matrices too; its transpose transforms normals.
static inline RvMat3 rv_mat3_adjugate(RvMat3 m) {
  return rv_mat3_transpose((RvMat3){{rv_cross(m.c[1], m.c[2]), rv_cross(m.c[2], m.c[0]), rv_cross(m.c[0], m.c[1])}});
}

static inline RvQuat rv_quat_identity(void) {
  return (RvQuat){0, 0, 0, 1};
}
// Product: the rotation by b, then by a.
static inline RvQuat rv_quat_mul(RvQuat a, RvQuat b) {
  return (RvQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline RvQuat rv_quat_conjugate(RvQuat q) {
  return (RvQuat){-q.x, -q.y, -q.z, q.w};
}
static inline double rv_quat_dot(RvQuat a, RvQuat b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline RvQuat rv_quat_normalize(RvQuat q) {
  double n = sqrt(rv_quat_dot(q, q));
  return n > RV_MIN_LENGTH ? (RvQuat){q.x / n, q.y / n, q.z / n, q.w / n} : rv_quat_identity();
}
// Rotates a vector by a unit quaternion.
static inline RvVec3 rv_quat_rotate(RvQuat q, RvVec3 v) {
  RvVec3 u = {q.x, q.y, q.z};
  RvVec3 t = rv_scale(rv_cross(u, v), 2);
  return rv_add(rv_add(v, rv_scale(t, q.w)), rv_cross(u, t));
}
static inline RvMat3 rv_quat_matrix(RvQuat q) {
  return (RvMat3){
      {rv_quat_rotate(q, rv_vec3(1, 0, 0)), rv_quat_rotate(q, rv_vec3(0, 1, 0)), rv_quat_rotate(q, rv_vec3(0, 0, 1))}};
}
// The smallest rotation of the unit vector a onto the unit vector b. Opposite vectors rotate about any perpendicular
// axis.
static inline RvQuat rv_quat_between(RvVec3 a, RvVec3 b) {
  const double opposite = 1e-12;  // below this 1 + cos is dominated by rounding
  double w = 1 + rv_dot(a, b);
  if (w < opposite) {
    RvVec3 p = rv_perpendicular(a);
    return (RvQuat){p.x, p.y, p.z, 0};
  }
  RvVec3 c = rv_cross(a, b);
  return rv_quat_normalize((RvQuat){c.x, c.y, c.z, w});
}

// Rotation about a unit axis.
RvQuat rv_quat_axis_angle(RvVec3 unit_axis, double radians);
// Unit quaternion of a rotation matrix.
RvQuat rv_quat_from_matrix(RvMat3 rotation);
// Spherical linear interpolation of unit quaternions along the shorter arc: a at t = 0, b at t = 1.
RvQuat rv_quat_slerp(RvQuat a, RvQuat b, double t);

#endif
