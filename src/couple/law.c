// The drag law (19), the capacity radius (17) and the volume of pendant drops: pure functions.
#include "couple/couple.h"

#include <string.h>

#include "couple/store.h"
#include "math/scalar.h"

// Natural logarithm of a normal positive number to 1e-12, for every point and vertex. It is plain arithmetic, so the
// bits are the same on every machine: ln x = e ln 2 + 2 artanh((m - 1) / (m + 1)), by its series.
static double quick_log(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  // x = m 2^e with m in sqrt(1/2) .. sqrt(2); the constant is the bits of sqrt(1/2)
  int64_t e = ((int64_t)bits - 0x3fe6a09e667f3bcd) >> 52;
  bits -= (uint64_t)e << 52;
  memcpy(&x, &bits, sizeof x);
  double s = (x - 1) / (x + 1), q = s * s;
  double sum = 1.0 / 13 + q * (1.0 / 15);
  for (int k = 11; k > 0; k -= 2) sum = 1.0 / k + q * sum;
  return (double)e * 0.69314718055994530942 + 2 * s * sum;  // ln 2
}

// WH-38, spec 1.2.10 (19) with E48; all numbers are those of (19).
void rv_couple_drag_law(double phi, double* along, double* across) {
  phi = rv_clamp(phi, RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
  double base = -quick_log(phi) - 1.476 + 2 * phi, phi2 = phi * phi;
  *along = 4 * RV_PI / (base - 0.5 * phi2);
  *across = 8 * RV_PI / (base - 1.774 * phi2 + 4.078 * phi2 * phi);
}

// WH-29, spec 1.2.8 (17)
double rv_couple_capacity_radius(double radius, double tension, double density, double acceleration, double hairs) {
  double cube = 3 * radius * tension * sqrt(hairs) / (density * acceleration);
  return rv_root3(cube);
}

// WH-28: the weight of a pendant drop against the tension of one line of contact round the fibre
double rv_couple_tate_volume(double radius, double tension, double density, double acceleration) {
  return 2 * RV_PI * radius * tension / (density * acceleration);
}
