// The hair medium's equation of state (HC-2, spec 4.2): no pressure below the rest density, a power law up to close
// packing, and above it a straight line with the slope there. Hair is pushed apart, never drawn together.
#ifndef RV_CONTINUUM_MEDIUM_LAW_H
#define RV_CONTINUUM_MEDIUM_LAW_H

#include <stdbool.h>

typedef struct RvMediumLaw {
  double rest_density, packing_density;  // kg/m3
  double stiffness;                      // Pa: pressure at close packing (K_c)
  double power;                          // exponent (n), at least 1: large for aligned hair
  bool capped;                           // the pressure does not rise above close packing, as the seed has it
} RvMediumLaw;

// Pressure and its slope at a density.
typedef struct RvMediumPressure {
  double pressure, slope;  // Pa, Pa m3/kg
} RvMediumPressure;

RvMediumPressure rv_medium_pressure(const RvMediumLaw* law, double density);

// A cell of the medium over a step: its density is `density` before and y times that after, if the velocities without
// its own pressure give y = `ratio`, and each pascal takes `give` from y.
typedef struct RvMediumCell {
  double density;   // kg/m3
  double ratio;     // y without pressure
  double give;      // 1/Pa
  double friction;  // Pa: viscous pressure (HC-7) at y - 1 = 1, for hair that is being compressed
} RvMediumCell;

// The pressure p = P(density y) + friction max(0, y - 1) with y = ratio - give p.
double rv_medium_cell_pressure(const RvMediumLaw* law, const RvMediumCell* cell);

#endif
