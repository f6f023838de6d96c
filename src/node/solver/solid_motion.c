// How solids that move as one go from frame to frame. The roots are sampled at every substep, so a head must be where
// its roots are, also while it speeds up, or turns back within a frame: what is out of step by millimetres pushes hair
// off.
//
// A level set is dear to make, so a frame is looked at in few places: its ends, its middle where the ends differ, its
// first quarter where the middle is not where an even motion would be. Only where the parabola through the ends and the
// middle is wrong there, the solid is sampled at every substep.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/colliders.h"

// what floats and the artist's rounding leave of a rigid motion is below a tenth of a voxel
static double allowed(const RvSolid* solid) {
  return 0.1 * rv_grid_voxel_size(solid->distance);
}

// the motion of a solid's points from one detail to another, in metres; not `same`: they are not the same points
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

// the centre of a solid goes on as it went at the frame before: about an axis, or straight
static void lean(RvSolid* solid, const RvDetail* before, double unit, double fps) {
  const float* v = rv_detail_f32(before, RV_POINT, "v", 3);
  RvVec3 sum = {0};
  for (size_t i = solid->first; v && i < solid->last; ++i) sum = rv_add(sum, rv_vec3_load(v + 3 * i));
  if (v) rv_rigid_lean(&solid->motion, rv_scale(sum, unit / (fps * (double)(solid->last - solid->first))));
}

static bool equal(const RvSolid* solid, const RvDetail* a, const RvDetail* b) {
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  return p && q && rv_detail_count(a, RV_POINT) == rv_detail_count(b, RV_POINT) &&
         memcmp(p + 3 * solid->first, q + 3 * solid->first, 3 * (solid->last - solid->first) * sizeof *p) == 0;
}

// the axis times the angle of the least turn
static RvVec3 turn_vector(RvQuat q) {
  double sign = q.w < 0 ? -1 : 1;
  RvVec3 axis = {sign * q.x, sign * q.y, sign * q.z};
  double sine = rv_length(axis);
  return sine > 0 ? rv_scale(axis, 2 * rv_atan2(sine, sign * q.w) / sine) : axis;
}

// the motion up to a share of the frame: even, and what it is ahead or behind of that in the middle as a parabola
static RvRigid path(const RvSolid* solid, double share) {
  RvRigid part = rv_rigid_share(&solid->motion, share);
  double weight = 4 * share * (1 - share), angle = weight * rv_length(solid->ahead_turn);
  part.to = rv_mad(part.to, weight, solid->ahead);
  if (angle > 0) {
    RvVec3 axis = rv_normalize(solid->ahead_turn, rv_vec3(0, 1, 0));
    part.turn = rv_quat_normalize(rv_quat_mul(rv_quat_axis_angle(axis, angle), part.turn));
  }
  return part;
}

// how far the solid's points are apart in two poses, at most
static double apart(const RvSolid* solid, const RvDetail* before, double unit, const RvRigid* a, const RvRigid* b) {
  const float* p = rv_detail_f32(before, RV_POINT, "P", 3);
  double most = 0;
  for (size_t i = solid->first; i < solid->last; ++i) {
    RvVec3 x = rv_scale(rv_vec3_load(p + 3 * i), unit);
    most = fmax(most, rv_distance(rv_rigid_apply(a, x), rv_rigid_apply(b, x)));
  }
  return most;
}

// the input at a share of the frame; NULL where the host has whole frames only, and answers with a neighbour
static RvResult ask(const RvColliders* c, const RvSolid* solid, double share, const RvDetail** out, RvError* error) {
  *out = NULL;
  if (!c->def.cook->host->input_at) return RV_OK;
  RvResult result = rv_solver_input_at(c->def.cook, c->def.input, share, out, error);
  if (*out && !solid->uneven && (equal(solid, *out, c->before) || equal(solid, *out, c->now))) *out = NULL;
  return result;
}

// the pose there; not `known`: it has none
static RvResult sample(const RvColliders* c, const RvSolid* solid, double share, RvRigid* out, bool* known,
                       RvError* error) {
  const RvDetail* at;
  double off = 0;
  *known = false;
  RvResult result = ask(c, solid, share, &at, error);
  if (!result && at) result = fit(solid, c->before, at, c->def.unit, out, &off, known, error);
  *known = *known && off < allowed(solid);
  return result;
}

// where an even motion is wrong in the middle, the parabola through it; where that is wrong too, every substep
static RvResult look_between(const RvColliders* c, RvSolid* solid, RvError* error) {
  RvRigid pose, even = rv_rigid_share(&solid->motion, 0.5);
  double unit = c->def.unit;
  bool known;
  RvResult result = sample(c, solid, 0.5, &pose, &known, error);
  if (result || !known || apart(solid, c->before, unit, &pose, &even) < allowed(solid)) return result;
  solid->ahead = rv_sub(pose.to, even.to);
  solid->ahead_turn = turn_vector(rv_quat_mul(pose.turn, rv_quat_conjugate(even.turn)));
  result = sample(c, solid, 0.25, &pose, &known, error);
  even = path(solid, 0.25);
  solid->uneven = known && apart(solid, c->before, unit, &pose, &even) > allowed(solid);
  return result;
}

RvResult rv_solid_begin(const RvColliders* c, RvSolid* solid, RvError* error) {
  double off = 0;
  bool same;
  RvResult result = fit(solid, c->before, c->now, c->def.unit, &solid->motion, &off, &same, error);
  if (result || !solid->distance) return result;
  solid->rigid = same && off < allowed(solid);
  if (solid->rigid) {
    if (equal(solid, c->before, c->now)) return RV_OK;
    lean(solid, c->before, c->def.unit, c->def.cook->time.fps);
    return look_between(c, solid, error);
  }
  if (!solid->mesh) return RV_OK;
  const RvDetail* middle;
  result = ask(c, solid, 0.5, &middle, error);
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
