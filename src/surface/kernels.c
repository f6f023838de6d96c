// Particles as kernels: how wide each is in every direction.
//
// The kernel is (1 - q^2)^3. Its variance along an axis is h^2 / 11 for a half axis h. In units of the separation
// s = V^(1/3) a lone particle has the variance LONE: then h = sqrt(3) r of the ball of its volume, where the radius of
// the half-value ball does not depend on h to first order. What its neighbours are spread by is added, such that deep
// inside h is 2.3 s. Less is then lost of thin parts; what is lost is given back by an amount that depends on how many
// directions lack neighbours, from the closed forms for a sheet, a thread and a lone particle:
//   3 directions full: 1; a sheet: 1.15; a thread: 1.25; alone: 1.337.
#include <math.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "surface/nearby.h"
#include "surface/parts.h"

#define LONE 0.105
#define REACH 2.0                  // of neighbours, in separations
#define FULL (REACH * REACH / 11)  // variance of neighbours on all sides, in s^2
#define SPREAD (5.3 / 11 - LONE)   // of a kernel, for FULL: a reach of 2.3
#define NORM (315 / (64 * RV_PI))  // integral of (1 - q^2)^3 over the unit ball is 1 / NORM
#define WIDE 3.0                   // reach of a second, round kernel, in separations
enum { CELL_MOST = 256 };          // of one cell that are looked at

typedef struct Kernels {
  const RvSurfaceDef* def;
  const RvSurfaceParticles* p;
  RvNearby near;
  const double *x, *volume;  // in the order of the cells
  double scale, typical;
  RvBlob* out;
} Kernels;

typedef struct Moments {
  double weight, first[3], second[6];
} Moments;

static void add_cell(const Kernels* k, size_t cell, const double x[3], double inverse2, Moments* m) {
  size_t begin = k->near.first[cell], end = k->near.first[cell + 1], stride = (end - begin + CELL_MOST - 1) / CELL_MOST;
  for (size_t i = begin; i < end; i += stride) {
    const double* y = k->x + 3 * i;
    double a = y[0] - x[0], b = y[1] - x[1], c = y[2] - x[2], q = 1 - (a * a + b * b + c * c) * inverse2;
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

// covariance of the neighbours, weighed by volume; returns the square of how far their centre is off
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

// the inverse of a symmetric matrix, and its determinant
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

// What makes up for the thinness; `lack`: directions without neighbours, 0 to 3. At the surface of a bulk kernels are
// narrower than below it, by which it would come out too far: there the centre of the neighbours is off (by `off` = 0.1
// separations squared at a flat surface), and EASE takes it back, more of it for wider kernels.
#define EASE(smoothing) (0.4 + 1.2 * (smoothing))
static double amount_of(double lack, double off, double smoothing) {
  double t = 1.2 * lack * lack / (lack + 0.6), full = 1 - lack / 3;
  // pairs and other small groups, which are neither a thread nor alone
  double few = rv_max(lack - 1.6, 0) * (3 - lack);
  return (1 + t * (0.177 - 0.0216 * t) + 0.4 * few * few) / (1 + EASE(smoothing) * full * full * off);
}

static void make_kernel(const Kernels* k, size_t i, RvBlob* out) {
  const double* x = k->p->x + 3 * i;
  double volume = k->p->volume[i], s = rv_pow(volume, 1.0 / 3), reach = REACH * rv_min(s, 4 * k->typical);
  double cov[6], shape[6], s2 = s * s;
  double off = covariance(k, x, reach, cov) / s2;
  double full = (cov[0] + cov[1] + cov[2]) / (FULL * s2), lack = rv_clamp(3 - full, 0, 3);
  double grow = SPREAD / FULL * k->def->smoothing * k->def->smoothing, drop = k->def->dropletscale - 1;
  // of a lone one all three directions lack
  double radius = k->def->radiusscale * (1 + drop * (lack / 3) * (lack / 3));
  // kernels narrower than voxels would be seen or not by chance
  double least = rv_max(LONE * s2, 0.3 / (k->scale * k->scale));
  for (int c = 0; c < 6; ++c)
    shape[c] = 11 * k->scale * k->scale * ((c < 3 ? least : 0) + grow * cov[c]) * radius * radius;
  double cube = k->scale * k->scale * k->scale * radius * radius * radius, det = invert(shape, out->m);
  out->amount = (float)(amount_of(lack, off, k->def->smoothing) * volume * cube * NORM / sqrt(det));
  for (int c = 0; c < 3; ++c) {
    out->x[c] = x[c] * k->scale;
    out->reach[c] = (float)sqrt(shape[c]);
  }
  out->wide = (float)(WIDE * s * radius * k->scale);
  out->spread = (float)(NORM / (WIDE * WIDE * WIDE));
}

static void make_range(void* arg, size_t begin, size_t end) {
  const Kernels* k = arg;
  // in the order of the cells, for the caches
  for (size_t i = begin; i < end; ++i) make_kernel(k, k->near.order[i], &k->out[k->near.order[i]]);
}

// the geometric mean: a few large ones do not matter
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
  for (size_t i = 0; good && i < p->count; ++i) {
    size_t from = k.near.order[i];
    for (size_t c = 0; c < 3; ++c) x[3 * i + c] = p->x[3 * from + c];
    volume[i] = p->volume[from];
  }
  k.x = x;
  k.volume = volume;
  if (good) rv_parallel_for(p->count, 256, make_range, &k);
  rv_surface_nearby_free(&k.near);
  rv_free(x);
  rv_free(volume);
  return good ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for %zu particles", p->count);
}

//---------------------------------------------------------------------------------------------- separation

// mean number in cells with neighbours on all 26 sides: such a cell is full of liquid
static double mean_of_inner(const RvNearby* n) {
  double sum = 0, cells = 0;
  for (size_t c = 0; c < n->ncell; ++c) {
    const int64_t mask = (1 << 20) - 1;
    int64_t i = (int64_t)(n->key[c] >> 40), j = (int64_t)(n->key[c] >> 20) & mask, k = (int64_t)n->key[c] & mask;
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

// a first guess: cells see the lattice on which particles were made, so it may be a few percent wrong
static double guess_separation(size_t count, const double* x, double guess) {
  double size = 3 * guess, found = 0;
  for (int round = 0; round < 12 && count; ++round) {
    RvNearby n;
    if (!rv_surface_nearby_build(&n, count, x, size)) return 0;
    double mean = mean_of_inner(&n), used = n.size;
    rv_surface_nearby_free(&n);
    if (mean > 0) found = used / rv_pow(mean, 1.0 / 3);
    if (mean >= 16 && mean <= 54) break;
    size = mean > 0 ? 3 * found : 2 * size;
  }
  return found;
}

// Number in a unit of volume by a kernel, and how far the neighbours' centre is off, in parts of the reach.
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
  enum { SAMPLES = 4000 };
  double found = guess_separation(count, x, guess), reach = 3 * found, sum = 0, inner = 0;
  RvNearby n;
  if (!(found > 0) || !rv_surface_nearby_build(&n, count, x, reach)) return found;
  size_t stride = count / SAMPLES + 1;
  for (size_t i = 0; i < count; i += stride) {
    double off, density = number_density(&n, x, i, reach, &off);
    // at a flat surface the centre is off by 0.3
    if (off < 0.06) {
      sum += density;
      inner++;
    }
  }
  rv_surface_nearby_free(&n);
  return inner > 8 ? rv_pow(inner / sum, 1.0 / 3) : found;
}

//---------------------------------------------------------------------------------------------- volumes

typedef struct Filling {
  const RvNearby* near;
  const double* x;
  double separation;
  double* volume;
} Filling;

// how much of the neighbourhood the cubes of the separation fill: 0 alone, 1 where they are close
static double fullness(const Filling* w, const double x[3]) {
  double reach = REACH * w->separation, sum = 0;
  for (int s = 0; s < 27; ++s) {
    size_t cell = rv_surface_nearby_find(w->near, rv_surface_nearby_cell(w->near, x[0], 0) + s / 9 - 1,
                                         rv_surface_nearby_cell(w->near, x[1], 1) + s / 3 % 3 - 1,
                                         rv_surface_nearby_cell(w->near, x[2], 2) + s % 3 - 1);
    if (cell == SIZE_MAX) continue;
    size_t begin = w->near->first[cell], end = w->near->first[cell + 1];
    size_t stride = (end - begin + CELL_MOST - 1) / CELL_MOST;
    for (size_t i = begin; i < end; i += stride) {
      const double* y = w->x + 3 * (size_t)w->near->order[i];
      double a = y[0] - x[0], b = y[1] - x[1], c = y[2] - x[2], q = 1 - (a * a + b * b + c * c) / (reach * reach);
      if (q > 0) sum += (double)stride * q * q * q;
    }
  }
  double self = NORM / (REACH * REACH * REACH), t = rv_clamp((sum - 1) * self / (0.4 - self), 0, 1);
  return t * t * (3 - 2 * t);
}

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
    return rv_fail(error, RV_NO_MEMORY, "no memory for %zu particles", p->count);
  Filling w = {&near, p->x, separation, p->volume};
  rv_parallel_for(p->count, 1024, fill_range, &w);
  rv_surface_nearby_free(&near);
  return RV_OK;
}
