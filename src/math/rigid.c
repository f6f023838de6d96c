#include "math/rigid.h"

#include <math.h>

#include "math/scalar.h"

//---------------------------------------------------------------------------------------------- fit

// the eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations
static void largest_vector(double a[4][4], double out[4]) {
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int p = 0; p < 3; ++p)
      for (int q = p + 1; q < 4; ++q) {
        if (a[p][q] == 0) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
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
  for (size_t i = 0; i < count; ++i) {
    fit.from = rv_add(fit.from, rv_vec3_load64(before + 3 * i));
    fit.to = rv_add(fit.to, rv_vec3_load64(after + 3 * i));
  }
  fit.from = rv_scale(fit.from, 1 / (double)count);
  fit.to = rv_scale(fit.to, 1 / (double)count);
  double s[3][3] = {{0}}, size = 0;
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
  // w first; its small bonus chooses the least turn where points on a line leave one free
  double n[4][4] = {
      {s[0][0] + s[1][1] + s[2][2] + 1e-9 * size, s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
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

// a motion as a screw: its axis, half its angle, and the way of its centre along and across the axis
typedef struct Screw {
  RvVec3 axis, along, across, turned;  // turned: axis x across
  double half, sine;
} Screw;

static bool find_screw(const RvRigid* r, Screw* s) {
  RvVec3 axis = {r->turn.x, r->turn.y, r->turn.z}, way = rv_sub(r->to, r->from);
  s->sine = rv_length(axis);
  if (!(s->sine > 1e-9)) return false;
  s->axis = rv_scale(axis, 1 / s->sine);
  s->half = rv_atan2(s->sine, r->turn.w);
  s->along = rv_scale(s->axis, rv_dot(s->axis, way));
  s->across = rv_sub(way, s->along);
  s->turned = rv_cross(s->axis, s->across);
  return true;
}

// a point on a circle about the axis, of which `across` is the chord
RvRigid rv_rigid_share(const RvRigid* r, double share) {
  Screw s;
  RvRigid part = {rv_quat_slerp(rv_quat_identity(), r->turn, share), r->from, rv_lerp(r->from, r->to, share), r->arc};
  if (r->arc == 0 || !find_screw(r, &s)) return part;
  double left = s.half * (1 - share), chord = rv_sin(s.half * share) / s.sine;
  RvVec3 way = rv_mad(rv_scale(s.along, share), chord * rv_cos(left), s.across);
  way = rv_mad(way, -chord * rv_sin(left), s.turned);
  part.to = rv_lerp(part.to, rv_add(r->from, way), r->arc);
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
  RvVec3 straight = rv_sub(r->to, r->from), round, turning;
  r->arc = 1;
  rv_rigid_slope(r, false, &round, &turning);
  RvVec3 apart = rv_sub(round, straight);
  double size = rv_dot(apart, apart), lean = rv_dot(rv_sub(before, straight), apart);
  r->arc = size > 0 && isfinite(lean) ? rv_clamp(lean / size, 0, 1) : 0;
}

void rv_rigid_rates(const RvRigid* r, double dt, double carry[9]) {
  RvVec3 axis = {r->turn.x, r->turn.y, r->turn.z};
  double sine = rv_length(axis), angle = 2 * rv_atan2(sine, r->turn.w);
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
