// Tables of half spaces. With z along the normal into the solid, the integral of w over the plane at z is 2 pi times
// the integral of w(r) r from |z| to 1, and that of w times the cosine z / r is 2 pi z times the integral of w(r).
#include "sph/half.h"

#include "math/scalar.h"

enum { FINE = 16, STEPS = RV_SPH_HALF_PARTS / 2 * FINE };  // quadrature points of a part, and from 0 to 1

void rv_sph_half_init(RvSphHalf* half, RvSphKernel kernel) {
  const RvSphKernelRow* row = &rv_sph_kernels[kernel];
  const double step = 1.0 / STEPS;
  // Integrals over the planes from the support inwards: by midpoints in a plane, by trapezoids across planes. The two
  // entries from the support on stay 0.
  const int middle = RV_SPH_HALF_PARTS / 2;
  double disk = 0;
  double line = 0;
  double share = 0;
  double pull = 0;
  double plane_before = 0;
  double cosine_before = 0;
  *half = (RvSphHalf){0};
  for (int i = STEPS - 1; i >= 0; --i) {
    double r = (i + 0.5) * step;
    double w = row->value(r);
    disk += w * r * step;
    line += w * step;
    double plane = 2 * RV_PI * disk;
    double cosine = 2 * RV_PI * line * (i * step);
    share += 0.5 * step * (plane + plane_before);
    pull += 0.5 * step * (cosine + cosine_before);
    plane_before = plane;
    cosine_before = cosine;
    if (i % FINE) continue;
    int at = middle + i / FINE;
    half->share[at] = (float)share;
    half->slope[at] = (float)-plane;
    half->pull[at] = (float)pull;
  }
  // Inside the solid the other half is missing; the pull is symmetric.
  for (int i = 0; i < middle; ++i) {
    int mirror = RV_SPH_HALF_PARTS - i;
    half->share[i] = (float)(2 * share) - half->share[mirror];
    half->slope[i] = half->slope[mirror];
    half->pull[i] = half->pull[mirror];
  }
}
