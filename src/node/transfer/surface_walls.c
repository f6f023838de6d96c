// Liquid at the walls of a tank: particles near a wall are mirrored behind it, so that the kernels see as much liquid
// there as in front. The surface then meets the wall at a right angle and goes on behind it, instead of curving down in
// front of it as at a free edge (images at walls, as in Monaghan 1994, "Simulating free surface flows with SPH").
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/transfer/surface_read.h"

static const double REACH =
    2.5;  // edges of a particle's cube from a wall within which it is mirrored: a bulk kernel's radius

// Distance of a particle from wall k: the lower ones of x, y, z, then the upper ones; below 0 outside.
static double from_wall(const double* x, const RvSurfaceWalls* w, int k) {
  return k < 3 ? x[k] - w->lo[k] : w->hi[k - 3] - x[k - 3];
}

// Makes room for more particles; false when out of memory.
static bool grow(RvSurfaceParticles* p, size_t more) {
  size_t old = p->count, count = old + more;
  double* x = rv_realloc(p->x, 3 * old * sizeof *x, 3 * count + 3, sizeof *x);
  if (!x) return false;
  p->x = x;
  double* volume = rv_realloc(p->volume, old * sizeof *volume, count + 1, sizeof *volume);
  if (!volume) return false;
  p->volume = volume;
  float* v = rv_realloc(p->v, 3 * old * sizeof *v, 3 * count + 3, sizeof *v);
  if (!v) return false;
  p->v = v;
  return true;
}

// Mirrors the particles near one wall, images behind the walls before it included: that fills edges and corners.
static RvResult mirror(RvSurfaceParticles* p, const RvSurfaceWalls* w, int k, double edges, RvError* error) {
  size_t near = 0, count = p->count;
  int axis = k % 3;
  for (size_t i = 0; i < count; ++i) {
    double d = from_wall(p->x + 3 * i, w, k);
    near += d >= 0 && d < edges * rv_pow(p->volume[i], 1.0 / 3);
  }
  if (near == 0) return RV_OK;
  if (!grow(p, near)) return rv_fail(error, RV_NO_MEMORY, "out of memory for the liquid at the walls");
  for (size_t i = 0; i < count; ++i) {
    double d = from_wall(p->x + 3 * i, w, k);
    if (!(d >= 0 && d < edges * rv_pow(p->volume[i], 1.0 / 3))) continue;
    size_t to = p->count++;
    memcpy(p->x + 3 * to, p->x + 3 * i, 3 * sizeof *p->x);
    memcpy(p->v + 3 * to, p->v + 3 * i, 3 * sizeof *p->v);
    p->volume[to] = p->volume[i];
    p->x[3 * to + (size_t)axis] += k < 3 ? -2 * d : 2 * d;
    p->v[3 * to + (size_t)axis] *= -1;
    p->mirrored++;
  }
  return RV_OK;
}

RvResult rv_surface_mirror(RvSurfaceInput* in, const RvSurfaceWalls* walls, double smoothing, RvError* error) {
  double edges = REACH * fmax(smoothing, 1);
  RvResult result = RV_OK;
  for (int k = 0; k < 6 && !result; ++k) result = mirror(&in->particles, walls, k, edges, error);
  return result;
}
