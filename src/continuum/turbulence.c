// Waves of the turbulent wind.
#include "continuum/turbulence.h"

#include <math.h>

#include "base/rng.h"
#include "math/scalar.h"
#include "math/vec.h"

// A unit vector from two uniform numbers.
static RvVec3 direction(double a, double b) {
  double z = 2 * a - 1, across = sqrt(fmax(1 - z * z, 0));
  return rv_vec3(across * rv_cos(2 * RV_PI * b), across * rv_sin(2 * RV_PI * b), z);
}

// Amplitude of an octave, relative: 2^(-octave / 3).
static double amplitude(int octave) {
  static const double THIRD_ROOT_OF_2 = 1.2599210498948732;
  double out = 1;
  for (int i = 0; i < octave; ++i) out /= THIRD_ROOT_OF_2;
  return out;
}

void rv_turbulence_make(const RvTurbulenceDef* d, double time, RvTurbulence* out) {
  // A wave of amplitude a has the mean square a^2 / 2.
  double sum = 0;
  for (int i = 0; i < RV_TURBULENCE_WAVES; ++i) {
    double a = amplitude(i % RV_TURBULENCE_OCTAVES);
    sum += 0.5 * a * a;
  }
  RvVec3 wind = rv_vec3_load64(d->wind);
  for (int i = 0; i < RV_TURBULENCE_WAVES; ++i) {
    const int octave = i % RV_TURBULENCE_OCTAVES;
    const double length = d->scale / (1 << octave), rate = 2 * RV_PI * d->speed / length;
    double u[6];
    for (int c = 0; c < 6; ++c) u[c] = rv_random(d->seed, (uint64_t)i, (uint64_t)(c / 2), c % 2);
    RvVec3 k = rv_scale(direction(u[0], u[1]), 2 * RV_PI / length);
    RvVec3 across = rv_normalize(rv_cross(k, direction(u[2], u[3])), rv_perpendicular(rv_scale(k, length)));
    rv_vec3_store64(out->k[i], k);
    rv_vec3_store64(out->gain[i], rv_scale(across, d->speed * amplitude(octave) / sqrt(sum)));
    out->phase[i] = 2 * RV_PI * u[4] + time * (rate - rv_dot(k, wind));
  }
}

void rv_turbulence_at(const RvTurbulence* t, const double x[3], double v[3]) {
  v[0] = v[1] = v[2] = 0;
  for (int i = 0; i < RV_TURBULENCE_WAVES; ++i) {
    double wave = rv_cos(t->k[i][0] * x[0] + t->k[i][1] * x[1] + t->k[i][2] * x[2] + t->phase[i]);
    for (int c = 0; c < 3; ++c) v[c] += t->gain[i][c] * wave;
  }
}

// A wave is the product of one along each axis: exp(i k.x) = exp(i kx x) exp(i ky y) exp(i kz z).
void rv_turbulence_lattice(const RvTurbulence* t, const RvTurbulenceLattice* l, int component, double* v) {
  const int n = l->side;
  for (int k = 0; k < n * n * n; ++k) v[k] = 0;
  for (int i = 0; i < RV_TURBULENCE_WAVES; ++i) {
    double c[3][RV_TURBULENCE_SIDE], s[3][RV_TURBULENCE_SIDE];
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < n; ++k) {
        double angle = t->k[i][axis] * (l->origin[axis] + l->step * k) + (axis == 0 ? t->phase[i] : 0);
        c[axis][k] = rv_cos(angle);
        s[axis][k] = rv_sin(angle);
      }
    const double gain = t->gain[i][component];
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; ++y) {
        double real = gain * (c[1][y] * c[2][z] - s[1][y] * s[2][z]);
        double imaginary = gain * (c[1][y] * s[2][z] + s[1][y] * c[2][z]);
        double* row = v + (z * n + y) * n;
        for (int x = 0; x < n; ++x) row[x] += c[0][x] * real - s[0][x] * imaginary;
      }
  }
}
