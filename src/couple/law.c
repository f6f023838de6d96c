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

// A lump of a liquid that yields cannot fall through its hairs until their drag on it is overcome, 9.14 yield x
// diameter of a smooth cylinder for each length (spec 2.2.6; rough ones have up to 11.94). With that force on the
// length 2 R beside that of tension, 4 pi r tension, the weight of a ball gives R^3 = r_max^3 + q R.
double rv_couple_yield_radius(double capillary, double radius, double yield, double density, double acceleration,
                              double hairs) {
  enum { ITERATIONS = 8 };  // Newton from above: to rounding
  const double drag = 9.14 * 3 / RV_PI;
  double q = drag * yield * radius * sqrt(hairs) / (density * acceleration), cube = capillary * capillary * capillary;
  double reach = capillary + sqrt(q);
  for (int i = 0; i < ITERATIONS; ++i) reach = (2 * reach * reach * reach + cube) / (3 * reach * reach - q);
  return reach;
}

// WH-28: the weight of a pendant drop against the tension of one line of contact round the fibre
double rv_couple_tate_volume(double radius, double tension, double density, double acceleration) {
  return 2 * RV_PI * radius * tension / (density * acceleration);
}
