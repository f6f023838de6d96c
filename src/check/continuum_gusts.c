// Check of the turbulent wind of hair as a continuum: its speed, and that it is free of divergence.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "continuum/turbulence.h"

// Divergence at a place by central differences, over speed and the shortest wavelength.
static double divergence(const RvTurbulence* t, const double x[3], double step) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    double at[3] = {x[0], x[1], x[2]}, ahead[3], behind[3];
    at[c] = x[c] + step;
    rv_turbulence_at(t, at, ahead);
    at[c] = x[c] - step;
    rv_turbulence_at(t, at, behind);
    sum += (ahead[c] - behind[c]) / (2 * step);
  }
  return sum;
}

RvResult rv_check_continuum_gusts(const RvCheckOut* out, RvError* error) {
  enum { PLACES = 20000 };
  const RvTurbulenceDef def = {.speed = 2, .scale = 0.3, .wind = {4, 0, 0}, .seed = 3};
  const double shortest = def.scale / 8;
  double square = 0, most = 0, change = 0, expected = 0;
  RvTurbulence field, drifted;
  (void)error;
  rv_turbulence_make(&def, 1.25, &field);
  // a moment later, as seen by one who goes with the mean wind
  const double later = 1e-4;
  rv_turbulence_make(&def, 1.25 + later, &drifted);
  for (int i = 0; i < PLACES; ++i) {
    double x[3], y[3], v[3], w[3];
    for (int c = 0; c < 3; ++c) {
      x[c] = 20 * rv_random(5, (uint64_t)c, (uint64_t)i, 0);
      y[c] = x[c] + later * def.wind[c];
    }
    rv_turbulence_at(&field, x, v);
    rv_turbulence_at(&drifted, y, w);
    for (int c = 0; c < 3; ++c) {
      square += v[c] * v[c] / PLACES;
      change += (w[c] - v[c]) * (w[c] - v[c]) / PLACES;
    }
    most = fmax(most, fabs(divergence(&field, x, 1e-4 * shortest)) * shortest / def.speed);
  }
  // The lattice is the same field.
  enum { SIDE = 8 };
  const RvTurbulenceLattice lattice = {.origin = {0.3, -2, 1}, .step = 0.02, .side = SIDE};
  double values[SIDE * SIDE * SIDE], apart = 0;
  for (int c = 0; c < 3; ++c) {
    rv_turbulence_lattice(&field, &lattice, c, values);
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
      const int at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
      double x[3], v[3];
      for (int k = 0; k < 3; ++k) x[k] = lattice.origin[k] + lattice.step * at[k];
      rv_turbulence_at(&field, x, v);
      apart = fmax(apart, fabs(values[i] - v[c]));
    }
  }
  rv_check_emit(out, "lattice", apart, 0, 1e-10 * def.speed);
  rv_check_emit(out, "speed", sqrt(square), def.speed, 0.02 * def.speed);
  rv_check_emit(out, "divergence", most, 0, 1e-6);
  // Carried with the wind, a wave of amplitude a and wave number k turns over at the rate k speed.
  for (int i = 0; i < RV_TURBULENCE_WAVES; ++i) {
    double k2 = 0, a2 = 0;
    for (int c = 0; c < 3; ++c) {
      k2 += field.k[i][c] * field.k[i][c];
      a2 += field.gain[i][c] * field.gain[i][c];
    }
    expected += 0.5 * k2 * a2 * def.speed * def.speed * later * later;
  }
  rv_check_emit(out, "drift", sqrt(change / expected), 1, 0.03);
  return RV_OK;
}
