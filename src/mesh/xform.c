// Affine transforms: composition from parameters, polar decomposition, and their effect on attributes.
#include "mesh/xform.h"

#include <string.h>

#include "geo/half.h"
#include "math/scalar.h"

enum { POLAR_STEPS = 40 };                     // of Newton's iteration; fixed, so that the result is reproducible
static const double min_determinant = 1e-300;  // below this a matrix has no nearest rotation
static const double max_quarters = 1e9;        // quarter turns that are treated exactly; they fit into an int

// Rotation about a coordinate axis. Multiples of 90 degrees are exact.
static RvMat3 rotation_about(int axis, double degrees) {
  double a = rv_radians(degrees);
  double c = rv_cos(a);
  double s = rv_sin(a);
  double quarter = degrees / 90;
  if (quarter == floor(quarter) && fabs(quarter) < max_quarters) {
    int k = (int)(quarter - 4 * floor(quarter / 4));
    c = k == 0 ? 1 : k == 2 ? -1 : 0;
    s = k == 1 ? 1 : k == 3 ? -1 : 0;
  }
  if (axis == 0) return (RvMat3){{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
  if (axis == 1) return (RvMat3){{{c, 0, -s}, {0, 1, 0}, {s, 0, c}}};
  return (RvMat3){{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};
}

// Rotation by Euler angles in the given order.
static RvMat3 rotation_of(RvVec3 degrees, int order) {
  static const char* const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
  const double angle[3] = {degrees.x, degrees.y, degrees.z};
  RvMat3 m = rv_mat3_identity();
  for (int i = 0; i < 3; ++i) {
    int axis = orders[order][i] - 'x';
    m = rv_mat3_mul(rotation_about(axis, angle[axis]), m);
  }
  return m;
}

// A matrix times a number.
static RvMat3 scaled(RvMat3 m, double s) {
  return (RvMat3){{rv_scale(m.c[0], s), rv_scale(m.c[1], s), rv_scale(m.c[2], s)}};
}

// Rotation of the polar decomposition, by Newton's iteration m <- (m + m^-T) / 2 (Higham 1986).
static RvMat3 nearest_rotation(RvMat3 m) {
  double det = rv_mat3_det(m);
  if (!(fabs(det) > min_determinant)) return rv_mat3_identity();
  if (det < 0) m = scaled(m, -1);
  for (int i = 0; i < POLAR_STEPS; ++i) {
    double d = rv_mat3_det(m);
    RvMat3 inverse_transpose = scaled(rv_mat3_transpose(rv_mat3_adjugate(m)), 1 / d);
    for (int k = 0; k < 3; ++k) m.c[k] = rv_scale(rv_add(m.c[k], inverse_transpose.c[k]), 0.5);
  }
  return m;
}

RvXform rv_xform_from(RvMat3 linear, RvVec3 offset) {
  RvXform x = {.linear = linear, .offset = offset};
  double det = rv_mat3_det(linear);
  x.normal = scaled(rv_mat3_transpose(rv_mat3_adjugate(linear)), det < 0 ? -1 : 1);
  x.rotation = nearest_rotation(linear);
  return x;
}

RvXform rv_xform_make(const RvXformParts* parts) {
  static const char* const orders[] = {"srt", "str", "rst", "rts", "tsr", "trs"};
  RvMat3 turn = rotation_of(parts->rotate, parts->rotate_order);
  RvMat3 stretch = {{{parts->scale.x, 0, 0}, {0, parts->scale.y, 0}, {0, 0, parts->scale.z}}};
  // Apply the parts in their order, about the pivot.
  RvMat3 m = rv_mat3_identity();
  RvVec3 t = rv_neg(parts->pivot);
  for (int i = 0; i < 3; ++i) {
    char step = orders[parts->order][i];
    if (step == 't') {
      t = rv_add(t, parts->translate);
      continue;
    }
    RvMat3 part = step == 's' ? stretch : turn;
    m = rv_mat3_mul(part, m);
    t = rv_mat3_apply(part, t);
  }
  return rv_xform_from(m, rv_add(t, parts->pivot));
}

RvXform rv_xform_inverse(const RvXform* xform) {
  RvMat3 inverse = scaled(rv_mat3_adjugate(xform->linear), 1 / rv_mat3_det(xform->linear));
  return rv_xform_from(inverse, rv_neg(rv_mat3_apply(inverse, xform->offset)));
}

RvVec3 rv_xform_point(const RvXform* x, RvVec3 p) {
  return rv_add(rv_mat3_apply(x->linear, p), x->offset);
}

bool rv_xform_moves(RvTag tag, int size) {
  switch (tag) {
    case RV_TAG_POINT:
    case RV_TAG_VECTOR:
    case RV_TAG_NORMAL:
      return size == 3;
    case RV_TAG_HPOINT:
    case RV_TAG_QUATERNION:
      return size == 4;
    case RV_TAG_MATRIX3:
      return size == 9;
    case RV_TAG_MATRIX:
      return size == 16;
    default:
      return false;
  }
}

// Transforms a normal and keeps its length.
static RvVec3 move_normal(const RvXform* x, RvVec3 n) {
  return rv_scale(rv_normalize(rv_mat3_apply(x->normal, n), rv_vec3(0, 0, 0)), rv_length(n));
}

bool rv_xform_tuple(const RvXform* x, RvTag tag, int size, double* v) {
  if (!rv_xform_moves(tag, size)) return false;
  // Points, vectors and normals.
  RvVec3 a = rv_vec3_load64(v);
  if (tag == RV_TAG_POINT) rv_vec3_store64(v, rv_xform_point(x, a));
  if (tag == RV_TAG_HPOINT) rv_vec3_store64(v, rv_mad(rv_mat3_apply(x->linear, a), v[3], x->offset));
  if (tag == RV_TAG_VECTOR) rv_vec3_store64(v, rv_mat3_apply(x->linear, a));
  if (tag == RV_TAG_NORMAL) rv_vec3_store64(v, move_normal(x, a));
  // Orientations only take part in the rotation.
  if (tag == RV_TAG_QUATERNION) {
    RvQuat q = rv_quat_mul(rv_quat_from_matrix(x->rotation), (RvQuat){v[0], v[1], v[2], v[3]});
    v[0] = q.x;
    v[1] = q.y;
    v[2] = q.z;
    v[3] = q.w;
  }
  // The rows of a matrix are its axes, as in Houdini.
  if (tag == RV_TAG_MATRIX3)
    for (int row = 0; row < 3; ++row)
      rv_vec3_store64(v + 3 * row, rv_mat3_apply(x->linear, rv_vec3_load64(v + 3 * row)));
  if (tag == RV_TAG_MATRIX) {
    double out[16];
    rv_xform_grid(x, v, out);
    memcpy(v, out, sizeof out);
  }
  return true;
}

double rv_xform_load(RvStorage storage, const void* from, size_t at) {
  if (storage == RV_F64) return ((const double*)from)[at];
  if (storage == RV_F32) return ((const float*)from)[at];
  return rv_half_to_float(((const uint16_t*)from)[at]);
}

void rv_xform_store(RvStorage storage, void* to, size_t at, double value) {
  if (storage == RV_F64) ((double*)to)[at] = value;
  if (storage == RV_F32) ((float*)to)[at] = (float)value;
  if (storage == RV_F16) ((uint16_t*)to)[at] = rv_half_from_float((float)value);
}

void rv_xform_element(const RvXform* x, RvTag tag, RvStorage storage, int size, void* values, size_t element) {
  if (!rv_xform_moves(tag, size)) return;
  double tuple[16];
  size_t at = element * (size_t)size;
  for (int k = 0; k < size; ++k) tuple[k] = rv_xform_load(storage, values, at + (size_t)k);
  rv_xform_tuple(x, tag, size, tuple);
  for (int k = 0; k < size; ++k) rv_xform_store(storage, values, at + (size_t)k, tuple[k]);
}

void rv_xform_grid(const RvXform* x, const double in[16], double out[16]) {
  for (int row = 0; row < 4; ++row) {
    RvVec3 moved = rv_mat3_apply(x->linear, rv_vec3_load64(in + 4 * row));
    moved = rv_mad(moved, in[4 * row + 3], x->offset);
    out[4 * row] = moved.x;
    out[4 * row + 1] = moved.y;
    out[4 * row + 2] = moved.z;
    out[4 * row + 3] = in[4 * row + 3];
  }
}
