// Rigid motions: Horn's fit, and interpolation along a line or a screw.
#include "math/rigid.h"

#include <math.h>

#include "math/scalar.h"

//---------------------------------------------------------------------------------------------- fit

enum { SWEEPS = 12 };  // of Jacobi's method, which converges quadratically; fixed, so that the result is reproducible
// Bonus for the identity, relative to the sum of squares: it selects the smallest rotation where collinear points leave
// one free.
static const double identity_bonus = 1e-9;
static const double min_screw_sine = 1e-9;  // of half the angle; below it a motion counts as a pure translation

// Eigenvector of the largest eigenvalue of a symmetric 4x4 matrix, by Jacobi rotations. `a` is overwritten.
static void largest_vector(double a[4][4], double out[4]) {
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int sweep = 0; sweep < SWEEPS; ++sweep)
    for (int p = 0; p < 3; ++p)
      for (int q = p + 1; q < 4; ++q) {
        if (a[p][q] == 0) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        // Tangent, cosine and sine of the rotation that makes a[p][q] zero.
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1);
        double s = t * c;
        // Rotate columns, then rows and the vectors.
        for (int k = 0; k < 4; ++k) {
          double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 4; ++k) {
          double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
          x = v[k][p];
          y = v[k][q];
          v[k][p] = c * x - s * y;
          v[k][q] = s * x + c * y;
        }
      }
  int best = 0;
  for (int k = 1; k < 4; ++k)
    if (a[k][k] > a[best][best]) best = k;
  for (int k = 0; k < 4; ++k) out[k] = v[k][best];
}

RvRigid rv_rigid_fit(size_t count, const double* before, const double* after) {
  RvRigid fit = {.turn = rv_quat_identity()};
  if (!count) return fit;
  // Centres.
  for (size_t i = 0; i < count; ++i) {
    fit.from = rv_add(fit.from, rv_vec3_load64(before + 3 * i));
    fit.to = rv_add(fit.to, rv_vec3_load64(after + 3 * i));
  }
  fit.from = rv_scale(fit.from, 1 / (double)count);
  fit.to = rv_scale(fit.to, 1 / (double)count);
  // Cross-covariance.
  double s[3][3] = {{0}};
  double size = 0;
  for (size_t i = 0; i < count; ++i) {
    double a[3], b[3];
    rv_vec3_store64(a, rv_sub(rv_vec3_load64(before + 3 * i), fit.from));
    rv_vec3_store64(b, rv_sub(rv_vec3_load64(after + 3 * i), fit.to));
    for (int r = 0; r < 3; ++r) {
      size += a[r] * a[r];
      for (int c = 0; c < 3; ++c) s[r][c] += a[r] * b[c];
    }
  }
  if (!(size > 0)) return fit;
  // Horn's matrix of the quaternion (w, x, y, z); its largest eigenvector is the rotation.
  double n[4][4] = {
      {s[0][0] + s[1][1] + s[2][2] + identity_bonus * size, s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
      {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
      {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
      {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}};
  double q[4];
  largest_vector(n, q);
  double sign = q[0] < 0 ? -1 : 1;
  fit.turn = rv_quat_normalize((RvQuat){sign * q[1], sign * q[2], sign * q[3], sign * q[0]});
  return fit;
}

RvVec3 rv_rigid_apply(const RvRigid* r, RvVec3 x) {
  return rv_add(r->to, rv_quat_rotate(r->turn, rv_sub(x, r->from)));
}

// A motion as a screw.
typedef struct Screw {
  RvVec3 axis;    // unit vector of the rotation
  RvVec3 along;   // displacement of the centre along the axis
  RvVec3 across;  // displacement of the centre perpendicular to the axis: a chord of its circle
  RvVec3 turned;  // axis x across
  double half;    // half of the angle
  double sine;    // of `half`
} Screw;

// False if the motion has no rotation.
static bool find_screw(const RvRigid* r, Screw* s) {
  RvVec3 axis = {r->turn.x, r->turn.y, r->turn.z};
  RvVec3 displacement = rv_sub(r->to, r->from);
  s->sine = rv_length(axis);
  if (!(s->sine > min_screw_sine)) return false;
  s->axis = rv_scale(axis, 1 / s->sine);
  s->half = rv_atan2(s->sine, r->turn.w);
  s->along = rv_scale(s->axis, rv_dot(s->axis, displacement));
  s->across = rv_sub(displacement, s->along);
  s->turned = rv_cross(s->axis, s->across);
  return true;
}

// On the screw the centre moves along a circle about the axis, of which `across` is the chord of the whole motion.
RvRigid rv_rigid_share(const RvRigid* r, double share) {
  Screw s;
  RvRigid part = {rv_quat_slerp(rv_quat_identity(), r->turn, share), r->from, rv_lerp(r->from, r->to, share), r->arc};
  if (r->arc == 0 || !find_screw(r, &s)) return part;
  double remaining_half = s.half * (1 - share);
  double chord = rv_sin(s.half * share) / s.sine;
  RvVec3 displacement = rv_mad(rv_scale(s.along, share), chord * rv_cos(remaining_half), s.across);
  displacement = rv_mad(displacement, -chord * rv_sin(remaining_half), s.turned);
  part.to = rv_lerp(part.to, rv_add(r->from, displacement), r->arc);
  return part;
}

void rv_rigid_slope(const RvRigid* r, bool end, RvVec3* centre, RvVec3* turning) {
  Screw s;
  *centre = rv_sub(r->to, r->from);
  *turning = rv_vec3(0, 0, 0);
  if (!find_screw(r, &s)) return;
  *turning = rv_scale(s.axis, 2 * s.half);
  RvVec3 round = rv_mad(s.along, s.half * rv_cos(s.half) / s.sine, s.across);
  *centre = rv_lerp(*centre, rv_mad(round, end ? s.half : -s.half, s.turned), r->arc);
}

void rv_rigid_lean(RvRigid* r, RvVec3 before) {
  // Velocity at the start on the line and on the screw.
  RvVec3 straight = rv_sub(r->to, r->from);
  RvVec3 round, turning;
  r->arc = 1;
  rv_rigid_slope(r, false, &round, &turning);
  // Project `before` onto the difference of both.
  RvVec3 apart = rv_sub(round, straight);
  double size = rv_dot(apart, apart);
  double projection = rv_dot(rv_sub(before, straight), apart);
  r->arc = size > 0 && isfinite(projection) ? rv_clamp(projection / size, 0, 1) : 0;
}

void rv_rigid_rates(const RvRigid* r, double dt, double carry[9]) {
  RvVec3 axis = {r->turn.x, r->turn.y, r->turn.z};
  double sine = rv_length(axis);
  double angle = 2 * rv_atan2(sine, r->turn.w);
  rv_vec3_store64(carry, rv_scale(rv_sub(r->to, r->from), 1 / dt));
  rv_vec3_store64(carry + 3, sine > 0 ? rv_scale(axis, angle / (sine * dt)) : rv_vec3(0, 0, 0));
  rv_vec3_store64(carry + 6, r->to);
}

RvVec3 rv_rigid_turning(const RvRigid* a, const RvRigid* b, double dt) {
  RvRigid turn = {.turn = rv_quat_normalize(rv_quat_mul(b->turn, rv_quat_conjugate(a->turn)))};
  if (turn.turn.w < 0) turn.turn = (RvQuat){-turn.turn.x, -turn.turn.y, -turn.turn.z, -turn.turn.w};
  double rates[9];
  rv_rigid_rates(&turn, dt, rates);
  return rv_vec3_load64(rates + 3);
}
