// Films as tapered capsules.
#include <math.h>

#include "base/array.h"
#include "math/scalar.h"
#include "surface/parts.h"

// A film of this part of the hair's radius is drawn whole; below it the tube shrinks to nothing, so that what gets wet
// does not pop up. Such a film is thinner than any voxel that shows the hair.
#define WHOLE 0.05

// outer radius as it is drawn, in voxels
static double drawn(const RvSurfaceDef* def, const RvSurfaceFilm* f, const float* share, size_t i, double scale) {
  double r = f->radius[i], h = f->height[i];
  if (!(h > 0)) return 0;
  double area = h * (h + 2 * r) * (share ? 1 - share[i] : 1);
  double outer = sqrt(r * r + area) * scale, u = rv_min(h / (WHOLE * rv_max(r, 1e-30)), 1);
  double least = def->minfilm;
  if (outer < least) {
    // C1 to the true radius at twice the least
    outer = least;
  } else if (outer < 2 * least) {
    double t = (outer - least) / least;
    outer = least * (1 + t * t * (2 - t));
  }
  return outer * u * u * (3 - 2 * u);
}

RvResult rv_surface_tubes(const RvSurfaceDef* def, const RvSurfaceFilm* f, const float* share, double scale,
                          RvParts* out, RvError* error) {
  // pieces no longer than this: a block's list of them stays short
  const double longest = RV_BLOCK / 2;
  RV_ARRAY(RvTube) tubes = {0};
  for (size_t e = 0; e + 1 < f->count; ++e) {
    if (f->strand[e] != f->strand[e + 1]) continue;
    double r0 = drawn(def, f, share, e, scale), r1 = drawn(def, f, share, e + 1, scale), length = 0;
    if (!(r0 > 0) && !(r1 > 0)) continue;
    const double *a = f->x + 3 * e, *b = a + 3;
    for (int c = 0; c < 3; ++c) length += (b[c] - a[c]) * (b[c] - a[c]);
    length = sqrt(length) * scale;
    if (!(length < 1e6 * longest)) {
      rv_array_free(&tubes);
      return rv_fail(error, RV_LIMIT, "a segment of a wet strand is %g voxels long: take larger voxels", length);
    }
    int pieces = (int)(length / longest) + 1;
    for (int k = 0; k < pieces; ++k) {
      double s = (double)k / pieces, t = (double)(k + 1) / pieces;
      RvTube tube = {.r = {(float)(r0 + s * (r1 - r0)), (float)(r0 + t * (r1 - r0))}};
      for (int c = 0; c < 3; ++c) {
        tube.a[c] = (a[c] + s * (b[c] - a[c])) * scale;
        tube.b[c] = (a[c] + t * (b[c] - a[c])) * scale;
      }
      if (!rv_array_push(&tubes, tube)) {
        rv_array_free(&tubes);
        return rv_fail(error, RV_NO_MEMORY, "no memory for the tubes of %zu vertices", f->count);
      }
    }
  }
  out->tubes = tubes.data;
  out->ntube = tubes.count;
  return RV_OK;
}
