// The laws of the coupling that stand alone.
#include "couple/couple.h"
#include "couple/store.h"
#include "math/scalar.h"

// WH-38, spec 1.2.10 (19) with E48
void rv_drag_law(double phi, double* along, double* across) {
  phi = rv_clamp(phi, RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
  double base = -rv_log_e(phi) - 1.476 + 2 * phi, phi2 = phi * phi;
  *along = 4 * RV_PI / (base - 0.5 * phi2);
  *across = 8 * RV_PI / (base - 1.774 * phi2 + 4.078 * phi2 * phi);
}

// WH-29, spec 1.2.8 (17)
double rv_capacity_radius(double radius, double tension, double density, double acceleration, double hairs) {
  double cube = 3 * radius * tension * sqrt(hairs) / (density * acceleration);
  return cube > 0 ? rv_pow(cube, 1.0 / 3) : 0;
}
