// Films on strands as tapered capsules (WH-48).
#include <math.h>

#include "base/array.h"
#include "math/scalar.h"
#include "surface/parts.h"

// A film whose height exceeds this share of the fibre radius is drawn_radius with its full radius. Below it the capsule
// shrinks smoothly to nothing, so that strands do not pop when they become wet; such a film is thinner than any voxel
// that resolves the fibre.
#define FULL_HEIGHT_SHARE 0.05
#define LEAST_RADIUS 1e-30   // against division by zero
#define LONGEST_SEGMENT 1e6  // in pieces: beyond it the voxel size is certainly a mistake

// Drawn outer radius of the film at a vertex, in voxels. The part of the film in webs is taken off.
static double drawn_radius(const RvSurfaceDef* def, const RvSurfaceFilm* f, const float* share, size_t i,
                           double scale) {
  double r = f->radius[i], h = f->height[i];
  if (!(h > 0)) return 0;
  double area = h * (h + 2 * r) * (share ? 1 - share[i] : 1);
  double outer = sqrt(r * r + area) * scale;
  double u = rv_min(h / (FULL_HEIGHT_SHARE * rv_max(r, LEAST_RADIUS)), 1);
  double least = def->minfilm;
  if (outer < least) {
    outer = least;
  } else if (outer < 2 * least) {
    // C1 transition to the true radius at twice the least radius.
    double t = (outer - least) / least;
    outer = least * (1 + t * t * (2 - t));
  }
  return outer * u * u * (3 - 2 * u);
}

RvResult rv_surface_tubes(const RvSurfaceDef* def, const RvSurfaceFilm* f, const float* share, double scale,
                          RvParts* out, RvError* error) {
  // Long segments are divided into pieces, so that few of them overlap a block.
  const double longest = RV_BLOCK / 2;
  RV_ARRAY(RvTube) tubes = {0};
  for (size_t e = 0; e + 1 < f->count; ++e) {
    if (f->strand[e] != f->strand[e + 1]) continue;
    // Radii at both ends; segments without film are left out.
    double r0 = drawn_radius(def, f, share, e, scale);
    double r1 = drawn_radius(def, f, share, e + 1, scale);
    double length = 0;
    if (!(r0 > 0) && !(r1 > 0)) continue;
    const double *a = f->x + 3 * e, *b = a + 3;
    for (int c = 0; c < 3; ++c) length += (b[c] - a[c]) * (b[c] - a[c]);
    length = sqrt(length) * scale;
    if (!(length < LONGEST_SEGMENT * longest)) {
      rv_array_free(&tubes);
      return rv_fail(error, RV_LIMIT,
                     "a segment of a wet strand is %g voxels long: raise voxelsize, or check P of the strands", length);
    }
    // Divide the segment and interpolate the radius.
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
        return rv_fail(error, RV_NO_MEMORY, "out of memory for the film on %zu points: raise voxelsize", f->count);
      }
    }
  }
  out->tubes = tubes.data;
  out->ntube = tubes.count;
  return RV_OK;
}
