// Values and slopes of the smoothing kernels over q = r / support; see kernels.h.
#include "sph/kernels.h"

#include <math.h>

#include "math/scalar.h"

// Cubic spline of s = 2 q, (13): 1 - 1.5 s^2 + 0.75 s^3, then (2 - s)^3 / 4.
static double spline(double q) {
  double s = 2 * q;
  if (s < 1) return 1 - s * s * (1.5 - 0.75 * s);
  return s < 2 ? 0.25 * (2 - s) * (2 - s) * (2 - s) : 0;
}

// Its derivative by q.
static double spline_slope(double q) {
  double s = 2 * q;
  if (s < 1) return 2 * s * (2.25 * s - 3);
  return s < 2 ? -1.5 * (2 - s) * (2 - s) : 0;
}

// The factors sigma of (13), times 2^d as the support is twice h.
static const double CUBIC_3D_FACTOR = 8 / RV_PI;
static const double CUBIC_2D_FACTOR = 40 / (7 * RV_PI);
static const double CUBIC_1D_FACTOR = 4.0 / 3;

static double cubic_value(double q) {
  return CUBIC_3D_FACTOR * spline(q);
}
static double cubic_slope(double q) {
  return CUBIC_3D_FACTOR * spline_slope(q);
}
static double cubic_2d_value(double q) {
  return CUBIC_2D_FACTOR * spline(q);
}
static double cubic_2d_slope(double q) {
  return CUBIC_2D_FACTOR * spline_slope(q);
}
static double cubic_1d_value(double q) {
  return CUBIC_1D_FACTOR * spline(q);
}
static double cubic_1d_slope(double q) {
  return CUBIC_1D_FACTOR * spline_slope(q);
}

// (3.15), (3.16)
static const double POLY6_FACTOR = 315 / (64 * RV_PI);

static double poly6_value(double q) {
  double t = rv_max(1 - q * q, 0);
  return POLY6_FACTOR * t * t * t;
}
static double poly6_slope(double q) {
  double t = rv_max(1 - q * q, 0);
  return -6 * POLY6_FACTOR * t * t * q;
}

// (3.17), (3.18)
static const double SPIKY_FACTOR = 15 / RV_PI;

static double spiky_value(double q) {
  double u = rv_max(1 - q, 0);
  return SPIKY_FACTOR * u * u * u;
}
static double spiky_slope(double q) {
  double u = rv_max(1 - q, 0);
  return -3 * SPIKY_FACTOR * u * u;
}

// (3.19) with +r^2/h^2 (E37), so that its Laplacian 6 (1 - q) F is positive and it ends smoothly.
static const double VISCOSITY_FACTOR = 15 / (2 * RV_PI);

static double viscosity_value(double q) {
  return q < 1 ? VISCOSITY_FACTOR * (q * q * (1 - 0.5 * q) + 0.5 / q - 1) : 0;
}
static double viscosity_slope(double q) {
  return q < 1 ? VISCOSITY_FACTOR * (q * (2 - 1.5 * q) - 0.5 / (q * q)) : 0;
}

// (4.18)
static const double COHESION_FACTOR = 32 / RV_PI;

static double cohesion_value(double q) {
  double u = rv_max(1 - q, 0);
  double c = u * u * u * q * q * q;
  return COHESION_FACTOR * (q > 0.5 ? c : 2 * c - 1.0 / 64);
}
static double cohesion_slope(double q) {
  double u = rv_max(1 - q, 0);
  double c = 3 * u * u * q * q * (u - q);
  return COHESION_FACTOR * (q > 0.5 ? c : 2 * c);
}

// (4.21); the fourth root is two square roots, which are the same on every machine.
static const double ADHESION_FACTOR = 0.007;

static double adhesion_value(double q) {
  double t = q > 0.5 && q < 1 ? -4 * q * q + 6 * q - 2 : 0;
  return ADHESION_FACTOR * sqrt(sqrt(rv_max(t, 0)));
}
static double adhesion_slope(double q) {
  double t = q > 0.5 && q < 1 ? -4 * q * q + 6 * q - 2 : 0;
  return t > 0 ? ADHESION_FACTOR * 0.25 * (6 - 8 * q) * sqrt(sqrt(t)) / t : 0;
}

// VI (4), repulsive below a third of the support.
static double cosine_value(double q) {
  return q < 1 ? rv_cos(1.5 * RV_PI * q) : 0;
}
static double cosine_slope(double q) {
  return q < 1 ? -1.5 * RV_PI * rv_sin(1.5 * RV_PI * q) : 0;
}

// VI (5) with supports in the ratio of 1.4 to 1, as VI-2 has them. The factors make it 1 at 0 and -1 where it attracts
// most, so that repulsion and attraction are of one size, as the cosine's are.
static const double TWO_ATTRACTION = 3.8782892140192295;
static const double TWO_RATIO = 1.4;

static double two_value(double q) {
  double wide = rv_max(1 - q * q, 0);
  double narrow = rv_max(1 - TWO_RATIO * TWO_RATIO * q * q, 0);
  return (1 + TWO_ATTRACTION) * narrow * narrow * narrow - TWO_ATTRACTION * wide * wide * wide;
}
static double two_slope(double q) {
  double wide = rv_max(1 - q * q, 0);
  double narrow = rv_max(1 - TWO_RATIO * TWO_RATIO * q * q, 0);
  return 6 * q * (TWO_ATTRACTION * wide * wide - (1 + TWO_ATTRACTION) * TWO_RATIO * TWO_RATIO * narrow * narrow);
}

// (4.18) over its size at 0 and with its sign changed: 1 at 0, -1 at half the support.
static double spline_force_value(double q) {
  return -64 / COHESION_FACTOR * cohesion_value(q);
}
static double spline_force_slope(double q) {
  return -64 / COHESION_FACTOR * cohesion_slope(q);
}

// Wendland 1995: (1 - q)^4 (1 + 4 q); its slope over q needs no division.
static const double WENDLAND_FACTOR = 21 / (2 * RV_PI);

static double wendland_value(double q) {
  double u = rv_max(1 - q, 0);
  return WENDLAND_FACTOR * u * u * u * u * (1 + 4 * q);
}
static double wendland_slope(double q) {
  double u = rv_max(1 - q, 0);
  return -20 * WENDLAND_FACTOR * q * u * u * u;
}

const RvSphKernelRow rv_sph_kernels[RV_SPH_KERNELS] = {
    [RV_SPH_CUBIC] = {"cubic", 3, cubic_value, cubic_slope},
    [RV_SPH_CUBIC_2D] = {"cubic_2d", 2, cubic_2d_value, cubic_2d_slope},
    [RV_SPH_CUBIC_1D] = {"cubic_1d", 1, cubic_1d_value, cubic_1d_slope},
    [RV_SPH_POLY6] = {"poly6", 3, poly6_value, poly6_slope},
    [RV_SPH_SPIKY] = {"spiky", 3, spiky_value, spiky_slope},
    [RV_SPH_VISCOSITY] = {"viscosity", 3, viscosity_value, viscosity_slope},
    [RV_SPH_COHESION] = {"cohesion", 0, cohesion_value, cohesion_slope},
    [RV_SPH_ADHESION] = {"adhesion", 0, adhesion_value, adhesion_slope},
    [RV_SPH_COSINE] = {"cosine", 0, cosine_value, cosine_slope},
    [RV_SPH_TWO] = {"two", 0, two_value, two_slope},
    [RV_SPH_SPLINE] = {"spline", 0, spline_force_value, spline_force_slope},
    [RV_SPH_WENDLAND] = {"wendland", 3, wendland_value, wendland_slope},
};

double rv_sph_value(RvSphKernel kernel, double r, double support) {
  return rv_sph_kernels[kernel].value(r / support) / (support * support * support);
}

double rv_sph_slope(RvSphKernel kernel, double r, double support) {
  double square = support * support;
  return rv_sph_kernels[kernel].slope(r / support) / (square * square);
}

// Sum of w, or of w q^2, over a cubic lattice.
static double lattice_sum(RvSphKernel kernel, double step, bool square) {
  int reach = (int)(1 / step);
  double sum = 0;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k) {
        double q = step * sqrt((double)(i * i + j * j + k * k));
        // The viscosity kernel is infinite at 0, where the square is 0.
        if (q > 0 || !square) sum += (square ? q * q : 1) * rv_sph_kernels[kernel].value(q);
      }
  return sum * step * step * step;
}

double rv_sph_lattice_share(RvSphKernel kernel, double spacing, double support) {
  return lattice_sum(kernel, spacing / support, false);
}

double rv_sph_lattice_square(RvSphKernel kernel, double spacing, double support) {
  return lattice_sum(kernel, spacing / support, true);
}

double rv_sph_moment(RvSphKernel kernel, int power) {
  // Midpoints: the error of 1/4096 squared is below 1e-7 for all kernels, which end smoothly.
  enum { PARTS = 4096 };
  double sum = 0;
  for (int i = 0; i < PARTS; ++i) {
    double q = (i + 0.5) / PARTS;
    double weight = 1;
    for (int k = 0; k < power; ++k) weight *= q;
    sum += weight * rv_sph_kernels[kernel].value(q);
  }
  return sum / PARTS;
}
