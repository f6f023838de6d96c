// Quaternions: axis and angle, matrix, and spherical interpolation.
#include "math/scalar.h"
#include "math/vec.h"

RvQuat rv_quat_axis_angle(RvVec3 a, double radians) {
  double s = rv_sin(radians / 2);
  return (RvQuat){a.x * s, a.y * s, a.z * s, rv_cos(radians / 2)};
}

// Begins with the largest of the four components, so that no small number is a divisor (Shepperd 1978).
RvQuat rv_quat_from_matrix(RvMat3 m) {
  // Find the largest component: d[i] = 4 q_i^2 - 1.
  double xx = m.c[0].x, yy = m.c[1].y, zz = m.c[2].z;
  double d[4] = {xx - yy - zz, yy - xx - zz, zz - xx - yy, xx + yy + zz};
  int k = 3;
  for (int i = 0; i < 3; ++i)
    if (d[i] > d[k]) k = i;
  // Get the others from sums and differences of entries off the diagonal.
  double big = 0.5 * sqrt(fmax(0, 1 + d[k]));
  double s = 0.25 / big;
  double a = m.c[1].z - m.c[2].y, b = m.c[2].x - m.c[0].z, c = m.c[0].y - m.c[1].x;
  double xy = m.c[1].x + m.c[0].y, xz = m.c[2].x + m.c[0].z, yz = m.c[2].y + m.c[1].z;
  RvQuat q;
  if (k == 0)
    q = (RvQuat){big, xy * s, xz * s, a * s};
  else if (k == 1)
    q = (RvQuat){xy * s, big, yz * s, b * s};
  else if (k == 2)
    q = (RvQuat){xz * s, yz * s, big, c * s};
  else
    q = (RvQuat){a * s, b * s, c * s, big};
  return rv_quat_normalize(q);
}

RvQuat rv_quat_slerp(RvQuat a, RvQuat b, double t) {
  const double near = 1e-10;  // 1 - cosine below which linear interpolation is accurate and the sine too small
  // q and -q are the same rotation: take the shorter arc.
  double d = rv_quat_dot(a, b);
  if (d < 0) {
    b = (RvQuat){-b.x, -b.y, -b.z, -b.w};
    d = -d;
  }
  double wa = 1 - t, wb = t;
  if (d < 1 - near) {
    double angle = rv_acos(d);
    double s = 1 / rv_sin(angle);
    wa = rv_sin(wa * angle) * s;
    wb = rv_sin(wb * angle) * s;
  }
  return rv_quat_normalize(
      (RvQuat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}
