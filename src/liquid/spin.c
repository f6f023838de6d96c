// Angular momentum of a particle's affine vectors (spin.h).
#include "liquid/spin.h"

#include <math.h>

// Second moment along axis b of the weights of the faces of axis a, cells^2.
static double moment(const RvParticles* p, size_t i, int a, int b) {
  double y = (double)p->x[b][i] + (a == b ? 0 : 0.5), f = y - floor(y);
  return f * (1 - f);
}

RvVec3 rv_liquid_particle_spin(const RvParticles* p, size_t i) {
  double spin[3];
  for (int k = 0; k < 3; ++k) {
    // antisymmetric part of the affine vectors, weighted by the moments
    int a = (k + 1) % 3, b = (k + 2) % 3;
    spin[k] = moment(p, i, b, a) * (double)p->c[3 * b + a][i] - moment(p, i, a, b) * (double)p->c[3 * a + b][i];
  }
  return rv_vec3_load64(spin);
}

void rv_liquid_particle_set_spin(RvParticles* p, size_t i, RvVec3 spin) {
  RvVec3 change = rv_sub(spin, rv_liquid_particle_spin(p, i));
  const double missing[3] = {change.x, change.y, change.z};
  for (int k = 0; k < 3; ++k) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    // least change of the two affine components that make up the spin about axis k
    double weight_b = moment(p, i, b, a), weight_a = moment(p, i, a, b);
    double square = fmax(weight_b * weight_b + weight_a * weight_a, RV_SPIN_LEAST * RV_SPIN_LEAST);
    p->c[3 * b + a][i] = (float)((double)p->c[3 * b + a][i] + missing[k] * weight_b / square);
    p->c[3 * a + b][i] = (float)((double)p->c[3 * a + b][i] - missing[k] * weight_a / square);
  }
}
