// Film that a fibre draws out of a bath (WH-31, E74): pure functions.
//
// A fibre of radius r that leaves a bath at the speed V takes a film of height 1.34 r Ca^(2/3) with it, Ca = viscosity
// V / tension (Landau and Levich; on fibres Derjaguin). For thick films the denominator 1 - 1.34 Ca^(2/3) holds (White
// and Tallmadge), and inertia lets the height grow as 1 / (1 - We), We = density V^2 r / tension (de Ryck and Quere
// 1996). Beyond We = 1 the fibre drags along only the liquid that its friction reaches while it passes the meniscus:
// the boundary layer sqrt(viscosity l / (density V)) of the capillary length l (Quere 1999). The smaller of the two is
// the film.
#include <math.h>

#include "couple/store.h"

static const double LANDAU_LEVICH = 1.34;
// Least denominator of the two corrections: the boundary layer takes over long before.
static const double LEAST_LEFT = 0.05;

double rv_couple_withdrawn_height(double radius, double speed, const RvCoupleSettings* set) {
  if (!(speed > 0) || !(set->tension > 0) || !(set->viscosity > 0)) return 0;
  const double* a = set->gravity;
  double gravity = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  double root = rv_root3(set->viscosity * speed / set->tension);
  double thin = LANDAU_LEVICH * root * root;
  double inertia = set->density * speed * speed * radius / set->tension;
  double height = radius * thin / fmax(1 - thin - inertia, LEAST_LEFT);
  // without gravity no meniscus has a size, and the layer no bound
  if (!(gravity > 0)) return height;
  double meniscus = sqrt(set->tension / (set->density * gravity));
  return fmin(height, sqrt(set->viscosity * meniscus / (set->density * speed)));
}
