// Procedural turbulence of the wind (HC-16): a sum of waves without divergence, the same at every place and moment
// whatever was simulated before.
//
// Each wave moves the air across its wave vector, so that the field is divergence-free. Wavelengths fall from `scale`
// by octaves, amplitudes with the third root of the wavelength (Kolmogorov 1941). Waves drift with the mean wind
// (Taylor 1938) and turn over in the time that the air takes for a wavelength.
#ifndef RV_CONTINUUM_TURBULENCE_H
#define RV_CONTINUUM_TURBULENCE_H

#include <stddef.h>
#include <stdint.h>

enum { RV_TURBULENCE_OCTAVES = 4, RV_TURBULENCE_WAVES = 16 };

typedef struct RvTurbulenceDef {
  double speed;    // m/s: root of the mean square of the velocity
  double scale;    // m: longest wavelength
  double wind[3];  // m/s: mean wind
  uint64_t seed;
} RvTurbulenceDef;

typedef struct RvTurbulence {
  double k[RV_TURBULENCE_WAVES][3];     // 1/m: wave vectors
  double gain[RV_TURBULENCE_WAVES][3];  // m/s: amplitudes
  double phase[RV_TURBULENCE_WAVES];    // at the time that it was made for
} RvTurbulence;

// The field at a time, s.
void rv_turbulence_make(const RvTurbulenceDef* def, double time, RvTurbulence* out);
// Its velocity at a place, m and m/s.
void rv_turbulence_at(const RvTurbulence* turbulence, const double x[3], double v[3]);
// One component of it on a lattice of side^3 places, at most 16 a side, x fastest: the same within rounding, and much
// faster.
enum { RV_TURBULENCE_SIDE = 16 };
typedef struct RvTurbulenceLattice {
  double origin[3], step;  // m
  int side;
} RvTurbulenceLattice;
void rv_turbulence_lattice(const RvTurbulence* turbulence, const RvTurbulenceLattice* lattice, int component,
                           double* v);

#endif
