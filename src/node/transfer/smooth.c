// Moving average of a polyline over arc length, by differences of its integral.
#include "node/transfer/transfer.h"

static const double LEAST_WINDOW = 1e-9;  // half window over the length of the curve

// Integral of the polyline, relative to its first point, up to an arc length. *from: a point not beyond it, advanced.
static RvVec3 integral(size_t n, const double* along, const double* x, const double* scratch, double at, size_t* from) {
  size_t i = *from;
  while (i + 2 < n && along[i + 1] <= at) ++i;
  *from = i;
  double length = along[i + 1] - along[i];
  double d = at - along[i];
  double t = length > 0 ? fmin(d / length, 1) : 0;
  RvVec3 middle = rv_lerp(rv_vec3_load64(x + 3 * i), rv_vec3_load64(x + 3 * i + 3), 0.5 * t);
  return rv_mad(rv_vec3_load64(scratch + 3 * i), d, rv_sub(middle, rv_vec3_load64(x)));
}

void rv_transfer_smooth(size_t n, const double* along, const double* x, double window, double* scratch, double* out) {
  if (!n) return;
  // Integrals up to each point, relative to the first point to keep precision far from the origin.
  RvVec3 first = rv_vec3_load64(x), sum = {0, 0, 0};
  rv_vec3_store64(scratch, sum);
  for (size_t i = 1; i < n; ++i) {
    RvVec3 middle = rv_lerp(rv_vec3_load64(x + 3 * i - 3), rv_vec3_load64(x + 3 * i), 0.5);
    sum = rv_mad(sum, along[i] - along[i - 1], rv_sub(middle, first));
    rv_vec3_store64(scratch + 3 * i, sum);
  }
  // Mean over the window around each point.
  size_t low = 0, high = 0;
  for (size_t i = 0; i < n; ++i) {
    double half = fmin(0.5 * window, fmin(along[i], along[n - 1] - along[i]));
    RvVec3 mean = rv_vec3_load64(x + 3 * i);
    // A window within the rounding error of the arc lengths has no mean.
    if (half > LEAST_WINDOW * along[n - 1]) {
      RvVec3 a = integral(n, along, x, scratch, along[i] - half, &low);
      if (high < low) high = low;
      RvVec3 b = integral(n, along, x, scratch, along[i] + half, &high);
      mean = rv_add(first, rv_scale(rv_sub(b, a), 0.5 / half));
    }
    rv_vec3_store64(out + 3 * i, mean);
  }
}
