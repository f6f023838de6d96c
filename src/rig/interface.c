// What drops measure; see interface.h.
#include "rig/interface.h"

#include <math.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "math/vec.h"

enum { DIRECTIONS = 200 };

// Unit vectors spread evenly over the sphere along a spiral.
static RvVec3 direction(int k) {
  double z = 1 - (2.0 * k + 1) / DIRECTIONS;
  double turn = RV_PI * (3 - sqrt(5.0)) * k;
  double r = sqrt(1 - z * z);
  return rv_vec3(r * cos(turn), z, r * sin(turn));
}

// Mean and standard deviation of the support function.
static void measure_support(const float* P, RvDropFigures* out) {
  double sum = 0;
  double squares = 0;
  RvVec3 centre = rv_vec3_load64(out->centre);
  for (int k = 0; k < DIRECTIONS; ++k) {
    RvVec3 n = direction(k);
    double most = 0;
    for (size_t i = 0; i < out->count; ++i) most = rv_max(most, rv_dot(n, rv_sub(rv_vec3_load(P + 3 * i), centre)));
    sum += most;
    squares += most * most;
  }
  out->reach = sum / DIRECTIONS;
  out->spread = sqrt(rv_max(squares / DIRECTIONS - out->reach * out->reach, 0)) / out->reach;
}

RvResult rv_rig_drop_measure(const RvDetail* points, RvDropFigures* out, RvError* error) {
  const float* P = rv_detail_f32(points, RV_POINT, "P", 3);
  const float* v = rv_detail_f32(points, RV_POINT, "v", 3);
  *out = (RvDropFigures){.count = rv_detail_count(points, RV_POINT)};
  if (!P || !v || !out->count) return rv_fail(error, RV_INTERNAL, "no particles with P and v");
  double share = 1 / (double)out->count;
  for (size_t i = 0; i < 3 * out->count; ++i) {
    out->centre[i % 3] += share * P[i];
    out->momentum[i % 3] += share * v[i];
  }
  // Second moments, energy and angular momentum about the centre.
  double moments[3] = {0};
  RvVec3 centre = rv_vec3_load64(out->centre), drift = rv_vec3_load64(out->momentum), angular = rv_vec3(0, 0, 0);
  for (size_t i = 0; i < out->count; ++i) {
    RvVec3 x = rv_sub(rv_vec3_load(P + 3 * i), centre), u = rv_vec3_load(v + 3 * i), own = rv_sub(u, drift);
    moments[0] += share * x.x * x.x;
    moments[1] += share * x.y * x.y;
    moments[2] += share * x.z * x.z;
    out->kinetic += 0.5 * share * rv_dot(own, own);
    angular = rv_mad(angular, share, rv_cross(x, u));
    out->speed += share * rv_length(u);
    out->moment += share * rv_length(u) * rv_length(x);
  }
  rv_vec3_store64(out->angular, angular);
  out->stretch = (moments[1] - 0.5 * (moments[0] + moments[2])) / (moments[0] + moments[1] + moments[2]);
  measure_support(P, out);
  return RV_OK;
}

double rv_rig_drop_closest(const RvDetail* points) {
  const float* P = rv_detail_f32(points, RV_POINT, "P", 3);
  size_t count = rv_detail_count(points, RV_POINT);
  double sum = 0;
  float least = INFINITY;
  for (size_t i = 0; i < count; ++i) {
    float nearest = INFINITY;
    for (size_t j = 0; j < count; ++j) {
      float dx = P[3 * i] - P[3 * j], dy = P[3 * i + 1] - P[3 * j + 1], dz = P[3 * i + 2] - P[3 * j + 2];
      float square = dx * dx + dy * dy + dz * dz;
      nearest = j != i && square < nearest ? square : nearest;
    }
    sum += sqrt((double)nearest);
    least = nearest < least ? nearest : least;
  }
  return count > 1 ? sqrt((double)least) / (sum / (double)count) : 1;
}

//---------------------------------------------------------------------------------------------- two drops

// Distance of the centres of two equal drops over the cube root of the volume of each, whose wall is t radii from the
// centre of its sphere: V = pi R^3 (2/3 + t - t^3/3).
static double distance_at(double t) {
  double volume = RV_PI * (2.0 / 3 + t - t * t * t / 3);
  double moment = RV_PI * (0.25 - t * t / 2 + t * t * t * t / 4);
  return 2 * (t + moment / volume) / cbrt(volume);
}

double rv_rig_meeting_angle(double distance) {
  enum { HALVINGS = 60 };
  double low = -0.9, high = 1;
  for (int k = 0; k < HALVINGS; ++k) {
    double middle = 0.5 * (low + high);
    if (distance_at(middle) < distance)
      low = middle;
    else
      high = middle;
  }
  return 180 - acos(low) * 180 / RV_PI;
}

//---------------------------------------------------------------------------------------------- oscillation

// Least squares of offset, cosine and sine at given omega and decay: the sum of squared errors.
static double fit_linear(const double* y, int count, double dt, double omega, double decay, double out[3]) {
  double a[3][4] = {{0}};
  for (int i = 0; i < count; ++i) {
    double t = i * dt, e = exp(-decay * t);
    double row[4] = {1, e * cos(omega * t), e * sin(omega * t), y[i]};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c) a[r][c] += row[r] * row[c];
  }
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r) {
      if (r == k) continue;
      double f = a[r][k] / a[k][k];
      for (int c = k; c < 4; ++c) a[r][c] -= f * a[k][c];
    }
  double sum = 0;
  for (int k = 0; k < 3; ++k) out[k] = a[k][3] / a[k][k];
  for (int i = 0; i < count; ++i) {
    double t = i * dt, e = exp(-decay * t);
    double off = y[i] - out[0] - e * (out[1] * cos(omega * t) + out[2] * sin(omega * t));
    sum += off * off;
  }
  return sum;
}

RvOscillation rv_rig_fit_oscillation(const double* y, int count, double dt, double omega, double decay) {
  // Pattern search over frequency and decay, the other three being linear.
  enum { HALVINGS = 40 };
  double step[2] = {0.2 * omega, 0.2 * omega};
  double c[3];
  double best = fit_linear(y, count, dt, omega, decay, c);
  for (int k = 0; k < HALVINGS;) {
    bool better = false;
    const double trial[4][2] = {{step[0], 0}, {-step[0], 0}, {0, step[1]}, {0, -step[1]}};
    for (int i = 0; i < 4; ++i) {
      double o = omega + trial[i][0], d = decay + trial[i][1];
      double error = o > 0 ? fit_linear(y, count, dt, o, d, c) : INFINITY;
      if (!(error < best)) continue;
      best = error;
      omega = o;
      decay = d;
      better = true;
    }
    if (better) continue;
    step[0] *= 0.5;
    step[1] *= 0.5;
    ++k;
  }
  fit_linear(y, count, dt, omega, decay, c);
  double amplitude = hypot(c[1], c[2]);
  return (RvOscillation){omega, decay, amplitude, c[0], sqrt(best / count) / amplitude};
}
