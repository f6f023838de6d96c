#include "math/scalar.h"
#include "math/vec.h"

RvQuat rv_quat_axis_angle(RvVec3 a, double radians) {
  double s = rv_sin(radians / 2);
  return (RvQuat){a.x * s, a.y * s, a.z * s, rv_cos(radians / 2)};
}

// the largest of the four squares is taken first, so that no small number is divided by (Shepperd 1978)
RvQuat rv_quat_from_matrix(RvMat3 m) {
  double xx = m.c[0].x, yy = m.c[1].y, zz = m.c[2].z;
  double d[4] = {xx - yy - zz, yy - xx - zz, zz - xx - yy, xx + yy + zz};
  int k = 3;
  for (int i = 0; i < 3; ++i)
    if (d[i] > d[k]) k = i;
  double big = 0.5 * sqrt(fmax(0, 1 + d[k])), s = 0.25 / big;
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
  double d = rv_quat_dot(a, b);
  if (d < 0) {
    b = (RvQuat){-b.x, -b.y, -b.z, -b.w};
    d = -d;
  }
  double wa = 1 - t, wb = t;
  if (d < 1 - 1e-10) {
    double angle = rv_acos(d), s = 1 / rv_sin(angle);
    wa = rv_sin(wa * angle) * s;
    wb = rv_sin(wb * angle) * s;
  }
  return rv_quat_normalize(
      (RvQuat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}
