// Motion of rigid solids within a frame. The roots of hair are sampled at every substep, so a head must be where its
// roots are, also while it accelerates or reverses within a frame: an error of millimetres would push the hair off.
//
// Samples of the input are expensive, so few are taken: the ends of the frame; its middle, if the ends differ; its
// first quarter, if the middle deviates from a uniform motion. Only if the parabola through the ends and the middle
// misses the pose at the first quarter, the solid is sampled at every substep.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/colliders.h"

// Largest distance of a point from a rigid motion, in voxels: rounding to floats stays below it.
static const double MAX_DEVIATION = 0.1;

// Largest distance of a point from a rigid motion, m.
static double tolerance_of(const RvSolid* solid) {
  return MAX_DEVIATION * rv_grid_voxel_size(solid->distance);
}

// Fits a rigid motion to a solid's points between two details, in metres; *off receives the largest distance from it.
// *same is false, and nothing is fitted, where the points are not the same.
static RvResult fit(const RvSolid* solid, const RvDetail* a, const RvDetail* b, double unit, RvRigid* out, double* off,
                    bool* same, RvError* error) {
  *same = solid->mesh && a && b && rv_detail_count(a, RV_POINT) == rv_detail_count(b, RV_POINT);
  if (!*same) return RV_OK;
  size_t n = solid->last - solid->first;
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  double* x = rv_alloc(6 * n, sizeof *x);
  if (!x) return rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of a collider");
  for (size_t i = 0; i < 3 * n; ++i) {
    x[i] = p[3 * solid->first + i] * unit;
    x[3 * n + i] = q[3 * solid->first + i] * unit;
  }
  *out = rv_rigid_fit(n, x, x + 3 * n);
  *off = 0;
  for (size_t i = 0; i < n; ++i)
    *off = fmax(*off, rv_distance(rv_rigid_apply(out, rv_vec3_load64(x + 3 * i)), rv_vec3_load64(x + 3 * n + 3 * i)));
  rv_free(x);
  return RV_OK;
}

// Chooses the path of the solid's centre, straight or about an axis, so that it continues the velocity at the previous
// frame.
static void continue_path(RvSolid* solid, const RvDetail* before, double unit, double fps) {
  const float* v = rv_detail_f32(before, RV_POINT, "v", 3);
  RvVec3 sum = {0};
  for (size_t i = solid->first; v && i < solid->last; ++i) sum = rv_add(sum, rv_vec3_load(v + 3 * i));
  if (v) rv_rigid_lean(&solid->motion, rv_scale(sum, unit / (fps * (double)(solid->last - solid->first))));
}

// Whether a solid's points have the same positions in two details.
static bool equal(const RvSolid* solid, const RvDetail* a, const RvDetail* b) {
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  return p && q && rv_detail_count(a, RV_POINT) == rv_detail_count(b, RV_POINT) &&
         memcmp(p + 3 * solid->first, q + 3 * solid->first, 3 * (solid->last - solid->first) * sizeof *p) == 0;
}

// Rotation vector of a quaternion: axis times angle, at most half a turn.
static RvVec3 rotation_vector(RvQuat q) {
  double sign = q.w < 0 ? -1 : 1;
  RvVec3 axis = {sign * q.x, sign * q.y, sign * q.z};
  double sine = rv_length(axis);
  return sine > 0 ? rv_scale(axis, 2 * rv_atan2(sine, sign * q.w) / sine) : axis;
}

// Motion up to a share of the frame: the uniform one, plus the deviation at the middle as a parabola.
static RvRigid path(const RvSolid* solid, double share) {
  RvRigid part = rv_rigid_share(&solid->motion, share);
  double weight = 4 * share * (1 - share);  // 0 at both ends, 1 in the middle
  double angle = weight * rv_length(solid->ahead_turn);
  part.to = rv_mad(part.to, weight, solid->ahead);
  if (angle > 0) {
    RvVec3 axis = rv_normalize(solid->ahead_turn, rv_vec3(0, 1, 0));
    part.turn = rv_quat_normalize(rv_quat_mul(rv_quat_axis_angle(axis, angle), part.turn));
  }
  return part;
}

// Largest distance of a point between two poses, m.
static double pose_distance(const RvSolid* solid, const RvDetail* before, double unit, const RvRigid* a,
                            const RvRigid* b) {
  const float* p = rv_detail_f32(before, RV_POINT, "P", 3);
  double largest = 0;
  for (size_t i = solid->first; i < solid->last; ++i) {
    RvVec3 x = rv_scale(rv_vec3_load(p + 3 * i), unit);
    largest = fmax(largest, rv_distance(rv_rigid_apply(a, x), rv_rigid_apply(b, x)));
  }
  return largest;
}

// The input at a share of the frame. NULL where the host has whole frames only: it has no function for it, or returns
// one of the neighbouring frames.
static RvResult input_at_share(const RvColliders* c, const RvSolid* solid, double share, const RvDetail** out,
                               RvError* error) {
  *out = NULL;
  if (!c->def.cook->host->input_at) return RV_OK;
  RvResult result = rv_solver_input_at(c->def.cook, c->def.input, share, out, error);
  if (*out && !solid->uneven && (equal(solid, *out, c->before) || equal(solid, *out, c->now))) *out = NULL;
  return result;
}

// The pose at a share of the frame. *known is false where the host has none, or the points do not move rigidly.
static RvResult sample(const RvColliders* c, const RvSolid* solid, double share, RvRigid* out, bool* known,
                       RvError* error) {
  const RvDetail* at;
  double off = 0;
  *known = false;
  RvResult result = input_at_share(c, solid, share, &at, error);
  if (!result && at) result = fit(solid, c->before, at, c->def.unit, out, &off, known, error);
  *known = *known && off < tolerance_of(solid);
  return result;
}

// Chooses between a uniform motion, a parabola and samples at every substep, by the poses at a half and at a quarter.
static RvResult choose_path(const RvColliders* c, RvSolid* solid, RvError* error) {
  // Uniform motion, if the middle of the frame fits.
  RvRigid pose, predicted = rv_rigid_share(&solid->motion, 0.5);
  double unit = c->def.unit;
  bool known;
  RvResult result = sample(c, solid, 0.5, &pose, &known, error);
  if (result || !known || pose_distance(solid, c->before, unit, &pose, &predicted) < tolerance_of(solid)) return result;
  // Parabola through the middle, if the first quarter fits; else samples.
  solid->ahead = rv_sub(pose.to, predicted.to);
  solid->ahead_turn = rotation_vector(rv_quat_mul(pose.turn, rv_quat_conjugate(predicted.turn)));
  result = sample(c, solid, 0.25, &pose, &known, error);
  predicted = path(solid, 0.25);
  solid->uneven = known && pose_distance(solid, c->before, unit, &pose, &predicted) > tolerance_of(solid);
  return result;
}

RvResult rv_solid_begin(const RvColliders* c, RvSolid* solid, RvError* error) {
  double off = 0;
  bool same;
  RvResult result = fit(solid, c->before, c->now, c->def.unit, &solid->motion, &off, &same, error);
  if (result || !solid->distance) return result;
  // Rigid: the path within the frame.
  solid->rigid = same && off < tolerance_of(solid);
  if (solid->rigid) {
    if (equal(solid, c->before, c->now)) return RV_OK;
    continue_path(solid, c->before, c->def.unit, c->def.cook->time.fps);
    return choose_path(c, solid, error);
  }
  // Deforming: whether the host has the mesh between frames.
  if (!solid->mesh) return RV_OK;
  const RvDetail* middle;
  result = input_at_share(c, solid, 0.5, &middle, error);
  solid->whole = !middle;
  return result;
}

RvResult rv_solid_pose(const RvColliders* c, const RvSolid* solid, double share, RvRigid* out, RvError* error) {
  bool known = false;
  RvRigid pose;
  *out = path(solid, share);
  if (!solid->uneven || share <= 0 || share >= 1) return RV_OK;
  RvResult result = sample(c, solid, share, &pose, &known, error);
  if (known) *out = pose;
  return result;
}
