// The laws of mixture.h.
#include "liquid/mixture.h"

#include <math.h>

#include "math/scalar.h"

static const double PURE = 0.999;
// Pa and Pa s^n: what the logarithmic means take for 0. Half water takes a cream of 70 Pa to 0.3 Pa.
static const double LEAST_YIELD = 1e-3;
static const double LEAST_CONSISTENCY = 1e-6;
enum { BISECTIONS = 48 };  // halvings of the octave of the root: to rounding

int rv_liquid_mixture_pure(int count, const double* part) {
  for (int k = 0; k < count; ++k)
    if (part[k] >= PURE) return k;
  return -1;
}

RvRheology rv_liquid_mixture_law(const RvLiquidMaterials* m, const double* part) {
  RvRheology law = {0};
  double yield = 0, consistency = 0, most = 0;
  for (int k = 0; k < m->count; ++k) {
    const RvRheology* one = &m->law[k];
    law.modulus += part[k] * one->modulus;
    law.index += part[k] * one->index;
    yield += part[k] * rv_log_e(rv_max(one->yield, LEAST_YIELD));
    consistency += part[k] * rv_log_e(rv_max(one->consistency, LEAST_CONSISTENCY));
    most = part[k] > 0 ? rv_max(most, one->yield) : most;
  }
  law.yield = most > 0 ? rv_exp(yield) : 0;
  law.consistency = rv_exp(consistency);
  return law;
}

RvRheology rv_liquid_mixture_bounds(const RvLiquidMaterials* m) {
  RvRheology law = {.index = 1};
  for (int k = 0; k < m->count; ++k) {
    law.modulus = rv_max(law.modulus, m->law[k].modulus);
    law.yield = rv_max(law.yield, m->law[k].yield);
    law.consistency = rv_max(law.consistency, m->law[k].consistency);
  }
  return law;
}

double rv_liquid_mixture_wave(const RvLiquidMaterials* m) {
  double square = 0;
  for (int k = 0; k < m->count; ++k) square = rv_max(square, m->law[k].modulus / m->density[k]);
  return sqrt(square);
}

double rv_liquid_mixture_ripple(const RvLiquidMaterials* m) {
  double least = (double)INFINITY;
  for (int k = 0; k < m->count; ++k)
    if (m->tension[k] > 0) least = rv_min(least, m->density[k] / m->tension[k]);
  return least;
}

// s + 2 dt modulus ((s - threshold) / eta)^(1 / index) = s*, by bisection: the left side grows with s.
double rv_liquid_mixture_share(const RvRheology* law, double dt, double trial) {
  double threshold = sqrt(2) * law->yield, excess = trial - threshold;
  if (!(excess > 0)) return 1;
  double eta = rv_pow(2, 0.5 * (1 + law->index)) * law->consistency, power = 1 / law->index;
  double low = 0, high = 1;
  for (int i = 0; i < BISECTIONS; ++i) {
    double mid = 0.5 * (low + high);
    if (mid * excess + 2 * dt * law->modulus * rv_pow(mid * excess / eta, power) > excess)
      high = mid;
    else
      low = mid;
  }
  return (threshold + low * excess) / trial;
}
