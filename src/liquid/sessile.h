// A drop that sits on a solid and is smaller than the grid resolves: the laws of its shape, of what holds it, of its
// friction and of what it leaves behind. Lengths in m, angles in radians, forces in N.
//
// Shape. A spherical cap of the mean contact angle; `width` is the diameter of its contact line.
// Holding. The angle is `advancing` at the front of the contact line and `receding` at its rear, and the line stays
// where it is while the angle lies between them. Along the solid it holds (Furmidge 1962, with the factor of a round
// contact line by ElSherbini and Jacobi 2006)
//     24 / pi^3  tension  width  (cos receding - cos advancing).
// Off the solid it holds the largest pendant drop under a plane, by the equation of Young and Laplace.
// Friction. Viscous dissipation in the wedges at front and rear: 6 viscosity speed width ln(wedge length / slip length)
// / angle (de Gennes, Brochard-Wyart, Quere 2004, "Capillarity and wetting phenomena", section 6.2).
// Trail. Faster than the speed at which the dynamic receding angle vanishes (Cox 1986, Voinov 1976) the drop leaves a
// film of the thickness of Landau, Levich and Derjaguin, which breaks into beads at the wavelength of Plateau and
// Rayleigh.
#ifndef RV_LIQUID_SESSILE_H
#define RV_LIQUID_SESSILE_H

#include <stdbool.h>

typedef struct RvSessile {
  double tension;              // N/m; 0: liquid does not stick to solids
  double advancing, receding;  // rad, contact angles
  double viscosity;            // Pa s, of the wedges
  double trail;                // scales the thickness of the film left behind; 0: none
} RvSessile;

// Shape of a drop.
typedef struct RvCap {
  double radius;       // m, of the sphere
  double width;        // m, diameter of the contact line
  double mean_height;  // m, of the liquid above the solid
  double spread;       // m^2: mean square distance from the axis
} RvCap;

RvCap rv_liquid_cap(const RvSessile* law, double volume);
// Largest acceleration (m/s^2) along the solid that the contact line holds.
double rv_liquid_sessile_hold(const RvSessile* law, double density, double volume);
// Largest acceleration (m/s^2) away from the solid that the drop bears.
double rv_liquid_sessile_hang(const RvSessile* law, double density, double volume);
// Rate (1/s) at which wedges slow the drop.
double rv_liquid_sessile_drag(const RvSessile* law, double density, double volume);
// Largest volume (m^3) that counts as a drop under an acceleration: the largest pendant drop there is.
double rv_liquid_sessile_most(const RvSessile* law, double density, double acceleration);

// Beads that a drop leaves at a speed: volume of one (m^3) and their distance (m). False: none.
typedef struct RvBeads {
  double volume, distance;
} RvBeads;
bool rv_liquid_sessile_beads(const RvSessile* law, double density, double acceleration, double volume, double speed,
                             RvBeads* out);

#endif
