#include "liquid/drop.h"

#include <math.h>

#include "math/scalar.h"

enum { MOST_PARTICLES = 1024 };  // of one drop; the liquid splits them where they are too large

size_t rv_liquid_drop_count(double volume, double nominal) {
  return (size_t)rv_clamp(floor(volume / nominal + 0.5), 1, MOST_PARTICLES);
}

double rv_liquid_drop_radius(double volume) {
  return rv_root3(3 / (4 * RV_PI) * volume);
}

RvVec3 rv_liquid_drop_place(size_t n, size_t count) {
  // powers of the inverse of the plastic number, the root of x^3 = x + 1
  const double step[2] = {0.7548776662466927, 0.5698402909980532};
  double height = 1 - 2 * ((double)n * step[0] + 0.5 - floor((double)n * step[0] + 0.5));
  double angle = 2 * RV_PI * ((double)n * step[1] - floor((double)n * step[1]));
  // A particle is a ball of its own, of count^(-1/3) of the drop's radius. With it the mean square distance from the
  // middle is that of the drop.
  double own = rv_root3(1 / (double)count), spread = sqrt(1 - own * own);
  double radius = spread * rv_root3(((double)n + 0.5) / (double)count), flat = radius * sqrt(1 - height * height);
  return rv_vec3(flat * rv_cos(angle), radius * height, flat * rv_sin(angle));
}

RvVec3 rv_liquid_drop_mean(size_t count) {
  RvVec3 mean = {0, 0, 0};
  for (size_t n = 0; n < count; ++n) mean = rv_mad(mean, 1 / (double)count, rv_liquid_drop_place(n, count));
  return mean;
}
