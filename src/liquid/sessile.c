#include "liquid/sessile.h"

#include <math.h>

#include "math/scalar.h"

// Factor of a round contact line whose angle changes smoothly from front to rear (ElSherbini and Jacobi 2006).
static const double ROUND_LINE = 24 / (RV_PI * RV_PI * RV_PI);
// Logarithm of the length of a wedge over the slip length: a millimetre over six nanometres.
static const double WEDGE_LOG = 12;
static const double FILM_FACTOR = 0.944;    // Landau, Levich and Derjaguin: thickness over capillary length, Ca^(2/3)
static const double BREAKUP_FACTOR = 9.02;  // wavelength of the fastest growing disturbance, in radii of a thread
static const double LARGEST_BEAD_SHARE = 0.1;  // of the drop, which a single bead may take

// Volume of the largest pendant drop under a plane by contact angle, every 15 degrees, in cubes of the capillary
// length: integrals of the equation of Young and Laplace from the apex, the largest over its curvature. At 0 degrees it
// is 18.97 (Pitts 1974).
enum { PENDANT_ROWS = 13 };
static const double PENDANT_STEP = RV_PI / 12;
static const double pendant[PENDANT_ROWS] = {18.97, 17.50, 14.49, 11.11, 7.99,  5.40, 3.41,
                                             1.96,  0.98,  0.434, 0.126, 0.016, 0};

// Mean of the two contact angles, that of the cap.
static double mean_angle(const RvSessile* law) {
  return 0.5 * (law->advancing + law->receding);
}

// Volume of the largest pendant drop in cubes of the capillary length.
static double pendant_volume(double angle) {
  double row = rv_clamp(angle / PENDANT_STEP, 0, PENDANT_ROWS - 1);
  int below = (int)rv_min(floor(row), PENDANT_ROWS - 2);
  return pendant[below] + (pendant[below + 1] - pendant[below]) * (row - below);
}

// sqrt(x) cubed.
static double three_halves(double x) {
  return x * sqrt(x);
}

RvCap rv_liquid_cap(const RvSessile* law, double volume) {
  double c = rv_cos(mean_angle(law)), c2 = c * c;
  // Moments of 1 - t^2 from t = c to 1, heights over the centre of the sphere in radii.
  double zeroth = 2.0 / 3 - c + c * c2 / 3, first = 0.25 * (1 - c2) * (1 - c2);
  double square = 8.0 / 15 - c + 2 * c * c2 / 3 - c2 * c2 * c / 5;
  double radius = rv_root3(volume / (RV_PI * zeroth));
  return (RvCap){.radius = radius,
                 .width = 2 * radius * sqrt(1 - c2),
                 .mean_height = radius * (first / zeroth - c),
                 .spread = 0.5 * radius * radius * square / zeroth};
}

double rv_liquid_sessile_hold(const RvSessile* law, double density, double volume) {
  double hysteresis = rv_cos(law->receding) - rv_cos(law->advancing);
  return ROUND_LINE * law->tension * rv_liquid_cap(law, volume).width * hysteresis / (density * volume);
}

double rv_liquid_sessile_hang(const RvSessile* law, double density, double volume) {
  // volume = pendant (tension / (density acceleration))^(3/2)
  double root = rv_root3(pendant_volume(mean_angle(law)) / volume);
  return law->tension / density * root * root;
}

double rv_liquid_sessile_drag(const RvSessile* law, double density, double volume) {
  return 6 * law->viscosity * rv_liquid_cap(law, volume).width * WEDGE_LOG / (mean_angle(law) * density * volume);
}

double rv_liquid_sessile_most(const RvSessile* law, double density, double acceleration) {
  return pendant[0] * three_halves(law->tension / (density * acceleration));
}

bool rv_liquid_sessile_beads(const RvSessile* law, double density, double acceleration, double volume, double speed,
                             RvBeads* out) {
  if (!(law->viscosity > 0 && law->trail > 0)) return false;
  double capillary = law->viscosity * speed / law->tension;
  double least = law->receding * law->receding * law->receding / (9 * WEDGE_LOG);
  if (!(capillary > least)) return false;
  // cross-section of the film, gathered into half a thread of that radius
  double root = rv_root3(capillary);
  double thickness = law->trail * FILM_FACTOR * sqrt(law->tension / (density * acceleration)) * root * root;
  double section = thickness * rv_liquid_cap(law, volume).width;
  out->distance = BREAKUP_FACTOR * sqrt(2 * section / RV_PI);
  out->volume = rv_min(section * out->distance, LARGEST_BEAD_SHARE * volume);
  return true;
}
