// Anisotropic kernels of particles, and the separation and volumes of particles that carry none.
//
// The kernel is (1 - q^2)^3. Its variance along an axis is h^2 / 11 for a half axis h. In units of the separation s =
// V^(1/3) an isolated particle has the variance ISOLATED: then h = sqrt(3) r for the radius r of a ball of its
// volume, where the radius of the contour at one half does not depend on h to first order. The covariance of the
// neighbours is added, such that h is 2.3 s in the interior. Thin features lose volume in the contour; an amount that
// depends on the number of directions without neighbours gives it back, from the closed forms for a sheet, a thread
// and an isolated particle:
//   3 directions full: 1; a sheet: 1.15; a thread: 1.25; isolated: 1.337.
#include <math.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "surface/nearby.h"
#include "surface/parts.h"

#define ISOLATED 0.105
#define REACH 2.0                     // search radius for neighbours, in separations
#define FULL (REACH * REACH / 11)     // variance per axis of neighbours on all sides, in s^2
#define SPREAD (5.3 / 11 - ISOLATED)  // variance added to a kernel for FULL: h = 2.3 s
#define NORM (315 / (64 * RV_PI))     // integral of (1 - q^2)^3 over the unit ball is 1 / NORM
#define WIDE 3.0                      // radius of the second, isotropic kernel, in separations
#define LEAST_VARIANCE 0.3            // of a kernel, voxels^2: narrower kernels would fall between voxels
#define LARGEST_REACH 4               // of neighbours, in typical separations
#define INTERIOR_OFFSET 0.06          // of the centre of neighbours, in reaches: below it a particle is interior
#define LEAST_INTERIOR 8              // samples for an estimate of the separation
#define FILLED 0.4                    // liquid fraction at which a neighbourhood counts as full
enum {
  MAX_NEIGHBOURS = 256,  // particles of a cell that are visited; of more, every n-th
  GRAIN = 256,           // particles a task
  FILL_GRAIN = 1024,     // the same of fill_volumes
  LEAST_IN_CELL = 16,    // mean particles of a full cell between which the guess of the separation is accepted
  MOST_IN_CELL = 54,
  GUESS_ROUNDS = 12,
  KEY_AXIS_BITS = 20  // of a cell coordinate in the keys of nearby.c
};

// Working set.
typedef struct Kernels {
  const RvSurfaceDef* def;
  const RvSurfaceParticles* p;
  RvNearby near;
  const double *x, *volume;  // in the order of the cells, for the caches
  double scale;              // voxels per unit of length
  double typical;            // separation of a typical particle
  RvBlob* out;
} Kernels;

// Weighted moments of the neighbours about a particle: xx yy zz yz xz xy.
typedef struct Moments {
  double weight, first[3], second[6];
} Moments;

// Adds the particles of a cell to the moments, weighted by volume and kernel.
static void add_cell(const Kernels* k, size_t cell, const double x[3], double inverse2, Moments* m) {
  size_t begin = k->near.first[cell];
  size_t end = k->near.first[cell + 1];
  size_t stride = (end - begin + MAX_NEIGHBOURS - 1) / MAX_NEIGHBOURS;
  for (size_t i = begin; i < end; i += stride) {
    const double* y = k->x + 3 * i;
    double a = y[0] - x[0];
    double b = y[1] - x[1];
    double c = y[2] - x[2];
    double q = 1 - (a * a + b * b + c * c) * inverse2;
    if (!(q > 0)) continue;
    double w = k->volume[i] * q * q * q;
    m->weight += w;
    m->first[0] += w * a;
    m->first[1] += w * b;
    m->first[2] += w * c;
    m->second[0] += w * a * a;
    m->second[1] += w * b * b;
    m->second[2] += w * c * c;
    m->second[3] += w * b * c;
    m->second[4] += w * a * c;
    m->second[5] += w * a * b;
  }
}

// Volume-weighted covariance of the neighbours; returns the squared offset of their centre.
static double covariance(const Kernels* k, const double x[3], double reach, double out[6]) {
  Moments m = {0};
  int64_t lo[3], hi[3];
  for (int c = 0; c < 3; ++c) {
    lo[c] = rv_surface_nearby_cell(&k->near, x[c] - reach, c);
    hi[c] = rv_surface_nearby_cell(&k->near, x[c] + reach, c);
  }
  for (int64_t i = lo[0]; i <= hi[0]; ++i)
    for (int64_t j = lo[1]; j <= hi[1]; ++j)
      for (int64_t l = lo[2]; l <= hi[2]; ++l) {
        size_t cell = rv_surface_nearby_find(&k->near, i, j, l);
        if (cell != SIZE_MAX) add_cell(k, cell, x, 1 / (reach * reach), &m);
      }
  static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  double w = m.weight > 0 ? 1 / m.weight : 0;
  for (int c = 0; c < 6; ++c) out[c] = m.second[c] * w - (m.first[row[c]] * w) * (m.first[column[c]] * w);
  return (m.first[0] * m.first[0] + m.first[1] * m.first[1] + m.first[2] * m.first[2]) * w * w;
}

// Inverts a symmetric matrix; returns its determinant.
static double invert(const double s[6], float m[6]) {
  double xx = s[1] * s[2] - s[3] * s[3], yy = s[0] * s[2] - s[4] * s[4], zz = s[0] * s[1] - s[5] * s[5];
  double yz = s[4] * s[5] - s[0] * s[3], xz = s[3] * s[5] - s[1] * s[4], xy = s[3] * s[4] - s[2] * s[5];
  double det = s[0] * xx + s[5] * xy + s[4] * xz;
  m[0] = (float)(xx / det);
  m[1] = (float)(yy / det);
  m[2] = (float)(zz / det);
  m[3] = (float)(yz / det);
  m[4] = (float)(xz / det);
  m[5] = (float)(xy / det);
  return det;
}

// Factor on the kernel that compensates for thinness. lack: number of directions without neighbours, 0 to 3. At the
// surface of the bulk, kernels are narrower than below it, which would move the surface outwards. There the centre of
// the neighbours is offset (off = 0.1 separations squared at a flat surface), and EASE corrects it, more for wider
// kernels. The coefficients fit the closed forms given above.
#define EASE(smoothing) (0.4 + 1.2 * (smoothing))
static double amount_of(double lack, double off, double smoothing) {
  double t = 1.2 * lack * lack / (lack + 0.6), full = 1 - lack / 3;
  // Pairs and other small groups lie between a thread and an isolated particle.
  double few = rv_max(lack - 1.6, 0) * (3 - lack);
  return (1 + t * (0.177 - 0.0216 * t) + 0.4 * few * few) / (1 + EASE(smoothing) * full * full * off);
}

// Shape, amount and wide kernel of one particle.
static void make_kernel(const Kernels* k, size_t i, RvBlob* out) {
  const double* x = k->p->x + 3 * i;
  double volume = k->p->volume[i];
  double s = rv_pow(volume, 1.0 / 3);
  double reach = REACH * rv_min(s, LARGEST_REACH * k->typical);
  double cov[6], shape[6], s2 = s * s;
  double off = covariance(k, x, reach, cov) / s2;
  double full = (cov[0] + cov[1] + cov[2]) / (FULL * s2), lack = rv_clamp(3 - full, 0, 3);
  double grow = SPREAD / FULL * k->def->smoothing * k->def->smoothing;
  double drop = k->def->dropletscale - 1;
  // Isolated particles lack all three directions and get the droplet scale.
  double radius = k->def->radiusscale * (1 + drop * (lack / 3) * (lack / 3));
  // A kernel narrower than a voxel could fall between voxels.
  double least = rv_max(ISOLATED * s2, LEAST_VARIANCE / (k->scale * k->scale));
  for (int c = 0; c < 6; ++c)
    shape[c] = 11 * k->scale * k->scale * ((c < 3 ? least : 0) + grow * cov[c]) * radius * radius;
  double cube = k->scale * k->scale * k->scale * radius * radius * radius;
  double det = invert(shape, out->m);
  out->amount = (float)(amount_of(lack, off, k->def->smoothing) * volume * cube * NORM / sqrt(det));
  for (int c = 0; c < 3; ++c) {
    out->x[c] = x[c] * k->scale;
    out->reach[c] = (float)sqrt(shape[c]);
  }
  out->wide = (float)(WIDE * s * radius * k->scale);
  out->spread = (float)(NORM / (WIDE * WIDE * WIDE));
}

// Makes a range of kernels.
static void make_range(void* arg, size_t begin, size_t end) {
  const Kernels* k = arg;
  // The order of the cells keeps neighbours in the caches.
  for (size_t i = begin; i < end; ++i) make_kernel(k, k->near.order[i], &k->out[k->near.order[i]]);
}

// Geometric mean of the separations, which a few large particles do not shift.
static double typical_separation(const RvSurfaceParticles* p) {
  double sum = 0;
  for (size_t i = 0; i < p->count; ++i) sum += rv_log_e(p->volume[i]);
  return rv_exp(sum / (3 * (double)p->count));
}

RvResult rv_surface_kernels(const RvSurfaceDef* def, const RvSurfaceParticles* p, double scale, RvBlob* out,
                            RvError* error) {
  if (!p->count) return RV_OK;
  Kernels k = {.def = def, .p = p, .scale = scale, .out = out, .typical = typical_separation(p)};
  double *x = rv_alloc(3 * p->count, sizeof *x), *volume = rv_alloc(p->count, sizeof *volume);
  bool good = x && volume && rv_surface_nearby_build(&k.near, p->count, p->x, REACH * k.typical);
  // Copy the particles in the order of the cells.
  for (size_t i = 0; good && i < p->count; ++i) {
    size_t from = k.near.order[i];
    for (size_t c = 0; c < 3; ++c) x[3 * i + c] = p->x[3 * from + c];
    volume[i] = p->volume[from];
  }
  k.x = x;
  k.volume = volume;
  if (good) rv_parallel_for(p->count, GRAIN, make_range, &k);
  rv_surface_nearby_free(&k.near);
  rv_free(x);
  rv_free(volume);
  return good ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", p->count);
}

//---------------------------------------------------------------------------------------------- separation

// Mean number of particles in cells with occupied cells on all 26 sides, which are full of liquid.
static double mean_of_inner(const RvNearby* n) {
  double sum = 0, cells = 0;
  for (size_t c = 0; c < n->ncell; ++c) {
    const int64_t mask = (1 << KEY_AXIS_BITS) - 1;
    int64_t i = (int64_t)(n->key[c] >> 2 * KEY_AXIS_BITS);
    int64_t j = (int64_t)(n->key[c] >> KEY_AXIS_BITS) & mask;
    int64_t k = (int64_t)n->key[c] & mask;
    bool inner = true;
    for (int s = 0; s < 27 && inner; ++s)
      inner = rv_surface_nearby_find(n, i + s / 9 - 1, j + s / 3 % 3 - 1, k + s % 3 - 1) != SIZE_MAX;
    if (inner) {
      sum += n->first[c + 1] - n->first[c];
      cells++;
    }
  }
  return cells > 0 ? sum / cells : 0;
}

// First guess of the separation from the number of particles in full cells. Cells alias with the lattice of emitted
// particles, so it may be wrong by a few percent.
static double guess_separation(size_t count, const double* x, double guess) {
  double size = 3 * guess, found = 0;
  for (int round = 0; round < GUESS_ROUNDS && count; ++round) {
    RvNearby n;
    if (!rv_surface_nearby_build(&n, count, x, size)) return 0;
    double mean = mean_of_inner(&n), used = n.size;
    rv_surface_nearby_free(&n);
    if (mean > 0) found = used / rv_pow(mean, 1.0 / 3);
    if (mean >= LEAST_IN_CELL && mean <= MOST_IN_CELL) break;
    size = mean > 0 ? 3 * found : 2 * size;
  }
  return found;
}

// Kernel estimate of the number density at a particle; *off: offset of the centre of its neighbours, in reaches.
static double number_density(const RvNearby* n, const double* x, size_t point, double reach, double* off) {
  const double* at = x + 3 * point;
  double sum = 0, first[3] = {0};
  for (int s = 0; s < 27; ++s) {
    size_t cell = rv_surface_nearby_find(n, rv_surface_nearby_cell(n, at[0], 0) + s / 9 - 1,
                                         rv_surface_nearby_cell(n, at[1], 1) + s / 3 % 3 - 1,
                                         rv_surface_nearby_cell(n, at[2], 2) + s % 3 - 1);
    for (size_t i = cell == SIZE_MAX ? 0 : n->first[cell], end = cell == SIZE_MAX ? 0 : n->first[cell + 1]; i < end;
         ++i) {
      double d[3], q = 1;
      for (size_t c = 0; c < 3; ++c) {
        d[c] = (x[3 * (size_t)n->order[i] + c] - at[c]) / reach;
        q -= d[c] * d[c];
      }
      if (!(q > 0)) continue;
      sum += q * q * q;
      for (int c = 0; c < 3; ++c) first[c] += q * q * q * d[c];
    }
  }
  *off = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]) / sum;
  return sum * NORM / (reach * reach * reach);
}

double rv_surface_separation(size_t count, const double* x, double guess) {
  enum { SAMPLES = 4000 };  // particles at which the density is measured
  double found = guess_separation(count, x, guess);
  double reach = 3 * found;
  double sum = 0;
  double inner = 0;
  RvNearby n;
  if (!(found > 0) || !rv_surface_nearby_build(&n, count, x, reach)) return found;
  size_t stride = count / SAMPLES + 1;
  for (size_t i = 0; i < count; i += stride) {
    double off, density = number_density(&n, x, i, reach, &off);
    // At a flat surface the offset is 0.3.
    if (off < INTERIOR_OFFSET) {
      sum += density;
      inner++;
    }
  }
  rv_surface_nearby_free(&n);
  return inner > LEAST_INTERIOR ? rv_pow(inner / sum, 1.0 / 3) : found;
}

//---------------------------------------------------------------------------------------------- volumes

// Working set of rv_surface_fill_volumes.
typedef struct Filling {
  const RvNearby* near;
  const double* x;  // positions
  double separation;
  double* volume;  // in and out
} Filling;

// Share of the neighbourhood that cubes of the separation fill: 0 for an isolated particle, 1 in the interior.
static double fullness(const Filling* w, const double x[3]) {
  double reach = REACH * w->separation, sum = 0;
  for (int s = 0; s < 27; ++s) {
    size_t cell = rv_surface_nearby_find(w->near, rv_surface_nearby_cell(w->near, x[0], 0) + s / 9 - 1,
                                         rv_surface_nearby_cell(w->near, x[1], 1) + s / 3 % 3 - 1,
                                         rv_surface_nearby_cell(w->near, x[2], 2) + s % 3 - 1);
    if (cell == SIZE_MAX) continue;
    size_t begin = w->near->first[cell], end = w->near->first[cell + 1];
    size_t stride = (end - begin + MAX_NEIGHBOURS - 1) / MAX_NEIGHBOURS;
    for (size_t i = begin; i < end; i += stride) {
      const double* y = w->x + 3 * (size_t)w->near->order[i];
      double a = y[0] - x[0];
      double b = y[1] - x[1];
      double c = y[2] - x[2];
      double q = 1 - (a * a + b * b + c * c) / (reach * reach);
      if (q > 0) sum += (double)stride * q * q * q;
    }
  }
  double self = NORM / (REACH * REACH * REACH);
  double t = rv_clamp((sum - 1) * self / (FILLED - self), 0, 1);
  return t * t * (3 - 2 * t);
}

// Blends the volumes of a range of particles.
static void fill_range(void* arg, size_t begin, size_t end) {
  const Filling* w = arg;
  double cube = w->separation * w->separation * w->separation;
  for (size_t i = begin; i < end; ++i) {
    double full = fullness(w, w->x + 3 * i), alone = w->volume[i] > 0 ? w->volume[i] : cube;
    w->volume[i] = alone + full * (cube - alone);
  }
}

RvResult rv_surface_fill_volumes(RvSurfaceParticles* p, double separation, RvError* error) {
  RvNearby near;
  if (!rv_surface_nearby_build(&near, p->count, p->x, REACH * separation))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", p->count);
  Filling w = {&near, p->x, separation, p->volume};
  rv_parallel_for(p->count, FILL_GRAIN, fill_range, &w);
  rv_surface_nearby_free(&near);
  return RV_OK;
}
