// Checks of the smoothing kernels and of the search of neighbours (AH-13, AH-24, AH-25, HC-3, HC-18, E37, E38, E63).
#include "sph/kernels.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/check.h"
#include "math/scalar.h"
#include "sph/half.h"
#include "sph/lists.h"

//---------------------------------------------------------------------------------------------- kernels

// Integral of a kernel over its space, by Simpson's rule; the integrand is 0 at the centre of all but the line.
static double integral(const RvSphKernelRow* row) {
  enum { PARTS = 20000 };
  static const double sphere[] = {2, 2 * RV_PI, 4 * RV_PI};
  double sum = 0;
  for (int i = 0; i <= PARTS; ++i) {
    // The viscosity kernel is infinite at 0, its integrand is not.
    double q = rv_max((double)i / PARTS, 1e-12);
    double shell = row->dimensions == 1 ? 1 : row->dimensions == 2 ? q : q * q;
    sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * shell * row->value(q);
  }
  return sphere[row->dimensions - 1] * sum / (3 * PARTS);
}

// Largest error of the slope against central differences of fourth order, relative to the largest slope; away from the
// ends of the formulas' pieces, where a difference would reach across.
static double slope_error(const RvSphKernelRow* row) {
  const double h = 1e-4;
  double worst = 0;
  double largest = 0;
  for (int i = 1; i < 200; ++i) {
    double q = i / 200.0;
    if (fabs(q - 0.5) < 4 * h || fabs(q - 1 / 1.4) < 4 * h || q < 0.05 || q > 0.99 || (row->value(q) == 0 && row->slope(q) == 0)) continue;
    double difference =
        (8 * (row->value(q + h) - row->value(q - h)) - row->value(q + 2 * h) + row->value(q - 2 * h)) / (12 * h);
    worst = rv_max(worst, fabs(difference - row->slope(q)));
    largest = rv_max(largest, fabs(row->slope(q)));
  }
  return worst / largest;
}

// What the seed's pairs of formulas must have besides: the cohesion kernel is continuous at half its support and
// repulsive at 0; the viscosity kernel ends at 0 with slope 0 (E37).
static void emit_shapes(const RvCheckOut* out) {
  const RvSphKernelRow* cohesion = &rv_sph_kernels[RV_SPH_COHESION];
  const RvSphKernelRow* viscosity = &rv_sph_kernels[RV_SPH_VISCOSITY];
  rv_check_emit(out, "cohesion_step", cohesion->value(0.5 + 1e-12) - cohesion->value(0.5 - 1e-12), 0, 1e-9);
  rv_check_emit(out, "cohesion_half", cohesion->value(0.5), 1 / (2 * RV_PI), 1e-12);
  rv_check_emit(out, "cohesion_centre", cohesion->value(0), -0.5 / RV_PI, 1e-12);
  rv_check_emit(out, "viscosity_smooth", viscosity->value(1 - 1e-6) / viscosity->value(0.5), 0, 1e-9);
  rv_check_emit(out, "cosine_zero", rv_sph_kernels[RV_SPH_COSINE].value(1.0 / 3), 0, 1e-12);
  // Pair forces are 1 at contact and -1 where they attract most.
  static const RvSphKernel forces[] = {RV_SPH_COSINE, RV_SPH_TWO, RV_SPH_SPLINE};
  for (int k = 0; k < 3; ++k) {
    const RvSphKernelRow* row = &rv_sph_kernels[forces[k]];
    char name[64];
    double least = 0;
    for (int i = 0; i <= 10000; ++i) least = rv_min(least, row->value(i / 10000.0));
    snprintf(name, sizeof name, "%s_contact", row->name);
    rv_check_emit(out, name, row->value(0), 1, 1e-12);
    snprintf(name, sizeof name, "%s_attraction", row->name);
    rv_check_emit(out, name, least, -1, 1e-6);
  }
}

// A half space: half of the kernel at its surface, all of it deep inside, the slope against differences, and the pull
// against a sum over points of the half space.
static void emit_half(const RvCheckOut* out) {
  RvSphHalf half;
  double worst = 0;
  rv_sph_half_init(&half, RV_SPH_POLY6);
  rv_check_emit(out, "half_surface", (double)rv_sph_half_at(&half, 0).share, 0.5, 1e-5);
  rv_check_emit(out, "half_inside", (double)rv_sph_half_at(&half, -1).share, 1, 1e-5);
  rv_check_emit(out, "half_outside", (double)rv_sph_half_at(&half, 1).share, 0, 0);
  for (int i = -18; i <= 18; ++i) {
    float d = (float)i / 20;
    double difference =
        ((double)rv_sph_half_at(&half, d + 0.03125f).share - (double)rv_sph_half_at(&half, d - 0.03125f).share) /
        0.0625;
    worst = rv_max(worst, fabs(difference - (double)rv_sph_half_at(&half, d).slope));
  }
  // Central differences over 1/32 of a function of curvature 10.
  rv_check_emit(out, "half_slope", worst, 0, 0.01);
  rv_sph_half_init(&half, RV_SPH_ADHESION);
  enum { SIDE = 100 };
  double sum = 0;
  for (int x = -SIDE; x < SIDE; ++x)
    for (int y = -SIDE; y < SIDE; ++y)
      for (int z = 0; z < SIDE; ++z) {
        double at[3] = {(x + 0.5) / SIDE, (y + 0.5) / SIDE, (z + 0.5) / SIDE};
        double q = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        if (at[2] > 0.3) sum += rv_sph_kernels[RV_SPH_ADHESION].value(q) * at[2] / q;
      }
  sum /= (double)SIDE * SIDE * SIDE;
  rv_check_emit(out, "half_pull", (double)rv_sph_half_at(&half, 0.3f).pull / sum, 1, 0.01);
}

RvResult rv_check_sph_kernels(const RvCheckOut* out, RvError* error) {
  char name[64];
  (void)error;
  for (int k = 0; k < RV_SPH_KERNELS; ++k) {
    const RvSphKernelRow* row = &rv_sph_kernels[k];
    snprintf(name, sizeof name, "%s_integral", row->name);
    if (row->dimensions) rv_check_emit(out, name, integral(row), 1, 1e-6);
    snprintf(name, sizeof name, "%s_slope", row->name);
    rv_check_emit(out, name, slope_error(row), 0, 1e-6);
    snprintf(name, sizeof name, "%s_end", row->name);
    rv_check_emit(out, name, row->value(1.0 + 1e-12), 0, 0);
  }
  emit_shapes(out);
  emit_half(out);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- neighbours

enum { PARTICLES = 1500, OTHERS = 400 };
#define SUPPORT 0.01

// A cloud about a centre, and a part of it far away, so that most of the space between is empty.
static void scatter_cloud(double* x, size_t count, uint64_t seed, const double centre[3]) {
  for (size_t i = 0; i < count; ++i)
    for (size_t a = 0; a < 3; ++a) {
      double far = i % 7 == 0 ? 3 : 0;
      x[3 * i + a] = centre[a] + far + 0.08 * (rv_random(seed, i, a, 0) - 0.5);
    }
}

// Pairs that a search by all pairs has and the lists have not, and the reverse.
static size_t differences(const RvSphLists* lists, const RvSphSet* of, const RvSphSet* to) {
  size_t wrong = 0;
  for (size_t i = 0; i < of->count; ++i) {
    const uint32_t* list = lists->index + 8 * (size_t)lists->first[i];
    size_t listed = 0;
    for (size_t k = 0; k < 8 * (size_t)lists->groups[i]; ++k) listed += list[k] < to->count;
    for (size_t j = 0; j < to->count; ++j) {
      float square = 0;
      for (int a = 0; a < 3; ++a) square += (to->x[a][j] - of->x[a][i]) * (to->x[a][j] - of->x[a][i]);
      bool found = false;
      for (size_t k = 0; k < 8 * (size_t)lists->groups[i] && !found; ++k) found = list[k] == j;
      wrong += found != (square < 1);
      listed -= square < 1;
    }
    wrong += listed != 0;
  }
  return wrong;
}

// Both sets around a centre.
static RvResult compare(const RvCheckOut* out, const char* const names[4], const double centre[3], RvError* error) {
  RvArena* arena = rv_arena_new(1 << 16);
  double* x = arena ? RV_TAKE(arena, double, 3 * PARTICLES) : NULL;
  double* y = arena ? RV_TAKE(arena, double, 3 * OTHERS) : NULL;
  RvResult result = x && y ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvSphLattice lattice;
  RvSphSet particles;
  RvSphSet others;
  RvSphLists own;
  RvSphLists across;
  RvSphLists back;
  if (!result) {
    scatter_cloud(x, PARTICLES, 3, centre);
    scatter_cloud(y, OTHERS, 4, centre);
    const double* places[] = {x, y};
    const size_t counts[] = {PARTICLES, OTHERS};
    result = rv_sph_lattice_fit(&lattice, SUPPORT, 2, places, counts, error);
  }
  if (!result) result = rv_sph_set_sort(&particles, &lattice, x, NULL, PARTICLES, arena, error);
  if (!result) result = rv_sph_set_sort(&others, &lattice, y, NULL, OTHERS, arena, error);
  if (!result) result = rv_sph_lists_find(&own, &lattice, &particles, &particles, arena, error);
  if (!result) result = rv_sph_lists_find(&across, &lattice, &particles, &others, arena, error);
  if (!result) result = rv_sph_lists_find(&back, &lattice, &others, &particles, arena, error);
  if (!result) {
    rv_check_emit(out, names[0], (double)differences(&own, &particles, &particles), 0, 0);
    rv_check_emit(out, names[1], (double)differences(&across, &particles, &others), 0, 0);
    rv_check_emit(out, names[2], (double)differences(&back, &others, &particles), 0, 0);
    rv_check_emit(out, names[3], (double)across.pairs - (double)back.pairs, 0, 0);
  }
  rv_arena_free(arena);
  return result;
}

RvResult rv_check_sph_neighbours(const RvCheckOut* out, RvError* error) {
  static const char* const above[] = {"own", "other", "reverse", "both_ways"};
  static const char* const across[] = {"across_zero_own", "across_zero_other", "across_zero_reverse",
                                       "across_zero_both_ways"};
  static const char* const below[] = {"below_zero_own", "below_zero_other", "below_zero_reverse",
                                      "below_zero_both_ways"};
  RvResult result = compare(out, above, (const double[3]){5, 7, 9}, error);
  if (!result) result = compare(out, across, (const double[3]){0, 0, 0}, error);
  return result ? result : compare(out, below, (const double[3]){-5.003, -0.001, -1234}, error);
}
